"""Channels of measurement files, of whatever maker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from touchback.errors import InputError
from touchback.numbers import MOST, keep, number_within
from touchback.unit_spellings import unit_of

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


@dataclass(frozen=True)
class FileChannel:
    """A channel of a file: its `name` there, and what is made of its numbers: in SI by the `unit`,
    which is the file's own unless one is given ("" takes them as they are), then times `scale`
    plus `offset`."""

    name: str
    scale: float = 1.0
    offset: float = 0.0
    unit: str | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise InputError(f"A file's channel is called {self.name!r}; give its name there.")
        told = f"Channel '{self.name}' of a file: its"
        keep(
            self,
            scale=number_within(f"{told} scale must be a finite number", self.scale, -MOST, MOST),
            offset=number_within(
                f"{told} offset must be a finite number", self.offset, -MOST, MOST
            ),
        )
        if not (self.unit is None or self.unit == "" or unit_of(self.unit)):
            raise InputError(
                f'{told} unit {self.unit!r} isn\'t known; give km/h, deg, bar, … or unit="" and a '
                "scale."
            )

    def made(self, file: str, series: Series) -> tuple[Series, str]:
        """The channel's numbers, and what they are in words."""
        said = series.unit if self.unit is None else self.unit
        unit = unit_of(said) if said else None
        values = series.values * unit.factor + unit.zero if unit else series.values
        with np.errstate(over="ignore"):  # told below
            values = values * self.scale + self.offset
        if not np.isfinite(values).all():
            raise InputError(
                f"{file}: '{self.name}' times its scale {self.scale:g} isn't finite; mend it."
            )
        word = f" [{said}]" if said else ""
        word += f", in {unit.si}" if unit else ""
        word += f", times {self.scale:g}" if self.scale != 1.0 else ""
        word += f", plus {self.offset:g}" if self.offset else ""
        return Series(series.times, values, said, series.missing), f"'{self.name}'{word}"


def nanoseconds(label: str, seconds: np.ndarray) -> NDArray[np.int64]:
    """Times of a file as whole ns."""
    times = np.asarray(seconds, dtype=float)
    wrong = ~(np.abs(times) < _FAR)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(
            f"{label} has sample {at} at {times[at]:g} s; correct the file, or say its unit: "
            'time=FileChannel(…, unit="ns").'
        )
    return np.rint(NS * times).astype(np.int64)


def series_of(label: str, times: NDArray[np.int64], values: np.ndarray, unit: str) -> Series:
    """The series of such numbers: where there is none (NaN, ±∞), nothing was measured. Refused when
    times go back, or nothing is left."""
    back = np.diff(times) < 0
    if back.any():
        at = int(np.argmax(back)) + 1
        raise InputError(
            f"{label} has sample {at} at {times[at] / NS:.9g} s, not after the one before at "
            f"{times[at - 1] / NS:.9g} s; correct the file, or play its parts."
        )
    if len(times) > 1 and times[0] == times[-1]:
        raise InputError(
            f"{label}: its time stands still at {times[0] / NS:.9g} s; is it another column? Say "
            "time=…"
        )
    numbers = np.asarray(values, dtype=float)
    whole = np.isfinite(numbers)
    if not whole.any():
        raise InputError(f"{label} has no numbers; choose another channel.")
    return Series(times[whole], numbers[whole], unit, int((~whole).sum()))
