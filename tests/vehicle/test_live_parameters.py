"""What can be changed while the simulator drives, from the tick of the change on."""

from functools import cache

import numpy as np
import pytest

import touchback as tb
from touchback.vehicle.manoeuvres import model_of
from touchback.vehicle.simulator import Person, SimulatorCar, WiredWheel

SPEED = 75.0 / 3.6
TURNED, CHANGED, END = 0.1, 0.7, 0.9  # s


@cache
def simulator() -> tb.System:
    return model_of(SimulatorCar(device=WiredWheel()), Person(SPEED), SPEED).compile()


@cache
def driven(name: str = "", factor: float = 1.0, more: float = 0.0) -> tb.Run:
    """A turn to the left by 0.4 rad of the wheel, in which a parameter changes."""
    system = simulator().independent_copy()
    with tb.live(system, rate=1000, method="rk4", speed=None, record=True) as live:
        live.run(TURNED)
        live["device wheel"] = 0.4
        live.run(CHANGED - TURNED)
        if name:
            live[name] = factor * system[name] + more
        live.run(END - CHANGED)
    return live.recorded()


def rolled(run: tb.Run) -> np.ndarray:
    """Of the chassis, to the right [rad]."""
    w, x, y, z = (run[f"chassis.q{letter}"] for letter in "wxyz")
    return np.asarray(2.0 * (w * x + y * z))


def shifted(run: tb.Run) -> np.ndarray:
    """Of the front axle's load, from the left to the right [N]."""
    return np.asarray(run["front right.load"] - run["front left.load"])


def apart(run: tb.Run) -> np.ndarray:
    """How much more the left wheel slips to the right than the right one [rad]."""
    return np.asarray(run["front left.slip angle"] - run["front right.slip angle"])


CHANGES = {
    "front caster: a longer trail, more torque": (
        ("front caster", 1.0, 0.06), lambda run: run["steering torque"], 1.0,
    ),
    "front toe: wheels that point inwards": (("front toe", 1.0, 0.01), apart, 1.0),
    "grip: less, less side force": (
        ("grip", 0.5), lambda run: run["front left.fy"] + run["front right.fy"], -1.0,
    ),
    "front anti-roll bar: stiffer, less roll": (("front anti-roll bar", 4.0), rolled, -1.0),
    "front anti-roll bar: more load shifts in front": (
        ("front anti-roll bar", 4.0), shifted, 1.0,
    ),
    "rear pivots raised: a higher roll centre, less roll": (
        ("rear pivots raised", 1.0, 0.03), rolled, -1.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_acts_at_its_tick_and_to_the_right_side(change: str) -> None:
    """Until its tick the run is that without it to the bit, a tick later it isn't, and 50 ms later
    what it is for has gone the way that it should."""
    settings, seen, side = CHANGES[change]
    plain, changed = driven(), driven(*settings)
    ticks = np.asarray(plain.time)
    before, next_tick = ticks < CHANGED - 0.5e-3, int(np.searchsorted(ticks, CHANGED + 1.5e-3))
    sensors = simulator().output_names
    for name in sensors:
        np.testing.assert_array_equal(plain[name][before], changed[name][before])
    assert any(plain[name][next_tick] != changed[name][next_tick] for name in sensors)
    later = int(np.searchsorted(ticks, CHANGED + 0.05))
    assert side * (seen(changed) - seen(plain))[later] > 0.0
