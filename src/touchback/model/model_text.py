"""A model as text: the tree of its bodies and lists of everything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from touchback.model.flatten_submodels import flatten
from touchback.model.frame import GROUND, Frame
from touchback.model.joint_limits import limit_numbers
from touchback.model.joints import Joint
from touchback.model.value_or_expression import Data
from touchback.symbolic import Expr, to_text

if TYPE_CHECKING:
    from touchback.model.model import Model

_LONGEST = 60  # characters of an expression before it is cut

Row = tuple[str, ...]
Pairs = tuple[tuple[float, float], ...]  # stiffness and damping of each coordinate


def tree_text(model: Model, default_stops: Mapping[str, Pairs] | None = None) -> str:
    """The tree from the ground through joints to bodies, then parameters, inputs and the rest;
    `default_stops` has stiffness and damping of a joint's coordinates, where they are known."""
    flat = flatten(model)
    reached: set[str] = set()
    lines = [_title(flat), GROUND, *_branches(flat, reached)]
    lost = [name for name in flat.bodies if name not in reached]
    if lost:
        lines.append("not connected to the ground: " + ", ".join(f"'{name}'" for name in lost))
    lists: dict[str, list[Row]] = {}
    for heading, row in _rows(flat, default_stops or {}):
        lists.setdefault(heading, []).append(row)
    for heading, rows in lists.items():
        lines += ["", heading, *_columns(rows)]
    return "\n".join(lines)


def _title(model: Model) -> str:
    freedoms = sum(joint.kind.nv for joint in model.joints.values())
    counts = [
        _count(len(model.bodies), "body", "bodies"),
        _count(len(model.joints), "joint", "joints"),
        _count(freedoms, "freedom of the tree", "freedoms of the tree"),
    ]
    if model.closures:
        counts.append(_count(len(model.closures), "closure", "closures"))
    return f"Model '{model.name}': {', '.join(counts)}"


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def _branches(model: Model, reached: set[str]) -> Iterator[str]:
    """A line for each joint; without recursion, for chains may be longer than Python's stack."""
    levels = [("", _below(model, GROUND, reached))]
    while levels:
        margin, below = levels[-1]
        if not below:
            levels.pop()
            continue
        name, joint = below.pop(0)
        child = joint.child.body
        reached.add(child)
        yield f"{margin}{'├─' if below else '└─'} {_joint(name, joint)} ─ {_body(model, child)}"
        levels.append((margin + ("│  " if below else "   "), _below(model, child, reached)))


def _below(model: Model, body: str, reached: set[str]) -> list[tuple[str, Joint]]:
    return [
        (name, joint)
        for name, joint in model.joints.items()
        if joint.parent.body == body and joint.child.body not in reached
    ]


def _joint(name: str, joint: Joint) -> str:
    config = joint.kind.__struct_config__
    own = [getattr(joint.kind, field) for field in joint.kind.__struct_fields__]
    kind = joint.kind  # quaternions have one order only
    order = f": {', '.join(kind.position_names())}" if 1 < kind.nq == kind.nv else ""
    return f"{name} ({' '.join([str(config.tag), *map(value_text, own)])}{order})"


def _body(model: Model, name: str) -> str:
    if name not in model.bodies:
        return f"{name} (not described)"
    body = model.bodies[name]
    flat = f", inertia about {body.planar()} only: for motion in a plane" if body.planar() else ""
    return f"{name}, {value_text(body.mass)} kg{flat}"


def _rows(model: Model, default_stops: Mapping[str, Pairs]) -> Iterator[tuple[str, Row]]:
    """Heading and cells of everything that the tree doesn't show."""
    for name, item in model.parameters.items():
        default = f"{value_text(item.default)} {item.unit}".strip()
        yield "parameters", (name, default, _range(item.min, item.max))
    for name, given in model.inputs.items():
        yield "inputs", (name, given.unit, _range(given.min, given.max))
    owned = model.owned_states()
    for name, state in model.states.items():
        start = f"from {value_text(state.initial)} {state.unit}".strip()
        change = "by its force" if name in owned else f"rate {value_text(state.rate)}"
        if state.update is not None:
            change = f"at ticks {value_text(state.update)}"
        yield "states", (name, start, change)
    for name, control in model.controls.items():
        for target, driven in control.drives.items():
            yield "controls", (name, f"{target} = {value_text(driven)}")
    yield from _limits(model, default_stops)
    for name, force in model.forces.items():
        yield "forces", (name, kind_text(force))
    for name, contact in model.contacts.items():
        yield "contacts", (name, kind_text(contact))
    for name, closure in model.closures.items():
        ends = f"{closure.a.body} – {closure.b.body}"
        yield "closures", (name, f"{kind_text(closure.kind)} {ends}")
    for name, coupling in model.couplings.items():
        yield "couplings", (name, kind_text(coupling))
    for name, constraint in model.constraints.items():
        kept = constraint.velocity if constraint.position is None else constraint.position
        how = "" if constraint.through is None else f"through {constraint.through[0]}"
        if constraint.slides is not None:
            coefficient, slides = value_text(constraint.friction), value_text(constraint.slides)
            how = f"friction {coefficient} along {slides}"
        yield "constraints", (name, f"{value_text(kept)} = 0", how)
    for name, drive in model.drives.items():
        yield "drives", (name, f"{drive.joint} = {value_text(drive.position)}")
    for name, mode in model.modes.items():
        shows = [f"{key} = {value_text(shown)}" for key, shown in mode.readouts.items()]
        yield "modes", (name, f"with {', '.join(mode.active) or 'nothing'}", ", ".join(shows))
    for name, each in model.transitions.items():
        ways = " or ".join(each.source) + (f" → {each.target}" if each.target else "")
        rest = f"or → {each.rest}" if each.rest else ""
        sides = {-1: "falls", 0: "crosses", 1: "rises"}
        when = f"when {value_text(each.when)} {sides[each.direction]}"
        yield "transitions", (name, ways, when, rest)
    for name, sensor in model.sensors.items():
        units = ", ".join(dict.fromkeys(filter(None, sensor.units())))
        yield "sensors", (name, kind_text(sensor), f"[{units}]" if units else "")


def _limits(model: Model, default_stops: Mapping[str, Pairs]) -> Iterator[tuple[str, Row]]:
    """Ranges of joints, what holds them there, and what an imported file rates them for."""
    ratings, limits = model.imported.get("ratings", {}), limit_numbers(model)
    for name, joint in model.joints.items():
        coordinates = joint.position_names(name) if joint.limits else []
        ends = ", ".join(_range(*limits[each]) for each in coordinates)
        rated = [f"{word} {value_text(most)}" for word, most in ratings.get(name, {}).items()]
        if ends or rated:
            held = _held(joint, default_stops.get(name, ())) if ends else ""
            yield "limits", (name, ends, held, f"rated for {', '.join(rated)}" if rated else "")


def _held(joint: Joint, default: Pairs) -> str:
    if joint.stop is None:
        return " ".join(["default stop", *map(value_text, default)])
    return f"stop {value_text(joint.stop)}" if joint.stop else "nothing stops it there"


def _range(lowest: float | None, highest: float | None) -> str:
    if lowest is None and highest is None:
        return ""
    return " … ".join("" if end is None else value_text(end) for end in (lowest, highest)).strip()


def kind_text(item: Data) -> str:
    """What a joint, closure, force or sensor is, with what it is tied to."""
    shown = []
    for field in item.__struct_fields__:
        given = getattr(item, field)
        if field not in ("axes", "measured_in") and isinstance(given, (str, Frame, Expr)):
            shown.append(value_text(given))
        elif isinstance(given, Data):  # a profile, a law
            shown.append(kind_text(given))
    return " ".join([str(item.__struct_config__.tag), ", ".join(shown)]).strip()


def value_text(given: object) -> str:
    """A number, expression, axis or frame in few characters."""
    if isinstance(given, Expr):
        definitions, (text,) = to_text(given.tape, [given.id], table=lambda table: "table")
        if definitions or len(text) > _LONGEST:
            return f"{text[: _LONGEST - 1]}…"
        return text
    if isinstance(given, Frame):
        return given.body
    if isinstance(given, tuple):
        return "(" + ", ".join(map(value_text, given)) + ")"
    return f"{given:.6g}" if isinstance(given, float) else str(given)


def _columns(rows: list[Row]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
