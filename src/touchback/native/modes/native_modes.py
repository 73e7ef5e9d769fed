"""Mechanisms whose constraints change while they run (modes.h): one mode reigns at a time.

`Modes` are a rate of the one calling convention over a state that holds the numbers of the
present modes, with a step of its own that finds and takes the transitions inside each fixed step.
"""

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import InputError
from touchback.native.c_struct import FunctionData, Record
from touchback.native.calls.evaluate_rows import evaluate_rows
from touchback.native.constrained.constrained_problem import Constrained
from touchback.native.constrained.formulation_kinds import Formulation, formulation_of
from touchback.native.integrate.fixed_step_integrators import step_address
from touchback.native.integrate.power_quadrature import NativeEnergyBalance
from touchback.native.integrate.problem_struct import Problem, Refresh, SampledInputs, Solved
from touchback.native.interruptible_chunks import slices
from touchback.native.modes.modes_struct import (
    Crossed,
    ExitData,
    ImpactData,
    ModeData,
    ModeFunctions,
    ModesData,
)
from touchback.native.shared_library import LIB, Floats, address_of, aligned_zeros

HEAD = LIB.constant("TB_TRANSITION_HEAD")  # numbers before the states in a row of the log


CROWD = LIB.constant("TB_CROWD")


MOST = 64  # transitions in one step


CROWDED = 0.25 * MOST  # steps in which so many chatter: four a step, for sixteen steps


LIVE_LOOKS = 12  # tries of a clocked run to find an instant, each a step of the method:


# forces that vanish in a jump are found by halving, to a 4000th of the step
NO_END = 2**62


AHEAD = 1e-3  # of a step: how far is looked whether an indicator comes back


WIDEST_GAP = 1e-3  # of constraints when their mode begins [m or rad]


_ROWS = 65 * MOST


@dataclass(frozen=True)
class _Function:
    """A function of the library with its context."""

    address: int
    context_address: int
    work_size: int = 0


@dataclass(frozen=True)
class _ModesKind:
    """DynamicsKindData of problem_struct.py, of modes."""

    table_address: int
    context_address: int
    field: str = "modes"
    stepper: str | None = None
    jacobian_address: int = 0
    row_count: int = 0
    sparse: bool = False


class Modes:
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
        self.data, self.formulation = data, enforced
        self._record = record = Record(
            "tb_modes", n=sum(data.sizes), velocities=data.sizes[1], nq=data.sizes[0],
            input_count=1 + data.input_count, row_count=len(data.row_names),
            group_count=len(data.group_places), compensated=compensated, most=MOST,
            looks=NO_END if logging else LIVE_LOOKS, ahead=AHEAD, widest_gap=WIDEST_GAP, failed=-1,
            step=step_address(method),
        )  # fmt: skip
        self.context_address = record.address
        record.ints("group_places", data.group_places)
        record.ints("group_sizes", data.group_sizes)
        self._make_arrays()
        if logging:
            width = HEAD + 2 * sum(data.sizes)
            self._log = record.point("log", aligned_zeros(_ROWS * width).reshape(_ROWS, width))
            record.struct.capacity = _ROWS
        self._sets = [Constrained(each, enforced) for each in data.constraint_sets]
        self.enforced = [self._sets[mode.constraint_set] for mode in data.modes]
        record.records(
            "modes", "mode_count", "tb_mode", [*map(self._mode, data.modes, data.functions)]
        )
        places = [constrained.context_address for constrained in self._sets]
        record.point("sets", np.array(places, dtype=np.uint64))
        record.struct.set_count = len(places)
        for constrained in self._sets:
            record.owned += [constrained, *constrained.owned]
        self.address, self.work_size = LIB.address("tb_modes_rate"), 0
        self.steps = {method: LIB.address("tb_modes_step")}

    @property
    def owned(self) -> list[object]:
        """What lives as long as this: arrays that a rate works on among it."""
        return self._record.owned

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
        functions = self.data.constraints(mode)
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
        """The problem that an energy balance takes: states are made consistent in the mode they
        are in, and none is left."""
        return self._problem(u, p, inputs, "tb_modes_settling")

    def _problem(
        self,
        u: ArrayLike,
        p: ArrayLike,
        inputs: SampledInputs | Refresh | None,
        table: str,
    ) -> Problem:
        turn = self.data.constraints(0).configuration_rate
        kind = _ModesKind(LIB.address(table), self.context_address)
        return Problem(self, self.data.sizes, u, p, turn, inputs, kind)

    def use_energy_balance(self, balance: NativeEnergyBalance) -> None:
        """Lets fixed steps add what happens between transitions to the energy balance, whose own
        problem is the `settled_problem` of other `Modes`."""
        self._record.owned.append(balance)
        self._record.struct.energy_balance = balance.address

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

    # ---- the struct ------------------------------------------------------------------------------

    def _make_arrays(self) -> None:
        record, s = self._record, self._record.struct
        values = self.data.most_values
        sizes = {
            **dict.fromkeys(("rate", "ahead_state", "before", "struck", "trial"), s.n),
            **dict.fromkeys(("values", "end_values", "ahead_values"), values),
            **dict.fromkeys(("sides", "thresholds"), values),
            "recent": CROWD, "effort": s.velocities, "scratch": 4 * s.n,
            "u": s.input_count + s.velocities + s.row_count,
        }  # fmt: skip
        for name, size in sizes.items():
            record.floats(name, size)
        self.solved = Solved(record.floats("a", s.velocities), record.floats("lambda", s.row_count))
        self._waits = record.point("waits", np.zeros(values, dtype=np.int64))

    def _mode(self, mode: ModeData, functions: ModeFunctions) -> Record:
        constrained = self._sets[mode.constraint_set]
        problem = constrained.problem(np.zeros(1 + self.data.input_count))
        made = Record(
            "tb_mode", value_count=mode.value_count, uses_forces=mode.uses_forces,
            modes=self.context_address,
        )  # fmt: skip
        made.owned += [problem, *problem.record.owned]
        made.struct.problem = problem.record.struct
        made.struct.constrained = constrained.context_address
        made.ints("rows", mode.rows)
        made.ints("tracks", mode.tracks)
        for name in ("indicators", "outputs", "updates"):
            made.call(name, getattr(functions, name))
        made.records("exits", "exit_count", "tb_exit", [*map(_exit, mode.exits)])
        return made


def _exit(given: ExitData) -> Record:
    made = Record(
        "tb_exit", target=given.target, rest=given.rest, mode_place=given.mode_place,
        target_number=given.target_number, rest_number=given.rest_number,
        direction=given.direction, when=given.when, reset_count=len(given.reset_places),
        reset_start=given.reset_start, restitution_start=given.restitution_start,
        struck=given.impact.contact_rows, poisson=given.poisson, rest_speed=given.rest_speed,
    )  # fmt: skip
    made.ints("reset_places", given.reset_places)
    made.owned += _fill_impact(Record(made.struct.impact), given.impact)
    if given.rest >= 0:
        made.owned += _fill_impact(Record(made.struct.rest_impact), given.rest_impact)
    return made


def _fill_impact(impact: Record, given: ImpactData) -> list[object]:
    impact.struct.set = given.constraint_set
    impact.ints("contacts", given.contacts)
    return impact.owned


STEPS = ("rk4", "euler")
