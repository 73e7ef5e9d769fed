"""Batches in C: instances of one problem side by side in the lanes of vector registers, on threads
(batch.c). Those with constraints, in modes, or with rigid contacts by time stepping run one at a
time on each thread (constrained_instances.c, modal_instances.c, contact_instances.c)."""

import ctypes
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from touchback.native.c_struct import FunctionData, Record
from touchback.native.constrained.constrained_problem import Constrained, ConstrainedFunctions
from touchback.native.constrained.formulation_kinds import Formulation
from touchback.native.contact.moreau_jean import MoreauJean, SteppedFunctions
from touchback.native.integrate.discrete_state_sampler import Sampler
from touchback.native.integrate.fixed_step_integrators import Status, step_address
from touchback.native.integrate.problem_struct import Problem
from touchback.native.modes.modes_struct import ModesData
from touchback.native.modes.native_modes import CROWDED, Modes
from touchback.native.shared_library import LIB, Floats, aligned_zeros

MOST_WORKERS: int = LIB.constant("TB_MOST_WORKERS")


Sizes = tuple[int, int, int]


Memories = tuple[Sequence[int], int]  # their places in a state, and steps from tick to tick


class BatchMotion(Protocol):
    """How so many instances at once (`lanes`) move, by a step of a method: the `sizes` of one of
    them, its `table` (tb_batch_kind; empty: side by side in lanes), how many numbers a step or rate
    solves for, and the rows of constraints that rub."""

    @property
    def lanes(self) -> int: ...
    @property
    def sizes(self) -> Sizes: ...
    @property
    def sensors(self) -> FunctionData | None: ...
    @property
    def table(self) -> str: ...
    @property
    def solved(self) -> int: ...
    @property
    def friction_rows(self) -> list[str]: ...
    def step(self, method: str) -> int: ...
    def problem(self, sizes: Sizes, u: Floats, p: Floats, memories: Memories) -> Problem: ...


@dataclass(frozen=True)
class BatchFunctions:
    """The functions of so many instances at once (`lanes`): rate, dq/dt where it isn't v, sensors
    where some are recorded, and what memories become at ticks; `sizes` are those of one."""

    table: ClassVar[str] = ""
    solved: ClassVar[int] = 0
    friction_rows: ClassVar[list[str]] = []

    lanes: int
    sizes: Sizes
    rate: FunctionData
    configuration_rate: FunctionData | None = None
    sensors: FunctionData | None = None
    updates: FunctionData | None = None

    def step(self, method: str) -> int:
        """The method's own."""
        return step_address(method)

    def problem(self, sizes: Sizes, u: Floats, p: Floats, memories: Memories) -> Problem:
        """Of a worker; the arrays and sizes are of all lanes, places of one instance."""
        problem = Problem(self.rate, sizes, u, p, self.configuration_rate)
        places, every = memories
        if self.updates is not None and places:
            lanes = range(self.lanes)
            each = [place * self.lanes + lane for place in places for lane in lanes]
            Sampler(problem, self.updates, each, every)
        return problem


@dataclass(frozen=True)
class BatchSeries:
    """Inputs that follow samples: their `places` in [t, inputs…], how many `samples` each has, and
    series after series the times and the values, the same for all instances or of each: (all,) or
    (instances, all)."""

    places: Sequence[int]
    samples: Sequence[int]
    times: Floats
    values: Floats


class NativeBatch:
    """A run of instances by equal steps. `x` has a state of each, where they start and then where
    they ended; `u` = [t, inputs…] and parameter blocks `p` have a row of each, or one for all."""

    def __init__(
        self,
        motion: BatchMotion,
        sensor_count: int,
        x: Floats,
        u: Floats,
        p: Floats,
        series: BatchSeries,
        memories: Memories,
        grid: tuple[str, float, float, int, int],
        recorded: Sequence[int],
        workers: int,
    ) -> None:
        """`grid`: the method, the start, the step, how many, and how many from row to row of the
        record."""
        method, t0, step, steps, every = grid
        sizes = motion.sizes
        self.x, self.rows = x, steps // every + 1
        self.lanes, self.count = motion.lanes, len(x)
        self.record = np.empty((self.count, self.rows, len(recorded)))
        self.made = np.full(self.count, -1, dtype=np.int64)
        self._batch = batch = Record(
            "tb_batch", step=motion.step(method), t0=t0, h=step, steps=steps, every=every,
            lanes=self.lanes, count=self.count, states=sum(sizes), inputs=u.shape[-1],
            block=p.shape[-1], u_stride=stride(u, 1), p_stride=stride(p, 1),
            series=len(series.places), values_stride=stride(series.values, 1),
            width=len(recorded),
        )  # fmt: skip
        for name, array in (
            ("x", x), ("u", u), ("p", p), ("times", series.times), ("values", series.values),
            ("record", self.record), ("made", self.made),
            ("places", np.array(series.places, dtype=np.int64)),
            ("samples", np.array(series.samples, dtype=np.int64)),
            ("recorded", np.array(recorded, dtype=np.int64)),
        ):  # fmt: skip
            batch.point(name, array)
        made = [
            self._worker(self._problem(motion, memories), motion, sensor_count)
            for _ in range(min(workers, MOST_WORKERS))
        ]
        batch.owned += made
        self._workers = (LIB.struct("tb_batch_worker") * len(made))(*(each.struct for each in made))

    def _problem(self, motion: BatchMotion, memories: Memories) -> Problem:
        lanes, struct = self.lanes, self._batch.struct
        nq, nv, nz = (lanes * size for size in motion.sizes)
        u, p = aligned_zeros(lanes * struct.inputs), np.zeros(lanes * struct.block)
        return motion.problem((nq, nv, nz), u, p, memories)

    def _worker(self, problem: Problem, motion: BatchMotion, sensors: int) -> Record:
        lanes, struct = self.lanes, self._batch.struct
        worker = Record("tb_batch_worker", problem=problem.address)
        worker.owned.append(problem)
        worker.call("sensors", motion.sensors)
        for name, count in (("x", 1), ("next", 1), ("scratch", 5)):
            worker.floats(name, count * problem.state_size)
        worker.floats("shown", lanes * sensors)
        worker.floats("remembered", problem.state_size)  # memories are some of a state
        worker.floats("p", lanes * struct.block)
        slots = max(1, struct.series * lanes)
        tables = (LIB.struct("tb_table") * slots)()
        worker.point("slots", np.zeros(slots, dtype=np.int64))
        worker.owned.append(tables)
        worker.struct.tables = ctypes.addressof(tables)
        return worker

    @property
    def workers(self) -> int:
        """How many there are, each on a thread: no more than C keeps."""
        return len(self._workers)

    def run(self, first: int, end: int) -> Status:
        """Runs instances from `first` on, where a group begins, to before `end`."""
        workers, count = ctypes.addressof(self._workers), len(self._workers)
        return Status(LIB.tb_batch_run(self._batch.address, workers, count, first, end))

    def parts(self, seconds: float) -> Iterator[tuple[int, int]]:
        """Ranges of whole groups, each of which takes some such time: the caller runs one before it
        asks for the next. A first one, of a group for each worker, tells how fast they are."""
        crew = self.lanes * len(self._workers)
        first, size = 0, crew
        while first < self.count:
            end, began = min(first + size, self.count), time.monotonic()
            yield first, end
            within = (end - first) * seconds / max(time.monotonic() - began, 1e-9)
            size = crew * max(1, int(within / crew))
            first = end


def stride(array: Floats, own: int) -> int:
    """From instance to instance, of an array that has `own` dimensions where all have the same."""
    return 0 if array.ndim == own else int(np.prod(array.shape[1:]))


@dataclass(frozen=True)
class BatchConstrained:
    """Constraints that stay, with memory of their own for each worker, enforced by one formulation;
    sensors where some are recorded, and what memories become at ticks."""

    lanes: ClassVar[int] = 1
    table: ClassVar[str] = "tb_batch_constrained_kind"

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
    def friction_rows(self) -> list[str]:
        """Rows with friction."""
        return self.functions.friction_rows

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
    table: ClassVar[str] = "tb_batch_modal_kind"
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
    def friction_rows(self) -> list[str]:
        """Rows with friction."""
        return self.data.friction_rows

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
    """As `NativeBatch`, one at a time; `reports` has what is reported of each instance, by name
    (tb_batch_report), and `friction_rows` are the rows with friction."""

    def __init__(self, motion: BatchMotion, sensors: int, *given: Any) -> None:
        """`sensors`: how many there are, 0 where none is recorded; the others as of
        `NativeBatch`."""
        self.friction_rows, self._solved = motion.friction_rows, motion.solved
        super().__init__(motion, sensors, *given)
        fields = [name for name, *_ in LIB.struct("tb_batch_report")._fields_]
        self.reports = np.zeros(self.count, dtype=[(name, np.float64) for name in fields])
        self._batch.struct.kind = LIB.address(motion.table)
        self._batch.point("reports", self.reports)

    @property
    def end(self) -> float:
        """When those that nothing ends are done [s]."""
        struct = self._batch.struct
        return float(struct.t0 + struct.steps * struct.h)

    def _worker(self, problem: Problem, motion: BatchMotion, sensors: int) -> Record:
        worker = super()._worker(problem, motion, sensors)
        worker.point("fresh", problem.save_warm_start())
        worker.floats("states", (self.rows + 1) * problem.state_size)
        worker.floats("solutions", len(problem.u) + self._solved)
        return worker


class NativeConstrainedBatch(NativeLoneBatch):
    """With constraints. A crowd of transitions is looked for every `look` steps."""

    def apply_impulses(self, jumps: Sequence[Sequence[tuple[float, float]]]) -> None:
        """Of each instance, the times at which prescribed rates jump, each with that up to which
        nothing of what comes after is read (fixed_step.h)."""
        starts = np.cumsum([0, *map(len, jumps)]).astype(np.int64)
        rows = np.array([pair for own in jumps for pair in own]).reshape(-1, 2)
        self._batch.point("jump_starts", starts)
        for name, column in zip(("jump_at", "jump_before"), rows.T, strict=True):
            self._batch.point(name, np.ascontiguousarray(column))

    def __init__(self, motion: BatchMotion, look: int, sensors: int, *given: Any) -> None:
        super().__init__(motion, sensors, *given)
        struct = self._batch.struct
        struct.crowded, struct.look = CROWDED * struct.h, look
        struct.sensors, struct.has_friction = sensors, bool(self.friction_rows)


@dataclass(frozen=True)
class BatchContacts:
    """Contacts with memory of their own for each worker; sensors where some are recorded."""

    lanes: ClassVar[int] = 1
    table: ClassVar[str] = "tb_batch_contact_kind"
    friction_rows: ClassVar[list[str]] = []  # constraints here don't

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


class NativeContactBatch(NativeLoneBatch):
    """As `NativeLoneBatch`; sensors have parameters of their own, a row of each or one for all."""

    def __init__(self, motion: BatchContacts, block: Floats, sensors: int, *given: Any) -> None:
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
        worker.owned.append(stepper)
        worker.struct.stepper = stepper.record.address
        return worker
