"""Fingers of the virtuoso passage move smoothly, and each of their strokes strikes."""

import numpy as np
import pytest

import touchback as tb
from studies.piano.gestures import STEP, Laboratory
from touchback.instruments.piano.finger_motions import (
    ABOVE,
    DEEP,
    KEYS,
    LOWEST,
    finger_motion,
    passage_on_every_key,
    virtuoso_passage,
)
from touchback.instruments.piano.stroke_analysis import strike_times


@pytest.fixture(scope="module")
def laboratory():
    return Laboratory()


def test_a_finger_s_speed_is_the_slope_of_its_depth():
    times = np.arange(0.0, 2.0, 1e-4)
    for strokes in virtuoso_passage(2.0).values():
        depth, speed = finger_motion(strokes, times)
        assert depth.min() >= ABOVE and depth.max() == pytest.approx(DEEP)
        np.testing.assert_allclose(np.gradient(depth, times), speed, atol=0.05)
        assert np.all(np.abs(np.diff(depth)) < 2e-4)  # no jumps: below 2 m/s


def test_ten_fingers_play_and_every_key_can():
    passage = virtuoso_passage(4.0)
    times = np.arange(0.0, 4.0, 1e-3)
    down = sum((finger_motion(strokes, times)[0] > 0.0).astype(int) for strokes in passage.values())
    assert 5 <= down.max() <= 10
    assert sorted(passage_on_every_key(1.0)) == list(range(LOWEST, LOWEST + KEYS))


@pytest.mark.parametrize("note", [76, 79, 45, 50, 40])
def test_each_stroke_of_the_passage_strikes_once(laboratory, note):
    strokes = virtuoso_passage(4.0)[note]
    times = np.arange(0.0, 4.0, 2.5e-4)
    depth, speed = finger_motion(strokes, times)
    run = tb.simulate(
        laboratory.system, laboratory.rest, 4.0, method="euler", step=STEP, output_step=2 * STEP,
        inputs={"finger depth": (times, depth), "finger speed": (times, speed)}, progress=False,
    )  # fmt: skip
    struck = strike_times(run)
    assert len(struck) == len(strokes)
    for stroke, time in zip(strokes, struck, strict=True):
        assert stroke.start < time < stroke.start + stroke.fall + 0.02
