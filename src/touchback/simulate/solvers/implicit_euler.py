"""Implicit Euler."""

from dataclasses import dataclass

from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.solvers.solver import Can


@dataclass(frozen=True, kw_only=True)
class ImplicitEuler(FixedStep):
    """Implicit Euler, of order 1, for stiff problems at a fixed cost: it damps what is faster than
    the step. Options as those of `RK4`; `rtol` and `atol` also say how far Newton's method goes."""

    word = "implicit-euler"
    can = (FixedStep.can | Can.STIFF) & ~Can.COPIES
    implicit = True
    quadrature = (1.0,), (1.0,)
