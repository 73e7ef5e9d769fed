"""URDF: the robot descriptions of ROS (http://wiki.ros.org/urdf/XML)."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from touchback import Fixed, Free, Model
from touchback.errors import ModelError
from touchback.interop.collision_geometry import PLANE
from touchback.interop.import_notes import Notes, safe_names, unused
from touchback.interop.imported_bodies import add_body
from touchback.interop.meshes.mesh_file import DRAWN
from touchback.interop.meshes.mesh_paths import MeshPaths
from touchback.interop.urdf.urdf_geometry import (
    add_collision_shape,
    add_link_contacts,
    add_shapes,
    count_meshes,
    floor_at,
    friction_of,
    read_materials,
)
from touchback.interop.urdf.urdf_joints import Robot, add_joint, couple_mimics, origin, rotation
from touchback.interop.xml_file import Node, is_text, read_xml
from touchback.model import GROUND

ROOT_JOINT = "root"


_TRIANGLES, _LEAST = 150_000, 500  # of all meshes together, and that each of them may have


def read_urdf(
    path_or_text: str | os.PathLike[str],
    floating_base: bool = False,
    mimic: bool = True,
    stops: bool = True,
    meshes: bool = True,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    contacts: bool = False,
    floor: float | None = None,
) -> Model:
    """The model of a URDF file (or of its text).

    Links become bodies, which look like the boxes, spheres, cylinders, capsules and meshes (.stl,
    .obj, .dae; extra `formats`) of their <visual>, else <collision>; with `meshes=False` no mesh is
    read. Mesh files are looked for in the folder of the file or its package; `packages` has folders
    of others by name. Where one is missing, the body is drawn from its inertia.

    Joints keep their names and the file's order, which is the order of coordinates. The root link
    is fixed to the ground, or moves freely with `floating_base` (by a joint "root", whose
    coordinates come first). Gravity is (0, 0, −9.81). Joints that mimic others are coupled to them
    as by gears; with `mimic=False` they move freely. Default stops hold joints at their limits;
    with `stops=False` nothing does.

    With `floor`, a height [m], the <collision> shapes touch a level floor, and with `contacts` each
    other, where there is a contact for them: spheres, capsules, boxes and hulls of meshes the
    floor, and spheres each other. Coulomb's friction is that of <lateral_friction> or <mu1>, or 1.

    `model.imported` has what the file says besides: "notes" in words, "mimic" joints, "ratings"
    (effort and velocity limits)."""
    file = read_xml(path_or_text, "robot", "URDF")
    notes = Notes()
    links, joints = _by_name(file, "link"), _by_name(file, "joint")
    root = root_link(file, links, joints)
    for child in file.children:
        if child.tag.startswith("xacro:"):
            raise ModelError(
                f"{child.where}: <{child.tag}> is a macro; expand the file first: "
                "`xacro robot.xacro > robot.urdf`."
            )
        if child.tag not in ("link", "joint", "material"):
            notes.skip(child.tag)
    name = file.attributes.get("name", "").strip() or "robot"
    robot = Robot(
        Model(safe_names("Robot", [name], notes)[name]),
        notes,
        safe_names("Link", links, notes, taken=[GROUND]),
        safe_names("Joint", joints, notes),
        mimic,
        stops,
        meshes=MeshPaths(folder_of(path_or_text), packages) if meshes else None,
        drawn=triangles_each(links.values()),
    )
    read_materials(robot, file, links.values())
    for original, node in links.items():
        _add_link(robot, original, node)
        if contacts or floor is not None:
            for shown in node.all("collision"):
                add_collision_shape(robot, original, shown, friction_of(file, original, node))
    if root is None:
        notes.notice("The robot has no links.")
    else:
        base = unused(ROOT_JOINT, robot.joints.values())
        robot.model.joint(base, Free() if floating_base else Fixed(), GROUND, robot.links[root])
    for original, node in joints.items():
        add_joint(robot, original, node)
    if mimic:
        couple_mimics(robot)
    if floor is not None:
        robot.touching.insert(0, floor_at(floor, file.source))
    add_link_contacts(robot, lambda one, two: not contacts and PLANE not in (one.kind, two.kind))
    if floor is not None and not robot.model.contacts:
        notes.notice(
            f"Nothing touches the floor at {floor} m: <collision> shapes of links that move do; "
            "floating_base=True lets the base move."
        )
    notes.finish(robot.model, "URDF", file.source, mimic=robot.mimics, ratings=robot.ratings)
    return robot.model


def triangles_each(links: Iterable[Node]) -> int:
    """How many of a mesh may be drawn where all these links have some."""
    return min(DRAWN, max(_LEAST, _TRIANGLES // max(count_meshes(links), 1)))


def folder_of(path_or_text: str | os.PathLike[str]) -> Path | None:
    """Where a file lies; a text lies nowhere."""
    return None if is_text(path_or_text) else Path(path_or_text).parent


def _by_name(file: Node, tag: str) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in file.all(tag):
        name = node.attribute("name")
        if name in found:
            raise ModelError(
                f"{node.where}: there is a {tag} {name!r} already, in line {found[name].line}; "
                "rename one."
            )
        found[name] = node
    return found


def _add_link(robot: Robot, original: str, node: Node) -> None:
    for child in node.children:
        if child.tag not in ("inertial", "visual", "collision"):
            robot.notes.skip(child.tag)
    _add_inertia(robot, original, node)
    add_shapes(robot, original, node)


def _add_inertia(robot: Robot, original: str, node: Node) -> None:
    inertial = node.first("inertial")
    if inertial is None:
        robot.model.body(robot.links[original])
        return
    mass = inertial.first("mass")
    if mass is None:
        raise ModelError(f"{inertial.where}: link {original!r}: <inertial> needs <mass value=…/>.")
    mass.attribute("value")
    xyz, rpy = origin(inertial)
    R = rotation(rpy)
    J = R @ _tensor(inertial) @ R.T
    add_body(
        robot.model,
        robot.links[original],
        mass.number("value", 0.0),
        xyz,
        [float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
        inertial.where,
        robot.notes,
    )


def _tensor(inertial: Node) -> np.ndarray:
    node = inertial.first("inertia")
    if node is None:
        return np.zeros((3, 3))
    xx, yy, zz, xy, xz, yz = (
        node.number(f"i{which}", 0.0) for which in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def root_link(robot: Node, links: Mapping[str, Node], joints: Mapping[str, Node]) -> str | None:
    """The one link that no joint carries (None without links); refuses what is not a tree."""
    carrier: dict[str, str] = {}
    below: dict[str, list[str]] = {name: [] for name in links}
    for name, node in joints.items():
        parent, child = (_known_end(name, node, side, links) for side in ("parent", "child"))
        if child in carrier:
            raise ModelError(
                f"{node.where}: joint {name!r}: link {child!r} is already carried by joint "
                f"{carrier[child]!r}. URDF describes trees; remove one of the two."
            )
        carrier[child] = name
        below[parent].append(child)
    if not links:
        return None
    roots = [name for name in links if name not in carrier]
    if len(roots) > 1:
        raise ModelError(
            f"{robot.where}: {len(roots)} links are carried by no joint: {_listed(roots)}. "
            "A robot has one root link; join the others to it."
        )
    reached = set(roots)
    ahead = list(roots)
    while ahead:
        children = below[ahead.pop()]
        reached.update(children)
        ahead.extend(children)
    lost = [name for name in links if name not in reached]
    if lost:
        raise ModelError(
            f"{links[lost[0]].where}: links {_listed(lost)} carry each other in a circle (joint "
            f"{carrier[lost[0]]!r}); one link of it must be carried from the root or by no joint."
        )
    return roots[0]


def _known_end(name: str, node: Node, side: str, links: Mapping[str, Node]) -> str:
    element = node.first(side)
    if element is None:
        raise ModelError(f"{node.where}: joint {name!r} needs <{side} link=…/>.")
    link = element.attribute("link")
    if link not in links:
        raise ModelError(
            f"{element.where}: joint {name!r}: its {side} link {link!r} is not in the file; add "
            f"<link name={link!r}/> or correct the name."
        )
    return link


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
