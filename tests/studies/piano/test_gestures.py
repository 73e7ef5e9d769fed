"""Whatever a finger does, the action survives it; and the fixed step is near the true motion."""

import numpy as np
import pytest

import touchback as tb
from studies.piano.gestures import (
    DURATION,
    STEP,
    Laboratory,
    gesture,
    try_gestures,
)
from touchback.instruments.piano.stroke_analysis import strike_times


@pytest.fixture(scope="module")
def laboratory() -> Laboratory:
    return Laboratory()


def test_random_gestures_leave_no_trouble(laboratory: Laboratory) -> None:
    outcomes = [laboratory.outcome(seed) for seed in range(60)]
    assert not [outcome for outcome in outcomes if outcome.trouble]
    assert sum(outcome.strikes for outcome in outcomes) > 60


@pytest.mark.soak
def test_ten_thousand_random_gestures_leave_no_trouble() -> None:
    assert not [outcome for outcome in try_gestures(10_000) if outcome.trouble]


def test_the_fixed_step_strikes_when_and_as_hard_as_the_true_motion(
    laboratory: Laboratory,
) -> None:
    for seed in (1, 2, 3):
        inputs, parameters = gesture(seed)
        fixed = laboratory.run(seed)
        true = tb.simulate(
            laboratory.system, laboratory.rest, DURATION, rtol=1e-8, atol=1e-11,
            output_step=8 * STEP, inputs=inputs, parameters=parameters, progress=False,
        )  # fmt: skip
        first, expected = strike_times(fixed)[0], strike_times(true)[0]
        assert first == pytest.approx(expected, abs=0.5e-3)
        peak = float(np.max(true["hammer velocity.z"][true.time < expected + 1e-3]))
        ours = float(np.max(fixed["hammer velocity.z"][fixed.time < first + 1e-3]))
        assert ours == pytest.approx(peak, rel=0.03)


def test_no_screw_at_the_end_of_its_thread_breaks_a_run(laboratory: Laboratory) -> None:
    """However badly it is regulated, an action moves on."""
    inputs, finger = gesture(3)
    for name, parameter in laboratory.system.model.parameters.items():
        for end in (parameter.min, parameter.max):
            if end is not None:
                run = tb.simulate(
                    laboratory.system, laboratory.rest, 0.5, method="euler", step=STEP,
                    output_step=16 * STEP, inputs=inputs, parameters={**finger, name: end},
                    progress=False,
                )  # fmt: skip
                assert np.isfinite(run["hammer"]).all(), (name, end)
