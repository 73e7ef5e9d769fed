# ruff: noqa: E501 (expressions of the page read better in one line)
"""What scopes and sliders of the page tell, held to what is known of the signals: x = A cos(ω t)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.workbench.browser import Seat, seat, until
from tests.workbench.swing import AMPLITUDE, HERTZ, show, swing, until_page
from touchback import workbench
from touchback.realtime import open_recording
from touchback.workbench import Workbench

pytest.importorskip("websockets")

OMEGA = 2 * math.pi * HERTZ
SMALL = 1e-6  # m: what is left of 7 digits on the wire, of amplitudes of 0.1 m, and of the method's error


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scopes") / "recordings"


@pytest.fixture(scope="module")
def run(folder: Path) -> Iterator[Workbench]:
    folder.mkdir()
    with workbench.open(swing(), rate=500, recordings=folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run, viewport={"width": 1280, "height": 760}) as found:  # type: ignore[arg-type]
        until_page(found, "bench.scopes?.panes.length > 0 && bench.sliders.rows.size > 0")
        yield found


@pytest.fixture(autouse=True)
def nothing_under_way(page: Seat) -> Iterator[None]:
    """What a test changed last isn't taken by the run while the next one goes on."""
    yield
    page.ask("bench.sliders.undo.last.then(() => true)")


def typed(page: Seat, label: str, value: float) -> None:
    field = page.page.get_by_label(label, exact=True)
    field.fill(str(value))
    field.press("Enter")


def swung(page: Seat, seconds: float) -> float:
    """Lets the swing begin anew with all that the model has, and go on for so long; when it began."""
    live = page.live
    live.pause()
    live["push"] = 0.0
    live.change({"stiffness": OMEGA**2, "damping": 0.0})
    live.reset()
    live.step(1)
    begun = live.read("time") - 1.0 / 500
    live.go()
    until(lambda: live.read("time") > begun + seconds)
    return float(begun)


def exact(begun: float, times: np.ndarray) -> np.ndarray:
    return AMPLITUDE * np.cos(OMEGA * (times - begun))


def columns(page: Seat, buckets: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Time, least and greatest of buckets of the first scope: a row each, a column for each trace."""
    traces, *found = page.ask(
        f"(b => [b.traces, ...['time', 'low', 'high'].map((name, k) => [...b[name].subarray(0, b.count * (k ? b.traces : 1))])])"
        f"(bench.scopes.panes[0].scope.{buckets})"
    )  # type: ignore[misc]
    time, low, high = (np.array(each, dtype=float) for each in found)
    return time, low.reshape(-1, traces), high.reshape(-1, traces)


# ---- scopes ---------------------------------------------------------------------------------------


def test_cursors_half_a_period_apart_read_the_whole_swing(page: Seat) -> None:
    begun = swung(page, 0.7)
    show(page, "time", "slide")
    until_page(page, "bench.scopes.panes[0].scope.data.count > 3")
    page.page.get_by_label("Cursors", exact=True).click()
    first = begun + 1 / HERTZ  # a period later: x = A again
    typed(page, "Cursor A at [s]", round(first, 4))
    typed(page, "Cursor B at [s]", round(first + 0.5 / HERTZ, 4))
    row, told = page.page.locator(".readings tr"), page.page.locator(".cursor-row [data-dt]")

    def read() -> list[float]:
        return [float(row.get_attribute(f"data-{which}") or "nan") for which in "ab"]

    until(lambda: row.count() and read() == pytest.approx([AMPLITUDE, -AMPLITUDE], abs=10 * SMALL))
    assert "Δy = −0.2" in row.inner_text().replace("-", "−")
    assert float(told.get_attribute("data-dt") or "nan") == pytest.approx(0.1, abs=1e-6)
    assert f"{2 * HERTZ:g} Hz" in told.inner_text()

    typed(page, "Cursor B at [s]", round(first + 1 / HERTZ, 4))  # the same phase
    until(lambda: read() == pytest.approx([AMPLITUDE, AMPLITUDE], abs=10 * SMALL))
    assert f"1/Δt = {HERTZ:g} Hz" in told.inner_text()


def test_a_cursor_goes_where_it_is_dragged(page: Seat) -> None:
    begun = swung(page, 0.7)
    show(page, "time", "slide")
    page.ask("([a, b]) => bench.scopes.panes[0].scope.look(a, b)", begun + 0.1, begun + 0.5)
    until_page(page, "bench.scopes.panes[0].scope.detail?.count > 50")
    page.page.get_by_label("Cursors", exact=True).click()
    until_page(page, "bench.scopes.panes[0].scope.cursors.values.b")
    box = page.page.locator(".scope canvas").bounding_box()
    assert box is not None
    at, goal = (
        float(page.ask(f"(s => s.plot.px({time}))(bench.scopes.panes[0].scope)"))  # type: ignore[arg-type]
        for time in ("s.cursors.at.b", str(begun + 0.4))  # two periods after the beginning
    )
    page.drag((box["x"] + at, box["y"] + 40), (goal - at, 0.0))
    wide = 0.4 / (box["width"] - 60)  # seconds of a pixel
    moved = float(page.page.get_by_label("Cursor B at [s]").input_value())
    assert moved == pytest.approx(begun + 0.4, abs=2 * wide)
    row = page.page.locator(".readings tr")
    lowest = AMPLITUDE * math.cos(OMEGA * (2 * wide + 2e-3))  # where it stands, or a tick aside
    until(lambda: lowest <= float(row.get_attribute("data-b") or "nan") <= AMPLITUDE + SMALL)


def test_an_expressions_values_are_those_of_its_signals(page: Seat) -> None:
    """The energy of the swing over its first: x² + (v/ω)², which is A² at every instant."""
    begun = swung(page, 0.5)
    show(page, "time", "slide")
    page.page.get_by_label("Add a signal or an expression").click()
    typed(page, "Signal or expression", "2 * slyde")  # type: ignore[arg-type]
    wrong = page.page.locator(".picker .bad")
    until(lambda: wrong.inner_text())
    assert wrong.inner_text() == "There is no signal 'slyde': did you mean 'slide' or 'slide rate'?"
    typed(page, "Signal or expression", "slide + (3")  # type: ignore[arg-type]
    until(lambda: "slide + (3" in wrong.inner_text())
    assert page.ask("bench.scopes.panes[0].layout.signals") == ["slide"]
    text = f"slide**2 + ('slide rate' / {OMEGA!r})**2"
    typed(page, "Signal or expression", text)  # type: ignore[arg-type]
    until_page(page, "bench.scopes.panes[0].layout.signals.length === 2")
    until(lambda: page.page.locator(".picker").count() == 0)
    page.ask("([a, b]) => bench.scopes.panes[0].scope.look(a, b)", begun + 0.1, begun + 0.3)
    until_page(page, "bench.scopes.panes[0].scope.detail?.count > 50")
    times, low, high = columns(page, "detail")
    whole = times > begun + 0.01  # before it swung otherwise
    np.testing.assert_array_equal(low, high)  # single ticks
    np.testing.assert_allclose(low[whole, 0], exact(begun, times[whole]), atol=10 * SMALL)
    source = page.workbench.page_recordings.port.source  # type: ignore[union-attr]
    known, rows = source.rows(["slide", "slide rate"], times[0] - 1e-4, times[-1] + 1e-4)
    assert len(known) == len(times)
    expected = rows[:, 0] ** 2 + (rows[:, 1] / OMEGA) ** 2
    np.testing.assert_allclose(low[:, 1], expected, rtol=2e-7)  # float32
    np.testing.assert_allclose(low[whole, 1], AMPLITUDE**2, rtol=1e-5)


@pytest.mark.parametrize("kind", ["time", "spectrum"])
def test_a_signal_that_is_gone_is_struck_out_and_the_others_are_drawn(
    page: Seat, kind: str
) -> None:
    """As after another drawing: its name has spaces, and would be no expression; what is one stays."""
    before = page.ask("bench.scopes.told()")
    page.ask(
        f"() => bench.scopes.take([{{ kind: '{kind}', signals: ['bar 2 angle', 'slide', '2 * slide'] }}])"
    )
    page.until("bench.scopes.panes[0].scope.texts.join() === 'slide,2 * slide'")
    assert page.page.locator(".chip.gone .name").all_inner_texts() == ["bar 2 angle"]
    if kind == "time":
        page.until("bench.scopes.panes[0].scope.data.count > 2")
        page.until("bench.scopes.panes[0].found.length === 2")
    assert page.page.locator(".scope-foot .bad").count() == 0
    page.page.get_by_label("Take bar 2 angle away").click()
    assert page.ask("bench.scopes.panes[0].layout.signals") == ["slide", "2 * slide"]
    page.ask("([layouts]) => bench.scopes.take(layouts)", before)
    page.until("bench.scopes.panes.every(pane => !pane.gone.length)")


def test_what_comes_late_for_one_signal_is_not_shown_as_another_s(page: Seat) -> None:
    """Asking for the new one fails, as without a connection: then its value isn't known."""
    show(page, "time", "slide")
    until_page(page, "bench.scopes.panes[0].found.length")
    shown = page.ask("""async () => {
        const pane = bench.scopes.panes[0], late = await new Promise(done => { const off = bench.on("rows", frame => { off(); done(frame); }); });
        bench.send = () => Promise.reject(new Error("no connection"));
        pane.change({ signals: ["echo"] });
        bench.tell("rows", late);
        delete bench.send;
        return pane.found;
    }""")
    assert shown == []


def test_one_signal_against_another_is_the_ellipse_of_the_swing(page: Seat) -> None:
    show(page, "xy", "slide", "slide rate")
    page.page.get_by_label("Seconds that are shown").select_option("0.5")
    begun = swung(page, 0.8)
    until_page(page, f"bench.scopes.panes[0].scope.known?.end > {begun + 0.8}")
    points = np.array(page.ask("[...bench.scopes.panes[0].scope.points]")).reshape(-1, 3)
    x, v = points[:, 1] / AMPLITUDE, points[:, 2] / (AMPLITUDE * OMEGA)
    assert len(points) > 100  # more than a period
    np.testing.assert_allclose(x**2 + v**2, 1.0, atol=1e-4)
    assert x.min() < -0.99 and x.max() > 0.99 and v.min() < -0.99 and v.max() > 0.99
    page.page.get_by_label("Exchange X and Y").click()
    until_page(page, "bench.scopes.panes[0].scope.points?.length > 100")
    turned = np.array(page.ask("[...bench.scopes.panes[0].scope.points]")).reshape(-1, 3)
    assert np.abs(turned[:, 1]).max() == pytest.approx(AMPLITUDE * OMEGA, rel=0.01)


def test_the_spectrum_has_its_peak_at_the_swings_frequency(page: Seat) -> None:
    show(page, "spectrum", "slide")
    page.page.get_by_label("Seconds that it is computed from").select_option("1")
    page.page.get_by_label("Window", exact=True).select_option("flat")
    swung(page, 1.1)
    peak = page.page.locator(".peak").first

    def told() -> bool:
        frequency, amplitude = (
            float(peak.get_attribute(f"data-{each}") or "nan")
            for each in ("frequency", "amplitude")
        )
        # lines are 1 Hz apart; a flat top tells amplitudes to a part in a thousand
        near = abs(frequency - HERTZ) <= 1.01
        return near and amplitude == pytest.approx(AMPLITUDE, rel=2e-3)

    until(told)
    page.page.get_by_label("Window", exact=True).select_option("hann")
    until(
        lambda: (
            float(peak.get_attribute("data-frequency") or "nan") == pytest.approx(HERTZ, abs=0.02)
        )
    )


def test_a_recording_lies_over_the_run_and_can_be_shifted(page: Seat, folder: Path) -> None:
    live = page.live
    begun = swung(page, 0.0)
    take = live.record(folder / "first.mcap")
    until(lambda: live.read("time") > begun + 0.7)
    live.end_record(take)
    recorded = open_recording(folder / "first.mcap")
    live["stiffness"] = 4 * OMEGA**2  # twice as fast from now on
    show(page, "time", "slide")
    page.ask("([a, b]) => bench.scopes.panes[0].scope.look(a, b)", begun, begun + 0.7)
    choice = page.page.get_by_label("Lay a recording over it")
    choice.focus()
    until(lambda: "first.mcap" in choice.inner_text())
    choice.select_option("first.mcap")
    page.ask("([a, b]) => bench.scopes.panes[0].scope.look(a, b)", begun, begun + 0.7)
    until_page(page, "bench.scopes.panes[0].scope.over?.count > 100")
    bar, box = (page.page.locator(each).bounding_box() for each in (".scope-bar", "select.over"))
    assert bar is not None and box is not None  # in the bar, not over the curves
    assert bar["y"] <= box["y"] and box["y"] + box["height"] <= bar["y"] + bar["height"] + 1
    assert choice.input_value() == "first.mcap"
    times, low, high = columns(page, "over")
    assert (low <= high).all()
    whole = np.interp(times, recorded.column("time"), recorded.column("slide"))
    np.testing.assert_allclose(low[:, 0], whole, atol=SMALL)  # every tick of it, at its time
    np.testing.assert_allclose(low[:, 0], exact(begun, times), atol=10 * SMALL)

    typed(page, "Overlay later by [s]", 0.25)
    until_page(page, f"Math.abs(bench.scopes.panes[0].scope.over.start - {times[0] + 0.25}) < 1e-6")
    later, moved, _ = columns(page, "over")
    np.testing.assert_allclose(moved[:, 0], exact(begun, later - 0.25), atol=10 * SMALL)
    page.page.get_by_label("Begin the overlay at the left edge").click()
    until_page(page, f"Math.abs(bench.scopes.panes[0].scope.over.start - {begun}) < 2e-3")
    choice.select_option("")
    until_page(page, "!bench.scopes.panes[0].scope.over")


@pytest.mark.parametrize("width, height", [(1280, 800), (1024, 768)])
def test_a_scope_of_four_signals_with_cursors_keeps_its_plot_and_its_buttons(
    page: Seat, width: int, height: int
) -> None:
    """Nothing is cut at its side or lies over something else; what doesn't fit is scrolled to."""
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": width, "height": height})
    show(page, "time", "slide", "echo", "2 * slide", "abs(slide) + 1")
    page.ask("() => bench.scopes.panes[0].scope.cursors.toggle()")
    until_page(page, "document.querySelectorAll('.readings tr').length > 3")
    box = (
        "(e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })"
    )
    boxes = page.ask(
        f"['.scope', '.scope-bar', '.scope-body', '.scope-foot'].map(s => {box}(document.querySelector(s)))"
    )
    pane, bar, body, foot = np.array(boxes)
    assert body[3] - body[1] >= 110  # px: a plot can be read
    assert bar[3] <= body[1] + 1 and body[3] <= foot[1] + 1
    inside = np.array(
        page.ask(
            f"[...document.querySelectorAll('.scope-bar button, .scope-bar select:not([hidden]), .chip')].map({box})"
        )
    )
    assert inside[:, 2].max() <= pane[2] + 1 and inside[:, 3].max() <= bar[3] + 1
    page.ask("() => bench.scopes.panes[0].scope.cursors.toggle()")
    page.page.set_viewport_size(before)  # type: ignore[arg-type]


# ---- sliders --------------------------------------------------------------------------------------


def test_a_and_b_hold_their_own_values(page: Seat) -> None:
    live = page.live
    live.change({"stiffness": 1000.0, "damping": 1.0})
    until_page(page, "bench.sliders.rows.get('damping').value === 1")
    a, b = (page.page.get_by_label(f"Values {each}", exact=True) for each in "AB")
    a.click()
    b.click()  # begins as A
    typed(page, "damping as a number", 3.0)
    typed(page, "stiffness as a number", 1500.0)
    until(lambda: (live["stiffness"], live["damping"]) == (1500.0, 3.0))
    place = list(live.system.parameters).index("stiffness")
    for button, values in ((a, (1000.0, 1.0)), (b, (1500.0, 3.0)), (a, (1000.0, 1.0))):
        button.click()
        until(lambda values=values: (live["stiffness"], live["damping"]) == values)
        until(lambda values=values: live.taken()[1][place] == values[0])  # what the ticks have
    page.page.get_by_label("Undo", exact=True).click()  # both, in one step
    until(lambda: (live["stiffness"], live["damping"]) == (1500.0, 3.0))
    b.click()
    a.click()
    until_page(page, "document.querySelector('[aria-label=\"Values A\"]').ariaPressed === 'true'")
    a.click()  # forgets it


@pytest.mark.parametrize("first, other", ["AB", "BA"])
def test_a_and_b_begin_as_what_there_was_in_either_order(
    page: Seat, first: str, other: str
) -> None:
    """Whichever is pressed first holds what is set then; the other one still has what was before."""
    live = page.live
    live.change({"damping": 1.0})
    until_page(page, "bench.sliders.rows.get('damping').value === 1")
    one, two = (page.page.get_by_label(f"Values {each}", exact=True) for each in (first, other))
    one.click()
    typed(page, "damping as a number", 2.5)
    until(lambda: live["damping"] == 2.5)
    for button, value in ((two, 1.0), (one, 2.5)):
        button.click()
        until(lambda value=value: live["damping"] == value)
    assert "begin" in str(one.get_attribute("title"))
    one.click()  # forgets both


def test_presets_come_back_after_a_reload(page: Seat) -> None:
    live = page.live
    live.change({"stiffness": 1200.0, "damping": 4.0})
    until_page(
        page,
        "bench.sliders.rows.get('stiffness').value === 1200 && bench.sliders.rows.get('damping').value === 4",
    )
    page.page.get_by_label("Keep these values as a preset").click()
    typed(page, "Name of the preset", "soft")  # type: ignore[arg-type]
    kept = "document.querySelector('[aria-label=Presets] option[value=soft]') !== null"
    until_page(page, kept)
    live.change({"stiffness": 700.0, "damping": 0.5})
    page.come()
    until_page(page, f"bench.sliders?.rows.get('damping')?.value === 0.5 && {kept}")
    presets = page.page.get_by_label("Presets", exact=True)
    presets.select_option("soft")
    until(lambda: (live["stiffness"], live["damping"]) == (1200.0, 4.0))
    presets.select_option("as the model has it")
    until(lambda: (live["stiffness"], live["damping"]) == (pytest.approx(OMEGA**2), 0.0))
    presets.select_option("soft")
    until(lambda: (live["stiffness"], live["damping"]) == (1200.0, 4.0))
    page.page.get_by_label("Remove the chosen preset").click()
    assert "soft" not in presets.inner_text()


def test_a_dragged_slider_is_one_step_to_undo(page: Seat) -> None:
    page.live["damping"] = 2.0
    until_page(page, "bench.sliders.rows.get('damping').value === 2")
    slider = page.page.get_by_label("damping [N s/m]", exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    thumb = 8 + 0.2 * (box["width"] - 16), box["height"] / 2  # at 2 of 0 to 10
    page.drag(
        (box["x"] + thumb[0], box["y"] + thumb[1]), (0.5 * (box["width"] - 16), 0.0), steps=12
    )
    until(lambda: page.live["damping"] == pytest.approx(7.0, abs=0.3))  # some pixels
    until_page(page, "bench.sliders.rows.get('damping').began === undefined")
    page.page.get_by_label("Undo", exact=True).click()
    until(lambda: page.live["damping"] == 2.0)
    page.page.get_by_label("Redo", exact=True).click()
    until(lambda: page.live["damping"] == pytest.approx(7.0, abs=0.3))


def test_a_ramp_takes_its_seconds_in_small_steps(page: Seat, folder: Path) -> None:
    live = page.live
    live["damping"] = 0.0
    until_page(page, "bench.sliders.rows.get('damping').value === 0")
    take = live.record(folder / "ramp.mcap")
    typed(page, "Ramp [s]", 0.4)
    typed(page, "damping as a number", 8.0)
    place = list(live.system.parameters).index("damping")
    until(lambda: live.taken()[1][place] == 8.0)
    typed(page, "push as a number", 2.0)  # an input has no ramp: it follows at once, not refused
    until(lambda: live["push"] == 2.0)
    live.end_record(take)
    typed(page, "Ramp [s]", 0.0)
    told = open_recording(folder / "ramp.mcap")
    damping = np.array([told.parameters[int(each)]["damping"] for each in told.column("version")])
    steps = np.diff(damping)
    assert damping[0] == 0.0 and damping[-1] == 8.0
    moving = steps[steps != 0.0]
    assert len(moving) == 200  # 0.4 s at 500 Hz
    np.testing.assert_allclose(moving, 8.0 / 200, rtol=1e-9)
