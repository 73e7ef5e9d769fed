"""Time stepping of rigid contacts: many contacts may open and close within one step."""

from touchback.simulate.time_stepping.operator import contact_operator, painleve
from touchback.simulate.time_stepping.step_contacts import step_contacts

__all__ = ["contact_operator", "painleve", "step_contacts"]
