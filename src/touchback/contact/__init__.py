"""Contacts between rigid bodies: where they touch, and the laws that impulses obey there.

A new kind of contact is a new file with its gap and its slip speeds over any scalar."""

from touchback.contact.base import ContactKind
from touchback.contact.coulomb import ContactProblem, solve_contacts
from touchback.contact.described import DescribedContact
from touchback.contact.disc_plane import DiscPlaneContact
from touchback.contact.painleve import critical_friction
from touchback.contact.sphere_plane import SpherePlaneContact

__all__ = [
    "ContactKind",
    "ContactProblem",
    "DescribedContact",
    "DiscPlaneContact",
    "SpherePlaneContact",
    "critical_friction",
    "solve_contacts",
]
