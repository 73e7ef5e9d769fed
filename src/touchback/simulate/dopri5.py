"""Dormand–Prince 5(4) inside C: adaptive steps, dense output on a regular grid."""

from collections.abc import Sequence

import numpy as np

from touchback.native import Dopri5, Problem, Status
from touchback.simulate.failure import fastest, not_finite
from touchback.simulate.plan import Failure, Plan, Trajectory, output_times
from touchback.simulate.progress import Chunks, Progress
from touchback.simulate.protocol import Floats

INTERVALS = 1000  # of the output when no output_step is given


def integrate(
    problem: Problem, names: Sequence[str], x0: Floats, plan: Plan, progress: Progress
) -> Trajectory:
    """Steps as long as the tolerances allow, at most `step`."""
    times = output_times(plan.duration, plan.output_step or plan.duration / INTERVALS)
    run = Dopri5(
        problem, x0, 0.0, plan.duration, times, plan.rtol, plan.atol,
        max_step=plan.step or np.inf, step_limit=plan.step_limit,
    )  # fmt: skip
    chunks = Chunks()
    while problem.raised is None and run.advance(chunks.next()) == Status.PAUSED:
        progress.update(run.t / plan.duration)
    states = np.vstack([x0, run.record[: run.written]])
    instants = np.append(0.0, times[: run.written])
    if run.t > instants[-1]:
        instants, states = np.append(instants, run.t), np.vstack([states, run.x])
    result = Trajectory(instants, states, {**run.statistics})
    if run.status not in (Status.REACHED, Status.PAUSED):
        result.failure = _failure(run, names, plan)
    return result


def _failure(run: Dopri5, names: Sequence[str], plan: Plan) -> Failure:
    if run.status == Status.NOT_FINITE:
        mend = "check the initial state, inputs and parameters for a division by zero there"
        return not_finite(run.problem, names, run.t, run.x, run.bad, mend)
    culprit = fastest(run.problem, names, run.t, run.x)
    if run.status == Status.STEP_LIMIT:
        return Failure(
            run.t,
            f"{plan.step_limit} steps were not enough; {culprit}",
            "loosen rtol and atol, raise step_limit, or try a stiff method such as 'Radau'",
        )
    return Failure(
        run.t,
        f"the step has shrunk to {run.step:.3g} s; {culprit}",
        "look for a jump or a singularity there, loosen rtol and atol, or try method='Radau'",
    )
