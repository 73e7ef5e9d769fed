"""Places and directions as numbers: poses, quaternions, turns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback import Frame
from touchback.model import frame_at, number, turns_of

Floats = NDArray[np.float64]
_NO_TURN = 1e-15  # rad: what rounding leaves of none


@dataclass(frozen=True)
class Pose:
    """A place p [m] and a rotation R, seen from what carries it."""

    p: Floats
    R: Floats

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(self.p + self.R @ inner.p, self.R @ inner.R)

    def inverse(self) -> Pose:
        """Of the carrier, seen from here."""
        return Pose(-self.R.T @ self.p, self.R.T)

    def frame(self, body: str) -> Frame:
        """The same as a frame of a body."""
        x, y, z = map(float, self.p)
        turns = [(axis, number("Angle", angle)) for axis, angle in turns_of(self.R.tolist())]
        return frame_at(body, x, y, z, [turn for turn in turns if abs(turn[1]) > _NO_TURN])


HERE = Pose(np.zeros(3), np.eye(3))


def at(p: ArrayLike, R: ArrayLike | None = None) -> Pose:
    """A pose from numbers."""
    return Pose(np.asarray(p, dtype=float), np.eye(3) if R is None else np.asarray(R, dtype=float))


def of_quaternion(given: ArrayLike) -> Floats:
    """The rotation of (w, x, y, z), whatever its length."""
    quaternion = np.asarray(given, dtype=float)
    length = float(np.linalg.norm(quaternion))
    if length == 0.0:
        return np.eye(3)  # as MuJoCo has it
    w, x, y, z = quaternion / length
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def quaternion_of(R: Floats) -> tuple[float, float, float, float]:
    """(w, x, y, z) of a rotation, from the largest of the four (Shepperd 1978)."""
    trace = float(np.trace(R))
    squares = np.array([trace, *np.diag(R)])
    i = int(np.argmax(squares))
    if i == 0:
        q = np.array([1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        a, b, c = i - 1, i % 3, (i + 1) % 3
        q = np.zeros(4)
        q[0] = R[c, b] - R[b, c]
        q[1 + a] = 1.0 + 2.0 * R[a, a] - trace
        q[1 + b], q[1 + c] = R[a, b] + R[b, a], R[a, c] + R[c, a]
    w, x, y, z = (q / np.linalg.norm(q)).tolist()
    return w, x, y, z


def about(axis: Floats, angle: float) -> Floats:
    """The rotation about a unit vector (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)


def to_z(z: Floats) -> Floats:
    """The shortest rotation that takes the z axis to a vector's direction."""
    axis = np.cross((0.0, 0.0, 1.0), z)
    sine, cosine = float(np.linalg.norm(axis)), float(z[2])
    if sine < 1e-15 * abs(cosine):  # about x where they are opposite
        return np.eye(3) if cosine > 0.0 else np.diag([1.0, -1.0, -1.0])
    return about(axis / sine, math.atan2(sine, cosine))
