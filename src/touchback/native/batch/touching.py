"""Instances with rigid contacts by time stepping, one at a time on each thread (in_contacts.c)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from touchback.native.batch.batch import BatchMotion, Memories, Sizes, stride
from touchback.native.batch.tied import NativeLoneBatch
from touchback.native.contact.moreau_jean import MoreauJean, SteppedFunctions
from touchback.native.integrate.problem import Problem
from touchback.native.library import Floats
from touchback.native.record import FunctionData, Record


@dataclass(frozen=True)
class BatchTouching:
    """Contacts with memory of their own for each worker; sensors where some are recorded."""

    lanes: ClassVar[int] = 1
    way: ClassVar[str] = "tb_batch_in_contacts"
    rubbing: ClassVar[list[str]] = []  # constraints here don't

    functions: SteppedFunctions
    configuration_rate: FunctionData | None
    sensors: FunctionData | None
    theta: float
    lifts: bool

    @property
    def sizes(self) -> Sizes:
        """Of positions, velocities and further states."""
        return self.functions.sizes

    @property
    def solved(self) -> int:
        """What rows take of energy, and the work of moving surfaces through them."""
        return 2 * self.functions.rows

    def step(self, method: str) -> int:
        """None beside the stepper's own."""
        return 0

    def problem(self, sizes: Sizes, u: Floats, p: Floats, memories: Memories) -> Problem:
        """Of a worker."""
        return Problem(self.functions.smooth, sizes, u, p, self.configuration_rate)


class NativeTouchingBatch(NativeLoneBatch):
    """As `NativeLoneBatch`; sensors have parameters of their own, a row of each or one for all."""

    def __init__(self, motion: BatchTouching, block: Floats, sensors: int, *given: Any) -> None:
        self._motion = motion
        super().__init__(motion, sensors, *given)
        self._batch.point("sensor_p", block)
        self._batch.struct.sensor_stride = stride(block, 1)

    def _worker(self, problem: Problem, motion: BatchMotion, sensors: int) -> Record:
        worker, batch = super()._worker(problem, motion, sensors), self._batch.struct
        start = np.zeros(problem.state_size)
        stepper = MoreauJean(
            self._motion.functions,
            problem,
            start,
            batch.t0,
            batch.h,
            self._motion.theta,
            self._motion.lifts,
        )
        worker.kept.append(stepper)
        worker.struct.stepper = stepper.record.address
        return worker
