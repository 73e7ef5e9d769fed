"""Runs that fail: which signal went bad, and the error that keeps everything up to there."""

from collections.abc import Sequence

import numpy as np

from touchback.errors import SolveError
from touchback.native import Problem
from touchback.recording import Run
from touchback.simulate.plan import Failure
from touchback.simulate.protocol import Floats


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


def fastest(problem: Problem, names: Sequence[str], t: float, x: Floats) -> str:
    """The signal that changes most for its size: the likely reason of short steps."""
    speed = np.abs(problem.rate(t, x)) / (1e-3 + np.abs(x))
    worst = int(np.argmax(np.nan_to_num(speed, nan=np.inf)))
    return f"{names[worst]!r} changes fastest ({x[worst]:.6g})"
