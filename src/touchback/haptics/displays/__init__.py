"""Displays: how a motor is made to feel like a mechanism that is only computed.

Each puts a sampled controller into a model that holds a device, and, where there is one, the
virtual mechanism. What the motor is told changes at ticks and is held in between."""

from touchback.haptics.displays.impedance_admittance import (
    AdmittanceDisplay,
    ImpedanceControl,
    ImpedanceDisplay,
)
from touchback.haptics.displays.measured_impedance import MeasuredImpedance, identify_impedance
from touchback.haptics.displays.sample_and_hold import Sampling, hold, sampled_at, timed_counts
from touchback.haptics.displays.wall_displays import WALLS, ChosenWall, WallDisplay, wall_law

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
