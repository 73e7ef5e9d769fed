"""Solvers by family: a new one is a class in the file of its family and a line here."""

from touchback.native import FORMULATIONS
from touchback.simulate.event_driven_contact import EventDriven
from touchback.simulate.solvers.adaptive_solvers import Dopri5, Radau5
from touchback.simulate.solvers.base import Capability, Integrator, Options, Solver
from touchback.simulate.solvers.fixed_step_solvers import (
    RK4,
    Euler,
    FormulationStep,
    ImplicitEuler,
    Trapezoidal,
    Variational,
)
from touchback.simulate.solvers.scipy_solvers import NAMES, SciPy
from touchback.simulate.time_stepping_contact import MoreauJean

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
        if isinstance(each, Integrator) and Capability.FORMULATIONS in each.can
    }


__all__ = [
    "METHODS",
    "RK4",
    "Capability",
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
