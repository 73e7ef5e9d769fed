"""When `touchback play` on a page ends, and what it says then."""

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

from command import touchback
from page_client import run_async
from touchback.cli import keyboard_performance, main
from touchback.cli.keyboard_performance import PageOptions
from waiting import until

pytest.importorskip("websockets")


class Clock:
    """A clock that goes on when somebody sleeps."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(keyboard_performance, "time", made)
    return made


def wanted(patience: float | None, seconds: float | None = None) -> PageOptions:
    return PageOptions("zoo", None, 1000.0, None, seconds, "127.0.0.1", 0, patience, None)


@pytest.mark.parametrize("stays", [0.0, 100.0])
def test_patience_is_how_long_nobody_is_there_at_first_and_after_the_last_left(
    clock: Clock, stays: float
) -> None:
    why = keyboard_performance._wait(
        wanted(60.0), lambda: False, lambda: min(clock.now, 1000.0 + stays)
    )
    assert clock.now == pytest.approx(1000.0 + stays + 60.0, abs=0.1)  # two looks
    assert "nobody was connected for 60 s" in why


def test_at_a_terminal_it_waits_until_ctrl_c_and_elsewhere_for_its_patience(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyboard_performance, "is_attended", lambda: False)
    why = keyboard_performance._wait(wanted(None), lambda: False, lambda: 0.0)
    assert "nobody was connected for 20 s" in why

    def nobody_for_a_day() -> float:
        if clock.now > 1000.0 + 86_400.0:
            raise KeyboardInterrupt
        clock.now += 60.0
        return 0.0

    monkeypatch.setattr(keyboard_performance, "is_attended", lambda: True)
    with pytest.raises(KeyboardInterrupt):
        keyboard_performance._wait(wanted(None), lambda: False, nobody_for_a_day)
    why = keyboard_performance._wait(wanted(5.0), lambda: False, lambda: 0.0)
    assert "nobody was connected for 5 s" in why  # what is given holds at a terminal too


def test_who_plays_is_waited_for_and_the_last_note_rings(clock: Clock) -> None:
    why = keyboard_performance._wait(wanted(2.0), lambda: clock.now < 1030.0, lambda: 0.0)
    assert clock.now == pytest.approx(1031.5, abs=0.1)
    assert "for 32 s" in why or "for 31 s" in why


def test_seconds_that_were_asked_for_are_kept_whether_somebody_is_there_or_not(
    clock: Clock,
) -> None:
    why = keyboard_performance._wait(wanted(5.0, 30.0), lambda: False, lambda: 0.0)
    assert (
        clock.now == pytest.approx(1030.0 + keyboard_performance.SETTLING_TIME, abs=0.1)
        and "after 30 s" in why
    )


def test_pages_that_load_and_runs_that_are_opened_count_as_somebody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from touchback.workbench.play.play_messages import Visit
    from touchback.workbench.play.play_server import PlayServer

    with PlayServer("zoo") as hall:
        assert hall.last_seen < time.monotonic() - 1e6  # nobody yet
        begun = time.monotonic()
        with urllib.request.urlopen(hall.url.replace("token=", "token=wrong")) as page:
            assert page.status == 200
        assert begun <= hall.last_seen <= time.monotonic()
        before = hall.last_seen
        assert hall.last_seen == before  # which was the request, and isn't now
        going, done = threading.Event(), threading.Event()
        opened = PlayServer._open

        def slowly(self: PlayServer, what: str, board: None) -> object:
            going.set()
            done.wait(60.0)
            return opened(self, what, board)

        monkeypatch.setattr(PlayServer, "_open", slowly)
        visit = threading.Thread(target=hall.visit, args=(Visit(what="gallery/pendulum"), ""))
        visit.start()
        assert going.wait(60.0)
        first = hall.last_seen
        assert first > before
        until(lambda: hall.last_seen > first)  # for as long as it takes
        done.set()
        visit.join()
        assert hall.last_seen == before


@contextmanager
def playing(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and its address."""
    command = [sys.executable, "-m", "touchback.cli", "play", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().removeprefix("page: ").strip()
    finally:
        process.kill()
        process.wait()


def test_the_zoo_says_why_it_ended_and_how_its_runs_kept_time() -> None:
    from websockets.asyncio.client import connect

    async def visit(address: str) -> None:
        async with connect(address.replace("http", "ws", 1).replace("/?", "/wire?")) as wire:
            await wire.send(json.dumps({"do": "visit", "what": "gallery/pendulum", "id": 1}))
            while '"url"' not in str(await wire.recv()):
                pass

    with playing("zoo", "--patience", "2") as (process, address):
        run_async(visit(address))
        left = time.monotonic()
        rest = process.communicate(timeout=60)[0]
        assert time.monotonic() - left >= 2.0
    assert process.returncode == 0
    assert "Ended as nobody was connected for 2 s" in rest
    assert "Live run of 'pendulum'" in rest and "lateness" in rest


@pytest.mark.parametrize(
    ("what", "said"), [("piano", "building the keys"), ("zoo", "opening the zoo")]
)
def test_what_takes_time_before_the_page_is_there_is_told(
    what: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def working(words: str) -> nullcontext[None]:
        told.append(words)
        return nullcontext()

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for name in ("PianoPage", "PlayServer"):
        monkeypatch.setattr(f"touchback.workbench.{name}", interrupted)
    monkeypatch.setattr(keyboard_performance, "working", working)
    assert touchback("play", what).returncode == 130 and told == [said]


def test_ctrl_c_is_told_as_the_reason() -> None:
    with playing("zoo") as (process, address):
        assert "token=" in address
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0]
    assert process.returncode == 0 and rest.strip().endswith("Ended by Ctrl-C.")


def test_ctrl_c_before_the_page_is_there_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("touchback.workbench.PlayServer", interrupted)
    done = touchback("play", "zoo")
    assert done.returncode == 130 and "Ended by Ctrl-C, before the page" in done.stdout


def test_ctrl_c_while_the_command_is_loaded_leaves_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Loading:
        """A module on whose import somebody presses Ctrl-C."""

        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "touchback.cli.command_table", Loading())  # type: ignore[arg-type]
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
