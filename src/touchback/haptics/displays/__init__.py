"""Displays: how a motor is made to feel like a mechanism that is only computed.

Each puts a sampled controller into a model that holds a device, and, where there is one, the
virtual mechanism. What the motor is told changes at ticks and is held in between."""

from touchback.haptics.displays.admittance import AdmittanceDisplay
from touchback.haptics.displays.chosen_wall import ChosenWall
from touchback.haptics.displays.hold import hold
from touchback.haptics.displays.impedance import ImpedanceControl, ImpedanceDisplay
from touchback.haptics.displays.measured import MeasuredImpedance, identify_impedance
from touchback.haptics.displays.slower import Sampling, sampled_at
from touchback.haptics.displays.stamps import timed_counts
from touchback.haptics.displays.walls import WALLS, WallDisplay, wall_law

__all__ = [
    "WALLS",
    "AdmittanceDisplay",
    "ChosenWall",
    "ImpedanceControl",
    "ImpedanceDisplay",
    "MeasuredImpedance",
    "Sampling",
    "WallDisplay",
    "hold",
    "identify_impedance",
    "sampled_at",
    "timed_counts",
    "wall_law",
]
