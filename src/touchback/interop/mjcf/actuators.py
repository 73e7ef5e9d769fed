"""The actuators of MJCF: inputs of the model, with their gears, laws and limits."""

from __future__ import annotations

from touchback.errors import ModelError
from touchback.interop.mjcf.defaults import ACTUATOR
from touchback.interop.mjcf.document import referred
from touchback.interop.mjcf.laws import SHORTCUT, SHORTCUTS, Law, law_of
from touchback.interop.mjcf.robot import Line, Robot
from touchback.interop.mjcf.settings import TRUTH, truth
from touchback.interop.mjcf.tendons import pull
from touchback.interop.xml_file import Node
from touchback.model.forces import JointEffort, Wrench
from touchback.model.value import Value
from touchback.symbolic.functions import maximum, minimum, select

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
    pull(robot, name, line, force)


def _transmission(robot: Robot, node: Node, gear: tuple[float, ...]) -> Line | None:
    """What it pulls, with its length there; None (and said) for what isn't read. Balls, free joints
    and sites have no length."""
    words = node.attributes
    if "tendon" in words:
        if words["tendon"] not in robot.tendons:
            robot.notes.notice(f"{node.where}: actuator of tendon {words['tendon']!r}: left out.")
            return None
        whole = robot.tendons[words["tendon"]]
        return Line(
            gear[0] * whole.length, gear[0] * whole.rate,
            {joint: gear[0] * factor for joint, factor in whole.joints.items()},
            [(a, b, gear[0] * share) for a, b, share in whole.stretches],
        )  # fmt: skip
    if "site" in words and "refsite" not in words:
        referred(robot.sites, "site", words["site"], node)
        return Line(0.0, 0.0)
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
        return Line(gear[0] * length, gear[0] * rate, {name: gear[0]})
    if "jointinparent" in words or joint.kind == "free":
        robot.notes.notice(
            f"{node.where}: an actuator of '{joint.name}' along the axes of its parent or of the "
            "world is not read; there is no input."
        )
        return None
    return Line(0.0, 0.0)


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
