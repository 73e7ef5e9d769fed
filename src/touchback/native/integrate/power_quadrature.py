"""Powers integrated along a run, beside it (energy_balance.h)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import FunctionData, Record
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of, as_floats

_ROOT6 = 6.0**0.5
_GAUSS = np.polynomial.legendre.leggauss
RADAU = (
    np.array([(4.0 - _ROOT6) / 10.0, (4.0 + _ROOT6) / 10.0, 1.0]),
    np.array([(16.0 - _ROOT6) / 36.0, (16.0 + _ROOT6) / 36.0, 1.0 / 9.0]),
)


def quadrature(method: str) -> tuple[Floats, Floats]:
    """Places and weights on [0, 1] that keep the order of a method on its dense output: the stages
    of Radau IIA, three nodes of Gauss for the other methods here, four for SciPy's."""
    if method == "radau5":
        return RADAU
    places, weights = _GAUSS(3 if method.islower() else 4)
    return 0.5 * (places + 1.0), 0.5 * weights


@dataclass(frozen=True)
class Powers:
    """A function of x and u = [t, inputs…, rates of x…, multipliers…] that gives `count` powers
    [W], with its parameter block. `with_rates` says whether it reads rates and multipliers."""

    function: FunctionData
    p: Floats
    count: int
    with_rates: bool


class NativeEnergyBalance:
    """Integrals of powers over the accepted steps of a run.

    `own` is a problem like the run's, but with memory of its own: the run isn't touched. Its rate
    leaves the forces of constraints in `multipliers`."""

    def __init__(
        self, powers: Powers, own: Problem, method: str, multipliers: Floats | None = None
    ) -> None:
        n, inputs = own.state_size, len(own.u)
        rows = 0 if multipliers is None else len(multipliers)
        self._places, self._weights = (np.array(part) for part in quadrature(method))
        self._own = own
        self._record = record = Record(
            "tb_energy_balance", count=powers.count, own=own.address, inputs=inputs,
            with_rates=powers.with_rates, rows=rows, nodes=len(self._places),
        )  # fmt: skip
        record.call("powers", powers.function)
        record.point("p", as_floats(powers.p))
        record.point("places", self._places)
        record.point("weights", self._weights)
        if multipliers is not None:
            record.point("multipliers", multipliers)
        self._work = record.floats("work", powers.count)
        self._x = record.floats("x", n)
        for name, size in (
            ("rounding", powers.count), ("values", powers.count), ("u", inputs + n + rows),
            ("dense", 7 * n),
        ):  # fmt: skip
            record.floats(name, size)

    @property
    def address(self) -> int:
        """Of the struct."""
        return self._record.address

    @property
    def end(self) -> tuple[float, Floats]:
        """To where steps were added: the time and the state."""
        return float(self._record.struct.t), self._x.copy()

    def start_at(self, t: float, x: Floats) -> None:
        """Notes a state for which the balance's own problem is ready."""
        self._record.struct.t = t
        self._x[:] = x

    def add_step(self, t: float, h: float, states: ArrayLike) -> None:
        """Adds a step by its states (rows) at the `nodes`."""
        rows = as_floats(states)
        times, weights = t + h * self._places, h * self._weights
        LIB.tb_energy_balance_add_rows(
            self._record.address, len(rows), address_of(times), address_of(weights),
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
