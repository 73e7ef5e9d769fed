"""Contacts, as `tb.contact`: what bodies do where they touch. Kinds that give way are forces with a
law, `m.force("pad", tb.contact.SphereOnPlane(…))`; kinds that don't keep bodies apart in a run,
`m.contact("foot", tb.contact.SpherePlaneContact(…))`.

Geometry is in `profiles` and `surfaces`, laws in `laws`, kinds in `compliant` and `rigid`, and who
solves for their impulses in `impulses`, which is apart from all.

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
from touchback.contact.laws import ContactLaw, Crush, Felt, HuntCrossley, UnilateralSpring
from touchback.contact.profiles import Arc, Circle, Line, Outline
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
    "Arc",
    "Circle",
    "CompliantContact",
    "ContactKind",
    "ContactLaw",
    "ContactProblem",
    "Crush",
    "DescribedContact",
    "DiscPlaneContact",
    "Felt",
    "Friction",
    "HuntCrossley",
    "Line",
    "Nearest",
    "Outline",
    "ProfileContact",
    "Side",
    "SphereOnPlane",
    "SpherePlaneContact",
    "SphereSphereContact",
    "SurfaceContact",
    "Tracking",
    "Twist",
    "UnilateralSpring",
    "critical_friction",
    "find_nearest",
    "numbers",
    "solve_contacts",
]
