"""The page in Chromium: what is drawn, where, and from which side."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tests.workbench.browser import Seat, seat, shot, until
from touchback import gallery, workbench
from touchback.workbench import Workbench


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(gallery.make("crank-rocker")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run) as found:  # type: ignore[arg-type]
        yield found


def test_bodies_are_drawn_where_the_run_has_them(page: Seat) -> None:
    """The crank's angle on the screen is that of the tick whose time the frame tells, about its
    axis −y, within the rounding of float32."""
    kept: list[tuple[np.ndarray, np.ndarray]] = []

    def keep(rows: np.ndarray, columns: object) -> None:
        names = list(columns)  # type: ignore[call-overload]
        kept.append((rows[:, names.index("time")].copy(), rows[:, names.index("crank")].copy()))

    tap = page.live.tap(keep)
    try:
        until(lambda: kept and float(str(page.ask("bench.world.time"))) > kept[0][0][0])
        drawn = page.ask(
            "() => { const { q } = bench.world.pose('crank');"
            "return [bench.world.time, 2 * Math.atan2(q[1], q[3])]; }"
        )
        assert isinstance(drawn, list)
        until(lambda: kept and kept[-1][0][-1] > drawn[0] + 0.002)
    finally:
        tap.close()
    times, angles = (np.concatenate(each) for each in zip(*kept, strict=True))
    row = int(np.argmin(np.abs(times - drawn[0])))
    assert times[row] == pytest.approx(drawn[0], abs=1e-9)
    assert math.remainder(drawn[1] + angles[row], 2 * math.pi) == pytest.approx(0.0, abs=1e-6)


def as_it_begins(page: Seat) -> None:
    """Paused, with the start on the screen: later the coupler may lie right over the crank, or the
    crank point at the eye."""
    page.ask("bench.send({do: 'pause'}).then(() => bench.send({do: 'reset'}))")
    start = page.live.read("crank")
    page.until(
        f"Math.abs(Math.sin(({start} + 2 * Math.atan2(bench.world.pose('crank').q[1],"
        " bench.world.pose('crank').q[3])) / 2)) < 1e-5"
    )


def test_a_planar_mechanism_is_shown_from_the_side_and_in_space_on_demand(page: Seat) -> None:
    assert page.ask(
        "bench.view.flat && !bench.view.flatCanvas.hidden && bench.view.spaceCanvas.hidden"
    )
    page.page.get_by_label("Side view or space").click()
    page.until("!bench.view.flat && bench.view.flatCanvas.hidden && bench.view.stages.space")
    as_it_begins(page)
    picture = shot(page)
    page.ask("bench.send({do: 'go'})")
    for colour, name in (((27, 108, 168), "crank"), ((58, 125, 68), "rocker")):
        off = np.abs(picture - colour).max(axis=2)
        assert (off < 60).sum() > 100, f"the {name} isn't seen"
    page.page.get_by_label("Side view or space").click()
    page.until("bench.view.flat")


def test_the_side_view_draws_each_body_in_its_colour(page: Seat) -> None:
    as_it_begins(page)
    picture = shot(page)
    page.ask("bench.send({do: 'go'})")
    for colour in ((27, 108, 168), (200, 85, 61), (58, 125, 68)):
        assert (np.abs(picture - colour).max(axis=2) < 8).sum() > 200


def test_a_click_on_a_body_or_a_joint_chooses_it(page: Seat) -> None:
    ends = page.ask(
        "bench.scene.shapes.find(s => s.body === 'rocker' && s.kind === 'line').numbers"
    )
    assert isinstance(ends, list)
    half = [(a + b) / 2 for a, b in zip(ends[:3], ends[3:])]
    page.ask("bench.send({do: 'pause'})")
    page.until("bench.status.state !== 'running'")
    page.page.mouse.click(*page.pixel("rocker", half))
    until(lambda: page.ask("bench.selected?.kind === 'body' && bench.selected.name === 'rocker'"))
    page.page.mouse.click(*page.pixel("ground", (0.0, 0.0, 0.0)))  # where the crank's bearing is
    until(lambda: page.ask("bench.selected?.kind === 'joint' && bench.selected.name === 'crank'"))
    assert page.page.locator("#inspector h2").inner_text() == "crank"
    page.ask("bench.send({do: 'go'})")


def test_light_and_dark_change_the_paper(page: Seat) -> None:
    light = shot(page)[5, 5]
    page.page.get_by_label("Light or dark").click()
    page.until("document.documentElement.dataset.theme === 'dark'")
    dark = shot(page)[5, 5]
    page.page.get_by_label("Light or dark").click()
    assert light.min() > 240 and dark.max() < 60


def test_tools_are_reached_by_keys_and_every_button_has_a_name(page: Seat) -> None:
    page.page.locator("#view canvas:not([hidden])").focus()
    for key, tool in (("f", "force"), ("t", "torque"), ("m", "motion"), ("v", "hand")):
        page.page.keyboard.press(key)
        assert page.ask("bench.view.tool") == tool
    nameless = page.ask(
        "[...document.querySelectorAll('button, input, select, textarea, [role=button]')]"
        ".filter(e => e.checkVisibility() && !(e.getAttribute('aria-label') || e.textContent.trim()"
        " || e.closest('label')?.textContent.trim() || e.title)).map(e => e.outerHTML)"
    )
    assert nameless == []


def test_targets_are_large_enough_for_fingers_on_a_tablet(chromium: object, run: Workbench) -> None:
    size = {"width": 1024, "height": 768}
    with seat(chromium, run, viewport=size, has_touch=True) as tablet:  # type: ignore[arg-type]
        small = tablet.ask(
            "[...document.querySelectorAll('header > nav button, #view button')]"
            ".filter(e => e.checkVisibility()).map(e => [e.getBoundingClientRect(), e.title])"
            ".filter(([b]) => b.width < 36 || b.height < 36).map(([b, t]) => t)"
        )
        assert small == []
        wide = tablet.ask("document.documentElement.scrollWidth")
        assert wide == 1024  # nothing hangs over the edge
        assert tablet.ask("bench.view.canvas.clientWidth") >= 1000  # the sides lie over the view


def test_nothing_is_cut_at_any_width(page: Seat) -> None:
    """A notebook's cell, a tablet held upright, a phone. Sides and the bar above scroll."""
    before = page.page.viewport_size
    for width in (1024, 850, 768, 600, 390):
        page.page.set_viewport_size({"width": width, "height": 760})
        page.until(f"innerWidth === {width}")
        page.until(
            "[...document.querySelectorAll('header *, main *')].every(each => {"
            "const box = each.getBoundingClientRect();"
            "return !box.width || each.closest('#left, #right, .bar > *')"
            " || box.right <= innerWidth + 1; })"
        )
    assert before is not None
    page.page.set_viewport_size(before)


def test_the_space_bar_pauses_after_a_button_was_clicked_and_repeats_no_click(page: Seat) -> None:
    """Whoever reaches a button by the keyboard presses it by the space bar, as everywhere."""
    page.ask("bench.send({do: 'go'})")
    page.page.click("[data-name=reset]")
    page.until("!bench.status.paused")
    page.page.keyboard.press(" ")
    page.until("bench.status.paused")
    page.page.click("[data-name=step]")
    page.page.keyboard.press(" ")
    page.until("!bench.status.paused")
    page.ask("document.querySelector('[data-name=pause], [data-name=go]').focus()")
    page.page.keyboard.press(" ")
    page.until("bench.status.paused")
