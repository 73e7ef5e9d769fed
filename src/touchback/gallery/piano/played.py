"""A key that is played over and over, as a page shows it: pushed, held and let go once a second."""

import numpy as np

from touchback.gallery.entry import Experiment

PUSH = 4.0  # N: mezzo forte, the hammer meets the string at 2 m/s
_TIMES = (0.0, 0.1, 0.13, 0.43, 0.46, 1.0)  # s
_FORCES = (0.0, 0.0, PUSH, PUSH, 0.0, 0.0)


def played(signals: tuple[str, ...], substeps: int) -> Experiment:
    """The experiment with an action that is driven by its "key force"."""
    forces = np.array(_TIMES), np.array(_FORCES)
    return Experiment(_TIMES[-1], inputs={"key force": forces}, signals=signals, substeps=substeps)
