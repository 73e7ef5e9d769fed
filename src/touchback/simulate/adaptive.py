"""Methods with error control inside C: adaptive steps, dense output on a regular grid."""

from collections.abc import Sequence

import numpy as np

from touchback.native import Adaptive, Chunks, Dopri5, Problem, Radau5, Status
from touchback.simulate.failure import fastest, not_finite
from touchback.simulate.plan import Failure, Plan, Trajectory
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.watch import Watch

INTERVALS = 1000  # of the output when no output_step is given
METHODS: dict[str, type[Adaptive]] = {"dopri5": Dopri5, "radau5": Radau5}


def integrate(
    problem: Problem,
    names: Sequence[str],
    x0: Floats,
    plan: Plan,
    progress: Progress,
    watch: Watch | None = None,
) -> Trajectory:
    """Steps as long as the tolerances allow, at most `step`."""
    times = plan.output_times(INTERVALS)
    run = METHODS[plan.method](
        problem, x0, plan.start, plan.end, times, plan.rtol, plan.atol,
        max_step=plan.step or np.inf, step_limit=plan.step_limit,
        events=watch.native if watch else None,
    )  # fmt: skip
    start = run.x.copy()
    if watch:
        watch.start(plan.start, start)
    chunks = Chunks()
    while problem.raised is None and run.status == Status.PAUSED:
        run.advance(chunks.next())
        if watch and not watch.follow(run, run.status):
            break
        progress.update((run.t - plan.start) / plan.duration)
    states = np.vstack([start, run.record[: run.written]])
    instants = np.append(plan.start, times[: run.written])
    if run.t > instants[-1]:
        instants, states = np.append(instants, run.t), np.vstack([states, run.x])
    result = Trajectory(instants, states, {**run.statistics})
    if run.status in (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.STEP_LIMIT):
        result.failure = _failure(run, names, plan)
    if watch and watch.failure:
        result.failure = watch.failure
    return result


def _failure(run: Adaptive, names: Sequence[str], plan: Plan) -> Failure:
    if run.status == Status.NOT_FINITE:
        mend = "check the initial state, inputs and parameters for a division by zero there"
        return not_finite(run.problem, names, run.t, run.x, run.bad, mend)
    culprit = fastest(run.problem, names, run.t, run.x)
    stiff = "" if plan.method == "radau5" else ", or try method='radau5' if the problem is stiff"
    if run.status == Status.STEP_LIMIT:
        return Failure(
            run.t,
            f"{plan.step_limit} steps were not enough; {culprit}",
            f"loosen rtol and atol, raise step_limit{stiff}",
        )
    return Failure(
        run.t,
        f"the step has shrunk to {run.step:.3g} s; {culprit}",
        f"look for a jump or a singularity there, loosen rtol and atol{stiff}",
    )
