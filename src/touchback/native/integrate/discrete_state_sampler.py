"""Memories of a model in C: what they become at each tick (sampler.h)."""

from collections.abc import Sequence

import numpy as np

from touchback.native.c_struct import FunctionData, Record
from touchback.native.integrate.problem_struct import Problem, Solving


class Sampler:
    """Lets memories at the `places` of a problem's state take the values of `update` before every
    `every`-th step of a fixed-step run."""

    def __init__(
        self,
        problem: Problem,
        update: FunctionData,
        places: Sequence[int],
        every: int,
        constrained: Solving | None = None,
    ) -> None:
        inputs, count = len(problem.u), len(places)
        solved = constrained.solved if constrained else None
        n, m = (problem.sizes[1], len(solved.multipliers)) if solved else (0, 0)
        self._record = record = Record(
            "tb_sampler", count=count, every=every, inputs=inputs, accelerations_count=n,
            multipliers_count=m,
        )  # fmt: skip
        record.call("update", update)
        record.point("places", np.array(places, dtype=np.int64))
        record.floats("u", inputs + n + m)
        record.floats("out", count)
        record.floats("rate", problem.state_size)
        if solved:
            record.owned.append(constrained)
            record.point("accelerations", solved.accelerations)
            record.point("multipliers", solved.multipliers)
        problem.use_sampler(self, record.address)

    @property
    def every(self) -> int:
        """Steps from tick to tick."""
        return int(self._record.struct.every)
