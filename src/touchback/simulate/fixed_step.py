"""Fixed steps inside C: classical Runge–Kutta, semi-implicit Euler, and implicit rules."""

from collections.abc import Sequence

import numpy as np

from touchback.errors import InputError
from touchback.native import Chunks, FixedStep, Problem, Status
from touchback.simulate.failure import not_finite
from touchback.simulate.plan import Plan, Trajectory, whole_multiple
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.watch import Watch

DEFAULT_STEP = 1e-3
_SLIVER = 1e-9  # of a step: a remainder shorter than this is rounding


def integrate(
    problem: Problem,
    names: Sequence[str],
    x0: Floats,
    plan: Plan,
    progress: Progress,
    watch: Watch | None = None,
) -> Trajectory:
    """Equal steps, and a shorter last one when the duration isn't a multiple of the step."""
    step = plan.step or DEFAULT_STEP
    every = steps_per_output(plan.output_step, step)
    whole = int(np.floor(plan.duration / step + _SLIVER))
    events = watch.native if watch else None
    run = FixedStep(problem, plan.method, x0, plan.start, step, events)
    if watch:
        watch.start(plan.start, run.x)
    records = [run.x[None, :].copy()]
    chunks = Chunks()
    status = Status.REACHED
    while run.steps < whole and _goes_on(status, problem, watch):
        status, rows = run.advance(min(chunks.next(), whole - run.steps), every)
        records.append(rows)
        if watch:
            watch.follow(run, status)
        progress.update(run.steps / whole)
    states = np.vstack(records)
    times: Floats = plan.start + np.arange(0.0, len(states)) * every * step
    last, steps = run, run.steps
    remainder = plan.duration - whole * step
    if remainder > _SLIVER * step and _goes_on(status, problem, watch):
        problem.leave_memories(run.steps)
        last = FixedStep(problem, plan.method, run.x, run.t, remainder, events)
        while last.steps == 0 and _goes_on(status, problem, watch):
            status, _ = last.advance(1)
            if watch:
                watch.follow(last, status)
        steps += last.steps
    if last.t > times[-1]:
        times, states = np.append(times, last.t), np.vstack([states, last.x])
    result = Trajectory(times, states, {"steps": steps, "step": step})
    if status == Status.NOT_FINITE:
        mend = (
            f"take a shorter step than {step:g} s or method='dopri5', and check the initial state, "
            "inputs and parameters there"
        )
        result.failure = not_finite(problem, names, last.t, last.x, last.bad, mend)
    if watch and watch.failure:
        result.failure = watch.failure
    return result


def _goes_on(status: Status, problem: Problem, watch: Watch | None) -> bool:
    failed = status in (Status.NOT_FINITE, Status.INTERRUPTED) or problem.raised is not None
    return not failed and (watch is None or (watch.ended is None and watch.failure is None))


def steps_per_output(output_step: float | None, step: float) -> int:
    """How many fixed steps there are between recorded instants."""
    if output_step is None:
        return 1
    every = whole_multiple(output_step, step)
    if every is None:
        raise InputError(
            f"output_step {output_step:g} s is not a multiple of the fixed step {step:g} s; "
            "change one of them, or use method='dopri5', which interpolates."
        )
    return every
