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
            }"""
        )
        found = page.ask("measurePage()")
        assert isinstance(found, list)
        told = {(kind, what) for kind, where, what in found if "fault" in where}
        assert ("cut", "words that their box cuts") in told
        assert ("none", "speed NaN m/s") in told
        assert any(kind == "cut" and "123456789" in what for kind, what in told)
        assert any(kind == "overlap" and "seconds × 3.0" in what for kind, what in told)
        assert any("words over a button" in what for kind, _, what in found if kind == "overlap")
