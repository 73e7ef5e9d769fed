"""The classical Runge–Kutta method (Kutta 1901)."""

from dataclasses import dataclass

from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.solvers.solver import Can


@dataclass(frozen=True, kw_only=True)
class RK4(FixedStep):
    """The classical Runge–Kutta method of order 4: the same cost in every `step` [s].

    `output_step` [s] is the time between recorded instants (every step); `rate` the number of ticks
    a second at which memories of the model change, with a whole number of steps in between; `rtol`
    and `atol` say how well events are located."""

    word = "rk4"
    can = FixedStep.can | Can.MODES
    quadrature = (0.0, 0.5, 1.0), (1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0)
