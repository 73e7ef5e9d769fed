"""Recordings made, listed, opened, exported and forked from the page, over a real wire."""

import asyncio
import os
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from page_client import Page, on_page
from parquet_reader import read_parquet
from touchback import gallery, workbench
from touchback.realtime import open_recording
from touchback.workbench import Workbench
from touchback.workbench.playback import RecordingFolder
from waiting import until

pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studio") / "recordings"


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[Workbench]:
    with workbench.open(gallery.make("slider-crank").compile(), recordings=folder) as opened:
        yield opened


@pytest.fixture
def path(studio: Workbench, folder: Path) -> Path:
    """A recording that was begun and ended from the page, with a torque set in between."""

    async def play(page: Page) -> str:
        begun = await page.send(do="record", on=True)
        assert begun["ok"] and (folder / str(begun["name"])).exists()
        refused = await page.send(do="record", on=True)
        assert "already" in str(refused["error"])
        await page.send(do="set", name="motor torque", value=1.0)
        studio.live.run(0.25)  # some ticks pass before a busy machine records
        ended = await page.send(do="record", on=False)
        assert ended["name"] == begun["name"] and ended["ticks"] >= 200
        listed = (await page.send(do="recordings"))["recordings"]
        assert [each["open"] for each in listed if each["name"] == begun["name"]] == [False]
        return str(begun["name"])

    return folder / on_page(studio, play)


def test_recording_begins_and_ends_from_the_page_and_replays(path: Path) -> None:
    assert tb.replay(path).same
    assert 1.0 in open_recording(path).column("motor torque")


def test_exports_hold_the_recorded_numbers(studio: Workbench, path: Path, tmp_path: Path) -> None:
    whole = open_recording(path)

    async def play(page: Page) -> None:
        for kind in ("csv", "npz", "mcap"):
            answer = await page.send(do="export", recording=path.name, kind=kind)
            assert answer["ok"], answer
            data = download(studio, str(answer["path"]))
            assert len(data) == answer["bytes"]
            (tmp_path / f"again.{kind}").write_bytes(data)
            again = tb.open(tmp_path / f"again.{kind}")
            np.testing.assert_array_equal(again["crank"], whole.column("crank"))
        film = await page.send(do="export", recording=path.name, kind="svg")
        assert b"<svg" in download(studio, str(film["path"]))[:200]
        table = await page.send(do="export", recording=path.name, kind="parquet")
        (tmp_path / "a.parquet").write_bytes(download(studio, str(table["path"])))
        found, _ = read_parquet(tmp_path / "a.parquet")
        np.testing.assert_array_equal(found["crank"], whole.column("crank"))
        listed = await page.send(do="recordings")
        assert {"mcap", "csv", "npz", "parquet", "svg", "html"} <= set(listed["kinds"])
        refused = await page.send(do="export", recording=path.name, kind="xlsx")
        assert "no kind of file 'xlsx'" in str(refused["error"])

    on_page(studio, play)


def download(studio: Workbench, path: str) -> bytes:
    address = urllib.parse.urlsplit(studio.url)
    with urllib.request.urlopen(f"http://{address.netloc}{path}?{address.query}") as answer:
        data: bytes = answer.read()
    return data


def test_nothing_outside_of_the_shelf_can_be_had(studio: Workbench) -> None:
    async def play(page: Page) -> None:
        for name in ("../secret.mcap", "/etc/passwd", "", "..\\x.mcap"):
            refused = await page.send(do="export", recording=name, kind="mcap")
            assert "no recording" in str(refused["error"])
            refused = await page.send(do="open", recording=name)
            assert "no recording" in str(refused["error"])

    on_page(studio, play)


def test_a_recording_lies_over_the_run(studio: Workbench, path: Path) -> None:
    whole = open_recording(path)
    start, end = whole.column("time")[[0, -1]]

    async def play(page: Page) -> None:
        asked = {"do": "past", "signals": ["crank"], "start": start, "end": end, "buckets": 4000}
        over = await page.send(**asked, recording=path.name)
        live = await page.send(**asked)
        assert over["rows"] == live["rows"]  # the run's own past, tick for tick

    on_page(studio, play)


def test_it_is_opened_scrubbed_and_forked_and_goes_on_with_the_same_bits(
    studio: Workbench, path: Path
) -> None:
    whole = open_recording(path)
    times = whole.column("time")
    middle = float(times[len(times) // 2])
    before = studio.live

    async def play(page: Page) -> None:
        opened = await page.send(do="open", recording=path.name)
        assert opened["ok"] and opened["start"] == times[0] and opened["end"] == times[-1]
        scene = await page.told("scene", lambda each: each["structure"] > 20_000)
        assert scene["title"] == "slider-crank"
        assert (await page.send(do="seek", time=middle))["time"] == pytest.approx(middle)
        status = await page.told("status", lambda each: "playback" in each and each["paused"])
        assert status["playback"]["name"] == path.name
        back = await page.send(do="back")
        assert back["ok"] and studio.live is before
        await page.send(do="open", recording=path.name)
        forked = await page.send(do="fork", time=middle)
        assert forked["same"], forked
        assert forked["compared"] == len(times) - len(times) // 2 - 1
        assert forked["time"] == pytest.approx(middle)

    on_page(studio, play)
    assert studio.live is not before and before.state == "stopped"
    row = len(times) // 2
    np.testing.assert_array_equal(whole.rows[row, 1], middle)
    assert studio.live.read("time") >= middle
    assert studio.live["motor torque"] == whole.column("motor torque")[row]


def test_a_fork_without_a_time_goes_on_from_the_instant_that_is_shown(
    studio: Workbench, path: Path
) -> None:
    """Between two ticks that is the one before."""
    whole = open_recording(path)
    times = whole.column("time")
    row = len(times) // 3

    async def play(page: Page) -> None:
        await page.send(do="open", recording=path.name)
        await page.send(do="seek", time=0.1 * times[row] + 0.9 * times[row + 1])
        forked = await page.send(do="fork")
        assert forked["ok"] and forked["time"] == pytest.approx(times[row], abs=1e-12), forked

    on_page(studio, play)


def test_what_was_recorded_before_is_never_written_over(tmp_path: Path) -> None:
    shelf = RecordingFolder(tmp_path)
    paths = []
    for _ in range(5):
        path = shelf.fresh("a model: with/odd letters")
        assert path.parent == tmp_path and not path.exists()
        path.write_bytes(b"kept")
        paths.append(path)
    assert len(set(paths)) == 5 and all(path.read_bytes() == b"kept" for path in paths)


def test_closing_the_page_while_it_records_leaves_a_whole_recording(tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        assert (await page.send(do="record"))["ok"]

    with workbench.open(gallery.make("pendulum").compile(), recordings=tmp_path) as opened:
        on_page(opened, play)
        opened.live.run(0.05)
    (path,) = tmp_path.glob("*.mcap")
    assert open_recording(path).complete and tb.replay(path).same


def test_links_that_lead_nowhere_and_folders_are_not_on_the_shelf(tmp_path: Path) -> None:
    (tmp_path / "gone.mcap").symlink_to(tmp_path / "nothing")
    (tmp_path / "round.mcap").symlink_to(tmp_path / "round.mcap")
    (tmp_path / "folder.mcap").mkdir()
    (tmp_path / "there.mcap").write_bytes(b"12")
    assert RecordingFolder(tmp_path).listing() == [{"name": "there.mcap", "bytes": 2}]


def test_a_name_that_is_not_utf_8_is_left_out_and_the_page_stays(tmp_path: Path) -> None:
    """Of the folder too: an error that names it arrives, with marks in place of what is no text."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/Pr\xfcfung"))
    folder.mkdir()
    for name in (b"\xff\xfe.mcap", b"good.mcap"):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(b"\x89MCAP0\r\n")

    async def play(page: Page) -> list[str]:
        listed = await page.send(do="recordings")
        assert (await page.send(do="open", recording="\ufffd.mcap"))["ok"] is False
        assert (await page.send(do="open", recording="good.mcap"))["ok"] is False
        return [each["name"] for each in listed["recordings"]]

    with workbench.open(gallery.make("pendulum").compile(), recordings=folder) as opened:
        assert on_page(opened, play) == ["good.mcap"]


def test_a_page_sees_that_a_recording_ended_by_itself_and_can_begin_another(
    studio: Workbench,
) -> None:
    async def play(page: Page) -> None:
        begun = await page.send(do="record", on=True)
        take = studio.live._recorder.active[-1]
        assert studio.source.status()["recording_to"] == begun["name"]
        await asyncio.to_thread(until, lambda: take.kept)  # one of which nothing is kept is removed
        take.failure = OSError(28, "No space left on device")
        studio.live._drain()
        told = studio.source.status()
        assert told["recording_to"] is None
        assert any("No space left" in text for text in told["said"])
        again = await page.send(do="record", on=True)
        assert again["ok"] and again["name"] != begun["name"]
        assert (await page.send(do="record", on=False))["ok"]

    on_page(studio, play)


def test_a_download_says_what_its_recording_lacks(studio: Workbench, folder: Path) -> None:
    async def play(page: Page) -> None:
        name = str((await page.send(do="record", on=True))["name"])
        for _ in range(4):
            studio.live.run(0.1)
            await asyncio.sleep(0.15)  # a chunk is finished every tenth of a second
        await page.send(do="record", on=False)
        data = (folder / name).read_bytes()
        (folder / "cut.mcap").write_bytes(data[: len(data) - len(data) // 8])
        made = await page.send(do="export", recording="cut.mcap", kind="csv")
        assert made["ok"], made
        assert "cut short or damaged at byte" in str(made["diagnostics"])
        assert (await page.send(do="export", recording=name, kind="csv"))["diagnostics"] == []

    on_page(studio, play)
    (folder / "cut.mcap").unlink()
