"""The joints of MJCF: any number in a body, in a row, each about its own place.

A body's coordinates are MuJoCo's: q = ref where the file draws it, quaternions have w first, and
turning velocities are along the body's axes. Of a free joint the linear velocity is along the
body's axes here, along the world's in MuJoCo: v_here = Rᵀ v_there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from touchback import Fixed, Free, JointEffort, JointKind, Prismatic, Revolute, Spherical
from touchback.errors import ModelError
from touchback.interop.imported_bodies import axis_or_letter
from touchback.interop.mjcf.mjcf_document import TRUTH, truth
from touchback.interop.mjcf.mjcf_import_state import MjcfJoint, Robot
from touchback.interop.rigid_pose import Floats, Pose, about, at, quaternion_of
from touchback.interop.xml_file import Node
from touchback.model import GROUND, JointOptions, Value

_KINDS = ("hinge", "slide", "ball", "free")
_KNOWN = (
    "name", "class", "type", "pos", "axis", "ref", "springref", "springdamper", "stiffness",
    "damping", "armature", "frictionloss", "limited", "range", "group", "user",
    "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin",
)  # fmt: skip


def join_to_parent(
    robot: Robot,
    node: Node,
    parent: str,
    body: str,
    pose: Pose,
    elements: Sequence[tuple[Node, Pose, str]],
) -> None:
    """Join a body to its parent by its joints in a row, with massless bodies between them."""
    model = robot.model
    joints = [each for each in elements if each[0].tag in ("joint", "freejoint")]
    if not joints:
        model.joint(_new(robot, "", f"{body}~fixed"), Fixed(), pose.frame(parent), body)
    place, carrier = pose, parent
    for number, (given, within, childclass) in enumerate(joints):
        last = number == len(joints) - 1
        element = _inherited(robot, given, childclass)
        kind = element.attributes.get("type", "hinge")
        name = _new(robot, element.attributes.get("name", ""), f"{body}~{kind}")
        child = body if last else robot.massless(f"{body}~{name}")
        robot.unread(element, _KNOWN)
        if kind not in _KINDS:
            raise ModelError(
                f"{element.where}: <joint type={kind!r}>: known are {', '.join(_KINDS)}."
            )
        if kind == "free":
            _free(robot, element, name, carrier, body, len(joints))
        else:
            _add(robot, element, kind, name, (carrier, place), child, within)
        if element.attributes.get("name"):
            robot.joints[element.attributes["name"]] = MjcfJoint(name, kind, child)
        carrier, place = child, at((0.0, 0.0, 0.0))


def _new(robot: Robot, given: str, instead: str) -> str:
    return robot.new_name("Joint", given, instead, robot.model.joints)


def _inherited(robot: Robot, node: Node, childclass: str) -> Node:
    """With the defaults of joints, but for <freejoint>, which has none."""
    if node.tag == "joint":
        return robot.document.inherited(node, "joint", childclass)
    attributes = {**node.attributes, "type": "free"}
    if attributes.pop("align", "false") == "true":
        robot.notes.say(f"{node.where}: <freejoint align>: coordinates are of the body as drawn.")
    return Node("joint", attributes, node.source, node.line)


def _free(robot: Robot, node: Node, name: str, parent: str, body: str, count: int) -> None:
    if parent != GROUND or count > 1:
        raise ModelError(
            f"{node.where}: body '{body}': a free joint is alone in a body of the world."
        )
    start = robot.poses[body]
    position = [*start.p.tolist(), *quaternion_of(start.R)]
    options = _several(robot, node, name, 6)
    options["position"] = position
    robot.model.joint(name, Free(), GROUND, body, **options)


def _add(
    robot: Robot,
    node: Node,
    kind: str,
    name: str,
    parent: tuple[str, Pose],
    child: str,
    within: Pose,
) -> None:
    """A hinge, slide or ball at its place of the body, which is where both its frames are."""
    anchor = within @ at(node.triple("pos", (0.0, 0.0, 0.0)))
    anchor = at(anchor.p)
    carrier, place = parent
    here = (place @ anchor).frame(carrier)
    if kind == "ball":
        options = _several(robot, node, name, 3)
        robot.model.joint(name, Spherical(), here, anchor.frame(child), **options)
        return
    axis = _axis(node, within)
    ref = _measure(robot, node, "ref", kind)
    made: JointKind
    if kind == "hinge":
        made = Revolute(axis_or_letter(_triple(axis)))
        back = at(anchor.p, about(axis, ref))
    else:
        made = Prismatic(axis_or_letter(_triple(axis)))
        back = at(anchor.p + ref * axis)
    options = _acting(robot, node, name, kind)
    robot.rests[name] = _measure(robot, node, "springref", kind)
    if ref:
        options["position"] = ref
    robot.model.joint(name, made, here, back.frame(child), **options)
    _curved(robot, node, name, kind)


def _axis(node: Node, within: Pose) -> Floats:
    vector = np.array(node.triple("axis", (0.0, 0.0, 1.0)))
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        raise ModelError(f"{node.where}: <joint axis>: 0 0 0 is no direction.")
    return within.R @ (vector / length)


def _triple(vector: Floats) -> tuple[float, float, float]:
    x, y, z = map(float, vector)
    return x, y, z


def _measure(robot: Robot, node: Node, word: str, kind: str, default: float = 0.0) -> float:
    """A coordinate: an angle of a hinge is in the file's unit."""
    number = node.number(word, default)
    return robot.settings.angles.radians(number) if kind == "hinge" else number


# ---- what acts in joints ------------------------------------------------------------------------


def _acting(robot: Robot, node: Node, name: str, kind: str) -> JointOptions:
    options: JointOptions = {}
    damping, armature = (*node.all_numbers("damping"), 0.0)[0], node.number("armature", 0.0)
    if damping:
        options["damping"] = damping
    if armature:
        options["armature"] = armature
    friction = node.number("frictionloss", 0.0)
    if friction:
        options["friction"] = friction
    stiffness = (*node.all_numbers("stiffness"), 0.0)[0]
    if stiffness:
        options["spring"] = stiffness
        rest = _measure(robot, node, "springref", kind)
        if rest:
            options["rest"] = rest
    if node.all_numbers("springdamper"):
        robot.tuned[name] = node
    limits = joint_limits(robot, node, kind)
    if limits is not None:
        options["limits"] = limits
        options["stop"] = robot.stops
    return options


def joint_limits(robot: Robot, node: Node, kind: str) -> tuple[float, float] | None:
    """(lower, upper) where the element has them and they count."""
    limited = truth(node, "limited", {**TRUTH, "auto": None}, None)
    if limited is None:
        limited = robot.settings.autolimits and "range" in node.attributes
    if not limited or not robot.settings.limits:
        return None
    low, high = node.numbers("range", (0.0, 0.0))
    if kind == "hinge":
        low, high = robot.settings.angles.radians(low), robot.settings.angles.radians(high)
    if low > high:
        raise ModelError(f"{node.where}: <{node.tag} range>: {low} is above {high}; swap them.")
    return low, high


def _curved(robot: Robot, node: Node, name: str, kind: str) -> None:
    """Springs and dampers with powers: −(k₁ x² + k₂ x³), which is no odd function, and
    −(c₁ |v| + c₂ v²) v."""
    coordinate, rate = robot.model.coordinate(name), robot.model.rate(name)
    stretch = coordinate - _measure(robot, node, "springref", kind)
    effort: Value = 0.0
    for word, signal, size in (("stiffness", stretch, stretch), ("damping", rate, abs(rate))):
        for power, factor in enumerate(node.all_numbers(word)[1:], 1):
            if factor:
                effort = effort - factor * signal * size**power
    if not isinstance(effort, float):
        robot.model.force(robot.force_name(f"{name} curve"), JointEffort(name, effort))


def _several(robot: Robot, node: Node, name: str, count: int) -> JointOptions:
    """What acts in balls and free joints: the same on each velocity."""
    options: JointOptions = {}
    for word in ("stiffness", "springdamper"):
        if any(node.all_numbers(word)):
            robot.notes.notice(
                f"{node.where}: joint '{name}': {word} of a joint with a quaternion is left out."
            )
    damping = (*node.all_numbers("damping"), 0.0)
    if damping[0]:
        options["damping"] = damping[0]
    if any(damping[1:]):
        robot.notes.notice(
            f"{node.where}: joint '{name}': damping is taken as linear, without its other powers."
        )
    armature = node.number("armature", 0.0)
    if armature and count == 3:
        options["armature"] = armature
    elif armature:
        robot.notes.notice(
            f"{node.where}: joint '{name}': armature {armature} of a free joint is left out."
        )
    if joint_limits(robot, node, "ball") is not None:
        robot.notes.notice(f"{node.where}: joint '{name}': limits of a ball are left out.")
    friction = node.number("frictionloss", 0.0)
    if friction:
        options["friction"] = friction
    return options
