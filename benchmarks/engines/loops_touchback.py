"""Ours on loops: fixed steps in C."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.engines.loop_engine import Quality, judge
from benchmarks.planar_loops import PlanarLoops
from benchmarks.timing import Floats
from touchback.native import FixedStep, Status
from touchback.native.constrained.constrained_problem import Constrained


@dataclass(frozen=True)
class Ticks:
    """Seconds of each step less the call from Python, and whether the independent set was chosen
    anew within it."""

    seconds: Floats
    chosen: NDArray[np.bool_]


class Ours:
    """One formulation with one integrator."""

    def __init__(
        self,
        mechanism: PlanarLoops,
        system: Any,
        state: tuple[Floats, Floats],
        step: float,
        formulation: str = "partitioning",
        method: str = "rk4",
    ) -> None:
        self.name = f"Touchback {formulation}" + (f", {method}" if method != "rk4" else "")
        self.note = ""
        self.mechanism, self.system, self.step, self.method = mechanism, system, step, method
        self.x0 = np.concatenate(state)
        self.constrained = Constrained(system.constrained_functions(), formulation)
        self.problem = self.constrained.problem(p=system.parameter_block())

    def _fresh(self) -> FixedStep:
        return FixedStep(self.problem, self.method, self.x0, 0.0, self.step)

    def seconds(self, steps: int) -> float:
        run = self._fresh()
        start = perf_counter()
        run.advance(steps, 10**9)
        return (perf_counter() - start) / steps

    def quality(self, steps: int, every: int) -> Quality:
        status, rows = self._fresh().advance(steps, every)
        if status != Status.REACHED:
            return Quality(np.inf, np.inf)
        n = len(self.mechanism.links)
        states = np.vstack([self.x0, rows])
        return judge(self.mechanism, self.system, states[:, :n], states[:, n:])

    def ticks(self, steps: int, repeats: int) -> Ticks:
        """Steps one by one, each the least of several equal runs."""
        best, chosen, call = np.full(steps, np.inf), np.zeros(steps, dtype=bool), np.inf
        for _ in range(repeats):
            run = self._fresh()
            before = self.constrained.statistics["choices"]
            for i in range(steps):
                start = perf_counter()
                run.advance(0, 10**9)
                middle = perf_counter()
                run.advance(1, 10**9)
                best[i] = min(best[i], perf_counter() - middle)
                call = min(call, middle - start)
                after = self.constrained.statistics["choices"]
                chosen[i], before = after > before, after
        return Ticks(best - call, chosen)
