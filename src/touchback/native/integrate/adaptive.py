"""Integrators with error control that step inside C, in chunks."""

import ctypes
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.integrate.events import Events
from touchback.native.integrate.fixed_step import Status, check_method, initial_state_for
from touchback.native.integrate.problem import Problem
from touchback.native.library import LIB, address_of, aligned_zeros, as_floats

_D, _L, _P = ctypes.c_double, ctypes.c_long, ctypes.c_void_p
_COMMON = [(name, _D) for name in ("t", "h", "max_step", "rtol", "atol")]
_COUNTS = ("accepted", "rejected", "evaluations")

for _method in ("dopri5", "radau5"):
    getattr(LIB, f"tb_{_method}_start").argtypes = [_P, _P, _D]
    getattr(LIB, f"tb_{_method}_restart").argtypes = [_P, _P]
    getattr(LIB, f"tb_{_method}_advance").argtypes = [_P, _P, _D, _L, _P, _L, _P, _P]


class _Dopri5Struct(ctypes.Structure):
    """tb_dopri5 of dopri5.c."""

    _fields_ = [
        *_COMMON,
        ("last_error", _D),
        *[(name, _L) for name in (*_COUNTS, "step_limit", "bad", "after_rejection")],
        *[(name, _P) for name in ("x", "stages", "next", "events", "again")],
    ]


class _Radau5Struct(ctypes.Structure):
    """tb_radau5 of radau5.c."""

    _fields_ = [
        *_COMMON,
        *[(name, _D) for name in ("last_h", "last_error", "factored", "contraction")],
        *[(name, _L) for name in (*_COUNTS, "step_limit", "bad", "after_rejection", "fresh")],
        *[(name, _P) for name in ("x", "rate", "Z", "W", "F", "next", "rows", "error")],
        *[(name, _P) for name in ("real", "complex", "right", "complex_pivots", "events")],
    ]


class Adaptive:
    """A run with adaptive steps, and dense output at the requested times.

    `record` holds a row for each of the rising `times` in [t0, t_end]; `written` are filled. With
    `events`, steps end early at active ones.
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
        self._struct = self._memory(problem.state_size)
        settings = {
            "t": t0, "max_step": max_step, "rtol": rtol, "atol": atol, "step_limit": step_limit,
            "bad": -1, "x": address_of(self.x), "events": events.address if events else None,
        }  # fmt: skip
        for name, value in settings.items():
            setattr(self._struct, name, value)
        self.status = self._call("start", t_end)

    def _memory(self, n: int) -> Any:
        """The method's struct with memory for n states; what it points to stays in `self`."""
        raise NotImplementedError

    def _call(self, function: str, *arguments: Any) -> Status:
        call = getattr(LIB, f"tb_{self._name}_{function}")
        return Status(call(ctypes.byref(self._struct), self.problem.address, *arguments))

    def advance(self, attempts: int) -> Status:
        """Tries at most `attempts` more steps."""
        if self.status == Status.PAUSED:
            self.status = self._call(
                "advance", self.t_end, attempts, address_of(self.times), len(self.times),
                ctypes.byref(self._written), address_of(self.record),
            )  # fmt: skip
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
        return float(self._struct.t)

    @property
    def step(self) -> float:
        """The length of the step to be tried next."""
        return float(self._struct.h)

    @property
    def max_step(self) -> float:
        """The longest step that may be taken; it can be changed between calls."""
        return float(self._struct.max_step)

    @max_step.setter
    def max_step(self, seconds: float) -> None:
        self._struct.max_step = seconds

    @property
    def bad(self) -> int:
        """Index of the component that was not finite, −1 when none."""
        return int(self._struct.bad)

    @property
    def statistics(self) -> dict[str, int]:
        return {name: int(getattr(self._struct, name)) for name in _COUNTS}


class Dopri5(Adaptive):
    """Dormand–Prince 5(4): explicit, for problems that aren't stiff."""

    _name = "dopri5"

    def _memory(self, n: int) -> _Dopri5Struct:
        self._arrays = [aligned_zeros(rows * n) for rows in (7, 7, 6)]
        stages, following, again = map(address_of, self._arrays)
        return _Dopri5Struct(stages=stages, next=following, again=again)


class Radau5(Adaptive):
    """Radau IIA of order 5: implicit, for stiff problems; the problem needs a `Newton`."""

    _name = "radau5"

    def _memory(self, n: int) -> _Radau5Struct:
        sizes = {
            "rate": n, "Z": 3 * n, "W": 3 * n, "F": 3 * n, "next": n, "rows": 5 * n,
            "error": 2 * n, "real": n * n, "complex": 2 * n * n, "right": 2 * n,
        }  # fmt: skip
        self._arrays = {name: aligned_zeros(size) for name, size in sizes.items()}
        self._pivots = np.zeros(n, dtype=np.int32)
        addresses = {name: address_of(array) for name, array in self._arrays.items()}
        return _Radau5Struct(**addresses, complex_pivots=address_of(self._pivots))
