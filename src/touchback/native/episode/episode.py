"""Mechanisms whose constraints change while they run (episode.h): one phase reigns at a time.

An `Episode` is a rate of the one calling convention over a state that holds the numbers of the
present modes, with a step of its own that finds and takes the transitions inside each fixed step.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import InputError
from touchback.native.calls.rows import evaluate_rows
from touchback.native.chunks import slices
from touchback.native.constrained.constrained import FORMULATIONS, Constrained, ConstrainedFunctions
from touchback.native.integrate.books import NativeBooks
from touchback.native.integrate.problem import (
    CallableStruct,
    FunctionData,
    Problem,
    Refresh,
    SampledInputs,
    _ProblemStruct,
)
from touchback.native.library import LIB, Floats, address_of, aligned_zeros

_P, _L, _D = ctypes.c_void_p, ctypes.c_long, ctypes.c_double

STEPS = {"rk4": LIB.tb_rk4_step, "euler": LIB.tb_euler_step}
HEAD = 5  # of a row of the log: time, phase before, exit, phase after, gap
MOST = 64  # transitions in one step
LIVE_LOOKS = 12  # tries of a clocked run to find an instant, each a step of the method:
# forces that vanish in a jump are found by halving, to a 4000th of the step
NO_END = 2**62
AHEAD = 1e-3  # of a step: how far is looked whether an indicator comes back
WIDEST_GAP = 1e-3  # of constraints when their phase begins [m or rad]
_ROWS = 65 * MOST


@dataclass(frozen=True)
class ImpactData:
    """Constraints whose impulses act, and of each row the number of its contact (−1: it stays)."""

    functions: ConstrainedFunctions
    contacts: ArrayLike


@dataclass(frozen=True)
class ExitData:
    """tb_exit of episode.h."""

    target: int
    rest: int | None
    mode_place: int
    target_number: int
    rest_number: int
    direction: int
    when: int
    reset_places: Sequence[int]
    reset_start: int
    restitution_start: int
    poisson: bool
    rest_speed: float
    impact: ImpactData
    rest_impact: ImpactData | None


@dataclass(frozen=True)
class PhaseData:
    """The equations of a phase, the places of its constraint rows among all, which of them let an
    idle coordinate track, its indicators (with
    resets and restitutions), its sensors, what its memories become, and its exits."""

    functions: ConstrainedFunctions
    rows: ArrayLike
    tracks: ArrayLike
    indicators: FunctionData | None
    value_count: int
    uses_forces: bool
    outputs: FunctionData | None
    updates: FunctionData | None
    exits: Sequence[ExitData]


@dataclass(frozen=True)
class EpisodeData:
    """All phases of a mechanism; `mode_places` are those of the modes' numbers in x, `mode_counts`
    how many there are: phases are counted with the last changing fastest."""

    sizes: tuple[int, int, int]
    input_count: int
    row_names: Sequence[str]
    phases: Sequence[PhaseData]
    mode_places: Sequence[int]
    mode_counts: Sequence[int]
    output_count: int


class _ImpactStruct(ctypes.Structure):
    """tb_impact."""

    _fields_ = [("set", _P), ("contacts", _P)]


class _ExitStruct(ctypes.Structure):
    """tb_exit."""

    _fields_ = [
        *[(name, _L) for name in ("target", "rest", "mode_place")],
        *[(name, _D) for name in ("target_number", "rest_number")],
        *[(name, _L) for name in ("direction", "when", "reset_count")],
        ("reset_places", _P),
        *[(name, _L) for name in ("reset_start", "restitution_start", "struck", "poisson")],
        ("rest_speed", _D),
        *[(name, _ImpactStruct) for name in ("impact", "rest_impact")],
    ]


class _PhaseStruct(ctypes.Structure):
    """tb_phase."""

    _fields_ = [
        ("problem", _ProblemStruct),
        *[(name, _P) for name in ("constrained", "rows", "tracks")],
        *[(name, CallableStruct) for name in ("indicators", "outputs", "updates")],
        *[(name, _L) for name in ("value_count", "uses_forces", "exit_count")],
        *[(name, _P) for name in ("exits", "episode")],
    ]


class _EpisodeStruct(ctypes.Structure):
    """tb_episode."""

    _fields_ = [
        *[(x, _L) for x in ("n", "velocities", "nq", "input_count", "row_count", "phase_count")],
        ("phases", _P),
        ("automaton_count", _L),
        *[(name, _P) for name in ("mode_places", "mode_counts", "step")],
        *[(name, _L) for name in ("compensated", "most", "looks")],
        *[(name, _D) for name in ("ahead", "widest_gap")],
        *[
            (name, _P)
            for name in (
                "a", "lambda", "u", "values", "end_values", "ahead_values", "sides", "thresholds",
                "waits", "rate", "ahead_state", "before", "struck", "trial", "scratch", "effort",
            )
        ],
        *[
            (name, _L)
            for name in ("looks_left", "transitions", "chattering", "failed", "failed_phase")
        ],
        *[(name, _D) for name in ("failed_gap", "failed_time")],
        *[(name, _L) for name in ("capacity", "logged")],
        *[(name, _P) for name in ("log", "books")],
    ]  # fmt: skip


LIB.tb_episode_fires.restype = LIB.tb_phase_of.restype = _L
LIB.tb_episode_fires.argtypes = [_P, _P, _D, _P, _D]
LIB.tb_phase_of.argtypes = [_P, _P]
LIB.tb_episode_begin.restype = LIB.tb_episode_rows.restype = None
LIB.tb_episode_begin.argtypes = [_P, _P, _D, _P]
LIB.tb_episode_cross.argtypes = [_P, _P, _D, _P, _L, _L]
LIB.tb_episode_rows.argtypes = [_P, _L, *[_P] * 4, _L]


@dataclass(frozen=True)
class Crossed:
    """A transition that was taken: when, from which phase by which of its exits to which phase, how
    far constraints were open then, and the states before and after."""

    time: float
    phase: int
    exit: int
    after: int
    gap: float
    before: Floats
    state: Floats


@dataclass
class _Function:
    """A function of the library with its context."""

    address: int
    context_address: int
    work_size: int = 0


@dataclass
class _Settling:
    """SettleData of problem.py, of an episode."""

    settle_address: int
    settle_data_address: int
    stepper: str | None = None
    jacobian_address: int = 0
    row_count: int = 0
    sparse: bool = False


class Episode:
    """All phases of one run, enforced by one formulation; a method's steps are taken in `method`.

    `compensated` False lets transitions wait for the end of their step, to be compared with."""

    def __init__(
        self,
        data: EpisodeData,
        formulation: str = "partitioning",
        method: str = "rk4",
        compensated: bool = True,
        logging: bool = True,
    ) -> None:
        if FORMULATIONS[formulation].step or method not in STEPS:
            raise InputError(
                f"Modes change within steps of {' and '.join(map(repr, STEPS))}, with constraints "
                f"that are no step of their own; got method={method!r}, "
                f"constraints={formulation!r}."
            )
        self.data, self.formulation = data, formulation
        self._kept_alive: list[Any] = []
        self._sets: dict[int, Constrained] = {}
        self.phases = [self._constrained(phase.functions) for phase in data.phases]
        self._struct = _EpisodeStruct(
            n=sum(data.sizes), velocities=data.sizes[1], nq=data.sizes[0],
            input_count=1 + data.input_count, row_count=len(data.row_names),
            phase_count=len(data.phases), automaton_count=len(data.mode_places),
            compensated=compensated, most=MOST,
            looks=NO_END if logging else LIVE_LOOKS, ahead=AHEAD, widest_gap=WIDEST_GAP, failed=-1,
            step=ctypes.cast(STEPS[method], _P).value,
        )  # fmt: skip
        self.context_address = ctypes.addressof(self._struct)
        self.address = _symbol("episode_rate")
        self.work_size = 0
        self.steps = {method: _symbol("episode_step")}
        self._struct.mode_places = self._ints(data.mode_places)
        self._struct.mode_counts = self._ints(data.mode_counts)
        self._make_arrays()
        if logging:
            self._log = aligned_zeros(_ROWS * self._log_width).reshape(_ROWS, self._log_width)
            self._struct.log, self._struct.capacity = address_of(self._log), _ROWS
        phases = (_PhaseStruct * len(data.phases))()
        for struct, phase, constrained in zip(phases, data.phases, self.phases, strict=True):
            self._fill(struct, phase, constrained)
        self._phases = phases
        self._struct.phases = ctypes.addressof(phases)
        self._kept_alive += self._arrays.values()
        for constrained in self._sets.values():
            self._kept_alive += constrained._memory._kept_alive

    # ---- memory ---------------------------------------------------------------------------------

    @property
    def _log_width(self) -> int:
        return HEAD + 2 * int(self._struct.n)

    def _constrained(self, functions: ConstrainedFunctions) -> Constrained:
        """One for each set of constraints, however often it is named."""
        key = functions.terms.address
        if key not in self._sets:
            self._sets[key] = Constrained(functions, self.formulation)
            self._kept_alive.append(functions)
        return self._sets[key]

    def _make_arrays(self) -> None:
        s = self._struct
        values = max(1, *(phase.value_count for phase in self.data.phases))
        self._arrays: dict[str, Floats] = {}
        sizes = {
            **dict.fromkeys(("rate", "ahead_state", "before", "struck", "trial"), s.n),
            **dict.fromkeys(("a", "effort"), s.velocities),
            **dict.fromkeys(("values", "end_values", "ahead_values"), values),
            **dict.fromkeys(("sides", "thresholds"), values),
            "lambda": s.row_count, "scratch": 4 * s.n,
            "u": s.input_count + s.velocities + s.row_count,
        }  # fmt: skip
        for name, size in sizes.items():
            self._arrays[name] = aligned_zeros(max(size, 1))
            setattr(s, name, address_of(self._arrays[name]))
        self._waits = np.zeros(values, dtype=np.int64)
        s.waits = address_of(self._waits)
        self._kept_alive.append(self._waits)
        self._arrays["lambda"] = self._arrays["lambda"][: s.row_count]

    def _fill(self, struct: _PhaseStruct, phase: PhaseData, constrained: Constrained) -> None:
        problem = constrained.problem(np.zeros(1 + self.data.input_count))
        exits = (_ExitStruct * len(phase.exits))(*map(self._exit, phase.exits))
        self._kept_alive += [problem, exits]
        struct.problem = problem._struct
        struct.constrained = constrained.context_address
        struct.rows = self._ints(phase.rows)
        struct.tracks = self._ints(phase.tracks)
        struct.indicators = self._callable(phase.indicators)
        struct.outputs = self._callable(phase.outputs)
        struct.updates = self._callable(phase.updates)
        struct.value_count, struct.uses_forces = phase.value_count, phase.uses_forces
        struct.exit_count, struct.exits = len(phase.exits), ctypes.addressof(exits)
        struct.episode = self.context_address

    def _exit(self, given: ExitData) -> _ExitStruct:
        return _ExitStruct(
            given.target, -1 if given.rest is None else given.rest, given.mode_place,
            given.target_number, given.rest_number, given.direction, given.when,
            len(given.reset_places), self._ints(given.reset_places), given.reset_start,
            given.restitution_start, int(np.sum(np.asarray(given.impact.contacts) >= 0)),
            given.poisson, given.rest_speed, self._impact(given.impact),
            self._impact(given.rest_impact),
        )  # fmt: skip

    def _impact(self, given: ImpactData | None) -> _ImpactStruct:
        if given is None:
            return _ImpactStruct()
        constrained = self._constrained(given.functions)
        return _ImpactStruct(constrained.context_address, self._ints(given.contacts))

    def _callable(self, function: FunctionData | None) -> CallableStruct:
        if function is None:
            return CallableStruct()
        work = aligned_zeros(function.work_size)
        self._kept_alive += [function, work]
        return CallableStruct(function.address, address_of(work), function.context_address)

    def _ints(self, values: ArrayLike) -> int:
        array = np.ascontiguousarray(values, dtype=np.int32)
        self._kept_alive.append(array)
        return address_of(array)

    # ---- as a live loop sees a formulation ------------------------------------------------------

    @property
    def _memory(self) -> "Episode":
        return self

    def array(self, name: str) -> Floats:
        """Accelerations "a" and multipliers "lambda" of all constraint rows, after a rate."""
        return self._arrays[name]

    @property
    def multipliers(self) -> Floats:
        """Those of all constraint rows, after a rate."""
        return self._arrays["lambda"].copy()

    @property
    def outputs(self) -> FunctionData:
        """The sensors in the phase that a state is in; u holds accelerations and multipliers."""
        return _Function(_symbol("episode_outputs"), self.context_address)

    @property
    def updates(self) -> FunctionData:
        """What memories become at a tick, likewise."""
        return _Function(_symbol("episode_updates"), self.context_address)

    def indicators(self, phase: int) -> FunctionData:
        """The indicators of a phase's exits as a function of x and u."""
        place = ctypes.addressof(self._phases) + phase * ctypes.sizeof(_PhaseStruct)
        return _Function(_symbol("phase_indicators"), place)

    def indicator_rows(self, problem: Problem, phase: int, times: Floats, states: Floats) -> Floats:
        """The indicators of a phase's exits at many instants, a row each."""
        function, count = self.indicators(phase), len(self.data.phases[phase].exits)
        inputs = problem.input_rows(times, states)
        return evaluate_rows(
            function.address, states, inputs, problem.p, count, 0, function.context_address
        )

    def position_rows(self, problem: Problem, phase: int, times: Floats, states: Floats) -> Floats:
        """h of a phase's constraints at many instants, a row each."""
        functions = self.data.phases[phase].functions
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
        problem = self._problem(u, p, inputs, None)
        problem.steps = self.steps
        return problem

    def settled_problem(
        self, u: ArrayLike, p: ArrayLike, inputs: SampledInputs | Refresh | None
    ) -> Problem:
        """The problem that books take: states are made consistent in the phase they are in, and
        none is left."""
        settling = _Settling(_symbol("episode_settle"), self.context_address)
        return self._problem(u, p, inputs, settling)

    def _problem(
        self,
        u: ArrayLike,
        p: ArrayLike,
        inputs: SampledInputs | Refresh | None,
        settling: _Settling | None,
    ) -> Problem:
        turn = self.data.phases[0].functions.configuration_rate
        return Problem(self, self.data.sizes, u, p, turn, inputs, settling)

    def keep_books(self, books: NativeBooks) -> None:
        """Lets fixed steps add what happens between transitions to energy books, whose own problem
        is the `settled_problem` of another episode."""
        self._kept_alive.append(books)
        self._struct.books = books.address

    def phase_of(self, x: Floats) -> int:
        """The phase that a state is in."""
        return int(LIB.tb_phase_of(self.context_address, address_of(x)))

    def phases_of(self, states: Floats) -> NDArray[np.int64]:
        """The phase of each of many states, a row each."""
        found = np.zeros(len(states), dtype=np.int64)
        places, counts = np.asarray(self.data.mode_places), np.asarray(self.data.mode_counts)
        for place, count in zip(places, counts, strict=True):
            found = found * count + states[:, place].astype(np.int64)
        return found

    def begin(self, problem: Problem, t: float, x: ArrayLike) -> Floats:
        """The state made consistent in its phase, which goes on from there; a copy."""
        state = np.array(x, dtype=np.float64)
        LIB.tb_episode_begin(self.context_address, problem.address, t, address_of(state))
        return state

    def fires(self, problem: Problem, t: float, x: Floats, ahead: float) -> int:
        """The exit that is taken at once, −1 for none; seen by looking `ahead` seconds."""
        return int(
            LIB.tb_episode_fires(self.context_address, problem.address, t, address_of(x), ahead)
        )

    def waiting(self, phase: int) -> list[int]:
        """After `fires`: the exits whose indicators must leave zero before they can be passed."""
        count = len(self.data.phases[phase].exits)
        return [int(k) for k in np.flatnonzero(self._waits[:count])]

    def cross(
        self, problem: Problem, t: float, x: ArrayLike, exit: int, rests: bool = False
    ) -> bool:
        """Takes an exit; what came of it is logged. False when the next phase can't begin."""
        state = np.array(x, dtype=np.float64)
        return bool(
            LIB.tb_episode_cross(
                self.context_address, problem.address, t, address_of(state), exit, rests
            )
        )

    def take_log(self) -> list[Crossed]:
        """Transitions since the last call, in the order of time."""
        n = int(self._struct.n)
        found = [
            Crossed(
                float(row[0]), int(row[1]), int(row[2]), int(row[3]), float(row[4]),
                row[HEAD : HEAD + n].copy(), row[HEAD + n :].copy(),
            )
            for row in self._log[: self._struct.logged]
        ]  # fmt: skip
        self._struct.logged = 0
        return found

    @property
    def chattering(self) -> int:
        """Steps that had more transitions than a step may have."""
        return int(self._struct.chattering)

    @property
    def failed(self) -> tuple[float, int, int, float] | None:
        """Time, phase and exit whose next phase could not begin, and by how much it was open."""
        s = self._struct
        return (s.failed_time, s.failed_phase, s.failed, s.failed_gap) if s.failed >= 0 else None

    def rows(self, problem: Problem, times: Floats, states: Floats) -> tuple[Floats, Floats]:
        """[accelerations, multipliers of all rows] and sensors at many instants, a row each."""
        s = self._struct
        solutions = np.zeros((len(times), s.velocities + s.row_count))
        outputs = np.zeros((len(times), self.data.output_count))
        times, states = np.ascontiguousarray(times), np.ascontiguousarray(states)
        for part in slices(len(times)):
            LIB.tb_episode_rows(
                problem.address, part.stop - part.start, address_of(times[part]),
                address_of(states[part]), address_of(solutions[part]), address_of(outputs[part]),
                self.data.output_count,
            )  # fmt: skip
        return solutions, outputs

    @property
    def statistics(self) -> dict[str, float]:
        """Counts of all phases together: the worst of each for sizes and times."""
        every = [constrained.statistics for constrained in self.phases]
        worst = ("iterations_last", "iterations_most", "worst_choice", "largest_h")
        return {
            name: (max if name in worst else sum)(each[name] for each in every) for name in every[0]
        }


def _symbol(name: str) -> int:
    return ctypes.cast(getattr(LIB, f"tb_{name}"), _P).value or 0
