"""Elementary motions: what joints are made of, with their equations over any scalars.

A motion carries frame C relative to frame P. The origin of C sits at `place` (components in P) plus
`offset` (components in C); R_PC is the rotation. Its velocity is a sum of constant columns
(angular, linear), in C.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from touchback.spatial import MatrixPart, Turn, quaternion_matrix, quaternion_rate
from touchback.spatial.rotation import Part
from touchback.spatial.vectors import ZERO, Scalar, Vector
from touchback.symbolic.scalars import Scalars

Column = tuple[Vector, Vector]
_UNIT = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


class Motion:
    """No motion at all; the base of the others."""

    nq: int = 0
    nv: int = 0
    regroups: str = "all"  # inertial parameters the parent may take over (dynamics/regroup.py)

    def columns(self, k: Scalars, value: Any) -> list[Column]:
        """Angular and linear velocity in C for each unit velocity coordinate."""
        return []

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part | None:
        """R_PC, or None when the axes don't turn."""
        return None

    def offset(self, k: Scalars, q: Sequence[Scalar], value: Any) -> Vector:
        """p_PC minus `place`, components in C."""
        return ZERO

    def place(self, k: Scalars, q: Sequence[Scalar]) -> Vector:
        """The part of p_PC that is known in P."""
        return ZERO

    def rate(self, k: Scalars, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """q̇ from v."""
        return list(v)

    def neutral(self) -> list[float]:
        """The coordinates of no displacement."""
        return [0.0] * self.nq

    def quaternion(self, q: Sequence[Scalar]) -> Sequence[Scalar] | None:
        """The quaternion among the coordinates, if there is one."""
        return None


@dataclass(frozen=True)
class AxisMotion(Motion):
    """A motion about or along coordinate axis 0, 1 or 2."""

    axis: int


@dataclass(frozen=True)
class TurnAbout(AxisMotion):
    """Rotation by q about coordinate axis 0, 1 or 2."""

    nq, nv, regroups = 1, 1, "turn"

    def columns(self, k: Scalars, value: Any) -> list[Column]:
        return [(_UNIT[self.axis], ZERO)]

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return Turn(self.axis, *k.sincos(q[0]))


@dataclass(frozen=True)
class SlideAlong(AxisMotion):
    """Translation by q along coordinate axis 0, 1 or 2."""

    nq, nv, regroups = 1, 1, "slide"

    def columns(self, k: Scalars, value: Any) -> list[Column]:
        return [(ZERO, _UNIT[self.axis])]

    def offset(self, k: Scalars, q: Sequence[Scalar], value: Any) -> Vector:
        return [q[0] if i == self.axis else 0 for i in range(3)]


@dataclass(frozen=True)
class Helix(AxisMotion):
    """Rotation by q about a coordinate axis and translation by pitch·q [m/rad] along it."""

    pitch: Any
    nq, nv, regroups = 1, 1, "nothing"

    def columns(self, k: Scalars, value: Any) -> list[Column]:
        pitch = value(self.pitch)
        return [(_UNIT[self.axis], [pitch if i == self.axis else 0 for i in range(3)])]

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return Turn(self.axis, *k.sincos(q[0]))

    def offset(self, k: Scalars, q: Sequence[Scalar], value: Any) -> Vector:
        advance = k.mul(value(self.pitch), q[0])
        return [advance if i == self.axis else 0 for i in range(3)]


@dataclass(frozen=True)
class QuaternionTurn(Motion):
    """Any rotation: quaternion (w, x, y, z), angular velocity in C."""

    nq, nv, regroups = 4, 3, "ball"

    def columns(self, k: Scalars, value: Any) -> list[Column]:
        return [(unit, ZERO) for unit in _UNIT]

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return MatrixPart(quaternion_matrix(k, q))

    def rate(self, k: Scalars, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        return quaternion_rate(k, q, v)

    def neutral(self) -> list[float]:
        return [1.0, 0.0, 0.0, 0.0]

    def quaternion(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        return q


@dataclass(frozen=True)
class FreeMotion(Motion):
    """Any displacement: position in P, quaternion; velocity and angular velocity in C."""

    nq, nv, regroups = 7, 6, "nothing"

    def columns(self, k: Scalars, value: Any) -> list[Column]:
        return [(ZERO, unit) for unit in _UNIT] + [(unit, ZERO) for unit in _UNIT]

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return MatrixPart(quaternion_matrix(k, q[3:7]))

    def place(self, k: Scalars, q: Sequence[Scalar]) -> Vector:
        return list(q[0:3])

    def rate(self, k: Scalars, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        R = MatrixPart(quaternion_matrix(k, q[3:7]))
        return [*R.up(k, v[0:3]), *quaternion_rate(k, q[3:7], v[3:6])]

    def neutral(self) -> list[float]:
        return [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]

    def quaternion(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        return q[3:7]
