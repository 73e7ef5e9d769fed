"""The virtual wall laboratory: why sampled walls chatter, and walls that don't.

After Gillespie 1996, chapters 5 and 6, with the slips of the text corrected where each equation
is used. The study `python -m studies wall` shows all of it.
"""

from touchback.haptics.wall.closed_form_oscillator import Flow, Oscillator, State
from touchback.haptics.wall.encoder_sensing import (
    DifferenceSensing,
    Encoder,
    ExactSensing,
    ObserverSensing,
    Sensing,
    WindowSensing,
)
from touchback.haptics.wall.laws.gillespie_walls import place_poles
from touchback.haptics.wall.loop_stability import (
    characteristic_polynomial,
    jury_conditions,
    jury_margin,
    loop_margin,
    loop_matrix,
)
from touchback.haptics.wall.passivity_limits import (
    Bench,
    deviation,
    hand_work,
    is_passive,
    largest_passive_stiffness,
)
from touchback.haptics.wall.sampled_simulation import (
    Bounces,
    Trace,
    bounces,
    distance_outside,
    simulate,
    tap_errors,
)
from touchback.haptics.wall.stability_limits import (
    alpha_edges,
    colgate_damping,
    critical_stiffness,
    simulated_damping,
    stabilising_damping,
)
from touchback.haptics.wall.wall_controllers import (
    KINDS,
    Controller,
    DelayPrediction,
    Kind,
    WallController,
    kind,
)
from touchback.haptics.wall.wall_plant import (
    Contact,
    ContinuousBall,
    Device,
    Finger,
    Motor,
    Plant,
    Target,
    ball,
)

__all__ = [
    "KINDS",
    "Bench",
    "Bounces",
    "Contact",
    "ContinuousBall",
    "Controller",
    "DelayPrediction",
    "Device",
    "DifferenceSensing",
    "Encoder",
    "ExactSensing",
    "Finger",
    "Flow",
    "Kind",
    "Motor",
    "ObserverSensing",
    "Oscillator",
    "Plant",
    "Sensing",
    "State",
    "Target",
    "Trace",
    "WallController",
    "WindowSensing",
    "alpha_edges",
    "ball",
    "bounces",
    "characteristic_polynomial",
    "colgate_damping",
    "critical_stiffness",
    "deviation",
    "distance_outside",
    "hand_work",
    "is_passive",
    "jury_conditions",
    "jury_margin",
    "kind",
    "largest_passive_stiffness",
    "loop_margin",
    "loop_matrix",
    "place_poles",
    "simulate",
    "simulated_damping",
    "stabilising_damping",
    "tap_errors",
]
