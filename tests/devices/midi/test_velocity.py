"""Strike speed and MIDI velocity (Goebl & Bresin 2001, fig. 3)."""

import pytest

from touchback.devices.midi import speed_of, velocity_of
from touchback.errors import InputError


@pytest.mark.parametrize(("velocity", "speed"), [(40, 0.56), (64, 1.22), (100, 3.89)])
def test_the_published_pairs_come_back(velocity, speed):
    assert speed_of(velocity) == pytest.approx(speed, abs=0.005)  # published with two decimals
    assert velocity_of(speed) == velocity


def test_every_velocity_survives_the_way_through_its_speed():
    assert [velocity_of(speed_of(velocity)) for velocity in range(1, 128)] == list(range(1, 128))


def test_speeds_beyond_the_scale_sound_as_its_ends():
    assert (velocity_of(1e-6), velocity_of(50.0)) == (1, 127)


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_hammer_that_does_not_strike_has_no_velocity(speed):
    with pytest.raises(InputError, match="no velocity"):
        velocity_of(speed)
