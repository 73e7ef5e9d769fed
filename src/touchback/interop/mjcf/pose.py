"""Where MJCF places things: positions and the five ways to say a direction."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import ModelError
from touchback.interop.xml_file import Node
from touchback.model.frame import Frame, frame_at, turns_of
from touchback.model.value import number

Floats = NDArray[np.float64]
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
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


@dataclass(frozen=True)
class Angles:
    """How a file writes angles: in degrees or radians, and Euler's in which order."""

    degrees: bool = True
    sequence: str = "xyz"

    def radians(self, number: float) -> float:
        """An angle of the file [rad]."""
        return math.radians(number) if self.degrees else number


def read_pose(node: Node, angles: Angles) -> Pose:
    """pos and whatever says the direction."""
    return Pose(np.array(node.numbers("pos", (0.0, 0.0, 0.0))), _rotation(node, angles))


def _rotation(node: Node, angles: Angles) -> Floats:
    given = [word for word in ORIENTATIONS if word in node.attributes]
    if len(given) > 1:
        raise ModelError(
            f"{node.where}: <{node.tag}> says its direction by {' and by '.join(given)}; keep one."
        )
    if not given:
        return np.eye(3)
    if given[0] == "quat":
        return of_quaternion(_unit(node, "quat", node.numbers("quat", (1.0, 0.0, 0.0, 0.0))))
    if given[0] == "axisangle":
        *axis, angle = node.numbers("axisangle", (0.0, 0.0, 1.0, 0.0))
        return about(_unit(node, "axisangle", axis), angles.radians(angle))
    if given[0] == "xyaxes":
        numbers = node.numbers("xyaxes", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
        x = _unit(node, "xyaxes", numbers[:3])
        y = np.array(numbers[3:])
        y = _unit(node, "xyaxes", y - (x @ y) * x)
        return np.column_stack([x, y, np.cross(x, y)])
    if given[0] == "zaxis":
        return to_z(_unit(node, "zaxis", node.numbers("zaxis", (0.0, 0.0, 1.0))))
    R = np.eye(3)
    for letter, angle in zip(angles.sequence, node.numbers("euler", (0.0, 0.0, 0.0))):
        turn = about(np.eye(3)["xyz".index(letter.lower())], angles.radians(angle))
        R = R @ turn if letter.islower() else turn @ R  # moving axes, or fixed ones
    return R


def _unit(node: Node, word: str, given: ArrayLike) -> Floats:
    vector = np.asarray(given, dtype=float)
    largest = np.abs(vector).max()
    if largest == 0.0:
        raise ModelError(f"{node.where}: <{node.tag} {word}>: a direction of length 0 is none.")
    vector = vector / largest  # its square neither overflows nor vanishes
    return vector / np.linalg.norm(vector)


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
    """The shortest rotation that takes the z axis to a unit vector."""
    axis = np.cross((0.0, 0.0, 1.0), z)
    sine, cosine = float(np.linalg.norm(axis)), float(z[2])
    if sine < 1e-15:  # about x where they are opposite
        return np.eye(3) if cosine > 0.0 else np.diag([1.0, -1.0, -1.0])
    return about(axis / sine, math.atan2(sine, cosine))


def read_line(node: Node) -> tuple[Pose, float]:
    """The middle of `fromto`, z along it, and its half length [m]."""
    numbers = np.array(node.numbers("fromto", (0.0,) * 6))
    start, end = numbers[:3], numbers[3:]
    direction = start - end  # as MuJoCo has it: z points to the first end
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        raise ModelError(f"{node.where}: <{node.tag} fromto>: both ends are the same point.")
    return Pose(0.5 * (start + end), to_z(direction / length)), 0.5 * length
