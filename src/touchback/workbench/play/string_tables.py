"""The strings of the page: what a synthesiser of modes needs to sound as `instruments.sound` does.

A mode is a sine that fades; a hammer, a plectrum or wind decides how much of each there is. The
page's audio worklet adds them up sample by sample, so that a note starts within one audio block.
"""

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from touchback.errors import InputError
from touchback.instruments.sound import StringMotion, piano_string, pluck, struck_strings
from touchback.instruments.sound.vibrating_strings import DAMPER, String

SPEEDS = (0.15, 0.3, 0.6, 1.0, 1.6, 2.5, 4.0, 6.5)  # m/s of hammers, between which is interpolated
MOST_MODES = 96  # of a string, the loudest: what ten strings of a tablet can do at once
PLUCK = 1.0  # N
STOPS = (1.0, 0.55, 0.32, 0.22, 0.12, 0.1, 0.05, 0.04)  # of an organ's principal, by harmonic
SPEAKING = 25.0  # 1/s at which a pipe begins and ends to speak


@lru_cache(maxsize=256)
def string_table(note: int, kind: str = "struck") -> dict[str, object]:
    """The modes of a note: pulsation [rad/s], decay [1/s], and for each of `speeds` [m/s] what the
    modes bring to the bridge: cosine and sine amplitudes of its force [N]."""
    if kind not in KINDS:
        raise InputError(f"There is no string '{kind}'; there are {', '.join(KINDS)}.")
    return KINDS[kind](note)


def _struck(note: int, una_corda: bool = False) -> dict[str, object]:
    """With hammers shifted or not the same modes, so that a string goes on when struck again."""
    usual, motions = (
        [struck_strings(note, speed, shifted) for speed in SPEEDS] for shifted in (False, una_corda)
    )
    return _table(piano_string(note), motions, SPEEDS, usual)


def _plucked(note: int) -> dict[str, object]:
    string = piano_string(note)
    return _table(string, [pluck(string, PLUCK)], (PLUCK,))


def _blown(note: int) -> dict[str, object]:
    """A pipe speaks as long as its pallet is open: harmonics that don't fade by themselves."""
    first = 2.0 * np.pi * piano_string(note).frequency
    count = sum(first * (k + 1) < 2.0 * np.pi * 16_000.0 for k in range(len(STOPS)))
    return {
        "pulsation": [float(first * (k + 1)) for k in range(count)],
        "decay": [0.0] * count,
        "speeds": [1.0],
        "cosine": [[0.0] * count],
        "sine": [[float(each) for each in STOPS[:count]]],
        "damper": SPEAKING,
        "attack": SPEAKING,
    }


KINDS: dict[str, Callable[[int], dict[str, object]]] = {
    "struck": _struck,
    "una corda": partial(_struck, una_corda=True),
    "plucked": _plucked,
    "blown": _blown,
}


def _table(
    string: String,
    motions: list[StringMotion],
    speeds: tuple[float, ...],
    usual: list[StringMotion] | None = None,
) -> dict[str, object]:
    """Modes by their force on the bridge, those of them that are the loudest in usual motions."""
    omega = np.sqrt(string.pulsation**2 - string.decay**2)
    cosine, sine = np.array([each.bridge_amplitudes() for each in motions]).swapaxes(0, 1)
    power = [np.sum(np.square(each.bridge_amplitudes()), axis=0) for each in usual or motions]
    loudest = np.sort(np.argsort(-np.max(power, axis=0))[:MOST_MODES])
    return {
        "pulsation": omega[loudest].tolist(),
        "decay": string.decay[loudest].tolist(),
        "speeds": list(speeds),
        "cosine": cosine[:, loudest].tolist(),
        "sine": sine[:, loudest].tolist(),
        "damper": DAMPER,
        "attack": 0.0,
    }
