"""The tree of MJCF: bodies in bodies, with their joints, geoms and sites."""

from __future__ import annotations

import numpy as np

from touchback import Body
from touchback.errors import ModelError
from touchback.interop.imported_bodies import add_body
from touchback.interop.meshes.solid_inertia import (
    NOTHING,
    ROUNDED_MOMENT,
    Inertia,
    combine_inertias,
)
from touchback.interop.mjcf.mjcf_document import Settings
from touchback.interop.mjcf.mjcf_geoms import read_geom
from touchback.interop.mjcf.mjcf_joints import hang
from touchback.interop.mjcf.mjcf_pose import read_line, read_pose
from touchback.interop.mjcf.mjcf_robot import WORLD, Robot
from touchback.interop.rigid_pose import HERE, Pose
from touchback.interop.xml_file import Node
from touchback.model.frame import GROUND
from touchback.model.value import number

_SEEN = ("camera", "light")  # nothing of them is felt


_READ = ("body", "frame", "joint", "freejoint", "geom", "site", "inertial")


_BODY = (
    "name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mocap",
    "gravcomp", "user", "sleep",
)  # fmt: skip


Placed = tuple[Node, Pose, str]  # an element, the <frame>s around it, and its class


def read_world(robot: Robot) -> None:
    """Everything in <worldbody>, and what is scaled as a whole."""
    robot.bodies[WORLD] = GROUND
    robot.poses[GROUND] = HERE
    world = robot.document.section("worldbody")
    elements = _elements(robot, world, HERE, world.attributes.get("childclass", ""))
    _geoms_and_sites(robot, GROUND, elements)
    _inner_bodies(robot, GROUND, elements)
    _scale(robot)


def _elements(robot: Robot, node: Node, within: Pose, childclass: str) -> list[Placed]:
    """The children of a body, those of its <frame>s among them."""
    found: list[Placed] = []
    for child in node.children:
        if child.tag == "frame":
            pose = within @ read_pose(child, robot.settings.angles)
            inner = child.attributes.get("childclass", childclass)
            found += _elements(robot, child, pose, inner)
        elif child.tag in _READ:
            found.append((child, within, childclass))
        elif child.tag not in _SEEN:
            robot.notes.notice(f"{child.where}: <{child.tag}> in a body is not read.")
    return found


def _geoms_and_sites(robot: Robot, body: str, elements: list[Placed]) -> Inertia:
    """Those of one body; what its geoms weigh."""
    weights = []
    for node, within, childclass in elements:
        if node.tag == "geom":
            weights.append(read_geom(robot, node, body, within, childclass).inertia)
        elif node.tag == "site":
            _site(robot, node, body, within, childclass)
    return combine_inertias(weights)


def _inner_bodies(robot: Robot, body: str, elements: list[Placed]) -> None:
    for node, within, childclass in elements:
        if node.tag == "body":
            _body(robot, node, body, within, childclass)


def _body(robot: Robot, node: Node, parent: str, within: Pose, childclass: str) -> None:
    robot.unread(node, _BODY)
    childclass = node.attributes.get("childclass", childclass)
    name = robot.body_name(node)
    pose = within @ read_pose(node, robot.settings.angles)
    robot.poses[name] = robot.poses[parent] @ pose
    robot.carriers[name] = parent
    elements = _elements(robot, node, HERE, childclass)
    _weigh(robot, node, name, _geoms_and_sites(robot, name, elements), elements)
    hang(robot, node, parent, name, pose, elements)
    if "gravcomp" in node.attributes:
        robot.lifted[name] = node.number("gravcomp", 0.0)
    if node.attributes.get("mocap") == "true":
        robot.notes.notice(
            f"{node.where}: body '{name}' is moved by motion capture in MuJoCo; here it stands."
        )
    _inner_bodies(robot, name, elements)


def _weigh(robot: Robot, node: Node, name: str, geoms: Inertia, elements: list[Placed]) -> None:
    """Add the body: as <inertial> says, or its geoms."""
    settings, found = robot.settings, NOTHING
    explicit = [(child, within) for child, within, _ in elements if child.tag == "inertial"]
    if explicit:
        found = read_inertial(explicit[0][0], settings).placed(explicit[0][1])
    from_geoms = settings.inertia_from_geoms
    if geoms.mass > 0.0 and (from_geoms or (from_geoms is None and not explicit)):
        found = geoms
        _note_faults(robot, name)
    found = bound_inertia(found, settings)
    J = found.J
    six = [float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    add_body(robot.model, name, found.mass, found.com.tolist(), six, node.where, robot.notes)


def _note_faults(robot: Robot, body: str) -> None:
    """Warn of meshes that enclose no solid, each once, where a body weighs what they do."""
    from touchback.interop.meshes.mesh_inertia import mesh_faults

    for shape in robot.shapes:
        mesh = shape.mesh
        if shape.body != body or mesh is None or mesh.weighed or shape.inertia.mass <= 0.0:
            continue
        mesh.weighed = True
        faults = mesh_faults(mesh.points, mesh.triangles, mesh.weighs)
        if faults is not None and faults.matters:
            robot.notes.notice(
                f"{shape.node.where}: mesh '{shape.node.attributes['mesh']}' weighs as a solid, "
                f"but {faults}. Repair it, give body '{body}' an <inertial>, or, if it is a "
                "sheet, <mesh inertia='shell'>."
            )


def _scale(robot: Robot) -> None:
    """All masses such that their sum is what the file asks for."""
    bodies = robot.model.bodies
    whole = sum(number("Mass", body.mass) for body in bodies.values())
    if robot.settings.total_mass <= 0.0 or whole <= 0.0:
        return
    factor = robot.settings.total_mass / whole
    for name, body in bodies.items():
        xx, yy, zz, xy, xz, yz = (factor * moment for moment in body.inertia)
        bodies[name] = Body(factor * body.mass, body.com, (xx, yy, zz, xy, xz, yz))


def _site(robot: Robot, node: Node, body: str, within: Pose, childclass: str) -> None:
    node = robot.document.inherited(node, "site", childclass)
    name = node.attributes.get("name", "")
    if name in robot.sites:
        raise ModelError(f"{node.where}: there is a site {name!r} already; rename one.")
    if "fromto" in node.attributes:
        pose = read_line(node)[0]
    else:
        pose = read_pose(node, robot.settings.angles)
    if name:
        robot.sites[name] = (body, within @ pose)


def read_inertial(node: Node, settings: Settings) -> Inertia:
    """What <inertial> says."""
    node.attribute("mass")
    pose = read_pose(node, settings.angles)
    if "fullinertia" in node.attributes:
        xx, yy, zz, xy, xz, yz = node.numbers("fullinertia", (0.0,) * 6)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        J = np.diag(node.numbers("diaginertia", (0.0, 0.0, 0.0)))
    mass = node.number("mass", 0.0)
    if mass < 0.0:
        raise ModelError(f"{node.where}: <inertial>: its mass is {mass}; it must not be negative.")
    moments = np.linalg.eigvalsh(J)
    if moments[0] < -ROUNDED_MOMENT * moments[-1]:
        raise ModelError(
            f"{node.where}: <inertial>: a principal moment is {moments[0]:g} kg m²; no body has a "
            "negative one."
        )
    return Inertia(mass, np.zeros(3), J).placed(pose)


def bound_inertia(given: Inertia, settings: Settings) -> Inertia:
    """At least the mass and principal moments that the file asks for, and balanced where asked."""
    moments, axes = np.linalg.eigh(given.J)
    wanted = np.maximum(moments, settings.least_inertia)
    if settings.balance and 2.0 * wanted.max() > wanted.sum():  # no body has such: A + B < C
        wanted = np.full(3, wanted.mean())
    J = given.J if np.array_equal(wanted, moments) else axes @ np.diag(wanted) @ axes.T
    return Inertia(max(given.mass, settings.least_mass), given.com, J)
