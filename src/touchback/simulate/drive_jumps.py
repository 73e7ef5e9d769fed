"""Drives whose rates jump: at such an instant an impulse acts on the mechanism.

A motion with a kink, such as a ramp that begins, prescribes a rate that jumps. Velocities after it
follow from the impulses Λ of all constraints, v⁺ = v + M⁻¹ Jᵀ Λ with J v⁺ = b⁺, as where
constraints are switched. A motion that jumps itself would take an infinite impulse: it is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from touchback.errors import InputError
from touchback.numbers import Floats
from touchback.simulate.adaptive_step_limits import step_limits
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solvers import Capability, Solver
from touchback.simulate.solvers.base import Integrator
from touchback.simulate.unsupported_features import MEMORIES, RIGID
from touchback.system import Function, System

_MOST = 200  # instants at which a run is parted
_LOOKED_AT = 2000  # instants: of more, as many that lie evenly among them
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

    def at(self, x: Floats, u: Floats) -> tuple[Floats, Floats]:
        """h and b of each row."""
        rows = slice(len(self.rows))
        return self.positions.at(x, u, self.block)[rows], self.rates.at(x, u, self.block)


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


def find_rate_jumps(spec: RunSpec, solver: Solver) -> list[RateJump]:
    """Where rates that constraints prescribe jump within a run, before its end, at the state of its
    start, unless steps of the solver apply such impulses themselves. Fixed steps aren't cut by less
    than a part of one. Raises `InputError` where positions jump, in whatever mode a run is."""
    span, given, x = spec.span, spec.inputs, spec.x0
    motions = prescribed_motions(spec.system, spec.parameters)
    if not motions:
        return []
    evaluated = [({"h": each.positions, "b": each.rates}, each.block) for each in motions]
    limits = step_limits(span, given, evaluated)
    if limits.knots is None or not len(limits.jumps):
        return []
    instants = limits.jumps[limits.jumps < span.end]
    if len(instants) > _LOOKED_AT:
        instants = instants[np.linspace(0, len(instants) - 1, _LOOKED_AT).astype(int)]
    fixed = (isinstance(solver, Integrator) and not solver.adaptive and solver.step) or 0.0
    margin = _APART * max(abs(span.start), abs(span.end)) + _PART_OF_STEP * fixed
    always = set.intersection(*(set(each.rows) for each in motions))
    found = []
    before = limits.knots.before_ends(instants)
    for t, earlier in zip(instants.tolist(), before.tolist(), strict=True):
        sides = given.at(earlier, x), given.at(t, x)
        jumps: dict[str, float] = {}
        for each in motions:
            (h, b), (h_after, b_after) = (each.at(x, u) for u in sides)
            for name, size in _jumps_of(each.rows, h, h_after):
                if name in always:
                    raise _position_jump(spec.system.name, name, t, size)
            jumps |= dict(_jumps_of(each.rows, b, b_after))
        if jumps:
            found.append(RateJump(t, t - margin, tuple(jumps), max(jumps.values())))
    return found if isinstance(solver, Integrator) else []


def _jumps_of(rows: Sequence[str], first: Floats, then: Floats) -> Iterator[tuple[str, float]]:
    change = np.abs(then - first)
    size = 1.0 + np.maximum(np.abs(first), np.abs(then))
    for i in np.flatnonzero(change > _ROUNDING * size).tolist():
        yield rows[i], float(change[i])


def _position_jump(system: str, row: str, t: float, size: float) -> InputError:
    return InputError(
        f"{system}: the position that '{row}' prescribes jumps by {size:.6g} m (or rad) at "
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


def warn_of_jumps(name: str, jumps: Sequence[RateJump], why: str) -> None:
    """A RuntimeWarning at the caller of a run where impulses of jumps aren't applied."""
    largest = max(jumps, key=lambda each: each.largest)
    warnings.warn(
        f"{name}: prescribed rates jump at {len(jumps)} instants, that of {_quoted(largest.rows)} "
        f"by {largest.largest:.6g} m/s (or rad/s) at t = {_seconds(largest.time)} s, and {why}, so "
        "that the impulses of these jumps don't act on other coordinates; give a motion whose rate "
        "is continuous.",
        RuntimeWarning, stacklevel=3,
    )  # fmt: skip


def _seconds(t: float) -> str:
    """The first number after 0 at which something is new is 0 for a reader."""
    return f"{round(t, 12):.6g}"


def _quoted(rows: Sequence[str]) -> str:
    return ", ".join(f"'{row}'" for row in rows)
