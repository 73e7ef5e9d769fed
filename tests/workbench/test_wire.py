"""A page connects and is told what there is, and what happens."""

import asyncio
import contextlib
import json
import threading
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

import touchback as tb
from page_client import Page, on_page
from touchback import gallery, workbench
from touchback.realtime import open_recording
from touchback.realtime.control import CommandServer, Message
from touchback.workbench import Workbench
from touchback.workbench.live_source import LiveSource
from touchback.workbench.page_connection import Client
from touchback.workbench.wire_format import unframed


def test_the_page_and_what_it_draws_with_are_served(bench: Workbench) -> None:
    root = bench.url.split("?")[0]
    for path, kind in (
        ("", "text/html"),
        ("server_connection.js", "text/javascript"),
        ("draw/render.js", ""),
    ):
        with urllib.request.urlopen(root + path) as answer:
            assert answer.status == 200 and len(answer.read()) > 100
            assert answer.headers["Content-Type"].startswith(kind)


def test_a_page_is_told_the_scene_then_values_and_status(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        scene = await page.told("scene")
        assert scene["bodies"] == ["ground", "crank", "rod", "slider"]
        assert scene["flat"] == [[1, 0, 0], [0, 0, 1]]
        crank = next(each for each in scene["joints"] if each["name"] == "crank")
        assert crank["kind"] == "Revolute" and crank["axis"] == [0, 1, 0]
        assert (await page.told("values"))["values"]["crank radius"] == 0.1
        status = await page.told("status")
        assert status["state"] == "running" and status["constraint error"] < 1e-9

    on_page(bench, play)


def test_frames_are_of_the_live_run(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        before = bench.live.read("time")
        assert (await page.send(do="watch", poses=60))["ok"]
        kind, structure, bodies, time, numbers = await page.frame()
        assert (kind, structure, bodies) == (1, bench.source.structure, 4)
        assert before <= time <= bench.live.read("time")
        crank, rod = numbers[7:14], numbers[14:21]
        turn = 2 * np.arctan2(crank[4], crank[6])  # about y
        expected = 0.1 * np.array([np.cos(turn), 0.0, -np.sin(turn)])
        assert np.allclose(rod[:3], expected, atol=1e-6)  # of float32

    on_page(bench, play)


def test_a_chore_of_a_page_that_is_open_already_is_done_again_and_again(bench: Workbench) -> None:
    done = threading.Semaphore(0)
    bench.hub.every(0.001, done.release)
    assert all(done.acquire(timeout=10.0) for _ in range(3))


def test_a_page_that_sets_a_parameter_and_all_others_are_told(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        answer = await page.send(do="set", name="motor torque", value=0.25)
        assert answer["ok"]
        changed = await page.told("values", lambda each: "motor torque" in each["values"])
        assert changed["values"]["motor torque"] in (0.0, 0.25)
        assert bench.live["motor torque"] == 0.25

    on_page(bench, play)


class Ratio(msgspec.Struct, tag="ratio", tag_field="do"):
    """A message of somebody's own."""

    of: float = 0.0


def test_a_handler_that_fails_is_answered_with_what_it_raised_and_the_page_stays(
    bench: Workbench,
) -> None:
    bench.hub.add(Ratio, lambda asked, client: {"ratio": 1.0 / asked.of})

    async def play(page: Page) -> None:
        answer = await page.send(do="ratio")
        assert not answer["ok"]
        assert answer["error"] == "'ratio' failed: ZeroDivisionError: float division by zero."
        answer = await page.send(do="ratio", of=4.0)
        assert answer["ok"] and answer["ratio"] == 0.25

    on_page(bench, play)


def test_pages_whose_arrival_fails_take_no_room_of_others(bench: Workbench) -> None:
    def refuse(client: Client) -> None:
        raise ValueError("not today")

    async def look(page: Page) -> None:
        with contextlib.suppress(ConnectionClosed):
            await page.send(do="get", name="time")

    bench.hub.coming.append(refuse)
    for _ in range(40):  # more than there is room for
        with contextlib.suppress(ConnectionClosed, EOFError):
            on_page(bench, look)
    bench.hub.coming.remove(refuse)
    on_page(bench, look)
    assert len(bench.hub.clients) <= 1


def test_what_cannot_be_done_is_answered_in_our_words(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        answer = await page.send(do="set", name="crank radios", value=0.25)
        assert not answer["ok"] and "crank radius" in answer["error"]

    on_page(bench, play)


def test_two_runs_share_a_port_and_each_page_reaches_its_own(bench: Workbench) -> None:
    other = gallery.make("pendulum").compile()
    with workbench.open(other, beside=bench, name="swing", page="index.html") as beside:
        assert beside.server is bench.server and "run=swing" in beside.url

        async def title(page: Page) -> str:
            return str((await page.told("scene"))["title"])

        assert on_page(bench, title) == "slider-crank"
        assert on_page(beside, title) == "pendulum"
        address = beside
    with pytest.raises(ConnectionClosed, match="this run has ended"):
        on_page(address, title)
    assert on_page(bench, title) == "slider-crank"


def bolt(kind: tb.JointKind) -> tb.Model:
    m = tb.Model("bolt", gravity=(0, 0, 0))
    body = m.body("bolt", mass=1.0, com=(0.1, 0, 0.02), inertia=(0.01, 0.01, 0.01))
    m.joint("hinge", kind, m.ground, body, velocity=(0.2, 1.0) if kind.nv == 2 else None)
    return m


def test_a_change_of_structure_is_told_to_everybody_before_its_first_frame() -> None:
    with (
        tb.live(bolt(tb.Cylindrical("x")).compile(), rate=1000) as live,
        workbench.open(live) as bench,
    ):

        async def play(page: Page) -> None:
            await page.told("scene")
            await page.send(do="watch", poses=60)
            await asyncio.to_thread(live.swap, bolt(tb.Revolute("x")))
            known, change = 1, {}
            async for data in page.wire:
                if isinstance(data, bytes):
                    assert unframed(data)[1] <= known  # no frame of what isn't known yet
                    if unframed(data)[1] == 2 and change:
                        break
                elif (told := json.loads(data))["tell"] == "scene":
                    known = told["structure"]
                    assert told["joints"][0]["kind"] == "Revolute"
                elif told["tell"] == "structure":
                    change = told
            assert change["state"] == "taken" and list(change["frozen"]) == ["hinge.slide"]
            # the slide took its share of the energy with it: half m v² of 1 kg at 0.2 m/s
            assert abs(change["energy_lost"] - 0.5 * 0.2**2) < 1e-9

        on_page(bench, play)


def test_a_scene_that_is_made_while_the_next_structure_is_taken_up_is_of_one_of_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tb.live(bolt(tb.Cylindrical("x")).compile(), rate=1000) as live:
        source = LiveSource(live, CommandServer(live))
        live.swap(bolt(tb.Revolute("x")))
        settings = source._settings

        def taken_up_meanwhile(system: tb.System) -> tuple[np.ndarray, dict[str, float]]:
            source.prepare()
            return settings(system)

        monkeypatch.setattr(source, "_settings", taken_up_meanwhile)
        for number, kind in ((1, "Cylindrical"), (2, "Revolute")):
            scene = source.scene()
            assert (scene.structure, scene.joints[0].kind) == (number, kind)


def test_a_parameter_that_moves_what_is_drawn_gives_another_scene(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        def crank(scene: dict[str, Any]) -> float:
            lines = [each for each in scene["shapes"] if each["body"] == "crank"]
            return float(max(each["numbers"][3] for each in lines if each["kind"] == "line"))

        assert crank(await page.told("scene")) == 0.1
        assert (await page.send(do="set", name="crank radius", value=0.12))["ok"]
        assert crank(await page.told("scene")) == 0.12
        await page.send(do="set", name="crank radius", value=0.1)
        assert crank(await page.told("scene")) == 0.1

    on_page(bench, play)


def test_a_page_that_asks_for_more_frames_gets_them_at_once(bench: Workbench) -> None:
    """Not when the next would have been, in minutes; whatever the clock counts from."""

    async def play(page: Page) -> None:
        for poses in (0.001, 60.0):
            await page.send(do="watch", poses=poses)
            time = (await page.frame())[3]
        assert (await page.frame())[3] > time

    on_page(bench, play)


def test_who_asks_often_gets_no_more_frames_for_it(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        await page.send(do="watch", poses=0.001)
        await page.frame()
        for _ in range(20):
            await page.send(do="watch", poses=0.001)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(page.frame(), 0.3)

    on_page(bench, play)


def test_a_pull_is_seen_before_the_next_beat(bench: Workbench) -> None:
    """A page whose next frame would come in minutes gets one as soon as a tick took what it set, or
    one of before where a busy machine makes no tick in 10 ms."""

    async def play(page: Page) -> None:
        await page.send(do="watch", poses=0.001)
        await page.frame()
        for value in (0.1, 0.2, 0.3):
            time = before = bench.live.read("time")
            while time <= before:
                await page.send(do="set", name="motor torque", value=value)
                time = (await page.frame())[3]

    on_page(bench, play)


class Energies(Message, frozen=True, tag="energies"):
    """What a panel of somebody's own asks for."""


def energies_panel(bench: Workbench) -> None:
    """Answers {"do": "energies"} from what is shown, a run or a recording."""

    def energies(asked: Energies, client: Client) -> dict[str, object]:
        now, signals = bench.snapshot(), bench.signals()
        kinetic, _ = now.system.energy(now.q, now.v, now.t, now.z, parameters=now.parameters)
        return {
            "kinetic": kinetic, "time": now.t, "crank": now.q[0], "length": now.parameters,
            "signals": {name: signals[name] for name in ("time", "crank", "slider position.x")},
        }  # fmt: skip

    bench.hub.add(Energies, energies)


def test_a_panel_of_ones_own_reads_a_run_and_a_recording_alike(tmp_path: Path) -> None:
    """The slider is at r cos q + √(l² − r² sin² q), whichever of them the page shows, and what the
    panel computes of a recording's instant is what was at that tick."""
    path, system = tmp_path / "crank.mcap", gallery.make("slider-crank").compile()
    with tb.live(system, rate=1000, speed=None, record=path) as live:
        live["motor torque"] = 0.4
        live.run(0.3)
        last = live.snapshot()

    async def ask(page: Page) -> dict[str, Any]:
        return await page.send(do="energies")

    with tb.live(system, rate=1000) as live, workbench.open(live) as bench:
        live["motor torque"] = 0.4
        energies_panel(bench)
        live.run(0.1)
        told = on_page(bench, ask)
        assert told["ok"] and told["time"] > 0.0 and told["kinetic"] > 0.0
        with pytest.raises(tb.InputError, match="isn't a recording"):
            _ = bench.playback
        of_run = told["signals"]
    with workbench.open(open_recording(path)) as bench:
        energies_panel(bench)
        bench.playback.seek(10.0)
        told = on_page(bench, ask)
        assert (told["time"], told["crank"]) == (last["time"], last["crank"])
        assert told["signals"] == {name: last[name] for name in told["signals"]}
        with pytest.raises(tb.InputError, match="isn't a live run"):
            _ = bench.live
    r, rod = told["length"]["crank radius"], 0.4
    for signals in (of_run, told["signals"]):
        q = signals["crank"]
        slider = r * np.cos(q) + np.sqrt(rod**2 - (r * np.sin(q)) ** 2)
        assert signals["slider position.x"] == pytest.approx(slider, abs=1e-9)


def test_clients_that_are_no_browsers_can_be_played_beside_one(
    chromium: object, bench: Workbench
) -> None:
    """So that tests run in any order in one process: a browser leaves a loop running."""
    assert chromium is not None and asyncio._get_running_loop() is not None

    async def play(page: Page) -> bool:
        return bool((await page.send(do="watch", poses=1))["ok"])

    assert on_page(bench, play)


def test_no_test_runs_a_loop_in_the_thread_of_the_browser() -> None:
    tests = Path(__file__).parents[1]
    found = [path for path in tests.rglob("*.py") if "asyncio" + ".run(" in path.read_text("utf-8")]
    assert not found, f"use run_async of page_client in {found}"
