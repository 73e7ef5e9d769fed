"""Laws of compliant contacts, one file each. A new normal law is a new file and one more name in
AnyLaw; friction is apart, since exact stick and slip belong to rigid contacts."""

from touchback.contact.laws.base import ContactLaw, LawState
from touchback.contact.laws.crush import Crush
from touchback.contact.laws.felt import Felt
from touchback.contact.laws.hunt_crossley import HuntCrossley
from touchback.contact.laws.regularised_coulomb import regularised_coulomb
from touchback.contact.laws.rolling_friction import rolling_friction
from touchback.contact.laws.unilateral_spring import UnilateralSpring

#: Every law that a model file can hold.
AnyLaw = UnilateralSpring | HuntCrossley | Felt | Crush

__all__ = [
    "AnyLaw",
    "ContactLaw",
    "Crush",
    "Felt",
    "HuntCrossley",
    "LawState",
    "UnilateralSpring",
    "regularised_coulomb",
    "rolling_friction",
]
