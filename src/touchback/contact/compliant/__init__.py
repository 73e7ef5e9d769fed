"""Contacts that give way, which are forces. A new kind is a new file and one more name in
AnyCompliant."""

from touchback.contact.compliant.base import CompliantContact
from touchback.contact.compliant.profile_contact import ProfileContact
from touchback.contact.compliant.sphere_on_plane import SphereOnPlane
from touchback.contact.compliant.surface_contact import SurfaceContact

#: Every contact that gives way and that a model file can hold.
AnyCompliant = SphereOnPlane | ProfileContact | SurfaceContact

__all__ = ["AnyCompliant", "CompliantContact", "ProfileContact", "SphereOnPlane", "SurfaceContact"]
