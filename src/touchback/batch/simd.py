"""A batch in the lanes of vector registers: trees, by steps that are the same for all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.batch.batch_spec import BatchSpec
from touchback.codegen import native_lanes
from touchback.native import FunctionData, Listening, Status
from touchback.native.batch.native_batch import BatchFunctions, NativeBatch
from touchback.progress import Progress
from touchback.simulate import Capability
from touchback.system import System

_A_PART = 0.1  # s of work between two looks at Ctrl-C and at the bar


class SimdBatch:
    """Trees in the lanes of vector registers, on threads."""

    def can(self, spec: BatchSpec) -> str | None:
        """By steps that are the same for all."""
        if spec.on != "cpu":
            return "the processor isn't asked"
        if spec.system.constrained:
            return f"{spec.system.name} has constraints"
        if Capability.BATCHES not in spec.solver.can or spec.formulation.step:
            return f"lanes make no steps of method '{spec.solver.word}'"
        return None

    def run(self, spec: BatchSpec, shown: Progress) -> BatchRun:
        """Each as a run of its own would be; Ctrl-C leaves out what isn't done."""
        system, solver, span, steps = spec.system, spec.fixed_step, spec.span, spec.whole_steps
        layout, every, places = system.layout, solver.steps_per_output(), spec.places
        functions = _functions(system, spec.measures)
        workers = max(1, min(spec.threads, -(-spec.count // functions.lanes)))
        ticks = spec.steps_between_ticks
        native = NativeBatch(
            functions, len(layout.outputs), spec.states(), spec.constants(), spec.blocks(),
            spec.series(), (layout.memory_places, ticks),
            (solver.word, span.start, solver.step, steps, every), places, workers,
        )  # fmt: skip
        interrupted = run_parts(native, shown)
        times = span.start + np.arange(native.rows) * every * solver.step
        made = native.made
        ended = np.where(made < 0, np.nan, span.start + made * solver.step)
        native.record[made < 0] = np.nan
        run = BatchRun(
            system.name, tuple(system.state_names), tuple(spec.names), times, native.record,
            native.x, ended, made == steps, {}, functions.lanes, native.workers,
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
    own = system.dynamics.active_equations(system.key).functions
    one = own["rate"].compiled
    lanes = native_lanes() if one.backend == "machine" else 1

    def wide(name: str, wanted: bool) -> FunctionData | None:
        return own[name].for_lanes(lanes) if wanted else None

    return BatchFunctions(
        lanes, system.layout.sizes, own["rate"].for_lanes(lanes),
        wide("configuration rate", not system.plan.plain_coordinates),
        wide("outputs", sensors), wide("updates", bool(system.layout.memories)),
    )  # fmt: skip
