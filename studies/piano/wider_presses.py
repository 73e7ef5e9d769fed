"""Presses beyond the grid of `presses.py`: from above the key, no deeper than its bed, several in a
row. Some of them strike twice: how many, how softly and how much later."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studies.piano.presses import (
    HELD,
    LABORATORIES,
    SECONDS,
    STIFFNESSES,
    Press,
    PressLaboratory,
    Strike,
)
from studies.piano.report import table
from touchback.instruments.sound import piano_hammer, piano_string
from touchback.instruments.sound.vibrating_strings import strike

NOTE = 60  # whose string tells how loud a strike is: our hammer is one of the middle
DEPTHS = (9.6e-3, 10e-3, 10.5e-3, 11e-3, 12e-3, 13e-3)
SHALLOW = (9.6e-3, 9.7e-3, 9.8e-3, 9.9e-3)
FINGERS = STIFFNESSES[1::2]


def _from_above(above: float, times: int = 1) -> tuple[Press, ...]:
    each = itertools.product(SECONDS, DEPTHS, HELD[1:2], FINGERS)
    return tuple(Press(*one, above, times) for one in each)


SETS: dict[str, tuple[Press, ...]] = {
    "from 1 mm above": _from_above(1e-3),
    "from 2 mm above": _from_above(2e-3),
    "from 3 mm above": _from_above(3e-3),
    "to 9.6–9.9 mm": tuple(
        Press(*each) for each in itertools.product(SECONDS, SHALLOW, HELD, FINGERS)
    ),
    "three, each from 1 mm above": _from_above(1e-3, 3),
}


@dataclass(frozen=True)
class Grazes:
    """What some ways down gave: how many there were, how many of them were silent, and the strikes
    of each that struck more than once."""

    ways: int
    silent: int
    twice: tuple[tuple[Strike, ...], ...]

    @property
    def speeds(self) -> np.ndarray:
        """Of all strikes but the first [m/s]."""
        return np.array([each.speed for struck in self.twice for each in struck[1:]])

    @property
    def levels(self) -> np.ndarray:
        """How much softer they are than the first [dB], by the energy that they leave to a string
        of the middle."""
        return np.array(
            [
                10 * np.log10(_energy(struck[0].speed) / _energy(each.speed))
                for struck in self.twice
                for each in struck[1:]
            ]
        )

    @property
    def delays(self) -> np.ndarray:
        """How long after the first they came [s]."""
        return np.array([each.time - of[0].time for of in self.twice for each in of[1:]])


def grazes(laboratory: PressLaboratory, presses: Sequence[Press]) -> Grazes:
    """Those of some presses."""
    struck = laboratory.struck(presses)
    ways = [way for press, all_ in zip(presses, struck, strict=True) for way in press.by_way(all_)]
    silent = sum(not way for way in ways)
    return Grazes(len(ways), silent, tuple(tuple(way) for way in ways if len(way) > 1))


def _energy(speed: float) -> float:
    return strike(piano_string(NOTE), piano_hammer(NOTE), speed).vibration.energy


def report() -> str:
    """Each set in both models."""
    rows = []
    for model, make in LABORATORIES.items():
        laboratory = make()
        for name, presses in SETS.items():
            found = grazes(laboratory, presses)
            spans = _span(1e3 * found.speeds), _span(found.levels), _span(1e3 * found.delays)
            rows.append((name, model, found.ways, found.silent, len(found.twice), *spans))
    return table(
        ("a finger", "model", "ways down", "silent", "twice", "then with [mm/s]", "softer by [dB]",
         "later by [ms]"), rows,
    )  # fmt: skip


def _span(values: np.ndarray) -> str:
    return f"{values.min():.0f} to {values.max():.0f}" if len(values) else "–"
