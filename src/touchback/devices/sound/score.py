"""Notes over time, rendered to samples."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from touchback.devices.sound.plucked import pluck
from touchback.devices.sound.string_motion import DAMPER, StringMotion
from touchback.devices.sound.strings import piano_hammer, piano_string
from touchback.devices.sound.struck import strike
from touchback.errors import InputError

SILENCE = 1e-3  # of the loudest sample: where a note may stop
SHORTEST_FADE = 0.25  # [s] that a damped string still sounds


@dataclass(frozen=True)
class Note:
    """A note that starts at `time` [s] and is damped at `end`: struck by a hammer of `speed` [m/s],
    or plucked with `force` [N]."""

    time: float
    note: int
    speed: float | None = None
    force: float | None = None
    end: float = float("inf")


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
        vibration = _vibration(note)
        held = int(min(max(note.end - note.time, 0.0) * rate, len(total) - first))
        total[first : first + held] += vibration.bridge_force(rate, held)
        left = len(total) - first - held
        if left > 0:
            fading = vibration.after(held / rate)
            samples = min(left, int(rate * (SHORTEST_FADE + np.log(1.0 / SILENCE) / DAMPER)))
            tail = fading.bridge_force(rate, samples, DAMPER)
            total[first + held : first + held + samples] += tail
    return total


def _vibration(note: Note) -> StringMotion:
    if note.speed is not None and note.force is None:
        return _struck(note.note, note.speed)
    if note.force is not None and note.speed is None:
        return pluck(piano_string(note.note), note.force)
    raise InputError(
        f"Note {note.note} at {note.time} s: give the hammer's speed or the plectrum's force, one "
        "of them."
    )


@lru_cache(maxsize=512)
def _struck(note: int, speed: float) -> StringMotion:
    return strike(piano_string(note), piano_hammer(note), speed).vibration
