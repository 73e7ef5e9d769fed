"""A virtuoso passage as motions of fingers: repeated notes, a trill, a run, chords.

A finger goes down and up by half cosines. It aims below the key bed, which its own give allows
(`driving.FINGER_STIFFNESS`): what it then presses is what a loud player does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ABOVE = -2e-3  # where a finger waits, over the resting key [m]
KEPT = 2.5e-3  # where it waits between repeated notes: the key never comes home
DEEP = 13e-3  # where it aims
LIFT = 0.03  # the time of its way up [s]
LOWEST, KEYS = 21, 88  # MIDI numbers of a piano's notes
Motion = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Stroke:
    """A finger starts down from a depth `high` [m] at `start` [s] with a greatest speed [m/s], and
    up again to `back` at `end`."""

    start: float
    end: float
    speed: float
    high: float = ABOVE
    back: float = ABOVE

    @property
    def fall(self) -> float:
        """How long it goes down [s]."""
        return float(np.pi / 2 * (DEEP - self.high) / self.speed)


Passage = dict[int, list[Stroke]]  # by MIDI note, in the order of time


def finger(strokes: Sequence[Stroke], times: np.ndarray) -> Motion:
    """Depth [m] and speed [m/s] of the finger of one key at some times [s]."""
    depth, speed = np.full(len(times), ABOVE), np.zeros(len(times))
    for stroke in strokes:
        for begin, length, low, high in (
            (stroke.start, stroke.fall, stroke.high, DEEP),
            (stroke.end, LIFT, DEEP, stroke.back),
        ):
            share = np.clip((times - begin) / length, 0.0, 1.0)
            moves = times >= begin
            depth[moves] = (low + (high - low) * (1 - np.cos(np.pi * share)) / 2)[moves]
            turning = np.pi / (2 * length) * (high - low) * np.sin(np.pi * share)
            speed[moves] = turning[moves]
    return depth, speed


def repeated(begin: float, end: float, rate: float, speed: float, between: float) -> list[Stroke]:
    """Strokes of one key, `rate` a second, between which the finger waits at a depth [m]. It goes
    up as soon as it is down, or after two fifths of the time that a stroke has."""
    made: list[Stroke] = []
    count = int((end - begin) * rate)
    for k in range(count):
        start, high = begin + k / rate, between if k else ABOVE
        held = max(Stroke(0.0, 0.0, speed, high).fall + 5e-3, 0.4 / rate)
        back = between if k < count - 1 else ABOVE
        made.append(Stroke(start, start + held, speed, high, back))
    return made


def virtuoso(duration: float = 4.0) -> Passage:
    """Ten fingers: repeated notes over chords, a trill over chords, a run, and loud chords."""
    quarter = duration / 4
    passage: Passage = {}

    def play(notes: Sequence[int], strokes: list[Stroke]) -> None:
        for note in notes:
            passage.setdefault(note, []).extend(strokes)

    play([76], repeated(0.0, quarter, 12.0, 0.6, KEPT))
    play([79], repeated(quarter, 2 * quarter, 7.0, 0.5, ABOVE))
    play([81], repeated(quarter + 1 / 14, 2 * quarter, 7.0, 0.5, ABOVE))
    play([45, 52, 57, 60, 64], repeated(0.0, 2 * quarter, 3.0, 0.35, ABOVE))
    for k in range(int(quarter * 16) - 1):
        begin = 2 * quarter + k / 16
        play([48 + k], [Stroke(begin, begin + 0.08, 0.45)])
    both_hands = [40, 47, 52, 56, 59, 64, 68, 71, 76, 80]
    play(both_hands, repeated(3 * quarter, duration, 5.0, 0.8, ABOVE))
    return passage


def everywhere(duration: float = 4.0) -> Passage:
    """Every key of a piano at once: a third repeats, a third trills, a third plays chords."""
    kinds = ((12.0, 0.6, KEPT), (7.0, 0.5, ABOVE), (5.0, 0.8, ABOVE))
    passage: Passage = {}
    for k in range(KEYS):
        rate, speed, between = kinds[k % 3]
        start = (k * 0.37 % 1.0) / rate  # none in step with its neighbour
        passage[LOWEST + k] = repeated(start, duration, rate, speed, between)
    return passage
