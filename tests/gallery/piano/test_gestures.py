"""Whatever a finger does, the action survives it; and the fixed step is near the true motion."""

from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from touchback.gallery.piano.experiments.gestures import (
    DURATION,
    STEP,
    Laboratory,
    Outcome,
    gesture,
    try_gestures,
)
from touchback.gallery.piano.experiments.strokes import strikes


def _hold(outcomes: Iterator[Outcome]) -> None:
    struck = 0
    for outcome in outcomes:
        assert not outcome.trouble, outcome
        struck += outcome.strikes
    assert struck > 0


def test_random_gestures_leave_no_trouble() -> None:
    _hold(try_gestures(80))


@pytest.mark.soak
def test_ten_thousand_random_gestures_leave_no_trouble() -> None:
    _hold(try_gestures(10_000))


def test_the_fixed_step_strikes_when_and_as_hard_as_the_true_motion() -> None:
    laboratory = Laboratory()
    for seed in (1, 2, 3):
        inputs, parameters = gesture(seed)
        fixed = laboratory.run(seed)
        true = tb.simulate(
            laboratory.system, laboratory.rest, DURATION, rtol=1e-8, atol=1e-11,
            output_step=8 * STEP, inputs=inputs, parameters=parameters, progress=False,
        )  # fmt: skip
        first, expected = strikes(fixed)[0], strikes(true)[0]
        assert first == pytest.approx(expected, abs=0.5e-3)
        peak = float(np.max(true["hammer velocity.z"][true.time < expected + 1e-3]))
        ours = float(np.max(fixed["hammer velocity.z"][fixed.time < first + 1e-3]))
        assert ours == pytest.approx(peak, rel=0.03)
