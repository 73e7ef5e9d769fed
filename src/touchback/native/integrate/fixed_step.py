"""Fixed steps inside C, in chunks, so that Python can show progress or interrupt."""

import ctypes
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.integrate.events import Events
from touchback.native.integrate.problem import Problem
from touchback.native.library import LIB, Floats, address_of, aligned_zeros


class Status(IntEnum):
    """How a chunk of steps ended (problem.h)."""

    REACHED = 0
    PAUSED = 1
    NOT_FINITE = 2
    STEP_TOO_SMALL = 3
    STEP_LIMIT = 4
    EVENT = 5
    INTERRUPTED = 6


class _FixedStruct(ctypes.Structure):
    """tb_fixed of fixed_step.h."""

    _fields_ = [
        ("step", ctypes.c_void_p),
        *[(name, ctypes.c_double) for name in ("t0", "h", "offset")],
        *[(name, ctypes.c_long) for name in ("steps", "bad")],
        *[(name, ctypes.c_void_p) for name in ("x", "scratch", "events", "rows")],
        ("rate_known", ctypes.c_long),
    ]


_P, _L = ctypes.c_void_p, ctypes.c_long
LIB.tb_fixed_advance.argtypes = [_P, _P, _L, _L, _P, _P]

_STEPS = {"rk4": LIB.tb_rk4_step, "euler": LIB.tb_euler_step}
_IMPLICIT = {
    "implicit-euler": LIB.tb_implicit_euler_step,
    "trapezoidal": LIB.tb_trapezoidal_step,
}
# Steps that belong to a formulation of constraints and work on its data.
_STEPPERS = {
    "linear-implicit": LIB.tb_linear_implicit_step,
    "augmented-lagrangian": LIB.tb_augmented_lagrangian_step,
}


def initial_state_for(problem: Problem, x: ArrayLike, t0: float) -> Floats:
    """The state from which a run starts, made consistent; a copy."""
    state = np.array(x, dtype=np.float64)
    if state.shape != (problem.state_size,):
        raise InputError(
            f"The state has {problem.state_size} elements, got an array of shape {state.shape}."
        )
    return problem.settle(t0, state, accepted=True)


def check_method(problem: Problem, method: str) -> None:
    """Methods and formulations that don't go together are refused."""
    if method in (*_IMPLICIT, "radau5") and not problem.implicit:
        raise InputError(
            f"The method {method!r} is implicit: make a `Newton` for the problem first."
        )
    wanted = problem.stepper if problem.stepper or method not in _STEPPERS else method
    if wanted is not None and (method != wanted or problem.stepper != wanted):
        raise InputError(
            f"The step {wanted!r} and the formulation {wanted!r} go together: the method is "
            f"{method!r} and the formulation's own step is {problem.stepper!r}."
        )


def _step_of(problem: Problem, method: str) -> int | None:
    own = problem.steps.get(method)
    return own or ctypes.cast((_STEPS | _IMPLICIT | _STEPPERS)[method], ctypes.c_void_p).value


class FixedStep:
    """A run with a fixed step: "rk4" (classical Runge–Kutta), "euler" (semi-implicit),
    "implicit-euler", "trapezoidal", or the step of a formulation of constraints: "linear-implicit",
    "augmented-lagrangian".

    Step k starts at t0 + k·step. `x` is always the last good state, `bad` the index of the
    component that stopped the run (−1: none). With `events`, steps end early at active ones.
    """

    def __init__(
        self,
        problem: Problem,
        method: str,
        x: ArrayLike,
        t0: float,
        step: float,
        events: Events | None = None,
    ) -> None:
        check_method(problem, method)
        n = problem.state_size
        self.problem = problem
        self.x = initial_state_for(problem, x, t0)
        self.step = step
        self._events = events
        dense = events is not None or problem.books is not None
        self._scratch, self._rows = aligned_zeros(5 * n), aligned_zeros(7 * n if dense else 0)
        self._struct = _FixedStruct(
            step=_step_of(problem, method),
            t0=t0, h=step, bad=-1, x=address_of(self.x), scratch=address_of(self._scratch),
            events=events.address if events else None, rows=address_of(self._rows),
        )  # fmt: skip

    @property
    def t(self) -> float:
        struct = self._struct
        return float(struct.t0 + struct.steps * struct.h + struct.offset)

    @property
    def steps(self) -> int:
        """Whole steps taken."""
        return int(self._struct.steps)

    @property
    def bad(self) -> int:
        return int(self._struct.bad)

    def advance(self, count: int, every: int = 1) -> tuple[Status, Floats]:
        """Takes `count` steps; returns the states after every `every`-th step since the start.

        PAUSED: fewer steps were taken, because found events should be fetched."""
        rows = (self.steps + count) // every - self.steps // every
        record = np.empty((rows, self.problem.state_size))
        written = ctypes.c_long(0)
        code = LIB.tb_fixed_advance(
            ctypes.byref(self._struct), self.problem.address, count, every, address_of(record),
            ctypes.byref(written),
        )  # fmt: skip
        return Status(code), record[: written.value]

    def restart(self, x: ArrayLike) -> None:
        """Goes on from another state at the present time."""
        self.x[:] = self.problem.settle(self.t, x, accepted=True)
        self._struct.rate_known = 0
