"""A linear motor obeys Ohm, Faraday and its limits."""

import math

import numpy as np
import pytest

import touchback as tb
from touchback.devices import LinearMotor
from touchback.errors import InputError

MOTOR = LinearMotor(
    constant=10.0, resistance=3.0, inductance=3e-3, current_limit=5.0, supply=24.0, mass=0.1
)


def pushing(asked: float, held: bool, duration: float) -> tb.Run:
    """A mass that the motor pushes, or that is held."""
    m = tb.Model("rod", gravity=(0, 0, 0))
    rod = m.body("rod", mass=1e9 if held else MOTOR.mass)
    m.joint("rod", tb.Prismatic("x"), m.ground, rod)
    current = MOTOR.add(m, "rod", asked, m.rate("rod"))
    m.force("motor", tb.JointEffort("rod", MOTOR.force(current)))
    return tb.simulate(
        m.compile(), duration=duration, rtol=1e-9, output_step=1e-5, progress=False
    )  # fmt: skip


def test_the_current_rises_by_the_coils_own_time_while_the_voltage_is_at_its_end() -> None:
    run = pushing(50.0, held=True, duration=0.9e-3)
    full = (run["rod current"] < 4.0) & (run.time > 0.0)  # then the loop lets go of the rail
    expected = 24.0 / 3.0 * (1.0 - np.exp(-run.time * 3.0 / 3e-3))
    assert full.sum() > 50
    assert run["rod current"][full] == pytest.approx(expected[full], rel=1e-6)


def test_it_gives_what_is_asked_but_never_more_than_its_current_allows() -> None:
    assert 10.0 * pushing(20.0, True, 0.01)["rod current"][-1] == pytest.approx(20.0, rel=1e-6)
    assert 10.0 * pushing(80.0, True, 0.01)["rod current"].max() == pytest.approx(50.0, rel=1e-6)
    assert MOTOR.largest_force == 50.0


def test_a_free_rod_ends_as_fast_as_its_supply_over_its_constant() -> None:
    """At U = K v no voltage is left that could push."""
    run = pushing(50.0, held=False, duration=0.05)
    assert run["rod rate"][-1] == pytest.approx(24.0 / 10.0, rel=1e-4)


def test_friction_is_lost_on_the_way_and_what_is_no_number_stays_none() -> None:
    rubbing = LinearMotor(10.0, 3.0, 3e-3, 5.0, 24.0, friction=0.2, friction_speed=1e-3)
    assert rubbing.force(1.0, 0.1) == pytest.approx(9.8, abs=1e-4)
    assert rubbing.force(1.0, -0.1) == pytest.approx(10.2, abs=1e-4)
    assert math.isnan(MOTOR.voltage(math.nan, 0.0, 0.0))


def test_a_motor_without_a_coil_is_refused() -> None:
    with pytest.raises(InputError, match="its inductance is 0"):
        LinearMotor(10.0, 3.0, 0.0, 5.0, 24.0)
    with pytest.raises(InputError, match="mass -1"):
        LinearMotor(10.0, 3.0, 3e-3, 5.0, 24.0, mass=-1.0)
