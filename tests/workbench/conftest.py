"""A workbench that the tests of a file share."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.workbench.browser import Seat
from touchback import gallery, workbench
from touchback.workbench import Workbench
from waiting import PATIENCE


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    """A slider-crank on the page."""
    with workbench.open(gallery.make("slider-crank").compile()) as opened:
        yield opened


def patient(opens: Callable[..., Any]) -> Callable[..., Any]:
    """What opens a context or a page, whose clicks wait as long as tests do."""

    def opened(**given: object) -> Any:
        found = opens(**given)
        found.set_default_timeout(1e3 * PATIENCE)
        return found

    return opened


KEPT = pytest.StashKey[object]()  # what the browser kept for the page when a test began


@pytest.fixture(autouse=True)
def a_second_look_is_at_a_page_opened_anew(request: pytest.FixtureRequest) -> None:
    """What a failed look left behind, another view or tool, must not fail the next one."""
    page = request.getfixturevalue("page") if "page" in request.fixturenames else None
    if not isinstance(page, Seat):
        return
    before = request.node.stash.setdefault(KEPT, page.ask("Object.entries(localStorage)"))
    if getattr(request.node, "execution_count", 1) > 1:
        page.ask(
            "([kept]) => { localStorage.clear(); for (const [k, v] of kept) localStorage[k] = v; }",
            before,
        )
        page.come()


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A browser without a screen, with WebGL in software; one for all tests. Nothing but WebGL goes
    through that: were the page itself painted so, a sixth of its frames would be left."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                "--disable-gpu-compositing", "--disable-gpu-rasterization",
                "--disable-accelerated-2d-canvas",
            ],
        )  # fmt: skip
        for way in ("new_context", "new_page"):
            setattr(browser, way, patient(getattr(browser, way)))
        yield browser
        browser.close()
