"""Analyses beyond running: equilibrium, kinematics, inverse dynamics, linear models, vibrations,
sensitivities, and contacts at a state."""

from touchback.simulate.analysis.contact_operator import Painleve, contact_operator, painleve
from touchback.simulate.analysis.equilibrium import Equilibrium, equilibrium
from touchback.simulate.analysis.inverse import inverse_dynamics
from touchback.simulate.analysis.kinematics import kinematics
from touchback.simulate.analysis.linearise import Linear, linearise
from touchback.simulate.analysis.sensitivity import Sensitivity, sensitivity
from touchback.simulate.analysis.vibrations import Vibration, Vibrations, vibrations

__all__ = [
    "Equilibrium",
    "Linear",
    "Painleve",
    "Sensitivity",
    "Vibration",
    "Vibrations",
    "contact_operator",
    "equilibrium",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "painleve",
    "sensitivity",
    "vibrations",
]
