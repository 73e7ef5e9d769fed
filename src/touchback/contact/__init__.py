"""Contacts: geometry (`profiles`, `surfaces`), laws (`laws`), kinds that give way (`compliant`) and
kinds that don't (`rigid`), and who solves for their impulses (`impulses`), which is apart from all.

A new kind of contact is a new file with its gap over any scalar, and one line in AnyCompliant or
AnyRigid."""

from touchback.contact.compliant import (
    CompliantContact,
    ProfileContact,
    SphereOnPlane,
    SurfaceContact,
)
from touchback.contact.impulses.coulomb import ContactProblem, Friction, solve_contacts
from touchback.contact.impulses.painleve import critical_friction
from touchback.contact.rigid import (
    ContactKind,
    DescribedContact,
    DiscPlaneContact,
    SpherePlaneContact,
    SphereSphereContact,
)
from touchback.contact.start import find_nearest, numbers
from touchback.contact.tracking import Nearest, Side, Tracking, Twist

__all__ = [
    "CompliantContact",
    "ContactKind",
    "ContactProblem",
    "DescribedContact",
    "DiscPlaneContact",
    "Friction",
    "Nearest",
    "ProfileContact",
    "Side",
    "SphereOnPlane",
    "SpherePlaneContact",
    "SphereSphereContact",
    "SurfaceContact",
    "Tracking",
    "Twist",
    "critical_friction",
    "find_nearest",
    "numbers",
    "solve_contacts",
]
