"""Instances with constraints or rigid contacts in C, one at a time on each thread: each as if
nothing had run before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from touchback.batch.batch_run import BatchInterrupted, BatchRun
from touchback.batch.given import Floats, Given
from touchback.batch.laid_out import states_in
from touchback.batch.lanes import run_parts
from touchback.batch.one_by_one import run_alone
from touchback.native import Formulation
from touchback.native.batch.tied import NativeLoneBatch
from touchback.simulate.progress import Progress
from touchback.simulate.solvers import Solver
from touchback.simulate.span import Span
from touchback.system import System


def room(system: System, native: NativeLoneBatch, names: Sequence[str], times: Floats) -> BatchRun:
    """What is to come of them, of which nothing is there yet."""
    ended, nobody = np.full(native.count, np.nan), np.zeros(native.count, dtype=bool)
    return BatchRun(
        system.name, tuple(system.state_names), tuple(names), times,
        native.record[:, : len(times)], native.x, ended, nobody, {}, 1, native.workers,
    )  # fmt: skip


def run_one_at_a_time(
    native: NativeLoneBatch,
    system: System,
    solver: Solver,
    constraints: str | Formulation | None,
    span: Span,
    given: Given,
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
