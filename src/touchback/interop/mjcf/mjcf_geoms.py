"""The <geom>s of MJCF: what bodies weigh, their visuals, and their contacts by MuJoCo's rules of
which pairs collide and how rough they are. Contacts are rigid here; MuJoCo's give way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.interop.collision_geometry import VISUALS, CollisionShape, add_contacts_between
from touchback.interop.imported_bodies import colour_of, is_transparent
from touchback.interop.meshes.mesh_file import DRAWN, coarse_mesh, read_triangles
from touchback.interop.meshes.mesh_paths import NoMesh
from touchback.interop.meshes.solid_inertia import NOTHING, Inertia, of_triangles, solid
from touchback.interop.mjcf.mjcf_document import TRUTH, Document, truth
from touchback.interop.mjcf.mjcf_import_state import Robot, Shape, Triangles
from touchback.interop.mjcf.mjcf_pose import read_line, read_pose
from touchback.interop.rigid_pose import Floats, Pose, of_quaternion
from touchback.interop.xml_file import Node
from touchback.model import AnySeen

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


_LARGEST = 1e50  # of sizes and masses, so that moments are numbers


_FLAT = ("plane", "hfield")


_WAYS = ("legacy", "exact", "convex", "shell")


_KNOWN = (
    "name", "class", "type", "size", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler",
    "fromto", "mass", "density", "mesh", "hfield", "contype", "conaffinity", "condim", "friction",
    "solref", "solimp", "solmix", "margin", "gap", "priority", "group", "rgba", "material", "user",
    "shellinertia", "fitscale", "fluidshape", "fluidcoef",
)  # fmt: skip


def read_geom(robot: Robot, node: Node, body: str, within: Pose, childclass: str) -> Shape:
    """One of them, placed on a body of ours."""
    node = robot.document.inherited(node, "geom", childclass)
    robot.unread(node, _KNOWN)
    kind = node.attributes.get("type", "sphere")
    mesh = _mesh(robot, node, kind)
    if kind not in (*_SIZES, *_FLAT, "mesh"):
        robot.notes.notice(f"{node.where}: <geom type={kind!r}> is not read.")
        kind = "plane"
    pose, size = _place(robot, node, kind, mesh)
    if node.attributes.get("fluidshape", "none") != "none":
        robot.ellipsoids.add(body)
        robot.notes.notice(
            f"{node.where}: <geom fluidshape>: the fluid's forces on this ellipsoid are not read."
        )
    name = robot.new_name("Geom", node.attributes.get("name", ""), body, robot.geoms)
    robot.geoms.add(name)
    shape = Shape(name, body, within @ pose, kind, size, node, NOTHING, mesh)
    shape.inertia = _weight(robot, shape).placed(shape.pose)
    robot.shapes.append(shape)
    return shape


def _place(
    robot: Robot, node: Node, kind: str, mesh: Triangles | None
) -> tuple[Pose, tuple[float, ...]]:
    sizes = node.all_numbers("size")
    if kind in _SIZES and mesh is not None:
        robot.notes.notice(
            f"{node.where}: <geom type={kind!r} mesh=…>: a {kind} fitted to a mesh is not read; it "
            "has no size and no mass here."
        )
        return read_pose(node, robot.settings.angles), (0.0,) * _SIZES[kind]
    if kind not in _SIZES:
        return read_pose(node, robot.settings.angles), sizes
    if "fromto" in node.attributes and kind in ("capsule", "cylinder", "box", "ellipsoid"):
        pose, half = read_line(node)
        sizes = (*((sizes[0],) if sizes else ()), half)
        if kind in ("box", "ellipsoid"):
            sizes = (sizes[0], *sizes)
    else:
        pose = read_pose(node, robot.settings.angles)
    count = _SIZES[kind]
    if len(sizes) < count or not 1.0 / _LARGEST <= min(sizes[:count]) <= max(sizes) <= _LARGEST:
        raise ModelError(
            f"{node.where}: <geom type={kind!r}>: {count} positive sizes are expected, got "
            f"{node.attributes.get('size', 'none')!r}."
        )
    return pose, sizes[:count]


def _weight(robot: Robot, shape: Shape) -> Inertia:
    """Mass and moments about the geom's own frame."""
    node = shape.node
    for word in ("mass", "density"):
        given = node.number(word, 0.0)
        if given != 0.0 and not 1.0 / _LARGEST <= given <= _LARGEST:
            raise ModelError(
                f"{node.where}: <geom {word}={node.attributes[word]!r}>: 0, or "
                f"{1.0 / _LARGEST:g} to {_LARGEST:g}, is expected."
            )
    low, high = robot.settings.inertia_groups
    if not low <= node.number("group", 0.0) <= high or shape.kind in _FLAT:
        return NOTHING
    if shape.kind == "mesh":
        if shape.mesh is None:
            return NOTHING
        unit = of_triangles(shape.mesh.points, shape.mesh.triangles, shape.mesh.weighs)
    else:
        unit = solid(shape.kind, shape.size)
    if unit.mass <= 0.0:
        return NOTHING
    if truth(node, "shellinertia", TRUTH, False):
        robot.notes.notice(f"{node.where}: <geom shellinertia>: it weighs like a solid here.")
    if "mass" in node.attributes:
        return unit.scaled(node.number("mass", 0.0) / unit.mass)
    return unit.scaled(node.number("density", 1000.0))


# ---- meshes -------------------------------------------------------------------------------------


def _mesh(robot: Robot, node: Node, kind: str) -> Triangles | None:
    if "mesh" not in node.attributes or kind in _FLAT:
        return None
    name = node.attributes["mesh"]
    if name not in robot.meshes:
        raise ModelError(f"{node.where}: <geom>: there is no mesh {name!r} among the assets.")
    return robot.meshes[name]


def read_meshes(document: Document, robot: Robot) -> None:
    """All <mesh> assets by name; None for those that can't be had."""
    for node in document.section("asset").children:
        if node.tag != "mesh":
            continue
        node = document.inherited(node, "mesh")
        called = node.attributes.get("file", "")
        stem = called.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
        name = node.attributes.get("name") or stem
        robot.unread(node, _MESH)
        robot.meshes[name] = _loaded(robot, node, called)


_MESH = (
    "name", "class", "file", "scale", "refpos", "refquat", "inertia", "content_type",
    "vertex", "face", "smoothnormal", "maxhullvert", "octree_maxdepth", "material",
)  # fmt: skip


def _loaded(robot: Robot, node: Node, called: str) -> Triangles | None:
    try:
        points, triangles = _points(robot, node, called)
    except (NoMesh, InputError, ModelError) as lack:
        text = str(lack).rstrip(".")
        robot.notes.notice(f"{node.where}: {text}. What has this mesh has no shape and no mass.")
        return None
    R = of_quaternion(node.numbers("refquat", (1.0, 0.0, 0.0, 0.0)))
    scale = node.triple("scale", (1.0, 1.0, 1.0))
    points = (points - node.triple("refpos", (0.0, 0.0, 0.0))) @ R * scale
    if scale[0] * scale[1] * scale[2] < 0.0:
        triangles = triangles[:, ::-1]
    way = node.attributes.get("inertia", "legacy")
    if way not in _WAYS:
        raise ModelError(f"{node.where}: <mesh inertia={way!r}>: known are {', '.join(_WAYS)}.")
    if way == "convex":
        robot.notes.notice(
            f"{node.where}: <mesh inertia='convex'>: it weighs as it is, not as its hull."
        )
        way = "exact"
    return Triangles(points, triangles, way)


def _points(robot: Robot, node: Node, called: str) -> tuple[Floats, np.ndarray]:
    """From the file, or from the element itself."""
    if called:
        folder = robot.settings.mesh_folder.rstrip("/")
        return read_triangles(
            robot.document.places.find(f"{folder}/{called}" if folder else called)
        )
    places, faces = np.array(node.all_numbers("vertex")), np.array(node.all_numbers("face"))
    if not len(places) or not len(faces) or len(places) % 3 or len(faces) % 3:
        raise NoMesh("a mesh without a file needs vertices and faces, three numbers each")
    triangles = faces.astype(np.int64).reshape(-1, 3)
    if triangles.min() < 0 or triangles.max() >= len(places) // 3:
        raise NoMesh("a face of the mesh has a vertex that it doesn't have")
    return places.reshape(-1, 3), triangles


_HIDDEN = 3.0  # groups from here on are of collision geometry, and not drawn beside others


# ---- how they look ------------------------------------------------------------------------------


def add_visuals(robot: Robot, with_meshes: bool) -> None:
    """Shapes of the bodies, and of what stands on the ground."""
    meshes = sum(1 for shape in robot.shapes if shape.mesh is not None)
    most = min(DRAWN, max(500, 150_000 // max(meshes, 1)))
    colours = _materials(robot)
    drawn = [shape for shape in robot.shapes if shape.node.number("group", 0.0) < _HIDDEN]
    for shape in drawn or robot.shapes:
        words = shape.node.attributes
        rgba = words.get("rgba") or colours.get(words.get("material", ""), "")
        seen = _look(shape, most) if with_meshes or shape.kind != "mesh" else None
        if seen is not None and not is_transparent(rgba):
            place = shape.pose.frame(shape.body)
            robot.model.shape(shape.name, place, seen, colour_of(rgba))


def _materials(robot: Robot) -> dict[str, str]:
    """Colours of materials by name, as the file writes them."""
    return {
        node.attributes.get("name", ""): robot.document.inherited(node, "material").attributes.get(
            "rgba", ""
        )
        for node in robot.document.section("asset").all("material")
    }


def _look(shape: Shape, most: int) -> AnySeen | None:
    if shape.mesh is not None and shape.kind == "mesh":
        if shape.mesh.drawn is None:
            shape.mesh.drawn = coarse_mesh(shape.mesh.points, shape.mesh.triangles, most)
        return shape.mesh.drawn
    if shape.kind in VISUALS and min(shape.size) > 0.0:
        return VISUALS[shape.kind](*shape.size)
    return None


_MEND = "leave them out by contacts=False, or let contype and conaffinity say which ones do"


@dataclass
class _Geom(CollisionShape):
    """With what MuJoCo asks of a pair."""

    bits: tuple[int, int] = (1, 1)  # contype and conaffinity
    priority: float = 0.0
    directions: float = 3.0  # condim

    def may_touch(self, other: CollisionShape) -> bool:
        """Whether bits match."""
        if not isinstance(other, _Geom):
            return True
        return bool(self.bits[0] & other.bits[1] or other.bits[0] & self.bits[1])

    def friction_with(self, other: CollisionShape) -> float:
        """The larger of both, or that of the geom with priority; none without tangents."""
        asked = [each for each in (self, other) if isinstance(each, _Geom)]
        rank = max(each.priority for each in asked)
        asked = [each for each in asked if each.priority == rank]
        if max(each.directions for each in asked) < 3.0:
            return 0.0
        return max(each.friction for each in asked)


def add_contacts(robot: Robot) -> None:
    """Contacts of all pairs that may touch and that there is a kind for; others are counted."""
    if not robot.settings.contacts:
        return
    excluded = _excluded(robot)
    add_contacts_between(
        robot.model,
        [_geom(shape) for shape in robot.shapes],
        robot.carriers,
        robot.notes,
        _MEND,
        lambda one, two: frozenset((one.body, two.body)) in excluded,
    )
    for node in robot.document.section("contact").all("pair"):
        robot.notes.skip(f"contact {node.tag}")


def _geom(shape: Shape) -> _Geom:
    node = shape.node
    return _Geom(
        shape.name,
        shape.body,
        shape.pose,
        shape.kind if shape.kind != "mesh" or shape.mesh else "none",
        shape.size,
        node.where,
        (*node.all_numbers("friction"), 1.0)[0],
        shape.mesh.points if shape.mesh and shape.kind == "mesh" else None,
        (int(node.number("contype", 1.0)), int(node.number("conaffinity", 1.0))),
        node.number("priority", 0.0),
        node.number("condim", 3.0),
    )


def _excluded(robot: Robot) -> set[frozenset[str]]:
    def ours(node: Node) -> frozenset[str]:
        return frozenset(robot.bodies.get(node.attribute(word), "") for word in ("body1", "body2"))

    return {ours(node) for node in robot.document.section("contact").all("exclude")}
