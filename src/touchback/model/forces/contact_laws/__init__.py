"""Laws of compliant contacts, one file each. A new normal law is a new file and one more name in
AnyLaw; friction is apart, since exact stick and slip belong to rigid contacts."""

from touchback.model.forces.contact_laws.base import ContactLaw, LawState
from touchback.model.forces.contact_laws.felt import Felt
from touchback.model.forces.contact_laws.hunt_crossley import HuntCrossley
from touchback.model.forces.contact_laws.regularised_coulomb import regularised_coulomb
from touchback.model.forces.contact_laws.rolling_friction import rolling_friction
from touchback.model.forces.contact_laws.unilateral_spring import UnilateralSpring

AnyLaw = UnilateralSpring | HuntCrossley | Felt

__all__ = [
    "AnyLaw",
    "ContactLaw",
    "Felt",
    "HuntCrossley",
    "LawState",
    "UnilateralSpring",
    "regularised_coulomb",
    "rolling_friction",
]
