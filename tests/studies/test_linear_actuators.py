"""Docquier's linear actuators move his key, and push in his action's place."""

from dataclasses import replace

import numpy as np
import pytest

from studies.benches import (
    double_keystrokes as keystrokes,
    key_sensors as sensors,
    linear_actuators as actuators,
)
from studies.benches.actuator_numbers import time_to

FIRST = keystrokes.FAST[:1]


@pytest.fixture(scope="module")
def driven() -> keystrokes.Recorded:
    return actuators.driven_keystroke(FIRST)


def test_the_outer_actuator_makes_the_fast_keystroke_almost_as_it_is_asked_to(
    driven: keystrokes.Recorded,
) -> None:
    fixed = keystrokes.double_keystroke(FIRST).keystrokes[0]
    felt = driven.keystrokes[0]
    assert felt.strikes == fixed.strikes == 1
    assert felt.peak < fixed.peak and felt.peak == pytest.approx(fixed.peak, rel=0.08)
    assert felt.held == pytest.approx(fixed.held, abs=0.3)
    current = driven.run["rod current"]
    assert np.abs(current).max() <= actuators.OUTSIDE.current_limit + 1e-9


def test_its_current_tells_what_its_tip_gives_less_friction_and_weight_when_it_goes_evenly() -> (
    None
):
    run = actuators.pressed(actuators.prototype())
    evenly = (run["key depth"] > 2e-3) & (run["key depth"] < 4e-3)
    motor = actuators.OUTSIDE
    lost = (run["told by current"] - run["push"])[evenly].mean()
    assert lost == pytest.approx(motor.friction - motor.mass * 9.81, abs=0.01)


def test_an_actuator_too_weak_for_the_stroke_comes_late_and_softly(
    driven: keystrokes.Recorded,
) -> None:
    weak = replace(actuators.OUTSIDE, current_limit=0.2)  # 1.3 N
    found = actuators.driven_keystroke(FIRST, motor=weak)
    assert found.keystrokes[0].peak < 0.7 * driven.keystrokes[0].peak
    half = FIRST[0].down + FIRST[0].falls
    depths = [np.interp(half, r.run.time, r.run["key depth"]) for r in (found, driven)]
    assert depths[0] < 0.7 * depths[1]


def test_the_actuator_at_the_pilot_pushes_as_the_load_cell_measured_on_the_action(
    driven: keystrokes.Recorded,
) -> None:
    run = actuators.rendered(FIRST)
    peak, held = keystrokes.pushed(run.time, run["pilot force"], FIRST[0])
    assert peak == pytest.approx(driven.keystrokes[0].peak, rel=0.05)
    assert held == pytest.approx(driven.keystrokes[0].held, abs=0.15)
    late = actuators.rendered(FIRST, 6.6e-3)
    assert keystrokes.pushed(late.time, late["pilot force"], FIRST[0])[0] < 0.95 * peak


def test_the_pilots_fifty_newtons_come_within_twenty_milliseconds() -> None:
    """Timmermans, Dehez and Fisette (2020); a coil of such a resistance needs at least the time in
    which its current rises at full voltage."""
    motor = actuators.AT_PILOT
    share = 0.99 * motor.current_limit * motor.resistance / motor.supply
    least = -motor.inductance / motor.resistance * np.log(1.0 - share)
    assert least <= time_to(motor, 50.0) + 1e-5 < 20e-3


def test_the_pushing_pilot_hardly_changes_what_the_key_sensors_tell() -> None:
    own = sensors.KeySensors(6.6e-3)
    found = own.checked(actuators.moved(sensors.FAST, 6.6e-3, periods=2))
    assert found.off == pytest.approx(0.10, abs=0.015)
    assert found.motion.height.max() == pytest.approx(9.6e-3, abs=0.1e-3)  # its bed
