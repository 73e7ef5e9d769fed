"""What touches in URDF and SDF: the <collision> shapes of links."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.interop.mesh_file import read_triangles
from touchback.interop.mesh_places import NoMesh
from touchback.interop.naming import unused
from touchback.interop.pose import HERE, Floats, Pose, at, to_z
from touchback.interop.touching import PLANE, Touchable, farthest, touch
from touchback.interop.urdf_joints import ZERO, Robot, origin, rotation
from touchback.interop.urdf_shapes import geometry_of, primitive
from touchback.interop.xml_file import Node
from touchback.model.frame import GROUND
from touchback.numbers import is_real

NOWHERE = "none"  # a shape that nothing is known of
_UP = (0.0, 0.0, 1.0)


def add_touching(robot: Robot, link: str, shown: Node, friction: float) -> Touchable | None:
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
    found = Touchable(name, body, pose, given.tag, (), given.where, friction)
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


def touch_links(
    robot: Robot, apart: Callable[[Touchable, Touchable], bool], mend: str = "contacts=False"
) -> None:
    """Contacts of all that was added."""
    touch(
        robot.model,
        robot.touching,
        {joint.child.body: joint.parent.body for joint in robot.model.joints.values()},
        robot.notes,
        f"read the model with {mend}, or give it fewer <collision> shapes",
        apart,
    )


def floor_at(height: float, source: str) -> Touchable:
    """A level floor, which has no friction of its own beside that of what touches it."""
    if not is_real(height) or not math.isfinite(height):
        raise ModelError(f"{source}: floor={height!r} is no height; give metres, as floor=0.0.")
    return Touchable("floor", GROUND, at((0.0, 0.0, height)), PLANE, (), source, 0.0)


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
    length = float(np.linalg.norm(normal))
    if length == 0.0:
        raise ModelError(f"{plane.where}: <plane>: its normal is 0 0 0; give it a direction.")
    return Pose(HERE.p, to_z(normal / length))


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
