"""How links of a URDF file look: boxes, spheres and cylinders of <visual>, else of <collision>."""

from collections.abc import Callable

from touchback.errors import ModelError
from touchback.interop.urdf_joints import Robot, origin
from touchback.interop.xml_file import Node
from touchback.model.frame import frame_at
from touchback.model.solids import AnySolid, Box, Cylinder, Sphere

_READ: dict[str, Callable[[Node], AnySolid]] = {
    "box": lambda node: Box(node.triple("size", (0.0, 0.0, 0.0))),
    "sphere": lambda node: Sphere(node.number("radius", 0.0)),
    "cylinder": lambda node: Cylinder(node.number("radius", 0.0), node.number("length", 0.0)),
}


def add_shapes(robot: Robot, link: str, node: Node) -> None:
    """The shapes of a link: what is to be seen, or where nothing is, what is to be touched. What
    can't be read (meshes) is counted among the notes."""
    for tag in ("visual", "collision"):
        if any([_add_shape(robot, link, child) for child in node.all(tag)]):
            break
    for child in node.children:
        if child.tag in ("visual", "collision") and _geometry(child) is None:
            robot.notes.skip(child.tag)


def _geometry(shown: Node) -> Node | None:
    """The primitive of a <visual> or <collision>, if it has one."""
    geometry = shown.first("geometry")
    kinds = () if geometry is None else geometry.children
    return next((each for each in kinds if each.tag in _READ), None)


def _add_shape(robot: Robot, link: str, shown: Node) -> bool:
    given = _geometry(shown)
    if given is None:
        return False
    solid = _READ[given.tag](given)
    sizes = [float(x) for x in given.attributes.get("size", "1").split()]
    sizes += [given.number(word, 1.0) for word in ("radius", "length")]
    if min(sizes) <= 0.0 or not given.attributes:
        raise ModelError(
            f"{given.where}: <{given.tag}> of link {link!r} has the sizes {given.attributes}; "
            "they must be positive."
        )
    xyz, (roll, pitch, yaw) = origin(shown)
    turns = [(axis, angle) for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)) if angle]
    body = robot.links[link]
    name, count = body, 2
    while name in robot.model.shapes:
        name, count = f"{body} {count}", count + 1
    robot.model.shape(name, frame_at(body, *xyz, turns), solid)
    return True
