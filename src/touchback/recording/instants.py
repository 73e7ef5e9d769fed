"""Which tick of a recording an instant is."""

from __future__ import annotations

import numpy as np

from touchback.recording.live_file import Recording

_ROUNDING = 8  # units in the last place by which a time may be off: one or two for each new step


def latest(time: float) -> float:
    """The last number that is the same time [s] but for rounding."""
    return time + _ROUNDING * float(np.spacing(abs(time)))


def place_at(recording: Recording, time: float) -> tuple[int, int]:
    """The part and the row of the last tick at or before a time [s]; row −1 of the first part,
    where there is none. 0.003 is tick 3 at 1 kHz, though a sum of steps is rounded otherwise."""
    place, row = 0, -1
    for number, part in enumerate(recording.parts):
        before = int(np.searchsorted(part.column("time"), latest(time), "right")) - 1
        if before >= 0:
            place, row = number, before
    return place, row
