"""The car of 18 bodies at Gallo's 5 ms: the index-3 augmented Lagrangian against partitioning."""

import math
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.devices.daq import SimulatedDriver
from touchback.gallery.instrumented_buggy import CAR
from touchback.vehicle import Car, measure_axle
from waiting import until

SIGNALS = ("car position.x", "car position.y", "car velocity.x", "car turning.z")


@pytest.fixture(scope="module")
def buggy() -> tb.System:
    return gallery.make("buggy").compile()


def test_it_is_the_car_of_the_source(buggy: tb.System) -> None:
    """Gallo 2012, section 3.1.1: double wishbones in front, MacPherson struts behind; 3.2.1: 18
    bodies (the steering wheel is ours). Six freedoms of the chassis, travel and spin of four
    wheels, and the rack."""
    bodies = buggy.model.bodies
    assert len(bodies) == 18 + 1 and buggy.freedoms().freedoms == 15
    for side in ("left", "right"):
        assert f"front {side} upper arm" in bodies and f"rear {side} upper arm" not in bodies
        assert f"rear {side} strut rod" in bodies and f"front {side} strut rod" not in bodies


def test_its_struts_carry_the_rear_as_the_wishbones_of_the_template_do() -> None:
    struts, bones = (measure_axle(axle, travel=0.05, points=5).figures
                     for axle in (CAR.rear, Car().rear))  # fmt: skip
    for name in ("wheel load", "wheel rate"):
        assert struts[name] == pytest.approx(bones[name], rel=0.02)
    assert abs(struts["bump steer"]) < 0.01  # rad/m
    assert CAR.balance()[0] == pytest.approx(Car().balance()[0], rel=0.005)


def driven(buggy: tb.System, brake: float, **how: object) -> tb.Run:
    """A turn of 46° to and fro of the wheel within 2 s, and the brake from the first half second
    on, up to so many counts."""
    w, most = math.pi, 0.4
    inputs = {
        "throttle": 105.0,
        "steering angle": lambda t: most * (1.0 - math.cos(w * t)),
        "steering rate": lambda t: most * w * math.sin(w * t),
        "steering acceleration": lambda t: most * w * w * math.cos(w * t),
        "brake": lambda t: brake * min(max(2.0 * t - 1.0, 0.0), 1.0) ** 3,
    }
    return tb.simulate(buggy, duration=1.0, inputs=inputs, progress=False, **how)


def test_its_error_at_5_ms_falls_by_four_with_half_the_step(buggy: tb.System) -> None:
    known = driven(buggy, 4000.0, method="rk4", step=2.5e-4)
    errors = []
    for step in (5e-3, 2.5e-3):
        run = driven(buggy, 4000.0, constraints="augmented-lagrangian", step=step)
        errors.append(np.array([run[name][-1] - known[name][-1] for name in SIGNALS]))
        counts = run.metadata["statistics"]
        assert counts["not_converged"] == 0
        assert counts["iterations"] <= 4.0 * counts["steps"]
        assert counts["largest_h"] < 1e-12
    assert np.abs(errors[0]).max() < 1e-4  # m, m/s, rad/s
    order = np.log2(np.linalg.norm(errors[0]) / np.linalg.norm(errors[1]))
    assert order == pytest.approx(2.0, abs=0.1)


def test_it_converges_in_every_step_when_its_wheels_lock(buggy: tb.System) -> None:
    """All of the 40 bar on a slippery road, where the front wheels stand."""
    slippery = {"grip": 0.4}
    run = driven(buggy, 32767.0, constraints="augmented-lagrangian", step=5e-3, parameters=slippery)
    known = driven(buggy, 32767.0, method="rk4", step=2.5e-4, parameters=slippery)
    assert abs(known["front left spin rate"][-1]) < 0.2
    assert run.metadata["statistics"]["not_converged"] == 0
    for name in SIGNALS:
        assert run[name][-1] == pytest.approx(known[name][-1], abs=5e-3)


def test_it_brakes_when_its_board_is_gone(buggy: tb.System, tmp_path: Path) -> None:
    """It came at 10 m/s with its throttle open, and would go on so."""
    experiment, path = gallery.entry("buggy").experiment, tmp_path / "ride.mcap"
    with (
        SimulatedDriver() as driver,
        tb.live(
            buggy, rate=200, constraints="augmented-lagrangian", inputs=experiment.watched,
            record=path,
        ) as live,
    ):  # fmt: skip
        for name in experiment.devices:
            live.connect(name, driver)
        until(lambda: live["throttle"] > 50.0 and abs(live["steering rate"]) > 0.1)
        driver.daq.board.kill()
        until(lambda: np.hypot(live.read("car velocity.x"), live.read("car velocity.y")) < 8.0)
        assert live.faults == ("stale input",)
        assert any("The board is gone" in fault["text"] for fault in live.report().faults)
    run = tb.open(path)
    assert len(run.time) == live.report().counts["ticks"]
    assert [run[name][-1] for name in ("throttle", "brake", "steering rate")] == [0.0, 8000.0, 0.0]
    assert run["steering angle"][-1] != 0.0  # held where it was
