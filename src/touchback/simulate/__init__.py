"""Offline runs: a compiled system, an initial state and a duration give a `Run`."""

from touchback.native import AugmentedLagrangian, Baumgarte, Penalty
from touchback.simulate.constraint_switching import Switch
from touchback.simulate.event_monitor import Event
from touchback.simulate.failure import RunFailed, RunInterrupted
from touchback.simulate.inputs import TimeFunction
from touchback.simulate.simulate import simulate
from touchback.simulate.solvers import (
    METHODS,
    RK4,
    Dopri5,
    Euler,
    EventDriven,
    ImplicitEuler,
    MoreauJean,
    Radau5,
    SciPy,
    Solver,
    Trapezoidal,
    Variational,
)

__all__ = [
    "METHODS",
    "RK4",
    "AugmentedLagrangian",
    "Baumgarte",
    "Dopri5",
    "Euler",
    "Event",
    "EventDriven",
    "ImplicitEuler",
    "MoreauJean",
    "Penalty",
    "Radau5",
    "RunFailed",
    "RunInterrupted",
    "SciPy",
    "Solver",
    "Switch",
    "TimeFunction",
    "Trapezoidal",
    "Variational",
    "simulate",
]
