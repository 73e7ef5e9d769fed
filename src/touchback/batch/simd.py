"""A batch in the lanes of vector registers: trees, by steps that are the same for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from touchback.batch.batch_arrays import blocks_of, constants_of, series_of, states_in, whole_steps
from touchback.batch.batch_inputs import BatchInputs
from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.codegen import native_lanes
from touchback.native import FunctionData, Listening, Status
from touchback.native.batch.native_batch import BatchFunctions, NativeBatch
from touchback.progress import Progress
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.span import Span
from touchback.simulate.ticks import steps_between
from touchback.system import System

_A_PART = 0.1  # s of work between two looks at Ctrl-C and at the bar


def run_simd(
    system: System,
    solver: FixedStep,
    span: Span,
    given: BatchInputs,
    names: Sequence[str],
    threads: int,
    shown: Progress,
) -> BatchRun:
    """Each as a run of its own would be; Ctrl-C leaves out what isn't done."""
    layout, every = system.layout, solver.steps_per_output()
    steps = whole_steps(solver, span)
    known = [*system.state_names, *layout.outputs]
    places = [known.index(name) for name in names]
    functions = _functions(system, any(place >= len(system.state_names) for place in places))
    workers = max(1, min(threads, -(-given.count // functions.lanes)))
    ticks = steps_between(system, solver) or 1
    native = NativeBatch(
        functions, layout.sizes, len(layout.outputs), states_in(system, given),
        constants_of(system, given), blocks_of(system, given), series_of(system, given, span),
        (layout.memory_places, ticks), (solver.word, span.start, solver.step, steps, every),
        places, workers,
    )  # fmt: skip
    interrupted = run_parts(native, shown)
    times = span.start + np.arange(native.rows) * every * solver.step
    made = native.made
    ended = np.where(made < 0, np.nan, span.start + made * solver.step)
    native.record[made < 0] = np.nan
    run = BatchRun(
        system.name, tuple(system.state_names), tuple(names), times, native.record, native.x,
        ended, made == steps, {}, functions.lanes, native.workers,
    )  # fmt: skip
    if interrupted:
        raise BatchInterrupted(run)
    return run


def run_parts(
    native: NativeBatch,
    shown: Progress,
    after: Callable[[range, Callable[[], bool]], None] = lambda ran, given_up: None,
) -> bool:
    """All instances, with looks at Ctrl-C and at the bar; whether it was pressed, be it after the
    last of them. `after` gets the numbers of those that ran, part by part, and what tells whether
    it is to leave off."""
    with Listening() as listening:
        for first, end in native.parts(_A_PART):
            if native.run(first, end) == Status.INTERRUPTED:
                break
            after(range(first, end), lambda: listening.asked)
            shown.update(end / native.count)
    return listening.asked


def _functions(system: System, sensors: bool) -> BatchFunctions:
    own = system.dynamics.acting(system.key).functions
    one = own["rate"].compiled
    lanes = native_lanes() if one.backend == "machine" else 1

    def wide(name: str, wanted: bool) -> FunctionData | None:
        return own[name].for_lanes(lanes) if wanted else None

    return BatchFunctions(
        lanes, own["rate"].for_lanes(lanes),
        wide("configuration rate", not system.plan.plain_coordinates),
        wide("outputs", sensors), wide("updates", bool(system.layout.memories)),
    )  # fmt: skip
