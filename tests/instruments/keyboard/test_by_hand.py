"""A key whose finger follows a pointer: depths come in steps, and strike as a hand would."""

from itertools import pairwise

import numpy as np
import pytest

import touchback as tb
from touchback.instruments.keyboard import by_law, touchback_key
from touchback.instruments.keyboard.key_device import FOLLOWING, FRONT
from touchback.instruments.keyboard.keyboard_player import (
    KEYBOARD_METHOD,
    SETTLING_TIME,
    Keyboard,
    make_keyboard,
    steps_at,
)
from touchback.recording import Run


@pytest.fixture(scope="module")
def key() -> Keyboard:
    return make_keyboard([60], "piano", by_hand=True)


def dragged(key: Keyboard, depth: float, seconds: float) -> Run:
    """The pointer goes down within some seconds, sixty steps a second, and stays."""
    options = {"rate": key.rate, "substeps": key.substeps, "method": KEYBOARD_METHOD}
    with tb.live(key.system, speed=None, record=True, **options) as live:
        live.run(SETTLING_TIME)
        frames = max(1, round(60 * seconds))
        for i in range(frames):
            live["C4/finger wish"] = depth * (i + 1) / frames
            live.run(1.0 / 60.0)
        live.run(0.4)
    return live.recorded()


def test_the_faster_the_pointer_the_faster_the_hammer_and_a_slow_one_is_mute(key: Keyboard) -> None:
    speeds = [
        run["C4/loudness"][-1] if run["C4/notes"][-1] else 0.0
        for run in (dragged(key, 0.03, seconds) for seconds in (1.5, 0.3, 0.1, 0.05))
    ]
    assert speeds[0] == 0.0
    assert all(b > 1.3 * a for a, b in pairwise(speeds)), speeds


def test_a_deeper_click_is_louder(key: Keyboard) -> None:
    speeds = [dragged(key, depth, 0.0)["C4/loudness"][-1] for depth in (0.015, 0.03, 0.06)]
    assert all(b > 1.5 * a for a, b in pairwise(speeds)), speeds


def test_the_finger_follows_its_wish_with_one_lag(key: Keyboard) -> None:
    """From the step on, w = depth (1 − e^(−t/τ)) at ticks, exactly."""
    run = dragged(key, 0.002, 0.0)
    followed = run["C4/wish followed"]
    since = run.time - SETTLING_TIME
    due = 0.002 * -np.expm1(-np.maximum(since, 0.0) / FOLLOWING)
    np.testing.assert_allclose(followed, due, atol=1e-12)


def test_a_key_that_is_held_lies_where_muscles_and_action_balance(key: Keyboard) -> None:
    """Statics: what the muscles of 257 N/m lack in way is the force that is felt."""
    run = dragged(key, 0.012, 0.5)
    finger, depth = run["C4/finger"][-1], FRONT * run["C4/key"][-1]
    assert 257.0 * (0.012 - finger) == pytest.approx(run["C4/finger force"][-1], rel=0.01)
    assert 0.0 < depth < 0.0095


def test_a_law_that_gives_no_number_is_a_fault_and_not_the_motors_full_force() -> None:
    law = by_law(
        lambda depth, speed: tb.select(depth > 0.004, (depth - depth) / 0.0, 100.0 * depth)
    )
    key = touchback_key(law, rate=1000.0, by_hand=True).compile()
    with tb.live(
        key, rate=1000, substeps=steps_at(1000.0), method=KEYBOARD_METHOD, speed=None
    ) as live:
        live["finger wish"] = 0.008
        live.run(0.3)
        assert "not finite" in live.faults
