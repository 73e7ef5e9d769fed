"""However slowly a run goes, and whoever waits for it, others are answered and can stop it."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from threading import Event

import pytest
from websockets.exceptions import ConnectionClosed

from page_client import Page, connect, run_async, wire_of
from touchback import gallery, workbench
from touchback.workbench import Workbench
from touchback.workbench.page_connection import MOST_ASKED
from waiting import PATIENCE, until

SLOWEST = 1e-6  # a tick of 1 ms then takes 1000 s


@pytest.fixture
def slow() -> Iterator[Workbench]:
    with workbench.open(gallery.make("pendulum").compile()) as opened:
        yield opened


def two_pages(bench: Workbench, play: Callable[[Page, Page], Awaitable[None]]) -> None:
    async def run() -> None:
        url = wire_of(bench)
        async with asyncio.timeout(PATIENCE), connect(url) as one, connect(url) as other:
            await play(Page(one), Page(other))

    run_async(run())


def test_single_ticks_are_made_at_once_and_the_others_stop_is_answered(slow: Workbench) -> None:
    async def play(one: Page, other: Page) -> None:
        before = (await one.send(do="pause"))["time"]
        await one.send(do="speed", value=SLOWEST)
        stepped = await one.send(do="step", ticks=10)
        assert stepped["time"] - before == pytest.approx(10e-3, abs=1e-9)
        assert (await other.send(do="stop"))["ok"]

    two_pages(slow, play)


def test_who_waits_for_a_tick_that_is_far_off_keeps_nobody_from_pause_and_stop(
    slow: Workbench,
) -> None:
    async def play(one: Page, other: Page) -> None:
        await one.send(do="speed", value=SLOWEST)
        url = wire_of(slow)
        async with connect(url) as second, connect(url) as third:
            waiting = [
                asyncio.create_task(page.send(do="reset"))
                for page in (one, Page(second), Page(third))
            ]
            await asyncio.sleep(0.2)
            assert not any(each.done() for each in waiting)
            assert (await other.send(do="stop"))["ok"]
            assert (await other.send(do="pause"))["state"] == "paused"
            for each in waiting:
                assert (await each)["ok"]  # a run that rests takes what it is asked at once

    two_pages(slow, play)


def test_an_emergency_stop_waits_for_no_slow_tick(slow: Workbench) -> None:
    live = slow.live
    live.set_speed(SLOWEST)
    time.sleep(0.05)
    live.emergency_stop()
    until(lambda: live.faults)


def held_up(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> tuple[Event, Event]:
    """Lets the next swap of the run take as long as a test wants; it began, and it may end."""
    began, may_end = Event(), Event()
    swap = bench.live.swap

    def slowly(*given: object, **more: object) -> object:
        began.set()
        assert may_end.wait(PATIENCE)
        return swap(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(bench.live, "swap", slowly)
    return began, may_end


WELD = {"do": "edit", "change": "weld", "joint": "shoulder"}


def test_an_emergency_stop_overtakes_what_its_own_page_asked_before(
    slow: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    joint = next(iter(slow.live.system.model.joints))
    began, may_end = held_up(slow, monkeypatch)

    async def play(one: Page, other: Page) -> None:
        await one.wire.send(json.dumps({**WELD, "joint": joint, "id": "weld"}))
        await asyncio.to_thread(began.wait, PATIENCE)
        await one.wire.send(json.dumps({"do": "resume", "id": "resume"}))
        assert (await one.send(do="stop"))["ok"]
        await asyncio.to_thread(lambda: until(lambda: "stopped" in slow.live.faults))
        overtaken = await one.told("answer", lambda each: each["id"] == "resume")
        assert not overtaken["ok"] and "emergency stop" in overtaken["error"]
        may_end.set()
        assert (await one.told("answer", lambda each: each["id"] == "weld"))["ok"]
        ticks = slow.live.ticks
        await asyncio.to_thread(lambda: until(lambda: slow.live.ticks > ticks + 5))
        assert "stopped" in slow.live.faults  # whatever came after it
        assert (await one.send(do="resume"))["ok"]
        await asyncio.to_thread(lambda: until(lambda: not slow.live.faults))

    two_pages(slow, play)


def test_an_emergency_stop_holds_though_a_resume_was_under_way(
    slow: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, began, may_end = slow.live, Event(), Event()
    resume = live.resume

    def slowly() -> None:
        began.set()
        assert may_end.wait(PATIENCE)
        resume()

    monkeypatch.setattr(live, "resume", slowly)

    async def play(one: Page, other: Page) -> None:
        await one.wire.send(json.dumps({"do": "resume", "id": "resume"}))
        await asyncio.to_thread(began.wait, PATIENCE)
        assert (await one.send(do="stop"))["ok"]
        may_end.set()
        assert (await one.told("answer", lambda each: each["id"] == "resume"))["ok"]
        await one.send(do="what")  # after whatever the resume left to do
        ticks = live.ticks
        await asyncio.to_thread(lambda: until(lambda: live.ticks > ticks + 5))
        assert "stopped" in live.faults

    two_pages(slow, play)


def test_an_emergency_stop_holds_though_a_resume_ends_before_python_reads_it(
    slow: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    live, began, may_end, ended = slow.live, Event(), Event(), Event()
    busy, may_read = Event(), Event()
    resume = live.resume

    def slowly() -> None:
        began.set()
        assert may_end.wait(PATIENCE)
        resume()
        ended.set()

    def keep_busy() -> None:
        busy.set()
        may_read.wait(PATIENCE)

    monkeypatch.setattr(live, "resume", slowly)

    async def play(one: Page, other: Page) -> None:
        await one.wire.send(json.dumps({"do": "resume", "id": "resume"}))
        await asyncio.to_thread(began.wait, PATIENCE)
        slow.hub.call(keep_busy)
        await asyncio.to_thread(busy.wait, PATIENCE)
        assert (await one.send(do="stop"))["ok"]
        may_end.set()
        assert await asyncio.to_thread(ended.wait, PATIENCE)
        ticks = live.ticks
        await asyncio.to_thread(lambda: until(lambda: live.ticks > ticks + 5))
        may_read.set()
        assert (await one.told("answer", lambda each: each["id"] == "resume"))["ok"]
        await one.send(do="what")
        ticks = live.ticks
        await asyncio.to_thread(lambda: until(lambda: live.ticks > ticks + 5))
        assert "stopped" in live.faults

    two_pages(slow, play)


def test_messages_are_done_in_their_order_and_wait_in_little_memory(slow: Workbench) -> None:
    """More than may wait: it is read no further until there is room, and nothing is lost."""
    long = "x" * 8000
    count = 2 * MOST_ASKED // len(long)

    async def play(one: Page, other: Page) -> None:
        async def flood() -> None:
            for number in range(count):
                text = {"do": "read", "names": ["time"], "id": number, "more": long}
                await one.wire.send(json.dumps(text))

        flooding = asyncio.create_task(flood())
        answered = [(await one.told("answer"))["id"] for _ in range(count)]
        await flooding
        assert answered == list(range(count))

    two_pages(slow, play)


def test_a_page_closes_while_somebody_waits_for_a_tick(slow: Workbench) -> None:
    async def play(one: Page, other: Page) -> None:
        await one.send(do="speed", value=SLOWEST)
        waiting = asyncio.create_task(one.send(do="reset"))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(slow.close)
        with pytest.raises(ConnectionClosed):
            await waiting

    began = time.monotonic()
    two_pages(slow, play)
    assert time.monotonic() - began < 2 * PATIENCE  # not 1000 s
