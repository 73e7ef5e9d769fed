"""Fixed steps inside C, in chunks, so that Python can show progress or interrupt."""

import ctypes
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.c_struct import Record
from touchback.native.constrained.formulation_kinds import FORMULATIONS
from touchback.native.integrate.event_crossings import Events
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of


class Status(IntEnum):
    """How a chunk of steps ended (problem.h)."""

    REACHED = LIB.constant("TB_REACHED")
    PAUSED = LIB.constant("TB_PAUSED")
    NOT_FINITE = LIB.constant("TB_NOT_FINITE")
    STEP_TOO_SMALL = LIB.constant("TB_STEP_TOO_SMALL")
    STEP_LIMIT = LIB.constant("TB_STEP_LIMIT")
    EVENT = LIB.constant("TB_EVENT")
    INTERRUPTED = LIB.constant("TB_INTERRUPTED")


_IMPLICIT = ("implicit-euler", "trapezoidal", "variational", "radau5")


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
    if method in _IMPLICIT and not problem.implicit:
        raise InputError(
            f"The method {method!r} is implicit: make a `Newton` for the problem first."
        )
    wanted = problem.stepper or (method if method in FORMULATIONS else None)
    if wanted is not None and (method != wanted or problem.stepper != wanted):
        raise InputError(
            f"The step {wanted!r} and the formulation {wanted!r} go together: the method is "
            f"{method!r} and the formulation's own step is {problem.stepper!r}."
        )


def step_address(method: str) -> int:
    """The function of a fixed-step method."""
    return LIB.address(f"tb_{method.replace('-', '_')}_step")


class FixedStep:
    """A run with a fixed step: "rk4" (classical Runge–Kutta), "euler" (semi-implicit),
    "implicit-euler", "trapezoidal", "variational", or the step of a formulation of constraints:
    "linear-implicit", "augmented-lagrangian".

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
        dense = events is not None or problem.energy_balance is not None
        self.record = Record(
            "tb_fixed", step=problem.steps.get(method) or step_address(method), t0=t0, h=step,
            bad=-1, events=events.address if events else None,
        )  # fmt: skip
        self.record.point("x", self.x)
        self.record.floats("scratch", 5 * n)
        self.record.floats("rows", 7 * n if dense else 0)

    @property
    def t(self) -> float:
        struct = self.record.struct
        return float(struct.t0 + struct.steps * struct.h + struct.offset)

    @property
    def steps(self) -> int:
        """Whole steps taken."""
        return int(self.record.struct.steps)

    @property
    def bad(self) -> int:
        return int(self.record.struct.bad)

    def advance(self, count: int, every: int = 1) -> tuple[Status, Floats]:
        """Takes `count` steps; returns the states after every `every`-th step since the start.

        PAUSED: fewer steps were taken, because found events should be fetched."""
        rows = (self.steps + count) // every - self.steps // every
        record = np.empty((rows, self.problem.state_size))
        written = ctypes.c_long(0)
        code = LIB.tb_fixed_advance(
            self.record.address, self.problem.address, count, every, address_of(record),
            ctypes.byref(written),
        )  # fmt: skip
        return Status(code), record[: written.value]

    def restart(self, x: ArrayLike) -> None:
        """Goes on from another state at the present time."""
        self.x[:] = self.problem.settle(self.t, x, accepted=True)
        self.record.struct.rate_known = 0
