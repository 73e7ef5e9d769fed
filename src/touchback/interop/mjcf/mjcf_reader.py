"""MJCF: the models of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html), read:
bodies, equality constraints, and the sensors and keyframes that have a counterpart here."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from touchback import (
    Accelerometer,
    AngularAcceleration,
    AngularVelocity,
    Body,
    Direction,
    Energy,
    Expr,
    Fixed,
    Frame,
    Free,
    Model,
    Position,
    SensorKind,
    Signal,
    Spherical,
    Velocity,
)
from touchback.errors import ModelError
from touchback.interop.import_notes import safe_names
from touchback.interop.imported_bodies import add_body, drop_idle_closures
from touchback.interop.meshes.solid_inertia import (
    NOTHING,
    ROUNDED_MOMENT,
    Inertia,
    combine_inertias,
)
from touchback.interop.mjcf.mjcf_document import (
    TRUTH,
    Folders,
    Settings,
    read_document,
    read_settings,
    referred,
    truth,
)
from touchback.interop.mjcf.mjcf_forces import (
    add_fluid,
    compensate_gravity,
    length_at_start,
    read_actuators,
    read_tendons,
    tune_springs,
)
from touchback.interop.mjcf.mjcf_geoms import add_contacts, add_visuals, read_geom, read_meshes
from touchback.interop.mjcf.mjcf_import_state import WORLD, Robot
from touchback.interop.mjcf.mjcf_joints import join_to_parent
from touchback.interop.mjcf.mjcf_pose import read_line, read_pose
from touchback.interop.rigid_pose import HERE, Pose, at, of_quaternion
from touchback.interop.xml_file import Node
from touchback.model import GROUND, Value, number

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
    join_to_parent(robot, node, parent, name, pose, elements)
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


_KNOWN_EQUALITIES = (
    "name", "class", "active", "body1", "body2", "site1", "site2", "anchor", "relpose",
    "torquescale", "joint1", "joint2", "tendon1", "tendon2", "polycoef", "solref", "solimp",
)  # fmt: skip


def read_equalities(robot: Robot) -> None:
    """All of <equality>."""
    given = robot.document.section("equality").children
    if given and {"equality", "constraint"} & robot.settings.off:
        robot.notes.say("Equalities are left out: a <flag> disables them.")
        return
    for each in given:
        node = robot.document.inherited(each, "equality")
        active = bool(truth(node, "active", TRUTH, True))
        robot.unread(node, _KNOWN_EQUALITIES)
        if node.tag in ("connect", "weld"):
            _tie(robot, node, active)
        elif node.tag in ("joint", "tendon"):
            _polynomial(robot, node, active)
        else:
            robot.notes.notice(f"{node.where}: an equality <{node.tag}> is not read.")


def _tie(robot: Robot, node: Node, active: bool) -> None:
    """A ball between two points, or all of two bodies' frames."""
    name = robot.constraint_name("Equality", node.attributes.get("name", ""), node.tag)
    kind = Spherical() if node.tag == "connect" else Fixed()
    if node.number("torquescale", 1.0) == 0.0:
        robot.notes.notice(
            f"{node.where}: <weld torquescale='0'>: directions are held too; write a <connect>."
        )
    if "site1" in node.attributes:
        one, two = (
            robot.site(referred(robot.sites, "site", node.attribute(word), node))
            for word in ("site1", "site2")
        )
        robot.model.close(name, kind, one, two, active)
        return
    a = robot.bodies[referred(robot.bodies, "body", node.attribute("body1"), node)]
    second = node.attributes.get("body2", "")
    b = robot.bodies[referred(robot.bodies, "body", second, node)] if second else GROUND
    between = robot.poses[a].inverse() @ robot.poses[b]  # of b in a, as drawn
    if node.tag == "connect":
        anchor = at(node.triple("anchor", (0.0, 0.0, 0.0)))
        there = at((between.inverse() @ anchor).p)
        robot.model.close(name, kind, anchor.frame(a), there.frame(b), active)
        return
    numbers, there = node.numbers("relpose", (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)), HERE
    if any(numbers[3:]):
        between = at(numbers[:3], of_quaternion(numbers[3:]))
        there = at(node.triple("anchor", (0.0, 0.0, 0.0)))  # the point of b that comes there
    robot.model.close(name, kind, between.frame(a), there.frame(b), active)


def _polynomial(robot: Robot, node: Node, active: bool) -> None:
    """x − x₀ = c₀ + c₁ (y − y₀) + … + c₄ (y − y₀)⁴ of two joints or two tendons, or x alone."""
    known = [_moved(robot, node, f"{node.tag}{i}") for i in (1, 2)]
    if known[0] is None or (known[1] is None and f"{node.tag}2" in node.attributes):
        robot.notes.notice(f"{node.where}: an equality of {node.tag}s that are not read.")
        return
    x, factors = known[0], (*node.all_numbers("polycoef"),)
    factors = factors + (0.0, 1.0, 0.0, 0.0, 0.0)[len(factors) :]
    h: Value = x - factors[0]
    if known[1] is not None:
        for power, factor in enumerate(factors[1:], 1):
            if factor:
                h = h - factor * known[1] ** power
    name = robot.constraint_name("Equality", node.attributes.get("name", ""), node.tag)
    if isinstance(h, Expr):
        robot.model.constrain(name, h, active=active)


def _moved(robot: Robot, node: Node, word: str) -> Value | None:
    """A joint's coordinate or a tendon's length, from where it is drawn."""
    called = node.attributes.get(word)
    if called is None:
        return None
    if node.tag == "tendon":
        if called not in robot.tendons:
            return None
        line = robot.tendons[called]
        return line.length - length_at_start(robot, line)
    joint = robot.joints[referred(robot.joints, "joint", called, node)]
    if joint.kind not in ("hinge", "slide"):
        return None
    start = robot.model.joints[joint.name].initial_position()[0]
    return robot.model.coordinate(joint.name) - start


_FRAMES: dict[str, Callable[[Frame], SensorKind]] = {
    "framepos": Position,
    "framelinvel": Velocity,
    "frameangvel": AngularVelocity,
    "framelinacc": lambda frame: Accelerometer(frame, "world"),
    "frameangacc": AngularAcceleration,
    "framexaxis": lambda frame: Direction(frame, "x"),
    "frameyaxis": lambda frame: Direction(frame, "y"),
    "framezaxis": lambda frame: Direction(frame, "z"),
}


_LOCAL = {"velocimeter": Velocity, "gyro": AngularVelocity}  # along the axes of a site


_KNOWN = ("name", "site", "joint", "tendon", "actuator", "objtype", "objname", "user", "body")


def read_sensors(robot: Robot) -> None:
    """All of <sensor>; those that have no like here are counted."""
    named: list[str] = []
    for node in robot.document.section("sensor").children:
        kinds = _kinds(robot, node)
        if not kinds:
            robot.notes.skip(f"sensor {node.tag}")
            continue
        robot.unread(node, _KNOWN)
        name = robot.signal_name("Sensor", node.attributes.get("name", ""), node.tag)
        for suffix, kind in kinds.items():
            named.append(f"{name} {suffix}" if suffix else name)
            robot.model.sensor(named[-1], kind)
    if len(named) < len(robot.model.sensors):  # lengths of tendons are no outputs
        robot.model.report(*named)


def _kinds(robot: Robot, node: Node) -> dict[str, SensorKind]:
    """What stands for a sensor, by suffixes of its name."""
    if node.tag in _FRAMES and "reftype" not in node.attributes:
        frame = _object(robot, node)
        return {} if frame is None else {"": _FRAMES[node.tag](frame)}
    if node.tag == "accelerometer":
        site = referred(robot.sites, "site", node.attribute("site"), node)
        return {"": Accelerometer(robot.site(site))}
    if node.tag in _LOCAL:
        return _along_site(robot, node)
    if node.tag in ("jointpos", "jointvel"):
        joint = robot.joints[referred(robot.joints, "joint", node.attribute("joint"), node)].name
        read = robot.model.coordinate if node.tag == "jointpos" else robot.model.rate
        return {"": Signal(read(joint))}
    if node.tag in ("tendonpos", "tendonvel") and node.attributes.get("tendon") in robot.tendons:
        line = robot.tendons[node.attributes["tendon"]]
        return {"": Signal(line.length if node.tag == "tendonpos" else line.rate)}
    if node.tag == "actuatorfrc" and node.attributes.get("actuator") in robot.actuators:
        return {"": Signal(robot.actuators[node.attributes["actuator"]])}
    if node.tag == "clock":
        return {"": Signal(robot.model.time, "s")}
    if node.tag in ("e_kinetic", "e_potential"):
        return {"": Energy(node.tag[2:])}
    return {}


def _object(robot: Robot, node: Node) -> Frame | None:
    """A site, a geom, a body's frame ("xbody"), or its centre of mass ("body"), but for axes."""
    kind, name = node.attribute("objtype"), node.attribute("objname")
    if kind == "site":
        return robot.site(referred(robot.sites, "site", name, node))
    if kind == "geom":
        named = {shape.node.attributes.get("name", ""): shape for shape in robot.shapes}
        shape = named[referred(named, "geom", name, node)]
        return shape.pose.frame(shape.body)
    if kind not in ("body", "xbody"):
        return None
    body = robot.bodies[referred(robot.bodies, "body", name, node)]
    if kind == "xbody" or "axis" in node.tag or body not in robot.model.bodies:
        return Frame(body) if kind == "xbody" else None
    return Frame(body, robot.model.bodies[body].com)


def _along_site(robot: Robot, node: Node) -> dict[str, SensorKind]:
    """Components along the site's axes: of world components with those of the axes."""
    site = robot.site(referred(robot.sites, "site", node.attribute("site"), node))
    label = robot.signal_name("Sensor", "", f"{node.attributes.get('name') or node.tag} in world")
    vector = robot.model.sensor(label, _LOCAL[node.tag](site))
    found: dict[str, SensorKind] = {}
    for axis in "xyz":
        side = robot.model.sensor(f"{label} {axis} axis", Direction(site, axis))
        along: Value = sum((a * b for a, b in zip(side, vector)), 0.0)
        found[axis] = Signal(along)
    return found


def keyframes(robot: Robot) -> dict[str, dict[str, tuple[float, ...]]]:
    """The file's keys by name: "q" and "v" as our coordinates have them, "controls" as given."""
    found: dict[str, dict[str, tuple[float, ...]]] = {}
    joints = robot.model.joints.values()
    start = [x for joint in joints for x in joint.initial_position()]
    for place, node in enumerate(robot.document.section("keyframe").children):
        q = np.array(node.all_numbers("qpos") or start)
        v = np.array(node.all_numbers("qvel") or (0.0,) * sum(j.kind.nv for j in joints))
        if len(q) != len(start) or len(v) != sum(joint.kind.nv for joint in joints):
            raise ModelError(
                f"{node.where}: <key>: it has {len(q)} positions and {len(v)} velocities, but "
                f"{len(start)} and {sum(joint.kind.nv for joint in joints)} are expected."
            )
        at_q = at_v = 0
        for joint in joints:
            if isinstance(joint.kind, Free):
                R = of_quaternion(q[at_q + 3 : at_q + 7])
                v[at_v : at_v + 3] = R.T @ v[at_v : at_v + 3]
            at_q, at_v = at_q + joint.kind.nq, at_v + joint.kind.nv
        found[node.attributes.get("name") or str(place)] = {
            "q": tuple(q.tolist()), "v": tuple(v.tolist()), "controls": node.all_numbers("ctrl"),
        }  # fmt: skip
    return found


_SECTIONS = (
    "compiler", "option", "default", "asset", "worldbody", "tendon", "equality", "actuator",
    "sensor", "keyframe", "contact",
)  # fmt: skip


_UNFELT = ("size", "statistic", "visual", "custom")


def read_mjcf(
    path_or_text: str | os.PathLike[str],
    constraints: bool = True,
    contacts: bool = True,
    stops: bool = True,
    meshes: bool = True,
    folders: Folders | None = None,
) -> Model:
    """The model of an MJCF file (or of its text), with what it includes.

    Coordinates are MuJoCo's, in its order; only linear velocities of free joints are along the
    body's axes here, the world's there. Bodies with several joints have massless ones between them,
    named "body~joint". Actuators are inputs of their names, sensors that have a like are outputs.

    What MuJoCo's solver softens is rigid here: equalities are constraints (not with
    `constraints=False`), planes, spheres, capsules and boxes touch with Coulomb friction (not with
    `contacts=False`), and default stops hold joints at their limits (not with `stops=False`). With
    `meshes=False` meshes weigh but aren't drawn. Files that it names must lie in its folder or in
    one of `folders`, by any name. `model.imported` has what isn't read: "notes" in words; the
    "keyframes" by name; and "ratings", the efforts that actuators of joints have at most."""
    document = read_document(path_or_text, folders)
    settings = read_settings(document)
    document.ignored = settings.ignored
    name = safe_names("Model", [document.name], document.notes)[document.name]
    robot = Robot(document, settings, Model(name, settings.gravity), stops)
    read_meshes(document, robot)
    read_world(robot)
    compensate_gravity(robot)
    add_fluid(robot)
    read_tendons(robot)
    if constraints:
        read_equalities(robot)
    read_actuators(robot)
    read_sensors(robot)
    tune_springs(robot)
    add_visuals(robot, meshes)
    if contacts:
        add_contacts(robot)
    for tag in document.sections.keys() - {*_SECTIONS, *_UNFELT}:
        document.notes.notice(f"{document.section(tag).where}: <{tag}> is not read.")
    drop_idle_closures(robot.model, document.notes)
    records = {"keyframes": keyframes(robot), "ratings": robot.ratings}
    document.notes.finish(robot.model, "MJCF", document.source, **records)
    return robot.model


__all__ = ["read_mjcf"]
