"""Vectors, rotations, quaternions and inertias over any scalar."""

from touchback.spatial.inertia import Inertia
from touchback.spatial.quaternion import quaternion_matrix, quaternion_rate
from touchback.spatial.rotation import MatrixPart, Rotation, Turn
from touchback.spatial.vectors import IDENTITY, ZERO, Vectors, skew, transpose

__all__ = [
    "IDENTITY",
    "ZERO",
    "Inertia",
    "MatrixPart",
    "Rotation",
    "Turn",
    "Vectors",
    "quaternion_matrix",
    "quaternion_rate",
    "skew",
    "transpose",
]
