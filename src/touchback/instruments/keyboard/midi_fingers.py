"""Fingers and feet that play what MIDI says, on keys whose answers to touches are known."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

import touchback as tb
from touchback import System, copies, simulate
from touchback.errors import InputError
from touchback.instruments.keyboard.key_mechanisms import Voice
from touchback.instruments.keyboard.key_strokes import (
    LONGEST_STAY,
    SHORTEST_STAY,
    Gesture,
    Stroke,
    find_heard_notes_of,
)
from touchback.instruments.keyboard.keyboard_model import (
    HIGHEST,
    LOWEST,
    MIDDLE_C,
    graded_key,
    touchback_key,
)
from touchback.instruments.keyboard.keyboard_pedals import feet_of
from touchback.instruments.keyboard.keyboard_player import KEYBOARD_METHOD, SETTLING_TIME, steps_at
from touchback.instruments.midi_file import Timed

ASKED = (LOWEST, MIDDLE_C, HIGHEST)  # MIDI notes whose keys are asked how they answer
_EFFORTS = tuple(float(x) for x in np.linspace(0.0, 1.0, 12))


@dataclass(frozen=True)
class Touches:
    """How a key answers to efforts from 0 to 1: how loud it sounds, and how long after the finger
    sets out [s]."""

    effort: tuple[float, ...]
    loudness: tuple[float, ...]
    delay: tuple[float, ...]

    def effort_for(self, loudness: float, note: int = MIDDLE_C) -> float:
        """The effort for a loudness, the nearest that the key can do."""
        return float(np.interp(loudness, self.loudness, self.effort))

    def delay_of(self, effort: float, note: int = MIDDLE_C) -> float:
        """How long after setting out the note sounds [s]."""
        return float(np.interp(effort, self.effort, self.delay))


class KeyTouches(Protocol):
    """How keys answer: `Touches` of one, or of several between which others lie."""

    def effort_for(self, loudness: float, note: int) -> float: ...

    def delay_of(self, effort: float, note: int) -> float: ...


@dataclass(frozen=True)
class GradedTouches:
    """How the keys of a graded keyboard answer, known for some MIDI notes."""

    of: Mapping[int, Touches]

    def effort_for(self, loudness: float, note: int) -> float:
        """The effort on a key for a loudness."""
        return self._between(note, [each.effort_for(loudness) for each in self.of.values()])

    def delay_of(self, effort: float, note: int) -> float:
        """How long after setting out its note sounds [s]."""
        return self._between(note, [each.delay_of(effort) for each in self.of.values()])

    def _between(self, note: int, values: list[float]) -> float:
        return float(np.interp(note, list(self.of), values))


def gestures_of(
    messages: Iterable[Timed], touches: KeyTouches, start: float = 0.0
) -> list[Gesture]:
    """Strokes that sound as MIDI messages say, and feet on the pedals: each finger sets out early
    enough to be in time, as fast as the hammer speed of the velocity asks. All is moved so that the
    first stroke begins at `start`; pedals that were down before are so from the beginning."""
    score = list(messages)
    strokes = _strokes_of(score, touches)
    shift = start - min((stroke.time for stroke in strokes), default=0.0)
    feet = [replace(foot, time=max(foot.time + shift, 0.0)) for foot in feet_of(score)]
    moved = [replace(stroke, time=stroke.time + shift) for stroke in strokes]
    return sorted([*moved, *feet], key=lambda gesture: gesture.time)


@dataclass(frozen=True)
class ScoreNote:
    """A note of a score, with its times [s]; one that nothing ends ends with the last message."""

    note: int
    velocity: int
    began: float
    ended: float
    has_end: bool = True


def score_notes(messages: Iterable[Timed]) -> list[ScoreNote]:
    """The notes of a score in the order of their ends: each lasts until its note off, or until its
    key is struck again."""
    open_notes: dict[int, tuple[float, int]] = {}
    found: list[ScoreNote] = []
    last = 0.0
    for timed in messages:
        last = timed.time
        match timed.message:
            case tb.devices.midi.NoteOn(note) | tb.devices.midi.NoteOff(note) if note in open_notes:
                began, velocity = open_notes.pop(note)
                found.append(ScoreNote(note, velocity, began, last))
        match timed.message:
            case tb.devices.midi.NoteOn(note, velocity):
                open_notes[note] = last, velocity
    left = open_notes.items()
    return found + [ScoreNote(note, loud, began, last, False) for note, (began, loud) in left]


def _strokes_of(messages: Iterable[Timed], touches: KeyTouches) -> list[Stroke]:
    strokes = []
    for each in score_notes(messages):
        effort = touches.effort_for(tb.devices.midi.speed_of(each.velocity), each.note)
        stroke = Stroke.of(each.began - touches.delay_of(effort, each.note), each.note, effort)
        # One that the last message begins is held as long as strokes are that aren't told.
        shortest = SHORTEST_STAY if each.has_end else stroke.stay
        stay = max(each.ended - stroke.time - stroke.press, shortest)
        strokes.append(replace(stroke, stay=stay))
    return strokes


class MidiFingers:
    """Fingers that answer MIDI messages as they come: a note on sets a finger out at once, a note
    off lets it leave, and feet that put the pedals where controllers say. Notes that the keyboard
    doesn't have are counted in `missed`."""

    def __init__(self, touches: KeyTouches, notes: Iterable[int]) -> None:
        self._touches, self._notes = touches, frozenset(notes)
        self._held: dict[int, Stroke] = {}
        self.missed = 0

    def answer(self, messages: Iterable[tb.devices.midi.Message], now: float) -> list[Gesture]:
        """The strokes to be made, or to be ended, and where pedals go, at a time [s]."""
        strokes: list[Gesture] = []
        for message in messages:
            match message:
                case tb.devices.midi.NoteOn(note, velocity) if note in self._notes:
                    effort = self._touches.effort_for(tb.devices.midi.speed_of(velocity), note)
                    self._held[note] = Stroke.of(now, note, effort, stay=LONGEST_STAY)
                    strokes.append(self._held[note])
                case tb.devices.midi.NoteOff(note) if note in self._held:
                    stroke = self._held.pop(note)
                    stay = max(now - stroke.time - stroke.press, SHORTEST_STAY)
                    strokes.append(replace(stroke, stay=stay))
                case tb.devices.midi.NoteOn():
                    self.missed += 1
                case tb.devices.midi.Control():
                    strokes += feet_of([Timed(now, message)])
        return strokes


def graded_touches(*voices: str | Voice, rate: float = 1000.0) -> GradedTouches:
    """How the keys of a keyboard of some voice answer, found by pressing the lowest, the middle and
    the highest."""
    one = touchback_key(*voices, rate=rate).compile()
    return GradedTouches({note: _touches_of(one, rate, note) for note in ASKED})


def touches(*voices: str | Voice, rate: float = 1000.0) -> Touches:
    """How the middle key of some voice answers, found by pressing it."""
    return _touches_of(touchback_key(*voices, rate=rate).compile(), rate, MIDDLE_C)


def _touches_of(one: System, rate: float, note: int) -> Touches:
    """Presses the key of a MIDI note with all efforts: as many copies of it at once."""
    steps, names = steps_at(rate), [f"{effort:.3f}" for effort in _EFFORTS]
    strokes = [Stroke.of(SETTLING_TIME, note, effort, stay=0.3) for effort in _EFFORTS]
    run = simulate(
        copies(one, names), duration=SETTLING_TIME + strokes[0].press + 0.3, rate=rate,
        step=1.0 / (rate * steps), method=KEYBOARD_METHOD, progress=False, output_step=1.0 / rate,
        inputs={f"{name}/{key}": value for name, stroke in zip(names, strokes, strict=True)
                for key, value in stroke.inputs.items()},
        parameters={f"{name}/{key}": value for name in names
                    for key, value in graded_key(note, one).items()},
    )  # fmt: skip
    answers = []
    for effort, name in zip(_EFFORTS, names, strict=True):
        first = next(iter(find_heard_notes_of(run, note, f"{name}/")), None)
        if first is not None:
            answers.append((effort, first.loudness, first.time - SETTLING_TIME))
    if not answers:
        raise InputError("No press of the finger sounds this voice; it can't be played.")
    return Touches(*(tuple(column) for column in zip(*_rising(answers), strict=True)))


def _rising(answers: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Those whose loudness grows with the effort, so that it can be asked for."""
    kept: list[tuple[float, float, float]] = []
    for answer in answers:
        if not kept or answer[1] > kept[-1][1]:
            kept.append(answer)
    return kept
