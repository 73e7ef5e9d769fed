"""Timing against three real grands (Goebl, Bresin and Galembo 2005)."""

import numpy as np
import pytest

from touchback.gallery.piano.experiments.strokes import play, stroke_at, stroke_of
from touchback.gallery.piano.experiments.timing import fitted, measured
from touchback.system import System


@pytest.mark.parametrize(
    ("touch", "speed"),
    [("pressed", 1.0), ("pressed", 2.0), ("struck", 1.0), ("struck", 2.0), ("struck", 4.0)],
)
def test_travel_and_key_bottom_lie_between_real_grands(
    touch: str, speed: float, pressed: System, struck: System
) -> None:
    ours = measured(stroke_at({"pressed": pressed, "struck": struck}[touch], speed))
    for quantity in ("travel", "key bottom"):
        span = fitted(touch, quantity, speed)
        assert span.min() - 0.05 <= ours[quantity] <= span.max() + 0.05, quantity


def test_free_flight_of_piano_and_mezzo_forte_lies_between_real_grands(
    pressed: System, struck: System
) -> None:
    for touch, system, speed in (
        ("pressed", pressed, 0.5), ("pressed", pressed, 1.0),
        ("struck", struck, 1.0), ("struck", struck, 2.0),
    ):  # fmt: skip
        ours = measured(stroke_at(system, speed))["free flight"]
        span = fitted(touch, "free flight", speed)
        assert span.min() <= ours <= span.max()


def test_a_struck_key_is_faster_than_a_pressed_one(pressed: System, struck: System) -> None:
    earlier = stroke_at(pressed, 1.0).strike - stroke_at(struck, 1.0).strike
    assert 0.020 < earlier < 0.040


def test_hammer_speeds_reach_from_pianissimo_to_fortissimo(struck: System) -> None:
    softest = stroke_of(play(struck, 0.4, {"touch speed": 0.09}))
    loudest = stroke_of(play(struck, 0.1, {"touch speed": 3.0}))
    assert softest is not None and loudest is not None
    assert 0.1 < softest.speed < 0.3 and loudest.speed > 6.8


def test_many_touches_give_the_same_strike(pressed: System, struck: System) -> None:
    """Key motions that differ may strike at the same instant with the same speed."""
    quick, slow = stroke_at(struck, 1.5), stroke_at(pressed, 1.5)
    assert quick.speed == pytest.approx(slow.speed, rel=0.01)
    assert slow.strike - quick.strike > 0.005  # but a later start makes that up
    shift = slow.strike - quick.strike
    t = np.linspace(0.0, slow.strike, 200)
    apart = np.interp(t, slow.run.time, slow.run["key depth"]) - np.interp(
        t - shift, quick.run.time, quick.run["key depth"]
    )
    assert np.abs(apart).max() > 0.5e-3
