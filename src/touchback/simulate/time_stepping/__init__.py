"""Time stepping of rigid contacts: many contacts may open and close within one step."""

from touchback.simulate.time_stepping.books import EnergyBooks, energy_books
from touchback.simulate.time_stepping.operator import contact_operator, painleve
from touchback.simulate.time_stepping.step_contacts import step_contacts

__all__ = ["EnergyBooks", "contact_operator", "energy_books", "painleve", "step_contacts"]
