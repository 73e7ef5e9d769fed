"""The walls of the laboratory as they run: written once over any scalar, a sample at a time.

With floats they are the laboratory's controllers, with arrays a sweep of presses at once, with
expressions machine code inside the tick (`touchback.haptics.displays.WallDisplay`)."""

from touchback.haptics.wall.laws.base import Law, Stamp, WallSample
from touchback.haptics.wall.laws.branchless_oscillator import Motion
from touchback.haptics.wall.laws.gillespie_walls import (
    Adaptive,
    Deadbeat,
    HalfSample,
    PolePlacement,
    Standard,
)
from touchback.haptics.wall.laws.passivity_controllers import (
    Dithered,
    DryFrictionLaw,
    EnergyBalanced,
    PassivityControlled,
    WaveVariables,
)
from touchback.haptics.wall.laws.velocity_estimators import (
    AsMeasured,
    CountIntervalEstimator,
    Differences,
    KalmanEstimator,
    Sense,
    Window,
)

__all__ = [
    "Adaptive",
    "AsMeasured",
    "CountIntervalEstimator",
    "Deadbeat",
    "Differences",
    "Dithered",
    "DryFrictionLaw",
    "EnergyBalanced",
    "HalfSample",
    "KalmanEstimator",
    "Law",
    "Motion",
    "PassivityControlled",
    "PolePlacement",
    "Sense",
    "Stamp",
    "Standard",
    "WallSample",
    "WaveVariables",
    "Window",
]  # fmt: skip
