"""Analyses beyond running: equilibrium, kinematics, inverse dynamics, linear models, modes and
sensitivities."""

from touchback.simulate.analysis.equilibrium import Equilibrium, equilibrium
from touchback.simulate.analysis.inverse import inverse_dynamics
from touchback.simulate.analysis.kinematics import kinematics
from touchback.simulate.analysis.linearise import Linear, linearise
from touchback.simulate.analysis.modes import Mode, Modes, modes
from touchback.simulate.analysis.sensitivity import Sensitivity, sensitivity

__all__ = [
    "Equilibrium",
    "Linear",
    "Mode",
    "Modes",
    "Sensitivity",
    "equilibrium",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "modes",
    "sensitivity",
]
