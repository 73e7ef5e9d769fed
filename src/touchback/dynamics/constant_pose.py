"""Constant placements: numbers where they are numbers, scalars where a live parameter is in
them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from touchback.model import AXES, Frame, ValueOf, is_number
from touchback.numbers import Scalar
from touchback.spatial import MatrixPart, Part, Rotation, Turn, Vectors
from touchback.symbolic import Scalars

# Sines and cosines this close to 0 or ±1 differ from them by rounding of the angle only.
_SNAP = 1e-15
_ORIGIN, _AXES = np.zeros(3), np.eye(3)
for shared in (_ORIGIN, _AXES):
    shared.flags.writeable = False


def snapped(numbers: np.ndarray) -> np.ndarray:
    """Entries of a rotation with rounding noise around 0 and ±1 taken off."""
    nearest = np.rint(numbers)
    return np.where(np.abs(numbers - nearest) <= _SNAP, nearest, numbers)


def _snapped(number: float) -> float:
    nearest = round(number)
    return nearest if abs(number - nearest) <= _SNAP else number


def elementary(axis: int, angle: float) -> np.ndarray:
    """The matrix of a turn about a coordinate axis."""
    s, c = _snapped(math.sin(angle)), _snapped(math.cos(angle))
    R = _AXES.copy()
    u, v = (axis + 1) % 3, (axis + 2) % 3
    R[u, u], R[u, v], R[v, u], R[v, v] = c, -s, s, c
    return R


@dataclass(frozen=True)
class Pose:
    """p_AB_A and R_AB. `R` is a number matrix, or None when live turns are in it; `parts`, where
    given, are the cheaper form of the same rotation."""

    p: np.ndarray | list[Scalar]  # an array of numbers, or a list of scalars
    R: np.ndarray | None
    parts: tuple[Part, ...] = ()

    @property
    def numbers(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(R_AB, p_AB_A) if the whole pose is made of numbers."""
        if self.R is None or not isinstance(self.p, np.ndarray):
            return None
        return self.R, self.p

    @property
    def numeric(self) -> bool:
        """Whether the whole pose is made of numbers."""
        return self.numbers is not None

    def scalars(self, k: Scalars) -> list[Scalar]:
        """p_AB_A as scalars."""
        if isinstance(self.p, np.ndarray):
            return [k.const(float(x)) for x in self.p]
        return list(self.p)

    def rotation_parts(self, k: Scalars) -> list[Part]:
        """R_AB as parts; none for the identity."""
        if self.parts or self.R is None:
            return list(self.parts)
        return matrix_parts(k, self.R)

    def rotation(self, k: Scalars) -> Rotation:
        """R_AB over scalars."""
        return Rotation(self.rotation_parts(k))

    def then(self, k: Scalars, inner: Pose) -> Pose:
        """X_AC from this X_AB and the inner X_BC."""
        outer_numbers, inner_numbers = self.numbers, inner.numbers
        if outer_numbers and inner_numbers:
            (R, r), (R_inner, r_inner) = outer_numbers, inner_numbers
            return Pose(r + R @ r_inner, _product(R, R_inner))
        p = Vectors(k).add(self.scalars(k), self.rotation(k).up(k, inner.scalars(k)))
        if self.R is not None and inner.R is not None:
            return Pose(p, _product(self.R, inner.R))
        return Pose(p, None, (*self.rotation_parts(k), *inner.rotation_parts(k)))

    def inverse(self, k: Scalars) -> Pose:
        """X_BA."""
        if self.numbers:
            R, r = self.numbers
            return Pose(-R.T @ r, _transposed(R))
        p = Vectors(k).neg(self.rotation(k).down(k, self.scalars(k)))
        if self.R is not None:
            return Pose(p, _transposed(self.R))
        return Pose(p, None, tuple(_reversed(part) for part in reversed(self.rotation_parts(k))))


def _product(R: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Most frames are turned neither against their bodies nor against each other."""
    return _AXES if R is _AXES and S is _AXES else snapped(R @ S)


def _transposed(R: np.ndarray) -> np.ndarray:
    return R if R is _AXES else R.T


def identity() -> Pose:
    """No displacement."""
    return Pose(_ORIGIN, _AXES)


def turned(R: np.ndarray) -> Pose:
    """A constant rotation."""
    return Pose(_ORIGIN, R)


def matrix_parts(k: Scalars, R: np.ndarray) -> list[Part]:
    """A number matrix as at most one part."""
    if R is _AXES or (R == _AXES).all():
        return []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        if R[axis, axis] == 1.0 and not R[axis, u] and not R[axis, v]:
            return [Turn(axis, k.const(float(R[v, u])), k.const(float(R[u, u])))]
    return [MatrixPart([[k.const(float(x)) for x in row] for row in R])]


def _reversed(part: Part) -> Part:
    if isinstance(part, Turn):
        return Turn(part.axis, -part.sine, part.cosine)
    if isinstance(part, MatrixPart):
        return MatrixPart([[part.R[j][i] for j in range(3)] for i in range(3)])
    raise TypeError(type(part).__name__)


def frame_pose(k: Scalars, frame: Frame, value: ValueOf) -> Pose:
    """The pose X_BF of a described frame in its body."""
    plain = all(is_number(x) for x in frame.at)
    p: np.ndarray | list[Scalar] = (
        np.array(frame.at, dtype=float) if plain else [value(x) for x in frame.at]
    )
    if not frame.turn:
        return Pose(p, _AXES)
    numbers = [(AXES[axis], angle) for axis, angle in frame.turn if is_number(angle)]
    if len(numbers) == len(frame.turn):
        R = _AXES
        for axis, angle in numbers:
            R = R @ elementary(axis, float(angle))
        return Pose(p, snapped(R))
    parts: list[Part] = []
    for name, turn in frame.turn:
        if is_number(turn):
            parts.extend(matrix_parts(k, elementary(AXES[name], float(turn))))
        else:
            parts.append(Turn(AXES[name], *k.sincos(value(turn))))
    return Pose(p, None, tuple(parts))
