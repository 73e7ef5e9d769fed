"""Joints. A new kind is a class in `joint_kinds.py` and one more name in AnyJoint."""

from touchback.model.joints.base import JointKind
from touchback.model.joints.elementary_motions import Motion as Motion
from touchback.model.joints.joint import Joint, make_joint as make_joint
from touchback.model.joints.joint_kinds import (
    Cylindrical,
    Fixed,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)

AnyJoint = (
    Fixed | Revolute | Prismatic | Screw | Cylindrical | Universal | Planar | Spherical | Free
)

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "JointKind",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "Universal",
]
