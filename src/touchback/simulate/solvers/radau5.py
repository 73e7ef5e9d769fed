"""Hairer and Wanner 1996, "Solving ordinary differential equations II", section IV.8."""

from dataclasses import dataclass

from touchback import native
from touchback.native.integrate.books import RADAU
from touchback.simulate.solvers.adaptive import Adaptive
from touchback.simulate.solvers.solver import Can


@dataclass(frozen=True, kw_only=True)
class Radau5(Adaptive):
    """Radau IIA of order 5, for stiff problems; options as those of `Dopri5`."""

    word = "radau5"
    can = (Adaptive.can | Can.STIFF) & ~Can.COPIES
    implicit = True
    stepper = native.Radau5
    quadrature = RADAU
