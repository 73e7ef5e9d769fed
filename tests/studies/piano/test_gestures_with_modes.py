"""Whatever a finger does, the action with modes survives it; fixed steps are near the true one."""

from collections.abc import Iterator

import pytest

import touchback as tb
from studies.piano.gestures import DURATION, Outcome, gesture
from studies.piano.gestures_with_modes import (
    STEP,
    LaboratoryWithModes,
    try_with_modes,
)
from touchback.instruments.piano.piano_action_modes import STRIKES
from touchback.recording import Run


def _hold(outcomes: Iterator[Outcome]) -> None:
    struck = 0
    for outcome in outcomes:
        assert not outcome.trouble, outcome
        struck += outcome.strikes
    assert struck > 0


@pytest.fixture(scope="module")
def laboratory() -> LaboratoryWithModes:
    return LaboratoryWithModes()


def test_random_gestures_leave_no_trouble(laboratory: LaboratoryWithModes) -> None:
    _hold(laboratory.outcome(seed) for seed in range(12))


@pytest.mark.soak
def test_ten_thousand_random_gestures_leave_no_trouble() -> None:
    _hold(try_with_modes(10_000))


def test_fixed_steps_strike_when_located_transitions_do(laboratory: LaboratoryWithModes) -> None:
    for seed in (1, 3):
        inputs, parameters = gesture(seed)
        true = tb.simulate(
            laboratory.system, laboratory.rest, DURATION, rtol=1e-8, atol=1e-11,
            output_step=4 * STEP, inputs=inputs, parameters=parameters, progress=False,
        )  # fmt: skip
        ours, theirs = _strikes(laboratory.run(seed)), _strikes(true)
        assert len(ours) == len(theirs) > 1
        assert ours[0] == pytest.approx(theirs[0], abs=STEP)


def _strikes(run: Run) -> list[float]:
    return [each.time for each in run.transitions if STRIKES in each.cause]


def test_a_jack_that_ends_elsewhere_counts_as_stuck(
    laboratory: LaboratoryWithModes,
) -> None:
    laboratory.overlap += 1e-3
    found = " ".join(laboratory.outcome(0).trouble)
    laboratory.overlap -= 1e-3
    assert "jack stuck" in found
