"""The single-track car against closed forms, and a car of bodies and tyres against it."""

from dataclasses import astuple, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import touchback as tb
from touchback.errors import ModelError
from touchback.vehicle import (
    LinearTyre,
    MultiBodyCar,
    MultiBodyState,
    SingleTrack,
    SingleTrackState,
    TyreForces,
    TyreOnRoad,
    add_multi_body_car,
    add_single_track,
)

FRONT, REAR = 18.0, 24.0  # cornering coefficients, 1/rad
CAR = SingleTrack(
    mass=800.0, yaw_inertia=1000.0, front=1.2, rear=1.4, height=0.0, friction=1.0,
    cornering=(FRONT, REAR),
)  # fmt: skip


def test_it_settles_to_the_yaw_rate_of_its_understeer_gradient() -> None:
    """ψ̇ = v δ/(l + K v²) with K = (1/c_f − 1/c_r)/g, since loads share as the cornering does."""
    m = tb.Model("car")
    start = SingleTrackState(0.0, 0.0, 0.02, 20.0, 0.0)
    add_single_track(m, CAR, m.input("steer rate"), m.input("acceleration"), start)
    run = tb.simulate(m.compile(), duration=6.0, rtol=1e-10, progress=False)
    K = (1 / FRONT - 1 / REAR) / 9.81
    assert_allclose(run["car yaw rate"][-1], 20.0 * 0.02 / (2.6 + K * 400.0), rtol=1e-6)


def test_below_walking_pace_it_goes_where_its_wheels_point_down_to_standstill() -> None:
    at = SingleTrackState(0.0, 0.0, 0.3, 0.05, 0.0, 0.0, np.arctan(1.4 / 2.6 * np.tan(0.3)))
    rates = CAR.rates(at, 0.0, 0.0)
    assert_allclose(rates.yaw, 0.05 * np.cos(at.slip) * np.tan(0.3) / 2.6)
    assert float(rates.yaw_rate) == 0.0 and float(rates.slip) == 0.0
    rest = CAR.rates(SingleTrackState(1.0, 2.0, 0.3, 0.0, 0.5), 0.1, 1.0)
    assert np.isfinite(np.array(astuple(rest), dtype=float)).all()
    # ψ̇ = v cos β tan δ/l and β = atan(l_r/l tan δ) differentiated by a small step
    h = 1e-6
    ahead = [np.arctan(1.4 / 2.6 * np.tan(0.3 + 0.1 * s)) for s in (-h, h)]
    yaw_rates = [(0.05 + 2.0 * s) * np.cos(b) * np.tan(0.3 + 0.1 * s) / 2.6
                 for s, b in zip((-h, h), ahead)]  # fmt: skip
    moved = CAR.rates(at, 0.1, 2.0)
    assert_allclose(moved.slip, (ahead[1] - ahead[0]) / (2 * h), rtol=1e-6)
    assert_allclose(moved.yaw_rate, (yaw_rates[1] - yaw_rates[0]) / (2 * h), rtol=1e-6)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (tb.vehicle.ByWireCar, {"radius": float("nan")}), (tb.vehicle.ByWireCar, {"drag": -1.0}),
        (tb.vehicle.ByWireCar, {"gear": 9}), (tb.vehicle.Body, {"width": float("nan")}),
        (tb.vehicle.Body, {"overhang": -1.0}), (tb.vehicle.WholeCar, {"pressure": "x"}),
    ],
)  # fmt: skip
def test_a_car_of_impossible_numbers_is_refused(kind, wrong) -> None:
    with pytest.raises(tb.TouchbackError, match=f"{kind.__name__}: .*{next(iter(wrong))}"):
        kind(**wrong)


def test_steering_and_engine_stop_at_what_they_can() -> None:
    assert float(CAR.steering(0.0, 9.0)) == 0.4 and float(CAR.steering(1.066, 0.2)) == 0.0
    assert float(CAR.steering(1.066, -0.2)) == -0.2
    assert float(CAR.acceleration(5.0, 99.0)) == 11.5 and float(CAR.acceleration(50.8, 1.0)) == 0.0
    assert_allclose(CAR.acceleration(2 * 7.319, 99.0), 11.5 / 2)
    assert float(CAR.acceleration(30.0, -99.0)) == -11.5
    with pytest.raises(ModelError, match="SingleTrack: speed_range: two numbers"):
        SingleTrack(speed_range=3.0)
    with pytest.raises(ModelError, match="its steer_range goes from 1"):
        SingleTrack(steer_range=(1.0, -1.0))


def two_wheeled_car(steer: float, speed: float) -> tb.System:
    """The same car of bodies: it yaws, pitches and heaves on a wheel at each end, upright."""
    m = tb.Model("two wheels")
    radius = 0.3
    stand, sledge = m.body("stand"), m.body("sledge")
    chassis = m.body("chassis", CAR.mass, inertia=(300.0, 1000.0, CAR.yaw_inertia))
    m.joint("plane", tb.Planar("z"), m.ground, stand, velocity=[speed, 0.0, 0.0])
    m.joint("heave", tb.Prismatic("z"), stand, sledge, position=[radius - 0.0196])
    m.joint("pitch", tb.Revolute("y"), sledge, chassis)
    for end, x, turn, c in (("front", 1.2, steer, FRONT), ("rear", -1.4, 0.0, REAR)):
        wheel = m.body(f"{end} wheel", 1e-3, inertia=(0.03, 0.05, 0.03))
        m.joint(f"{end} spin", tb.Revolute("y"), chassis.at(x, 0, 0, turn=("z", turn)), wheel,
                velocity=[speed / (radius - 0.0065)])  # fmt: skip
        tyre = LinearTyre(
            cornering_coefficient=c, trail=0.0, relaxation_y=0.05, relaxation_x=0.05,
            unloaded_radius=radius, vertical_damping=6000.0,
        )  # fmt: skip
        m.force(f"{end} tyre", TyreOnRoad(wheel=wheel, tyre=tyre))
        m.sensor(f"{end}", TyreForces(f"{end} tyre"))
    return m.compile()


def test_a_car_of_bodies_and_tyres_turns_as_the_single_track_does() -> None:
    """A step of steering at 15 m/s: yaw rate and path of both, with short relaxation lengths."""
    steer, speed = 0.02, 15.0
    run = tb.simulate(two_wheeled_car(steer, speed), duration=2.0, rtol=1e-7, progress=False)

    def rates(_: float, x: np.ndarray) -> list[float]:
        return [float(r) for r in astuple(CAR.rates(SingleTrackState(*x), 0.0, 0.0))]

    start = [0.0, 0.0, steer, speed, 0.0, 0.0, 0.0]
    peer = solve_ivp(rates, (0.0, 2.0), start, t_eval=run.time, rtol=1e-9, atol=1e-10)
    x, y, yaw, yaw_rate = peer.y[0], peer.y[1], peer.y[4], peer.y[5]
    # the single track keeps its speed; ours slows a little: the front wheel pulls back by F_y sin δ
    behind = np.interp(run.time - 0.05 / speed, peer.t, yaw_rate)  # σ/v: how far tyres lag
    assert_allclose(run["plane.turn rate"], behind, atol=0.025 * yaw_rate.max())
    late = run.time > 0.5
    assert_allclose(run["plane.turn rate"][late], yaw_rate[late], rtol=2e-3)
    assert_allclose(run["plane.turn"], yaw, atol=0.01 * yaw.max())
    assert_allclose(run["plane.y"], y, atol=0.02 * y.max())
    assert_allclose(run["plane.x"], x, rtol=5e-3, atol=1e-3)


def test_the_multi_body_car_brakes_to_rest_and_refuses_to_reverse() -> None:
    """At 4 m/s² from 3 m/s it rests after 0.75 s, and stays where it is."""
    m, car = tb.Model("braking"), MultiBodyCar()
    add_multi_body_car(m, car, m.input("steer rate"), m.input("acceleration"), car.at_rest(3.0))
    run = tb.simulate(
        m.compile(), duration=3.0, inputs={"acceleration": -4.0}, progress=False, output_step=0.01
    )
    late = run.time > 1.5
    assert np.abs(run["car speed"][late]).max() < 1e-6 and np.ptp(run["car x"][late]) < 1e-6
    with pytest.raises(ModelError, match=r"its speed is -2.0 m/s, but its wheels only turn ahead"):
        car.at_rest(-2.0)
    with pytest.raises(ModelError, match=r"limits reach down to -13.9 m/s"):
        MultiBodyCar(limits=SingleTrack())


def test_the_multi_body_car_stands_and_starts_as_the_single_track_does() -> None:
    """Below 0.1 m/s both go where their wheels point; their engines have the same limits."""
    car, slip = MultiBodyCar(), np.arctan(1.4227170936 / 2.5789128 * np.tan(0.2))
    for speed in (0.0, 0.05):
        at = replace(car.at_rest(speed), steer=0.2, yaw=0.4)
        rates = car.rates(at, 0.1, 1.0)
        peer = SingleTrack().rates(SingleTrackState(0, 0, 0.2, speed, 0.4, 0.0, slip), 0.1, 1.0)
        assert np.isfinite(np.array(astuple(rates), dtype=float)).all()
        for word in ("x", "y", "steer", "speed", "yaw", "yaw_rate"):
            assert_allclose(getattr(rates, word), getattr(peer, word), rtol=1e-12, err_msg=word)
    back = car.rates(replace(car.at_rest(15.0), rear_left_spin=-1.0), 0.0, 0.0)
    assert float(back.rear_left_spin) == 0.0 and isinstance(back, MultiBodyState)
