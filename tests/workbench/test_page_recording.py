# ruff: noqa: E501 (expressions of the page read better in one line)
"""A recording on the page: what it shows at each instant, and that nobody is offered to change what was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import Seat, seat, shot, until
from tests.workbench.swing import show, swing, until_page
from touchback import workbench
from touchback.realtime import Recording, open_recording
from touchback.workbench import Workbench
from touchback.workbench.manipulate import model_with_hands

pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """1.4 s of the swing; at 0.5 s somebody sets its damping, and at 0.7 s makes it four times as stiff: 10 Hz after 5 Hz."""
    path = tmp_path_factory.mktemp("recorded") / "swing.mcap"
    with tb.live(swing().compile(), rate=500, speed=None, record=path) as live:
        live.run(0.5)
        live["damping"] = 0.0
        live.run(0.2)
        live["stiffness"] = 4.0 * live["stiffness"]
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
    help_ = page.page.locator("#inspector .help").inner_text()
    assert "This is a recording" in help_ and not any(w in help_ for w in ("pull", "force", "ties"))
    assert page.page.get_by_label("Back to the start").is_visible()  # as in a run
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
    assert str(refused).startswith("There is no message 'weld me'; known: back, events, ")


def test_the_deadlines_of_a_recording_are_what_it_holds(page: Seat) -> None:
    """It was made without a clock, so that nobody measured lateness; steps were."""
    cells = "Object.fromEntries([...document.querySelectorAll('#deadlines tr')].map(r => [...r.children].map(c => c.textContent)))"
    page.ask("document.querySelector('#deadlines').closest('details').open = true")
    told = page.until(f"(found => found.rate && found)({cells})")
    assert isinstance(told, dict)
    assert (told["rate"], told["ticks"], told["late"]) == ("500 Hz", "700", "not measured")
    assert "lateness max" not in told and float(told["step max"].removesuffix(" µs")) > 0.0


def test_numbers_of_panels_have_digits_that_matter(page: Seat) -> None:
    given = {
        999.9999999999991: "1000", 0.1 + 0.2: "0.3", -1234.5678: "−1235", 1234567.0: "1.23e+6",
        -0.0: "0", 2e-5: "2.00e−5", -2e-5: "−2.00e−5", 1e-320: "1.00e−320",
    }  # fmt: skip
    told = page.ask(
        "async ([xs]) => { const { short } = await import('./dom.js'); return [...xs.map(x => short(x)), short(NaN), short(null), short(Infinity), short(undefined)]; }",
        list(given),
    )
    assert told == [*given.values(), "–", "–", "–", "–"]
    again = page.ask(
        "async ([texts]) => texts.map((await import('./number_fields.js')).read)",
        list(given.values()),
    )
    assert again == [
        float(each.replace("−", "-")) for each in given.values()
    ]  # fields show and take them


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


def stands_at(page: Seat, time: float) -> None:
    page.ask("([time]) => bench.transport.seek(time)", time)
    until(lambda: page.ask("bench.world.time") == pytest.approx(time, abs=1e-6))


def test_one_trace_over_another_ends_at_the_playhead_and_goes_back_with_it(
    page: Seat, recording: Recording
) -> None:
    """The last point is the state of the tick that is shown, the first of half a second before."""
    stands_at(page, 0.9)
    show(page, "xy", "slide", "slide rate")
    scope = "bench.scopes.panes[0].scope"
    page.ask("() => bench.scopes.panes[0].change({ trail: 0.5 })")
    time, slide = recording.column("time"), recording.column("slide")
    rate = recording.column("slide rate")
    for row in (450, 300, 350, 100):
        stands_at(page, float(time[row]))
        wanted = [pytest.approx(slide[row], abs=1e-6), pytest.approx(rate[row], abs=1e-5)]
        until(lambda w=wanted: list(page.ask(f"[...({scope}.points || []).slice(-2)]")) == w)  # type: ignore[call-overload]
        first = time[row] - page.ask(f"{scope}.points.at(-3) - {scope}.points[0]")  # type: ignore[operator]
        assert first == pytest.approx(max(time[row] - 0.5, time[0]), abs=5e-3)


def test_a_spectrum_is_of_the_seconds_before_the_playhead(page: Seat, recording: Recording) -> None:
    """Lines of half a second are 2 Hz apart, and the highest is the nearest. At the first instant there is nothing to
    compute it from: that is said, and nothing old is left."""
    stands_at(page, 1.3)
    show(page, "spectrum", "slide")
    page.ask("() => bench.scopes.panes[0].change({ seconds: 0.5 })")
    peaks = "[...document.querySelectorAll('.peak')].map(each => +each.dataset.frequency)"
    for time, hertz in ((1.3, 10.0), (0.66, 5.0), (1.36, 10.0), (0.6, 5.0)):
        stands_at(page, time)
        until(lambda hertz=hertz: page.ask(peaks) == [pytest.approx(hertz, abs=1.1)])
    stands_at(page, float(recording.column("time")[0]))
    until(lambda: page.ask("bench.scopes.panes[0].scope.rows === null"))
    until(lambda: page.ask(peaks) == [] and page.page.locator(".scope-foot").inner_text().strip())
    assert not page.errors


# ---- hands of the past --------------------------------------------------------------------------


def test_the_pull_of_a_recorded_hand_is_drawn_as_an_arrow(chromium: object, tmp_path: Path) -> None:
    """Live its rubber band shows it; afterwards k (to − x) newtons at the point that it held."""
    path, hand = tmp_path / "held.mcap", {"grip": 1.0, "to x": 0.5, "stiffness": 400.0}
    with tb.live(model_with_hands(swing()).compile(), rate=500, speed=None, record=path) as live:
        for name, value in hand.items():
            live[f"hand {name}"] = value
        live.run(0.4)
    with (
        workbench.open(open_recording(path)) as bench,
        seat(chromium, bench) as page,  # type: ignore[arg-type]
    ):
        until_page(page, "bench.status.playback && bench.world.ready")
        page.ask("() => bench.send({ do: 'pause' })")
        page.until("bench.status.paused")
        i = page.ask("bench.scene.arrows.indexOf('hand')")
        assert i != -1 and not page.ask("bench.world.hidden('hand')")
        (x, _, _), force = page.ask(f"() => bench.world.arrow({i})")  # type: ignore[misc]
        assert force == pytest.approx([400.0 * (0.5 - x), 0.0, 0.0], rel=1e-5, abs=1e-6)
        with_it = shot(page)
        page.ask("() => bench.view.setShown('forces', false)")
        changed = np.abs(with_it - shot(page)).max(axis=2) > 20
        page.ask("() => bench.view.setShown('forces', true)")
        assert changed.sum() > 30  # px


# ---- downloads ----------------------------------------------------------------------------------


def test_files_of_any_name_are_downloaded_and_one_that_is_gone_is_told(
    chromium: object, tmp_path: Path
) -> None:
    """By the page's own buttons; a page that only clicked a link would say that it worked."""
    model = swing()
    model.name = "Schaukel groß"
    name = "a b#c?d 50%.mcap"
    with tb.live(swing().compile(), rate=500, speed=None, record=tmp_path / name) as live:
        live.run(0.1)
    with (
        workbench.open(model.compile(), recordings=tmp_path) as bench,
        seat(chromium, bench) as page,  # type: ignore[arg-type]
    ):
        until_page(page, "bench.transport && bench.status?.time > 0.1")
        page.page.get_by_label("Recordings and downloads").click()
        choice = page.page.get_by_label(f"Download {name} as")
        with page.page.expect_download() as loaded:
            choice.select_option("csv")
        assert "stiffness" in Path(loaded.value.path()).read_text()[:2000]
        page.page.keyboard.press("Escape")
        told = page.page.locator("#notes")
        with page.page.expect_download() as loaded:
            page.page.get_by_label("Share as one file").first.click()
        assert loaded.value.suggested_filename == "Schaukel-groß.html"
        assert Path(loaded.value.path()).read_bytes().startswith(b"<!doctype html>")
        until(lambda: "plays without a server" in told.inner_text())
        page.ask("() => document.querySelector('#notes').replaceChildren()")
        bench.offer = lambda path, file: None  # type: ignore[method-assign]
        page.page.get_by_label("Share as one file").first.click()
        until(lambda: "Schaukel-groß.html can't be downloaded" in told.inner_text())
        assert "plays without" not in told.inner_text()


# ---- going on -----------------------------------------------------------------------------------


def test_going_on_live_begins_at_the_tick_that_is_shown(
    chromium: object, recording: Recording
) -> None:
    """The scrubber stands nearly at the next one."""
    time = recording.column("time")
    with workbench.open(recording) as bench, seat(chromium, bench) as page:  # type: ignore[arg-type]
        until_page(page, "bench.status.playback && bench.transport")
        page.ask("() => bench.send({ do: 'pause' })")
        page.until("bench.status.paused")
        page.ask(f"() => bench.transport.seek({0.1 * time[400] + 0.9 * time[401]})")
        page.page.get_by_label("Go on live from here").first.click()
        until(lambda: f"from {time[400]:.4f} s" in page.page.locator("#notes").inner_text())
        until(lambda: not page.ask("Boolean(bench.status.playback)"))
        assert bench.live is not None and bench.live.read("time") >= time[400]
