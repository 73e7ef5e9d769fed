"""The sensors of MJCF that are sensors here, and its keyframes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from touchback import (
    Accelerometer,
    AngularAcceleration,
    AngularVelocity,
    Direction,
    Energy,
    Frame,
    Free,
    Position,
    SensorKind,
    Signal,
    Velocity,
)
from touchback.errors import ModelError
from touchback.interop.mjcf.mjcf_document import referred
from touchback.interop.mjcf.mjcf_robot import Robot
from touchback.interop.rigid_pose import of_quaternion
from touchback.interop.xml_file import Node
from touchback.model.value import Value

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
    for number, node in enumerate(robot.document.section("keyframe").children):
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
        found[node.attributes.get("name") or str(number)] = {
            "q": tuple(q.tolist()), "v": tuple(v.tolist()), "controls": node.all_numbers("ctrl"),
        }  # fmt: skip
    return found
