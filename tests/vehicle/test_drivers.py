"""Drivers: one who follows a path, one at ports, and what they refuse."""

import numpy as np
import pytest

import touchback as tb
from touchback.errors import InputError, ModelError
from touchback.vehicle import SingleTrack, SingleTrackCar
from touchback.vehicle.drivers import Human, OpenLoop, Path, PathFollower
from touchback.vehicle.manoeuvres import model_of

CAR = SingleTrackCar(SingleTrack(cornering=(18.0, 24.0)))


def followed(path: Path, speed: float, duration: float, **options: float) -> tb.Run:
    driver = PathFollower(path, speed, **options)
    model = model_of(CAR, driver, speed)
    return tb.simulate(model.compile(), duration=duration, output_step=0.01, progress=False)


def test_on_a_circle_a_driver_who_knows_his_car_stays_on_the_line() -> None:
    """δ = κ (l + K v²) is all that the steady circle asks, so that no error is left to steer by.
    One who takes K for 0 steers by an error e outside it: l (κ + e/(v T)²) = κ (l + K v²)."""
    radius, speed = 80.0, 18.0
    angle = np.linspace(0.0, 6.0, 600)
    path = Path(np.stack([radius * np.sin(angle), radius * (1 - np.cos(angle))], axis=1))
    off = {}
    for known in (CAR.understeer, 0.0):
        run = followed(path, speed, 15.0, understeer=known)
        off[known] = np.hypot(run["x"][-1], run["y"][-1] - radius) - radius
    assert abs(off[CAR.understeer]) < 0.03  # points are 0.8 m apart
    missing = (speed * 0.5) ** 2 / radius * CAR.understeer * speed**2 / CAR.wheelbase
    assert off[0.0] == pytest.approx(missing, rel=0.1)


def test_an_error_dies_out_without_overshooting_much() -> None:
    """The path lies 1 m aside; the driver's and the car's lag make a little of it."""
    path = Path(np.array([[0.0, 1.0], [200.0, 1.0]]))
    run = followed(path, 20.0, 6.0)
    assert run["y"][-1] == pytest.approx(1.0, abs=1e-3) and run["y"].max() < 1.2


def test_the_speed_is_kept_and_reached() -> None:
    model = model_of(CAR, OpenLoop(lambda time: 0.0 * time, 25.0), 15.0)
    run = tb.simulate(model.compile(), duration=20.0, progress=False)
    assert run["speed"][-1] == pytest.approx(25.0, abs=0.05) and run["speed"].max() < 26.0
    assert run["throttle"].max() <= 1.0 and run["brake"].min() >= 0.0


def test_a_human_drives_through_ports_of_a_live_run() -> None:
    """The wheel turned to the left turns the car there; the brake stops it."""
    with tb.live(model_of(CAR, Human(), 10.0).compile(), rate=1000, speed=None) as live:
        live["steering wheel"] = 0.4
        live.run(1.0)
        turned, fast = live["yaw"], live["speed"]
        live["steering wheel"], live["brake"] = 0.0, 1.0
        live.run(2.0)
        stopped = live["speed"]
    expected = 10.0 * 0.4 / 16.0 / (CAR.wheelbase + CAR.understeer * 100.0)  # ψ̇ = v δ/(l + K v²)
    assert turned == pytest.approx(expected, rel=0.2)  # its lag lets it have less after 1 s
    assert fast == pytest.approx(10.0, abs=0.01) and abs(stopped) < 0.01


def test_paths_and_drivers_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        Path(np.zeros(3))
    with pytest.raises(InputError, match="are the same"):
        Path(np.zeros((3, 2)))
    line = Path(np.array([[0.0, 0.0], [1.0, 0.0]]))
    with pytest.raises(ModelError, match="its preview is 0; give a positive"):
        PathFollower(line, 20.0, preview=0)
    with pytest.raises(ModelError, match="driven before it is placed"):
        CAR.drive(tb.Model("empty"), None)  # type: ignore[arg-type]
