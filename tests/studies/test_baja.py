"""The torque icon at an instant, beside the same event in MuJoCo: shortened."""

import pytest

from studies.baja.comparison import compare
from studies.baja.report import report
from studies.baja.ride import RATE, Ride, ride

pytest.importorskip("mujoco")
EVENT = 0.8  # s


@pytest.fixture(scope="module")
def ridden() -> Ride:
    return ride(1.0, EVENT)


def test_an_icon_that_is_put_between_two_ticks_acts_from_the_next_one_on(ridden: Ride) -> None:
    assert ridden.tick == round(EVENT * RATE) + 1
    torque = ridden.run["added torque y"]
    assert torque[ridden.tick - 1] == -40.0
    assert not (torque[: ridden.tick - 1] == -40.0).any()


def test_driving_torques_are_mujocos_but_for_an_error_that_its_step_halves(ridden: Ride) -> None:
    """Both engines have the same masses, loops and laws; MuJoCo's step is of the first order."""
    coarse, fine = compare(ridden, 1e-3), compare(ridden, 5e-4)
    for wheel in coarse.ours:
        size, apart = fine.rms(wheel)
        assert apart < 4e-3 * size
        assert apart < 0.65 * coarse.rms(wheel)[1]
    assert f"tick {ridden.tick}" in report(fine)
