"""The whole car beside a board's blocks: an observer finds the wind and the side slip that no
sensor of the buggy shows."""

from functools import cache

import numpy as np
import pytest

import touchback as tb
from touchback.devices.daq import Daq, PlayedBoard, buggy_codes, buggy_conditioning
from touchback.estimate import ExtendedKalman, Observer, UnscentedKalman
from touchback.model.frame import Frame
from touchback.vehicle import Car, add_car
from waiting import until

PERIOD, SPEED, WIND, BITS = 0.01, 20.0, 700.0, 14  # s, m/s, N to the left, of the converters
GRAVITY = np.array([0.0, 0.0, -9.81])
#: Noise of the sensors, and what is left of counts: a step of them over √12.
NOISE = {
    "car acceleration.y": 0.1, "car turning.x": 0.005, "car turning.z": 0.005,
    "steering wheel angle": 2e-3, "wheel rear left": 0.05, "wheel rear right": 0.05,
}  # fmt: skip


@cache
def car() -> tb.System:
    """The usual car in a side wind that is a state, turned by a torque at its steering wheel."""
    m = tb.Model("car in the wind")
    parts = add_car(m, Car(), speed=SPEED, hands="torque")
    wind = m.state("side wind", 0.0, unit="N", rate=0.0)
    m.force("side wind", tb.Wrench(Frame("chassis", Car().chassis.com), force=(0.0, wind, 0.0)))
    m.sensor("steering wheel angle", tb.Signal(m.coordinate("steering wheel"), "rad"))
    for side in ("left", "right"):
        turned = m.coordinate(parts.corners[f"rear {side}"].spin)
        m.sensor(f"wheel rear {side}", tb.Signal(turned, "rad"))
    (vx, vy), (x, y) = (
        [m.signal(f"car {word}.{i}") for i in "xy"] for word in ("velocity", "ahead")
    )
    m.sensor("slip", tb.Signal(tb.atan2(vy * x - vx * y, vx * x + vy * y), "rad"))
    return m.compile()


@cache
def driven(wind: float) -> tb.Run:
    """A slalom by hand for 0.8 s."""
    time = np.arange(0.0, 0.81, PERIOD)
    system = car()
    return tb.simulate(
        system, system.assemble(states={"side wind": wind}), duration=0.8, method="rk4", step=1e-3,
        inputs={"steering torque": (time, 2.0 * np.sin(5.0 * time)), "throttle": 0.15},
        output_step=PERIOD, progress=False,
    )  # fmt: skip


def measured() -> dict[str, np.ndarray]:
    """What the buggy's sensors show of it, with noise: out of the blocks of a board, of 14 bits."""
    run, draw = driven(WIND), np.random.default_rng(1)
    conditioning = buggy_conditioning(BITS, period=PERIOD)
    blocks = np.zeros(len(run.time), dtype=conditioning.layout.dtype)
    for k in range(len(run.time)):
        R = car().pose("chassis", [run[name][k] for name in car().coordinates])[0]
        world = np.array([run[f"car acceleration.{i}"][k] for i in "xyz"]) - GRAVITY
        felt = R.T @ world + 0.1 * draw.normal(size=3)
        turning = R.T @ [run[f"car turning.{i}"][k] for i in "xyz"] + 0.005 * draw.normal(size=3)
        shown = {f"acceleration_{i}": a for i, a in zip("xyz", felt)}
        shown |= {f"angular_rate_{i}": w for i, w in zip("xyz", turning)}
        shown |= {f"wheel_rear_{side}": run[f"wheel rear {side}"][k] for side in ("left", "right")}
        shown["steering_wheel_angle"] = run["steering wheel angle"][k]
        shown["steering_torque"] = 2.0 * np.sin(5.0 * run.time[k])
        for name, code in buggy_codes(BITS, **shown).items():
            blocks[name][k] = code
    with PlayedBoard(conditioning.layout, blocks, speed=10.0) as board, Daq(board) as daq:
        until(lambda: not daq.running)
        came = daq.blocks()
    assert list(came["number"]) == list(range(len(blocks)))
    for name in blocks.dtype.names:
        blocks[name] = came[name]
    return conditioning.compile().run(blocks)


@pytest.mark.soak
@pytest.mark.parametrize("kind", [ExtendedKalman, UnscentedKalman])
def test_wind_and_side_slip_are_found_from_the_blocks_of_a_board(kind: type[Observer]) -> None:
    """Accelerations are turned out of the chassis's axes by the attitude that is believed; torque
    of the hands is an input, as measured."""
    system, truth, came = car(), driven(WIND), measured()
    seen = kind(
        system, PERIOD, NOISE,
        process_noise={"side wind": 300.0, "chassis.vy": 0.05, "chassis.wz": 0.02,
                "chassis.vx": 0.05, "chassis.wx": 0.02, "steering wheel rate": 0.5},
        initial_deviation={"side wind": 1000.0, "chassis.vx": 0.1, "chassis.vy": 0.05}, substeps=5,
    )  # fmt: skip
    place, slips, winds = list(system.layout.z).index("side wind"), [], []
    for k in range(1, len(truth.time)):
        R = system.pose("chassis", seen.state.q)[0]
        acceleration = R @ [came[f"acceleration {i}"][k] for i in "xyz"] + GRAVITY
        turning = R @ [came[f"angular rate {i}"][k] for i in "xyz"]
        readings = {name: came[name][k] for name in NOISE if name in came}
        readings |= {"car acceleration.y": acceleration[1], "car turning.x": turning[0],
                     "car turning.z": turning[2]}  # fmt: skip
        given = {"steering torque": came["steering torque"][k - 1 : k + 1].mean(), "throttle": 0.15}
        seen.step(readings, given)
        slips.append(seen.sensors(given)["slip"])
        winds.append(seen.state.z[place])
    late = truth.time[1:] > 0.4
    assert abs(np.mean(np.array(winds)[late]) - WIND) < 3.0 * seen.deviation("side wind") < 300.0
    corrected, alone = (
        np.abs(slip - truth["slip"][1:])[late].max() for slip in (slips, driven(0.0)["slip"][1:])
    )
    assert corrected < 0.25 * alone
