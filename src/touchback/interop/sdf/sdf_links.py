"""The links of SDF: what they weigh, and their visuals.

A link may leave its inertia to the reader: auto="true". A collision weighs by its <density>
[kg/m³], else by that of <inertial>, else by 1000, as water; a <mass> of <inertial> scales the whole
(SDFormat 1.11, http://sdformat.org/spec?elem=inertial)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.interop.collision_geometry import CollisionShape
from touchback.interop.imported_bodies import add_body
from touchback.interop.meshes.mesh_file import read_triangles
from touchback.interop.meshes.mesh_paths import NoMesh
from touchback.interop.meshes.solid_inertia import (
    NOTHING,
    Inertia,
    combine_inertias,
    of_triangles,
    solid,
)
from touchback.interop.rigid_pose import Pose
from touchback.interop.sdf.sdf_poses import pose_of, seen_from
from touchback.interop.urdf.urdf_geometry import add_collision_shape, add_shapes
from touchback.interop.urdf.urdf_joints import Robot
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
class Rough(CollisionShape):
    """Which model a link is part of, and whether this one's links touch each other; the smaller
    friction of two counts, as in Gazebo."""

    model: str = ""
    itself: bool = False

    def friction_with(self, other: CollisionShape) -> float:
        return min(self.friction, other.friction)

    def may_touch(self, other: CollisionShape) -> bool:
        return self.itself or not isinstance(other, Rough) or self.model != other.model


def add_rough(robot: Robot, name: str, node: Node, model: str, itself: bool) -> None:
    """What of a link touches."""
    for shown in as_urdf(node).all("collision"):
        found = add_collision_shape(robot, name, shown, shown.number("friction", 1.0))
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


_WATER = 1000.0


def collision_inertia(robot: Robot, name: str, link: Node, inertial: Node) -> Inertia:
    """Of all collisions of a link that stand in its own frame, in its axes."""
    usual = inertial.child_number("density", _WATER)
    parts = []
    for collision in link.all("collision"):
        geometry = collision.first("geometry")
        if geometry is None or seen_from(collision, "", ""):
            continue
        density = collision.child_number("density", usual)
        if not 0.0 < density < float("inf"):
            raise ModelError(
                f"{collision.where}: link {name!r}: the density is {density:g}; a positive one is "
                "expected [kg/m³]."
            )
        for kind in geometry.children:
            own = _mesh(robot, name, kind) if kind.tag == "mesh" else _primitive(kind)
            parts.append(own.scaled(density).placed(pose_of(collision)))
    whole = combine_inertias(parts)
    mass = inertial.child_number("mass", 0.0)
    return whole.scaled(mass / whole.mass) if mass > 0.0 and whole.mass > 0.0 else whole


def _primitive(kind: Node) -> Inertia:
    """Of density 1; planes and others weigh nothing."""
    if kind.tag == "box":
        return solid("box", tuple(0.5 * x for x in _numbers(kind, "size")))
    if kind.tag == "ellipsoid":
        return solid("ellipsoid", _numbers(kind, "radii"))
    if kind.tag == "sphere":
        return solid("sphere", (kind.child_number("radius", 1.0),))
    if kind.tag in ("cylinder", "capsule"):
        half = 0.5 * kind.child_number("length", 1.0)
        return solid(kind.tag, (kind.child_number("radius", 0.5), half))
    return NOTHING


def _numbers(kind: Node, tag: str) -> tuple[float, float, float]:
    given = kind.first(tag)
    words = "1 1 1" if given is None else given.text
    try:
        x, y, z = (float(word) for word in words.split())
    except ValueError:
        raise ModelError(f"{kind.where}: <{tag}> has three numbers, got {words!r}.") from None
    return x, y, z


def _mesh(robot: Robot, name: str, kind: Node) -> Inertia:
    """Of density 1; a mesh that encloses no solid is warned of."""
    from touchback.interop.meshes.mesh_inertia import mesh_faults

    uri = kind.first("uri")
    called = "" if uri is None else uri.text.strip().replace("model://", "package://")
    scale = _numbers(kind, "scale")
    try:
        if robot.meshes is None:
            raise NoMesh("meshes are not read")
        points, triangles = read_triangles(robot.meshes.find(called), scale)
    except (NoMesh, InputError) as lack:
        text = str(lack).rstrip(".")
        robot.notes.notice(f"{kind.where}: link {name!r}: {text}. It weighs nothing.")
        return NOTHING
    faults = mesh_faults(points, triangles)
    if faults is not None and faults.matters:
        robot.notes.notice(
            f"{kind.where}: mesh '{called}' of link {name!r} weighs as a solid, but {faults}. "
            "Repair it, or write mass and moments into <inertial>."
        )
    return of_triangles(points, triangles, "exact")
