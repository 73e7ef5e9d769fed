"""Where MJCF places things: positions and the five ways to say a direction."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import ModelError
from touchback.interop.rigid_pose import Floats, Pose, about, of_quaternion, to_z
from touchback.interop.xml_file import Node

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


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


def read_line(node: Node) -> tuple[Pose, float]:
    """The middle of `fromto`, z along it, and its half length [m]."""
    numbers = np.array(node.numbers("fromto", (0.0,) * 6))
    start, end = numbers[:3], numbers[3:]
    direction = start - end  # as MuJoCo has it: z points to the first end
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        raise ModelError(f"{node.where}: <{node.tag} fromto>: both ends are the same point.")
    return Pose(0.5 * (start + end), to_z(direction)), 0.5 * length
