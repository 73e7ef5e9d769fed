"""What a thread does for a page keeps nobody waiting, and leaves nothing when the page is gone."""

import asyncio
import gc
import json
import weakref
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest

from manipulated import four_bar
from page_client import Page, connect, on_page, run_async, wire_of
from touchback import gallery, workbench
from touchback.realtime.control import Answer
from touchback.recording import recording_export as export_module
from touchback.workbench import Workbench
from touchback.workbench.playback import RecordingFolder, recording_folder
from waiting import PATIENCE, until


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("late")


@pytest.fixture(scope="module")
def bench(folder: Path) -> Iterator[Workbench]:
    with workbench.open(four_bar(), recordings=folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def recorded(bench: Workbench) -> str:
    async def play(page: Page) -> str:
        await page.send(do="record")
        bench.live.run(0.2)
        return str((await page.send(do="record", on=False))["name"])

    return on_page(bench, play)


def gone_meanwhile(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, *asked: dict[str, object]
) -> None:
    """A page asks, and goes away when a thread is about to do the first of it, which then is
    done."""
    began, may_end, answers = Event(), Event(), list[Answer]()
    handle = bench.source.handle

    def slowly(data: bytes, client: str) -> Answer:
        if json.loads(data)["do"] != asked[0]["do"]:
            return handle(data, client)
        began.set()
        assert may_end.wait(PATIENCE)
        answers.append(handle(data, client))
        return answers[-1]

    async def run() -> None:
        async with asyncio.timeout(PATIENCE):
            wire = await connect(wire_of(bench), compression=None)
            for each in asked:
                await wire.send(json.dumps(each))
                await asyncio.to_thread(began.wait, PATIENCE)
            wire.transport.abort()
            await asyncio.to_thread(lambda: until(lambda: not bench.hub.clients))

    monkeypatch.setattr(bench.source, "handle", slowly)
    run_async(run())
    may_end.set()
    assert until(lambda: answers)[0].ok, answers
    monkeypatch.undo()


GRAB = {"do": "grab", "body": "rocker", "point": [0.1, 0.0, 0.0]}


def test_a_page_that_goes_while_it_grabs_holds_nothing(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone_meanwhile(bench, monkeypatch, GRAB)
    assert until(lambda: bench.live["hand grip"] == 0.0)

    async def play(page: Page) -> None:
        assert (await page.send(do="grab", body="crank"))["ok"]

    on_page(bench, play)
    assert until(lambda: bench.live["hand grip"] == 0.0)


def test_a_page_that_goes_while_a_scope_begins_has_no_stream(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bench.page_recordings.port is not None
    assert until(lambda: bench.page_recordings.port.source.known)
    gone_meanwhile(bench, monkeypatch, {"do": "scope", "number": 1, "signals": ["time"]})
    assert until(lambda: not bench.page_recordings.port._streams)


def test_a_page_that_goes_leaves_its_emergency_stop(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resume that was under way doesn't take it back."""
    gone_meanwhile(bench, monkeypatch, {"do": "resume"}, {"do": "stop"})
    ticks = bench.live.ticks
    assert until(lambda: bench.live.ticks > ticks + 100)
    assert "stopped" in bench.live.faults
    bench.live.resume()
    assert until(lambda: not bench.live.faults)


def test_a_hand_lets_go_though_a_recording_is_shown_when_its_page_goes(
    bench: Workbench, recorded: str
) -> None:
    async def play(page: Page) -> None:
        assert (await page.send(**GRAB))["ok"]
        assert until(lambda: bench.live["hand grip"])
        await page.send(do="open", recording=recorded)

    live = bench.live
    on_page(bench, play)
    assert until(lambda: live["hand grip"] == 0.0)

    async def back(page: Page) -> None:
        assert (await page.send(do="back"))["ok"]

    on_page(bench, back)


def test_exports_keep_nobody_waiting_not_even_their_own_page(
    bench: Workbench, recorded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, count, export = Event(), [0], RecordingFolder.export

    def slowly(self: RecordingFolder, name: str, kind: str) -> tuple[Path, list[str]]:
        count[0] += 1
        assert may_end.wait(PATIENCE)
        return export(self, name, kind)

    monkeypatch.setattr(RecordingFolder, "export", slowly)

    async def play(page: Page) -> None:
        for number in range(4):
            asked = {"do": "export", "recording": recorded, "kind": "csv", "id": f"e{number}"}
            await page.wire.send(json.dumps(asked))
        await asyncio.to_thread(lambda: until(lambda: count[0]))
        assert (await page.send(do="grab", body="crank"))["ok"]
        assert (await page.send(do="release"))["ok"]
        assert (await page.send(do="recordings"))["ok"]
        async with connect(wire_of(bench), compression=None) as wire:
            assert (await Page(wire).send(do="grab", body="crank"))["ok"]
        assert count[0] == 1  # one after the other
        may_end.set()
        for number in range(4):
            answer = await page.told("answer", lambda each, n=number: each["id"] == f"e{n}")
            assert answer["ok"], answer

    on_page(bench, play)


def test_two_who_export_the_same_at_once_both_get_it_whole(
    folder: Path, recorded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each waits with its file half written until the other's is too."""
    both, save = Barrier(2, timeout=PATIENCE), export_module.save_run

    def together(*given: object) -> None:
        with export_module.atomic_file(given[1]) as beside:  # type: ignore[arg-type]
            both.wait()
            beside.write_bytes(b"half")
            both.wait()
            save(given[0], beside)  # type: ignore[arg-type]
            both.wait()

    ours, found = RecordingFolder(folder), list[bytes]()
    due = ours.export(recorded, "csv")[0].read_bytes()
    monkeypatch.setattr(export_module, "save_run", together)
    monkeypatch.setattr(recording_folder, "_EXPORTS", 1)
    asking = [
        Thread(target=lambda: found.append(ours.export(recorded, "csv")[0].read_bytes()))
        for _ in range(2)
    ]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert ours._made is not None
    left = [each.name for each in Path(ours._made.name).iterdir()]
    ours.close()
    assert found == [due, due]
    assert left == [f"{Path(recorded).stem}.csv"]


@pytest.fixture
def drawn(folder: Path) -> Iterator[Workbench]:
    """A pendulum that was drawn and plays."""
    with workbench.open_drawing(folder=folder / "drawn") as opened:
        drawing = opened.drawing
        assert drawing is not None
        drawing.apply({"change": "bar", "from": (0, 0, 0), "to": (0.3, 0, 0)})
        joint = {"change": "joint", "kind": "revolute", "at": (0, 0, 0)}
        drawing.apply({**joint, "a": "ground", "b": "bar 1"})
        drawing.play()
        assert until(lambda: opened.running and opened.live.ticks > 10)
        yield opened


def test_an_emergency_stop_holds_over_rest_and_play_until_it_is_resumed(drawn: Workbench) -> None:
    """Whether it came to the run, or to the drawing at rest."""

    async def play(page: Page) -> None:
        assert (await page.send(do="stop"))["ok"]
        for _ in range(2):
            assert (await page.send(do="draw", change="rest"))["ok"]
            assert (await page.send(do="draw", change="play"))["ok"]
            await asyncio.to_thread(until, lambda: drawn.live.faults == ("stopped",))
        assert (await page.send(do="resume"))["ok"]
        await asyncio.to_thread(until, lambda: not drawn.live.faults)
        assert (await page.send(do="draw", change="rest"))["ok"]
        assert (await page.send(do="stop"))["ok"]
        assert drawn.source.status()["held"]
        assert (await page.send(do="draw", change="play"))["ok"]
        await asyncio.to_thread(until, lambda: drawn.live.faults == ("stopped",))
        assert (await page.send(do="draw", change="rest"))["ok"]
        assert not (await page.send(do="resume"))["held"]
        assert (await page.send(do="draw", change="play"))["ok"]
        await asyncio.to_thread(until, lambda: drawn.live.ticks > 20)
        assert not drawn.live.faults

    on_page(drawn, play)


def test_a_stop_at_rest_is_answered_and_holds_though_python_has_not_read_it(
    drawn: Workbench,
) -> None:
    """The server's loop waits, as beside a flood of messages; the next run begins meanwhile."""
    drawing, began, may_end = drawn.drawing, Event(), Event()
    assert drawing is not None
    drawing.rest()

    def wait() -> None:
        began.set()
        assert may_end.wait(PATIENCE)

    async def play(page: Page) -> None:
        drawn.hub.call(wait)
        assert await asyncio.to_thread(began.wait, PATIENCE)
        assert (await page.send(do="stop"))["ok"]
        playing = Thread(target=drawing.play)
        playing.start()
        assert await asyncio.to_thread(until, lambda: bool(runs.running()))
        assert await asyncio.to_thread(until, lambda: runs.running()[-1].faults == ("stopped",))
        assert not may_end.is_set()
        may_end.set()
        playing.join(PATIENCE)
        assert (await page.send(do="resume"))["ok"]
        assert await asyncio.to_thread(until, lambda: not drawn.live.faults)

    runs = drawn.page_recordings.runs
    on_page(drawn, play)


def test_a_resume_at_rest_takes_back_no_stop_that_nobody_has_read(drawn: Workbench) -> None:
    drawing = drawn.drawing
    assert drawing is not None
    drawing.rest()
    drawn.page_recordings.runs.stops.stop()  # as the front does
    refused = drawn.source.handle(b'{"do":"resume"}', "page")
    assert not refused.ok and "came meanwhile" in refused.error
    assert drawn.source.status()["held"]
    assert drawn.source.handle(b'{"do":"resume"}', "page").ok
    assert not drawn.source.status()["held"]


def test_a_stop_is_answered_while_a_drawing_is_edited(
    drawn: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the page which asked for the edit, and that of one which comes meanwhile; other
    messages are done as well, and the run ticks on beside all of it."""
    began, may_end = Event(), Event()
    drawing = drawn.drawing
    assert drawing is not None
    edit = drawing._edit

    def slowly(asked: object) -> object:
        began.set()
        assert may_end.wait(PATIENCE)
        return edit(asked)  # type: ignore[arg-type]

    monkeypatch.setattr(drawing, "_edit", slowly)
    box = {"do": "draw", "change": "box", "at": [1, 0, 0], "size": [0.1, 0.1, 0.1], "id": "late"}

    async def play(page: Page) -> None:
        live = drawn.live
        for _ in range(3):  # more than there are workers
            await page.wire.send(json.dumps(box))
        await asyncio.to_thread(began.wait, PATIENCE)
        ticks = live.ticks
        assert await asyncio.to_thread(lambda: until(lambda: live.ticks > ticks + 100))
        async with connect(wire_of(drawn), compression=None) as wire:
            other = Page(wire)
            assert (await other.told("drawing"))["bodies"][0]["name"] == "bar 1"
            assert (await other.send(do="grab", body="bar 1", point=[0.1, 0, 0]))["ok"]
            assert (await other.send(do="stop"))["ok"]
            assert await asyncio.to_thread(lambda: until(lambda: "stopped" in live.faults))
        assert (await page.send(do="stop"))["ok"] and not may_end.is_set()
        may_end.set()

    on_page(drawn, play)
    assert until(lambda: "box 1" in drawing.document["bodies"])
    drawn.live.resume()


def test_an_edit_of_a_drawing_reaches_the_run_and_misses_no_tick(drawn: Workbench) -> None:
    """Swaps act from one tick on: the run's clock goes on, each period one tick."""
    live, drawing = drawn.live, drawn.drawing
    assert drawing is not None

    async def play(page: Page) -> None:
        before = live.ticks
        box = {"change": "box", "at": [1, 0, 0], "size": [0.1, 0.1, 0.1]}
        assert (await page.send(do="draw", **box))["ok"]
        assert await asyncio.to_thread(lambda: until(lambda: "box 1" in live.system.coordinates[1]))
        path = ["bodies", "bar 1", "mass"]
        assert (await page.send(do="draw", change="set", path=path, value=2.5))["ok"]
        made = await page.send(do="draw", change="parameter", path=path, name="weight")
        assert made["ok"], made
        assert (await page.send(do="draw", change="set", path=["parameters", "weight", "default"],
                                value=3.0))["ok"]  # fmt: skip
        assert await asyncio.to_thread(lambda: until(lambda: live["weight"] == 3.0))
        assert (await page.send(do="edit", change="weld", joint="revolute 1"))["ok"]
        assert (await page.send(do="undo"))["ok"]
        assert (await page.send(do="grab", body="bar 1", point=[0.1, 0, 0]))["ok"]
        assert (await page.send(do="release"))["ok"]
        assert (await page.send(do="draw", change="undo"))["ok"]
        assert (await page.send(do="draw", change="rest"))["ok"]
        assert before < live.ticks

    on_page(drawn, play)
    report = live.report()
    assert not report.faults and report.counts["lost_rows"] == 0
    assert len(live.structures) >= 4


@pytest.mark.parametrize("shown", [False, True])
def test_a_page_that_is_closed_is_held_by_nobody(shown: bool) -> None:
    """A page that shows itself stays though nobody holds it, until it is closed."""
    bench = workbench.open(gallery.make("pendulum"))
    held = weakref.ref(bench)
    if shown:
        kept = [bench.show()]
        del bench, kept
        gc.collect()
        bench = held()
        assert bench is not None and bench.live.state != "stopped"
    bench.close()
    del bench
    gc.collect()
    assert held() is None
