"""The blind trial in Chromium: a stroke is drawn whole, however fast it was and busy the server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.workbench.browser import until
from touchback.workbench.play.play_server import PlayServer
from touchback.workbench.play.trial_pages import IdentificationPage

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def hall() -> Iterator[PlayServer]:
    with PlayServer("trial") as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: Browser, hall: PlayServer) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1024, "height": 768})
    found = context.new_page()
    found.goto(hall.url)
    until(lambda: found.evaluate("Boolean(window.play?.trial && play.bench.status.time > 0.6)"))
    yield found
    context.close()


def test_a_fast_stroke_is_drawn_whole_though_the_server_was_busy_meanwhile(
    page: Page, hall: PlayServer
) -> None:
    board = hall.first.board
    assert isinstance(board, IdentificationPage)
    hall.first.bench.hub.call(time.sleep, 0.6)  # s in which nothing is sent
    began = board.live.read("time")
    board.live["C4/finger wish"] = 0.04  # m: as fast as a finger goes
    board.live.run(0.3)
    board.live["C4/finger wish"] = 0.0
    board.live.run(0.2)
    ended = board.live.read("time")
    until(lambda: page.evaluate("play.force.trail.at(-1)[0]") > ended)
    trail = np.array(page.evaluate("play.force.trail"))
    stroke = trail[(trail[:, 0] > began) & (trail[:, 0] < ended)]
    assert len(stroke) == pytest.approx(1000.0 * (ended - began), abs=2)  # every tick
    assert np.diff(stroke[:, 0]).max() == pytest.approx(1e-3, abs=1e-5)
    going = stroke[: np.argmax(stroke[:, 1])]
    assert going[0, 1] < 0.1 and going[-1, 1] > 7.0  # mm: from the top to the bed
    assert page.evaluate("play.force.deep") > stroke[:, 1].max()  # nothing beyond the edge


def test_a_stroke_that_is_held_longer_than_strokes_are_kept_stays_whole(page: Page) -> None:
    first, count = page.evaluate(
        "(() => { const f = new play.force.constructor(document.getElementById('force'), 0.5);"
        "for (let t = 0; t < 3; t += 0.01) f.feel([[t, Math.min(t, 1) * 0.01, 1]]);"
        "return [f.trail[0][1], f.trail.length]; })()"
    )
    assert first < 0.1 and count == pytest.approx(300, abs=2)  # mm: from the top, every row


def press(page: Page) -> None:
    """Feels the key on the page, and lets go."""
    box = page.locator("#bench .plot").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 0.6 * box["height"], steps=4)
    until(lambda: page.evaluate("play.felt"))
    page.mouse.up()
    until(lambda: page.evaluate("!document.querySelector('#choices button').disabled"))


def test_another_session_begins_on_the_page_and_the_one_before_is_kept(
    page: Page, hall: PlayServer
) -> None:
    board = hall.first.board
    assert isinstance(board, IdentificationPage)
    assert not page.locator("#again").is_visible()
    first = board.trials
    for done in range(first.count):
        if done:  # the first was felt above
            assert page.locator("#choices button").first.is_disabled()
        press(page)
        page.locator("#choices button").first.dblclick()  # answers one trial, not two
        until(lambda done=done: page.evaluate(f"play.trial.answered === {done + 1}"))
        assert len(first.answers) == done + 1
    page.locator("#again").click()
    until(lambda: board.trials is not first and page.evaluate("!play.trial.done"))
    assert board.trials.path.name == "trial-2.jsonl" and board.trials.answers == []
    assert first.done and first.path.exists()
    assert page.locator("#where").inner_text().startswith("Trial 1 of 8")
    assert not page.locator("#result").is_visible()
