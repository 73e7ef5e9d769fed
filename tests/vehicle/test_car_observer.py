"""What a car's usual sensors don't show: its side slip and the friction of its tyres."""

from functools import cache

import msgspec
import numpy as np
import pytest

import touchback as tb
from touchback.estimate import ExtendedKalman, Observer, UnscentedKalman
from touchback.vehicle import MultiBodyCar, add_multi_body_car

PERIOD, SPEED, FRICTION = 0.02, 20.0, 0.75  # s, m/s, of the tyre's own
#: What a speedometer, a gyroscope, an accelerometer and an encoder of the column are good for.
NOISE = {"speed": 0.05, "yaw rate": 0.005, "lateral": 0.1, "steer": 0.001}
UNITS = {"speed": "m/s", "yaw rate": "rad/s", "lateral": "m/s²", "steer": "rad"}


@cache
def car() -> tb.System:
    """CommonRoad's car of 29 states on a road whose friction is a state that nobody measures."""
    m, bmw = tb.Model("car"), MultiBodyCar()
    grip = m.state("friction", 1.0, rate=0.0)
    tyre = msgspec.structs.replace(
        bmw.tyre, p_dx1=bmw.tyre.p_dx1 * grip, p_dy1=bmw.tyre.p_dy1 * grip
    )
    bmw = msgspec.structs.replace(bmw, tyre=tyre)
    turn, pull = m.input("steer rate"), m.input("acceleration")
    at = add_multi_body_car(m, bmw, turn, pull, bmw.at_rest(SPEED))
    rates = bmw.rates(at, turn, pull)
    seen = (at.speed, at.yaw_rate, rates.aside + at.speed * at.yaw_rate, at.steer)
    for name, value in zip(NOISE, seen, strict=True):
        m.sensor(name, tb.Signal(value, UNITS[name]))
    m.sensor("slip", tb.Signal(tb.atan2(at.aside, at.speed), "rad"))
    return m.compile()


@cache
def driven(friction: float) -> tuple[np.ndarray, tb.Run]:
    """A slalom at some 5 m/s²: rates of the steering, and the run with a friction."""
    time = np.arange(0.0, 2.5 + PERIOD / 2, PERIOD)
    rates = 0.16 * np.cos(2.0 * np.pi * 0.5 * time)
    system = car()
    run = tb.simulate(
        system, system.assemble(states={"friction": friction}), duration=2.5, rtol=1e-7,
        inputs={"steer rate": (time, rates)}, output_step=PERIOD, progress=False,
    )  # fmt: skip
    return rates, run


def observer(kind: type[Observer]) -> Observer:
    return kind(
        car(), PERIOD, NOISE,
        process_noise={"friction": 0.05, "car yaw rate": 0.02, "car aside": 0.05, "car speed": 0.05,
                "car steer": 0.002},
        initial_deviation={"friction": 0.3, "car aside": 0.1, "car speed": 0.1}, substeps=8,
    )  # fmt: skip


@pytest.mark.parametrize("kind", [ExtendedKalman, UnscentedKalman])
def test_side_slip_and_friction_are_found_from_speed_yaw_rate_acceleration_and_steering(
    kind: type[Observer],
) -> None:
    """The simulator starts with a friction of 1 and is corrected by noisy readings; run alone, its
    slip angle is off by as much as the friction is."""
    rates, truth = driven(FRICTION)
    draw, seen, found = np.random.default_rng(1), observer(kind), [0.0]
    for k in range(1, len(truth.time)):
        given = {"steer rate": 0.5 * float(rates[k - 1] + rates[k])}
        readings = {name: truth[name][k] + sigma * draw.normal() for name, sigma in NOISE.items()}
        seen.step(readings, given)
        found.append(seen.sensors(given)["slip"])
    place = list(seen.system.layout.z).index("friction")
    friction, sure = seen.state.z[place], seen.deviation("friction")
    assert sure < 0.05 and abs(friction - FRICTION) < min(0.05, 3.0 * sure)
    late = truth.time > 1.5
    corrected, alone = (
        np.abs(slip - truth["slip"])[late].max() for slip in (found, driven(1.0)[1]["slip"])
    )
    assert corrected < 0.003 and alone > 3.0 * corrected
