"""However slowly a run goes, and whoever waits for it, others are answered and can stop it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from page_client import Page, wire_of
from touchback import gallery, workbench
from touchback.workbench import Workbench

SLOWEST = 1e-6  # a tick of 1 ms then takes 1000 s


@pytest.fixture
def slow() -> Iterator[Workbench]:
    with workbench.open(gallery.make("pendulum").compile()) as opened:
        yield opened


def two_pages(bench: Workbench, play: Callable[[Page, Page], Awaitable[None]]) -> None:
    async def run() -> None:
        url = wire_of(bench)
        async with asyncio.timeout(10), connect(url) as one, connect(url) as other:
            await play(Page(one), Page(other))

    asyncio.run(run())


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
    end = time.monotonic() + 2.0
    while not live.faults and time.monotonic() < end:
        time.sleep(0.01)
    assert live.faults


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
    assert time.monotonic() - began < 5.0
