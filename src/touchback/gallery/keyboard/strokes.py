"""What fingers do on a keyboard: strokes, from a score or from MIDI, and what is heard of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback.devices.midi import Message, NoteOff, NoteOn, Timed, speed_of, velocity_of
from touchback.devices.sound import Note
from touchback.errors import InputError
from touchback.gallery.keyboard.keys import note_name
from touchback.recording import Run

# s to press, m that the finger wishes to go: the softest and the loudest touch. A wish lies deeper
# than the bed, so that the finger arrives with force.
SOFT, LOUD = (0.25, 0.014), (0.035, 0.065)
SHORTEST_STAY = 0.03  # s
LEAVE = 0.06  # s
_EDGE = 1e-9  # s, that a change of an input takes
_FOR_EVER = 1e6  # s


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


@dataclass(frozen=True)
class Heard:
    """A note that a key played: when [s], which, how loudly, and until when it rings [s]. Of a live
    key also when its tick was published and when that was noticed (monotonic ns)."""

    time: float
    note: int
    loudness: float
    end: float
    published: int = 0
    noticed: int = 0


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


def input_samples(strokes: Iterable[Stroke]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The inputs of a keyboard over time, for `tb.simulate`: each stroke sets its key's at once."""
    by_note: dict[int, list[Stroke]] = {}
    for stroke in sorted(strokes, key=lambda stroke: stroke.time):
        if stroke.time < 0.0:
            raise InputError(f"Stroke of {note_name(stroke.note)}: it starts at {stroke.time} s.")
        by_note.setdefault(stroke.note, []).append(stroke)
    samples = {}
    for note, own in by_note.items():
        for name in own[0].inputs:
            times, values = [], []
            for before, stroke in zip([own[0], *own[:-1]], own, strict=True):
                times += [stroke.time - _EDGE, stroke.time]
                values += [before.inputs[name], stroke.inputs[name]]
            samples[f"{note_name(note)}/{name}"] = np.array(times), np.array(values)
    return samples


def heard(run: Run, notes: Sequence[int]) -> list[Heard]:
    """The notes that were played in a run of a keyboard, in the order of their times."""
    found = [one for note in notes for one in heard_of(run, note, f"{note_name(note)}/")]
    return sorted(found, key=lambda one: one.time)


def heard_of(run: Run, note: int, prefix: str = "") -> list[Heard]:
    """The notes of one key, whose signals have a prefix."""
    found = []
    count, ringing = run[f"{prefix}notes"], run[f"{prefix}ringing"]
    for i in np.flatnonzero(np.diff(count) > 0.5) + 1:
        closed = np.flatnonzero(ringing[i:] < 0.5)
        end = float(run.time[i + closed[0]]) if len(closed) else float("inf")
        time, loudness = run[f"{prefix}note time"][i], run[f"{prefix}loudness"][i]
        found.append(Heard(float(time), note, float(loudness), end))
    return found


def as_sound(played: Iterable[Heard], plucked: bool = False) -> list[Note]:
    """The notes for `touchback.devices.sound.render`."""
    return [
        Note(
            one.time, one.note, end=one.end,
            speed=None if plucked else max(one.loudness, 0.05),
            force=one.loudness if plucked else None,
        )
        for one in played
    ]  # fmt: skip


def as_midi(played: Iterable[Heard], struck: bool = True) -> list[Timed]:
    """The notes as MIDI messages; without hammers all are equally loud."""
    messages: list[Timed] = []
    for one in played:
        velocity = velocity_of(max(one.loudness, 1e-3)) if struck else 64
        messages.append(Timed(one.time, NoteOn(one.note, velocity)))
        if np.isfinite(one.end):
            messages.append(Timed(one.end, NoteOff(one.note)))
    return messages


@dataclass(frozen=True)
class Touches:
    """How a key answers to efforts from 0 to 1: how loud it sounds, and how long after the finger
    sets out [s]."""

    effort: tuple[float, ...]
    loudness: tuple[float, ...]
    delay: tuple[float, ...]

    def effort_for(self, loudness: float) -> float:
        """The effort for a loudness, the nearest that the key can do."""
        return float(np.interp(loudness, self.loudness, self.effort))

    def delay_of(self, effort: float) -> float:
        """How long after setting out the note sounds [s]."""
        return float(np.interp(effort, self.effort, self.delay))


def strokes_of(messages: Iterable[Timed], touches: Touches, start: float = 0.0) -> list[Stroke]:
    """Strokes that sound as MIDI messages say: each finger sets out early enough to be in time, as
    fast as the hammer speed of the velocity asks. All is moved so that the first begins at
    `start`."""
    open_notes: dict[int, tuple[float, int]] = {}
    strokes = []
    for timed in messages:
        match timed.message:
            case NoteOn(note, velocity):
                open_notes[note] = timed.time, velocity
            case NoteOff(note) if note in open_notes:
                began, velocity = open_notes.pop(note)
                effort = touches.effort_for(speed_of(velocity))
                stroke = Stroke.of(began - touches.delay_of(effort), note, effort)
                stay = max(timed.time - stroke.time - stroke.press, SHORTEST_STAY)
                strokes.append(replace(stroke, stay=stay))
    shift = start - min((stroke.time for stroke in strokes), default=0.0)
    moved = [replace(stroke, time=stroke.time + shift) for stroke in strokes]
    return sorted(moved, key=lambda stroke: stroke.time)


class MidiFingers:
    """Fingers that answer MIDI messages as they come: a note on sets a finger out at once, a note
    off lets it leave. Notes that the keyboard doesn't have are counted in `missed`."""

    def __init__(self, touches: Touches, notes: Iterable[int]) -> None:
        self._touches, self._notes = touches, frozenset(notes)
        self._held: dict[int, Stroke] = {}
        self.missed = 0

    def answer(self, messages: Iterable[Message], now: float) -> list[Stroke]:
        """The strokes to be made, or to be ended, at a time [s]."""
        strokes = []
        for message in messages:
            match message:
                case NoteOn(note, velocity) if note in self._notes:
                    effort = self._touches.effort_for(speed_of(velocity))
                    self._held[note] = Stroke.of(now, note, effort, stay=_FOR_EVER)
                    strokes.append(self._held[note])
                case NoteOff(note) if note in self._held:
                    stroke = self._held.pop(note)
                    stay = max(now - stroke.time - stroke.press, SHORTEST_STAY)
                    strokes.append(replace(stroke, stay=stay))
                case NoteOn():
                    self.missed += 1
        return strokes
