"""A performance of a keyboard: notes are shown, sent, heard and kept in the terminal, on a page
or on real keys."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer
from rich.table import Table

import touchback as tb
from touchback.cli import INTERRUPTED
from touchback.cli.console import is_attended, out, show_page, working
from touchback.cli.device_commands import calibrated, open_device, show_identified
from touchback.errors import InputError
from touchback.instruments import (
    DEFAULT_REGULATION,
    SETTLING_TIME,
    VOICES,
    WALL_VOICES,
    Fingers,
    Foot,
    Gesture,
    HeardNote,
    Keyboard,
    KeyTouches,
    MidiFingers,
    NoteCallbacks,
    NoteLog,
    Regulation,
    SeparateKeys,
    SoundStream,
    Timed,
    WiredKey,
    as_midi,
    as_sound,
    control_of,
    feet_of,
    gestures_of,
    graded_touches,
    make_playable_key,
    note_name,
    notes_of,
    outputs,
    play_wired,
    read_midi,
    render,
    score_notes,
    write_midi,
    write_wav,
)
from touchback.instruments.keyboard.key_device import SOFTEST

if TYPE_CHECKING:
    from touchback.workbench import ForcedChoicePage, PianoPage, PlayServer


def show_outputs() -> None:
    """What sound can go to."""
    found = outputs()
    if not found:
        out.print("No sound output was found.")
        return
    table = Table("", "output", "host", "channels", "samples a second")
    for each in found:
        mark = f"{each.number}{' *' if each.usual else ''}"
        table.add_row(mark, each.name, each.host, str(each.channels), f"{each.rate:g}")
    out.print(table)


@contextmanager
def open_sound(
    output: str | None, notes: Sequence[int], tick: float
) -> Iterator[SoundStream | None]:
    """Strings of some notes on an output, if one is asked for; tells in the end how it went."""
    if output is None:
        yield None
        return
    with SoundStream(notes, output, tick) as stream:
        yield stream
    out.print(f"\n{stream.report()}")


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
    sender: tb.devices.MidiPort | None = None
    stream: SoundStream | None = None
    played: list[HeardNote] = field(default_factory=list)
    feet: list[Foot] = field(default_factory=list)
    time: float = 0.0

    def live(self, board: Board, fingers: Fingers, duration: float) -> None:
        """Plays against the clock, and tells how the deadlines were kept."""
        notebook = NoteLog(self._ear())
        self.played = notebook.notes  # until the recording tells it more exactly
        reports, self.played = board.play(self._watched(fingers), duration, notebook.ear)
        self.time = duration
        worst = max(reports, key=lambda report: report.counts["late"])
        if len(reports) > 1:
            out.print(f"\n{len(reports)} keys, each in a thread of its own; the latest of them:")
        out.print("\n" + str(worst))

    def from_port(self, board: Board, path: str, answers: KeyTouches, duration: float) -> None:
        """Plays what comes from a MIDI port."""
        fingers = MidiFingers(answers, board.notes)
        with tb.devices.MidiPort(path, write=False) as source:
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
        source: tb.devices.MidiPort | None,
        seconds: float,
        rate: float,
        regulation: Regulation,
    ) -> None:
        """Lets fingers play keys on wires, and tells how the deadlines were kept. A MIDI port moves
        the pedals; its notes are left out, for fingers play them."""
        notebook = NoteLog(self._ear())
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

    def _ear(self) -> NoteCallbacks:
        """Lets notes sound, shows them as they do and, with a port, sends them."""
        return NoteCallbacks(self._began, self._released, self._damped)

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

    def _began(self, note: HeardNote) -> None:
        if self.stream is not None:
            (sound,) = as_sound([note], plucked=self.voice == PLUCKED)
            self.stream.strike(sound, note.published, note.noticed)
        show_note(note.time, note.note, note.loudness)
        if self.sender is not None:
            self.sender.send(as_midi([note], struck=self.voice in STRUCK)[0].message)

    def _released(self, note: int, time: float) -> None:
        if self.sender is not None:
            self.sender.send(tb.devices.midi.NoteOff(note))

    def _damped(self, note: int, time: float, share: float) -> None:
        if self.stream is not None:
            self.stream.damp(note, share)

    @contextmanager
    def save_when_done(
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
def open_performance(
    voice: str, to: str | None, audio: str | None, notes: Sequence[int], rate: float
) -> Iterator[Performance]:
    """A performance of a voice, with a MIDI port to send to and an output to sound on, if named."""
    sender = tb.devices.MidiPort(to) if to is not None else None
    try:
        with open_sound(audio, notes, 1.0 / rate) as stream:
            yield Performance(voice, sender, stream)
    finally:
        if sender is not None:
            sender.close()


def read_score(path: Path) -> list[Timed]:
    """The messages of a .mid file with notes; tells of those that nothing ends."""
    messages = read_midi(path)
    notes = score_notes(messages)
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


PATIENCE = 20.0  # s that nobody may be connected before a page ends that nobody can end by Ctrl-C


_LOOK = 0.05  # s


_RINGING = 1.5  # s after the last stroke


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


Show = Callable[[float, int, float], None]


@dataclass(frozen=True)
class PageOptions:
    """What is to be played on a page: an instrument, "wall", "trial" or "zoo"."""

    what: str
    notes: list[int] | None = None
    rate: float = 1000.0
    score: list[Timed] | None = None
    seconds: float | None = None
    host: str = "127.0.0.1"
    port: int = 0
    patience: float | None = None
    answers: Path | None = None
    board: ForcedChoicePage | None = None  # a trial's that is ready
    regulation: Regulation = DEFAULT_REGULATION
    save: Path | None = None


def can_serve() -> bool:
    """Whether the extra `view` is there."""
    return find_spec("websockets") is not None


def play_on_page(wanted: PageOptions, show: Show | None = None) -> None:
    """Opens the page and waits for whoever looks on; then says why it ended, and how the runs kept
    time. A score is played at once, and without a terminal the passage."""
    try:
        server, board = _opened(wanted)
    except KeyboardInterrupt:
        out.print("\nEnded by Ctrl-C, before the page was there.")
        raise typer.Exit(INTERRUPTED) from None
    with server:
        try:
            show_page(server.url)
            if wanted.host not in _LOOPBACK:
                out.print("Whoever has this address can play: it holds a token.")
            if board is not None and show is not None:
                board.ear = lambda heard: show(heard.time, heard.note, heard.loudness)
            if board is not None and (wanted.score is not None or not is_attended()):
                board.start_passage()  # who sits there plays, or asks the page for it
            why = _wait(
                wanted, lambda: board is not None and board.playing, lambda: server.last_seen
            )
        except KeyboardInterrupt as error:
            why = f"by {str(error) or 'Ctrl-C'}."
        if board is not None and wanted.save is not None:
            keep_regulation(wanted.save, board.regulating.regulation)
        reports = server.reports()
    out.print(f"\nEnded {why}")
    for report in reports:
        out.print(f"\n{report}")
    if board is not None:
        out.print(f"\n{board.struck} notes were heard.")


def _opened(wanted: PageOptions) -> tuple[PlayServer, PianoPage | None]:
    from touchback.workbench import ALL_WALLS, OCTAVE, PAGES, ZOO, PianoPage, PlayServer

    is_page = wanted.what in (*PAGES, ZOO) and wanted.what != "piano"
    board: PianoPage | None = None
    with working("building the keys" if not is_page else f"opening the {wanted.what}"):
        if not is_page:
            notes = OCTAVE if wanted.notes is None else tuple(wanted.notes)
            tell_of_other_keys(wanted.regulation, notes)
            instrument = "wall-standard" if wanted.what == ALL_WALLS else wanted.what
            board = PianoPage(
                notes, wanted.rate, instrument, _script(wanted), regulation=wanted.regulation
            )
        what = wanted.what if is_page else "piano"
        shown = board or wanted.board
        return PlayServer(what, shown, wanted.host, wanted.port, wanted.answers), board


def _wait(wanted: PageOptions, playing: Callable[[], bool], seen: Callable[[], float]) -> str:
    """Until the time is up; without one until the passage is played and nobody was there for as
    long as patience lasts, which is for ever at a terminal unless given. Returns why it ended."""
    patience = wanted.patience
    if patience is None:
        patience = math.inf if is_attended() else PATIENCE
    start = last = time.monotonic()
    ringing = start
    while True:
        now, last = time.monotonic(), max(last, seen())
        if plays := playing():
            ringing = now + min(_RINGING, patience)
        if wanted.seconds is not None:
            if now >= start + SETTLING_TIME + wanted.seconds:
                return f"after {wanted.seconds:g} s, as --seconds says."
        elif not plays and now >= max(ringing, last + patience):
            return f"as nobody was connected for {now - last:.0f} s; --patience gives more."
        time.sleep(_LOOK)


def _script(wanted: PageOptions) -> Callable[[float], list[Gesture]] | None:
    """What the scripted finger plays from a time on: the score, if there is one."""
    if wanted.score is None:
        return None
    messages, answers = wanted.score, graded_touches(wanted.what, rate=wanted.rate)
    return lambda start: gestures_of(messages, answers, start)


@dataclass(frozen=True)
class WireOptions:
    """What is to be played on keys of which devices."""

    places: list[str]
    rate: float
    seconds: float
    identified: bool
    port: str | None
    regulation: Regulation


def play_on_devices(wanted: WireOptions, performance: Performance) -> None:
    """Every axis of every device is a key, white ones from middle C in the order given. Each finds
    its own constants first, so that a newton asked for is one. Pedals come from a MIDI port."""
    make_playable_key(performance.voice, wanted.rate, wanted.regulation)
    with ExitStack() as closing:
        port = wanted.port
        source = (
            None if port is None else closing.enter_context(tb.devices.MidiPort(port, write=False))
        )
        # All are opened before one moves: what is given twice, or is no key, is refused at once.
        devices = [closing.enter_context(open_device(place)) for place in wanted.places]
        found = [WiredKey(device, i) for device in devices for i in range(len(device.axes))]
        keys = [_calibrated(key) if wanted.identified else key for key in found]
        for key in keys:
            simulated = ", simulated" if key.device.simulated else ""
            axis = key.device.axis(key.axis).name
            out.print(f"{key.device.name}/{axis}{simulated}: forces × {key.gain:.3f}")
        tell_of_other_keys(wanted.regulation, notes_of(len(keys)))
        out.print(
            f"{len(keys)} keys, {performance.voice}, for {wanted.seconds:g} s, under your own "
            "fingers: pointer and letters of a page press simulated keys only.",
            soft_wrap=True,
        )
        performance.on_wires(keys, source, wanted.seconds, wanted.rate, wanted.regulation)


def _calibrated(key: WiredKey) -> WiredKey:
    """A key whose force is corrected by what it found itself."""
    constants = calibrated(key.device, key.axis)
    show_identified(constants)
    return replace(key, gain=constants.claimed_constant / constants.force_constant)
