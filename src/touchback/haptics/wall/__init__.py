"""The virtual wall laboratory: why sampled walls chatter, and walls that don't.

After Gillespie 1996, chapters 5 and 6, with the slips of the text mended where each equation is
used. The study `python -m studies wall` shows all of it.
"""

from touchback.haptics.wall.adaptive import AdaptiveWall, tap_errors
from touchback.haptics.wall.bounces import Bounces, bounces, distance_outside
from touchback.haptics.wall.closed_loop import loop_margin, loop_matrix
from touchback.haptics.wall.continuous import Contact, ContinuousBall
from touchback.haptics.wall.controllers import (
    Ahead,
    Controller,
    HalfSampleWall,
    PlacedWall,
    StandardWall,
)
from touchback.haptics.wall.deadbeat import DeadbeatWall
from touchback.haptics.wall.edges import (
    alpha_edges,
    colgate_damping,
    critical_stiffness,
    simulated_damping,
    stabilising_damping,
)
from touchback.haptics.wall.identification import FingerIdentifier
from touchback.haptics.wall.jury import characteristic_polynomial, jury_conditions, jury_margin
from touchback.haptics.wall.kinds import KINDS, Kind, kind
from touchback.haptics.wall.motor import Motor
from touchback.haptics.wall.oscillator import Flow, Oscillator, State
from touchback.haptics.wall.passivity import (
    Bench,
    deviation,
    hand_work,
    is_passive,
    largest_passive_stiffness,
)
from touchback.haptics.wall.placement import place_poles
from touchback.haptics.wall.plant import Device, Finger, Plant, Target, ball
from touchback.haptics.wall.sensing import (
    Differentiated,
    Encoder,
    Exact,
    Observed,
    Sensing,
    Windowed,
)
from touchback.haptics.wall.simulation import Trace, simulate

__all__ = [
    "KINDS",
    "AdaptiveWall",
    "Ahead",
    "Bench",
    "Bounces",
    "Contact",
    "ContinuousBall",
    "Controller",
    "DeadbeatWall",
    "Device",
    "Differentiated",
    "Encoder",
    "Exact",
    "Finger",
    "FingerIdentifier",
    "Flow",
    "HalfSampleWall",
    "Kind",
    "Motor",
    "Observed",
    "Oscillator",
    "PlacedWall",
    "Plant",
    "Sensing",
    "StandardWall",
    "State",
    "Target",
    "Trace",
    "Windowed",
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
