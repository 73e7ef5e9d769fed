"""A batch of mechanisms with rigid contacts by time stepping: equations are derived once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from touchback.batch.batch_run import BatchRun
from touchback.batch.given import Floats, Given
from touchback.batch.laid_out import blocks_of, constants_of, series_of, states_in, with_states
from touchback.batch.one_at_a_time import room, run_one_at_a_time
from touchback.batch.one_by_one import instants
from touchback.errors import InputError
from touchback.native.batch.touching import BatchTouching, NativeTouchingBatch
from touchback.simulate.contact_stepper import Sensors
from touchback.simulate.inputs import read_inputs
from touchback.simulate.progress import Progress
from touchback.simulate.span import Span
from touchback.simulate.stepper import Asked
from touchback.simulate.time_stepping import MoreauJean
from touchback.system import System


def run_touching(
    system: System,
    solver: MoreauJean,
    span: Span,
    given: Given,
    names: Sequence[str],
    threads: int,
    shown: Progress,
) -> BatchRun:
    """As `run_one_at_a_time`; those whose impulses didn't settle are told of by `tb.simulate`."""
    workers = min(threads, given.count)
    solver.refuse_excess(span.duration, len(system.state_names))  # a worker keeps those of a run
    given = with_states(system, given, span)
    native = _native(system, solver, span, given, names, workers)
    made = solver.count(span.duration) * solver.step  # which may end a little after the span
    into = room(system, native, names, instants(span, made, solver.step))
    return run_one_at_a_time(native, system, solver, None, span, given, into, shown)


def _native(
    system: System,
    solver: MoreauJean,
    span: Span,
    given: Given,
    names: Sequence[str],
    workers: int,
) -> NativeTouchingBatch:
    """What instances are given, and room for what comes of them."""
    inputs = read_inputs(system, None, span.end)
    course = solver.course(Asked(system, span, inputs, None, {}, (), False))
    equations, sensors = course.equations, course.sensors
    places = _places(system, sensors, names)
    measured = any(place >= len(system.state_names) for place in places)
    shown = sensors.function if measured else None
    motion = BatchTouching(
        equations.stepped(), equations.configuration_rate, shown.compiled if shown else None,
        solver.theta, solver.correct_positions,
    )  # fmt: skip
    block: Floats = blocks_of(system, given, shown) if shown else np.zeros(1)
    return NativeTouchingBatch(
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
