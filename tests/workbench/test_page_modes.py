"""Icons and edits on a mechanism with modes, placed on the page in Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from models_with_modes import G, bouncing_ball
from tests.workbench.browser import Seat, seat, until
from touchback import workbench
from touchback.workbench import Workbench

REST = 1.0  # the mode in which the floor carries the ball of 1 kg


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(bouncing_ball(0.2, rest=True)) as opened:
        until(lambda: opened.live.read("mode") == REST)
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    size = {"width": 1200, "height": 640}  # room for the tree
    with seat(chromium, run, viewport=size) as found:  # type: ignore[arg-type]
        yield found


def test_a_force_put_on_a_ball_that_lies_presses_it_on_the_floor(page: Seat) -> None:
    """It lies there in its mode, before and after; the floor carries its weight and the icon."""
    live = page.live
    assert live.read("floor force") == pytest.approx(G, rel=1e-9)
    page.choose("body", "ball")
    page.press("force")
    until(lambda: "force 1 z" in live.system.input_names)
    page.see_structure()
    field = page.page.get_by_label("value z [N]")
    field.fill("-5")
    field.press("Enter")
    until(lambda: live["force 1 z"] == -5.0)
    until(lambda: live.read("floor force") == pytest.approx(G + 5.0, rel=1e-9))
    assert live.read("mode") == REST and abs(live.read("height")) < 1e-9
    assert [each.state for each in live.structures] == ["taken"]
    assert live.structures[0].energy_lost == pytest.approx(0.0, abs=1e-12)
    page.press("remove")
    until(lambda: "force 1 z" not in live.system.input_names)
    until(lambda: live.read("floor force") == pytest.approx(G, rel=1e-9))
    assert live.read("mode") == REST and not live.faults
