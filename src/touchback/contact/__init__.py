"""Contacts, as `tb.contact`: what bodies do where they touch. Kinds that give way are forces with a
law, `m.force("pad", tb.contact.SphereOnPlane(…))`; kinds that don't keep bodies apart in a run,
`m.contact("foot", tb.contact.SpherePlaneContact(…))`.

Geometry is in `planar_profiles` and `surfaces`, laws in `contact_laws`, kinds in
`compliant_contacts` and `rigid_contacts`, and who solves for their impulses in
`contact_impulses`, apart from all. `convex_shapes` tells how far any two convex shapes are apart.

A new kind of contact is a class with its gap over any scalar, and one name in AnyCompliant or
AnyRigid."""

from touchback.contact import contact_laws as contact_laws, surfaces as surfaces
from touchback.contact.compliant_contacts import (
    AnyCompliant as AnyCompliant,
    CompliantContact,
    ProfileContact,
    SphereOnPlane,
    SurfaceContact,
)
from touchback.contact.contact_impulses import (
    BACKWARD as BACKWARD,
    FORWARD as FORWARD,
    MOST_COMBINATIONS as MOST_COMBINATIONS,
    OPEN as OPEN,
    SIGN as SIGN,
    STICK as STICK,
    ContactProblem,
    Friction,
    combinations as combinations,
    critical_friction,
    feasible_combinations as feasible_combinations,
    gauss_seidel as gauss_seidel,
    groups_of as groups_of,
    solve_contacts,
)
from touchback.contact.contact_laws import (
    ContactLaw,
    Crush,
    Felt,
    HuntCrossley,
    UnilateralSpring,
)
from touchback.contact.convex_shapes import (
    Cone,
    Convex as Convex,
    ConvexHull,
    HalfSpace,
    Proximity,
    proximity,
)
from touchback.contact.nearest_point_search import find_nearest, numbers
from touchback.contact.planar_profiles import Arc, Circle, Line, Outline
from touchback.contact.rigid_contacts import (
    AnyRigid as AnyRigid,
    ContactKind,
    DescribedContact,
    DiscPlaneContact,
    SpherePlaneContact,
    SphereSphereContact,
)
from touchback.contact.surface_tracking import Nearest, Side, Tracking, Twist
from touchback.contact.surfaces import Plane as Plane, Roller as Roller
from touchback.model import register_kinds, regularised_coulomb as regularised_coulomb

register_kinds("forces", AnyCompliant)
register_kinds("contacts", AnyRigid)

__all__ = [
    "Arc",
    "Circle",
    "CompliantContact",
    "Cone",
    "ContactKind",
    "ContactLaw",
    "ContactProblem",
    "ConvexHull",
    "Crush",
    "DescribedContact",
    "DiscPlaneContact",
    "Felt",
    "Friction",
    "HalfSpace",
    "HuntCrossley",
    "Line",
    "Nearest",
    "Outline",
    "ProfileContact",
    "Proximity",
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
    "proximity",
    "solve_contacts",
]
