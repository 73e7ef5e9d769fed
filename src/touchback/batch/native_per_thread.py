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

from touchback.batch.batch_inputs import Floats
from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.batch.batch_spec import BatchSpec, has_sensors, refuse_unknown_modes
from touchback.batch.simd import run_parts
from touchback.batch.threaded_simulate import instants, run_alone
from touchback.errors import InputError
from touchback.native.batch.native_batch import (
    BatchConstrained,
    BatchContacts,
    BatchModes,
    BatchMotion,
    NativeConstrainedBatch,
    NativeContactBatch,
    NativeLoneBatch,
)
from touchback.progress import Progress
from touchback.simulate import (
    CHUNK,
    Capability,
    MoreauJean,
    Sensors,
    constraint_diagnostics,
    warn_when_astray,
    warn_when_open,
)
from touchback.system import System


def empty_batch_run(spec: BatchSpec, native: NativeLoneBatch, times: Floats) -> BatchRun:
    """What is to come of them, of which nothing is there yet."""
    ended, nobody = np.full(native.count, np.nan), np.zeros(native.count, dtype=bool)
    system = spec.system
    return BatchRun(
        system.name, tuple(system.state_names), tuple(spec.names), times,
        native.record[:, : len(times)], native.x, ended, nobody, {}, 1, native.workers,
    )  # fmt: skip


def run_per_thread(
    native: NativeLoneBatch, spec: BatchSpec, into: BatchRun, shown: Progress
) -> BatchRun:
    """Each as a run of its own would be; those that can't go on are run once more by `tb.simulate`,
    which tells why. Ctrl-C leaves out what isn't done."""
    reasons: dict[int, str] = {}

    def ask_why(some: range, given_up: Callable[[], bool]) -> None:
        failed = [i for i in some if not native.reports["whole"][i]]
        native.record[failed] = np.nan
        reasons.update(run_alone(spec, failed, into, lambda done: None, given_up))

    interrupted = run_parts(native, shown, ask_why)
    whole = native.reports["whole"] != 0.0
    into.ended[whole] = native.end
    ran = replace(into, whole=whole, reasons=reasons)
    if interrupted:
        undone = np.isnan(ran.ended)
        native.record[undone] = np.nan
        ran.x[undone] = spec.states()[undone]
        raise BatchInterrupted(ran)
    return ran


class ConstrainedBatch:
    """Mechanisms with constraints or modes, by equal steps, one instance at a time on each
    thread."""

    def can(self, spec: BatchSpec) -> str | None:
        """By steps that C makes."""
        if spec.on != "cpu":
            return "the processor isn't asked"
        if not spec.system.constrained:
            return f"{spec.system.name} has no constraints"
        if Capability.BATCHES not in spec.solver.can:
            return f"method '{spec.solver.word}' makes no equal whole steps in C"
        return None

    def run(self, spec: BatchSpec, shown: Progress) -> BatchRun:
        """As `run_per_thread`, with a warning where constraints weren't met or kept."""
        system, solver, duration = spec.system, spec.fixed_step, spec.duration
        workers = min(spec.threads, spec.count)
        solver.refuse_excess(duration, len(system.state_names))  # a worker keeps those of a run
        jumps = spec.rate_jumps
        spec = spec.assembled()
        native = _native_constrained(spec, workers)
        if jumps:
            end = spec.span.end
            native.apply_impulses(
                [[(one.time if one.time < end else np.inf, one.before) for one in own]
                 for own in jumps]
            )  # fmt: skip
        times = instants(spec.span, duration, solver.output_step or solver.step)
        into = empty_batch_run(spec, native, times)
        ran = run_per_thread(native, spec, into, shown)
        told, whole = native.reports, ran.whole
        warn_when_open(system.name, float(np.fmax.reduce(told["gap"])))
        if whole.any():
            counts = {
                name: float(
                    told[name][whole].max() if name == "largest_h" else told[name][whole].sum()
                )
                for name in ("largest_h", "singular", "not_converged", "paradoxes")
            }
            said = constraint_diagnostics(spec.formulation.word, counts, native.friction_rows)
            warn_when_astray(system.name, {"statistics": counts, "diagnostics": said})
        return ran


def _native_constrained(spec: BatchSpec, workers: int) -> NativeConstrainedBatch:
    """What instances are given, and room for what comes of them."""
    system, solver, layout = spec.system, spec.fixed_step, spec.system.layout
    x, measured = spec.states(), spec.measures
    refuse_unknown_modes(system, x)
    return NativeConstrainedBatch(
        _motion(spec), CHUNK, len(layout.outputs) if measured else 0, x, spec.constants(),
        spec.blocks(system.dynamics.active_equations(system.key, spec.formulation.step).functions),
        spec.series(), (layout.memory_places, spec.steps_between_ticks),
        (solver.word, spec.span.start, solver.step, spec.whole_steps, solver.steps_per_output()),
        spec.places, workers,
    )  # fmt: skip


def _motion(spec: BatchSpec) -> BatchMotion:
    """In modes, or under constraints that stay."""
    system, kept = spec.system, spec.formulation
    if system.modes:
        return BatchModes(system.dynamics.modes_data(), kept, spec.solver.word)
    own = system.dynamics.active_equations(system.key, kept.step).functions
    return BatchConstrained(
        system.dynamics.constrained_functions(system.key, kept.step), kept,
        own["outputs"].compiled if spec.measures else None,
        own["updates"].compiled if system.layout.memories else None,
    )  # fmt: skip


class ContactBatch:
    """Mechanisms with rigid contacts, by time stepping, one instance at a time on each thread."""

    def can(self, spec: BatchSpec) -> str | None:
        """By "moreau-jean"."""
        if spec.on != "cpu":
            return "the processor isn't asked"
        if not isinstance(spec.solver, MoreauJean):
            return f"method '{spec.solver.word}' isn't time stepping"
        return None

    def run(self, spec: BatchSpec, shown: Progress) -> BatchRun:
        """As `run_per_thread`; those whose impulses didn't settle are told of by `tb.simulate`."""
        solver, span, workers = spec.solver, spec.span, min(spec.threads, spec.count)
        if not isinstance(solver, MoreauJean):
            raise AssertionError("time stepping is asked for another solver")
        solver.refuse_excess(span.duration, len(spec.system.state_names))  # a worker keeps a run's
        _ = spec.rate_jumps  # refused where positions jump; impulses of rates act within steps
        spec = spec.assembled()
        native = _native_contact(spec, solver, workers)
        made = solver.count(span.duration) * solver.step  # which may end a little after the span
        into = empty_batch_run(spec, native, instants(span, made, solver.step))
        return run_per_thread(native, spec, into, shown)


def _native_contact(spec: BatchSpec, solver: MoreauJean, workers: int) -> NativeContactBatch:
    """What instances are given, and room for what comes of them."""
    system, span = spec.system, spec.span
    stepper = solver.stepper(spec.run)
    equations, sensors = stepper.equations, stepper.sensors
    places = _places(system, sensors, spec.names)
    measured = has_sensors(places, len(system.state_names))
    shown = sensors.function if measured else None
    motion = BatchContacts(
        equations.stepped(), equations.configuration_rate, shown.compiled if shown else None,
        solver.theta, solver.correct_positions,
    )  # fmt: skip
    block: Floats = spec.blocks(shown) if shown else np.zeros(1)
    return NativeContactBatch(
        motion, block, len(sensors.labels) if measured else 0, spec.states(), spec.constants(),
        spec.blocks(equations.functions), spec.series(), ((), 1),
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
