"""A batch of mechanisms whose motion is found by a solver of its own: runs on threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from touchback.errors import InputError
from touchback.fleet.batch_run import BatchRun
from touchback.fleet.given import Floats, Given
from touchback.native import Formulation
from touchback.recording import Run
from touchback.simulate.failure import RunFailed
from touchback.simulate.progress import Progress
from touchback.simulate.simulate import simulate
from touchback.simulate.solvers import Can, Solver
from touchback.simulate.span import Span
from touchback.system import System


def run_one_by_one(
    system: System,
    solver: Solver,
    constraints: str | Formulation | None,
    span: Span,
    given: Given,
    names: Sequence[str],
    threads: int,
    shown: Progress,
) -> BatchRun:
    """Each as `tb.simulate` runs it. Instants that all have in common are needed."""
    options = solver.options()
    if Can.ADAPTIVE in solver.can and not options.get("output_step"):
        raise InputError(
            f"{system.name}: steps of method '{solver.word}' differ from instance to instance; "
            "give output_step=…, at which all are recorded."
        )

    def one(i: int) -> tuple[Run, str]:
        x0, parameters, inputs = given.of(i, span)
        try:
            run = simulate(
                system, x0, span.duration, method=solver, constraints=constraints, inputs=inputs,
                parameters=parameters, start=span.start, progress=False,
            )  # fmt: skip
        except RunFailed as error:
            return error.run, str(error)
        return run, ""

    done: dict[int, tuple[Run, str]] = {}
    with ThreadPoolExecutor(threads) as crew:
        for i, found in enumerate(crew.map(one, range(given.count))):
            done[i] = found
            shown.update((i + 1) / given.count)
    return _gathered(system, span, names, done, threads)


def _gathered(
    system: System,
    span: Span,
    names: Sequence[str],
    done: dict[int, tuple[Run, str]],
    threads: int,
) -> BatchRun:
    times: Floats = max((run.time for run, _ in done.values()), key=len)
    record = np.full((len(done), len(times), len(names)), np.nan)
    x = np.empty((len(done), len(system.state_names)))
    ended = np.empty(len(done))
    for i, (run, _) in done.items():
        for k, name in enumerate(names):
            record[i, : len(run.time), k] = run[name]
        x[i] = [run[name][-1] for name in system.state_names]
        ended[i] = run.time[-1]
    reasons = {i: why for i, (_, why) in done.items() if why}
    whole = np.array([not why for _, why in done.values()])
    return BatchRun(
        system.name, tuple(system.state_names), tuple(names), times, record, x, ended, whole,
        reasons, 1, threads,
    )  # fmt: skip
