"""A mechanism far from the world's origin on the page in Chromium: drawn, picked and dragged as
near it, though float32 tells places there to 0.06 m only."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from manipulated import four_bar
from tests.workbench.browser import Seat, seat, shot, until
from touchback import workbench
from touchback.workbench.manipulate.state_snapshot import take_snapshot

FAR = (1e6, 3e6, -2e6)
TIP = (0.3, 0.0, 0.0)  # of the rocker


def opened(chromium: object, place: tuple[float, float, float]) -> Iterator[Seat]:
    """A page on a four-bar at a place, paused and without the ground's grid."""
    with (
        workbench.open(four_bar(gravity=0.0, place=place)) as bench,
        seat(chromium, bench) as page,  # type: ignore[arg-type]
    ):
        page.ask("bench.send({do: 'pause'})")
        page.until("bench.status.paused")
        page.ask("() => bench.view.setShown('ground', false)")
        yield page


@pytest.fixture(scope="module")
def near(chromium: object) -> Iterator[Seat]:
    yield from opened(chromium, (0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def far(chromium: object) -> Iterator[Seat]:
    yield from opened(chromium, FAR)


@pytest.mark.parametrize("side", ["true", "false"])
def test_it_looks_as_it_does_near(near: Seat, far: Seat, side: str) -> None:
    """From the side and in space; a rim's antialiasing may differ in single pixels."""
    pictures = []
    for page in (near, far):
        page.ask(f"() => bench.view.turn({side})")
        page.until(f"bench.view.{'flat' if side == 'true' else 'space'}Canvas.hidden === false")
        pictures.append(shot(page))
    assert pictures[0].std() > 5.0  # something is on it
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 40).mean() < 1e-4


def test_a_point_is_told_to_micrometres(far: Seat) -> None:
    told = far.ask("() => bench.world.run(bench.world.at('coupler', [0.4, 0, 0]))")
    pin = take_snapshot(far.live).point("coupler", np.array([0.4, 0.0, 0.0]))
    assert told == pytest.approx(pin, rel=0, abs=4e-6)  # of 64 m from the frame's origin


def test_it_is_posed_where_the_pointer_is(far: Seat) -> None:
    """By 20 px to the left: the tip comes as near to the pointer as its circle does."""
    far.ask("() => bench.view.turn(true)")
    far.until("bench.view.flatCanvas.hidden === false")
    x, y = far.pixel("rocker", TIP)
    before, tick = take_snapshot(far.live).point("rocker", np.array(TIP)), far.live.ticks
    far.drag((x, y), (-20.0, 0.0))
    until(lambda: far.live.ticks > tick)
    metre = far.ask("bench.view.eye.perPixel([0, 0, 0], bench.view.canvas.clientHeight)")
    assert isinstance(metre, float)

    pivot = np.array([FAR[0] + 0.5, FAR[1], FAR[2]])
    wanted = before + [-20.0 * metre, 0.0, 0.0] - pivot
    nearest = pivot + 0.3 * wanted / np.linalg.norm(wanted)

    def apart() -> float:
        return float(
            np.linalg.norm(take_snapshot(far.live).point("rocker", np.array(TIP)) - nearest)
        )

    until(lambda: apart() < 2e-3)  # m: two pixels, of where the pointer took it
    gone = (nearest - before)[0] / metre
    assert -20.0 < gone < -10.0
    until(lambda: abs(far.pixel("rocker", TIP)[0] - x - gone) < 3.0)  # px: it is drawn there


def test_a_running_one_is_pulled_to_the_pointer(far: Seat) -> None:
    far.ask("bench.send({do: 'go'})")
    far.until("!bench.status.paused")
    far.see_now()
    far.ask("() => bench.view.turn(true)")
    start = far.pixel("rocker", (0.15, 0.0, 0.0))
    far.drag(start, (-15.0, -5.0), hold=True)
    until(lambda: far.live["hand grip"] == 3.0)
    goal = far.ask(
        "([x, y]) => bench.world.run(bench.view.eye.ray("
        "...bench.view.place({ clientX: x, clientY: y })).from)",
        start[0] - 15.0, start[1] - 5.0,
    )  # fmt: skip
    assert isinstance(goal, list)
    until(lambda: abs(far.live["hand to x"] - goal[0]) < 1e-6)
    assert far.live["hand to z"] == pytest.approx(goal[2], rel=0, abs=1e-6)
    far.page.mouse.up()
    until(lambda: far.live["hand grip"] == 0.0)
