"""Units of a model must be what they are used for: of parameters, inputs and states in bodies,
frames, joints, forces, … through all expressions. What has no unit, or one that nobody knows, is
taken as it is; the latter with a warning.

A number of a parameter or an input is in its own unit wherever it is given or shown; expressions
have it in SI.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from touchback.errors import ModelError
from touchback.model.constraint_kinds import coordinate_of
from touchback.model.joints import Joint
from touchback.model.value_or_expression import Data
from touchback.symbolic import UNKNOWN, Dimensions, Expr, Quantity, quantity_of
from touchback.units import dimension_of, is_angle, is_unknown, text_of, unit_of

if TYPE_CHECKING:
    from touchback.model.model import Model

Place = tuple[str | int, ...]


class Use(NamedTuple):
    """A number of a description: where it stands, in which unit it is needed, and the number."""

    place: Place
    unit: str
    given: Any


class Declared(NamedTuple):
    """What an expression may use: what it is, its unit, and whether the model's author gave it."""

    kind: str
    unit: str
    by_author: bool


def check_units(model: Model) -> None:
    """Refuse a model whose units can't be what they are used for, in its parts too, each once."""
    for prefix, each in _with_parts(model):
        for place, message in unit_problems(each):
            raise ModelError(f"{prefix}{_item(place)}{message}")


def unknown_units(model: Model) -> Iterator[str]:
    """What to warn of: parameters, inputs and states, of parts too, in units that aren't known."""
    for prefix, each in _with_parts(model):
        for word in ("parameters", "inputs", "states"):
            for name, item in getattr(each, word).items():
                if is_unknown(item.unit):
                    yield (
                        f"{prefix}{word[:-1].capitalize()} '{name}': its unit '{item.unit}' isn't "
                        "known, so its number is taken as it is; known are e.g. "
                        "mm, g, ms, deg, rpm, N/mm, l, lbf, kWh."
                    )


def assumed_gains(model: Model) -> Iterator[str]:
    """What to doubt: efforts, rates of states and signals that are made of positions and rates in
    other units, as the effort `-q - v`, so that a gain of 1 stands for a stiffness."""
    for prefix, each in _with_parts(model):
        known = signals_of(each)
        dimensions = Dimensions(each.tape, partial(_quantity, known))
        for use in uses(each):
            wanted = dimension_of(use.unit)
            if not isinstance(use.given, Expr) or wanted is None or _is_place(use):
                continue
            if dimensions(use.given.id).assumes_gains(wanted):
                yield (
                    f"{prefix}{_item(use.place)}its {_field(use.place)} is {use.given}, positions "
                    f"and rates without gains, where {use.unit} is needed, so that gains are 1 in "
                    "SI; give them as parameters with units."
                )


def _with_parts(model: Model) -> Iterator[tuple[str, Model]]:
    """A model and those of its parts, each once, and what to say before what is wrong there."""
    met: set[int] = set()
    waiting: list[tuple[str, Model]] = [("", model)]
    while waiting:
        prefix, each = waiting.pop()
        if id(each) in met:
            continue
        met.add(id(each))
        yield prefix, each
        waiting += [(f"{prefix}Part '{name}': ", part.model) for name, part in each.parts.items()]


_ITEMS = {
    "bodies": "Body", "shapes": "Shape", "joints": "Joint", "forces": "Force",
    "contacts": "Contact", "closures": "Closure", "couplings": "Coupling",
    "constraints": "Constraint", "drives": "Drive", "states": "State", "controls": "Control",
    "sensors": "Sensor", "modes": "Mode", "transitions": "Transition", "parts": "Part",
}  # fmt: skip


def _item(place: Place) -> str:
    """The item of a place, before what is said of it; nothing of what is the model's own."""
    return f"{_ITEMS[str(place[0])]} '{place[1]}': " if place[0] in _ITEMS else ""


_PLACED = (
    "base", "bodies", "shapes", "joints", "forces", "contacts", "closures", "couplings",
    "constraints", "drives", "parts",
)  # fmt: skip


def unit_problems(model: Model) -> Iterator[tuple[Place, str]]:
    """Places where a unit can't be what it is used for, and what is wrong there; parts by
    themselves have their own."""
    known = signals_of(model)
    dimensions = Dimensions(model.tape, partial(_quantity, known))
    for use in uses(model):
        if isinstance(use.given, Expr) and (said := _complaint(known, dimensions, use)):
            yield use.place, said
    for name, part in model.parts.items():
        inner = part.model.all_parameters()
        for shared in part.share:
            outer = model.parameters[shared].unit
            if not _go_together(outer, inner[shared].unit):
                yield (
                    ("parts", name, "share"),
                    f"it shares the parameter '{shared}', which is in {outer} here and in "
                    f"{inner[shared].unit} there; give both a unit of the same dimension.",
                )


def _go_together(one: str, other: str) -> bool:
    return None in (a := (dimension_of(one), dimension_of(other))) or a[0] == a[1]


# ---- what expressions use ------------------------------------------------------------------------


def signals_of(model: Model) -> dict[str, Declared]:
    """What expressions of a model may use by its names, those of parts included."""
    found: dict[str, Declared] = {"time": Declared("time", "s", False)}
    own = model.owned_states()
    for name, sensor in model.sensors.items():
        for suffix, unit in zip(sensor.components(), sensor.units(), strict=True):
            found[f"{name}.{suffix}" if suffix else name] = Declared("sensor", unit, False)
    for name, joint in model.joints.items():
        kind = joint.kind
        for full, unit in zip(joint.position_names(name), kind.position_units(), strict=True):
            found[f"q:{full}"] = Declared("coordinate", unit or "1", False)
        for full, unit in zip(joint.velocity_names(name), kind.velocity_units(), strict=True):
            found[f"v:{full}"] = Declared("rate", unit, False)
    for word in ("parameters", "inputs", "states"):
        for name, item in getattr(model, word).items():
            found[name] = Declared(word[:-1], item.unit, name not in own)
    for prefix, part in model.parts.items():
        for inner, declared in signals_of(part.model).items():
            sort, _, rest = inner.rpartition(":")
            full = f"{sort}:{prefix}/{rest}" if sort else f"{prefix}/{inner}"
            found.setdefault(full, declared)
    return found


def _quantity(known: Mapping[str, Declared], symbol: Hashable) -> Quantity:
    given = known.get(str(symbol))
    if given is None:
        return UNKNOWN
    source: Any = given.kind if given.kind in ("parameter", "input") else "motion"
    dimension, angle = dimension_of(given.unit), is_angle(given.unit)
    return quantity_of(str(symbol), source, dimension, given.by_author, angle)


# ---- where numbers are used ----------------------------------------------------------------------


def uses(model: Model) -> Iterator[Use]:
    """All numbers of a model that are needed in some unit; parts by themselves have their own."""
    for i, component in enumerate(model.gravity):
        yield Use(("gravity", i), "m/s²", component)
    yield from _fields(("base",), model.base, {})
    joints = model.all_joints()
    for section in ("bodies", "shapes", "contacts", "closures"):
        for name, item in getattr(model, section).items():
            yield from _fields((section, name), item, {})
    for name, joint in model.joints.items():
        yield from _joint_uses(("joints", name), joint)
    for section in ("forces", "couplings"):
        for name, item in getattr(model, section).items():
            yield from _fields((section, name), item, _words(joints, item))
    yield from _constraint_uses(model, joints)
    yield from _signal_uses(model)


def _fields(place: Place, item: Data, words: Mapping[str, str]) -> Iterator[Use]:
    """The fields of described data and of what lies in them."""
    units = item.field_units()
    for field in item.__struct_fields__:
        given, where = getattr(item, field), (*place, field)
        if isinstance(given, Data):
            inside = place if field == "kind" else where
            yield from _fields(inside, given, words)
        elif isinstance(given, tuple) and given and isinstance(given[0], Data):
            for i, each in enumerate(given):
                yield from _fields((*where, i), each, words)
        elif field in units and given is not None:
            try:
                unit = units[field].format(**words)
            except KeyError:
                continue  # it names a joint that isn't there, or that has several coordinates
            yield from _values(where, unit, given)


def _values(place: Place, unit: str, given: object) -> Iterator[Use]:
    if isinstance(given, tuple):
        for i, each in enumerate(given):
            turn = isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str)
            yield from _values((*place, i), unit, each[1] if turn else each)
    else:
        yield Use(place, unit, given)


def _effort(position: str) -> str:
    return "N" if position == "m" else "N m"


def _words(joints: Mapping[str, Joint], item: Any) -> dict[str, str]:
    """Units of the coordinates that an item names, by what it calls them."""
    found: dict[str, str] = {}
    for field in getattr(item, "NAMES", ("joint",)):
        named = getattr(item, field, None)
        if not isinstance(named, str):
            continue
        joint, index = coordinate_of(joints, named, getattr(item, "index", 0))
        units = _position_units(joints[joint]) if joint in joints else ()
        if not 0 <= index < len(units):
            continue
        if field == "joint":
            found |= {"position": units[index], "effort": _effort(units[index])}
        else:
            found[field] = units[index]
    return found


def _position_units(joint: Joint) -> tuple[str, ...]:
    """Those of what velocities are rates of: also where positions are quaternions."""
    return tuple(unit.removesuffix("/s") for unit in joint.kind.velocity_units())


def _joint_uses(place: Place, joint: Joint) -> Iterator[Use]:
    yield from _fields(place, joint.kind, {})
    for end in ("parent", "child"):
        yield from _fields((*place, end), getattr(joint, end), {})
    units = _position_units(joint)
    for i, unit in enumerate(units):
        effort = _effort(unit)
        inertia = "kg" if unit == "m" else "kg m²"
        for word, needed in (
            ("spring", f"{effort}/{unit}"), ("rest", unit), ("damping", f"{effort} s/{unit}"),
            ("friction", effort), ("armature", inertia), ("velocity", f"{unit}/s"),
            ("limits", unit),
        ):  # fmt: skip
            if len(given := getattr(joint, word)) == len(units):
                yield from _values((*place, word, i), needed, given[i])
    positions = joint.kind.position_units()
    for i, (unit, number) in enumerate(zip(positions, joint.position)):
        if unit:
            yield Use((*place, "position", i), unit, number)
    if len(set(units)) == 1:
        yield Use((*place, "friction_speed"), f"{units[0]}/s", joint.friction_speed)
        if isinstance(joint.stop, tuple):
            effort = _effort(units[0])
            yield Use((*place, "stop", 0), f"{effort}/{units[0]}", joint.stop[0])
            yield Use((*place, "stop", 1), f"{effort} s/{units[0]}", joint.stop[1])


def _constraint_uses(model: Model, joints: Mapping[str, Joint]) -> Iterator[Use]:
    for name, kept in model.constraints.items():
        place: Place = ("constraints", name)
        for word in ("position", "velocity"):
            yield Use((*place, word), kept.unit, getattr(kept, word))
        yield Use((*place, "friction"), "1", kept.friction)
        for word in ("slides", "slip_speed"):
            yield Use((*place, word), "m/s", getattr(kept, word))
    for name, drive in model.drives.items():
        units = _position_units(joints[drive.joint]) if drive.joint in joints else ()
        if drive.index < len(units):
            unit = units[drive.index]
            for word, needed in (
                ("position", unit), ("velocity", f"{unit}/s"), ("acceleration", f"{unit}/s²"),
            ):  # fmt: skip
                yield Use(("drives", name, word), needed, getattr(drive, word))


def _signal_uses(model: Model) -> Iterator[Use]:
    for name, state in model.states.items():
        if state.update is not None:
            yield Use(("states", name, "update"), state.unit, state.update)
        elif state.unit:
            yield Use(("states", name, "rate"), f"{state.unit}/s", state.rate)
    inputs = model.all_inputs()
    for name, control in model.controls.items():
        for target, law in control.drives.items():
            yield Use(("controls", name, "drives", target), inputs[target].unit, law)
    for name, sensor in model.sensors.items():
        if hasattr(sensor, "expression"):
            yield Use(("sensors", name, "expression"), sensor.unit(), sensor.expression)
    for name, mode in model.modes.items():
        for target, shown in mode.readouts.items():
            unit = model.sensors[target].unit() if target in model.sensors else ""
            yield Use(("modes", name, "readouts", target), unit, shown)
    known = signals_of(model) if model.transitions else {}
    for name, each in model.transitions.items():
        for target, value in each.reset.items():
            if target in known:
                yield Use(("transitions", name, "reset", target), known[target].unit, value)
        for contact, value in each.restitution.items():
            yield Use(("transitions", name, "restitution", contact), "1", value)
    for name, part in model.parts.items():
        yield from _fields(("parts", name, "at"), part.at, {})
        inner = part.model.all_parameters()
        for bound, value in part.bind.items():
            yield Use(("parts", name, "bind", bound), inner[bound].unit, value)


# ---- what is wrong -------------------------------------------------------------------------------


def _complaint(
    known: Mapping[str, Declared], dimensions: Callable[[int], Quantity], use: Use
) -> str:
    """What is wrong with a use; nothing where all is well, or nobody can tell."""
    expression: Expr = use.given
    found = dimensions(expression.id)
    where = _field(use.place)
    if found.problem:
        return f"in its {where}, {found.problem}; correct a unit, or the expression."
    wanted = dimension_of(use.unit)
    if wanted is None:
        return ""
    if _is_place(use) and (found.doubt or found.is_rate or _is_length_for_angle(found, use.unit)):
        what = found.doubt or f"it is {expression}, {_quantity_in_words(found)}"
        return (
            f"in its {where}, {what}; {use.unit} is needed there: multiply rates by a time and "
            "angles by a radius, or use positions of one kind alone."
        )
    name = str(expression.tape.names.get(abs(expression.id), ""))
    if name in found.names and _is_frequency_for_angle(known[name].unit, use.unit):
        return (
            f"its {where} is the {known[name].kind} '{name}', in {known[name].unit}; {use.unit} is "
            "needed there, and a turn has 2π rad: multiply it by 2π, or give it in rad/s or rpm."
        )
    angle_for_number = found.angle and found.names and use.unit == "1"
    if not found.contradicts(wanted) and not angle_for_number:
        return ""
    if name in found.names:
        kind, unit, _ = known[name]
        return (
            f"its {where} is the {kind} '{name}', in {unit}; {use.unit} is needed there. Give "
            f"'{name}' a unit such as {use.unit}, or use another {kind} there."
        )
    units = ", ".join(f"'{each}' in {known[each].unit}" for each in found.names[:4])
    return (
        f"its {where} is {expression}, with {units}: {_quantity_in_words(found)}; {use.unit} is "
        "needed there. Correct the unit of one of them, or the expression."
    )


def _quantity_in_words(found: Quantity) -> str:
    return "an angle" if found.angle else f"a quantity in {text_of(found.dimension or ())}"


def _is_length_for_angle(found: Quantity, wanted: str) -> bool:
    """Whether a length stands where an angle is needed, or the other way round."""
    return found.moving and (found.is_length if is_angle(wanted) else found.angle)


def _is_place(use: Use) -> bool:
    """Whether a number says where something is, and so has no gains: lengths and angles, but those
    of states, controls and sensors, and of rates of constraints."""
    return use.unit in ("m", "rad") and use.place[0] in _PLACED and use.place[-1] != "velocity"


def _is_frequency_for_angle(given: str, wanted: str) -> bool:
    """Whether turns a second are used as radians a second, which have the same dimension."""
    here, there = unit_of(given), unit_of(wanted)
    return here is not None and there is not None and here.si == "Hz" and there.si == "rad/s"


def _field(place: Place) -> str:
    """A place within an item, as "com[0]" or "parent.at[1]"; of the model, as "gravity[2]"."""
    inside = place[2:] if place[0] in _ITEMS else place
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in inside)
    return shown.removeprefix(".")
