"""Where an SDF file places things: every frame has a pose seen from another one, by name."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from touchback.errors import ModelError
from touchback.interop.rigid_pose import HERE, Pose, at, of_quaternion
from touchback.interop.urdf.urdf_joints import rotation
from touchback.interop.xml_file import Node, finite_numbers

WORLD, MODEL, APART = "world", "__model__", "::"


@dataclass(frozen=True)
class SdfFrame:
    """A frame: its pose, seen from which other one, and what it is attached to; whole names."""

    pose: Pose
    seen_from: str
    attached_to: str
    node: Node


@dataclass
class Frames:
    """All frames of a file by their whole names, as "arm::hand"."""

    axes_in_model: bool = False  # whether axes of joints are told there unless said otherwise
    placed: dict[str, SdfFrame] = field(default_factory=dict)
    links: dict[str, Node] = field(default_factory=dict)
    _found: dict[str, Pose] = field(default_factory=lambda: {WORLD: HERE})

    def add(self, name: str, placed: SdfFrame) -> None:
        """A frame, whose name must be new."""
        if name in self.placed or name == WORLD:
            raise ModelError(
                f"{placed.node.where}: there is a frame {name!r} already; links, joints, frames "
                "and models share their names: rename one."
            )
        self.placed[name] = placed

    def known(self, name: str, node: Node) -> str:
        """A name that must be one of theirs."""
        if name != WORLD and name not in self.placed:
            raise ModelError(
                f"{node.where}: <{node.tag}> names a frame {name!r}, which is not in the file."
            )
        return name

    def pose(self, name: str) -> Pose:
        """In the world, as drawn."""
        chain: list[str] = []
        while name not in self._found:
            if name in chain:
                raise ModelError(
                    f"{self.placed[name].node.where}: the pose of {name!r} is told by others that "
                    "are told by it; say one of them from elsewhere."
                )
            chain.append(name)
            name = self.known(self.placed[name].seen_from, self.placed[name].node)
        for each in reversed(chain):
            placed = self.placed[each]
            self._found[each] = self._found[placed.seen_from] @ placed.pose
        return self._found[chain[0] if chain else name]

    def link(self, name: str, node: Node) -> str:
        """The link that a frame is part of, or the world."""
        chain = []
        while name not in self.links and name != WORLD:
            if name in chain:
                raise ModelError(
                    f"{node.where}: frame {name!r} is attached to others that are attached to it."
                )
            chain.append(name)
            name = self.placed[self.known(name, node)].attached_to
        return name


def pose_of(node: Node) -> Pose:
    """The <pose> of a node, seen from wherever it is: x y z roll pitch yaw, or a quaternion."""
    given = node.first("pose")
    if given is None or not given.text:
        return HERE
    numbers = finite_numbers(f"{given.where}: <pose>", given.text)
    quaternion = given.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw"
    if len(numbers) != 6 + quaternion:
        raise ModelError(
            f"{given.where}: <pose>: {6 + quaternion} numbers are expected, got {len(numbers)}."
        )
    if quaternion:
        x, y, z, w = numbers[3:]
        return at(numbers[:3], of_quaternion((w, x, y, z)))
    angles = numbers[3:]
    if given.attributes.get("degrees", "false").strip() in ("true", "1"):
        angles = tuple(np.radians(angles))
    return at(numbers[:3], rotation(angles))


def seen_from(node: Node, scope: str, default: str) -> str:
    """The whole name of the frame that a node's <pose> is relative to."""
    given = node.first("pose")
    named = "" if given is None else given.attributes.get("relative_to", "").strip()
    return in_scope(scope, named) if named else default


def in_scope(scope: str, name: str) -> str:
    """The whole name of what a model with this scope calls so."""
    return name if name == WORLD else f"{scope}{name}"
