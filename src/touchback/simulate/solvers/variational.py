"""The variational midpoint rule."""

from dataclasses import dataclass

from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.solvers.solver import Can


@dataclass(frozen=True, kw_only=True)
class Variational(FixedStep):
    """The variational midpoint rule, of order 2: implicit and symplectic, also where the mass
    matrix depends on the positions. The energy of a mechanism that nothing drives or damps goes to
    and fro by the order of the step squared and doesn't drift, over any time (Marsden and West
    2001); momenta that no force changes are kept. For trees without constraints. Options as those
    of `RK4`; steps are solved to rounding, whatever `rtol` is."""

    word = "variational"
    can = Can.TICKS | Can.EVENTS | Can.BOOKS
    implicit = True
    momenta = True
