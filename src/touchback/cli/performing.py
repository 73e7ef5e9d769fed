"""A performance in the terminal: notes are shown, sent and heard as they sound, and kept."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from touchback.cli.console import out, working
from touchback.cli.sounding import sounding
from touchback.devices.midi import MidiPort, NoteOff, Timed, read_midi, write_midi
from touchback.devices.sound import render, write_wav
from touchback.devices.sound.stream import SoundStream
from touchback.errors import InputError
from touchback.gallery.keyboard.keys import note_name
from touchback.gallery.keyboard.listener import Ear, Notebook
from touchback.gallery.keyboard.midi_fingers import Answers, MidiFingers, notes_written
from touchback.gallery.keyboard.pedals import Foot, control_of, feet_of
from touchback.gallery.keyboard.player import Fingers, Keyboard, SeparateKeys
from touchback.gallery.keyboard.regulation import Regulation
from touchback.gallery.keyboard.strikes import SOFTEST
from touchback.gallery.keyboard.strokes import Gesture, Heard, as_midi, as_sound
from touchback.gallery.keyboard.voices import VOICES
from touchback.gallery.keyboard.walls import WALL_VOICES
from touchback.gallery.keyboard.wired import WiredKey, play_wired

PLUCKED = "harpsichord"
# voices whose loudness is a speed
STRUCK = (VOICES.keys() | WALL_VOICES.keys()) - {PLUCKED, "organ"}
_LAST = 0.1  # s of a note at least that began as the performance was ended
NAMED = 4  # of notes of a score without an end

Board = Keyboard | SeparateKeys


@dataclass
class Performance:
    """What is played with a voice, what was heard of it and what the feet did, until `time` [s]; a
    `sender` gets both as they come, a `stream` lets it sound."""

    voice: str
    sender: MidiPort | None = None
    stream: SoundStream | None = None
    played: list[Heard] = field(default_factory=list)
    feet: list[Foot] = field(default_factory=list)
    time: float = 0.0

    def live(self, board: Board, fingers: Fingers, duration: float) -> None:
        """Plays against the clock, and tells how the deadlines were kept."""
        notebook = Notebook(self._ear())
        self.played = notebook.notes  # until the recording tells it more exactly
        reports, self.played = board.play(self._watched(fingers), duration, notebook.ear)
        self.time = duration
        worst = max(reports, key=lambda report: report.counts["late"])
        if len(reports) > 1:
            out.print(f"\n{len(reports)} keys, each in a thread of its own; the latest of them:")
        out.print("\n" + str(worst))

    def from_port(self, board: Board, path: str, answers: Answers, duration: float) -> None:
        """Plays what comes from a MIDI port."""
        fingers = MidiFingers(answers, board.notes)
        with MidiPort(path, write=False) as source:
            self.live(board, lambda now: fingers.answer(source.received(), now), duration)
        if fingers.missed:
            out.print(f"{fingers.missed} notes came for keys that aren't there; try --keys 88.")

    def offline(self, board: Board, gestures: Sequence[Gesture], duration: float) -> None:
        """Plays as fast as it goes."""
        self.feet = [each for each in gestures if isinstance(each, Foot)]
        self.played, self.time = board.hear(gestures, duration), duration
        for note in self.played:
            show_note(note.time, note.note, note.loudness)

    def on_wires(
        self,
        keys: Sequence[WiredKey],
        source: MidiPort | None,
        seconds: float,
        rate: float,
        regulation: Regulation,
    ) -> None:
        """Lets fingers play keys on wires, and tells how the deadlines were kept. A MIDI port moves
        the pedals; its notes are left out, for fingers play them."""
        notebook = Notebook(self._ear())
        self.played = notebook.notes

        def feet(now: float) -> Sequence[Foot]:
            self.time = now
            received = source.received() if source is not None else []
            found = feet_of(Timed(now, message) for message in received)
            for foot in found:
                self._moved(foot)
            return found

        report = play_wired(
            keys, self.voice, seconds=seconds, ear=notebook.ear, rate=rate, feet=feet,
            regulation=regulation,
        )  # fmt: skip
        out.print("\n" + str(report))

    def _ear(self) -> Ear:
        """Lets notes sound, shows them as they do and, with a port, sends them."""
        return Ear(self._began, self._released, self._damped)

    def _watched(self, fingers: Fingers) -> Callable[[float], Sequence[Gesture]]:
        def watched(now: float) -> Sequence[Gesture]:
            self.time = now
            found = fingers(now)
            for foot in (each for each in found if isinstance(each, Foot)):
                self._moved(foot)
            return found

        return watched

    def _moved(self, foot: Foot) -> None:
        self.feet.append(foot)
        if self.sender is not None:
            self.sender.send(control_of(foot.pedal, foot.place))

    def _began(self, note: Heard) -> None:
        if self.stream is not None:
            (sound,) = as_sound([note], plucked=self.voice == PLUCKED)
            self.stream.strike(sound, note.published, note.noticed)
        show_note(note.time, note.note, note.loudness)
        if self.sender is not None:
            self.sender.send(as_midi([note], struck=self.voice in STRUCK)[0].message)

    def _released(self, note: int, time: float) -> None:
        if self.sender is not None:
            self.sender.send(NoteOff(note))

    def _damped(self, note: int, time: float, share: float) -> None:
        if self.stream is not None:
            self.stream.damp(note, share)

    @contextmanager
    def kept(
        self, wav: Path | None, midi: Path | None, save: Path | None, regulation: Regulation
    ) -> Iterator[None]:
        """Writes what was heard, whatever ends it, and which screws were turned, unless an error
        does. What ended before its first note leaves older files of others as they are."""
        heard, turned = False, True
        try:
            yield
            heard = True
        except Exception:
            turned = False
            raise
        finally:
            heard = heard or bool(self.played)
            with ExitStack() as last_first:  # one that fails doesn't keep the others from it
                if wav is not None and heard:
                    last_first.callback(self._keep_sound, wav)
                if heard or turned:  # not where nothing was begun
                    last_first.callback(
                        lambda: out.print(f"\n{len(self.played)} notes were heard.")
                    )
                if save is not None and turned:
                    last_first.callback(keep_regulation, save, regulation)
                if midi is not None and heard:  # small, and sound can be made of it again
                    last_first.callback(self._keep_notes, midi)

    def _keep_notes(self, midi: Path) -> None:
        write_midi(midi, as_midi(self.played, self.voice in STRUCK, self.feet))
        out.print(f"notes: {midi}")

    def _keep_sound(self, wav: Path) -> None:
        with working("letting the strings sound"):
            notes = as_sound(self.played, plucked=self.voice == PLUCKED)
            begun = max((note.time for note in self.played), default=0.0)
            write_wav(wav, render(notes, max(self.time, begun + _LAST)))
        out.print(f"sound: {wav}")


@contextmanager
def performing(
    voice: str, to: str | None, audio: str | None, notes: Sequence[int], rate: float
) -> Iterator[Performance]:
    """A performance of a voice, with a MIDI port to send to and an output to sound on, if named."""
    sender = MidiPort(to) if to is not None else None
    try:
        with sounding(audio, notes, 1.0 / rate) as stream:
            yield Performance(voice, sender, stream)
    finally:
        if sender is not None:
            sender.close()


def read_score(path: Path) -> list[Timed]:
    """The messages of a .mid file with notes; tells of those that nothing ends."""
    messages = read_midi(path)
    notes = notes_written(messages)
    if not notes:
        raise InputError(f"{path.name} has no notes.")
    endless = [each for each in notes if not each.has_end]
    if endless:
        named = [f"{note_name(each.note)} at {each.began:.3f} s" for each in endless[:NAMED]]
        more = f" and {len(endless) - NAMED} more" if len(endless) > NAMED else ""
        out.print(
            f"{path.name}: {len(endless)} of {len(notes)} notes have no note off "
            f"({', '.join(named)}{more}); they are let go where the score ends."
        )
    return messages


def tell_of_other_keys(regulation: Regulation, notes: Sequence[int]) -> None:
    """Says whose screws aren't turned, for their keys aren't there."""
    if left := regulation.left_out(notes):
        out.print(f"--set: {left}", soft_wrap=True)


def keep_regulation(path: Path, regulation: Regulation) -> None:
    """Writes which screws were turned."""
    regulation.save(path)
    out.print(f"regulation: {path}, {regulation.count} screws turned")


def show_note(time: float, note: int, loudness: float) -> None:
    """A line for a note that sounds, at its time [s] of the run, as in files of it."""
    bar = "█" * round(4 * np.log2(1.0 + max(loudness, SOFTEST) / SOFTEST))
    out.print(f"  {time:8.3f} s  {note_name(note):<3} {loudness:5.2f} {bar}")
