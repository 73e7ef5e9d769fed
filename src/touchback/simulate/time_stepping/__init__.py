"""Time stepping of rigid contacts: many contacts may open and close within one step."""
