"""Heun's method, of order 2, as a solver of one's own."""

from dataclasses import dataclass

import numpy as np

from touchback.simulate import Capability, Integrator, Segment, Trajectory


@dataclass(frozen=True, kw_only=True)
class Heun(Integrator):
    """Equal steps of about `step` seconds, each recorded."""

    word = "heun"
    can = (
        Capability.FORMULATIONS | Capability.CONSTRAINTS | Capability.RUBBING | Capability.COPIES
    )  # no events, modes, books
    step: float = 1e-3

    def integrate(self, segment: Segment) -> Trajectory:
        """x + h (f(t, x) + f(t + h, x + h f)) / 2, brought back onto the constraints."""
        problem, span = segment.problem, segment.span
        count = max(1, round(span.duration / self.step))
        h = span.duration / count
        times = span.start + h * np.arange(count + 1)
        states = [problem.settle(span.start, segment.x0, accepted=True)]
        for t in times[:-1]:
            x = states[-1]
            slope = problem.rate(t, x)
            mean = 0.5 * (slope + problem.rate(t + h, x + h * slope))
            states.append(problem.settle(t + h, x + h * mean, accepted=True))
            segment.show(t + h)
        return Trajectory(times, np.array(states), {"steps": count})
