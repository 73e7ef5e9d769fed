"""The virtual wall in Chromium: pushed with the mouse, and every wall of the laboratory chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.workbench.browser import until
from touchback.haptics.wall.wall_mechanism import RENDERED
from touchback.realtime import Live
from touchback.workbench.play.play_server import PlayServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def hall() -> Iterator[PlayServer]:
    with PlayServer("wall") as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: Browser, hall: PlayServer) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    found, errors = context.new_page(), []
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.goto(hall.url)
    ready(found, "window.play?.wall && play.rows.length > 100")
    yield found
    assert errors == []
    context.close()


@pytest.fixture
def live(hall: PlayServer) -> Live:
    return hall._pages["wall"].board.live  # type: ignore[attr-defined, no-any-return]


def ready(page: Page, text: str) -> None:
    until(lambda: page.evaluate(f"Boolean({text})"))


def choose(page: Page, name: str) -> None:
    """From the list, as a person does; the page shows it as soon as it acts."""
    page.select_option("#controller", name)
    ready(page, f"play.wall.controller === '{name}'")


def push(page: Page) -> None:
    """The mouse takes the handle 18 mm into the wall, and stays there."""
    box = page.locator("#bench .plot").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.6 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.2 * box["width"], y, steps=6)


def release(page: Page, live: Live) -> None:
    page.mouse.up()
    until(lambda: live.read("handle") > 5e-3 and abs(live.read("handle rate")) < 1e-3)


@pytest.fixture(autouse=True)
def stiff(page: Page) -> None:
    """20 kN/m at 1 kHz, ten times what is passive for any hand."""
    page.evaluate("play.bench.send({ do: 'wall', controller: 'standard', stiffness: 20000 })")
    ready(page, "play.wall.stiffness === 20000 && play.wall.controller === 'standard'")


def test_a_stiff_wall_chatters_under_the_mouse_until_half_a_sample_is_foreseen(
    page: Page, live: Live
) -> None:
    push(page)
    ready(page, "play.figures?.chatters && play.figures.crossings > 10")
    gave = live.read("wall gave")
    until(lambda: live.read("wall gave") > gave + 0.01)  # J: it feeds itself
    choose(page, "half-sample")
    ready(page, "!play.figures.chatters && play.figures.crossings === 0")
    gave = live.read("wall gave")
    live.run(0.5)
    assert live.read("wall gave") == pytest.approx(gave, abs=1e-4)
    release(page, live)


@pytest.mark.parametrize("name", ["deadbeat", "adaptive"])
def test_a_wall_that_compensates_its_crossings_is_passive_where_the_standard_one_chatters(
    page: Page, live: Live, name: str
) -> None:
    """From outside the wall into it, held, and out again: what it gave on the way out it had got on
    the way in, but for less than a tenth of what the standard wall above fed itself."""
    choose(page, name)
    gave = live.read("wall gave")
    push(page)
    ready(page, "play.figures?.inside && !play.figures.chatters && play.figures.crossings === 0")
    depth = -live.read("handle")
    assert depth == pytest.approx(live.read("wall force") / 20e3, rel=1e-2)  # as stiff as asked for
    release(page, live)
    assert abs(live.read("wall gave") - gave) < 1e-3  # J


def test_every_wall_of_the_laboratory_is_in_the_list_and_acts(page: Page, live: Live) -> None:
    listed = page.locator("#controller option").all_inner_texts()
    assert listed == list(RENDERED)
    for name in listed:
        choose(page, name)
        found = RENDERED[name].parameters(live.system.model, 20e3, 1000.0)
        assert {each: live[each] for each in found} == found


def test_a_wall_that_looks_ahead_tells_how_stiff_it_can_be(page: Page) -> None:
    """A contact of two samples at 250 Hz is 49 kN/m on 0.32 kg."""
    choose(page, "deadbeat")
    page.evaluate("play.bench.send({ do: 'wall', stiffness: 100000, rate: 250 })")
    ready(page, "document.querySelector('#felt').textContent.includes('49348 N/m')")
    choose(page, "standard")
    ready(page, "document.querySelector('#felt').hidden")
    page.evaluate("play.bench.send({ do: 'wall', rate: 1000 })")
    ready(page, "play.wall.rate === 1000")


def test_the_bound_for_any_hand_is_that_of_the_controller(page: Page) -> None:
    """At 1 kHz on a device of 1 N s/m, damped by 0.5 N s/m."""
    for name, bound in (
        ("damped, differentiated", "1000 N/m"),
        ("deadbeat", "no such bound"),
        ("standard", "2000 N/m"),
    ):
        choose(page, name)
        ready(page, f"document.querySelector('#bound').textContent === '{bound}'")


def test_the_hand_and_the_handle_stay_in_the_picture(page: Page, live: Live) -> None:
    """The farthest wish of keys or pointer is drawn, with the 26 px that the handle is wide and the
    hand beside it."""
    for key in ("PageUp", "PageDown"):
        for _ in range(20):
            page.keyboard.press(key)
        until(lambda: abs(live.read("handle rate")) < 1e-3)
        edges = page.evaluate("play.edges()")
        width = page.evaluate("document.querySelector('#bench canvas').clientWidth")
        assert edges[0] >= 0.0 and edges[1] <= width, (key, edges, width)
    page.evaluate("document.querySelector('#bench .plot').dispatchEvent(new Event('pointerup'))")


def test_keys_push_as_the_pointer_does_and_a_wall_that_holds_still_is_told(
    page: Page, live: Live
) -> None:
    choose(page, "deadbeat")
    page.focus("#bench .plot")
    for _ in range(4):
        page.keyboard.press("PageDown")  # 5 mm each, from 10 mm outside
    until(lambda: live.read("handle") < 0.0 < live.read("wall force"))
    ready(page, "document.querySelector('#verdict').textContent.includes('holds still')")
    for _ in range(4):
        page.keyboard.press("PageUp")
    until(lambda: live.read("handle") > 5e-3)


def test_arrow_keys_move_the_hand_wherever_the_focus_is_but_in_a_list(page: Page) -> None:
    page.evaluate("document.activeElement?.blur()")
    wished = page.locator("#bench .plot")
    before = float(wished.get_attribute("aria-valuenow") or 0)
    page.keyboard.press("ArrowLeft")
    assert float(wished.get_attribute("aria-valuenow") or 0) == pytest.approx(before - 1.0)  # mm
    page.locator("#stiffness").focus()
    page.keyboard.press("ArrowLeft")  # changes the stiffness, as sliders do
    assert float(wished.get_attribute("aria-valuenow") or 0) == pytest.approx(before - 1.0)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    assert float(wished.get_attribute("aria-valuenow") or 0) == pytest.approx(before)
