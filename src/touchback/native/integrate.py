"""Integrators that step inside C, in chunks, so that Python can show progress or interrupt."""

import ctypes
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.library import LIB, Floats, address_of, aligned_zeros, as_floats
from touchback.native.problem import Problem


class Status(IntEnum):
    """How a chunk of steps ended (problem.h)."""

    REACHED = 0
    PAUSED = 1
    NOT_FINITE = 2
    STEP_TOO_SMALL = 3
    STEP_LIMIT = 4


class _Dopri5Struct(ctypes.Structure):
    """tb_dopri5 of dopri5.c."""

    _fields_ = [
        *[(name, ctypes.c_double) for name in ("t", "h", "max_step", "rtol", "atol", "last_error")],
        *[(name, ctypes.c_long) for name in ("accepted", "rejected", "evaluations", "step_limit")],
        ("bad", ctypes.c_long),
        ("after_rejection", ctypes.c_long),
        *[(name, ctypes.c_void_p) for name in ("x", "stages", "next")],
    ]


_P, _L, _D = ctypes.c_void_p, ctypes.c_long, ctypes.c_double
LIB.tb_fixed_steps.restype = _L
LIB.tb_fixed_steps.argtypes = [_P, _P, _D, _D, _L, _L, _L, _P, _P, _P, _P]
LIB.tb_dopri5_start.argtypes = [_P, _P, _D]
LIB.tb_dopri5_advance.argtypes = [_P, _P, _D, _L, _P, _L, _P, _P]

_STEPS = {"rk4": LIB.tb_rk4_step, "euler": LIB.tb_euler_step}
# Steps that belong to a formulation of constraints and work on its data.
_STEPPERS = {
    "linear-implicit": LIB.tb_linear_implicit_step,
    "augmented-lagrangian": LIB.tb_augmented_lagrangian_step,
}


def _initial_state(problem: Problem, x: ArrayLike, t0: float) -> Floats:
    state = np.array(x, dtype=np.float64)
    if state.shape != (problem.state_size,):
        raise InputError(
            f"The state has {problem.state_size} elements, got an array of shape {state.shape}."
        )
    return problem.settle(t0, state, accepted=True)


def _check_stepper(problem: Problem, method: str) -> None:
    wanted = problem.stepper if problem.stepper or method not in _STEPPERS else method
    if wanted is not None and (method != wanted or problem.stepper != wanted):
        raise InputError(
            f"The step {wanted!r} and the formulation {wanted!r} go together: the method is "
            f"{method!r} and the formulation's own step is {problem.stepper!r}."
        )


class FixedStep:
    """A run with a fixed step: "rk4" (classical Runge–Kutta), "euler" (semi-implicit), or the step
    of a formulation of constraints: "linear-implicit", "augmented-lagrangian".

    Step k starts at t0 + k·step. `x` is always the last good state, `bad` the index of the
    component that stopped the run (−1: none).
    """

    def __init__(self, problem: Problem, method: str, x: ArrayLike, t0: float, step: float) -> None:
        _check_stepper(problem, method)
        self.problem = problem
        self.x = _initial_state(problem, x, t0)
        self.t0, self.step = t0, step
        self.steps = 0
        self.bad = -1
        self._method = ctypes.cast((_STEPS | _STEPPERS)[method], ctypes.c_void_p)
        self._scratch = aligned_zeros(5 * problem.state_size)

    @property
    def t(self) -> float:
        return self.t0 + self.steps * self.step

    def advance(self, count: int, every: int = 1) -> tuple[Status, Floats]:
        """Takes `count` steps; returns the states after every `every`-th step since the start."""
        rows = (self.steps + count) // every - self.steps // every
        record = np.empty((rows, self.problem.state_size))
        bad = ctypes.c_long(-1)
        taken = LIB.tb_fixed_steps(
            self._method, self.problem.address, self.t0, self.step, self.steps, count, every,
            address_of(self.x), address_of(record), address_of(self._scratch), ctypes.byref(bad),
        )  # fmt: skip
        first = self.steps // every
        self.steps += taken
        self.bad = bad.value
        status = Status.REACHED if taken == count else Status.NOT_FINITE
        return status, record[: self.steps // every - first]


class Dopri5:
    """A run with Dormand–Prince 5(4): adaptive steps, and dense output at the requested times.

    `record` holds a row for each of the rising `times` in [t0, t_end]; `written` are filled.
    """

    def __init__(
        self,
        problem: Problem,
        x: ArrayLike,
        t0: float,
        t_end: float,
        times: ArrayLike,
        rtol: float = 1e-8,
        atol: float = 1e-10,
        max_step: float = np.inf,
        step_limit: int = 10_000_000,
    ) -> None:
        _check_stepper(problem, "dopri5")
        n = problem.state_size
        self.problem = problem
        self.x = _initial_state(problem, x, t0)
        self.t_end = t_end
        self.times = as_floats(times)
        self.record = np.empty((len(self.times), n))
        self._stages, self._next = aligned_zeros(7 * n), aligned_zeros(7 * n)
        self._written = ctypes.c_long(0)
        self._struct = _Dopri5Struct(
            t=t0, max_step=max_step, rtol=rtol, atol=atol, step_limit=step_limit, bad=-1,
            x=address_of(self.x), stages=address_of(self._stages), next=address_of(self._next),
        )  # fmt: skip
        self.status = Status(
            LIB.tb_dopri5_start(ctypes.byref(self._struct), problem.address, t_end)
        )

    def advance(self, attempts: int) -> Status:
        """Tries at most `attempts` more steps."""
        if self.status == Status.PAUSED:
            code = LIB.tb_dopri5_advance(
                ctypes.byref(self._struct), self.problem.address, self.t_end, attempts,
                address_of(self.times), len(self.times), ctypes.byref(self._written),
                address_of(self.record),
            )  # fmt: skip
            self.status = Status(code)
        return self.status

    @property
    def written(self) -> int:
        return self._written.value

    @property
    def t(self) -> float:
        return float(self._struct.t)

    @property
    def step(self) -> float:
        """The length of the step to be tried next."""
        return float(self._struct.h)

    @property
    def bad(self) -> int:
        """Index of the component that was not finite, −1 when none."""
        return int(self._struct.bad)

    @property
    def statistics(self) -> dict[str, int]:
        names = ("accepted", "rejected", "evaluations")
        return {name: int(getattr(self._struct, name)) for name in names}
