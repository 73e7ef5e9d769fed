"""What play pages say when there is no run behind them, in the workbench's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.workbench.browser import until
from touchback.workbench.play.play_messages import Visit
from touchback.workbench.play.play_server import PlayServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ACTS = "main, header nav, header #sound, header #passage, header #instruments"
RESTS = f"[...document.querySelectorAll('{ACTS}')].every(each => each.inert)"
NONE_RESTS = f"[...document.querySelectorAll('{ACTS}')].every(each => !each.inert)"


@pytest.fixture(scope="module")
def hall() -> Iterator[PlayServer]:
    with PlayServer("zoo") as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1024, "height": 768})
    found, errors = context.new_page(), []
    found.on("pageerror", lambda error: errors.append(str(error)))
    yield found
    assert errors == []
    context.close()


def told(page: Page) -> str:
    """What stands over the page once it does, all of it in the window."""
    box = page.locator(".gone p")
    until(box.count)
    place, size = box.bounding_box(), page.viewport_size
    assert place is not None and size is not None
    assert place["x"] >= 0.0 and place["x"] + place["width"] <= size["width"]
    assert place["y"] >= 0.0 and place["y"] + place["height"] <= size["height"]
    return box.inner_text()


@pytest.mark.parametrize("name", ["zoo", "wall", "trial", "piano"])
def test_a_page_with_a_wrong_token_says_what_to_do_and_rests(
    page: Page, hall: PlayServer, name: str
) -> None:
    page.goto(f"http://{urlsplit(hall.url).netloc}/play/{name}.html?token=old&run={name}")
    assert told(page) == "This address is no longer valid; use the one that was printed last."
    assert page.evaluate(RESTS)
    before = page.evaluate("document.documentElement.dataset.theme")
    page.get_by_label("Light or dark").click()  # this is the page's own, and works
    assert page.evaluate("document.documentElement.dataset.theme") != before


def test_the_end_of_the_server_is_told_on_every_page_as_far_as_it_was_scrolled(page: Page) -> None:
    with PlayServer("zoo") as ending:  # a second look has a server again
        hall_ends(page, ending)


def hall_ends(page: Page, hall: PlayServer) -> None:
    page.goto(hall.url)
    until(lambda: page.evaluate("Boolean(window.play?.zoo)"))
    wall = page.context.new_page()
    wall.goto(str(hall.visit(Visit(what="wall"), "")["url"]))
    until(lambda: wall.evaluate("Boolean(window.play?.wall)"))
    for each in (page, wall):
        assert each.evaluate(NONE_RESTS) and each.locator(".gone").count() == 0
    page.locator("#mechanisms button").last.scroll_into_view_if_needed()
    hall.close()
    for each in (page, wall):
        text = "The run has ended, or its server can't be reached"
        until(lambda each=each, text=text: told(each).startswith(text))  # it tries again meanwhile
        assert each.evaluate(RESTS)
