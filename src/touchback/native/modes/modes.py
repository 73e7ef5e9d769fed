"""Mechanisms whose constraints change while they run (modes.h): one mode reigns at a time.

`Modes` are a rate of the one calling convention over a state that holds the numbers of the
present modes, with a step of its own that finds and takes the transitions inside each fixed step.
"""

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import InputError
from touchback.native.calls.rows import evaluate_rows
from touchback.native.chunks import slices
from touchback.native.constrained.formulations import Formulation, formulation_of
from touchback.native.integrate.books import NativeBooks
from touchback.native.integrate.problem import Problem, Refresh, SampledInputs
from touchback.native.library import LIB, Floats, address_of
from touchback.native.modes.data import Crossed, ModesData
from touchback.native.modes.memory import CROWDED, HEAD, ModesMemory
from touchback.native.record import FunctionData

STEPS = ("rk4", "euler")


@dataclass(frozen=True)
class _Function:
    """A function of the library with its context."""

    address: int
    context_address: int
    work_size: int = 0


@dataclass(frozen=True)
class _Motion:
    """MotionData of problem.py, of modes."""

    table_address: int
    context_address: int
    field: str = "modes"
    stepper: str | None = None
    jacobian_address: int = 0
    row_count: int = 0
    sparse: bool = False


class Modes(ModesMemory):
    """All modes of one run, enforced by one formulation; a method's steps are taken in `method`.

    `compensated` False lets transitions wait for the end of their step, to be compared with."""

    def __init__(
        self,
        data: ModesData,
        formulation: str | Formulation | None = None,
        method: str = "rk4",
        compensated: bool = True,
        logging: bool = True,
    ) -> None:
        enforced = formulation_of(formulation)
        if enforced.step or method not in STEPS:
            raise InputError(
                f"Modes change within steps of {' and '.join(map(repr, STEPS))}, with constraints "
                f"that are no step of their own; got method={method!r}, "
                f"constraints={enforced.word!r}."
            )
        super().__init__(data, enforced, method, compensated, logging)
        self.address, self.work_size = LIB.address("tb_modes_rate"), 0
        self.steps = {method: LIB.address("tb_modes_step")}

    # ---- as a live loop sees a formulation ------------------------------------------------------

    @property
    def multipliers(self) -> Floats:
        """Those of all constraint rows, after a rate."""
        return self.solved.multipliers.copy()

    @property
    def outputs(self) -> FunctionData:
        """The sensors in the mode that a state is in; u holds accelerations and multipliers."""
        return _Function(LIB.address("tb_modes_outputs"), self.context_address)

    @property
    def updates(self) -> FunctionData:
        """What memories become at a tick, likewise."""
        return _Function(LIB.address("tb_modes_updates"), self.context_address)

    def indicators(self, mode: int) -> FunctionData:
        """The indicators of a mode's exits as a function of x and u."""
        place = self._record.struct.modes + mode * ctypes.sizeof(LIB.struct("tb_mode"))
        return _Function(LIB.address("tb_mode_indicators"), place)

    def indicator_rows(self, problem: Problem, mode: int, times: Floats, states: Floats) -> Floats:
        """The indicators of a mode's exits at many instants, a row each."""
        function, count = self.indicators(mode), len(self.data.modes[mode].exits)
        inputs = problem.input_rows(times, states)
        return evaluate_rows(
            function.address, states, inputs, problem.p, count, 0, function.context_address
        )

    def position_rows(self, problem: Problem, mode: int, times: Floats, states: Floats) -> Floats:
        """h of a mode's constraints at many instants, a row each."""
        functions = self.data.modes[mode].functions
        h, count = functions.positions, len(functions.names)
        inputs = problem.input_rows(times, states)
        size = count + len(np.asarray(functions.J_rows))
        out = evaluate_rows(
            h.address, states, inputs, problem.p, size, h.work_size, h.context_address
        )
        return out[:, :count]

    # ---- running --------------------------------------------------------------------------------

    def problem(
        self,
        u: ArrayLike = (0.0,),
        p: ArrayLike = (),
        inputs: SampledInputs | Refresh | None = None,
    ) -> Problem:
        """The problem that fixed-step runs take, whose steps hold the transitions."""
        problem = self._problem(u, p, inputs, "tb_modes_kind")
        problem.steps = self.steps
        return problem

    def settled_problem(
        self, u: ArrayLike, p: ArrayLike, inputs: SampledInputs | Refresh | None
    ) -> Problem:
        """The problem that books take: states are made consistent in the mode they are in, and
        none is left."""
        return self._problem(u, p, inputs, "tb_modes_settling")

    def _problem(
        self,
        u: ArrayLike,
        p: ArrayLike,
        inputs: SampledInputs | Refresh | None,
        table: str,
    ) -> Problem:
        turn = self.data.modes[0].functions.configuration_rate
        motion = _Motion(LIB.address(table), self.context_address)
        return Problem(self, self.data.sizes, u, p, turn, inputs, motion)

    def keep_books(self, books: NativeBooks) -> None:
        """Lets fixed steps add what happens between transitions to energy books, whose own problem
        is the `settled_problem` of other `Modes`."""
        self._record.kept.append(books)
        self._record.struct.energy_balance = books.address

    def mode_of(self, x: Floats) -> int:
        """The mode that a state is in."""
        return int(LIB.tb_mode_of(self.context_address, address_of(x)))

    def modes_of(self, states: Floats) -> NDArray[np.int64]:
        """The mode of each of many states, a row each."""
        found = np.zeros(len(states), dtype=np.int64)
        places, counts = np.asarray(self.data.group_places), np.asarray(self.data.group_sizes)
        for place, count in zip(places, counts, strict=True):
            found = found * count + states[:, place].astype(np.int64)
        return found

    def begin(self, problem: Problem, t: float, x: ArrayLike) -> Floats:
        """The state made consistent in its mode, which goes on from there; a copy."""
        state = np.array(x, dtype=np.float64)
        LIB.tb_modes_begin(self.context_address, problem.address, t, address_of(state))
        return state

    def fires(self, problem: Problem, t: float, x: Floats, ahead: float) -> int:
        """The exit that is taken at once, −1 for none; seen by looking `ahead` seconds."""
        return int(
            LIB.tb_modes_fires(self.context_address, problem.address, t, address_of(x), ahead)
        )

    def waiting(self, mode: int) -> list[int]:
        """After `fires`: the exits whose indicators must leave zero before they can be passed."""
        count = len(self.data.modes[mode].exits)
        return [int(k) for k in np.flatnonzero(self._waits[:count])]

    def cross(
        self, problem: Problem, t: float, x: ArrayLike, exit: int, rests: bool = False
    ) -> bool:
        """Takes an exit; what came of it is logged. False when the next mode can't begin."""
        state = np.array(x, dtype=np.float64)
        return bool(
            LIB.tb_modes_cross(
                self.context_address, problem.address, t, address_of(state), exit, rests
            )
        )

    def take_log(self) -> list[Crossed]:
        """Transitions since the last call, in the order of time."""
        n = int(self._record.struct.n)
        found = [
            Crossed(
                float(row[0]), int(row[1]), int(row[2]), int(row[3]), float(row[4]),
                row[HEAD : HEAD + n].copy(), row[HEAD + n :].copy(),
            )
            for row in self._log[: self._record.struct.logged]
        ]  # fmt: skip
        self._record.struct.logged = 0
        return found

    def crowded(self, step: float) -> bool:
        """Whether transitions of steps so long crowd without coming to rest."""
        return bool(LIB.tb_modes_crowded(self.context_address, CROWDED * step))

    @property
    def chattering(self) -> int:
        """Steps that had more transitions than a step may have."""
        return int(self._record.struct.chattering)

    @property
    def failed(self) -> tuple[float, int, int, float] | None:
        """Time, mode and exit whose next mode could not begin, and by how much it was open."""
        s = self._record.struct
        return (s.failed_time, s.failed_mode, s.failed, s.failed_gap) if s.failed >= 0 else None

    def rows(self, problem: Problem, times: Floats, states: Floats) -> tuple[Floats, Floats]:
        """[accelerations, multipliers of all rows] and sensors at many instants, a row each."""
        s = self._record.struct
        solutions = np.zeros((len(times), s.velocities + s.row_count))
        outputs = np.zeros((len(times), self.data.output_count))
        times, states = np.ascontiguousarray(times), np.ascontiguousarray(states)
        for part in slices(len(times)):
            LIB.tb_modes_rows(
                problem.address, part.stop - part.start, address_of(times[part]),
                address_of(states[part]), address_of(solutions[part]), address_of(outputs[part]),
                self.data.output_count,
            )  # fmt: skip
        return solutions, outputs

    @property
    def statistics(self) -> dict[str, float]:
        """Counts of all modes together: the worst of each for sizes and times."""
        every = [constrained.statistics for constrained in self.enforced]
        worst = ("iterations_last", "iterations_most", "worst_choice", "largest_h")
        return {
            name: (max if name in worst else sum)(each[name] for each in every) for name in every[0]
        }
