"""Offline runs: a compiled system, an initial state and a duration give a `Run`."""

from touchback.simulate.constrained import AugmentedLagrangian, Baumgarte
from touchback.simulate.event import Event
from touchback.simulate.failure import RunFailed, RunInterrupted
from touchback.simulate.methods import METHODS
from touchback.simulate.protocol import CompiledSystem
from touchback.simulate.simulate import simulate
from touchback.simulate.switching import Switch

__all__ = [
    "METHODS",
    "AugmentedLagrangian",
    "Baumgarte",
    "CompiledSystem",
    "Event",
    "RunFailed",
    "RunInterrupted",
    "Switch",
    "simulate",
]
