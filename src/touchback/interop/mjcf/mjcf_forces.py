"""What acts in MJCF: actuators (inputs with their gears, laws and limits), tendons (sums of joint
coordinates, and lines through sites), the fluid, lifted weights, and springs that are given by
their time constants."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from touchback import (
    Body,
    BoxDrag,
    Distance,
    Frame,
    JointEffort,
    LinkForce,
    Wrench,
    maximum,
    minimum,
    select,
)
from touchback.dynamics import float_instant, mass_matrix_entries
from touchback.errors import ModelError
from touchback.interop.mjcf.actuator_laws import SHORTCUT, SHORTCUTS, Law, law_of
from touchback.interop.mjcf.mjcf_document import ACTUATOR, TRUTH, referred, truth
from touchback.interop.mjcf.mjcf_import_state import MjcfTendon, Robot
from touchback.interop.mjcf.mjcf_joints import joint_limits
from touchback.interop.rigid_pose import Pose
from touchback.interop.xml_file import Node
from touchback.model import Value, number

_GEAR = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


_KNOWN = (
    "name", "class", "group", "user", "joint", "jointinparent", "tendon", "site", "refsite",
    "gear", "ctrllimited", "ctrlrange", "forcelimited", "forcerange", "actlimited", "actrange",
    "actearly", "lengthrange", "gaintype", "gainprm", "biastype", "biasprm", "dyntype", "dynprm",
    "body", SHORTCUT,
)  # fmt: skip


def read_actuators(robot: Robot) -> None:
    """All of <actuator>, in order: each an input of its name."""
    if "actuation" in robot.settings.off:
        robot.notes.say("Actuators are left out: <flag actuation='disable'>.")
        return
    for given in robot.document.section("actuator").children:
        node = robot.document.inherited(given, ACTUATOR)
        law = law_of(node)
        if law is None:
            known = node.tag == "general" or node.tag in SHORTCUTS
            what = "with this law" if known else f"<{node.tag}>"
            robot.notes.notice(f"{node.where}: an actuator {what} is not read; there is no input.")
            continue
        robot.unread(node, _KNOWN)
        _add(robot, node, law)
    ratings = robot.ratings.items()
    robot.ratings = {joint: rated for joint, rated in ratings if math.isfinite(rated["effort"])}


def _add(robot: Robot, node: Node, law: Law) -> None:
    given = node.all_numbers("gear")
    gear = (*given, *_GEAR[len(given) :])
    line = _transmission(robot, node, gear)
    if line is None:
        return
    of_several = "tendon" not in node.attributes and not line.joints  # a ball's axes, a site's
    if law.moves and of_several:
        robot.notes.notice(
            f"{node.where}: an actuator <{node.tag}> of a ball or a site whose law knows how far "
            "or how fast it moves is not read; there is no input."
        )
        return
    called = node.attributes.get("name", "")
    name = robot.signal_name("Actuator", called, "actuator")
    limits = _span(robot, node, "ctrl")
    low, high = limits or (None, None)
    usual = 0.0 if low is None or high is None else min(max(0.0, low), high)
    control = robot.model.input(name, default=usual, min=low, max=high)
    signal = _followed(robot, node, law, name, _clipped(control, limits))
    gain, bias = (
        factors[0] + factors[1] * line.length + factors[2] * line.rate
        for factors in (law.gains, law.biases)
    )
    force = _clipped(gain * signal + bias, _span(robot, node, "force"))
    robot.actuators[called or name] = force
    if "site" in node.attributes:
        site = robot.site(node.attributes["site"])
        push, turn = ((gear[i] * force, gear[i + 1] * force, gear[i + 2] * force) for i in (0, 3))
        robot.model.force(robot.force_name(name), Wrench(site, push, turn, axes="body"))
        return
    if of_several:
        joint = robot.joints[node.attributes.get("joint") or node.attribute("jointinparent")]
        for index, factor in enumerate(gear[: 6 if joint.kind == "free" else 3]):
            if factor:
                effort = JointEffort(joint.name, factor * force, index)
                robot.model.force(robot.force_name(name), effort)
        return
    if "tendon" not in node.attributes:
        (driven,) = line.joints
        _rate(robot, driven, abs(gear[0]) * _strongest(robot, node, law, limits))
    pull(robot, name, line, force)


def _strongest(robot: Robot, node: Node, law: Law, limits: tuple[float, float] | None) -> float:
    """The largest force of an actuator before its gear, by its range or that of its control."""
    span = _span(robot, node, "force")
    if span is not None:
        return max(map(abs, span))
    if limits is None or law.moves or law.dynamics == "integrator":
        return math.inf
    return max(abs(law.gains[0] * end + law.biases[0]) for end in limits)


def _rate(robot: Robot, joint: str, most: float) -> None:
    """What all actuators of a joint can do together."""
    before = robot.ratings.get(joint, {}).get("effort", 0.0)
    robot.ratings[joint] = {"effort": before + most}


def _transmission(robot: Robot, node: Node, gear: tuple[float, ...]) -> MjcfTendon | None:
    """What it pulls, with its length there; None (and said) for what isn't read. Balls, free joints
    and sites have no length."""
    words = node.attributes
    if "tendon" in words:
        if words["tendon"] not in robot.tendons:
            robot.notes.notice(f"{node.where}: actuator of tendon {words['tendon']!r}: left out.")
            return None
        whole = robot.tendons[words["tendon"]]
        return MjcfTendon(
            gear[0] * whole.length, gear[0] * whole.rate,
            {joint: gear[0] * factor for joint, factor in whole.joints.items()},
            [(a, b, gear[0] * share) for a, b, share in whole.stretches],
        )  # fmt: skip
    if "site" in words and "refsite" not in words:
        referred(robot.sites, "site", words["site"], node)
        return MjcfTendon(0.0, 0.0)
    if "joint" not in words and "jointinparent" not in words:
        robot.notes.notice(
            f"{node.where}: an actuator <{node.tag}> that acts on neither a joint, a tendon nor a "
            "site alone is not read; there is no input."
        )
        return None
    called = words["joint"] if "joint" in words else words["jointinparent"]
    joint = robot.joints[referred(robot.joints, "joint", called, node)]
    if joint.kind in ("hinge", "slide"):
        name = joint.name
        length, rate = robot.model.coordinate(name), robot.model.rate(name)
        return MjcfTendon(gear[0] * length, gear[0] * rate, {name: gear[0]})
    if "jointinparent" in words or joint.kind == "free":
        robot.notes.notice(
            f"{node.where}: an actuator of '{joint.name}' along the axes of its parent or of the "
            "world is not read; there is no input."
        )
        return None
    return MjcfTendon(0.0, 0.0)


def _followed(robot: Robot, node: Node, law: Law, name: str, control: Value) -> Value:
    """The control itself, or a state that follows it and stays in its range, at whose ends it
    only goes back."""
    if law.dynamics == "none":
        return control
    state = robot.model.state(robot.signal_name("Actuator", "", f"{name} activation"))
    if law.dynamics != "integrator" and law.timeconst <= 0.0:
        raise ModelError(
            f"{node.where}: <{node.tag}>: its filter has a time constant of {law.timeconst}; write "
            "a positive one, or no filter."
        )
    rate = control if law.dynamics == "integrator" else (control - state) / law.timeconst
    span = _span(robot, node, "act")
    if span is not None:
        rate = select(state < span[1], rate, minimum(rate, 0.0))
        rate = select(state > span[0], rate, maximum(rate, 0.0))
    robot.model.set_rate([*robot.model.states][-1], rate)
    return _clipped(state, span)


def _span(robot: Robot, node: Node, kind: str) -> tuple[float, float] | None:
    """ctrlrange, forcerange or actrange, where it counts."""
    word = f"{kind}range"
    limited = truth(node, f"{kind}limited", {**TRUTH, "auto": None}, None)
    if limited is None:
        limited = robot.settings.autolimits and word in node.attributes
    if not limited:
        return None
    low, high = node.numbers(word, (0.0, 0.0))
    if low > high:
        raise ModelError(f"{node.where}: <{node.tag} {word}>: {low} is above {high}; swap them.")
    return low, high


def _clipped(given: Value, span: tuple[float, float] | None) -> Value:
    return given if span is None else maximum(minimum(given, span[1]), span[0])


_TENDON_ATTRIBUTES = (
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
        robot.unread(node, _TENDON_ATTRIBUTES)
        if joint_limits(robot, node, "tendon") is not None:
            robot.notes.notice(f"{node.where}: tendon '{name}': its limits are left out.")
        _passive(robot, node, name, line)


def pull(robot: Robot, name: str, line: MjcfTendon, force: Value) -> None:
    """A force on a tendon, positive where it lengthens it."""
    for joint, factor in line.joints.items():
        robot.model.force(
            robot.force_name(f"{name} on {joint}"), JointEffort(joint, factor * force)
        )
    for part, (a, b, share) in enumerate(line.stretches, 1):
        robot.model.force(robot.force_name(f"{name} {part}"), LinkForce(a, b, -share * force))


def _fixed(robot: Robot, node: Node) -> MjcfTendon | None:
    """L = Σ coefficient · q."""
    line = MjcfTendon(0.0, 0.0)
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


def _spatial(robot: Robot, node: Node, name: str) -> MjcfTendon | None:
    """The length of the straight lines from site to site, those behind a pulley divided."""
    line, before, share = MjcfTendon(0.0, 0.0), None, 1.0
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


def _passive(robot: Robot, node: Node, name: str, line: MjcfTendon) -> None:
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


def _rest(robot: Robot, node: Node, line: MjcfTendon) -> tuple[float, float]:
    given = node.all_numbers("springlength") or (-1.0,)
    if {given[0], given[-1]} == {-1.0}:  # as long as it is where springs of joints are at rest
        length = _length_at_rest(robot, line)
        return length, length
    return given[0], given[-1]


def _length_at_rest(robot: Robot, line: MjcfTendon) -> float:
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


def length_at_start(robot: Robot, line: MjcfTendon) -> float:
    """The length in the position that the file draws."""
    joints = robot.model.joints
    length = sum(
        factor * joints[name].initial_position()[0] for name, factor in line.joints.items()
    )
    for a, b, share in line.stretches:
        length += share * robot.distance(a, b)
    return float(length)


_LEAST = 1e-15  # kg m²: MuJoCo's mjMINVAL


def add_fluid(robot: Robot) -> None:
    """Drag on every body as on the box of its inertia."""
    settings = robot.settings
    if not settings.density and not settings.viscosity:
        return
    for name, body in robot.model.bodies.items():
        if number("Mass", body.mass) < _LEAST or name in robot.ellipsoids:
            continue
        place, sizes = _box(body)
        drag = BoxDrag(
            place.frame(name), sizes, settings.density, settings.viscosity, settings.wind
        )
        robot.model.force(robot.force_name(f"{name} drag"), drag)


def _box(body: Body) -> tuple[Pose, tuple[float, float, float]]:
    """A box of a body's mass and moments: b² = 6 (J_j + J_k − J_i)/m."""
    J = np.array(body.tensor(), dtype=float)
    moments, axes = np.linalg.eigh(J)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    squares = 6.0 * np.maximum(moments.sum() - 2.0 * moments, _LEAST) / number("Mass", body.mass)
    x, y, z = map(float, np.sqrt(squares))
    return Pose(np.array(body.com, dtype=float), axes), (x, y, z)


def compensate_gravity(robot: Robot) -> None:
    """Forces against the weight of bodies that say so: gravcomp times their weight."""
    for name, share in robot.lifted.items():
        body = robot.model.bodies[name]
        x, y, z = (-share * body.mass * g for g in robot.model.gravity)
        if share:
            wrench = Wrench(Frame(name, body.com), (x, y, z))
            robot.model.force(robot.force_name(f"{name} lift"), wrench)


def tune_springs(robot: Robot) -> None:
    """Springs and dampers of the joints that say a time constant t and a damping ratio r: as stiff
    as I/(t r)² and 2 I/t, I the inertia that the coordinate moves with all others free where the
    file draws them."""
    if not robot.tuned:
        return
    instant = float_instant(robot.model)
    n = instant.tree.nv
    M = np.zeros((n, n))
    for (i, j), entry in mass_matrix_entries(instant).items():
        M[i, j] = entry
    freed = 1.0 / np.diag(np.linalg.inv(M))
    for name, node in robot.tuned.items():
        time, ratio = node.numbers("springdamper", (0.0, 0.0))
        if time > 0.0 and ratio > 0.0:
            inertia = float(freed[instant.freedom(name, 0)])
            robot.model.joints[name] = replace(
                robot.model.joints[name],
                spring=(inertia / (time * ratio) ** 2,),
                damping=(2.0 * inertia / time,),
            )
