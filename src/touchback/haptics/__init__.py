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
from touchback.haptics.displays.sample_and_hold import timed_counts as timed_counts
from touchback.haptics.displays.wall_displays import (
    LIVE_FASTEST as LIVE_FASTEST,
    LIVE_HEAVIEST as LIVE_HEAVIEST,
    LIVE_SLOWEST as LIVE_SLOWEST,
    LIVE_STIFFEST as LIVE_STIFFEST,
    WALLS as WALLS,
    ChosenWall as ChosenWall,
    WallDisplay as WallDisplay,
)
from touchback.haptics.human_operator import Gesture, Operator, intention
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
from touchback.haptics.trials.forced_choice import Curve as Curve, report_lines as report_lines
from touchback.haptics.wall.laws.base import Stamp as Stamp
from touchback.haptics.wall.laws.gillespie_walls import HalfSample as HalfSample
from touchback.haptics.wall.laws.passivity_controllers import EnergyBalanced as EnergyBalanced
from touchback.haptics.wall.laws.velocity_estimators import (
    CountIntervalEstimator as CountIntervalEstimator,
    KalmanEstimator as KalmanEstimator,
)
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE as BENCH_DEVICE
from touchback.haptics.wall.wall_mechanism import (
    RENDERED as RENDERED,
    TICKS as TICKS,
    rendered_wall as rendered_wall,
    rendering as rendering,
)
from touchback.haptics.wall.wall_plant import Device as Device
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
