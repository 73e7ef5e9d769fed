"""The geometry of links of URDF and SDF: visuals (boxes, spheres, cylinders, capsules and meshes of
<visual>, else of <collision>), and collision shapes of <collision>."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from touchback import Box, Capsule, Cylinder, Sphere
from touchback.errors import InputError, ModelError
from touchback.interop.collision_geometry import (
    PLANE,
    CollisionShape,
    add_contacts_between,
    farthest,
)
from touchback.interop.import_notes import unused
from touchback.interop.imported_bodies import colour_of
from touchback.interop.meshes.mesh_file import MESH_ENDINGS, read_mesh, read_triangles
from touchback.interop.meshes.mesh_paths import NoMesh
from touchback.interop.rigid_pose import HERE, Floats, Pose, at, to_z
from touchback.interop.urdf.urdf_joints import ZERO, Robot, origin, rotation
from touchback.interop.xml_file import Node
from touchback.model import GROUND, AnySeen, frame_at
from touchback.numbers import is_real

_READ: dict[str, Callable[[Node], AnySeen]] = {
    "box": lambda node: Box(node.triple("size", (0.0, 0.0, 0.0))),
    "sphere": lambda node: Sphere(node.number("radius", 0.0)),
    "cylinder": lambda node: Cylinder(node.number("radius", 0.0), node.number("length", 0.0)),
    "capsule": lambda node: Capsule(node.number("radius", 0.0), node.number("length", 0.0)),
}


def add_shapes(robot: Robot, link: str, node: Node) -> None:
    """The shapes of a link: what is to be seen, or where nothing is, what is to be touched. What
    can't be read is counted among the notes; a mesh that can't be had is noticed."""
    for tag in ("visual", "collision"):
        if any([_add_shape(robot, link, child) for child in node.all(tag)]):
            break
    for child in node.children:
        if child.tag in ("visual", "collision"):
            given = geometry_of(child)
            if given is None or (given.tag == "mesh" and robot.meshes is None):
                robot.notes.skip(child.tag)


def count_meshes(links: Iterable[Node]) -> int:
    """How many meshes are to be drawn."""
    shown = (child for node in links for child in node.all("visual"))
    return sum(1 for child in shown if (given := geometry_of(child)) and given.tag == "mesh")


def geometry_of(shown: Node) -> Node | None:
    """The primitive, mesh or plane of a <visual> or <collision>, if it has one."""
    geometry = shown.first("geometry")
    kinds = () if geometry is None else geometry.children
    return next((each for each in kinds if each.tag in (*_READ, "mesh", PLANE)), None)


def _add_shape(robot: Robot, link: str, shown: Node) -> bool:
    given = geometry_of(shown)
    if given is None or given.tag == PLANE:
        return False
    solid = _mesh(robot, link, given) if given.tag == "mesh" else primitive(link, given)
    if solid is None:
        return False
    xyz, (roll, pitch, yaw) = origin(shown)
    turns = [(axis, angle) for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)) if angle]
    body = robot.links[link]
    name, place = unused(body, robot.model.shapes), frame_at(body, *xyz, turns)
    robot.model.shape(name, place, solid, colour_of(_rgba(robot, shown)))
    return True


def _rgba(robot: Robot, shown: Node) -> str:
    """The colour of its material: its own, or that of a material of this name elsewhere."""
    material = shown.first("material")
    if material is None:
        return ""
    own = material.first("color")
    if own is not None:
        return own.attributes.get("rgba", "")
    return robot.colours.get(material.attributes.get("name", ""), "")


def read_materials(robot: Robot, file: Node, links: Iterable[Node]) -> None:
    """The colours of materials by name, of the robot and of its links."""
    nodes = [*file.all("material")]
    nodes += [
        each for link in links for shown in link.all("visual") for each in shown.all("material")
    ]
    for node in nodes:
        colour = node.first("color")
        if colour is not None:
            robot.colours.setdefault(
                node.attributes.get("name", ""), colour.attributes.get("rgba", "")
            )


def primitive(link: str, given: Node) -> AnySeen:
    """A solid with the sizes of an element, which must be positive."""
    sizes = list(given.triple("size", (1.0, 1.0, 1.0)))
    sizes += [given.number(word, 1.0) for word in ("radius", "length")]
    if min(sizes) <= 0.0 or not given.attributes:
        raise ModelError(
            f"{given.where}: <{given.tag}> of link {link!r} has the sizes {given.attributes}; "
            "they must be positive."
        )
    return _READ[given.tag](given)


def _mesh(robot: Robot, link: str, given: Node) -> AnySeen | None:
    """None where there is none to be had: the link is drawn by what else is known of it."""
    if robot.meshes is None:
        return None
    called = given.attribute("filename").strip()
    scale = given.triple("scale", (1.0, 1.0, 1.0))
    known = robot.known.get((called, scale))
    if known is not None:
        return known
    try:
        if not called.lower().endswith(MESH_ENDINGS):
            raise NoMesh(f"mesh '{called}' is no {', '.join(MESH_ENDINGS)}")
        mesh = read_mesh(robot.meshes.find(called), scale, robot.drawn)
    except (NoMesh, InputError) as lack:
        text = str(lack).rstrip(".")
        robot.notes.notice(f"{given.where}: link {link!r}: {text}. It is drawn without this mesh.")
        return None
    except ModelError as error:
        raise ModelError(
            f"{given.where}: link {link!r}: {error} Or read the robot with meshes=False."
        ) from error
    robot.known[called, scale] = mesh
    return mesh


NOWHERE = "none"  # a shape that nothing is known of


_UP = (0.0, 0.0, 1.0)


def add_collision_shape(
    robot: Robot, link: str, shown: Node, friction: float
) -> CollisionShape | None:
    """What of a link touches by a <collision>, if its shape is known at all."""
    given = geometry_of(shown)
    if given is None:
        return None
    if not friction >= 0.0:
        raise ModelError(
            f"{shown.where}: the friction of link {link!r} is {friction}; it must not be negative."
        )
    body = robot.links[link]
    xyz, rpy = origin(shown)
    name = unused(body, {each.name for each in robot.touching})
    pose = at(xyz, rotation(rpy))
    found = CollisionShape(name, body, pose, given.tag, (), given.where, friction)
    if given.tag == "mesh":
        found.points = _hull(robot, link, given)
        found.kind = given.tag if found.points is not None else NOWHERE
    elif given.tag == PLANE:
        found.pose = pose @ _facing(given)
    else:
        primitive(link, given)
        found.size = _halves(given)
    robot.touching.append(found)
    return found


def add_link_contacts(
    robot: Robot,
    apart: Callable[[CollisionShape, CollisionShape], bool],
    mend: str = "contacts=False",
) -> None:
    """Contacts of all that was added."""
    add_contacts_between(
        robot.model,
        robot.touching,
        {joint.child.body: joint.parent.body for joint in robot.model.joints.values()},
        robot.notes,
        f"read the model with {mend}, or give it fewer <collision> shapes",
        apart,
    )


def floor_at(height: float, source: str) -> CollisionShape:
    """A level floor, which has no friction of its own beside that of what touches it."""
    if not is_real(height) or not math.isfinite(height):
        raise ModelError(f"{source}: floor={height!r} is no height; give metres, as floor=0.0.")
    return CollisionShape("floor", GROUND, at((0.0, 0.0, height)), PLANE, (), source, 0.0)


def friction_of(file: Node, link: str, node: Node) -> float:
    """As two simulators extend URDF: <lateral_friction> in the link, <mu1> in a <gazebo> of it."""
    own = node.first("contact")
    rough = None if own is None else own.first("lateral_friction")
    if rough is not None:
        return rough.number("value", 1.0)
    about = (each for each in file.all("gazebo") if each.attributes.get("reference") == link)
    return next((each.child_number("mu1") for each in about if each.first("mu1")), 1.0)


def _facing(plane: Node) -> Pose:
    normal = np.array(plane.triple("normal", _UP))
    if np.linalg.norm(normal) == 0.0:
        raise ModelError(f"{plane.where}: <plane>: its normal is 0 0 0; give it a direction.")
    return Pose(HERE.p, to_z(normal))


def _halves(given: Node) -> tuple[float, ...]:
    if given.tag == "box":
        return tuple(0.5 * side for side in given.triple("size", ZERO))
    return given.number("radius", 0.0), 0.5 * given.number("length", 0.0)


def _hull(robot: Robot, link: str, given: Node) -> Floats | None:
    """The farthest points of a mesh; None where it can't be had."""
    if robot.meshes is None:
        robot.notes.skip("collision mesh")
        return None
    called, scale = given.attribute("filename").strip(), given.triple("scale", (1.0, 1.0, 1.0))
    if (called, scale) not in robot.hulls:
        try:
            points, triangles = read_triangles(robot.meshes.find(called), scale)
        except (NoMesh, InputError, ModelError) as lack:
            text = str(lack).rstrip(".")
            robot.notes.notice(f"{given.where}: link {link!r}: {text}. This mesh touches nothing.")
            return None
        robot.hulls[called, scale] = np.array(farthest(points[np.unique(triangles)]))
    return robot.hulls[called, scale]
