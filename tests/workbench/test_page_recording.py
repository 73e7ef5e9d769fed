# ruff: noqa: E501 (expressions of the page read better in one line)
"""A recording on the page: what it shows at each instant, and that nobody is offered to change what was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import touchback as tb
from tests.workbench.browser import Seat, seat, until
from tests.workbench.swing import show, swing, until_page
from touchback import workbench
from touchback.realtime import Recording, open_recording
from touchback.workbench import Workbench

pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """1.2 s of the swing; at 0.5 s somebody sets its damping."""
    path = tmp_path_factory.mktemp("recorded") / "swing.mcap"
    with tb.live(swing().compile(), rate=500, speed=None, record=path) as live:
        live.run(0.5)
        live["damping"] = 0.0
        live.run(0.7)
    return open_recording(path)


@pytest.fixture(scope="module")
def run(recording: Recording) -> Iterator[Workbench]:
    with workbench.open(recording) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run, viewport={"width": 1280, "height": 760}) as found:  # type: ignore[arg-type]
        until_page(found, "bench.scopes?.panes.length > 0 && bench.status.playback")
        found.ask("() => bench.send({ do: 'pause' })")
        yield found


def test_a_recording_offers_nothing_that_changes_it_and_says_how_to_go_on(page: Seat) -> None:
    def seen(selector: str) -> int:
        return page.page.locator(selector).locator("visible=true").count()

    until(lambda: "recording" in page.page.locator("#view .hint").inner_text())
    assert seen("#view [data-tool]") == 0
    assert seen("#parameters button") + seen("#parameters select") == 0
    page.choose("body", "mass")
    assert seen('[data-act="force"]') + seen('[data-act="torque"]') + seen("#inspector input") == 0
    assert seen('[data-act="follow"]') == 1  # looking is free
    page.choose("joint", "slide")
    for name in ("change kind", "weld", "free", "motion"):
        assert seen(f'[data-act="{name}"]') == 0
    assert seen("#inspector input, #inspector select") == 0
    assert seen('#inspector [data-act="fork"]') == 1
    page.page.keyboard.press("f")
    assert page.ask("bench.view.tool") == "hand"
    page.drag(page.pixel("mass", (0.0, 0.0, 0.0)), (40.0, 0.0))
    told = page.page.locator("#notes")
    until(lambda: "This is a recording" in told.inner_text())
    assert "$.do" not in told.inner_text()
    refused = page.ask("() => bench.send({ do: 'weld me' }).catch(e => e.message)")
    assert "weld me" in str(refused) and "recording" in str(refused)


def test_a_scope_shows_the_whole_recording_and_reads_the_instant_that_is_shown(
    page: Seat, recording: Recording
) -> None:
    """It opens at its whole length; the playhead stands where the mechanism does, and the chip has the value of that tick."""
    show(page, "time", "slide")
    scope = "bench.scopes.panes[0].scope"
    time, slide = recording.column("time"), recording.column("slide")
    until_page(page, f"{scope}.data.count > 100")
    first, last = page.ask(f"{scope}.view")  # type: ignore[misc]
    assert (first, last) == (pytest.approx(time[0]), pytest.approx(time[-1]))
    chip = page.page.locator(".chip output")
    for row in (100, 400, 150):
        page.ask("([time]) => bench.transport.seek(time)", float(time[row]))
        until(lambda row=row: page.ask(f"{scope}.playhead") == pytest.approx(time[row], abs=1e-6))
        wanted = pytest.approx(slide[row], rel=1e-3, abs=1e-5)  # four digits are shown
        until(lambda wanted=wanted: float(chip.inner_text().replace("−", "-") or "nan") == wanted)
    page.ask(f"{scope}.zoom(0.5, {time[150]})")
    first, last = page.ask(f"{scope}.view")  # type: ignore[misc]
    assert last - first == pytest.approx(0.5 * (time[-1] - time[0]))
    page.page.get_by_label("Follow the run").click()
    assert page.ask(f"{scope}.view")[1] == pytest.approx(time[-1])  # type: ignore[index]


def test_a_jump_says_which_event_it_reached(page: Seat) -> None:
    page.ask("() => bench.transport.seek(0)")
    page.until("bench.transport.events.length > 0 && bench.transport.scrub.valueAsNumber < 0.1")
    page.page.get_by_label("To the next event").click()
    name, when = page.ask("() => [bench.transport.events[0].name, bench.transport.events[0].time]")  # type: ignore[misc]
    until(lambda: f"{name}, {when:.4f} s" in page.page.locator("#notes").inner_text())
