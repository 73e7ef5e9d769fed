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
        "[...document.querySelectorAll('.chip output')].map(each => parseFloat(each.textContent))"
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
    live.place(live.system.assemble(slide=-0.03))
    until(lambda: chips(page) == [-0.03, 0.03])
    page.come()
    until(lambda: chips(page) == [-0.03, 0.03])
    live.reset()
    until(lambda: chips(page) == [AMPLITUDE, -AMPLITUDE])
    live.go()
