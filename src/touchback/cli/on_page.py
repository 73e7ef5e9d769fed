"""`touchback play` on a page: the address, the passage, and an end when nobody looks on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from touchback.cli import INTERRUPTED
from touchback.cli.console import out, working
from touchback.cli.performing import keep_regulation, tell_of_other_keys
from touchback.devices.midi import Timed
from touchback.gallery.keyboard.midi_fingers import gestures_of, graded_touches
from touchback.gallery.keyboard.player import SETTLING
from touchback.gallery.keyboard.regulation import AS_GRADED, Regulation
from touchback.gallery.keyboard.strokes import Gesture

if TYPE_CHECKING:  # what needs the extra `view`
    from touchback.workbench.play.choice import ChoiceBoard
    from touchback.workbench.play.hall import Hall
    from touchback.workbench.play.piano import PianoBoard

PATIENCE = 20.0  # s that nobody may be connected before it ends
_LOOK = 0.05  # s
_RINGING = 1.5  # s after the last stroke
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

Show = Callable[[float, int, float], None]


@dataclass(frozen=True)
class OnPage:
    """What is to be played on a page: an instrument, "wall", "trial" or "zoo"."""

    what: str
    notes: list[int] | None = None
    rate: float = 1000.0
    score: list[Timed] | None = None
    seconds: float | None = None
    host: str = "127.0.0.1"
    port: int = 0
    patience: float = PATIENCE
    answers: Path | None = None
    board: ChoiceBoard | None = None  # a trial's that is ready
    regulation: Regulation = AS_GRADED
    save: Path | None = None


def can_serve() -> bool:
    """Whether the extra `view` is there."""
    return find_spec("websockets") is not None


def play_on_page(wanted: OnPage, show: Show | None = None) -> None:
    """Opens the page, lets the scripted finger play, and waits for whoever looks on; then says why
    it ended, and how the runs kept time."""
    try:
        hall, board = _opened(wanted)
    except KeyboardInterrupt:
        out.print("\nEnded by Ctrl-C, before the page was there.")
        raise typer.Exit(INTERRUPTED) from None
    with hall:
        try:
            out.print(f"page: {hall.url}", soft_wrap=True)
            if wanted.host not in _LOOPBACK:
                out.print("Whoever has this address can play: it holds a token.")
            if board is not None and show is not None:
                board.ear = lambda heard: show(heard.time, heard.note, heard.loudness)
            if board is not None:
                board.start_passage()
            why = _wait(wanted, lambda: board is not None and board.playing, lambda: hall.seen)
        except KeyboardInterrupt as error:
            why = f"by {str(error) or 'Ctrl-C'}."
        if board is not None and wanted.save is not None:
            keep_regulation(wanted.save, board.regulating.regulation)
        reports = hall.reports()
    out.print(f"\nEnded {why}")
    for report in reports:
        out.print(f"\n{report}")
    if board is not None:
        out.print(f"\n{board.struck} notes were heard.")


def _opened(wanted: OnPage) -> tuple[Hall, PianoBoard | None]:
    from touchback.workbench.play.hall import PAGES, ZOO, Hall
    from touchback.workbench.play.instruments import ALL_WALLS
    from touchback.workbench.play.piano import OCTAVE, PianoBoard

    is_page = wanted.what in (*PAGES, ZOO) and wanted.what != "piano"
    board: PianoBoard | None = None
    with working("building the keys" if not is_page else f"opening the {wanted.what}"):
        if not is_page:
            notes = OCTAVE if wanted.notes is None else tuple(wanted.notes)
            tell_of_other_keys(wanted.regulation, notes)
            instrument = "wall-standard" if wanted.what == ALL_WALLS else wanted.what
            board = PianoBoard(
                notes, wanted.rate, instrument, _script(wanted), regulation=wanted.regulation
            )
        what = wanted.what if is_page else "piano"
        shown = board or wanted.board
        return Hall(what, shown, wanted.host, wanted.port, wanted.answers), board


def _wait(wanted: OnPage, playing: Callable[[], bool], seen: Callable[[], float]) -> str:
    """Until the time is up; without one until the passage is played and nobody was there for as
    long as patience lasts. Tells why it ended."""
    start = last = time.monotonic()
    ringing = start
    while True:
        now, last = time.monotonic(), max(last, seen())
        if plays := playing():
            ringing = now + min(_RINGING, wanted.patience)
        if wanted.seconds is not None:
            if now >= start + SETTLING + wanted.seconds:
                return f"after {wanted.seconds:g} s, as --seconds says."
        elif not plays and now >= max(ringing, last + wanted.patience):
            return f"as nobody was connected for {now - last:.0f} s; --patience gives more."
        time.sleep(_LOOK)


def _script(wanted: OnPage) -> Callable[[float], list[Gesture]] | None:
    """What the scripted finger plays from a time on: the score, if there is one."""
    if wanted.score is None:
        return None
    messages, answers = wanted.score, graded_touches(wanted.what, rate=wanted.rate)
    return lambda start: gestures_of(messages, answers, start)
