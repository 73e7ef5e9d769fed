"""Semi-implicit (symplectic) Euler."""

from dataclasses import dataclass

from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.solvers.solver import Can


@dataclass(frozen=True, kw_only=True)
class Euler(FixedStep):
    """Semi-implicit Euler, of order 1: velocities first, positions with the new ones, so that
    energies of oscillations stay bounded where the mass matrix is constant; where it depends on
    positions they drift (`Variational` keeps them). The cheapest. Options as those of `RK4`."""

    word = "euler"
    can = FixedStep.can | Can.MODES
    quadrature = (0.0,), (1.0,)
