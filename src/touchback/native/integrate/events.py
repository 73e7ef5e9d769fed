"""Event functions along a run: which there are, and which of their crossings were found."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.integrate.problem import CallableStruct, FunctionData, Problem
from touchback.native.library import LIB, Floats, address_of, aligned_zeros, as_floats

EventFunction = Callable[[float, Floats], float]

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
_ROWS_AT_A_TIME = 64  # of found events, beyond what one step can find


class _EventsStruct(ctypes.Structure):
    """tb_events of events.h."""

    _fields_ = [
        *[(name, ctypes.c_long) for name in ("count", "compiled", "samples", "sloped", "watched")],
        ("function", CallableStruct),
        ("p", ctypes.c_void_p),
        *[
            (name, ctypes.c_void_p)
            for name in ("callback", "direction", "active", "locking", "floor")
        ],
        *[(name, ctypes.c_double) for name in ("rtol", "atol")],
        *[(name, ctypes.c_void_p) for name in ("sign", "locked_until", "values", "end_values")],
        *[(name, ctypes.c_void_p) for name in ("slopes", "state", "exact")],
        *[(name, ctypes.c_long) for name in ("capacity", "found")],
        *[(name, ctypes.c_void_p) for name in ("times", "errors", "states")],
        *[(name, ctypes.c_void_p) for name in ("indices", "directions")],
    ]


LIB.tb_events_start.restype = None
LIB.tb_events_start.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p]


@dataclass(frozen=True)
class EventRule:
    """What counts as an event: +1 rising, −1 falling, 0 both; whether the step ends there; and for
    how long [s] it can't happen again."""

    direction: int
    active: bool
    locking: float


@dataclass(frozen=True)
class Crossing:
    """An event that was found: which, when, in which direction, and the state there.

    `error` is how far the dense output, on which it was located, lies from that state, as a
    multiple of the tolerances."""

    index: int
    time: float
    direction: int
    state: Floats
    error: float


class Events:
    """Event functions of one run: first those that `function` computes from x, u and its own
    parameter block `p`, then the `callables` f(t, x).

    Steps are looked at in `samples` parts. The first `sloped` functions tell their slopes too,
    which follow the values: one of them is looked at as well where it is lowest within a part.
    `floors`, to be written between runs, are how far from zero a function may start without being
    on either side; `values` are the last ones looked at. What the callables raise is kept in
    `raised`, and their values become NaN. From the one numbered `watched` on (None: of none), a
    function that is NaN ends a run: the crossing has its index as −1 − index."""

    def __init__(
        self,
        problem: Problem,
        rules: Sequence[EventRule],
        function: FunctionData | None = None,
        p: ArrayLike = (),
        callables: Sequence[EventFunction] = (),
        rtol: float = 1e-8,
        atol: float = 1e-10,
        samples: int = 8,
        sloped: int = 0,
        watched: int | None = None,
    ) -> None:
        count, n = len(rules), problem.state_size
        rows = _ROWS_AT_A_TIME + count * samples
        self.rules = rules
        self.raised: BaseException | None = None
        self._problem = problem
        work = aligned_zeros(function.work_size if function else 0)
        self._kept_alive: list[object] = [function, work]
        self._struct = _EventsStruct(
            count=count, compiled=count - len(callables), samples=samples, rtol=rtol, atol=atol,
            capacity=rows, sloped=sloped, watched=count if watched is None else watched,
        )  # fmt: skip
        self._numbers("p", as_floats(p))
        if function is not None:
            self._struct.function = CallableStruct(
                function.address, address_of(work), function.context_address
            )
        if callables:
            self._struct.callback = self._callback(callables)
        self._integers("direction", [rule.direction for rule in rules])
        self._integers("active", [rule.active for rule in rules])
        self._integers("sign", [0] * count)
        self._numbers("locking", np.array([rule.locking for rule in rules]))
        self._locked_until = self._numbers("locked_until", np.zeros(count))
        self.floors = self._numbers("floor", np.zeros(count))
        self.values = self._numbers("values", np.zeros(count + sloped))
        self._numbers("end_values", np.zeros(count + sloped))
        self._numbers("slopes", np.zeros(sloped))
        for name in ("state", "exact"):
            self._numbers(name, np.zeros(n))
        self._times = self._numbers("times", np.zeros(rows))
        self._errors = self._numbers("errors", np.zeros(rows))
        self._states = self._numbers("states", np.zeros((rows, n)))
        self._indices = self._integers("indices", [0] * rows)
        self._directions = self._integers("directions", [0] * rows)
        self.address: int = ctypes.addressof(self._struct)

    def start(self, t: float, x: Floats) -> None:
        """Reads the signs at the state from which a run starts."""
        LIB.tb_events_start(self.address, self._problem.address, t, address_of(x))

    def lock(self, indices: Sequence[int], until: float) -> None:
        """Lets some of them be looked at, and their signs be read, from a time on only."""
        self._locked_until[list(indices)] = until

    def take(self) -> list[Crossing]:
        """What was found since the last call, in the order of time."""
        found = [
            Crossing(int(i), float(t), int(direction), state.copy(), float(error))
            for i, t, direction, state, error in zip(
                self._indices[: self._struct.found], self._times, self._directions,
                self._states, self._errors,
            )
        ]  # fmt: skip
        self._struct.found = 0
        return found

    def _numbers(self, name: str, array: Floats) -> Floats:
        self._kept_alive.append(array)
        setattr(self._struct, name, address_of(array))
        return array

    def _integers(self, name: str, values: Sequence[int]) -> np.ndarray:
        array = np.array(values, dtype=np.int32)
        self._kept_alive.append(array)
        setattr(self._struct, name, address_of(array))
        return array

    def _callback(self, callables: Sequence[EventFunction]) -> int | None:
        state_type = ctypes.c_double * self._problem.state_size
        value_type = ctypes.c_double * len(callables)

        def call(t: float, x_address: int, values_address: int) -> None:
            x = np.ctypeslib.as_array(state_type.from_address(x_address)).copy()
            values = value_type.from_address(values_address)
            for i, function in enumerate(callables):
                try:
                    values[i] = float(function(t, x))
                except BaseException as error:  # nothing may unwind through C
                    self.raised = self.raised or error
                    values[i] = np.nan

        callback = _CALLBACK(call)
        self._kept_alive.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value
