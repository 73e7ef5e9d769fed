"""Event functions along a run: which there are, and which of their crossings were found."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import FunctionData, Record
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of, as_floats

EventFunction = Callable[[float, Floats], float]

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
_ROWS_AT_A_TIME = 64  # of found events, beyond what one step can find


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
        rows = _ROWS_AT_A_TIME + 2 * count * samples
        self.rules = rules
        self.raised: BaseException | None = None
        self._problem = problem
        self._record = record = Record(
            "tb_events", count=count, compiled=count - len(callables), samples=samples, rtol=rtol,
            atol=atol, capacity=rows, sloped=sloped, watched=count if watched is None else watched,
        )  # fmt: skip
        record.point("p", as_floats(p))
        record.call("function", function)
        if callables:
            record.struct.callback = self._callback(callables)
        record.ints("direction", [rule.direction for rule in rules])
        record.ints("active", [rule.active for rule in rules])
        self._signs = record.ints("sign", [0] * count)
        record.point("locking", np.array([rule.locking for rule in rules]))
        self._locked_until = record.floats("locked_until", count)
        self.floors = record.floats("floor", count)
        self.values = record.floats("values", count + sloped)
        record.floats("end_values", count + sloped)
        record.floats("slopes", sloped)
        record.floats("away", count)
        for name in ("state", "exact"):
            record.floats(name, n)
        self._times = record.floats("times", rows)
        self._errors = record.floats("errors", rows)
        self._states = record.floats("states", rows * n).reshape(rows, n)
        self._indices = record.ints("indices", [0] * rows)
        self._directions = record.ints("directions", [0] * rows)
        self.address = record.address

    def start(self, t: float, x: Floats) -> None:
        """Reads the signs at the state from which a run starts."""
        LIB.tb_events_start(self.address, self._problem.address, t, address_of(x))

    def lock(self, indices: Sequence[int], until: float) -> None:
        """Lets some of them be looked at, and their signs be read, from a time on only."""
        self._locked_until[list(indices)] = until

    def side(self, index: int) -> tuple[int, float]:
        """On which side of zero one was last seen (0: unknown), and until when it isn't looked
        at [s]."""
        return int(self._signs[index]), float(self._locked_until[index])

    def go_on(self, index: int, side: tuple[int, float]) -> None:
        """Lets one that was on a `side` before a jump be looked at from there on."""
        self._signs[index], self._locked_until[index] = side

    def take(self) -> list[Crossing]:
        """What was found since the last call, in the order of time."""
        found = [
            Crossing(int(i), float(t), int(direction), state.copy(), float(error))
            for i, t, direction, state, error in zip(
                self._indices[: self._record.struct.found], self._times, self._directions,
                self._states, self._errors,
            )
        ]  # fmt: skip
        self._record.struct.found = 0
        return found

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
        self._record.owned.append(callback)
        return ctypes.cast(callback, ctypes.c_void_p).value
