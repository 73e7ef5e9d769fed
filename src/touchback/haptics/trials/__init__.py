"""Touch experiments: what is felt stays hidden, every answer is on disk before the next touch, and
what comes out is a table of answers or a threshold with its confidence."""

from touchback.haptics.trials.fit import Counts, Fit, fit_threshold
from touchback.haptics.trials.forced_choice import Design, ForcedChoice, Given, Posed
from touchback.haptics.trials.identification import Answer, Trials
from touchback.haptics.trials.methods import Constant, Staircase
from touchback.haptics.trials.psychometric import Psychometric
from touchback.haptics.trials.subject import FeelingSubject, SimulatedSubject
from touchback.haptics.trials.told import Curve, told

__all__ = [
    "Answer", "Constant", "Counts", "Curve", "Design", "FeelingSubject", "Fit", "ForcedChoice",
    "Given", "Posed", "Psychometric", "SimulatedSubject", "Staircase", "Trials", "fit_threshold",
    "told",
]  # fmt: skip
