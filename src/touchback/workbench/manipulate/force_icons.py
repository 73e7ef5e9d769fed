"""Icons: forces, torques and motions that are put on a mechanism and changed while it runs.

Each comes into the model once, by another structure, with inputs of its own; its numbers are these
inputs from then on. A force called "push" has "push x", "push y", "push z" [N], its point
"push at x", … [m], and "push by tail", 1 where its arrow is drawn with the tail at the point (which
nothing feels, but recordings keep it); a torque "twist" has "twist x", … [N m]. A motion "turn"
has "turn command" (a rate, or where "turn by position" is 1 a position) and the parameter
"turn ramp" [s]: the coordinate is driven, from where it is and as fast as it goes, towards the
command (rate ω̇ = (ω* − ω)/T, with ω* = (command − q)/(4 T) by position, which is critically
damped), and what that takes is measured as "turn effort".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from touchback import Expr, Frame, Model, Multiplier, Wrench, select
from touchback.errors import InputError
from touchback.model import Value, coordinate_of
from touchback.names import unknown_name
from touchback.realtime.control import CommandServer
from touchback.realtime.control.control_messages import Facts
from touchback.workbench.manipulate.manipulator_messages import LARGEST, Icon, Remove
from touchback.workbench.manipulate.state_snapshot import check_body
from touchback.workbench.manipulate.undo_history import ICON, Change, Reshape

_RAMP = 0.05  # s


_STEPS = 5.0  # that a ramp has at least


Triple = tuple[float, float, float]


@dataclass(frozen=True)
class _Place:
    """What of an icon needs another structure when it changes."""

    kind: str
    on: str
    frame: str


class Icons:
    """The icons on a run."""

    def __init__(self, commands: CommandServer, reshape: Reshape) -> None:
        self._commands, self._reshape = commands, reshape
        self.icons: dict[str, Icon] = {}
        self._was: dict[str, tuple[Change, Icon | None]] = {}  # before the change that put it

    def governs(self, name: str) -> tuple[str, Sequence[str]] | None:
        """The numbers of an icon are for those who may put it where it is."""
        for icon in list(self.icons.values()):
            if name in (*values_of(icon), f"{icon.name} ramp"):
                return "structure", (icon.on,)
        return None

    def put(self, asked: Icon, client: str) -> Facts:
        """A new icon, or another number for one."""
        live = self._commands.live
        self._commands.check("structure", asked.on)
        with self._reshape.lock:
            self._forget_lost()
            known, values = self.icons.get(asked.name), values_of(asked)
            if known is not None:
                self._commands.check("structure", known.on)  # from where it may be taken
            facts: Facts = {"tick": live.ticks}
            if known is None or _place(known) != _place(asked):
                change = self._change(asked)
                self.icons[asked.name] = asked  # before: who draws the new structure asks at once
                try:
                    facts = self._reshape.replace(change)
                except BaseException:
                    self._restore(asked.name, known)
                    raise
                self._was[asked.name] = change, known
            self.icons[asked.name] = asked
            there = set(live.system.input_names)
            for name, value in values.items():
                if name in there:  # else it waits for its tick, and begins with these numbers
                    live[name] = value
        return {**facts, "icon": asked.name, "inputs": values_of(asked)}

    def remove(self, asked: Remove, client: str) -> Facts:
        """Goes on without an icon."""
        with self._reshape.lock:
            self._forget_lost()
            if asked.icon not in self.icons:
                raise unknown_name(ICON, asked.icon, self.icons)
            self._commands.check("structure", self.icons[asked.icon].on)
            facts = self._reshape.take_back(ICON, asked.icon)[1]
            del self.icons[asked.icon]
        return {**facts, "icon": asked.icon}

    def take_up(self, base: Model, icons: Sequence[Icon]) -> None:
        """Icons that the run has already, over a model without them."""
        with self._reshape.lock:
            self._reshape.begin_from(base, [self._change(icon) for icon in icons])
            self.icons = {icon.name: icon for icon in icons}

    def describe(self) -> list[dict[str, object]]:
        """All icons with their present numbers, for whoever draws them."""
        live = self._commands.live
        found: list[dict[str, object]] = []
        for icon in list(self.icons.values()):
            there, tail = set(live.system.input_names), tail_name(icon.name)
            if not set(values_of(icon)) - {tail} <= there:
                continue
            found.append({
                "name": icon.name, "kind": icon.kind, "on": icon.on, "frame": icon.frame,
                "end": end_of(live[tail]) if tail in there else icon.end,
                "of": icon.of,
                "at": [live[name] for name in at_names(icon.name)]
                if icon.kind == "force" else list(icon.at),
                "value": live[f"{icon.name} command"] if icon.kind == "motion"
                else [live[name] for name in value_names(icon.name)],
            })  # fmt: skip
        return found

    def _forget_lost(self) -> None:
        """Icons that went with a structure that somebody else swapped; one whose change a tick
        refused is what it was."""
        self._reshape.model()
        there = {each.name: each for each in self._reshape.changes if each.of == ICON}
        self.icons = {name: icon for name, icon in self.icons.items() if name in there}
        self._was = {name: was for name, was in self._was.items() if name in there}
        for name, (change, icon) in list(self._was.items()):
            if there[name] is not change:
                self._restore(name, icon)
                del self._was[name]

    def _restore(self, name: str, icon: Icon | None) -> None:
        if icon is None:
            del self.icons[name]
        else:
            self.icons[name] = icon

    def _change(self, asked: Icon) -> Change:
        system = self._commands.live.system
        words = f"{asked.kind} '{asked.name}' on '{asked.on}'"
        if asked.kind != "motion":
            _vector(asked)
            check_body(system, asked.on)
            return Change(ICON, asked.name, words, lambda model: _add_load(model, asked))
        joint, index = _coordinate(system.model, asked)
        given = system.model.joints[joint]
        source = given.position_names(joint)[index]
        plan = self._commands.live.spec
        shortest = _STEPS / (plan.rate * plan.substeps)
        begin = {f"{asked.name} position": source, f"{asked.name} rate": f"{source} rate"}
        return Change(
            ICON, asked.name, words,
            lambda model: _add_motion(model, asked, joint, index, shortest), begin,
        )  # fmt: skip


def value_names(icon: str) -> tuple[str, str, str]:
    """The inputs of a force or torque."""
    return f"{icon} x", f"{icon} y", f"{icon} z"


def at_names(icon: str) -> tuple[str, str, str]:
    """The inputs of the point where a force acts."""
    return f"{icon} at x", f"{icon} at y", f"{icon} at z"


def tail_name(icon: str) -> str:
    """The input that says which end of a force's arrow is at its point."""
    return f"{icon} by tail"


def end_of(by_tail: float) -> Literal["head", "tail"]:
    """The end by the number of that input."""
    return "tail" if by_tail > 0.5 else "head"


def values_of(icon: Icon) -> dict[str, float]:
    """The inputs of an icon with its numbers."""
    if icon.kind == "motion":
        return {
            f"{icon.name} command": _number(icon),
            f"{icon.name} by position": float(icon.of == "position"),
        }
    found = dict(zip(value_names(icon.name), _vector(icon), strict=True))
    if icon.kind == "force":
        found |= dict(zip(at_names(icon.name), map(float, icon.at), strict=True))
        found[tail_name(icon.name)] = float(icon.end == "tail")
    return found


def _place(icon: Icon) -> _Place:
    return _Place(icon.kind, icon.on, icon.frame if icon.kind != "motion" else "")


def _vector(icon: Icon) -> Triple:
    if not isinstance(icon.value, tuple):
        raise InputError(
            f"Icon '{icon.name}': the value of a {icon.kind} has three components, got "
            f"{icon.value!r}."
        )
    x, y, z = (_bounded(icon, component) for component in icon.value)
    return x, y, z


def _number(icon: Icon) -> float:
    if isinstance(icon.value, tuple):
        raise InputError(f"Icon '{icon.name}': the value of a motion is one number.")
    return _bounded(icon, icon.value)


def _bounded(icon: Icon, value: float) -> float:
    if not abs(value) <= LARGEST:
        raise InputError(
            f"Icon '{icon.name}': {value:g} is no number to be computed with; at most {LARGEST:g}."
        )
    return float(value)


def _coordinate(model: Model, icon: Icon) -> tuple[str, int]:
    """The joint and index that a motion is of."""
    _number(icon)
    joint, index = coordinate_of(model.joints, icon.on)
    if joint not in model.joints:
        raise unknown_name("joint", icon.on, model.joints)
    kind = model.joints[joint].kind
    if kind.nq != kind.nv or not kind.nv:
        raise InputError(
            f"Icon '{icon.name}': joint '{joint}' ({type(kind).__name__}) has no plain coordinate "
            "that could be driven; change its kind first."
        )
    return joint, index


def _add_load(model: Model, icon: Icon) -> None:
    unit = "N" if icon.kind == "force" else "N m"
    values = _inputs(model, value_names(icon.name), _vector(icon), unit)
    frame = Frame(icon.on)
    if icon.kind == "torque":
        model.force(icon.name, Wrench(frame, torque=values, axes=icon.frame))
        return
    point = _inputs(model, at_names(icon.name), icon.at, "m")
    model.input(tail_name(icon.name), default=float(icon.end == "tail"))
    model.force(icon.name, Wrench(frame, force=values, axes=icon.frame, point=point))


def _inputs(
    model: Model, names: tuple[str, str, str], values: Triple, unit: str
) -> tuple[Expr, Expr, Expr]:
    x, y, z = (model.input(name, unit, float(value)) for name, value in zip(names, values))
    return x, y, z


def _add_motion(model: Model, icon: Icon, joint: str, index: int, shortest: float) -> None:
    name, unit = icon.name, model.joints[joint].kind.position_units()[index]
    values = values_of(icon)
    command = model.input(f"{name} command", f"{unit}/s" if icon.of == "rate" else unit,
                          values[f"{name} command"])  # fmt: skip
    by_position = model.input(f"{name} by position", default=values[f"{name} by position"])
    ramp = model.parameter(f"{name} ramp", max(_RAMP, shortest), "s", min=shortest)
    place = model.state(f"{name} position", unit=unit)
    rate = model.state(f"{name} rate", unit=f"{unit}/s")
    wanted = select(by_position < 0.5, command, (command - place) / (4.0 * ramp))
    acceleration = (wanted - rate) / ramp
    model.set_rate(f"{name} position", rate)
    model.set_rate(f"{name} rate", acceleration)
    model.drive(joint, place, rate, acceleration, index, name)
    model.sensor(f"{name} effort", Multiplier(name))
    if model.reported is not None:
        model.reported = (*model.reported, f"{name} effort")


def find_icons(icons: Icons, model: Model, numbers: Mapping[str, float]) -> None:
    """Takes up the icons that a model has, with their present numbers: they can be changed and
    removed, and are governed, as in the run in which they were put."""
    held = {name for control in model.controls.values() for name in control.drives}
    free = set(model.inputs) - held
    found = [
        icon
        for name in (*model.forces, *model.drives)
        if (icon := _load(model, name, free, numbers) or _motion(model, name, free, numbers))
    ]
    for icon in found:
        _take_out(model, icon)
    icons.take_up(model, found)


def _load(model: Model, name: str, free: set[str], numbers: Mapping[str, float]) -> Icon | None:
    """A force or torque whose components are inputs of its own."""
    force, inputs, point = model.forces.get(name), value_names(name), at_names(name)
    if not isinstance(force, Wrench) or force.frame != Frame(force.frame.body):
        return None
    if not free.issuperset(inputs):
        return None
    x, y, z = (numbers[each] for each in inputs)
    frame: Literal["world", "body"] = "body" if force.axes == "body" else "world"
    on = force.frame.body
    if _are(model, force.torque, inputs):
        return Icon(name=name, kind="torque", on=on, value=(x, y, z), frame=frame)
    if not free.issuperset(point):
        return None
    if not _are(model, (*force.force, *force.point), (*inputs, *point)):
        return None
    a, b, c = (numbers[each] for each in point)
    end = end_of(numbers.get(tail_name(name), 0.0))  # older recordings don't say
    return Icon(name=name, kind="force", on=on, at=(a, b, c), value=(x, y, z), frame=frame, end=end)


def _motion(model: Model, name: str, free: set[str], numbers: Mapping[str, float]) -> Icon | None:
    """A drive that follows a state of its own."""
    drive, inputs = model.drives.get(name), (f"{name} command", f"{name} by position")
    states = f"{name} position", f"{name} rate"
    if drive is None or not free.issuperset(inputs) or f"{name} ramp" not in model.parameters:
        return None
    if drive.velocity is None or not model.states.keys() >= set(states):
        return None
    if not _are(model, (drive.position, drive.velocity), states):
        return None
    names = model.joints[drive.joint].velocity_names(drive.joint)
    return Icon(
        name=name, kind="motion", on=names[drive.index] if drive.index else drive.joint,
        value=numbers[inputs[0]], of="position" if numbers[inputs[1]] else "rate",
    )  # fmt: skip


def _are(model: Model, values: Sequence[Value], names: Sequence[str]) -> bool:
    """Whether values are just the signals of these names."""
    return all(
        isinstance(each, Expr) and each.id == model.tape.symbol(name)
        for each, name in zip(values, names, strict=True)
    )


def _take_out(model: Model, icon: Icon) -> None:
    """What an icon brought into a model goes."""
    name = icon.name
    if icon.kind != "motion":
        del model.forces[name]
        for each in (*value_names(name), *(at_names(name) if icon.kind == "force" else ())):
            del model.inputs[each]
        model.inputs.pop(tail_name(name), None)
        return
    del model.drives[name], model.parameters[f"{name} ramp"]
    for word in ("command", "by position"):
        del model.inputs[f"{name} {word}"]
    for word in ("position", "rate"):
        del model.states[f"{name} {word}"]
    model.sensors.pop(f"{name} effort", None)
    if model.reported is not None:
        model.reported = tuple(each for each in model.reported if each != f"{name} effort")
