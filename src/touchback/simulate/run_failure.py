"""Runs that fail: which signal went bad, and the error that keeps everything up to there."""

from collections.abc import Sequence

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.native import Problem
from touchback.numbers import Floats
from touchback.recording import Run
from touchback.simulate.time_span import Failure, Span, Trajectory


class RunFailed(SolveError):
    """A run that ended before its time; `run` holds everything recorded up to the failure."""

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


class RunInterrupted(KeyboardInterrupt):
    """A run that Ctrl-C ended; `run` holds everything recorded up to there."""

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


def raise_failure(
    name: str, method: str, span: Span, run: Run, problem: Problem, failure: Failure | None
) -> None:
    """Raises what ended a run before its time, or left it in doubt, if anything did."""
    raised, kept = problem.raised, "The run up to there is kept in `.run`."
    if raised is not None:
        if isinstance(raised, KeyboardInterrupt):  # inside an input function
            raise interrupted(name, run) from raised
        if not isinstance(raised, Exception):
            raise raised
        if isinstance(raised, InputError):  # ours, and so it names the input
            raise RunFailed(f"{name}: {raised} {kept}", run) from raised
        raise RunFailed(
            f"{name}: an input function raised {type(raised).__name__} ({raised}) after "
            f"t = {run.time[-1]:.6g} s; correct the function. {kept}",
            run,
        ) from raised
    if failure is None:
        return
    told = f"{failure.what}; {failure.mend}" if failure.mend else failure.what
    if failure.whole:
        raise RunFailed(f"{name}: {told}. The run is kept in `.run`.", run)
    raise RunFailed(
        f"{name}: {method} stopped at t = {failure.time:.6g} s of {span.end:g} s: {told}. {kept}",
        run,
    ) from failure.cause


def interrupted(name: str, run: Run) -> RunInterrupted:
    """What to raise after Ctrl-C."""
    return RunInterrupted(
        f"{name}: interrupted at t = {run.time[-1]:.6g} s. The run up to there is kept in `.run`.",
        run,
    )


def not_finite(
    problem: Problem, names: Sequence[str], t: float, x: Floats, bad: int, mend: str
) -> Failure:
    """A NaN or an infinity met in the step that starts at the good state x.

    The rate at x tells best where it came from; when that is still finite, the first component
    found bad within the step is named.
    """
    rate = problem.rate(t, x)
    suspects = np.flatnonzero(~np.isfinite(rate))
    if len(suspects):
        what = f"the rate of {names[suspects[0]]!r} is {rate[suspects[0]]}"
    else:
        what = f"{names[bad]!r} stops being a finite number after {x[bad]:.6g}"
    return Failure(t, what, mend)


def cut_where_not_finite(
    problem: Problem, names: Sequence[str], trajectory: Trajectory, mend: str
) -> None:
    """Leaves out what comes from a state on that is no number, and tells of it: solvers that don't
    look themselves."""
    rows, columns = np.nonzero(~np.isfinite(trajectory.states))
    if trajectory.failure is not None or not len(rows):
        return
    kept = max(1, int(rows[0]))
    trajectory.times, trajectory.states = trajectory.times[:kept], trajectory.states[:kept]
    t, x = float(trajectory.times[-1]), trajectory.states[-1]
    trajectory.failure = not_finite(problem, names, t, x, int(columns[0]), mend)


def fastest(problem: Problem, names: Sequence[str], t: float, x: Floats) -> str:
    """The signal that changes most for its size: the likely reason of short steps."""
    speed = np.abs(problem.rate(t, x)) / (1e-3 + np.abs(x))
    worst = int(np.argmax(np.nan_to_num(speed, nan=np.inf)))
    return f"{names[worst]!r} changes fastest ({x[worst]:.6g})"
