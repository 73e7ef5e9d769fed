"""Drives whose rates jump: at such an instant an impulse acts on the mechanism.

A motion with a kink, such as a ramp that begins, prescribes a rate that jumps. Velocities after it
follow from the impulses Λ of all constraints, v⁺ = v + M⁻¹ Jᵀ Λ with J v⁺ = b⁺, as where
constraints are switched. A motion that jumps itself would take an infinite impulse: it is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from touchback.errors import InputError
from touchback.model import BaseMotion
from touchback.numbers import Floats
from touchback.simulate.adaptive_step_limits import step_limits
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solvers import Capability, Solver
from touchback.simulate.solvers.base import Integrator
from touchback.simulate.unsupported_features import MEMORIES, RIGID
from touchback.system import Function, System

_MOST = 200  # instants at which a run is parted
_APART = 64.0 * np.finfo(float).eps  # of times
_PART_OF_STEP = 1e-7  # solvers with fixed steps take less for rounding
_ROUNDING = 1e-9  # of the numbers: a smaller jump is none


class RateJump(NamedTuple):
    """Constraint rows whose prescribed rates jump at a time [s], and by how much at most [m/s or
    rad/s]. Up to the time `before` nothing is read of what comes after it."""

    time: float
    before: float
    rows: tuple[str, ...]
    largest: float


class PrescribedMotion(NamedTuple):
    """Rows of constraints that act together, by name, with their h and b as functions of state and
    [t, inputs…], and the parameter block of these."""

    rows: tuple[str, ...]
    positions: Function
    rates: Function
    block: Floats

    def over(self, x: Floats, u: Floats) -> tuple[Floats, Floats]:
        """h and b of each row, at a state, for each row of `u`."""
        found = []
        for function in (self.positions, self.rates):
            values = np.empty((len(u), function.out_size))
            function.rows((len(x), u.shape[1]), [(x, 0), (u, len(x))], self.block, values)
            found.append(values[:, : len(self.rows)])
        return found[0], found[1]


def prescribed_motions(system: System, parameters: dict[str, float]) -> list[PrescribedMotion]:
    """Those of a system, or of each of its modes."""
    if not system.constrained or system.names:
        return []
    dynamics = system.dynamics
    own = [mode.acting for mode in dynamics.modes.every] if system.modes else None
    acting = own or [dynamics.active_equations(system.key)]
    return [
        PrescribedMotion(
            each.rows.names, functions["positions"], functions["velocity level"], block
        )
        for each, (functions, block) in zip(acting, system.on_blocks(parameters), strict=True)
        if each.rows.names
    ]


class PositionJump(NamedTuple):
    """A constraint row whose prescribed position jumps at a time [s], and by how much [m or rad,
    or the unit of the constraint]."""

    time: float
    row: str
    size: float


class DriveJumps(NamedTuple):
    """Where what constraints prescribe jumps, in order of time: positions in whatever mode a run
    is, and rates."""

    positions: list[PositionJump]
    rates: list[RateJump]


def find_drive_jumps(spec: RunSpec, step: float = 0.0) -> DriveJumps:
    """Where positions and rates that constraints prescribe jump after the start of a run, up to its
    end, at the state of its start. A run with a fixed `step` isn't cut by less than a part of
    one."""
    span, given, x = spec.span, spec.inputs, spec.x0
    motions = prescribed_motions(spec.system, spec.parameters)
    if not motions:
        return DriveJumps([], [])
    evaluated = [({"h": each.positions, "b": each.rates}, each.block) for each in motions]
    limits = step_limits(span, given, evaluated)
    instants = limits.jumps
    if limits.knots is None or not len(instants):
        return DriveJumps([], [])
    margin = _APART * max(abs(span.start), abs(span.end)) + _PART_OF_STEP * step
    always = set.intersection(*(set(each.rows) for each in motions))
    sides = [given.over(times) for times in (limits.knots.before_ends(instants), instants)]
    largest: dict[str, Floats] = {}  # of each row, by how much its rate jumps at each instant
    moves: dict[str, Floats] = {}  # and its position, of rows of all modes
    for each in motions:
        (h, b), (h_after, b_after) = (each.over(x, u) for u in sides)
        moved, jumped = _jumps(h, h_after), _jumps(b, b_after)
        for i, row in enumerate(each.rows):
            largest[row] = np.maximum(largest.get(row, 0.0), jumped[:, i])
            if row in always:
                moves[row] = np.maximum(moves.get(row, 0.0), moved[:, i])
    positions = [
        PositionJump(t, row, float(sizes[i]))
        for i, t in enumerate(instants.tolist())
        for row, sizes in moves.items()
        if sizes[i]
    ]
    rows, sizes = np.array(list(largest)), np.array(list(largest.values()))
    rates = [
        RateJump(t, t - margin, tuple(rows[own > 0.0].tolist()), float(own.max()))
        for t, own in zip(instants.tolist(), sizes.T, strict=True)
        if own.any()
    ]
    return DriveJumps(positions, rates)


def find_rate_jumps(spec: RunSpec, solver: Solver) -> list[RateJump]:
    """Where rates that constraints prescribe jump after the start of a run, up to its end, at the
    state of its start, unless steps of the solver apply such impulses themselves. A run ends before
    what jumps at its end. Raises `InputError` where positions jump, in whatever mode a run is."""
    fixed = (isinstance(solver, Integrator) and not solver.adaptive and solver.step) or 0.0
    found = find_drive_jumps(spec, fixed)
    if found.positions:
        first = found.positions[0]
        raise _position_jump(spec.system, first.row, first.time, first.size)
    return found.rates if isinstance(solver, Integrator) else []


def _jumps(first: Floats, then: Floats) -> Floats:
    """By how much numbers change; 0 where it is rounding."""
    change = np.abs(then - first)
    size = 1.0 + np.maximum(np.abs(first), np.abs(then))
    return np.where(change > _ROUNDING * size, change, 0.0)


def _position_jump(system: System, row: str, t: float, size: float) -> InputError:
    drive, unit = system.model.drives.get(row), "m (or rad)"
    if drive is not None:
        unit = system.model.all_joints()[drive.joint].kind.position_units()[drive.index]
    return InputError(
        f"{system.name}: the position that '{row}' prescribes jumps by {size:.6g} {unit} at "
        f"t = {_seconds(t)} s, which takes an infinite impulse; give a motion that is continuous, "
        "such as tb.SmoothStep(…)."
    )


def parting_refusal(system: System, solver: Solver, jumps: int) -> str:
    """Why a run can't be parted where rates of drives jump so often; nothing where it can."""
    if jumps > _MOST:
        return f"runs are parted at {_MOST} instants at most"
    if MEMORIES.names(system):
        return "ticks of memories go on through them"
    if not RIGID.names(system) and Capability.SWITCHES in solver.can:
        return ""
    return f"method '{solver.word}' goes through them without a stop"


def jump_diagnostics(jumps: Sequence[RateJump]) -> list[str]:
    """What is said of impulses that were applied."""
    return [
        f"At t = {_seconds(each.time)} s the rate of {_quoted(each.rows)} jumps by "
        f"{each.largest:.6g} m/s (or rad/s): an impulse acts on the mechanism."
        for each in jumps
    ]


def warn_of_jumps(name: str, jumps: Sequence[RateJump], why: str, above: int = 1) -> None:
    """A RuntimeWarning where impulses of jumps aren't applied, at the line so many functions
    `above` the one that calls this."""
    largest = max(jumps, key=lambda each: each.largest)
    warnings.warn(
        f"{name}: prescribed rates jump at {len(jumps)} instants, that of {_quoted(largest.rows)} "
        f"by {largest.largest:.6g} m/s (or rad/s) at t = {_seconds(largest.time)} s, and {why}, so "
        "that the impulses of these jumps don't act on other coordinates; give a motion whose rate "
        "is continuous.",
        RuntimeWarning, stacklevel=2 + above,
    )  # fmt: skip


def warn_of_ground_jumps(spec: RunSpec, above: int = 1) -> None:
    """A RuntimeWarning where the velocity of a moving ground jumps within a run: all that stands on
    it follows, and its impulses act on nothing."""
    system, x = spec.system, spec.x0
    if system.names or system.model.base == BaseMotion():
        return
    momentum = system.dynamics.function(system.key, "momentum")
    block = momentum.block_for(system.parameter_values(spec.parameters))
    limits = step_limits(spec.span, spec.inputs, [({"momentum": momentum}, block)])
    if limits.knots is None or not len(limits.jumps):
        return
    (nq, nv, _), times = system.sizes, limits.jumps
    q, v, z = (np.tile(part, (len(times), 1)) for part in np.split(x, [nq, nq + nv]))
    momenta = [
        system.momentum(q, v, side, z, parameters=spec.parameters).reshape(len(times), -1)
        for side in (limits.knots.before_ends(times), times)
    ]
    jumps = _jumps(*momenta).max(axis=1)
    if not jumps.any():
        return
    first = int(np.argmax(jumps > 0.0))
    warnings.warn(
        f"{system.name}: the velocity of its moving ground jumps at {np.count_nonzero(jumps)} "
        f"instants, first at t = {_seconds(float(times[first]))} s, where the momentum changes by "
        f"{jumps[first]:.6g} kg m/s (or kg m²/s). What stands on the ground follows without an "
        "impulse; move the ground by a function whose rate is continuous, or a body by a drive.",
        RuntimeWarning, stacklevel=2 + above,
    )  # fmt: skip


def _seconds(t: float) -> str:
    """The first number after 0 at which something is new is 0 for a reader."""
    return f"{round(t, 12):.6g}"


def _quoted(rows: Sequence[str]) -> str:
    return ", ".join(f"'{row}'" for row in rows)
