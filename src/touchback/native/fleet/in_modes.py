"""Instances with modes, each in one of its own, on threads (in_modes.c)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from touchback.native.constrained.formulations import Formulation
from touchback.native.fleet.batch import BatchMotion, Memories, NativeBatch, Sizes
from touchback.native.integrate.problem import Problem
from touchback.native.integrate.sampler import Sampler
from touchback.native.library import LIB, Floats
from touchback.native.modes.data import ModesData
from touchback.native.modes.memory import CROWDED
from touchback.native.modes.modes import Modes
from touchback.native.record import FunctionData, Record


@dataclass(frozen=True)
class BatchModes:
    """Modes with memory of their own for each worker, enforced by one formulation; a method's steps
    are taken in `method`."""

    lanes: ClassVar[int] = 1
    sensors: ClassVar[FunctionData | None] = None  # modes have their own

    data: ModesData
    formulation: Formulation
    method: str

    def step(self, method: str) -> int:
        """That holds transitions."""
        return LIB.address("tb_modes_step")

    def problem(self, sizes: Sizes, u: Floats, p: Floats, memories: Memories) -> Problem:
        """Of a worker."""
        modes = Modes(self.data, self.formulation, self.method)
        problem = modes.problem(u, p)
        places, every = memories
        if places:
            Sampler(problem, modes.updates, places, every, modes)
        return problem

    @property
    def rubbing(self) -> list[str]:
        """Rows with friction."""
        return [name for mode in self.data.modes for name in mode.functions.rubbing]


class NativeModesBatch(NativeBatch):
    """As `NativeBatch`; `told` has what is told of each instance, by name (tb_batch_told). A crowd
    of transitions is looked for every `look` steps."""

    def __init__(self, motion: BatchModes, look: int, sensors: int, *given: Any) -> None:
        """`sensors`: how many there are, 0 where none is recorded; the others as of
        `NativeBatch`."""
        data = motion.data
        self._solved = data.sizes[1] + len(data.row_names)
        super().__init__(motion, data.sizes, sensors, *given)
        fields = [name for name, *_ in LIB.struct("tb_batch_told")._fields_]
        self.told = np.zeros(self.count, dtype=[(name, np.float64) for name in fields])
        struct = self._batch.struct
        struct.crowded, struct.look = CROWDED * struct.h, look
        struct.sensors, struct.rubs = sensors, bool(motion.rubbing)
        self._batch.point("told", self.told)

    def _worker(self, problem: Problem, motion: BatchMotion, sensors: int) -> Record:
        worker = super()._worker(problem, motion, sensors)
        worker.point("fresh", problem.remember())
        worker.floats("states", (self.rows + 1) * problem.state_size)
        worker.floats("solutions", self._solved)
        return worker
