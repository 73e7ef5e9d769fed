"""`touchback play` on a page: the address, the passage, and an end when nobody looks on."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from touchback.cli.console import out, working
from touchback.devices.midi import Timed
from touchback.gallery.keyboard.player import SETTLING, touches
from touchback.gallery.keyboard.strokes import Stroke, strokes_of
from touchback.realtime import Live

_LOOK = 0.05  # s
_COMES_BACK = 5.0  # s that a page may be away: one that is loaded anew
_RINGING = 1.5  # s after the last stroke
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

Show = Callable[[float, int, float], None]


@dataclass(frozen=True)
class OnPage:
    """What is to be played on a page: an instrument, "wall", "trial" or "zoo"."""

    what: str
    notes: list[int] | None
    rate: float
    score: list[Timed] | None
    seconds: float | None
    host: str
    port: int
    patience: float
    answers: Path | None


def can_serve() -> bool:
    """Whether the extra `view` is there."""
    return find_spec("websockets") is not None


def play_on_page(wanted: OnPage, show: Show) -> None:
    """Opens the page, lets the scripted finger play, and waits for whoever looks on."""
    from touchback.workbench.play.hall import PAGES, ZOO, Hall
    from touchback.workbench.play.piano import OCTAVE, PianoBoard

    is_page = wanted.what in (*PAGES, ZOO) and wanted.what != "piano"
    board: PianoBoard | None = None
    with working("building the keys" if not is_page else f"opening the {wanted.what}"):
        if not is_page:
            notes = OCTAVE if wanted.notes is None else tuple(wanted.notes)
            board = PianoBoard(notes, wanted.rate, wanted.what, _script(wanted))
        hall = Hall(
            wanted.what if is_page else "piano", board, wanted.host, wanted.port, wanted.answers
        )
    with hall:
        out.print(f"page: {hall.url}", soft_wrap=True)
        if wanted.host not in _LOOPBACK:
            out.print("Whoever has this address can play: it holds a token.")
        if board is not None:
            board.ear = lambda heard: show(heard.time, heard.note, heard.loudness)
            board.start_passage()
        _wait(wanted, lambda: board is not None and board.playing, lambda: hall.clients)
        run: Live | None = getattr(hall.first.board, "live", None)
        heard = 0 if board is None else board.struck
        report = None if run is None else run.report()
    if report is not None:
        out.print(f"\n{report}")
    if board is not None:
        out.print(f"\n{heard} notes were heard.")


def _wait(wanted: OnPage, playing: Callable[[], bool], clients: Callable[[], int]) -> None:
    """Until the passage is played and nobody looks on any more; the first has some time to come."""
    now = time.monotonic()
    given = now + (wanted.patience if wanted.seconds is None else 0.0)
    last = None if wanted.seconds is None else now + SETTLING + wanted.seconds
    try:
        while last is None or time.monotonic() < last:
            if clients():
                given = time.monotonic() + _COMES_BACK
            elif not playing() and time.monotonic() >= given:
                break
            if playing():
                given = max(given, time.monotonic() + min(_RINGING, wanted.patience))
            time.sleep(_LOOK)
    except KeyboardInterrupt:
        out.print()


def _script(wanted: OnPage) -> Callable[[float], list[Stroke]] | None:
    """What the scripted finger plays from a time on: the score, if there is one."""
    if wanted.score is None:
        return None
    messages, answers = wanted.score, touches(wanted.what, rate=wanted.rate)
    return lambda start: strokes_of(messages, answers, start)
