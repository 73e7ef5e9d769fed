"""How links of a URDF file look: boxes, spheres, cylinders, capsules and meshes of <visual>, else
of <collision>."""

from collections.abc import Callable, Iterable

from touchback.errors import InputError, ModelError
from touchback.interop.mesh_file import MESH_ENDINGS, read_mesh
from touchback.interop.mesh_places import NoMesh
from touchback.interop.naming import unused
from touchback.interop.touching import PLANE
from touchback.interop.urdf_joints import Robot, origin
from touchback.interop.xml_file import Node
from touchback.model.frame import frame_at
from touchback.model.solids import AnySeen, Box, Capsule, Cylinder, Sphere

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
    robot.model.shape(unused(body, robot.model.shapes), frame_at(body, *xyz, turns), solid)
    return True


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
