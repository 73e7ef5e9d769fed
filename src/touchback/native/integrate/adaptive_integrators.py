"""Integrators with error control that step inside C, in chunks."""

import ctypes
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import Record
from touchback.native.integrate.event_crossings import Events
from touchback.native.integrate.fixed_step_integrators import (
    Status,
    check_method,
    initial_state_for,
)
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of, as_floats

_COUNTS = ("accepted", "rejected", "evaluations")


class Adaptive:
    """A run with adaptive steps, and dense output at the requested times.

    `record` holds a row for each of the rising `times` in [t0, t_end]; `written` are filled. With
    `events`, steps end early at active ones. Where the problem has knots, `ends` are those of the
    steps that `advance` accepted last.
    """

    _name: ClassVar[str]

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
        events: Events | None = None,
    ) -> None:
        check_method(problem, self._name)
        self.problem = problem
        self.x = initial_state_for(problem, x, t0)
        self.t_end = t_end
        self.times = as_floats(times)
        self.record = np.empty((len(self.times), problem.state_size))
        self._written = ctypes.c_long(0)
        self._events = events
        self.ends: Floats = np.empty(0)
        self._record = Record(
            f"tb_{self._name}", t=t0, max_step=max_step, rtol=rtol, atol=atol,
            step_limit=step_limit, bad=-1, events=events.address if events else None,
        )  # fmt: skip
        self._record.point("x", self.x)
        self._make_arrays(problem.state_size)
        self.status = self._call("start", t_end)

    def _make_arrays(self, n: int) -> None:
        """The method's own memory, for n states."""
        raise NotImplementedError

    def _call(self, function: str, *arguments: object) -> Status:
        call = getattr(LIB, f"tb_{self._name}_{function}")
        return Status(call(self._record.address, self.problem.address, *arguments))

    def advance(self, attempts: int) -> Status:
        """Tries at most `attempts` more steps."""
        if self.status == Status.PAUSED:
            self.status = self._call(
                "advance", self.t_end, attempts, address_of(self.times), len(self.times),
                ctypes.byref(self._written), address_of(self.record),
            )  # fmt: skip
        if self.problem.knots:
            self.ends = self.problem.knots.take_ends()
        return self.status

    def restart(self, x: ArrayLike) -> None:
        """Goes on from another state at the present time."""
        self.x[:] = self.problem.settle(self.t, x, accepted=True)
        self.status = self._call("restart")

    @property
    def written(self) -> int:
        return self._written.value

    @property
    def t(self) -> float:
        return float(self._record.struct.t)

    @property
    def step(self) -> float:
        """The length of the step to be tried next."""
        return float(self._record.struct.h)

    @property
    def max_step(self) -> float:
        """The longest step that may be taken; it can be changed between calls."""
        return float(self._record.struct.max_step)

    @max_step.setter
    def max_step(self, seconds: float) -> None:
        self._record.struct.max_step = seconds

    @property
    def bad(self) -> int:
        """Index of the component that was not finite, −1 when none."""
        return int(self._record.struct.bad)

    @property
    def statistics(self) -> dict[str, int]:
        return self._record.numbers(*_COUNTS)


class Dopri5(Adaptive):
    """Dormand–Prince 5(4): explicit, for problems that aren't stiff."""

    _name = "dopri5"

    def _make_arrays(self, n: int) -> None:
        for name, rows in (("stages", 7), ("next", 7), ("again", 6)):
            self._record.floats(name, rows * n)


class Radau5(Adaptive):
    """Radau IIA of order 5: implicit, for stiff problems; the problem needs a `Newton`."""

    _name = "radau5"

    def _make_arrays(self, n: int) -> None:
        sizes = {
            "rate": n, "Z": 3 * n, "W": 3 * n, "F": 3 * n, "next": n, "rows": 5 * n,
            "error": 2 * n, "real": n * n, "complex": 2 * n * n, "right": 2 * n,
        }  # fmt: skip
        for name, size in sizes.items():
            self._record.floats(name, size)
        self._record.ints("complex_pivots", np.zeros(n))
