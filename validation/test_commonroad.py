"""Cars by CommonRoad: the kinematic, the dynamic and the multi-body model of a BMW 320i.

Source: commonroad-vehicle-models 3.0.2 (BSD-3, TUM), ground truth of its unit tests for vehicle 2
at a steering rate of 0.15 rad/s and an acceleration of 0.63 g (the engine gives what it can); and
a second of its dynamic and multi-body models from 15 m/s with that steering rate, integrated to
8e-10. Its drifting single-track car is not compared.
"""

from dataclasses import astuple

import numpy as np

import touchback as tb
from touchback.vehicle import (
    MultiBodyCar,
    MultiBodyState,
    SingleTrack,
    SingleTrackState,
    add_multi_body_car,
    add_single_track,
)
from validation.reference import numbers

NAMES = ("x", "y", "steer", "speed", "yaw", "yaw_rate", "slip")
CASE = numbers("commonroad")
STEER_RATE, ACCELERATION = 0.15, 0.63 * 9.81


def car() -> SingleTrack:
    """Vehicle 2, of CommonRoad's own numbers."""
    given = CASE["car"]
    cornering = -given["p_ky1"] / given["p_dy1"]
    steering, engine = given["steering"], given["longitudinal"]
    return SingleTrack(
        given["m"], given["I_z"], given["a"], given["b"], given["h_s"], (cornering, cornering),
        given["p_dy1"], (steering["min"], steering["max"]), (steering["v_min"], steering["v_max"]),
        (engine["v_min"], engine["v_max"]), engine["a_max"], engine["v_switch"],
    )  # fmt: skip


def test_commonroad_ground_truth(agreement) -> None:  # type: ignore[no-untyped-def]
    vehicle = car()
    assert vehicle == SingleTrack()  # the numbers that the class has by itself
    for model, rates in (("kinematic", vehicle.kinematic), ("single_track", vehicle.rates)):
        at, word = SingleTrackState(*CASE[model]["state"]), model.replace("_", "-")
        found = rates(at, STEER_RATE, ACCELERATION)
        for name, published in zip(NAMES, CASE[model]["rates"]):
            agreement.compare(
                f"{word} rate of {name}", getattr(found, name), published, within=1e-14
            )


def test_commonroad_manoeuvre(agreement) -> None:  # type: ignore[no-untyped-def]
    published = np.array(CASE["manoeuvre"]["single_track"])
    m = tb.Model("single-track car")
    start = SingleTrackState(0.0, 0.0, 0.0, 15.0, 0.0)
    inputs = m.input("steer rate"), m.input("acceleration")
    add_single_track(m, car(), *inputs, start)
    run = tb.simulate(
        m.compile(), duration=1.0, inputs={"steer rate": STEER_RATE}, rtol=1e-11, atol=1e-12,
        output_step=0.1, progress=False,
    )  # fmt: skip
    for i, name in enumerate(NAMES):
        found = run[f"car {name.replace('_', ' ')}"]
        agreement.compare(name, found, published[:, i], within=1e-9)


def test_commonroad_multi_body_rates(agreement) -> None:  # type: ignore[no-untyped-def]
    at = MultiBodyState(*CASE["multi_body"]["state"])
    found = astuple(MultiBodyCar().rates(at, STEER_RATE, ACCELERATION))
    published = np.array(CASE["multi_body"]["rates"])
    ours = np.array([float(rate) for rate in found])
    agreement.compare("rates of spins [rad/s²]", ours[23:27], published[23:27], within=4e-11)
    agreement.compare("the other 25 rates", np.delete(ours, slice(23, 27)),
                      np.delete(published, slice(23, 27)), within=1e-12)  # fmt: skip


def test_commonroad_multi_body_manoeuvre(agreement) -> None:  # type: ignore[no-untyped-def]
    published = np.array(CASE["manoeuvre"]["multi_body"])
    m, vehicle = tb.Model("multi-body car"), MultiBodyCar()
    start = vehicle.at_rest(15.0)
    agreement.compare("the start", np.array(astuple(start)), published[0], within=1e-14)
    add_multi_body_car(m, vehicle, m.input("steer rate"), m.input("acceleration"), start)
    run = tb.simulate(
        m.compile(), duration=1.0, inputs={"steer rate": STEER_RATE}, rtol=1e-10, atol=1e-12,
        output_step=0.1, progress=False,
    )  # fmt: skip
    for i, field in enumerate(MultiBodyState.__dataclass_fields__):
        word = field.replace("_", " ")
        agreement.compare(word, run[f"car {word}"], published[:, i], within=1e-8)
