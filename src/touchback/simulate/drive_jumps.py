"""Drives whose rates jump: at such an instant an impulse acts on the mechanism.

A motion with a kink, such as a ramp that begins, prescribes a rate that jumps. Velocities after it
follow from the impulses Λ of all constraints, v⁺ = v + M⁻¹ Jᵀ Λ with J v⁺ = b⁺, as where
constraints are switched.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from touchback.numbers import Floats
from touchback.simulate.adaptive_step_limits import step_limits
from touchback.simulate.run_spec import RunSpec
from touchback.system import Point

MOST_JUMPS = 200  # instants at which a run is parted
_LOOKED_AT = 2000  # instants: of more, as many that lie evenly among them
_APART = 64.0 * np.finfo(float).eps  # of times
_PART_OF_STEP = 1e-7  # solvers with fixed steps take less for rounding
_ROUNDING = 1e-9  # of the rates: a smaller jump is none


class RateJump(NamedTuple):
    """Constraint rows whose prescribed rates jump at a time [s], and by how much at most [m/s or
    rad/s]. Up to the time `before` nothing is read of what comes after it."""

    time: float
    before: float
    rows: tuple[str, ...]
    largest: float


def rate_jumps(spec: RunSpec, step: float | None) -> list[RateJump]:
    """Where rates that constraints prescribe jump within a run, before its end, at the positions of
    its start. A fixed `step` [s] isn't cut by less than a part of it."""
    system, span, given, x = spec.system, spec.span, spec.inputs, spec.x0
    if not system.constrained or system.names or not system.constraint_names:
        return []
    prescribed = [
        ({"velocity level": functions["velocity level"]}, block)
        for functions, block in system.on_blocks(spec.parameters)
        if "velocity level" in functions
    ]
    limits = step_limits(span, given, prescribed)
    if limits.knots is None or not len(limits.jumps):
        return []
    instants = limits.jumps[limits.jumps < span.end]
    if len(instants) > _LOOKED_AT:
        instants = instants[np.linspace(0, len(instants) - 1, _LOOKED_AT).astype(int)]
    p, (nq, nv, _) = system.parameter_values(spec.parameters), system.sizes
    q, z = x[:nq], x[nq + nv :]

    def rates(t: float) -> Floats:
        at = Point(q, np.zeros(nv), z, given.at(t, x)[1:], t)
        return -system.equations.values(at, p)["rate"]

    found = []
    margin = _APART * max(abs(span.start), abs(span.end)) + _PART_OF_STEP * (step or 0.0)
    before = limits.knots.before_ends(instants)
    for t, earlier in zip(instants.tolist(), before.tolist(), strict=True):
        first, then = rates(earlier), rates(t)
        change = np.abs(then - first)
        jumps = change > _ROUNDING * (1.0 + np.maximum(np.abs(first), np.abs(then)))
        if jumps.any():
            rows = tuple(np.array(system.constraint_names)[jumps].tolist())
            found.append(RateJump(t, t - margin, rows, float(change.max())))
    return found


def jump_diagnostics(jumps: Sequence[RateJump]) -> list[str]:
    """What is said of impulses that were applied."""
    return [
        f"At t = {each.time:.6g} s the rate of {_quoted(each.rows)} jumps by {each.largest:.6g} "
        "m/s (or rad/s): an impulse acts on the mechanism."
        for each in jumps
    ]


def warn_of_jumps(name: str, jumps: Sequence[RateJump], why: str) -> None:
    """A RuntimeWarning at the caller of `simulate` where impulses of jumps aren't applied."""
    largest = max(jumps, key=lambda each: each.largest)
    warnings.warn(
        f"{name}: prescribed rates jump at {len(jumps)} instants, that of {_quoted(largest.rows)} "
        f"by {largest.largest:.6g} m/s (or rad/s) at t = {largest.time:.6g} s, and {why}, so that "
        "the impulses of these jumps don't act on other coordinates; give a motion whose rate is "
        "continuous.",
        RuntimeWarning, stacklevel=3,
    )  # fmt: skip


def _quoted(rows: Sequence[str]) -> str:
    return ", ".join(f"'{row}'" for row in rows)
