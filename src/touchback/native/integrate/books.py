"""Powers integrated along a run, beside it (books.h)."""

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.constrained.constrained import Constrained
from touchback.native.integrate.problem import CallableStruct, FunctionData, Problem
from touchback.native.library import LIB, Floats, address_of, aligned_zeros, as_floats

_ROOT6 = 6.0**0.5
_GAUSS = np.polynomial.legendre.leggauss
_RADAU = (
    np.array([(4.0 - _ROOT6) / 10.0, (4.0 + _ROOT6) / 10.0, 1.0]),
    np.array([(16.0 - _ROOT6) / 36.0, (16.0 + _ROOT6) / 36.0, 1.0 / 9.0]),
)


def quadrature(method: str) -> tuple[Floats, Floats]:
    """Places and weights on [0, 1] that keep the order of a method on its dense output: the stages
    of Radau IIA, three nodes of Gauss for the other methods here, four for SciPy's."""
    if method == "radau5":
        return _RADAU
    places, weights = _GAUSS(3 if method.islower() else 4)
    return 0.5 * (places + 1.0), 0.5 * weights


class _BooksStruct(ctypes.Structure):
    """tb_books of books.h."""

    _fields_ = [
        ("count", ctypes.c_long),
        ("powers", CallableStruct),
        *[(name, ctypes.c_void_p) for name in ("p", "own")],
        *[(name, ctypes.c_long) for name in ("inputs", "with_rates", "rows")],
        ("multipliers", ctypes.c_void_p),
        ("nodes", ctypes.c_long),
        *[(name, ctypes.c_void_p) for name in ("places", "weights", "work", "rounding")],
        *[(name, ctypes.c_void_p) for name in ("x", "u", "values", "dense")],
        ("t", ctypes.c_double),
    ]


_P, _L = ctypes.c_void_p, ctypes.c_long
LIB.tb_books_rows.restype = None
LIB.tb_books_rows.argtypes = [_P, _L, _P, _P, _P]


@dataclass(frozen=True)
class Powers:
    """A function of x and u = [t, inputs…, rates of x…, multipliers…] that gives `count` powers
    [W], with its parameter block. `with_rates` says whether it reads rates and multipliers."""

    function: FunctionData
    p: Floats
    count: int
    with_rates: bool


def live_multipliers(constrained: Constrained) -> Floats:
    """The array in which the rate of a constrained problem leaves its multipliers."""
    found: Floats = constrained._memory.array("lambda")
    return found


class NativeBooks:
    """Integrals of powers over the accepted steps of a run.

    `own` is a problem like the run's, but with memory of its own: the run isn't touched. Its rate
    leaves the forces of constraints in `multipliers`."""

    def __init__(
        self, powers: Powers, own: Problem, method: str, multipliers: Floats | None = None
    ) -> None:
        n, inputs = own.state_size, len(own.u)
        rows = 0 if multipliers is None else len(multipliers)
        self._places, self._weights = (np.array(part) for part in quadrature(method))
        self._function_work = aligned_zeros(powers.function.work_size)
        self._p = as_floats(powers.p)
        self._work, self._rounding = np.zeros(powers.count), np.zeros(powers.count)
        self._values, self._x = aligned_zeros(powers.count), aligned_zeros(n)
        self._u, self._dense = aligned_zeros(inputs + n + rows), aligned_zeros(7 * n)
        self._kept_alive = (powers, own, multipliers)
        self._own = own
        self._struct = _BooksStruct(
            count=powers.count, p=address_of(self._p), own=own.address, inputs=inputs,
            with_rates=powers.with_rates, rows=rows,
            multipliers=None if multipliers is None else address_of(multipliers),
            nodes=len(self._places), places=address_of(self._places),
            weights=address_of(self._weights), work=address_of(self._work),
            rounding=address_of(self._rounding), x=address_of(self._x), u=address_of(self._u),
            values=address_of(self._values), dense=address_of(self._dense),
        )  # fmt: skip
        self._struct.powers = CallableStruct(
            powers.function.address, address_of(self._function_work),
            powers.function.context_address,
        )  # fmt: skip

    def attach(self, problem: Problem) -> None:
        """Lets the integrators of a problem add their steps."""
        problem.keep_books(self, self.address)

    @property
    def address(self) -> int:
        """Of the struct."""
        return ctypes.addressof(self._struct)

    @property
    def end(self) -> tuple[float, Floats]:
        """To where steps were added: the time and the state."""
        return float(self._struct.t), self._x.copy()

    def start(self, t: float, x: ArrayLike) -> None:
        """Makes the books' own problem ready at the state from which a run starts."""
        self.start_at(t, self._own.settle(t, x, accepted=True))

    def start_at(self, t: float, x: Floats) -> None:
        """Notes a state for which the books' own problem is ready."""
        self._struct.t = t
        self._x[:] = x

    def add_step(self, t: float, h: float, states: ArrayLike) -> None:
        """Adds a step by its states (rows) at the `nodes`."""
        rows = as_floats(states)
        times, weights = t + h * self._places, h * self._weights
        LIB.tb_books_rows(
            ctypes.byref(self._struct), len(rows), address_of(times), address_of(weights),
            address_of(rows),
        )  # fmt: skip

    @property
    def nodes(self) -> Floats:
        """Places of the quadrature on [0, 1]."""
        return self._places

    @property
    def work(self) -> Floats:
        """The integrals so far [J]."""
        return self._work.copy()
