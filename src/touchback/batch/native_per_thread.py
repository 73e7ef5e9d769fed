"""Instances with constraints or rigid contacts in C, one at a time on each thread: each as if
nothing had run before it.

A batch of mechanisms with constraints, by equal steps: each instance with a choice of dependent
coordinates, and in modes, of its own.

A batch of mechanisms with rigid contacts by time stepping: equations are derived once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from touchback.batch.batch_arrays import (
    blocks_of,
    constants_of,
    refuse_unknown_modes,
    series_of,
    states_in,
    whole_steps,
    with_states,
)
from touchback.batch.batch_inputs import BatchInputs, Floats
from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.batch.simd import run_parts
from touchback.batch.threaded_simulate import duration_of, instants, run_alone
from touchback.errors import InputError
from touchback.native import Formulation
from touchback.native.batch.native_batch import (
    BatchConstrained,
    BatchContacts,
    BatchModes,
    LoneMotion,
    NativeConstrainedBatch,
    NativeContactBatch,
    NativeLoneBatch,
)
from touchback.progress import Progress
from touchback.simulate.contact_stepper import Sensors
from touchback.simulate.inputs import read_inputs
from touchback.simulate.mode_stepper import CHUNK
from touchback.simulate.run_diagnostics import (
    constraint_diagnostics,
    warn_when_astray,
    warn_when_open,
)
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solvers import Solver
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.simulate.span import Span
from touchback.simulate.ticks import steps_between
from touchback.simulate.time_stepping import MoreauJean
from touchback.system import System


def empty_batch_run(
    system: System, native: NativeLoneBatch, names: Sequence[str], times: Floats
) -> BatchRun:
    """What is to come of them, of which nothing is there yet."""
    ended, nobody = np.full(native.count, np.nan), np.zeros(native.count, dtype=bool)
    return BatchRun(
        system.name, tuple(system.state_names), tuple(names), times,
        native.record[:, : len(times)], native.x, ended, nobody, {}, 1, native.workers,
    )  # fmt: skip


def run_per_thread(
    native: NativeLoneBatch,
    system: System,
    solver: Solver,
    constraints: str | Formulation | None,
    span: Span,
    given: BatchInputs,
    into: BatchRun,
    shown: Progress,
) -> BatchRun:
    """Each as a run of its own would be; those that can't go on are run once more by `tb.simulate`,
    which tells why. Ctrl-C leaves out what isn't done."""
    reasons: dict[int, str] = {}

    def ask_why(some: range, given_up: Callable[[], bool]) -> None:
        failed = [i for i in some if not native.told["whole"][i]]
        native.record[failed] = np.nan
        told = run_alone(
            system, solver, constraints, span, given, failed, into, lambda done: None, given_up
        )
        reasons.update(told)

    interrupted = run_parts(native, shown, ask_why)
    whole = native.told["whole"] != 0.0
    into.ended[whole] = native.end
    ran = replace(into, whole=whole, reasons=reasons)
    if interrupted:
        undone = np.isnan(ran.ended)
        native.record[undone] = np.nan
        ran.x[undone] = states_in(system, given)[undone]
        raise BatchInterrupted(ran)
    return ran


def run_constrained(
    system: System,
    solver: FixedStep,
    kept: Formulation,
    span: Span,
    given: BatchInputs,
    names: Sequence[str],
    threads: int,
    shown: Progress,
) -> BatchRun:
    """As `run_per_thread`, with a warning where constraints weren't met or kept."""
    duration, workers = duration_of(solver, span), min(threads, given.count)
    solver.refuse_excess(duration, len(system.state_names))  # a worker keeps those of a run
    given = with_states(system, given, span)
    native = _native_constrained(system, solver, kept, span, given, names, workers)
    times = instants(span, duration, solver.output_step or solver.step)
    into = empty_batch_run(system, native, names, times)
    ran = run_per_thread(native, system, solver, kept, span, given, into, shown)
    told, whole = native.told, ran.whole
    warn_when_open(system.name, float(np.fmax.reduce(told["gap"])))
    if whole.any():
        counts = {
            name: float(told[name][whole].max() if name == "largest_h" else told[name][whole].sum())
            for name in ("largest_h", "singular", "not_converged", "paradoxes")
        }
        said = constraint_diagnostics(kept.word, counts, native.rubbing)
        warn_when_astray(system.name, {"statistics": counts, "remarks": said})
    return ran


def _native_constrained(
    system: System,
    solver: FixedStep,
    kept: Formulation,
    span: Span,
    given: BatchInputs,
    names: Sequence[str],
    workers: int,
) -> NativeConstrainedBatch:
    """What instances are given, and room for what comes of them."""
    layout, states = system.layout, len(system.state_names)
    known = [*system.state_names, *layout.outputs]
    places = [known.index(name) for name in names]
    measured = any(place >= states for place in places)
    x = states_in(system, given)
    refuse_unknown_modes(system, x)
    return NativeConstrainedBatch(
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


def run_contact(
    system: System,
    solver: MoreauJean,
    span: Span,
    given: BatchInputs,
    names: Sequence[str],
    threads: int,
    shown: Progress,
) -> BatchRun:
    """As `run_per_thread`; those whose impulses didn't settle are told of by `tb.simulate`."""
    workers = min(threads, given.count)
    solver.refuse_excess(span.duration, len(system.state_names))  # a worker keeps those of a run
    given = with_states(system, given, span)
    native = _native_contact(system, solver, span, given, names, workers)
    made = solver.count(span.duration) * solver.step  # which may end a little after the span
    into = empty_batch_run(system, native, names, instants(span, made, solver.step))
    return run_per_thread(native, system, solver, None, span, given, into, shown)


def _native_contact(
    system: System,
    solver: MoreauJean,
    span: Span,
    given: BatchInputs,
    names: Sequence[str],
    workers: int,
) -> NativeContactBatch:
    """What instances are given, and room for what comes of them."""
    inputs = read_inputs(system, None, span.end)
    stepper = solver.stepper(RunSpec(system, span, inputs, None, {}, (), False))
    equations, sensors = stepper.equations, stepper.sensors
    places = _places(system, sensors, names)
    measured = any(place >= len(system.state_names) for place in places)
    shown = sensors.function if measured else None
    motion = BatchContacts(
        equations.stepped(), equations.configuration_rate, shown.compiled if shown else None,
        solver.theta, solver.correct_positions,
    )  # fmt: skip
    block: Floats = blocks_of(system, given, shown) if shown else np.zeros(1)
    return NativeContactBatch(
        motion, block, len(sensors.labels) if measured else 0, states_in(system, given),
        constants_of(system, given), blocks_of(system, given, equations.functions),
        series_of(system, given, span), ((), 1),
        (MoreauJean.word, span.start, solver.step, solver.count(span.duration), 1), places, workers,
    )  # fmt: skip


def _places(system: System, sensors: Sensors, names: Sequence[str]) -> list[int]:
    """Of what is recorded in [state, sensors]; refused where time stepping doesn't know it."""
    known = [*system.state_names, *(name for name, _ in sensors.labels)]
    for name in names:
        if name not in known:
            raise InputError(
                f"{system.name}: sensor '{name}' depends on accelerations or forces, of which time "
                "stepping knows only what they did within a step; leave it out: record=[…]."
            )
    return [known.index(name) for name in names]
