"""The emergency stop reaches every run behind a page: behind a recording, and around a fork."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import touchback as tb
from page_client import Page, on_page
from touchback import workbench
from touchback.realtime import Live
from touchback.workbench import Workbench
from touchback.workbench.manipulate import model_with_hands
from touchback.workbench.playback import page_recordings
from waiting import until

pytest.importorskip("websockets")


def pendulum() -> tb.Model:
    m = tb.Model("pendulum")
    bob = m.body("bob", 1.0, com=(0, 0, -0.5), inertia=(0.01, 0.02, 0.01))
    m.joint("hinge", tb.Revolute("y"), m.ground, bob, position=0.5)
    return m


async def recorded(bench: Workbench, page: Page) -> str:
    """The name of a recording that is made now."""
    name = str((await page.send(do="record"))["name"])
    bench.live.run(0.05)
    assert (await page.send(do="record", on=False))["ok"]
    return name


def held(live: Live) -> bool:
    """Whether a run is stopped, once a tick took what was asked."""
    until(lambda: "stopped" in live.faults)
    before = live.read("time")
    live.run(0.01)
    return live.read("time") == before


def test_a_stop_reaches_the_run_behind_a_recording(tmp_path: Path) -> None:
    with workbench.open(pendulum(), recordings=tmp_path) as bench:
        live = bench.live

        async def play(page: Page) -> None:
            await page.send(do="open", recording=await recorded(bench, page))
            await page.send(do="go")
            stopped = await page.send(do="stop")
            assert stopped["ok"] and stopped["stopped"], stopped
            assert stopped["state"] == "paused"  # the recording
            assert held(live)
            assert (await page.send(do="back"))["ok"]

        on_page(bench, play)
        assert held(live)


def test_a_stop_of_a_recording_without_a_run_lets_it_stand() -> None:
    run = tb.simulate(pendulum().compile(), duration=0.1)
    with workbench.open(run, model=pendulum()) as bench:

        async def play(page: Page) -> None:
            await page.send(do="go")
            stopped = await page.send(do="stop")
            assert stopped["state"] == "paused" and not stopped["stopped"], stopped

        on_page(bench, play)


def test_a_fork_of_a_stopped_bench_begins_stopped(tmp_path: Path) -> None:
    with workbench.open(pendulum(), recordings=tmp_path) as bench:

        async def play(page: Page) -> None:
            name = await recorded(bench, page)
            await page.send(do="stop")
            until(lambda: bench.live.faults)
            await page.send(do="open", recording=name)
            forked = await page.send(do="fork", time=1e6)
            assert forked["ok"], forked
            assert held(bench.live)
            assert bench.live.read("time") == pytest.approx(forked["time"])  # not a step
            await page.send(do="resume")
            until(lambda: bench.live.read("time") > forked["time"] + 0.01)

        on_page(bench, play)


def test_a_fork_asked_for_before_the_tick_of_a_stop_begins_stopped(tmp_path: Path) -> None:
    """At 20 ticks a second a stop waits for up to 50 ms until the run's faults tell of it."""
    with workbench.open(pendulum(), recordings=tmp_path, rate=20.0) as bench:

        def ask(**message: object) -> dict[str, object]:
            answer = bench.source.handle(json.dumps(message).encode(), "page")
            assert answer.ok, answer
            return dict(answer.facts)

        assert until(lambda: bench.live.ticks > 3)
        ask(do="record")
        ticks = bench.live.ticks
        assert until(lambda: bench.live.ticks > ticks + 3)
        name = ask(do="record", on=False)["name"]
        for _ in range(3):
            ask(do="open", recording=name)
            ask(do="stop")
            ask(do="fork")
            assert held(bench.live)
            ask(do="resume")
            assert until(lambda: not bench.live.faults)


@pytest.mark.parametrize("whose", ["a page", "a script"])
def test_a_stop_while_a_fork_is_being_made_holds_the_fork(
    whose: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its latest moment, too: the run before has no tick any more that could tell it."""
    made, begin = page_recordings.forked_at, Workbench.begin
    with workbench.open(pendulum(), recordings=tmp_path) as bench:
        before = bench.live

        def stop() -> None:
            if whose == "a script":
                before.emergency_stop()
            else:
                assert bench.source.handle(b'{"do":"stop"}', "another page").ok

        def late(self: Workbench, live: Live) -> object:
            source = begin(self, live)
            stop()
            return source

        async def play(page: Page) -> None:
            name = await recorded(bench, page)
            await page.send(do="open", recording=name)
            with monkeypatch.context() as patch:
                patch.setattr(page_recordings, "forked_at", _after(made, stop))
                forked = await page.send(do="fork", time=1e6)
            assert held(bench.live)
            assert bench.live.read("time") == pytest.approx(forked["time"])
            await page.send(do="resume")
            nonlocal before
            before = bench.live
            until(lambda: not bench.live.faults)
            await page.send(do="open", recording=name)
            with monkeypatch.context() as patch:
                patch.setattr(Workbench, "begin", late)
                assert (await page.send(do="fork", time=1e6))["ok"]
            assert bench.live is not before and held(bench.live)

        on_page(bench, play)


def _after(make: Callable[..., object], then: Callable[[], None]) -> Callable[..., object]:
    def made(*given: object) -> object:
        found = make(*given)
        then()
        return found

    return made


def test_somebodys_own_run_stays_within_reach_of_a_page_that_forked(tmp_path: Path) -> None:
    with (
        tb.live(model_with_hands(pendulum()).compile(), rate=1000) as live,
        workbench.open(live, recordings=tmp_path) as bench,
    ):

        async def play(page: Page) -> None:
            refused = await page.send(do="back")
            assert "none to go back to" in refused["error"]
            name = await recorded(bench, page)
            await page.send(do="open", recording=name)
            assert (await page.send(do="fork", time=1e6))["ok"]
            fork = bench.live
            assert fork is not live and (await page.send(do="recordings"))["behind"] == "pendulum"
            assert (await page.send(do="stop"))["ok"]
            assert held(fork) and held(live)
            await page.send(do="open", recording=name)  # over the fork
            assert (await page.send(do="back"))["ok"] and bench.live is fork
            assert (await page.send(do="back"))["ok"]
            assert bench.live is live and bench.commands is not None and bench.commands.live is live
            assert fork.state == "stopped" and held(live)
            await page.send(do="resume")
            until(lambda: not live.faults)
            assert "none to go back to" in (await page.send(do="back"))["error"]
            assert (await page.send(do="signals"))["ok"]
            await page.send(do="record")
            assert (await page.send(do="record", on=False))["ok"]

        on_page(bench, play)
        assert live.state == "running"
    assert len(list(tmp_path.glob("*.mcap"))) == 2
