"""The trapezoidal rule."""

from dataclasses import dataclass

from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.solvers.solver import Can


@dataclass(frozen=True, kw_only=True)
class Trapezoidal(FixedStep):
    """The trapezoidal rule, of order 2, for stiff problems at a fixed cost: it damps nothing, so
    that what is much faster than the step rings. Options as those of `ImplicitEuler`."""

    word = "trapezoidal"
    can = (FixedStep.can | Can.STIFF) & ~Can.COPIES
    implicit = True
