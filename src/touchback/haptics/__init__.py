"""Haptic display, as `tb.haptics`: how a computer and a motor make a hand feel things that aren't
there, the hand itself, and blind trials of it. The virtual wall is `touchback.haptics.wall`."""

from touchback.haptics.axis_port import AxisPort
from touchback.haptics.displays import (
    AdmittanceDisplay,
    ImpedanceControl,
    ImpedanceDisplay,
    MeasuredImpedance,
    hold,
    identify_impedance,
)
from touchback.haptics.operator import Gesture, Operator, intention
from touchback.haptics.trials import (
    Answer,
    Constant,
    Counts,
    Design,
    FeelingSubject,
    Fit,
    ForcedChoice,
    ForcedChoiceAnswer,
    ForcedChoiceTrial,
    Psychometric,
    SimulatedSubject,
    Staircase,
    Trials,
    fit_threshold,
)
from touchback.realtime import EnergyObserver

__all__ = [
    "AdmittanceDisplay",
    "Answer",
    "AxisPort",
    "Constant",
    "Counts",
    "Design",
    "EnergyObserver",
    "FeelingSubject",
    "Fit",
    "ForcedChoice",
    "ForcedChoiceAnswer",
    "ForcedChoiceTrial",
    "Gesture",
    "ImpedanceControl",
    "ImpedanceDisplay",
    "MeasuredImpedance",
    "Operator",
    "Psychometric",
    "SimulatedSubject",
    "Staircase",
    "Trials",
    "fit_threshold",
    "hold",
    "identify_impedance",
    "intention",
]  # fmt: skip
