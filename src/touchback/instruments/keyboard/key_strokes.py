"""What fingers do on a keyboard: strokes, from a score or from MIDI, and what is heard of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback import Run
from touchback.errors import InputError
from touchback.instruments.keyboard.keyboard_model import note_name
from touchback.instruments.keyboard.keyboard_pedals import (
    SOSTENUTO,
    SUSTAIN,
    UNA_CORDA,
    UNA_CORDA_THRESHOLD,
    Foot,
    control_of,
    pedal_samples,
)
from touchback.instruments.midi_file import Timed
from touchback.instruments.sound import Note

# s to press, m that the finger wishes to go: the softest and the loudest touch. A wish lies deeper
# than the bed, so that the finger arrives with force.
SOFT, LOUD = (0.25, 0.014), (0.035, 0.065)
SHORTEST_STAY = 0.03  # s
LEAVE = 0.06  # s
DAMPING_STEPS = 16  # of a damper's share: half a decibel in 20 ms
FADED = 0.4  # s of full damping, after which a string is still
_EDGE = 1e-9  # s, that a change of an input takes
LONGEST_STAY = 1e6  # s that a finger stays which isn't told to leave


@dataclass(frozen=True)
class Stroke:
    """A finger's gesture on the key of a MIDI note: it sets out at `time` [s] for `depth` [m],
    arrives after `press`, stays, and leaves."""

    time: float
    note: int
    press: float = 0.08
    depth: float = 0.02
    stay: float = 0.2
    leave: float = LEAVE

    @classmethod
    def of(cls, time: float, note: int, effort: float, stay: float = 0.2) -> "Stroke":
        """A touch between the softest, effort 0, and the loudest, 1: how far the finger wishes to
        go, and how fast. How deep the key goes is up to what it pushes back."""
        share = min(max(effort, 0.0), 1.0)
        press, depth = (a * (b / a) ** share for a, b in zip(SOFT, LOUD, strict=True))
        return cls(time, note, press, depth, stay)

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs of the key that it sets."""
        return {
            "finger start": self.time, "finger depth": self.depth, "finger press": self.press,
            "finger stay": self.stay, "finger leave": self.leave,
        }  # fmt: skip


Gesture = Stroke | Foot  # what hands and feet do


@dataclass(frozen=True)
class HeardNote:
    """A note that a key played: when [s], which, how loudly, and until when it rings [s]; where the
    pedal for una corda was, 0 to 1; when the key was let go [s]; and with which shares of its
    weight the damper lay on the string from which times [s] on. Of a live key also when its tick
    was published and when that was noticed (monotonic ns)."""

    time: float
    note: int
    loudness: float
    end: float
    published: int = 0
    noticed: int = 0
    una_corda: float = 0.0
    released: float = float("inf")
    damping: tuple[tuple[float, float], ...] = ()


def passage(notes: Iterable[int], start: float) -> list[Stroke]:
    """A scale that grows louder, a trill, and two chords, on some of the keys, from a time [s]."""
    keys = list(notes)
    few = keys if len(keys) <= 8 else keys[:: len(keys) // 8]
    strokes, now = [], start
    for i, note in enumerate(few):
        strokes.append(Stroke.of(now, note, 0.1 + 0.8 * i / max(len(few) - 1, 1), stay=0.1))
        now += 0.25
    for i in range(8):
        note = few[-1 - i % min(2, len(few))]
        strokes.append(Stroke(now, note, 0.05, 0.03, stay=0.03, leave=0.04))
        now += 0.11
    for effort in (0.3, 0.7):
        strokes += [Stroke.of(now, note, effort, stay=0.4) for note in few[::2]]
        now += 0.9
    return strokes


def input_samples(gestures: Iterable[Gesture]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The inputs of a keyboard over time, for `tb.simulate`: each stroke sets its key's at once,
    each foot its pedal."""
    every = list(gestures)
    by_note: dict[int, list[Stroke]] = {}
    strokes = [each for each in every if isinstance(each, Stroke)]
    for stroke in sorted(strokes, key=lambda stroke: stroke.time):
        if stroke.time < 0.0:
            raise InputError(f"Stroke of {note_name(stroke.note)}: it starts at {stroke.time} s.")
        by_note.setdefault(stroke.note, []).append(stroke)
    samples = pedal_samples(each for each in every if isinstance(each, Foot))
    for note, own in by_note.items():
        for name in own[0].inputs:
            times, values = [], []
            for before, stroke in zip([own[0], *own[:-1]], own, strict=True):
                times += [stroke.time - _EDGE, stroke.time]
                values += [before.inputs[name], stroke.inputs[name]]
            samples[f"{note_name(note)}/{name}"] = np.array(times), np.array(values)
    return samples


def find_heard_notes(run: Run, notes: Sequence[int]) -> list[HeardNote]:
    """The notes that were played in a run of a keyboard, in the order of their times."""
    found = [one for note in notes for one in find_heard_notes_of(run, note, f"{note_name(note)}/")]
    return sorted(found, key=lambda one: one.time)


def find_heard_notes_of(run: Run, note: int, prefix: str = "") -> list[HeardNote]:
    """The notes of one key, whose signals have a prefix."""
    found = []
    count, ringing, held, time, loudness, shifted = (
        run[f"{prefix}{name}"] for name in ("notes", "ringing", "held", "note time", "loudness",
                                            "una corda")
    )  # fmt: skip
    struck = np.flatnonzero(np.diff(count) > 0.5) + 1
    shares = damping_share(ringing)
    shares[struck] = 0.0  # as an ear has it: a strike finds its string free, whatever was before
    for i in struck:
        later = slice(i + 1, None)
        end, released = (_first(run.time[later], off[later] < 0.5) for off in (ringing, held))
        found.append(
            HeardNote(
                float(time[i]), note, float(loudness[i]), end, una_corda=float(shifted[i]),
                released=released, damping=_damping(run.time[i:], shares[i:]),
            )
        )  # fmt: skip
    return found


def _first(time: np.ndarray, holds: np.ndarray) -> float:
    """When something first holds [s]."""
    at = np.flatnonzero(holds)
    return float(time[at[0]]) if len(at) else float("inf")


def _damping(time: np.ndarray, shares: np.ndarray) -> tuple[tuple[float, float], ...]:
    """Times and shares of damping, until nothing is left to be damped."""
    done = np.cumsum(shares[:-1] * np.diff(time)) > FADED
    last = int(np.argmax(done)) + 1 if done.any() else len(time)
    changes = np.flatnonzero(np.diff(shares[:last], prepend=0.0))
    return tuple((float(time[i]), float(shares[i])) for i in changes)


def damping_share(ringing: np.ndarray) -> np.ndarray:
    """The share of its damper that damps a string, in steps that can just be told apart."""
    return np.round((1.0 - ringing) * DAMPING_STEPS) / DAMPING_STEPS


def as_sound(played: Iterable[HeardNote], plucked: bool = False) -> list[Note]:
    """The notes for `touchback.instruments.sound.render`."""
    return [
        Note(
            one.time, one.note, end=one.end, damping=one.damping,
            una_corda=not plucked and one.una_corda >= UNA_CORDA_THRESHOLD,
            speed=None if plucked else max(one.loudness, 0.05),
            force=one.loudness if plucked else None,
        )
        for one in played
    ]  # fmt: skip


def as_midi(
    played: Iterable[HeardNote], struck: bool = True, feet: Iterable[Foot] = ()
) -> list[Timed]:
    """The notes as MIDI messages, which end where their keys are let go, and the pedals; without
    hammers all are equally loud."""
    messages = [Timed(foot.time, control_of(foot.pedal, foot.place)) for foot in feet]
    for one in played:
        velocity = tb.devices.midi.velocity_of(max(one.loudness, 1e-3)) if struck else 64
        messages.append(Timed(one.time, tb.devices.midi.NoteOn(one.note, velocity)))
        if np.isfinite(one.released):
            messages.append(Timed(one.released, tb.devices.midi.NoteOff(one.note)))
    return sorted(messages, key=lambda timed: timed.time)


# ---- a passage from pianissimo to fortissimo -----------------------------------------------------

VERSE = 4.0  # s: a second each of scale, trill over chords, repeated notes over chords, chords
SHORT, LONG = 0.03, 0.15  # s that a finger stays: in fast notes, in chords
LOUDEST = 0.9  # effort, a hammer at 3.9 m/s: harder ones, repeated, bounce and strike twice
PEDALLING = 16  # places of the sustain pedal on its way down
_LEAST_KEYS = 4


def virtuoso(notes: Sequence[int], start: float, end: float) -> list[Stroke]:
    """Strokes on the keys of some MIDI notes between two times [s], for ten fingers, verse after
    verse in other places of the keyboard."""
    if len(notes) < _LEAST_KEYS:
        raise InputError(
            f"virtuoso: {len(notes)} keys; give {_LEAST_KEYS} at least, for chord and trill."
        )
    strokes: list[Stroke] = []
    verse, begin = 0, start
    while begin < end:
        strokes += _verse(notes, begin, verse)
        verse, begin = verse + 1, begin + VERSE
    kept = [one for one in strokes if one.time + one.press + one.stay + one.leave < end]
    return sorted(kept, key=lambda stroke: stroke.time)


def pedal_gestures(start: float, end: float) -> list[Foot]:
    """Feet for the passage: the sustain pedal goes down and up by degrees in every second, as a
    half-pedalling foot does; the sostenuto holds the first chord of the third, and every other
    verse is una corda."""
    feet: list[Foot] = []
    verse, begin = 0, start
    while begin < end:
        for second in range(int(VERSE)):
            for i in range(2 * PEDALLING):
                place = 1.0 - abs(i / PEDALLING - 1.0)
                feet.append(Foot(begin + second + 0.5 * i / PEDALLING, SUSTAIN, place))
        feet += [Foot(begin + 2.2, SOSTENUTO, 1.0), Foot(begin + 2.9, SOSTENUTO, 0.0)]
        feet.append(Foot(begin, UNA_CORDA, float(verse % 2)))
        verse, begin = verse + 1, begin + VERSE
    return [foot for foot in feet if foot.time < end]


def _verse(notes: Sequence[int], begin: float, verse: int) -> list[Stroke]:
    shift = (13 * verse) % len(notes)

    def key(i: int) -> int:
        return notes[(shift + i) % len(notes)]

    def chord(time: float, effort: float, keys: Sequence[int]) -> list[Stroke]:
        return [Stroke.of(time, key(i), effort, LONG) for i in keys]

    span = min(len(notes), 16)
    strokes = [  # a scale, up and down by turns, that grows from the softest to the loudest
        Stroke.of(
            begin + 0.9 * i / span, key(i if verse % 2 else span - 1 - i), LOUDEST * i / span, SHORT
        )
        for i in range(span)
    ]
    hand = range(2, min(len(notes), 7))  # beside the two keys of the trill
    for i in range(5):  # five strokes a second of each key, and louder
        effort = 0.5 + 0.06 * i
        strokes.append(Stroke.of(begin + 1.0 + i / 5, key(0), effort, SHORT))
        strokes.append(Stroke.of(begin + 1.0 + (i + 0.5) / 5, key(1), effort, SHORT))
    for i in range(6):  # six a second of one key
        strokes.append(Stroke.of(begin + 2.05 + i / 6, key(0), 0.65, SHORT))
    for beat in range(2):
        for second, effort in ((1.05, 0.2), (2.05, 0.5)):
            strokes += chord(begin + second + 0.5 * beat, effort, hand)
    both = range(min(len(notes), 10))
    for beat in range(3):  # up to ten keys at once, ever louder
        strokes += chord(begin + 3.05 + 0.33 * beat, LOUDEST - 0.15 * (2 - beat), both)
    return strokes
