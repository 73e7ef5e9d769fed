"""A batch of mechanisms with constraints, by equal steps: each instance with a choice of dependent
coordinates, and in modes, of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from touchback.batch.batch_run import BatchRun
from touchback.batch.given import Given
from touchback.batch.laid_out import (
    blocks_of,
    constants_of,
    refuse_unknown_modes,
    series_of,
    states_in,
    whole_steps,
    with_states,
)
from touchback.batch.one_at_a_time import room, run_one_at_a_time
from touchback.batch.one_by_one import duration_of, instants
from touchback.native import Formulation
from touchback.native.batch.tied import BatchConstrained, BatchModes, LoneMotion, NativeTiedBatch
from touchback.simulate.mode_stepper import CHUNK
from touchback.simulate.progress import Progress
from touchback.simulate.run_diagnostics import remarks, warn_when_astray, warn_when_open
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.span import Span
from touchback.simulate.ticks import steps_between
from touchback.system import System


def run_tied(
    system: System,
    solver: FixedStep,
    kept: Formulation,
    span: Span,
    given: Given,
    names: Sequence[str],
    threads: int,
    shown: Progress,
) -> BatchRun:
    """As `run_one_at_a_time`, with a warning where constraints weren't met or kept."""
    duration, workers = duration_of(solver, span), min(threads, given.count)
    solver.refuse_excess(duration, len(system.state_names))  # a worker keeps those of a run
    given = with_states(system, given, span)
    native = _native(system, solver, kept, span, given, names, workers)
    times = instants(span, duration, solver.output_step or solver.step)
    into = room(system, native, names, times)
    ran = run_one_at_a_time(native, system, solver, kept, span, given, into, shown)
    told, whole = native.told, ran.whole
    warn_when_open(system.name, float(np.fmax.reduce(told["gap"])))
    if whole.any():
        counts = {
            name: float(told[name][whole].max() if name == "largest_h" else told[name][whole].sum())
            for name in ("largest_h", "singular", "not_converged", "paradoxes")
        }
        said = remarks(kept.word, counts, native.rubbing)
        warn_when_astray(system.name, {"statistics": counts, "remarks": said})
    return ran


def _native(
    system: System,
    solver: FixedStep,
    kept: Formulation,
    span: Span,
    given: Given,
    names: Sequence[str],
    workers: int,
) -> NativeTiedBatch:
    """What instances are given, and room for what comes of them."""
    layout, states = system.layout, len(system.state_names)
    known = [*system.state_names, *layout.outputs]
    places = [known.index(name) for name in names]
    measured = any(place >= states for place in places)
    x = states_in(system, given)
    refuse_unknown_modes(system, x)
    return NativeTiedBatch(
        _motion(system, solver, kept, measured), CHUNK, len(layout.outputs) if measured else 0, x,
        constants_of(system, given),
        blocks_of(system, given, system.dynamics.acting(system.key, kept.step).functions),
        series_of(system, given, span), (layout.memory_places, steps_between(system, solver) or 1),
        (solver.word, span.start, solver.step, whole_steps(solver, span),
         solver.steps_per_output()),
        places, workers,
    )  # fmt: skip


def _motion(system: System, solver: FixedStep, kept: Formulation, measured: bool) -> LoneMotion:
    """In modes, or under constraints that stay."""
    if system.modes:
        return BatchModes(system.dynamics.modes_data(), kept, solver.word)
    own = system.dynamics.acting(system.key, kept.step).functions
    return BatchConstrained(
        system.dynamics.constrained_functions(system.key, kept.step), kept,
        own["outputs"].compiled if measured else None,
        own["updates"].compiled if system.layout.memories else None,
    )  # fmt: skip
