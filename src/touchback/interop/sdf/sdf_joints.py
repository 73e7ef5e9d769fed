"""The joints of SDF: kinds, axes, and what acts in them. One that closes a loop is a closure."""

from __future__ import annotations

import math

import numpy as np

from touchback import Fixed, Frame, JointKind, Prismatic, Revolute, Screw, Spherical, Universal
from touchback.errors import ModelError
from touchback.interop.imported_bodies import axis_or_letter
from touchback.interop.sdf.sdf_poses import MODEL, WORLD, Frames, in_scope
from touchback.interop.urdf.urdf_joints import Mimic, Robot
from touchback.interop.xml_file import Node, finite_numbers
from touchback.model.frame import GROUND
from touchback.model.joints.base import Axis
from touchback.model.joints.joint import JointOptions

_UNBOUNDED = 1e15  # what files write for no limit is larger
_NO_LIMIT = ("inf", "+inf", "-inf", "infinity", "-infinity")
_ROUNDED = 1e-15  # of an axis' largest part: what turning leaves of 0
_KINDS = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw")
_KNOWN = ("pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch")


def ends_of(frames: Frames, scope: str, node: Node) -> tuple[str, str]:
    """The links (or the world) that a joint's parent and child are part of."""
    parent, child = (
        frames.link(frames.known(in_scope(scope, node.child_text(side)), node), node)
        for side in ("parent", "child")
    )
    if child == WORLD or parent == child:
        raise ModelError(
            f"{node.where}: joint {node.attribute('name')!r} carries {child!r} on {parent!r}; a "
            "joint carries a link on another one or on the world."
        )
    return parent, child


def add_joint(robot: Robot, frames: Frames, name: str, scope: str, node: Node, tree: bool) -> None:
    """One joint, whose coordinate is 0 as the file draws it."""
    robot.notes.skip_others(node, _KNOWN)
    kind = _kind(frames, name, scope, node)
    parent, child = (_end(robot, frames, end, name) for end in ends_of(frames, scope, node))
    if tree:
        options = _options(robot, name, scope, node, kind)
        robot.model.joint(robot.joints[name], kind, parent, child, **options)
    else:
        robot.model.close(robot.joints[name], kind, parent, child)
        robot.notes.say(f"{node.where}: joint {name!r} closes a loop.")


def _end(robot: Robot, frames: Frames, link: str, joint: str) -> Frame:
    """The joint's frame as part of a link."""
    body = GROUND if link == WORLD else robot.links[link]
    return (frames.pose(link).inverse() @ frames.pose(joint)).frame(body)


def _kind(frames: Frames, name: str, scope: str, node: Node) -> JointKind:
    word = node.attribute("type")
    if word not in _KINDS:
        raise ModelError(
            f"{node.where}: joint {name!r} has the type {word!r}; known: {', '.join(_KINDS)}."
        )
    first = _axis(frames, name, scope, node, "axis")
    if word in ("universal", "revolute2"):
        return Universal(first, _axis(frames, name, scope, node, "axis2"))
    if word == "screw":
        return Screw(first, _pitch(name, node))
    kinds = {"fixed": Fixed(), "ball": Spherical(), "prismatic": Prismatic(first)}
    return kinds.get(word, Revolute(first))


def _pitch(name: str, node: Node) -> float:
    """m/rad: of metres a turn or, as older files have it, of −rad/m."""
    if node.first("screw_thread_pitch") is not None:
        return node.child_number("screw_thread_pitch") / (2.0 * math.pi)
    thread = node.child_number("thread_pitch", 1.0)
    if thread == 0.0:
        raise ModelError(f"{node.where}: joint {name!r}: its <thread_pitch> must not be 0.")
    return -1.0 / thread


def _axis(frames: Frames, name: str, scope: str, node: Node, tag: str) -> Axis:
    """In the joint's own frame, which is where newer files tell it unless they say otherwise."""
    axis = node.first(tag) or Node(tag, {}, node.source, node.line)
    given = axis.first("xyz")
    text = "0 0 1" if given is None else given.text
    vector = np.array(finite_numbers(f"{axis.where}: <xyz>", text))
    if vector.shape != (3,) or not vector.any():
        raise ModelError(
            f"{axis.where}: joint {name!r}: its axis {text!r} is no direction; give 3 numbers."
        )
    told_in = "" if given is None else given.attributes.get("expressed_in", "").strip()
    old = axis.first("use_parent_model_frame")
    if not told_in and (old.text in ("true", "1") if old else frames.axes_in_model):
        told_in = MODEL
    if told_in:
        seen = frames.pose(frames.known(in_scope(scope, told_in), axis))
        vector = frames.pose(name).R.T @ seen.R @ vector
    vector[np.abs(vector) < _ROUNDED * np.abs(vector).max()] = 0.0
    x, y, z = (float(part) for part in vector / np.linalg.norm(vector))
    return axis_or_letter((x, y, z))


def _options(robot: Robot, name: str, scope: str, node: Node, kind: JointKind) -> JointOptions:
    """Limits and what acts, of joints with one coordinate."""
    axis = node.first("axis")
    if axis is None or kind.nv == 0:
        return {}
    robot.notes.skip_others(
        axis, ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position")
    )
    if kind.nv > 1:
        if any(each.first("dynamics") for each in (axis, node.first("axis2") or axis)):
            robot.notes.notice(f"{node.where}: joint {name!r}: what acts in its axes is not read.")
        return {}
    options = _limits(robot, name, node, axis)
    options.update(_acting(axis))
    mimic = axis.first("mimic")
    if mimic is not None:
        _follow(robot, name, scope, mimic)
    return options


def _limits(robot: Robot, name: str, node: Node, axis: Node) -> JointOptions:
    limit = axis.first("limit")
    if limit is None:
        return {}
    ratings = {
        word: number
        for word in ("effort", "velocity")
        if (number := _bound(limit, word, -1.0)) >= 0.0 and number < _UNBOUNDED
    }
    if ratings:
        robot.ratings[robot.joints[name]] = ratings
    lower, upper = _bound(limit, "lower", -math.inf), _bound(limit, "upper", math.inf)
    bounded = [abs(number) < _UNBOUNDED for number in (lower, upper)]
    if node.attribute("type") == "continuous" or not any(bounded):
        return {}
    if not all(bounded) or lower > upper:
        robot.notes.notice(
            f"{limit.where}: joint {name!r}: its limits {lower} and {upper} are left out: both are "
            "needed, the lower one below the upper."
        )
        return {}
    return {"limits": (lower, upper), "stop": robot.stops}


def _bound(limit: Node, tag: str, default: float) -> float:
    given = limit.first(tag)
    if given is not None and given.text.lower() in _NO_LIMIT:
        return float(given.text)
    return limit.child_number(tag, default)


def _acting(axis: Node) -> JointOptions:
    dynamics = axis.first("dynamics")
    if dynamics is None:
        return {}
    acting = {
        tag: dynamics.child_number(tag) for tag in ("damping", "friction", "spring_stiffness")
    }
    for tag, number in acting.items():
        if number < 0.0:
            raise ModelError(f"{dynamics.where}: <{tag}> is {number}; it must not be negative.")
    damping, friction, spring = acting.values()
    rest = dynamics.child_number("spring_reference")
    return {"damping": damping, "friction": friction, "spring": spring, "rest": rest}


def _follow(robot: Robot, name: str, scope: str, mimic: Node) -> None:
    leader = in_scope(scope, mimic.attribute("joint"))
    if leader not in robot.joints:
        raise ModelError(f"{mimic.where}: joint {name!r} follows {leader!r}, which is no joint.")
    multiplier = mimic.child_number("multiplier", 1.0)
    offset = mimic.child_number("offset") - multiplier * mimic.child_number("reference")
    robot.mimics[robot.joints[name]] = Mimic(robot.joints[leader], multiplier, offset)
