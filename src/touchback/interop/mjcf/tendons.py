"""The tendons of MJCF: sums of joint coordinates, and lines through sites."""

from __future__ import annotations

from touchback.dynamics.floats import float_instant
from touchback.errors import ModelError
from touchback.interop.mjcf.document import referred
from touchback.interop.mjcf.joints import joint_limits
from touchback.interop.mjcf.robot import Line, Robot
from touchback.interop.xml_file import Node
from touchback.model.forces import JointEffort, LinkForce
from touchback.model.sensors import Distance
from touchback.model.value import Value, number
from touchback.symbolic.functions import maximum, minimum

_KNOWN = (
    "name", "class", "stiffness", "damping", "springlength", "limited", "range", "group", "rgba",
    "width", "material", "user", "margin", "solreflimit", "solimplimit",
)  # fmt: skip


def read_tendons(robot: Robot) -> None:
    """All of <tendon>, by name; and what springs and dampers they have."""
    for node in robot.document.section("tendon").children:
        if node.tag not in ("fixed", "spatial"):
            robot.notes.notice(f"{node.where}: a tendon <{node.tag}> is not read.")
            continue
        node = robot.document.inherited(node, "tendon")
        name = robot.new_name("Tendon", node.attributes.get("name", ""), "tendon", robot.tendons)
        line = _fixed(robot, node) if node.tag == "fixed" else _spatial(robot, node, name)
        if line is None:
            continue
        robot.tendons[node.attributes.get("name") or name] = line
        robot.unread(node, _KNOWN)
        if joint_limits(robot, node, "tendon") is not None:
            robot.notes.notice(f"{node.where}: tendon '{name}': its limits are left out.")
        _passive(robot, node, name, line)


def pull(robot: Robot, name: str, line: Line, force: Value) -> None:
    """A force on a tendon, positive where it lengthens it."""
    for joint, factor in line.joints.items():
        robot.model.force(
            robot.force_name(f"{name} on {joint}"), JointEffort(joint, factor * force)
        )
    for part, (a, b, share) in enumerate(line.stretches, 1):
        robot.model.force(robot.force_name(f"{name} {part}"), LinkForce(a, b, -share * force))


def _fixed(robot: Robot, node: Node) -> Line | None:
    """L = Σ coefficient · q."""
    line = Line(0.0, 0.0)
    for child in node.all("joint"):
        known = robot.joints[referred(robot.joints, "joint", child.attribute("joint"), child)]
        if known.kind not in ("hinge", "slide"):
            raise ModelError(
                f"{child.where}: a fixed tendon is of hinges and slides; '{known.name}' is a "
                f"{known.kind}."
            )
        factor = child.number("coef", 0.0)
        line.joints[known.name] = line.joints.get(known.name, 0.0) + factor
        line.length = line.length + factor * robot.model.coordinate(known.name)
        line.rate = line.rate + factor * robot.model.rate(known.name)
    if not line.joints:
        raise ModelError(
            f"{node.where}: <fixed>: a tendon of no joint; name one in it, or drop it."
        )
    return line


def _spatial(robot: Robot, node: Node, name: str) -> Line | None:
    """The length of the straight lines from site to site, those behind a pulley divided."""
    line, before, share = Line(0.0, 0.0), None, 1.0
    for child in node.children:
        if child.tag == "pulley":
            before, divisor = None, child.number("divisor", 1.0)
            if divisor <= 0.0:
                raise ModelError(
                    f"{child.where}: <pulley divisor>: {divisor} is not positive; write 2 for a "
                    "line that runs there and back."
                )
            share = 1.0 / divisor
            continue
        if child.tag != "site":
            robot.notes.notice(
                f"{child.where}: tendon '{name}' wraps around a <{child.tag}>, which is not read; "
                "the tendon is left out."
            )
            return None
        site = robot.site(referred(robot.sites, "site", child.attribute("site"), child))
        if before is not None and before.body != site.body:
            line.stretches.append((before, site, share))
            sensor = robot.signal_name("Tendon", "", f"{name} line {len(line.stretches)}")
            length, rate = robot.model.sensor(sensor, Distance(before, site))
            line.length, line.rate = line.length + share * length, line.rate + share * rate
        before = site
    return line


def _passive(robot: Robot, node: Node, name: str, line: Line) -> None:
    """Spring, slack between the two lengths where it is at rest, and damper."""
    stiffness, damping = node.all_numbers("stiffness"), node.all_numbers("damping")
    if any(stiffness[1:]) or any(damping[1:]):
        robot.notes.notice(
            f"{node.where}: tendon '{name}': powers of its stiffness and damping are left out."
        )
    force: Value = 0.0
    if stiffness and stiffness[0]:
        low, high = _rest(robot, node, line)
        beyond = maximum(line.length - high, 0.0) + minimum(line.length - low, 0.0)
        force = force - stiffness[0] * (line.length - low if low == high else beyond)
    if damping and damping[0]:
        force = force - damping[0] * line.rate
    if not isinstance(force, float):
        pull(robot, name, line, force)


def _rest(robot: Robot, node: Node, line: Line) -> tuple[float, float]:
    given = node.all_numbers("springlength") or (-1.0,)
    if {given[0], given[-1]} == {-1.0}:  # as long as it is where springs of joints are at rest
        length = _length_at_rest(robot, line)
        return length, length
    return given[0], given[-1]


def _length_at_rest(robot: Robot, line: Line) -> float:
    """The length where hinges and slides are at their `springref`, whose default is 0."""
    length = sum(factor * robot.rests[name] for name, factor in line.joints.items())
    if line.stretches:
        q = [
            number("Position", x)
            for name, joint in robot.model.joints.items()
            for x in ([robot.rests[name]] if name in robot.rests else joint.initial_position())
        ]
        instant = float_instant(robot.model, q)
        length += sum(share * Distance(a, b).measure(instant)[0] for a, b, share in line.stretches)
    return float(length)


def length_at_start(robot: Robot, line: Line) -> float:
    """The length in the position that the file draws."""
    joints = robot.model.joints
    length = sum(
        factor * joints[name].initial_position()[0] for name, factor in line.joints.items()
    )
    for a, b, share in line.stretches:
        length += share * robot.distance(a, b)
    return float(length)
