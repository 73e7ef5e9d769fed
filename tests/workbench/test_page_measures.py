"""Nothing on a page overlaps, is cut or shows a number that is none, at the sizes of two screens, a
tablet and a phone. `docs/make_screenshots.py` measures every page of the gallery so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workbench.browser import seat
from tests.workbench.page_measures import SIZES, SUBJECTS, WATCH, measured, unfold, visit
from touchback.workbench import Workbench

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SHOWN = ("mechanism", "arm", "car", "drawing", "recording", "piano", "wall", "trial", "zoo")


@pytest.mark.parametrize("name", SHOWN)
def test_nothing_overlaps_is_cut_or_is_no_number_at_any_size(chromium: Browser, name: str) -> None:
    with SUBJECTS[name]() as (url, shown):
        page = visit(chromium, url, shown, SIZES[0])
        unfold(page)
        found = [finding for size in SIZES for finding in measured(page, name, size)]
        page.close()
    assert found == []


@pytest.mark.parametrize("name", ("mechanism", "drawing", "recording"))
def test_a_phone_has_two_lines_above_whose_buttons_are_all_in_reach(
    chromium: Browser, name: str
) -> None:
    """A tenth of its height, with the title whole; every button comes from below those of the
    panels, and the menus fit."""
    with SUBJECTS[name]() as (url, shown):
        page = visit(chromium, url, shown, SIZES[-1])
        height = page.evaluate("document.querySelector('body > header').offsetHeight")
        assert height < 0.11 * SIZES[-1][1]
        assert page.evaluate("(title => title.scrollWidth <= title.clientWidth)(window.title)")
        for button in page.locator("header button:visible").all():
            button.evaluate("each => each.scrollIntoView({ inline: 'nearest' })")  # as a focus does
            box = button.bounding_box()
            assert box is not None and box["x"] >= 0.0
            edge = 0.0 if button.get_attribute("data-panel") else 3 * 36.0  # px
            assert box["x"] + box["width"] <= SIZES[-1][0] - edge
        page.locator("#layouts").evaluate("each => each.click()")
        menu = page.locator(".menu.layouts").bounding_box()
        page.close()
    assert menu is not None and menu["x"] >= 0.0 and menu["y"] >= height
    assert menu["x"] + menu["width"] <= SIZES[-1][0]


def test_the_measure_finds_what_is_wrong(chromium: Browser, bench: Workbench) -> None:
    """Each kind of fault is put on a page: a note over a button, a field that is too narrow, words
    cut by their box, numbers that are none, two texts of a canvas at one place."""
    with seat(chromium, bench) as page:
        page.page.add_init_script(WATCH)
        page.come()
        page.ask(
            """() => {
              const put = (what, style) => {
                const made = document.createElement("div");
                made.append(what);
                made.id = "fault";
                Object.assign(made.style, { position: "absolute", left: "400px", ...style });
                document.body.append(made);
              };
              const { left, top } = document.querySelector("[data-name=reset]")
                .getBoundingClientRect();
              put("words over a button", { zIndex: 9, left: `${left}px`, top: `${top}px` });
              put("words that their box cuts", { top: "300px", width: "60px",
                overflow: "hidden", whiteSpace: "nowrap" });
              put("speed NaN m/s", { top: "330px" });
              const field = document.createElement("input");
              Object.assign(field, { value: "123456789" }).style.width = "50px";
              put(field, { top: "360px" });
              const canvas = document.createElement("canvas"), g = canvas.getContext("2d");
              put(canvas, { top: "400px" });
              g.fillText("seconds", 20, 20);
              g.fillText("3.0", 25, 22);
              const words = (rim, x) => `<text x="${x}" y="20"${rim}>goes</text>`;
              const parsed = new DOMParser().parseFromString(`<svg xmlns=` +
                `"http://www.w3.org/2000/svg" width="90">${words(' stroke="#fff"', 9)}` +
                `${words("", 9)}${words("", 12)}</svg>`, "image/svg+xml").documentElement;
              put(document.importNode(parsed, true), { top: "440px" });
            }"""
        )
        found = page.ask("measurePage()")
        assert isinstance(found, list)
        told = {(kind, what) for kind, where, what in found if "fault" in where}
        assert ("cut", "words that their box cuts") in told
        assert ("none", "speed NaN m/s") in told
        assert any(kind == "cut" and "123456789" in what for kind, what in told)
        assert any(kind == "overlap" and "seconds × 3.0" in what for kind, what in told)
        rimmed = [what for kind, _, what in found if kind == "overlap" and "goes" in what]
        assert len(rimmed) == 1  # with the words beside them, and not with their own rim
        assert any("words over a button" in what for kind, _, what in found if kind == "overlap")
