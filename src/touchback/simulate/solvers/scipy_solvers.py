"""SciPy's solvers on the compiled rate, stepped one by one: a failure keeps what came before.

A step ends at the state that the constraints allow, and the next one starts from there: one-step
methods with the rate of that state, multistep methods with it at the head of their history, whose
differences stay (Eich 1993, "Convergence results for a coordinate projection method applied to
mechanical systems with algebraic constraints": their order stays too).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from touchback.names import unknown_name
from touchback.native import RADAU, Problem, stop_asked
from touchback.numbers import Floats
from touchback.simulate.run_failure import fastest, not_finite
from touchback.simulate.run_stepper import Segment
from touchback.simulate.solvers.base import Capability, Integrator
from touchback.simulate.time_span import Failure, Span, Trajectory

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver

_IMPLICIT = ("Radau", "BDF", "LSODA")
NAMES = ("RK23", "RK45", "DOP853", *_IMPLICIT)
_HISTORY = 20  # where LSODA keeps it in its work array, as SciPy's own dense output has it


@dataclass(frozen=True, kw_only=True)
class SciPy(Integrator):
    """SciPy's solver of that name, "RK23", "RK45", "DOP853", "Radau", "BDF" or "LSODA", as a second
    opinion: it steps in Python. Options as those of `Dopri5`."""

    word: str = field(kw_only=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.word not in NAMES:
            raise unknown_name("solver of SciPy's", self.word, NAMES)

    @property
    def can(self) -> Capability:
        """Some are for stiff problems."""
        smooth = (
            Capability.ADAPTIVE
            | Capability.FORMULATIONS
            | Capability.CONSTRAINTS
            | Capability.RUBBING
            | Capability.SWITCHES
        )
        smooth |= Capability.ENERGY_BALANCE
        return smooth | (Capability.STIFF if self.implicit else Capability.COPIES)

    @property
    def implicit(self) -> bool:
        """Whether it needs the Jacobian of the rate."""
        return self.word in _IMPLICIT

    def integrate(self, segment: Segment) -> Trajectory:
        """Steps at most `step` long, with the solver's own dense output."""
        problem, span = segment.problem, segment.span
        run = _Stepped(problem, problem.settle(span.start, segment.x0, accepted=True), span, self)
        knots = problem.knots
        parts = knots.segments(span.start, span.end) if knots else [(span.end, np.inf)]
        try:
            for end, before in parts:
                if not self._part(segment, run, end, before):
                    break
        except ValueError as error:  # SciPy's linear algebra refuses matrices that aren't finite
            if run.rate.bad < 0:
                raise
            run.failed = str(error)
        finally:
            if knots:
                knots.read_up_to(np.inf)
        return run.result(segment.names)

    def _part(self, segment: Segment, run: _Stepped, end: float, before: float) -> bool:
        """Up to a knot, or to the end, with a solver of its own; False where the run has to end."""
        problem, start, ends = segment.problem, run.t, list[float]()
        if problem.knots:
            problem.knots.read_up_to(before)
        solver = run.begin(_solver(self, run, end, min(self.step or np.inf, segment.longest)))
        while solver.status == "running" and problem.raised is None and not stop_asked():
            if run.steps >= self.step_limit:
                run.failed = f"{self.step_limit} steps were not enough"
                break
            if not run.step(solver):
                break
            if run.too_far:
                longest = 0.9 * (float(solver.t) - run.t) / run.too_far
                solver = run.begin(_solver(self, run, end, longest))
                continue
            ends.append(run.t)
            segment.show(run.t)
        self._see(segment, start, np.array(ends))
        if problem.knots and solver.status == "finished":
            problem.knots.read_up_to(np.inf)
            run.x = problem.settle(run.t, run.x, accepted=True)
        return solver.status == "finished"

    def _see(self, segment: Segment, start: float, ends: Floats) -> None:
        """What it saw of inputs: at the nodes of a Runge–Kutta method, of others at the ends of its
        steps, with a spline through them."""
        from scipy import integrate

        kind = getattr(integrate, self.word)
        if self.word == "Radau":
            segment.sees(ends, RADAU, start)
        elif hasattr(kind, "B"):
            segment.sees(ends, (kind.C[: len(kind.B)], kind.B), start)
        elif segment.trace and len(ends):
            knots = segment.problem.knots
            segment.trace.add_ends(np.append(start, knots.before_ends(ends) if knots else ends))


class _CheckedRate:
    """The rate, remembering the first component that wasn't finite in the step under way."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.bad = -1

    def __call__(self, t: float, x: Floats) -> Floats:
        rate = self._problem.rate(t, x)
        if self.bad < 0 and not np.isfinite(rate).all():
            self.bad = int(np.flatnonzero(~np.isfinite(rate))[0])
        return rate


class _Stepped:
    """What steps have given so far."""

    def __init__(self, problem: Problem, x: Floats, span: Span, solver: SciPy) -> None:
        self.problem, self.rate, self.span = problem, _CheckedRate(problem), span
        self.t, self.x, self.steps, self.failed = span.start, x, 0, ""
        self._times = span.output_times(solver.output_step)
        self._instants, self._states = [np.array([span.start])], [x[None, :]]
        self._written = 0
        self.evaluations = 0
        self.too_far = 0.0  # how much too far the last step went, which doesn't count then
        self._solver: OdeSolver | None = None

    def begin(self, solver: OdeSolver) -> OdeSolver:
        """Goes on with a solver, which begins where the one before has ended."""
        self.evaluations += int(self._solver.nfev) if self._solver else 0
        self._solver = solver
        return solver

    def step(self, solver: OdeSolver) -> bool:
        """One more, recorded and put onto the constraints; False when it failed."""
        problem, self.rate.bad = self.problem, -1
        self.failed = solver.step() or ""
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            self.failed = self.failed or "the state is not finite"
            return False
        self.too_far = problem.cells.too_far(problem, self.x, solver.y) if problem.cells else 0.0
        if self.too_far > 1.0 and float(solver.t) - self.t > 1e-12 * abs(self.t):
            return True
        self.too_far = 0.0
        if problem.energy_balance:
            h = float(solver.t) - self.t
            rows = solver.dense_output()(self.t + h * problem.energy_balance.nodes).T
            problem.energy_balance.add_step(self.t, h, rows)
        self.t, self.steps = float(solver.t), self.steps + 1
        reached = int(np.searchsorted(self._times, self.t, side="right"))
        if reached > self._written:
            times = self._times[self._written : reached]
            self._instants.append(times)
            self._states.append(problem.settle(times, solver.dense_output()(times).T))
            self._written = reached
        self.x = problem.settle(self.t, solver.y, accepted=True)
        if (self.x != solver.y).any():
            _go_on_from(solver, self.x, self.rate)
        return True

    def result(self, names: Sequence[str]) -> Trajectory:
        """All of it, and why it ended early, if it did."""
        t, x = self.t, self.x
        if t > self._instants[-1][-1]:
            self._instants.append(np.array([t]))
            self._states.append(x[None, :])
        evaluations = self.evaluations + (int(self._solver.nfev) if self._solver else 0)
        counts: dict[str, float] = {"steps": self.steps, "evaluations": evaluations}
        found = Trajectory(np.concatenate(self._instants), np.vstack(self._states), counts)
        if self.failed and self.rate.bad >= 0:
            mend = "check the initial state, inputs and parameters for a division by zero there"
            found.failure = not_finite(self.problem, names, t, x, self.rate.bad, mend)
        elif self.failed:
            culprit = fastest(self.problem, names, t, x)
            mend = "loosen rtol and atol, or look for a jump or a singularity there"
            found.failure = Failure(t, f"{self.failed.rstrip('.')}; {culprit}", mend)
        return found


def _solver(options: SciPy, run: _Stepped, end: float, longest: float) -> OdeSolver:
    from scipy import integrate  # half a second: only for those who ask for it

    slopes = {"jac": run.problem.jacobian} if options.implicit else {}
    made: OdeSolver = getattr(integrate, options.word)(
        run.rate, run.t, run.x, end, rtol=float(options.rtol), atol=float(options.atol),
        max_step=float(longest), **slopes,
    )  # fmt: skip
    return made


def _go_on_from(solver: Any, x: Floats, rate: _CheckedRate) -> None:
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
