"""The equality constraints of MJCF: closures, couplings and written constraints, all rigid."""

from __future__ import annotations

from touchback import Expr, Fixed, Spherical
from touchback.interop.mjcf.mjcf_document import TRUTH, referred, truth
from touchback.interop.mjcf.mjcf_forces import length_at_start
from touchback.interop.mjcf.mjcf_robot import Robot
from touchback.interop.rigid_pose import HERE, at, of_quaternion
from touchback.interop.xml_file import Node
from touchback.model.frame import GROUND
from touchback.model.value import Value

_KNOWN = (
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
        robot.unread(node, _KNOWN)
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
