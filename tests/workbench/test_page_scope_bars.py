# ruff: noqa: E501 (expressions of the page read better in one line)
"""The bars of scopes: the values beside the names, and that all of it can be read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.workbench.browser import Seat, seat, until
from tests.workbench.swing import AMPLITUDE, show, swing, until_page
from touchback import workbench
from touchback.workbench import Workbench

pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(swing(), rate=500) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run, viewport={"width": 1280, "height": 800}) as found:  # type: ignore[arg-type]
        until_page(found, "bench.scopes?.panes.length > 0")
        yield found


def chips(page: Seat) -> list[float]:
    found = page.ask(
        "[...document.querySelectorAll('.chip output')].map(each => parseFloat(each.textContent.replaceAll('−', '-')))"
    )
    return [np.nan if each is None else float(each) for each in found]  # type: ignore[attr-defined]


def test_a_chip_tells_the_newest_tick_whatever_stopped_the_run(page: Seat) -> None:
    """One trace rises where the other falls: neither the greatest nor the least value is both."""
    live = page.live
    show(page, "time", "slide", "-slide")
    until_page(page, "bench.scopes.panes[0].scope.data.count > 3")

    def told() -> bool:
        x = float(live.read("slide"))
        return chips(page) == pytest.approx([x, -x], rel=1e-5, abs=1e-7)  # six digits

    live.pause()
    until(told)
    for _ in range(12):  # within one bucket, and over its end
        live.step(1)
        until(told)
    live.set_state(live.system.assemble(slide=-0.03))
    until(lambda: chips(page) == [-0.03, 0.03])
    page.come()
    until(lambda: chips(page) == [-0.03, 0.03])
    live.reset()
    until(lambda: chips(page) == [AMPLITUDE, -AMPLITUDE])
    live.go()


_BOX = "(e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; })"


def test_two_scopes_stand_side_by_side_with_all_they_have_in_sight(page: Seat) -> None:
    """Their names, values, buttons and choices; and a refusal is read to its last word."""
    show(page, "time", "slide", "slide rate")
    page.ask("bench.scopes.add({ kind: 'spectrum', signals: ['slide'] })")
    page.page.get_by_label("Add a signal or an expression").last.click()
    field = page.page.get_by_label("Signal or expression", exact=True)
    field.fill("1000 * slide + 2 * 'slide ratio' + 3 * echo")
    field.press("Enter")
    until(lambda: page.page.locator(".picker .bad").inner_text())

    (list_,) = np.array(page.ask(f"[...document.querySelectorAll('.scope-list')].map({_BOX})"))
    panes = np.array(page.ask(f"[...document.querySelectorAll('.scope')].map({_BOX})"))
    assert panes[0, 0] >= list_[0] - 1 and panes[1, 0] >= panes[0, 2] - 1
    assert panes[1, 2] <= list_[2] + 1
    for place, pane in enumerate(panes):
        parts = (
            ".scope-bar button, .scope-bar select:not([hidden]), .chip, .picker > :not(datalist)"
        )
        boxes = page.ask(
            f"[...document.querySelectorAll('.scope')[{place}].querySelectorAll('{parts}')].map({_BOX})"
        )
        found = np.array(boxes)
        assert found[:, 0].min() >= pane[0] and found[:, 2].max() <= pane[2]
    wrong = np.array(  # its letters, not only the box that they stand in
        page.ask(
            f"(e => {{ const r = document.createRange(); r.selectNodeContents(e); return {_BOX}(r); }})"
            "(document.querySelector('.picker .bad'))"
        )
    )
    assert (wrong[:2] >= panes[1, :2]).all() and (wrong[2:] <= panes[1, 2:]).all()
    page.page.get_by_text("cancel").click()


def test_on_a_phone_the_mechanism_has_the_screen_and_scopes_come_when_asked_for(page: Seat) -> None:
    before = page.page.viewport_size
    page.page.set_viewport_size({"width": 390, "height": 844})
    page.come()
    bottom, button = (page.page.locator(each) for each in ("#bottom", '[data-panel="bottom"]'))
    assert not bottom.is_visible() and button.get_attribute("aria-pressed") == "false"
    view = page.page.locator("#view").bounding_box()
    assert view is not None and view["height"] > 0.7 * 844  # px
    button.click()
    until(bottom.is_visible)
    button.click()
    page.page.set_viewport_size(before)  # type: ignore[arg-type]
    page.come()
    until(bottom.is_visible)
