"""Solvers, a file each: a new one is its file and a line here."""

from touchback.native import FORMULATIONS
from touchback.simulate.solvers.dopri5 import Dopri5
from touchback.simulate.solvers.euler import Euler
from touchback.simulate.solvers.event_driven import EventDriven
from touchback.simulate.solvers.formulation_step import FormulationStep
from touchback.simulate.solvers.implicit_euler import ImplicitEuler
from touchback.simulate.solvers.integrator import Integrator
from touchback.simulate.solvers.moreau_jean import MoreauJean
from touchback.simulate.solvers.radau5 import Radau5
from touchback.simulate.solvers.rk4 import RK4
from touchback.simulate.solvers.scipy import NAMES, SciPy
from touchback.simulate.solvers.solver import Can, Options, Solver
from touchback.simulate.solvers.trapezoidal import Trapezoidal
from touchback.simulate.solvers.variational import Variational

#: Solvers with their usual options, by name.
METHODS: dict[str, Solver] = {
    solver.word: solver
    for solver in (
        Dopri5(),
        Radau5(),
        RK4(),
        Euler(),
        ImplicitEuler(),
        Trapezoidal(),
        Variational(),
        *(FormulationStep(word) for word, each in FORMULATIONS.items() if each.step),
        *map(SciPy, NAMES),
        EventDriven(),
        MoreauJean(),
    )
}


def integrators() -> dict[str, Integrator]:
    """Those that integrate the rate of any problem, by name."""
    return {
        name: each
        for name, each in METHODS.items()
        if isinstance(each, Integrator) and Can.FORMULATIONS in each.can
    }


__all__ = [
    "METHODS",
    "RK4",
    "Can",
    "Dopri5",
    "Euler",
    "EventDriven",
    "ImplicitEuler",
    "Integrator",
    "MoreauJean",
    "Options",
    "Radau5",
    "SciPy",
    "Solver",
    "Trapezoidal",
    "Variational",
    "integrators",
]
