"""The links of SDF: what they weigh, and how they look."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from touchback.interop.bodies import add_body
from touchback.interop.pose import Pose
from touchback.interop.sdf.collision_inertia import collision_inertia
from touchback.interop.sdf.poses import pose_of, seen_from
from touchback.interop.touching import Touchable
from touchback.interop.urdf_joints import Robot
from touchback.interop.urdf_shapes import add_shapes
from touchback.interop.urdf_touching import add_touching
from touchback.interop.xml_file import Node

_KNOWN = (
    "pose", "inertial", "visual", "collision", "gravity", "kinematic", "self_collide",
    "enable_wind", "must_be_base_link",
)  # fmt: skip
_SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # as bodies have their moments
_UNLIKE = {"model": "package"}  # how other programs' addresses are called in URDF


def add_link(robot: Robot, name: str, node: Node) -> None:
    """A body with the name `robot.links[name]`."""
    robot.notes.skip_others(node, _KNOWN)
    for tag, usual in (("gravity", "true"), ("kinematic", "false"), ("enable_wind", "false")):
        given = node.first(tag)
        if given is not None and given.text not in (usual, str(int(usual == "true"))):
            robot.notes.notice(f"{given.where}: link {name!r}: <{tag}>{given.text} is not read.")
    for child in node.children:
        if child.tag in ("visual", "collision") and seen_from(child, "", ""):
            robot.notes.skip(f"{child.tag} relative to another frame")
    _add_inertia(robot, name, node)
    add_shapes(robot, name, as_urdf(node))


@dataclass
class Rough(Touchable):
    """Which model a link is part of, and whether this one's links touch each other; the smaller
    friction of two counts, as in Gazebo."""

    model: str = ""
    itself: bool = False

    def friction_with(self, other: Touchable) -> float:
        return min(self.friction, other.friction)

    def may_touch(self, other: Touchable) -> bool:
        return self.itself or not isinstance(other, Rough) or self.model != other.model


def add_rough(robot: Robot, name: str, node: Node, model: str, itself: bool) -> None:
    """What of a link touches."""
    for shown in as_urdf(node).all("collision"):
        found = add_touching(robot, name, shown, shown.number("friction", 1.0))
        if found is not None:
            robot.touching[-1] = Rough(**vars(found), model=model, itself=itself)


def _add_inertia(robot: Robot, name: str, node: Node) -> None:
    """Where a file says nothing, a link has 1 kg and 1 kg m² about each axis, as SDF has it."""
    inertial = node.first("inertial")
    if inertial is None:
        robot.notes.say(f"{node.where}: link {name!r} has no <inertial>: 1 kg and 1 kg m², as SDF.")
        inertial = Node("inertial", {}, node.source, node.line)
    robot.notes.skip_others(inertial, ("mass", "inertia", "pose", "density"))
    if inertial.attributes.get("auto", "false") in ("true", "1"):
        whole = collision_inertia(robot, name, node, inertial)
        if whole.mass > 0.0:
            J = whole.J
            six = [float(J[i, j]) for i, j in _SIX]
            mass, com = whole.mass, whole.com.tolist()
            add_body(robot.model, robot.links[name], mass, com, six, inertial.where, robot.notes)
            return
        robot.notes.notice(
            f"{inertial.where}: link {name!r}: <inertial auto='true'>, but it has no collision "
            "that encloses a volume; what the element says counts, else 1 kg and 1 kg m²."
        )
    inner = inertial.first("inertia") or Node("inertia", {}, node.source, node.line)
    xx, yy, zz = (inner.child_number(f"i{each}", 1.0) for each in ("xx", "yy", "zz"))
    xy, xz, yz = (inner.child_number(f"i{each}", 0.0) for each in ("xy", "xz", "yz"))
    pose = pose_of(inertial)
    J = pose.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ pose.R.T
    add_body(
        robot.model,
        robot.links[name],
        inertial.child_number("mass", 1.0),
        [float(part) for part in pose.p],
        [float(J[i, j]) for i, j in _SIX],
        inertial.where,
        robot.notes,
    )


def as_urdf(link: Node) -> Node:
    """What is to be seen and touched of a link, as URDF writes it: numbers in attributes."""
    found = Node("link", {}, link.source, link.line)
    for child in link.children:
        if child.tag in ("visual", "collision") and not seen_from(child, "", ""):
            origin = Node("origin", _origin(pose_of(child)), child.source, child.line)
            geometry = Node("geometry", {}, child.source, child.line)
            for kind in (child.first("geometry") or geometry).children:
                said = {part.tag: part.text for part in kind.children}
                if kind.tag == "mesh":
                    said = {"filename": _address(said.get("uri", "")), **_scale(said)}
                geometry.children.append(Node(kind.tag, said, kind.source, kind.line))
            rough = {} if child.tag == "visual" else _rough(child)
            shown = Node(child.tag, rough, child.source, child.line, [origin, geometry])
            found.children.append(shown)
    return found


def _rough(collision: Node) -> dict[str, str]:
    """Its friction: surface, friction, ode, mu."""
    node: Node | None = collision
    for tag in ("surface", "friction", "ode", "mu"):
        node = None if node is None else node.first(tag)
    return {} if node is None else {"friction": node.text}


def _scale(said: dict[str, str]) -> dict[str, str]:
    return {"scale": said["scale"]} if "scale" in said else {}


def _address(uri: str) -> str:
    scheme, apart, rest = uri.partition("://")
    return f"{_UNLIKE.get(scheme, scheme)}{apart}{rest}"


def _origin(pose: Pose) -> dict[str, str]:
    R = pose.R
    roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    return {
        "xyz": " ".join(repr(float(part)) for part in pose.p),
        "rpy": f"{roll!r} {pitch!r} {yaw!r}",
    }
