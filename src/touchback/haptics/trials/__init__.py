"""Touch experiments: what is felt stays hidden, every answer is on disk before the next touch, and
what comes out is a table of answers or a threshold with its confidence."""

from touchback.haptics.trials.blind_identification import Answer, Trials
from touchback.haptics.trials.forced_choice import (
    Curve,
    Design,
    ForcedChoice,
    ForcedChoiceAnswer,
    ForcedChoiceTrial,
    report_lines,
)
from touchback.haptics.trials.psychometric_functions import Counts, Fit, Psychometric, fit_threshold
from touchback.haptics.trials.simulated_subjects import FeelingSubject, SimulatedSubject
from touchback.haptics.trials.stimulus_levels import Constant, Staircase

__all__ = [
    "Answer", "Constant", "Counts", "Curve", "Design", "FeelingSubject", "Fit", "ForcedChoice",
    "ForcedChoiceAnswer", "ForcedChoiceTrial", "Psychometric", "SimulatedSubject", "Staircase",
    "Trials", "fit_threshold", "report_lines",
]  # fmt: skip
