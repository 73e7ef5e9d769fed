"""Vectors, rotations, quaternions, twists and inertias over any scalar."""

from touchback.spatial.articulated_inertia import Articulated
from touchback.spatial.inertia import Inertia
from touchback.spatial.quaternion import quaternion_matrix, quaternion_rate
from touchback.spatial.rotation import MatrixPart, Part as Part, Rotation, Turn
from touchback.spatial.vectors import (
    IDENTITY,
    ZERO,
    Twist,
    Twists,
    Vectors,
    Wrench,
    skew,
    transpose,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = ("euler_denavit_hartenberg",)

__all__ = [
    "IDENTITY",
    "ZERO",
    "Articulated",
    "Inertia",
    "MatrixPart",
    "Rotation",
    "Turn",
    "Twist",
    "Twists",
    "Vectors",
    "Wrench",
    "quaternion_matrix",
    "quaternion_rate",
    "skew",
    "transpose",
]
