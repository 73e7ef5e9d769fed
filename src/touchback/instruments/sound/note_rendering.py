"""Notes over time, rendered to samples."""

import wave
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from touchback.errors import InputError
from touchback.instruments.sound.vibrating_strings import (
    DAMPER_DECAY,
    StringMotion,
    piano_hammer,
    piano_string,
    pluck,
    strike,
    strings_of,
)
from touchback.safe_files import atomic_file, check_output

SILENCE = 1e-3  # of the loudest sample: where a note may stop
SHORTEST_FADE = 0.25  # [s] that a damped string still sounds


@dataclass(frozen=True)
class Note:
    """A note that starts at `time` [s] and is damped at `end`: struck by a hammer of `speed` [m/s],
    with `una_corda` by a shifted one, or plucked with `force` [N].

    A damper that lies on the string with a share of its weight, as under a half-pressed pedal,
    damps by that share: `damping` has times [s] and the shares from then on, in place of `end`."""

    time: float
    note: int
    speed: float | None = None
    force: float | None = None
    end: float = float("inf")
    una_corda: bool = False
    damping: tuple[tuple[float, float], ...] = ()

    def vibration(self) -> StringMotion:
        """The string when hammer or plectrum has gone."""
        if self.speed is not None and self.force is None:
            return struck_strings(self.note, self.speed, self.una_corda)
        if self.force is not None and self.speed is None:
            return pluck(piano_string(self.note), self.force)
        raise InputError(
            f"Note {self.note} at {self.time} s: give the hammer's speed or the plectrum's force, "
            "one of them."
        )


def render(notes: Iterable[Note], duration: float, rate: int = 44100) -> np.ndarray:
    """The sum of the forces of all strings on their bridges [N] for `duration` seconds.

    This is what the soundboard would be driven with; no soundboard, room or neighbouring string is
    modelled."""
    total = np.zeros(round(duration * rate))
    for note in notes:
        first = round(note.time * rate)
        if not 0 <= first < len(total):
            raise InputError(
                f"Note {note.note} starts at {note.time} s, outside the {duration} s that are "
                "rendered."
            )
        _sound(note.vibration(), note, total[first:], rate)
    return total


def _sound(vibration: StringMotion, note: Note, samples: np.ndarray, rate: int) -> None:
    """Add a note to the samples from its beginning on, as long as it can be heard."""
    begin, share = 0, 0.0
    for time, new in (*(note.damping or ((note.end, 1.0),)), (np.inf, 0.0)):
        until = max(int(min((time - note.time) * rate, len(samples))), begin)
        heard = until - begin
        if share > 0.0:
            fading = SHORTEST_FADE + np.log(1.0 / SILENCE) / (DAMPER_DECAY * share)
            heard = int(min(heard, rate * fading))
        samples[begin : begin + heard] += vibration.bridge_force(rate, heard, DAMPER_DECAY * share)
        if until < len(samples):
            vibration = vibration.after((until - begin) / rate, DAMPER_DECAY * share)
        begin, share = until, new


def struck_strings(note: int, speed: float, una_corda: bool = False) -> StringMotion:
    """What all strings of a note do together after a hammer of so many m/s, as a motion of one:
    shifted hammers leave one still."""
    struck = _struck(note, speed, una_corda)
    return struck.scaled(strings_of(note, True) / strings_of(note)) if una_corda else struck


@lru_cache(maxsize=512)
def _struck(note: int, speed: float, una_corda: bool) -> StringMotion:
    return strike(piano_string(note), piano_hammer(note, una_corda), speed).vibration


FULL_SCALE = 32767
HEADROOM = 0.9


def write_wav(path: str | Path, samples: np.ndarray, rate: int = 44100) -> None:
    """Write one channel of 16 bits, the loudest sample at nine tenths of full scale."""
    check_output(path, (".wav",), "Sound")
    if not np.all(np.isfinite(samples)):
        bad = int(np.flatnonzero(~np.isfinite(samples))[0])
        raise InputError(f"Sample {bad} is {samples[bad]}; sound is made of finite numbers.")
    loudest = float(np.max(np.abs(samples), initial=0.0))
    scale = HEADROOM * FULL_SCALE / loudest if loudest > 0.0 else 0.0
    with atomic_file(path) as beside, wave.open(str(beside), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.round(samples * scale).astype("<i2").tobytes())
