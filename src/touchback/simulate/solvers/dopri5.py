"""Dormand and Prince 1980, "A family of embedded Runge-Kutta formulae", J. Comp. Appl. Math. 6."""

from dataclasses import dataclass

from touchback import native
from touchback.simulate.solvers.adaptive import Adaptive


@dataclass(frozen=True, kw_only=True)
class Dopri5(Adaptive):
    """Dormand–Prince 5(4) with dense output: for smooth motion; the first choice.

    Steps are as long as `rtol` and `atol` allow, at most `step` [s] and `step_limit` of them;
    `output_step` [s] is the time between recorded instants (a thousandth of the duration)."""

    word = "dopri5"
    stepper = native.Dopri5
    quadrature = (
        (0.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0),
        (35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0),
    )
