"""A car by wire: driven by a hand on its wheel, then repeated without a driver."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from asammdf import MDF, Signal

import touchback as tb
from touchback.devices.by_wire import BrakeServo, ThrottleStepper
from touchback.devices.daq import GALLO, Daq, FileBoard, FileChannel, PlayedBoard, blocks_of_run
from touchback.vehicle import ByWireCar, ByWireWholeCar, Wires, by_wire_car
from waiting import until

RATE, DURATION, SPEED = 1000.0, 3.0, 10.0
T = np.arange(round(RATE * DURATION) + 1) / RATE
PEDALS = {  # counts: accelerate, then brake in the second bend
    "throttle": np.rint(np.interp(T, [0.0, 0.3, 1.6, 1.7], [0, 250, 250, 0])),
    "brake": np.rint(np.interp(T, [1.9, 2.1], [0, 6000])),
}


def drive(system, **inputs) -> tb.Run:
    given = {name: (T, values) for name, values in inputs.items()}
    return tb.simulate(
        system, duration=DURATION, method="rk4", step=1 / RATE, rate=RATE, inputs=given
    )


@pytest.fixture(scope="module")
def driven() -> tb.Run:
    system = by_wire_car(RATE, speed=SPEED, driver=True).compile()
    return drive(system, hand=1.5 * np.sin(2 * np.pi * 0.5 * T), **PEDALS)


@cache
def repeating(kind: type[Wires]) -> tb.System:
    """A car without a driver."""
    return by_wire_car(RATE, kind(), SPEED).compile()


@pytest.fixture(scope="module")
def wired() -> tb.System:
    return repeating(ByWireCar)


@pytest.fixture(scope="module")
def kept(driven, tmp_path_factory) -> np.ndarray:
    """The drive as blocks of a board, out of a file."""
    path = tmp_path_factory.mktemp("drive") / "drive.csv"
    counts = {**PEDALS, "steering": driven["steering"]}
    tb.Run(T, counts).save(path)
    return blocks_of_run(GALLO, tb.open(path))


def test_a_recorded_drive_is_repeated_through_the_actuators_without_a_driver(
    driven, wired, kept
) -> None:
    again = drive(wired, **{name: kept[name].astype(float) for name in GALLO.dtype.names})
    assert driven["y"].max() - driven["y"].min() > 1.0 and driven["speed"].max() > 10.3
    for name in ("x", "y", "yaw", "speed", "steer", "pressure", "opening"):
        np.testing.assert_allclose(again[name], driven[name], atol=1e-9, err_msg=name)


def test_other_actuators_bring_nearly_the_same_path(driven, kept) -> None:
    """Pads worn by 30 % and a stepper that is half as fast: their loops make up for most of it."""
    parts = ByWireCar(
        throttle=ThrottleStepper(fastest=2000.0), brake=BrakeServo(stiffness=0.7 * 40e5 / 0.02)
    )
    other = by_wire_car(RATE, parts, SPEED).compile()
    again = drive(other, **{name: kept[name].astype(float) for name in GALLO.dtype.names})
    assert again["pressure"][-1] == pytest.approx(driven["pressure"][-1], abs=2e3)
    off = np.hypot(again["x"] - driven["x"], again["y"] - driven["y"])
    assert 1e-4 < off.max() < 0.15  # of 29 m


@pytest.fixture(scope="module")
def whole() -> tb.Run:
    """The same hand and feet, on the car of 18 bodies."""
    system = by_wire_car(RATE, ByWireWholeCar(), SPEED, driver=True).compile()
    return drive(system, hand=1.5 * np.sin(2 * np.pi * 0.5 * T), **PEDALS)


def test_a_drive_of_the_whole_car_is_repeated_through_its_actuators(whole) -> None:
    """By the same ones exactly; with pads worn by 30 % and a stepper that is half as fast, within
    centimetres of the 30 m."""
    counts = {**PEDALS, "steering": np.rint(whole["steering"])}
    again = drive(repeating(ByWireWholeCar), **counts)
    for name in ("x", "y", "yaw", "speed", "steer", "pressure", "opening", "motor current"):
        np.testing.assert_allclose(again[name], whole[name], atol=1e-9, err_msg=name)
    worn = ByWireWholeCar(
        throttle=ThrottleStepper(fastest=2000.0), brake=BrakeServo(stiffness=0.7 * 40e5 / 0.02)
    )
    other = drive(by_wire_car(RATE, worn, SPEED).compile(), **counts)
    off = np.hypot(other["x"] - whole["x"], other["y"] - whole["y"])
    assert 1e-4 < off.max() < 0.15
    assert whole["y"].max() - whole["y"].min() > 0.5 and whole["speed"].max() > 10.3


def test_the_whole_car_s_road_wheels_follow_the_encoder_without_chatter(whole) -> None:
    """The rack goes where the wheel was turned, but for the delay of a loop of 40 rad/s and what
    aligning torque and friction bend it by before its integral part answers; the current changes by
    counts of the encoder, not by a rotor that swings on its torsion bar."""
    motor = ByWireWholeCar().road_wheel
    wanted = whole["hand wheel angle"] / motor.ratio
    assert np.abs(wanted).max() > 0.02
    assert np.abs(whole["steer"] - wanted).max() < 0.35 * np.abs(wanted).max()
    motor = replace(motor, column=115.0 * motor.ratio**2)
    count = motor.resistance(1 / RATE) * motor.encoder.resolution * RATE / (0.1 * 100.0)  # A
    assert np.abs(np.diff(whole["motor current"])).max() < 4.0 * count


def test_the_hand_feels_half_of_the_road_s_torque_over_the_ratio(driven) -> None:
    torque = 0.5 * driven["aligning torque"] / 15.0
    own = -0.3 * driven["hand wheel angle"] - 0.3 * driven["hand wheel rate"]
    friction = 2e-3 * 10.0  # of the motor, at the wheel
    assert np.abs(driven["felt"] - torque - own)[5:].max() < friction + 0.1  # a tick ago
    assert np.abs(torque).max() > 0.5


def test_at_a_pressure_the_car_slows_down_as_its_discs_say(wired) -> None:
    found = drive(wired, throttle=0 * T, brake=0 * T + 6000.0, steering=0 * T)
    # 2 μ p A r of four discs at the radius of the wheels, engine braking and air besides.
    p = 6000.0 * 40e5 / 32767.0
    v = found["speed"][1500]
    n = v / 0.286 * 1.475 * 3.673 * 60 / (2 * math.pi)
    force = 4 * 2 * 0.38 * 22.9e-4 * 0.115 * p / 0.286
    force += 0.015 * n * 1.475 * 3.673 / 0.286 + 0.5 * v**2
    slope = np.gradient(found["speed"], T)[1500]
    assert slope == pytest.approx(-force / 1093.2952334674046, rel=2e-3)
    assert abs(found["y"]).max() < 1e-2  # straight on, but for half a count of the wheel


@pytest.mark.parametrize("kind", [ByWireCar, ByWireWholeCar])
def test_played_by_a_board_each_tick_of_a_live_car_has_one_block_and_it_ends_where_it_was_told(
    kind, kept
) -> None:
    known = {tuple(int(block[name]) for name in GALLO.dtype.names) for block in kept}
    with (
        PlayedBoard(GALLO, kept[:1200], speed=4.0) as board,
        Daq(board) as daq,
        tb.live(repeating(kind), rate=RATE, method="rk4", record=True) as live,
    ):
        for name in GALLO.dtype.names:
            live.connect(name, daq)
        until(lambda: not daq.running)
        end = kept[1199]
        goal = (int(end["steering"]) + 0.5) * 2 * math.pi / 2000 / kind().road_wheel.ratio
        until(lambda: abs(live.read("steer") - goal) < 2e-3)
        until(lambda: abs(live.read("opening") - end["throttle"] / 420) < 5e-3)
    run = live.recorded()
    used = run["steering"] != 0.0
    rows = set(zip(*(run[name][used].astype(int) for name in GALLO.dtype.names)))
    assert len(rows) > 3 and rows <= known  # how many are seen is up to the machine


def test_a_file_of_another_program_drives_the_car_each_tick_with_what_it_has_at_its_age(
    tmp_path,
) -> None:
    """A measurement in three rasters, of ramps, so that each number tells when it was measured.
    Each tick has the numbers of one block, the newest of every raster by then, and the age that is
    recorded is that of the oldest: from the file's time to that of ticks it is the same for all of
    them, but for ticks that a busy machine left out. No raster is of whole ticks."""
    rasters = {"throttle": 0.0103, "brake": 0.0257, "steering": 0.0419}  # s
    names = {"throttle": "Pedal_pos", "brake": "p_brake", "steering": "StWhlAng"}
    units = {"throttle": "%", "brake": "bar", "steering": "deg"}
    slopes = {"throttle": 20.0, "brake": 3.0, "steering": 30.0}  # of those units, a second
    with MDF(version="4.10") as file:
        for name, raster in rasters.items():
            t = raster * np.arange(round(0.8 / raster) + 1)
            file.append([Signal(slopes[name] * t, t, name=names[name], unit=units[name])])
        file.save(tmp_path / "car.mf4")
    counts = {"throttle": 420.0, "brake": 32767 / 40e5, "steering": 2000 / (2 * np.pi)}
    channels = {name: FileChannel(names[name], scale=counts[name]) for name in names}
    with (
        tb.live(repeating(ByWireCar), rate=RATE, method="rk4", record=True) as live,
        FileBoard(tmp_path / "car.mf4", channels) as board,
        Daq(board) as daq,
    ):
        for name in names:
            live.connect(name, daq)
        until(lambda: not daq.running)
    run = live.recorded()
    used = np.all([run[name] > 0.0 for name in names], axis=0)  # all are connected, and began
    si = {"throttle": 0.2, "brake": 3e5, "steering": np.radians(30.0)}
    measured = {name: run[name][used] / (counts[name] * si[name]) for name in names}
    block = np.max(list(measured.values()), axis=0)  # when the newest of all was measured
    for name, raster in rasters.items():
        expected = raster * np.floor(block / raster + 1e-6)
        np.testing.assert_allclose(measured[name], expected, atol=1e-9, err_msg=name)
    oldest = np.min(list(measured.values()), axis=0)
    taken = run.time[used] + 1e-9 * run["lateness"][used]
    begin = taken - 1e-9 * run["input age"][used] - oldest  # of the file, by the clock of ticks
    ticks = RATE * (begin - begin[0])
    np.testing.assert_allclose(ticks, np.rint(ticks), atol=1e-3)  # to a µs
    assert len(np.unique(np.rint(1e6 * block))) > 3  # how many are seen is up to the machine
