"""Elementary motions: what joints are made of, with their equations over any scalars.

A motion carries frame C relative to frame P. The origin of C sits at `place` (components in P) plus
`offset` (components in C); R_PC is the rotation. Its velocity is a sum of constant columns
(angular, linear), in C.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.model.frame import Frame, turns_of
from touchback.model.mechanics_protocol import ValueOf
from touchback.model.value_or_expression import Triple, Value
from touchback.numbers import Scalar, Vector
from touchback.spatial import (
    IDENTITY,
    ZERO,
    MatrixPart,
    Part,
    Rotation,
    Turn,
    Vectors,
    quaternion_matrix,
    quaternion_rate,
)
from touchback.symbolic import Operators, Scalars

Column = tuple[Vector, Vector]
Entry = tuple[int, int]
_UNIT = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
_NOWHERE = (0.0, 0.0, 0.0)
_TURNED_ONLY = [(i, j) for i in range(3) for j in range(i, 3)]  # of what doesn't turn: E
_ALL = [(i, j) for i in range(4) for j in range(i, 4)]


class Motion:
    """The base of all motions: without coordinates, and the frames stay together."""

    nq: int = 0
    nv: int = 0

    def columns(self, k: Scalars, value: ValueOf) -> list[Column]:
        """Angular and linear velocity in C for each unit velocity coordinate."""
        return []

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part | None:
        """R_PC, or None when the axes don't turn."""
        return None

    def offset(self, k: Scalars, q: Sequence[Scalar], value: ValueOf) -> Vector:
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

    def shared(self) -> list[Entry]:
        """Entries (i ≤ j) of the 4×4 inertia [[E, h], [hᵀ, m]] of what C carries that act as if P
        carried them, whatever the motion: all where there is none, else those that it says."""
        return [] if self.nv else _ALL

    @property
    def turning(self) -> int | None:
        """The axis about which its frames may be turned, and along which they may be put, without
        another motion coming of it; None if they stay as described."""
        return None

    def about(self, axis: int) -> "Motion":
        """The same motion about another coordinate axis; for those with one for `turning`."""
        raise NotImplementedError(type(self).__name__)

    def in_parent(self, R_PC: np.ndarray) -> "Motion | None":
        """The same motion along the axes of P, where C doesn't turn against P."""
        return None

    def same(self, other: "Motion") -> bool:
        """Whether coordinates of the other mean the same."""
        return self == other

    def placed(self, body: str, q: Sequence[Value]) -> Frame:
        """C as a frame of the body that P is, for coordinates that stay: numbers or expressions."""
        k, part = Operators(), self.rotation(Operators(), q)
        R = IDENTITY if part is None else Rotation([part]).times(k, IDENTITY)
        offset = Vectors(k).apply(R, self.offset(k, q, lambda given: given))
        x, y, z = Vectors(k).add(self.place(k, q), offset)
        return Frame(body, (x, y, z), () if part is None else turns_of(R))


@dataclass(frozen=True)
class AxisMotion(Motion):
    """A motion about or along coordinate axis 0, 1 or 2."""

    axis: int

    def along(self, way: Value) -> Triple:
        """A vector along the axis."""
        x, y, z = (way if i == self.axis else 0.0 for i in range(3))
        return x, y, z


@dataclass(frozen=True)
class TurnAbout(AxisMotion):
    """Rotation by q about coordinate axis 0, 1 or 2."""

    nq, nv = 1, 1

    def columns(self, k: Scalars, value: ValueOf) -> list[Column]:
        return [(_UNIT[self.axis], ZERO)]

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return Turn(self.axis, *k.sincos(q[0]))

    def shared(self) -> list[Entry]:
        """What is spread along the axis."""
        return [(self.axis, self.axis), (self.axis, 3), (3, 3)]

    @property
    def turning(self) -> int:
        return self.axis

    def about(self, axis: int) -> Motion:
        return TurnAbout(axis)

    def placed(self, body: str, q: Sequence[Value]) -> Frame:
        return Frame(body, _NOWHERE, (("xyz"[self.axis], q[0]),))


@dataclass(frozen=True)
class SlideAlong(AxisMotion):
    """Translation by q along coordinate axis 0, 1 or 2."""

    nq, nv = 1, 1

    def columns(self, k: Scalars, value: ValueOf) -> list[Column]:
        return [(ZERO, _UNIT[self.axis])]

    def offset(self, k: Scalars, q: Sequence[Scalar], value: ValueOf) -> Vector:
        return [q[0] if i == self.axis else 0 for i in range(3)]

    def shared(self) -> list[Entry]:
        return _TURNED_ONLY

    def in_parent(self, R_PC: np.ndarray) -> Motion:
        x, y, z = map(float, R_PC[:, self.axis])
        return SlideVector((x, y, z))

    def placed(self, body: str, q: Sequence[Value]) -> Frame:
        return Frame(body, self.along(q[0]))


@dataclass(frozen=True)
class SlideVector(Motion):
    """Translation by q along any constant unit vector."""

    direction: tuple[float, float, float]
    nq, nv = 1, 1

    def columns(self, k: Scalars, value: ValueOf) -> list[Column]:
        return [(ZERO, [k.const(x) for x in self.direction])]

    def offset(self, k: Scalars, q: Sequence[Scalar], value: ValueOf) -> Vector:
        return [k.mul(k.const(x), q[0]) for x in self.direction]

    def shared(self) -> list[Entry]:
        return _TURNED_ONLY


@dataclass(frozen=True)
class Helix(AxisMotion):
    """Rotation by q about a coordinate axis and translation by pitch·q [m/rad] along it."""

    pitch: Value
    nq, nv = 1, 1

    def columns(self, k: Scalars, value: ValueOf) -> list[Column]:
        pitch = value(self.pitch)
        return [(_UNIT[self.axis], [pitch if i == self.axis else 0 for i in range(3)])]

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return Turn(self.axis, *k.sincos(q[0]))

    def offset(self, k: Scalars, q: Sequence[Scalar], value: ValueOf) -> Vector:
        advance = k.mul(value(self.pitch), q[0])
        return [advance if i == self.axis else 0 for i in range(3)]

    @property
    def turning(self) -> int:
        return self.axis

    def about(self, axis: int) -> Motion:
        return Helix(axis, self.pitch)

    def same(self, other: Motion) -> bool:
        """By the words of the pitch, which may be an expression."""
        if not isinstance(other, Helix):
            return False
        return self.axis == other.axis and str(self.pitch) == str(other.pitch)

    def placed(self, body: str, q: Sequence[Value]) -> Frame:
        return Frame(body, self.along(self.pitch * q[0]), (("xyz"[self.axis], q[0]),))


@dataclass(frozen=True)
class QuaternionTurn(Motion):
    """Any rotation: quaternion (w, x, y, z), angular velocity in C."""

    nq, nv = 4, 3

    def columns(self, k: Scalars, value: ValueOf) -> list[Column]:
        return [(unit, ZERO) for unit in _UNIT]

    def rotation(self, k: Scalars, q: Sequence[Scalar]) -> Part:
        return MatrixPart(quaternion_matrix(k, q))

    def rate(self, k: Scalars, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        return quaternion_rate(k, q, v)

    def neutral(self) -> list[float]:
        return [1.0, 0.0, 0.0, 0.0]

    def quaternion(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        return q

    def shared(self) -> list[Entry]:
        """The mass."""
        return [(3, 3)]

    def placed(self, body: str, q: Sequence[Value]) -> Frame:
        return Frame(body, _NOWHERE, turns_of(quaternion_matrix(Operators(), q)))


@dataclass(frozen=True)
class FreeMotion(Motion):
    """Any displacement: position in P, quaternion; velocity and angular velocity in C."""

    nq, nv = 7, 6

    def columns(self, k: Scalars, value: ValueOf) -> list[Column]:
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

    def placed(self, body: str, q: Sequence[Value]) -> Frame:
        x, y, z = q[:3]
        return Frame(body, (x, y, z), turns_of(quaternion_matrix(Operators(), q[3:])))
