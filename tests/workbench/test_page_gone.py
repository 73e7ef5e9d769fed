"""What the page says over the view when there is no run behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.workbench.browser import Seat, seat, until
from tests.workbench.swing import swing
from touchback import workbench
from touchback.workbench import Workbench

pytest.importorskip("websockets")


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(swing(), rate=500) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run) as found:  # type: ignore[arg-type]
        yield found


def test_an_address_of_an_earlier_server_is_called_so_and_is_not_tried_again(page: Seat) -> None:
    page.page.goto(re.sub("token=[^&#]*", "token=old", page.workbench.url))
    told = page.page.locator("#view .gone")
    until(lambda: told.count() and "no longer valid" in told.inner_text())
    assert "printed last" in told.inner_text()
    assert page.ask("document.getElementById('transport').inert")  # nothing looks as if it worked
    tries = page.ask("bench._tries")
    page.ask("() => new Promise(done => setTimeout(done, 800))")  # it would try after 250 ms
    assert page.ask("bench._tries") == tries


def test_the_end_of_the_server_is_told_over_the_view(page: Seat) -> None:
    page.come()
    assert page.page.locator("#view .gone").count() == 0
    assert not page.ask("document.getElementById('transport').inert")
    page.workbench.close()
    told = page.page.locator("#view .gone")
    until(lambda: told.count() and "ended" in told.inner_text())
    assert page.ask("document.getElementById('transport').inert")
