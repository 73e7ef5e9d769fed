"""Limits of displays: the models' ticks against loops written by hand, edges, and presses."""

import pytest

from studies.displays import models
from studies.displays.limits import DEVICES, HANDS, RATE
from studies.displays.loops import Held, Servo, edge
from touchback.errors import SolveError
from touchback.haptics.wall.stability_limits import colgate
from touchback.haptics.wall.wall_plant import Device

KEY, SLIDE = DEVICES.values()


def held(device: Device) -> Held:
    return Held(device, HANDS["relaxed"], 1.0 / RATE)


@pytest.mark.parametrize("device", [KEY, SLIDE], ids=list(DEVICES))
def test_a_tick_of_each_display_has_the_eigenvalues_of_the_loop(device: Device) -> None:
    servo, loop = Servo.of(device, 20.0), held(device)
    pairs = [
        (models.spring(device, 5000.0), loop.spring(5000.0)),
        (models.impedance(device, 2000.0, 1.0, 0.1), loop.impedance(2000.0, 1.0, 0.1)),
        (models.admittance(device, servo, 0.01, 1.0 / RATE), loop.admittance(servo, 0.01)),
    ]
    for system, due in pairs:
        assert models.tick_radius(system, RATE) == pytest.approx(due, abs=1e-6)


def test_an_admittance_display_swings_up_with_a_mass_below_the_least_alone() -> None:
    servo, loop = Servo.of(SLIDE, 20.0), held(SLIDE)
    least = edge(lambda mass: loop.admittance(servo, mass), 1e-4, 100.0, upwards=False)
    for share, stable in ((0.9, False), (1.1, True)):
        system = models.admittance(SLIDE, servo, share * least, 1.0 / RATE)
        assert (models.tick_radius(system, RATE) < 1.0) == stable


def test_a_table_gives_a_finger_nothing_up_to_colgate_s_slope() -> None:
    bound = colgate(KEY.damping, 1.0 / RATE)
    for share, nothing in ((0.9, True), (1.2, False)):
        run = models.pressed(models.table(KEY, share * bound), RATE)
        assert models.gives_nothing(run) == nothing
        # The finger wants to be 20 mm inside: its spring, its pad and the table share the way.
        hand = 1.0 / (1.0 / 257.0 + 1.0 / 4000.0)
        deep = 0.02 * hand / (hand + share * bound)
        rests = run["handle"][(run.time > 0.3) & (run.time < 0.35)]
        assert -rests.mean() == pytest.approx(deep, rel=0.01)


def test_a_loop_that_is_nowhere_stable_is_told() -> None:
    with pytest.raises(SolveError, match="No loop is stable at 10"):
        edge(lambda x: 2.0, 10.0, 100.0)
