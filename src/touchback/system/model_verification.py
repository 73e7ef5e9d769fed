"""What a compiled model is, in numbers that a reader can hold against what is meant: freedoms,
redundant constraints, singular positions, ranges, masses and inertias, units; and what is doubtful
about them. A model that can't work is refused earlier, when it is compiled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from touchback.dynamics import Instant, float_instant
from touchback.errors import TouchbackError
from touchback.model import (
    AXES,
    GROUND,
    Fixed,
    Frame,
    LinkForce,
    PointInPlane,
    SpringDamper,
    assumed_gains,
    frames_of,
    limit_numbers,
    unknown_units,
    uses,
)
from touchback.symbolic import Expr
from touchback.system.degrees_of_freedom import Freedoms, null_space
from touchback.system.model_checks import check_numbers
from touchback.system.system import System
from touchback.system.system_state import State
from touchback.units import is_unknown, unit_of

_TURN = 2.0 * math.pi
_APART = 1e-9  # distances below this part of the mechanism's size count as none
_STILL = 1e-7  # entries of Jacobians below this part of the largest count as none
_LARGE = 20.0  # radii of gyration and centres of mass beyond as many sizes of a body are doubtful
_CONDITION = 1e12  # of the mass matrix, scaled to a unit diagonal
_ENDS = 40  # parameters whose ranges are tried


@dataclass
class Verification:
    """Rows of a table, what each is and what was found, and what is doubtful."""

    rows: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def verify(system: System, start: State) -> Verification:
    """What a system is at a state, and what is doubtful about it."""
    instant = float_instant(system.model, start.q)
    size = _size(instant)
    found = Verification()
    for row, told, doubts in (
        ("freedoms", *_freedoms(system, start)),
        ("redundant constraints", *_redundant(system, start, instant)),
        ("singularities", *_singular(system, start)),
        ("ranges", *_ranges(system, start, instant)),
        ("masses", *_masses(instant)),
        ("inertias", *_inertias(instant)),
        ("lines of force", *_lines(instant, size)),
        ("units", *_units(system)),
    ):
        if told:
            found.rows.append((row, told))
        found.warnings += doubts
    return found


Found = tuple[str, list[str]]


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
        "No freedom is left: nothing can move. Look for a closure with a wrong axis, or leave one "
        "away."
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
) -> Iterator[str]:
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
        yield (
            f"Closure '{name}': it holds its points together in the plane "
            f"{closure.kind.plane}, but they move apart along {normal}, and its "
            f"{'row' if len(rows) == 1 else 'rows'} {_listed(rows)} hold"
            f"{'s' if len(rows) == 1 else ''} what joints hold already. Close it in the plane in "
            f"which the mechanism moves{plane}."
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
                f"The initial position is singular: {named} add nothing here, but do nearby, so "
                "that the mechanism may go on in more than one way. Begin beside it."
            )
        elif found.conditioning < 1e-6:
            doubts.append(
                f"The initial position is nearly singular: the constraints' conditioning is "
                f"{found.conditioning:.1e}. Begin farther from it, or check lengths and units."
            )
    condition = _condition(np.asarray(system.mass_matrix(start.q)))
    if condition is not None:
        told.append(f"condition of the mass matrix {condition:.2g}")
        if condition > _CONDITION and not _has_rows(system):
            doubts.append(
                f"The mass matrix is nearly singular at the initial position: its condition is "
                f"{condition:.1e}. Look for a body with almost no inertia, or for other units."
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
    model, doubts = instant.model, list[str]()
    limits = limit_numbers(model)
    at = dict(zip(system.coordinates, start.q, strict=True))
    beyond = [name for name, (low, high) in limits.items() if not low <= at[name] <= high]
    for name in beyond:
        low, high = limits[name]
        doubts.append(
            f"Joint coordinate '{name}' begins at {at[name]:g}, beyond its limits, {low:g} to "
            f"{high:g}: its stop pushes from the start."
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


def _degrees(instant: Instant, system: System, at: dict[str, float]) -> Iterator[str]:
    """Angles of more than a turn, which are degrees that were taken for radians."""
    units = dict(zip(system.coordinates, system.layout.q_units, strict=True))
    fix = "where degrees are meant give {:.6g}, math.radians({:g}), or '{:g} deg' in a file."
    given = {
        full: angle
        for name, joint in instant.model.joints.items()
        for full, angle in zip(joint.position_names(name), joint.position, strict=False)
    }
    for name, begins in at.items():
        angle = given.get(name, begins)  # as it was written: assembly may move it a little
        if units[name] == "rad" and abs(angle) > _TURN * (1.0 + 1e-9):
            yield (
                f"Joint coordinate '{name}' begins at {angle:g} rad, {abs(angle) / _TURN:.3g} turns"
                f"; {fix.format(math.radians(angle), angle, angle)}"
            )
    told: set[str] = set()
    for use in uses(instant.model):
        word = next((str(step) for step in use.place[2:] if step in ("turn", "rest", "limits")), "")
        item = f"{_ITEM.get(str(use.place[0]), 'Model')} '{use.place[1]}'"
        if use.unit != "rad" or not word or item + word in told:
            continue
        angle = float(instant.value(use.given)) if isinstance(use.given, Expr) else use.given
        if abs(angle) > 2.0 * _TURN:  # one and a bit come of sums
            told.add(item + word)
            named = "one of its limits" if word == "limits" else f"its {word}"
            yield (
                f"{item}: {named} is {angle:g} rad, {abs(angle) / _TURN:.3g} turns; "
                f"{fix.format(math.radians(angle), angle, angle)}"
            )


_ITEM = {
    "joints": "Joint", "forces": "Force", "closures": "Closure", "shapes": "Shape",
    "contacts": "Contact", "sensors": "Sensor",
}  # fmt: skip


def _at_ends(system: System, name: str) -> Iterator[str]:
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
            yield (
                f"Parameter '{name}': at its {word}, {end:g}{unit}, the model can't work: {why} "
                "Narrow the range."
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
        f"Body '{name}' moves and has neither mass nor inertia; give it some, or join it by "
        "tb.Fixed, unless a part without mass is meant."
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
                f"Body '{heavy}' has {own[heavy]:.3g} kg, {own[heavy] / own[light]:.1g} times as "
                f"much as '{light}' with {own[light]:.3g} kg; check their units."
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
    model, doubts = instant.model, list[str]()
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
                f"Body '{name}': its radius of gyration √(I/m) is {gyration:.3g} m, but its joints "
                f"and frames lie {extent:.3g} m apart at most; check the units of its inertia "
                f"({moments[2]:.3g} kg m²) and its mass ({mass:.3g} kg)."
            )
        if extent > 0.0 and off > _LARGE * extent:
            doubts.append(
                f"Body '{name}': its centre of mass lies {off:.3g} m from its joints and frames, "
                f"which are {extent:.3g} m apart at most; check the units of its com."
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


# ---- forces along lines --------------------------------------------------------------------------


def _lines(instant: Instant, size: float) -> Found:
    model, doubts = instant.model, list[str]()
    lines = {n: f for n, f in model.forces.items() if isinstance(f, SpringDamper | LinkForce)}
    if not lines:
        return "", []
    q = np.asarray(instant.at.q, dtype=float)
    moved = [float_instant(model, q + 0.3 + 0.2 * np.sin(np.arange(len(q)) + k)) for k in (1, 2)]
    for name, force in lines.items():
        if _distance(instant, force) > _APART * size:
            continue
        label = f"Force '{name}': its ends, on '{force.a.body}' and '{force.b.body}',"
        if all(_distance(other, force) <= _APART * size for other in moved):
            doubts.append(
                f"{label} coincide however the mechanism moves, so that it never acts; give one "
                "of them another place, as body.at(0.1, 0, 0)."
            )
        elif isinstance(force, LinkForce) or any(
            float(instant.value(x)) for x in (force.length, force.damping)
        ):
            doubts.append(
                f"{label} coincide at the initial position, where the force has no direction and "
                "is taken as zero; begin beside it, or give one of them another place."
            )
    return f"{_count(len(lines), 'spring or link', 'springs and links')} between points", doubts


def _distance(instant: Instant, force: SpringDamper | LinkForce) -> float:
    a, b = (np.array(instant.position(frame), dtype=float) for frame in (force.a, force.b))
    return float(np.linalg.norm(b - a))


# ---- units ---------------------------------------------------------------------------------------


def _units(system: System) -> Found:
    model = system.model
    declared = {name: each.unit for name, each in model.parameters.items()}
    declared |= {name: each.unit for name, each in model.inputs.items()}
    declared |= {name: each.unit for name, each in model.states.items()}
    texts = {name: unit for name, unit in declared.items() if unit}
    doubts = [*unknown_units(model), *assumed_gains(model)]
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
