"""A batch of mechanisms whose motion is found by a solver of its own: runs on threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np

from touchback.batch.batch_inputs import Floats, room_for
from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.batch.batch_spec import BatchSpec
from touchback.errors import InputError
from touchback.native import Listening, Stop
from touchback.numbers import read_number
from touchback.progress import Progress
from touchback.recording import Run
from touchback.simulate import Capability, RunFailed, RunInterrupted, Span
from touchback.simulate.simulate import simulate

_SAME = 1e-9  # of the time between two rows: instants closer than this are one
_ASKED_FOR = 1000  # runs that threads are asked for at once: of a billion each would wait
_A_LOOK = 0.1  # s between two looks at Ctrl-C


class ThreadedSimulate:
    """Anything that `tb.simulate` runs, each instance by a call of it, on threads."""

    def can(self, spec: BatchSpec) -> str | None:
        """Whatever the processor can."""
        return None if spec.on == "cpu" else "the processor isn't asked"

    def run(self, spec: BatchSpec, shown: Progress) -> BatchRun:
        """Instants that all instances have in common are needed. Ctrl-C leaves out what isn't
        done."""
        system, solver, options = spec.system, spec.solver, spec.solver.options()
        duration = spec.duration
        if Capability.ADAPTIVE in solver.can and not options.get("output_step"):
            raise InputError(
                f"{system.name}: steps of method '{solver.word}' differ from instance to instance; "
                "give output_step=…, at which all are recorded."
            )
        between = read_number("step", options.get("output_step") or options["step"])
        times = instants(spec.span, duration, between)
        x = room_for(system, spec.count)  # refused before any work
        record = np.full((spec.count, len(times), len(spec.names)), np.nan)
        into = BatchRun(
            system.name, tuple(system.state_names), tuple(spec.names), times, record, x,
            np.empty(spec.count), np.zeros(spec.count, dtype=bool), {}, 1,
            min(spec.threads, spec.count, _ASKED_FOR),
        )  # fmt: skip
        with Listening() as listening:
            reasons = run_alone(
                spec, range(spec.count), into,
                lambda done: shown.update(done / spec.count), lambda: listening.asked,
            )  # fmt: skip
        into = replace(into, reasons=reasons)
        if listening.asked:
            undone = [i for i in into.failed if i not in reasons]
            into.x[undone] = into.ended[undone] = np.nan
            raise BatchInterrupted(into)
        return into


def instants(span: Span, duration: float, between: float) -> Floats:
    """When instances are recorded: multiples of the time between two rows."""
    return np.append(span.start, Span(span.start, duration).output_times(between))


def run_alone(
    spec: BatchSpec,
    which: Sequence[int],
    into: BatchRun,
    told: Callable[[int], None] = lambda done: None,
    given_up: Callable[[], bool] = lambda: False,
) -> dict[int, str]:
    """Some instances as `tb.simulate` runs them, on threads: what is asked for of each is kept in
    the arrays of a batch, whose rows are NaN before. Returns why some failed; `told` gets how many
    are done. Once it is `given_up`, those that run end at once and aren't kept, like those that
    wait."""
    system, span, duration, times = spec.system, spec.span, spec.duration, into.time
    apart = _SAME * (times[1] - times[0] if len(times) > 1 else duration)

    reasons: dict[int, str] = {}
    stop = Stop()

    def one(i: int) -> None:
        x0, parameters, inputs = spec.instances.of(i, span)
        try:
            with stop.heeded():
                run, why = _run(
                    system, x0, duration, method=spec.solver, constraints=spec.run.constraints,
                    inputs=inputs, parameters=parameters, start=span.start, progress=False,
                )  # fmt: skip
        except RunInterrupted:
            return
        into.x[i], into.ended[i] = [run[name][-1] for name in system.state_names], run.time[-1]
        _keep(run, times, apart, into.signals, into.record[i])
        into.whole[i] = not why
        if why:
            reasons[i] = why

    _all(one, which, into.threads, told, given_up, stop)
    return reasons


def _all(
    one: Callable[[int], None],
    which: Sequence[int],
    threads: int,
    told: Callable[[int], None],
    given_up: Callable[[], bool],
    stop: Stop,
) -> None:
    """On threads, in parts; none begins any more when one raised or it is given up."""
    crew = ThreadPoolExecutor(threads)
    try:
        for first in range(0, len(which), _ASKED_FOR):
            tasks = [crew.submit(one, i) for i in which[first : first + _ASKED_FOR]]
            for k, task in enumerate(tasks, first + 1):
                while not given_up() and not wait([task], _A_LOOK).done:
                    pass
                if given_up():
                    return
                task.result()
                told(k)
    finally:
        stop.ask()
        crew.shutdown(cancel_futures=True)


def _run(*given: Any, **options: Any) -> tuple[Run, str]:
    """A run, and why it didn't reach its end."""
    try:
        return simulate(*given, **options), ""
    except RunFailed as error:
        return error.run, str(error)


def _keep(run: Run, times: Floats, apart: float, names: Sequence[str], rows: Floats) -> None:
    """Rows at the times; a run has others too, where its modes change."""
    there = np.searchsorted(run.time, times + apart, side="right") - 1  # after a jump
    reached = np.abs(run.time[there] - times) <= apart
    for k, name in enumerate(names):
        rows[reached, k] = run[name][there[reached]]
