"""Analyses beyond running: checks of a model, equilibrium, kinematics, inverse dynamics, linear
models, vibrations, sensitivities, and contacts at a state."""

from touchback.analysis.contact_operator import Painleve, contact_operator, painleve
from touchback.analysis.equilibrium import Equilibrium, equilibrium
from touchback.analysis.inverse_dynamics import inverse_dynamics
from touchback.analysis.kinematic_analysis import kinematics
from touchback.analysis.linearise import Chart as Chart, Linear, full_flow as full_flow, linearise
from touchback.analysis.model_verification import Check, CheckWarning, check
from touchback.analysis.run_sensitivity import Sensitivity, sensitivity
from touchback.analysis.system_at_parameters import Instance as Instance, state_of as state_of
from touchback.analysis.variation_integration import (
    ClosedVariations as ClosedVariations,
    SignalDerivatives as SignalDerivatives,
    Variations as Variations,
    plan_steps as plan_steps,
)
from touchback.analysis.vibrations import Vibration, Vibrations, vibrations

__all__ = [
    "Check",
    "CheckWarning",
    "Equilibrium",
    "Linear",
    "Painleve",
    "Sensitivity",
    "Vibration",
    "Vibrations",
    "check",
    "contact_operator",
    "equilibrium",
    "inverse_dynamics",
    "kinematics",
    "linearise",
    "painleve",
    "sensitivity",
    "vibrations",
]
