"""SciPy's solvers on the compiled rate, stepped one by one: a failure keeps what came before.

A step ends at the state that the constraints allow, and the next one starts from there: one-step
methods with the rate of that state, multistep methods with it at the head of their history, whose
differences stay (Eich 1993, "Convergence results for a coordinate projection method applied to
mechanical systems with algebraic constraints": their order stays too).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.native import Problem, stop_asked
from touchback.simulate.adaptive import INTERVALS
from touchback.simulate.failure import fastest, not_finite
from touchback.simulate.plan import Failure, Plan, Trajectory
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.watch import Watch

IMPLICIT = ("Radau", "BDF", "LSODA")
NAMES = ("RK23", "RK45", "DOP853", *IMPLICIT)
_HISTORY = 20  # where LSODA keeps it in its work array, as SciPy's own dense output has it


class _WatchedRate:
    """The rate, remembering the first component that wasn't finite in the step under way."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.bad = -1

    def __call__(self, t: float, x: Floats) -> Floats:
        rate = self._problem.rate(t, x)
        if self.bad < 0 and not np.isfinite(rate).all():
            self.bad = int(np.flatnonzero(~np.isfinite(rate))[0])
        return rate


def _go_on_from(solver: Any, x: Floats, rate: _WatchedRate) -> None:
    """Lets the next step start from another state than the one that the last step reached."""
    solver.y = x.copy()
    method = type(solver).__name__
    if method == "LSODA":
        inner = solver._lsoda_solver
        inner._y = x.copy()
        inner._integrator.rwork[_HISTORY : _HISTORY + x.size] = x  # Nordsieck's array begins here
    elif method == "BDF":
        solver.D[0] = x  # of its backward differences
    else:
        solver.f = rate(solver.t, x)


def integrate(
    problem: Problem,
    names: Sequence[str],
    x0: Floats,
    plan: Plan,
    progress: Progress,
    watch: Watch | None = None,
) -> Trajectory:
    """Steps of the named solver, at most `step` long, with its own dense output."""
    if watch is not None:
        raise InputError(
            f"SciPy's {plan.method!r} doesn't look for events here; use 'dopri5', or 'radau5' for "
            "stiff problems."
        )
    from scipy import integrate as scipy_integrate  # half a second: only for those who ask for it

    times = plan.output_times(INTERVALS)
    rate = _WatchedRate(problem)
    x0 = problem.settle(plan.start, x0, accepted=True)
    instants, states = [np.array([plan.start])], [x0[None, :]]
    t, x, steps, written, failed = plan.start, x0, 0, 0, ""
    solver, slopes = None, {"jac": problem.jacobian} if plan.method in IMPLICIT else {}
    try:
        solver = getattr(scipy_integrate, plan.method)(
            rate, plan.start, x0, plan.end, rtol=plan.rtol, atol=plan.atol,
            max_step=plan.step or np.inf, **slopes,
        )  # fmt: skip
        while solver.status == "running" and problem.raised is None and not stop_asked():
            if steps >= plan.step_limit:
                failed = f"{plan.step_limit} steps were not enough"
                break
            rate.bad = -1
            failed = solver.step() or ""
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                failed = failed or "the state is not finite"
                break
            if problem.books:
                h = float(solver.t) - t
                rows = solver.dense_output()(t + h * problem.books.nodes).T
                problem.books.add_step(t, h, rows)
            t, steps = float(solver.t), steps + 1
            reached = int(np.searchsorted(times, t, side="right"))
            if reached > written:
                instants.append(times[written:reached])
                rows = solver.dense_output()(times[written:reached]).T
                states.append(problem.settle(times[written:reached], rows))
                written = reached
            x = problem.settle(t, solver.y, accepted=True)
            if (x != solver.y).any():
                _go_on_from(solver, x, rate)
            progress.update((t - plan.start) / plan.duration)
    except ValueError as error:  # SciPy's linear algebra refuses matrices that aren't finite
        if rate.bad < 0:
            raise
        failed = str(error)
    if t > instants[-1][-1]:
        instants.append(np.array([t]))
        states.append(x[None, :])
    statistics = {"steps": steps, "evaluations": int(solver.nfev) if solver else 0}
    result = Trajectory(np.concatenate(instants), np.vstack(states), {**statistics})
    if failed and rate.bad >= 0:
        mend = "check the initial state, inputs and parameters for a division by zero there"
        result.failure = not_finite(problem, names, t, x, rate.bad, mend)
    elif failed:
        culprit = fastest(problem, names, t, x)
        mend = "loosen rtol and atol, or look for a jump or a singularity there"
        result.failure = Failure(t, f"{failed.rstrip('.')}; {culprit}", mend)
    return result
