"""A channel of a measurement file, of whatever maker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from touchback.errors import InputError

NS = 1e9
_FAR = 9e9  # s: as far as ns go in 64 bits


@dataclass(frozen=True)
class Series:
    """A channel's numbers, each with the time at which it was measured [ns since whatever the file
    counts from]; its unit as the file writes it; how many places have no number there."""

    times: NDArray[np.int64]
    values: NDArray[np.float64]
    unit: str = ""
    missing: int = 0


def nanoseconds(label: str, seconds: np.ndarray) -> NDArray[np.int64]:
    """Times of a file as whole ns."""
    times = np.asarray(seconds, dtype=float)
    wrong = ~(np.abs(times) < _FAR)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"{label} has sample {at} at {times[at]:g} s; mend the file.")
    return np.rint(NS * times).astype(np.int64)


def series_of(label: str, times: NDArray[np.int64], values: np.ndarray, unit: str) -> Series:
    """The series of such numbers: where there is none (NaN, ±∞), nothing was measured. Refused when
    times go back, or nothing is left."""
    back = np.diff(times) < 0
    if back.any():
        at = int(np.argmax(back)) + 1
        raise InputError(
            f"{label} has sample {at} at {times[at] / NS:.9g} s, not after the one before at "
            f"{times[at - 1] / NS:.9g} s; mend the file, or play its parts."
        )
    numbers = np.asarray(values, dtype=float)
    whole = np.isfinite(numbers)
    if not whole.any():
        raise InputError(f"{label} has no numbers; choose another channel.")
    return Series(times[whole], numbers[whole], unit, int((~whole).sum()))
