"""Contacts between rigid bodies: where they touch, and the laws that impulses obey there.

A new kind of contact is a new file with its gap and its slip speeds over any scalar."""

from touchback.contact.base import ContactKind
from touchback.contact.coulomb import ContactProblem, Friction, solve_contacts
from touchback.contact.described import DescribedContact
from touchback.contact.disc_plane import DiscPlaneContact
from touchback.contact.painleve import critical_friction
from touchback.contact.sphere_plane import SpherePlaneContact
from touchback.contact.sphere_sphere import SphereSphereContact
from touchback.contact.start import find_nearest, numbers
from touchback.contact.surface_contact import SurfaceContact
from touchback.contact.tracking import Nearest, Side, Tracking, Twist
from touchback.model.files.schema import add_kind

add_kind("forces", SurfaceContact)
for _kind in (SpherePlaneContact, SphereSphereContact, DiscPlaneContact, DescribedContact):
    add_kind("contacts", _kind)

__all__ = [
    "ContactKind",
    "ContactProblem",
    "DescribedContact",
    "DiscPlaneContact",
    "Friction",
    "Nearest",
    "Side",
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
