"""Instances with constraints, in modes or without, one at a time on a thread (one_at_a_time.c)."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from touchback.native.batch.batch import BatchMotion, Memories, NativeBatch, Sizes
from touchback.native.constrained.constrained import Constrained, ConstrainedFunctions
from touchback.native.constrained.formulations import Formulation
from touchback.native.integrate.fixed_step import step_address
from touchback.native.integrate.problem import Problem
from touchback.native.integrate.sampler import Sampler
from touchback.native.library import LIB, Floats
from touchback.native.modes.data import ModesData
from touchback.native.modes.memory import CROWDED
from touchback.native.modes.modes import Modes
from touchback.native.record import FunctionData, Record


class LoneMotion(BatchMotion, Protocol):
    """A motion of one instance at a time: its `way` (tb_batch_way), how many numbers a step or a
    rate solves for, and the rows of constraints that rub."""

    @property
    def way(self) -> str: ...
    @property
    def sizes(self) -> Sizes: ...
    @property
    def solved(self) -> int: ...
    @property
    def rubbing(self) -> list[str]: ...


@dataclass(frozen=True)
class BatchConstrained:
    """Constraints that stay, with memory of their own for each worker, enforced by one formulation;
    sensors where some are recorded, and what memories become at ticks."""

    lanes: ClassVar[int] = 1
    way: ClassVar[str] = "tb_batch_in_constraints"

    functions: ConstrainedFunctions
    formulation: Formulation
    sensors: FunctionData | None
    updates: FunctionData | None

    @property
    def sizes(self) -> Sizes:
        """Of positions, velocities and further states."""
        return self.functions.sizes

    @property
    def solved(self) -> int:
        """Accelerations and multipliers."""
        return self.functions.sizes[1] + len(self.functions.names)

    @property
    def rubbing(self) -> list[str]:
        """Rows with friction."""
        return self.functions.rubbing

    def step(self, method: str) -> int:
        """The method's own."""
        return step_address(method)

    def problem(self, sizes: Sizes, u: Floats, p: Floats, memories: Memories) -> Problem:
        """Of a worker."""
        constrained = Constrained(self.functions, self.formulation)
        problem = constrained.problem(u, p)
        places, every = memories
        if places and self.updates is not None:
            Sampler(problem, self.updates, places, every, constrained)
        return problem


@dataclass(frozen=True)
class BatchModes:
    """Modes with memory of their own for each worker, enforced by one formulation; a method's steps
    are taken in `method`."""

    lanes: ClassVar[int] = 1
    way: ClassVar[str] = "tb_batch_in_modes"
    sensors: ClassVar[FunctionData | None] = None  # modes have their own

    data: ModesData
    formulation: Formulation
    method: str

    @property
    def sizes(self) -> Sizes:
        """Of positions, velocities and further states."""
        return self.data.sizes

    @property
    def solved(self) -> int:
        """Accelerations, and multipliers of all modes."""
        return self.data.sizes[1] + len(self.data.row_names)

    @property
    def rubbing(self) -> list[str]:
        """Rows with friction."""
        return [name for mode in self.data.modes for name in mode.functions.rubbing]

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


class NativeLoneBatch(NativeBatch):
    """As `NativeBatch`, one at a time; `told` has what is told of each instance, by name
    (tb_batch_told), and `rubbing` are the rows with friction."""

    def __init__(self, motion: LoneMotion, sensors: int, *given: Any) -> None:
        """`sensors`: how many there are, 0 where none is recorded; the others as of
        `NativeBatch`."""
        self.rubbing, self._solved = motion.rubbing, motion.solved
        super().__init__(motion, motion.sizes, sensors, *given)
        fields = [name for name, *_ in LIB.struct("tb_batch_told")._fields_]
        self.told = np.zeros(self.count, dtype=[(name, np.float64) for name in fields])
        self._batch.struct.way = LIB.address(motion.way)
        self._batch.point("told", self.told)

    @property
    def end(self) -> float:
        """When those that nothing ends are done [s]."""
        struct = self._batch.struct
        return float(struct.t0 + struct.steps * struct.h)

    def _worker(self, problem: Problem, motion: BatchMotion, sensors: int) -> Record:
        worker = super()._worker(problem, motion, sensors)
        worker.point("fresh", problem.remember())
        worker.floats("states", (self.rows + 1) * problem.state_size)
        worker.floats("solutions", len(problem.u) + self._solved)
        return worker


class NativeTiedBatch(NativeLoneBatch):
    """With constraints. A crowd of transitions is looked for every `look` steps."""

    def __init__(self, motion: LoneMotion, look: int, sensors: int, *given: Any) -> None:
        super().__init__(motion, sensors, *given)
        struct = self._batch.struct
        struct.crowded, struct.look = CROWDED * struct.h, look
        struct.sensors, struct.rubs = sensors, bool(self.rubbing)
