# ruff: noqa: E501 (expressions of the page read better in one line)
"""Scopes, sliders, transport and recordings in Chromium, held to the run's own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import Seat, seat, until
from tests.workbench.swing import AMPLITUDE, show, swing, until_page
from touchback import workbench
from touchback.realtime import open_recording
from touchback.workbench import Workbench
from touchback.workbench.live_source import LiveSource
from touchback.workbench.playback.page_recordings import PageRecordings

pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page") / "recordings"


@pytest.fixture(scope="module")
def run(folder: Path) -> Iterator[Workbench]:
    with workbench.open(swing(), rate=500, recordings=folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    size = {"width": 1280, "height": 760}  # wide enough for the sides to be open
    with seat(chromium, run, viewport=size) as found:  # type: ignore[arg-type]
        until(
            lambda: found.ask("bench.scopes?.panes.length > 0 && bench.sliders.rows.size > 0"), 60
        )
        yield found


@pytest.fixture(autouse=True)
def nothing_under_way(page: Seat) -> Iterator[None]:
    """What a test changed last isn't taken by the run while the next one goes on."""
    yield
    page.ask("bench.sliders.undo.last.then(() => true)")


# ---- sliders --------------------------------------------------------------------------------------


def test_a_slider_sets_the_parameter_of_the_next_tick(page: Seat) -> None:
    slider = page.page.get_by_label("damping [N s/m]")
    slider.focus()
    slider.press("End")  # to its greatest
    until(lambda: page.live["damping"] == 10.0)
    place = list(page.live.system.parameters).index("damping")
    until(lambda: page.live.taken()[1][place] == 10.0)  # what the ticks compute with
    slider.press("Home")
    until(lambda: page.live["damping"] == 0.0)


def test_undo_and_redo_go_through_what_was_set(page: Seat) -> None:
    field = page.page.get_by_label("stiffness as a number")
    first = page.live["stiffness"]
    for value in (1200.0, 1500.0):
        field.fill(str(value))
        field.press("Enter")
        until(lambda value=value: page.live["stiffness"] == value)
    page.page.get_by_label("Undo", exact=True).click()
    until(lambda: page.live["stiffness"] == 1200.0)
    page.page.get_by_label("Undo", exact=True).click()
    until(lambda: page.live["stiffness"] == pytest.approx(first))
    page.page.get_by_label("Redo", exact=True).click()
    until(lambda: page.live["stiffness"] == 1200.0)
    page.page.locator("h1#title").click()  # away from the field, which has an undo of its own
    page.page.keyboard.press("Control+z")
    until(lambda: page.live["stiffness"] == pytest.approx(first))


def test_changes_in_quick_succession_are_made_in_turn(page: Seat) -> None:
    # before any of them is answered, each is undone or redone as if they all were
    first = page.live["stiffness"]
    page.ask("void [1300, 1400].forEach(x => bench.sliders.rows.get('stiffness').commit(x))")
    page.ask("void ['undo', 'undo', 'redo', 'undo'].forEach(step => bench.sliders.undo[step]())")
    page.ask("bench.sliders.undo.last.then(() => true)")
    assert page.live["stiffness"] == pytest.approx(first)
    page.ask("void ['redo', 'redo', 'undo'].forEach(step => bench.sliders.undo[step]())")
    page.ask("bench.sliders.undo.last.then(() => true)")
    assert page.live["stiffness"] == 1300.0
    page.ask("bench.sliders.undo.undo()")


def test_a_refused_value_goes_back_and_is_explained(page: Seat) -> None:
    field = page.page.get_by_label("stiffness as a number")
    before = page.live["stiffness"]
    field.fill("-3")
    # a late answer to what was set before it, which must not wipe what is being typed
    page.ask("([x]) => bench.sliders.rows.get('stiffness').show(x, true)", before)
    field.press("Enter")
    wrong = page.page.locator("#parameters .bad")
    until(lambda: "stiffness" in wrong.inner_text())
    assert page.live["stiffness"] == before
    assert float(field.input_value()) == pytest.approx(before)


def test_what_a_script_sets_is_seen_on_the_page(page: Seat) -> None:
    page.live["damping"] = 2.5
    until_page(page, "bench.sliders.rows.get('damping').value === 2.5")
    page.live["damping"] = 0.0
    until_page(page, "bench.sliders.rows.get('damping').value === 0")


# ---- scopes ---------------------------------------------------------------------------------------


def one_tick_of(page: Seat, newtons: float) -> float:
    """An input for a single tick of a paused run; its time."""
    page.live.pause()
    page.live["push"] = newtons
    page.live.step(1)
    time = page.live.read("time")
    assert page.live.read("echo") == newtons
    page.live["push"] = 0.0
    page.live.step(1)
    page.live.go()
    return time


def test_a_spike_of_one_tick_is_drawn_to_its_height(page: Seat) -> None:
    show(page, "time", "echo")
    until_page(page, "bench.scopes.panes[0].scope.data.count > 3")
    page.ask("() => { const s = bench.scopes.panes[0].scope; s.span = 20; s.moved(); }")
    spike = one_tick_of(page, 7.5)
    until_page(
        page,
        "Math.max(...bench.scopes.panes[0].scope.data.high.subarray(0,"
        "bench.scopes.panes[0].scope.data.count)) === 7.5",
    )
    until(lambda: page.live.read("time") > spike + 0.5)
    # its topmost pixel that has more of the curve's colour than of the paper's
    top, tip = page.ask(
        "([time]) => { const { plot } = bench.scopes.panes[0].scope; bench.scopes.panes[0].scope.draw();"
        "const ratio = devicePixelRatio, x = plot.px(time) * ratio, bottom = plot.py(1) * ratio;"
        "const wide = Math.ceil(plot.inner.w / 20 * .1 * ratio + 4);"
        "const { data, width, height } = plot.g.getImageData(x - wide, 0, 2 * wide, bottom);"
        "const off = i => Math.abs(data[i] - 27) + Math.abs(data[i + 1] - 108) + Math.abs(data[i + 2] - 168);"
        "let row = 0; while (row < height && ![...Array(width).keys()].some(c => off(4 * (row * width + c)) < 230)) row++;"
        "return [row / ratio, plot.py(7.5)]; }",
        spike,
    )  # type: ignore[misc]
    assert abs(top - tip) < 3.0  # px: the line is 1.5 wide, and pointed


def test_zooming_in_brings_every_tick_of_the_past(page: Seat) -> None:
    show(page, "time", "slide")
    until_page(page, "bench.scopes.panes[0].scope.data.count > 3")
    now = page.live.read("time")
    page.ask("([now]) => bench.scopes.panes[0].scope.look(now - 0.4, now - 0.2)", now)
    until_page(page, "bench.scopes.panes[0].scope.detail?.count > 50")
    times, low, high = (
        np.array(page.ask(f"[...bench.scopes.panes[0].scope.detail.{name}].slice(0, bench.scopes.panes[0].scope.detail.count)"))
        for name in ("time", "low", "high")
    )  # fmt: skip
    np.testing.assert_array_equal(low, high)
    np.testing.assert_allclose(np.diff(times), 0.002, atol=1e-6)
    truth = page.workbench.page_recordings.port.source.rows(
        ["slide"], times[0] - 1e-4, times[-1] + 1e-4
    )  # type: ignore[union-attr]
    np.testing.assert_allclose(low, truth[1][:, 0], atol=1e-7)
    page.page.get_by_label("Follow the run").click()
    until_page(page, "bench.scopes.panes[0].scope.follows")


def test_the_past_is_there_after_a_reload(page: Seat) -> None:
    show(page, "time", "slide")
    page.ask("() => { const s = bench.scopes.panes[0].scope; s.span = 3600; s.moved(); }")
    page.come()
    until_page(page, "bench.scopes?.panes[0]?.scope.data.count > 10")
    first = page.ask("bench.scopes.panes[0].scope.data.start")
    assert first == pytest.approx(page.workbench.page_recordings.port.source.span[0], abs=0.05)  # type: ignore[union-attr]


# ---- transport ------------------------------------------------------------------------------------


def test_pause_step_slow_motion_and_reset(page: Seat) -> None:
    page.page.get_by_label("Pause").click()
    until(lambda: page.live.state == "paused")
    until_page(page, "bench.transport.paused")
    before = page.live.read("time")
    page.page.get_by_label("One tick").click()
    until(lambda: page.live.read("time") == pytest.approx(before + 0.002))
    page.page.get_by_label("Back to the start").click()
    until(lambda: page.live.read("slide") == AMPLITUDE)
    page.page.get_by_label("Speed").select_option("0.1")
    page.page.get_by_label("Play").click()
    until(lambda: page.live.state == "running" and page.live.spec.speed == 0.1)
    page.page.get_by_label("Speed").select_option("1")
    until(lambda: page.live.spec.speed == 1.0)


def test_a_pause_is_told_apart_from_an_emergency_stop(page: Seat) -> None:
    """Each has one word, in the pill, and only a stop presses the octagon and offers to resume. Its
    answer, which C writes, ends no connection."""
    page.ask("bench.socketBefore = bench._socket, null")
    state, halt = page.page.locator("#state"), page.page.locator("#transport .halt")
    page.page.get_by_label("Pause").click()
    until(lambda: state.inner_text() == "paused")
    until_page(page, "bench.status.paused && bench.status.tick > 0")
    for _ in range(2):  # before and after a single tick
        assert halt.get_attribute("aria-pressed") == "false"
        assert halt.get_attribute("title") == "Emergency stop"
        assert state.get_attribute("data-state") == "paused"
        ticks = page.live.ticks
        page.page.get_by_label("One tick").click()
        until_page(page, f"bench.status.tick > {ticks}")
    page.page.get_by_label("Play").click()
    until(lambda: state.inner_text() == "running")
    halt.click()
    until(lambda: state.inner_text() == "emergency stop")
    assert state.get_attribute("data-state") == "held"
    assert halt.get_attribute("aria-pressed") == "true"
    assert halt.get_attribute("title") == "Resume (emergency stop)"
    halt.click()
    until(lambda: state.inner_text() == "running")
    assert halt.get_attribute("aria-pressed") == "false"
    assert page.ask("bench._socket === bench.socketBefore && bench._socket.readyState === 1")


def test_a_recording_shows_its_size_and_warns_before_it_ends(
    page: Seat, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nearly = {"bytes": 95 * 2**20, "room": 5 * 2**20}
    monkeypatch.setattr(PageRecordings, "recording_size", property(lambda self: nearly))
    record = page.page.locator("button.record")
    record.click()
    until_page(page, "bench.status.recording_to")
    until(lambda: "95 MiB, room for 5 MiB" in (record.get_attribute("title") or ""))
    until(lambda: "ends by itself in 5 MiB" in page.page.locator("#notes").inner_text())
    record.click()
    until_page(page, "!bench.status.recording_to")
    for path in folder.glob("*.mcap"):
        path.unlink()


def test_recorded_opened_scrubbed_and_forked_from_the_page(page: Seat, folder: Path) -> None:
    show(page, "time", "slide")
    page.page.get_by_label("Record", exact=True).click()
    until_page(page, "bench.status.recording_to")
    start = page.live.read("time")
    until(lambda: page.live.read("time") > start + 0.6)
    page.page.locator("button.record").click()
    until_page(page, "!bench.status.recording_to")
    (path,) = folder.glob("*.mcap")
    assert tb.replay(path).same
    recording = open_recording(path)
    page.page.get_by_label("Recordings and downloads").click()
    page.page.get_by_label(f"Open {path.name}").click()
    until_page(page, "bench.transport.recorded")
    middle = float(recording.column("time")[100])
    page.ask("([time]) => bench.transport.seek(time)", middle + 1e-5)
    until_page(page, f"Math.abs(bench.world.time - {middle}) < 1e-3")
    drawn = page.ask("bench.world.pose('mass').p")
    assert isinstance(drawn, list)
    assert drawn[0] == pytest.approx(recording.column("slide")[100], abs=1e-6)
    until_page(page, "bench.scopes.panes[0].scope.data.count > 100")  # over its whole length
    page.page.get_by_label("Go on live from here").click()
    until(lambda: isinstance(page.workbench.source, LiveSource))
    page.live = page.workbench.live
    until(lambda: page.live.read("tick") > recording.column("tick")[100] + 10)
    until(lambda: "the same bits as recorded" in page.page.locator("#notes").inner_text())
    until_page(page, "!bench.transport.recorded")


def test_a_long_name_beside_a_slider_is_read_to_its_end(page: Seat) -> None:
    """Names that begin alike, such as a steering's rate and acceleration, differ in their ends."""
    page.until("document.querySelector('.slider-row > label')")  # a run before may have gone live
    assert page.ask(
        "() => { const label = document.querySelector('.slider-row > label'), name = label.textContent;"
        "label.textContent = 'steering acceleration of the column';"
        "const cut = label.scrollWidth - label.clientWidth; label.textContent = name; return cut <= 0; }"
    )
