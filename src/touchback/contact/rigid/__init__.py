"""Rigid contacts. A new kind is a new file with its gap and its slip speeds, and one more name in
AnyRigid."""

from touchback.contact.rigid.described import DescribedContact
from touchback.contact.rigid.disc_plane import DiscPlaneContact
from touchback.contact.rigid.sphere_plane import SpherePlaneContact
from touchback.contact.rigid.sphere_sphere import SphereSphereContact
from touchback.model.contact_kind import ContactKind

#: Every rigid contact that a model file can hold.
AnyRigid = SpherePlaneContact | SphereSphereContact | DiscPlaneContact | DescribedContact

__all__ = [
    "AnyRigid",
    "ContactKind",
    "DescribedContact",
    "DiscPlaneContact",
    "SpherePlaneContact",
    "SphereSphereContact",
]
