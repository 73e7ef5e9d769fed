"""What a model is, in numbers that a reader can hold against what is meant: freedoms, redundant
constraints, singular positions, ranges, masses and inertias, drives, contacts, units; and what is
doubtful about them. A model that can't work is refused earlier, when it is compiled."""

from __future__ import annotations

import math
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from touchback.analysis.system_at_parameters import state_of
from touchback.errors import ModelError, TouchbackError, UnitNotice
from touchback.model import (
    AXES,
    GROUND,
    Expr,
    Fixed,
    Frame,
    LinkForce,
    Model,
    PointInPlane,
    SpringDamper,
    Value,
    assumed_gains,
    frames_of,
    limit_numbers,
    unknown_units,
    uses,
)
from touchback.simulate import CONTACT_TOLERANCE, RunSpec, Where, find_drive_jumps
from touchback.system import (
    Freedoms,
    Instant,
    State,
    System,
    check_numbers,
    float_instant,
    null_space,
)
from touchback.system.port_wrenches import Ports, ports
from touchback.units import dimension_of, is_unknown, unit_of

_TURN = 2.0 * math.pi
_APART = 1e-9  # distances below this part of the mechanism's size count as none
_STILL = 1e-7  # entries of Jacobians below this part of the largest count as none
_LARGE = 20.0  # radii of gyration and centres of mass beyond as many sizes of a body are doubtful
_CONDITION = 1e12  # of the mass matrix, scaled to a unit diagonal
_ENDS = 40  # parameters whose ranges are tried
_WEIGHTS = 100.0  # a contact that begins with as many weights of the whole mechanism is doubtful
_WIDTH = 100  # of the printed table


@dataclass(frozen=True)
class CheckWarning:
    """What is doubtful: a `code` for programs, such as "negative-stiffness", the `item` of the
    model that it is about, by name ("" where it is the whole), and the `message`, which `str` of it
    gives."""

    code: str
    item: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Check:
    """What `tb.check` found: `rows` of a table by name, and `warnings`. `print(check)` shows the
    `verdict`, the table and the warnings."""

    name: str
    rows: dict[str, str]
    warnings: tuple[CheckWarning, ...]

    @property
    def fine(self) -> bool:
        """Whether nothing is doubtful."""
        return not self.warnings

    @property
    def verdict(self) -> str:
        """One line: the model, "fine" or the number of warnings, and its size."""
        found = "fine" if self.fine else _count(len(self.warnings), "warning")
        return f"{self.name}: {found}. {self.rows['size']}."

    @property
    def table(self) -> list[tuple[str, str]]:
        """The rows without those that the verdict has."""
        return [(name, text) for name, text in self.rows.items() if name != "size"]

    def __str__(self) -> str:
        wide = max(len(name) for name in self.rows) + 2
        lines = [self.verdict]
        for name, text in self.table:
            first, *rest = textwrap.wrap(text, _WIDTH - wide) or [""]
            lines += [name.ljust(wide) + first, *(" " * wide + line for line in rest)]
        for each in self.warnings:
            lines += textwrap.wrap(f"warning: {each}", _WIDTH, break_on_hyphens=False)
        return "\n".join(lines)


def check(
    model: Model | System,
    x: Where | Callable[[System], State] = None,
    *,
    duration: float = 10.0,
) -> Check:
    """What a model is at a state, and what is doubtful about it: the table and the warnings of
    `touchback check`. A model that can't work raises `ModelError`, as when it is compiled.

    `x` is the state to look at, or a function that gives one for the compiled system, such as
    `lambda system: system.assemble(crank=0.3)`; without it the initial state. Drives are followed
    for `duration` seconds. Parameters keep their defaults."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", UnitNotice)  # the row of units has them
        system = model.compile() if isinstance(model, Model) else model
        start = x(system) if callable(x) else state_of(system, x)
        _refuse_infinite_rates(system, start)
    doubts = [CheckWarning("model", "", each) for each in dict.fromkeys(map(_text, caught))]
    instant = float_instant(system.model, start.q)
    size = _size(instant)
    redundant = _redundant(system, start, instant)
    rows = {"size": _size_text(system)}
    for row, (text, found) in {
        "freedoms": _freedoms(system, start),
        "redundant constraints": redundant,
        "singularities": _singular(system, start),
        "ranges": _ranges(system, start, instant),
        "masses": _masses(instant),
        "inertias": _inertias(instant),
        "forces": _forces(instant, size),
        "closures": _closures(instant, size, {each.item for each in redundant[1]}),
        "drives": _drives(system, start, duration),
        "contacts": _contacts(instant),
        "units": _units(system),
        "ports": (_ports_text(_stirred(system, start)), []),
    }.items():
        if text:
            rows[row] = text
        doubts += found
    return Check(system.name, rows, tuple(doubts))


def _text(caught: warnings.WarningMessage) -> str:
    return str(caught.message)


def _refuse_infinite_rates(system: System, start: State) -> None:
    rate = system.state_rate(start.q, start.v, z=start.z)
    for name, value in zip(system.state_names, rate):
        if not np.isfinite(value):
            raise ModelError(
                f"{system.name}: the rate of '{name}' is {value} at the initial state; "
                "look for a body without inertia, or a division by zero, there."
            )


def _size_text(system: System) -> str:
    return (
        f"{_count(len(system.model.bodies), 'body', 'bodies')}, "
        f"{_count(len(system.model.joints), 'joint')}, "
        f"{system.counts('forward dynamics').flops} flops in forward dynamics"
    )


Found = tuple[str, list[CheckWarning]]


def _listed(names: list[str], most: int = 8) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


# ---- constraints ---------------------------------------------------------------------------------


def _has_rows(system: System) -> bool:
    return bool(system.model.constraint_rows())


def _freedoms(system: System, start: State) -> Found:
    velocities = len(system.velocities)
    if not _has_rows(system):
        return f"{velocities}: the tree's", []
    found: Freedoms = system.freedoms(start.q)
    rows = len(system.constraint_names)
    told = (
        f"{found.freedoms} of {_count(velocities, 'velocity', 'velocities')}, "
        f"{_count(rows, 'constraint row')} of rank {found.rank}"
    )
    if found.freedoms:
        return f"{told}; independent: {', '.join(found.independent)}", []
    if system.model.drives:
        return f"{told}; drives prescribe all of it", []
    return told, [
        CheckWarning(
            "no-freedom",
            "",
            "No freedom is left: nothing can move. Look for a closure with a wrong axis, or leave "
            "one away.",
        )
    ]


def _redundant(system: System, start: State, instant: Instant) -> Found:
    if not _has_rows(system):
        return "none", []
    redundant = list(system.freedoms(start.q).redundant)
    if not redundant:
        return "none", []
    forces = "its force isn't" if len(redundant) == 1 else "their forces aren't"
    told = f"{_listed(redundant)}: others hold the same, so that {forces} determined"
    return told, list(_wrong_planes(system, start, instant, redundant))


def _wrong_planes(
    system: System, start: State, instant: Instant, redundant: list[str]
) -> Iterator[CheckWarning]:
    """Closures in a plane of which one row adds nothing, while their points can move apart along
    the plane's normal: another plane is meant."""
    terms = system.terms(start.q, start.v, z=start.z)
    allowed = null_space(terms.J) if terms.J.size else np.eye(len(terms.f))
    if not allowed.size:
        return
    for name, closure in instant.model.closures.items():
        rows = [row for row in redundant if row.rpartition(".")[0] == name]
        if not (rows and isinstance(closure.kind, PointInPlane) and closure.active):
            continue
        speeds = np.abs(_relative_velocity(instant, closure.a, closure.b) @ allowed).max(axis=1)
        normal = next(axis for axis in "xyz" if axis not in closure.kind.plane)
        if speeds[AXES[normal]] <= _STILL * max(speeds.max(), 1e-300):
            continue
        held = [
            axis for axis, row in zip(closure.kind.plane, (1, 2)) if f"{name}.{row}" not in rows
        ]
        better = "".join(sorted({*held[:1], normal}))
        plane = f", as tb.PointInPlane('{better}') does" if len(better) == 2 else ""
        yield CheckWarning(
            "wrong-plane",
            name,
            f"Closure '{name}': it holds its points together in the plane "
            f"{closure.kind.plane}, but they move apart along {normal}, and its "
            f"{'row' if len(rows) == 1 else 'rows'} {_listed(rows)} hold"
            f"{'s' if len(rows) == 1 else ''} what joints hold already. Close it in the plane in "
            f"which the mechanism moves{plane}.",
        )


def _relative_velocity(instant: Instant, a: Frame, b: Frame) -> np.ndarray:
    """Velocity of b's origin as seen from a, along a's axes, by v: 3 × n."""
    one, other = (np.array(instant.unforced.jacobian(f), dtype=float) for f in (a, b))
    r = np.array(instant.position(b), dtype=float) - np.array(instant.position(a), dtype=float)
    R = np.array(instant.rotation(a), dtype=float)
    carried = np.cross(one[:3].T, r).T
    return np.asarray(R.T @ (other[3:] - one[3:] - carried))


def _singular(system: System, start: State) -> Found:
    told, doubts = [], []
    if _has_rows(system):
        found: Freedoms = system.freedoms(start.q)
        told.append(f"conditioning of the constraints {found.conditioning:.2g}")
        if found.singular:
            named = _listed(list(found.singular))
            doubts.append(
                CheckWarning(
                    "singular-start",
                    "",
                    f"The initial position is singular: {named} add nothing here, but do nearby, "
                    "so that the mechanism may go on in more than one way. Begin beside it.",
                )
            )
        elif found.conditioning < 1e-6:
            doubts.append(
                CheckWarning(
                    "singular-start",
                    "",
                    f"The initial position is nearly singular: the constraints' conditioning is "
                    f"{found.conditioning:.1e}. Begin farther from it, or check lengths and units.",
                )
            )
    condition = _condition(np.asarray(system.mass_matrix(start.q)))
    if condition is not None:
        told.append(f"condition of the mass matrix {condition:.2g}")
        if condition > _CONDITION and not _has_rows(system):
            doubts.append(
                CheckWarning(
                    "singular-mass-matrix",
                    "",
                    f"The mass matrix is nearly singular at the initial position: its condition is "
                    f"{condition:.1e}. Look for a body with almost no inertia, or for other units.",
                )
            )
    at = "none at the initial position" if not doubts else "at the initial position"
    return f"{at}; {', '.join(told)}" if told else at, doubts


def _condition(M: np.ndarray) -> float | None:
    """Of a mass matrix, scaled to a unit diagonal, since its entries have different units."""
    diagonal = np.diagonal(M)
    if not len(M) or not np.all(diagonal > 0.0):
        return None
    roots = np.sqrt(diagonal)
    return float(np.linalg.cond(M / np.outer(roots, roots)))


# ---- ranges --------------------------------------------------------------------------------------


def _ranges(system: System, start: State, instant: Instant) -> Found:
    model, doubts = instant.model, list[CheckWarning]()
    limits = limit_numbers(model)
    at = dict(zip(system.coordinates, start.q, strict=True))
    beyond = [name for name, (low, high) in limits.items() if not low <= at[name] <= high]
    for name in beyond:
        low, high = limits[name]
        doubts.append(
            CheckWarning(
                "beyond-limits",
                name,
                f"Joint coordinate '{name}' begins at {at[name]:g}, beyond its limits, {low:g} to "
                f"{high:g}: its stop pushes from the start.",
            )
        )
    doubts += _degrees(instant, system, at)
    ranged = [
        name for name, p in model.parameters.items() if p.min is not None or p.max is not None
    ]
    for name in ranged[:_ENDS]:
        doubts += _at_ends(system, name)
    told = f"{_count(len(limits), 'coordinate')} with limits, {_count(len(ranged), 'parameter')} "
    told += "with a range"
    if len(ranged) > _ENDS:
        told += f" (the first {_ENDS} tried at their ends)"
    return told, doubts


def _degrees(instant: Instant, system: System, at: dict[str, float]) -> Iterator[CheckWarning]:
    """Angles of more than a turn, which are degrees that were taken for radians."""
    units = dict(zip(system.coordinates, system.layout.q_units, strict=True))
    fix = "where degrees are meant give {:.6g}, math.radians({:g}), or '{:g} deg' in a file."
    given = {
        full: angle
        for name, joint in instant.model.joints.items()
        for full, angle in zip(joint.position_names(name), joint.position, strict=False)
    }
    for name, begins in at.items():
        written = given.get(name, begins)  # which assembly may have moved a little
        angle = written if abs(written - begins) < 0.01 * abs(begins) else begins
        if units[name] == "rad" and abs(angle) > _TURN * (1.0 + 1e-9):
            yield CheckWarning(
                "degrees",
                name,
                f"Joint coordinate '{name}' begins at {angle:g} rad, {abs(angle) / _TURN:.3g} turns"
                f"; {fix.format(math.radians(angle), angle, angle)}",
            )
    named: set[str] = set()
    for use in uses(instant.model):
        word = next((str(step) for step in use.place[2:] if step in ("turn", "rest", "limits")), "")
        item = f"{_ITEM.get(str(use.place[0]), 'Model')} '{use.place[1]}'"
        if use.unit != "rad" or not word or item + word in named:
            continue
        angle = _number(instant, use.given)
        if abs(angle) > 2.0 * _TURN:  # one and a bit come of sums
            named.add(item + word)
            which = "one of its limits" if word == "limits" else f"its {word}"
            yield CheckWarning(
                "degrees",
                str(use.place[1]),
                f"{item}: {which} is {angle:g} rad, {abs(angle) / _TURN:.3g} turns; "
                f"{fix.format(math.radians(angle), angle, angle)}",
            )


_ITEM = {
    "joints": "Joint", "forces": "Force", "closures": "Closure", "shapes": "Shape",
    "contacts": "Contact", "sensors": "Sensor",
}  # fmt: skip


def _at_ends(system: System, name: str) -> Iterator[CheckWarning]:
    """What a parameter's own range allows, and what can't work there."""
    given = system.model.parameters[name]
    for word, end in (("min", given.min), ("max", given.max)):
        if end is None or end == given.default:
            continue
        try:
            check_numbers(float_instant(system.model, parameters={name: end}))
            if _has_rows(system) and not system.model.modes:
                system.independent_copy({name: end}).assemble()
        except TouchbackError as error:
            why, unit = str(error).splitlines()[0], given.unit and f" {given.unit}"
            yield CheckWarning(
                "range-end",
                name,
                f"Parameter '{name}': at its {word}, {end:g}{unit}, the model can't work: {why} "
                "Narrow the range.",
            )


# ---- masses --------------------------------------------------------------------------------------


def _size(instant: Instant) -> float:
    """How large the mechanism is: the largest distance of a joint or a centre of mass from the
    ground's origin."""
    places = [
        np.array(instant.position(frame), dtype=float)
        for joint in instant.model.joints.values()
        for frame in (joint.parent, joint.child)
    ]
    return max((float(np.linalg.norm(place)) for place in places), default=0.0) or 1.0


def _masses(instant: Instant) -> Found:
    model = instant.model
    masses = {name: float(instant.value(body.mass)) for name, body in model.bodies.items()}
    own = {name: mass for name, mass in masses.items() if mass > 0.0}
    doubts = [
        CheckWarning(
            "massless",
            name,
            f"Body '{name}' moves and has neither mass nor inertia; give it some, or join it by "
            "tb.Fixed, unless a part without mass is meant.",
        )
        for name in _massless(instant)
    ]
    if not own:
        return "no body has a mass", doubts
    light, heavy = min(own, key=own.__getitem__), max(own, key=own.__getitem__)
    told = f"{sum(own.values()):.4g} kg"
    if len(own) > 1:
        told += f", from {own[light]:.3g} kg ('{light}') to {own[heavy]:.3g} kg ('{heavy}')"
        if own[heavy] > 1e7 * own[light]:
            doubts.append(
                CheckWarning(
                    "mass-ratio",
                    heavy,
                    f"Body '{heavy}' has {own[heavy]:.3g} kg, {own[heavy] / own[light]:.1g} times "
                    f"as much as '{light}' with {own[light]:.3g} kg; check their units.",
                )
            )
    if len(own) < len(masses):
        told += f"; without mass: {_listed([name for name in masses if name not in own])}"
    return told, doubts


def _massless(instant: Instant) -> Iterator[str]:
    """Bodies that move alone and have no inertia."""
    model = instant.model
    fixed = {body for joint in model.joints.values() if isinstance(joint.kind, Fixed)
             for body in (joint.parent.body, joint.child.body)}  # fmt: skip
    for name, body in model.bodies.items():
        numbers = [float(instant.value(x)) for x in (body.mass, *body.inertia)]
        if not any(numbers) and name not in fixed:
            yield name


def _inertias(instant: Instant) -> Found:
    model, doubts = instant.model, list[CheckWarning]()
    places: dict[str, list[np.ndarray]] = {name: [] for name in model.bodies}
    for joint in model.joints.values():
        _place(instant, places, joint.parent, joint.child)
    for section in (model.closures, model.forces, model.contacts, model.sensors, model.shapes):
        for item in section.values():
            _place(instant, places, *frames_of(item))
    planar, points = [], []
    for name, body in model.bodies.items():
        mass = float(instant.value(body.mass))
        tensor = np.array([[float(instant.value(x)) for x in row] for row in body.tensor()])
        moments = np.linalg.eigvalsh(tensor)
        if mass <= 0.0:
            continue
        if not tensor.any():
            points.append(name)
        elif moments[1] <= 1e-9 * moments[2]:
            planar.append(name)
        extent = _extent(places[name])
        com = np.array([float(instant.value(x)) for x in body.com])
        gyration = math.sqrt(max(moments[2], 0.0) / mass)
        off = min((float(np.linalg.norm(com - p)) for p in places[name]), default=0.0)
        if extent > 0.0 and gyration > _LARGE * extent:
            doubts.append(
                CheckWarning(
                    "radius-of-gyration",
                    name,
                    f"Body '{name}': its radius of gyration √(I/m) is {gyration:.3g} m, but its "
                    f"joints and frames lie {extent:.3g} m apart at most; check the units of its "
                    f"inertia ({moments[2]:.3g} kg m²) and its mass ({mass:.3g} kg).",
                )
            )
        if extent > 0.0 and off > _LARGE * extent:
            doubts.append(
                CheckWarning(
                    "centre-of-mass",
                    name,
                    f"Body '{name}': its centre of mass lies {off:.3g} m from its joints and "
                    f"frames, which are {extent:.3g} m apart at most; check the units of its com.",
                )
            )
    if not model.bodies:
        return "", []
    told = "those of real bodies" if not doubts else "doubtful, see the warnings"
    if points:
        told += f"; point masses: {_listed(points)}"
    if planar:
        told += f"; about one axis only, for motion in a plane: {_listed(planar)}"
    return told, doubts


def _place(instant: Instant, places: dict[str, list[np.ndarray]], *frames: Frame) -> None:
    for frame in frames:
        if frame.body != GROUND and frame.body in places:
            at = np.array([float(instant.value(x)) for x in frame.at])
            places[frame.body].append(at)


def _extent(places: list[np.ndarray]) -> float:
    if len(places) < 2:
        return 0.0
    points = np.array(places)
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))


# ---- forces --------------------------------------------------------------------------------------


def _forces(instant: Instant, size: float) -> Found:
    model = instant.model
    lines = {n: f for n, f in model.forces.items() if isinstance(f, SpringDamper | LinkForce)}
    moved = [_moved(instant, k) for k in (1, 2)] if lines else []
    doubts = [*_negative(instant), *_without_effect(instant)]
    for name, force in lines.items():
        doubts += _line(instant, moved, name, force, size)
    if not model.forces:
        return "", doubts
    between = f", {_count(len(lines), 'spring or link', 'springs and links')} between points"
    return f"{_count(len(model.forces), 'force')}{between if lines else ''}", doubts


def _number(instant: Instant, given: Value) -> float:
    return float(instant.value(given))


def _moved(instant: Instant, k: int) -> Instant:
    """The mechanism elsewhere, loops open."""
    q = np.asarray(instant.at.q, dtype=float)
    return float_instant(instant.model, q + 0.3 + 0.2 * np.sin(np.arange(len(q)) + k))


def _line(
    instant: Instant, moved: list[Instant], name: str, force: SpringDamper | LinkForce, size: float
) -> Iterator[CheckWarning]:
    """What a force along a line can't do: without a direction, or between points that keep their
    distance."""
    distance = _distance(instant, force)
    elsewhere = [_distance(other, force) for other in moved]
    label = f"Force '{name}': its ends, on '{force.a.body}' and '{force.b.body}',"
    if max(distance, *elsewhere) <= _APART * size:
        yield CheckWarning(
            "no-effect", name,
            f"{label} coincide however the mechanism moves, so that it never acts; give one "
            "of them another place, as body.at(0.1, 0, 0).",
        )  # fmt: skip
    elif max(abs(distance - other) for other in elsewhere) <= _APART * max(size, distance):
        yield CheckWarning(
            "no-effect", name,
            f"{label} keep their distance of {distance:.3g} m however the mechanism moves, so that "
            "it moves nothing; attach it to bodies that move against each other.",
        )  # fmt: skip
    elif distance <= _APART * size and (
        isinstance(force, LinkForce)
        or any(_number(instant, x) for x in (force.length, force.damping))
    ):
        yield CheckWarning(
            "coincident-ends", name,
            f"{label} coincide at the initial position, where the force has no direction and "
            "is taken as zero; begin beside it, or give one of them another place.",
        )  # fmt: skip


def _distance(instant: Instant, force: SpringDamper | LinkForce) -> float:
    a, b = (np.array(instant.position(frame), dtype=float) for frame in (force.a, force.b))
    return float(np.linalg.norm(b - a))


_SORTS = {  # by unit
    "N/m": "stiffness", "N m/rad": "stiffness", "N s/m": "damping", "N m s/rad": "damping",
}  # fmt: skip
_WORDS = {  # by field, where the unit depends on an exponent
    "stiffness": "stiffness", "damping": "damping", "friction": "friction",
}  # fmt: skip
_MEANS = {
    "stiffness": "pushes away from its rest, so that the mechanism can run away",
    "damping": "gives energy to whatever moves",
    "friction": "gives energy to whatever moves",
}


def _negative(instant: Instant) -> Iterator[CheckWarning]:
    """Stiffnesses, dampings and friction that are negative at the start, wherever they stand."""
    for use in uses(instant.model):
        if use.place[0] not in ("joints", "forces", "contacts", "constraints"):
            continue
        word = _sort_of(use.place, use.unit)
        if not word or (number := _number(instant, use.given)) >= 0.0:
            continue
        field, given = _field(use.place), " at the start" if isinstance(use.given, Expr) else ""
        yield CheckWarning(
            f"negative-{word}", str(use.place[1]),
            f"{_ITEM[str(use.place[0])]} '{use.place[1]}': its {field} is {number:g} {use.unit}"
            f"{given}; negative {word} {_MEANS[word]}. Check its sign.",
        )  # fmt: skip


def _field(place: tuple[str | int, ...]) -> str:
    """The name of the field at a place, with the number of its component."""
    last = max(i for i, step in enumerate(place) if isinstance(step, str))
    return " ".join([str(place[last]), *(str(step) for step in place[last + 1 :])])


def _sort_of(place: tuple[str | int, ...], unit: str) -> str:
    """Whether a number is a stiffness, a damping or a friction, by its unit or its name; nothing
    of a force, such as a point of a damper's curve."""
    word = _WORDS.get([step for step in place if isinstance(step, str)][-1], "")
    if word == "friction" or (word and dimension_of(unit) != dimension_of("N")):
        return word
    return _SORTS.get(unit, "")


def _without_effect(instant: Instant) -> Iterator[CheckWarning]:
    """Forces whose numbers, of all fields whose unit has a mass in it (N, N/m, kg/m³, …), are zero
    as they were written; and rests of joints without a spring."""
    model = instant.model
    strengths: dict[str, list[tuple[str, object]]] = {}
    for use in uses(model):
        dimension = dimension_of(use.unit)
        if use.place[0] == "forces" and dimension is not None and dimension[0] != 0.0:
            own = strengths.setdefault(str(use.place[1]), [])
            own.append((str(use.place[2]), use.given))
    for name, own in strengths.items():
        if not any(isinstance(given, Expr) or given for _, given in own):
            words = list(dict.fromkeys(word for word, _ in own))
            yield CheckWarning(
                "no-effect", name,
                f"Force '{name}': its {_joined(words)} {'is' if len(words) == 1 else 'are'} 0, so "
                "that it never acts; give it some, or leave it away.",
            )  # fmt: skip
        elif (kept := _rigid_ends(instant, name)) is not None:
            yield CheckWarning(
                "no-effect", name,
                f"Force '{name}': it acts between two places of {kept}, which don't move against "
                "each other, so that it moves nothing; attach it to another body.",
            )  # fmt: skip
    for name, joint in model.joints.items():
        if any(isinstance(x, Expr) or x for x in joint.rest) and not any(
            isinstance(x, Expr) or x for x in joint.spring
        ):
            yield CheckWarning(
                "no-effect", name,
                f"Joint '{name}': its rest has no effect without a `spring`; give its stiffness.",
            )  # fmt: skip


def _rigid_ends(instant: Instant, name: str) -> str | None:
    """The one body that both ends of a force are on, where that is said by its frames `a`, `b`;
    forces along lines are looked at by their distances."""
    force = instant.model.forces[name]
    a, b = (getattr(force, end, None) for end in ("a", "b"))
    along_line = isinstance(force, SpringDamper | LinkForce)
    if along_line or not (isinstance(a, Frame) and isinstance(b, Frame)) or a.body != b.body:
        return None
    return "the ground" if a.body == GROUND else f"body '{a.body}'"


def _joined(words: list[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


# ---- closures, drives, contacts ------------------------------------------------------------------


def _closures(instant: Instant, size: float, wrong: set[str]) -> Found:
    """Points that a closure in a plane holds together in that plane only, and that are apart along
    its normal; but for those in a `wrong` plane, along whose normal they move."""
    doubts = []
    for name, closure in instant.model.closures.items():
        if not isinstance(closure.kind, PointInPlane) or name in wrong:
            continue
        normal = next(axis for axis in "xyz" if axis not in closure.kind.plane)
        a, b = (np.array(instant.position(f), dtype=float) for f in (closure.a, closure.b))
        R = np.array(instant.rotation(closure.a), dtype=float)
        apart = float((R.T @ (b - a))[AXES[normal]])
        if abs(apart) > _APART * size:
            doubts.append(CheckWarning(
                "apart-along-normal", name,
                f"Closure '{name}': its points are {abs(apart):.3g} m apart along {normal}, the "
                f"normal of its plane {closure.kind.plane}, in which alone it holds them together; "
                "move one of them there, or hold them in all directions by tb.Spherical().",
            ))  # fmt: skip
    return "", doubts


def _drives(system: System, start: State, duration: float) -> Found:
    """Positions and rates that constraints prescribe, and that jump in time."""
    model = system.model
    if not (model.drives or model.constraints):
        return "", []
    found = find_drive_jumps(RunSpec.read(system, duration).from_state(start))
    units = {
        str(use.place[1]): use.unit
        for use in uses(model)
        if use.place[0] in ("drives", "constraints") and use.place[2] == "position"
    }
    doubts = [
        CheckWarning(
            "position-jump", row,
            f"{'Drive' if row in model.drives else 'Constraint'} '{row}': its position jumps by "
            f"{size:.6g}{f' {unit}' if (unit := units.get(row, '')) else ''} at t = "
            f"{round(t, 12):.6g} s, which takes an infinite impulse, so that runs refuse it; give "
            "a motion that is continuous, such as tb.SmoothStep(…).",
        )
        for t, row, size in {each.row: each for each in reversed(found.positions)}.values()
    ]  # fmt: skip
    if not model.drives:
        return "", doubts
    text = f"{_count(len(model.drives), 'coordinate')} driven"
    if found.rates and not doubts:
        text += (
            f"; within {duration:g} s prescribed rates jump {_count(len(found.rates), 'time')}, "
            f"first at t = {round(found.rates[0].time, 12):.6g} s, where an impulse acts"
        )
    return text, doubts


def _contacts(instant: Instant) -> Found:
    """Contacts that overlap at the start: rigid ones at all, those that give way by a force beyond
    what weights can press."""
    model, doubts = instant.model, list[CheckWarning]()
    soft = {name: force for name, force in model.forces.items() if force.TOUCHES}
    for name, kind in model.contacts.items():
        gap = float(kind.gap(instant))
        if gap < -CONTACT_TOLERANCE:
            doubts.append(CheckWarning(
                "overlap", name,
                f"Contact '{name}': it overlaps by {-gap:.3g} m at the start. An event-driven run "
                "moves its bodies apart first, by which energy changes; time stepping leaves them "
                "so deep. Begin where nothing overlaps.",
            ))  # fmt: skip
    weight = sum(_number(instant, body.mass) for body in model.bodies.values()) * math.hypot(
        *(_number(instant, g) for g in model.gravity)
    )
    for name, force in soft.items():
        try:
            pressed = float(force.normal_force(instant)) if weight else 0.0  # type: ignore[attr-defined]
        except TouchbackError:
            continue  # it has no answer over floats
        if pressed > _WEIGHTS * weight:
            doubts.append(CheckWarning(
                "overlap", name,
                f"Contact '{name}': it presses with {pressed:.3g} N at the start, "
                f"{pressed / weight:.2g} times the weight of everything that moves; begin where "
                "surfaces are apart, or check its stiffness and units.",
            ))  # fmt: skip
    if not (model.contacts or soft):
        return "", doubts
    return f"{len(model.contacts)} rigid, {len(soft)} compliant", doubts


# ---- units ---------------------------------------------------------------------------------------


def _named(message: str) -> str:
    """The item that a message is about, which it names first."""
    return message.split("'")[1]


def _units(system: System) -> Found:
    model = system.model
    declared = {name: each.unit for name, each in model.parameters.items()}
    declared |= {name: each.unit for name, each in model.inputs.items()}
    declared |= {name: each.unit for name, each in model.states.items()}
    texts = {name: unit for name, unit in declared.items() if unit}
    doubts = [CheckWarning("unknown-unit", _named(each), each) for each in unknown_units(model)]
    doubts += [CheckWarning("assumed-gain", _named(each), each) for each in assumed_gains(model)]
    if not declared:
        return "", doubts
    unknown = [name for name, text in texts.items() if is_unknown(text)]
    converted = [
        f"'{name}' from {text}"
        for name, text in texts.items()
        if (unit := unit_of(text)) is not None and not unit.is_si
    ]
    told = f"{len(texts)} of {len(declared)} signals have one"
    told += ", used as such" if texts else ""
    if converted:
        told += f"; converted: {', '.join(converted[:8])}"
    if unknown:
        named = ", ".join(f"'{name}' in {texts[name]}" for name in unknown[:8])
        told += f"; not known, so taken as they are: {named}"
    return told, doubts


# ---- ports ---------------------------------------------------------------------------------------


def _ports_text(balance: Ports) -> str:
    worst = ", ".join(f"{name} {error:.0e}" for name, error in balance.worst.items())
    return (
        f"at random velocities {balance.flowing:.3g} W pass {len(balance.bodies)} ports of bodies; "
        f"imbalances, as parts: {worst}"
    )


def _stirred(system: System, start: State) -> Ports:
    """What bodies and constraints exchange at the start with other velocities that fit."""
    nq, nv, _ = system.sizes
    x = start.x.copy()
    x[nq : nq + nv] += np.random.default_rng(1).normal(size=nv)
    return ports(system, system.consistent(x)[0])
