"""Joints, one file each. A new kind is a new file and one more name in AnyJoint."""

from touchback.model.joints.base import JointKind
from touchback.model.joints.cylindrical import Cylindrical
from touchback.model.joints.fixed import Fixed
from touchback.model.joints.free import Free
from touchback.model.joints.joint import Joint, make_joint
from touchback.model.joints.motion import Motion
from touchback.model.joints.planar import Planar
from touchback.model.joints.prismatic import Prismatic
from touchback.model.joints.revolute import Revolute
from touchback.model.joints.screw import Screw
from touchback.model.joints.spherical import Spherical
from touchback.model.joints.universal import Universal

AnyJoint = (
    Fixed | Revolute | Prismatic | Screw | Cylindrical | Universal | Planar | Spherical | Free
)

__all__ = [
    "AnyJoint",
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "JointKind",
    "Motion",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "Universal",
    "make_joint",
]
