"""Limits of sensors, boards and messages; laws by wire as they were described; and the fit of a
motor's axis, from samples whose constants are known."""

import errno
import math
from collections.abc import Callable
from dataclasses import astuple, replace

import numpy as np
import pytest

import touchback as tb
from descriptions import check, described, shown
from touchback.devices import by_wire
from touchback.devices.daq.block_layout import GALLO, BlockChannel, BlockLayout
from touchback.devices.daq.buggy_sensors import SENSORS, buggy_codes, buggy_layout
from touchback.devices.daq.reading_strategies import strategy
from touchback.devices.daq.simulated_board import Script
from touchback.devices.evdev.force_wheel import refusal
from touchback.devices.midi import midi_messages as midi
from touchback.devices.motors import LinearMotor, Motor
from touchback.devices.sensors import (
    Coil,
    Converter,
    Encoder,
    HallPair,
    HallSensor,
    Imu,
    LoadCell,
    Noise,
    Potentiometer,
    Tachometer,
    Unwrap,
    calibrate_coil,
    calibrate_hall_pair,
    calibrate_load_cell,
)
from touchback.devices.serial_line.axis_identification import fit_axis
from touchback.devices.threaded_driver import explain_open_failure, path_of
from touchback.errors import DeviceError, InputError, SolveError

NAN = math.nan
CHANNELS = (BlockChannel("a", samples=3), BlockChannel("age", "int32"), BlockChannel("b"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Encoder(0), "0 lines"),
        (lambda: Encoder(1, 0.0), "its gearing is 0.0"),
        (lambda: Encoder(1, math.inf), "its gearing is inf"),
        (lambda: Unwrap(1), "1 bits; counters have 2 to 48"),
        (lambda: Unwrap(49), "49 bits"),
        (lambda: Converter(0), "0 bits; give a whole number from 1 to 32"),
        (lambda: Converter(33), "33 bits"),
        (lambda: Converter(8, 1.0, 1.0), "its range is 1.0 to 1.0 V"),
        (lambda: Coil(0.0), "κ is 0"),
        (lambda: LoadCell(0.0), "its sensitivity is 0"),
        (lambda: LoadCell(1.0, NAN), "offset is nan"),
        (lambda: HallPair(1.0, NAN), "offset is nan"),
        (lambda: HallSensor(1.0, NAN), "voltage is nan"),
        (lambda: HallSensor(1.0, 1.0, 0.5), "facing 0.5"),
        (lambda: HallSensor(-1.0, 1.0), "-1.0 m from its magnet"),
        (lambda: Imu(acceleration_bias=(0, NAN, 0)), r"acceleration_bias\[1\]"),
        (lambda: Imu(rate_bias=(0, 0, NAN)), r"rate_bias\[2\]"),
        (lambda: Imu(acceleration_range=0.0), "acceleration_range"),
        (lambda: Imu(rate_range=0.0), "rate_range"),
        (lambda: Potentiometer(0.0), "a track of 0.0 rad"),
        (lambda: Potentiometer(1.0, 0.0), "at 0.0 V"),
        (lambda: Potentiometer(1.0, NAN), "supply"),
        (lambda: Tachometer(0.0), "its constant is 0"),
        (lambda: Tachometer(1.0, NAN), "ripple"),
        (lambda: Motor(0.1, 0.0), "current_limit is 0.0"),
        (lambda: Motor(0.1, 1.0, friction_speed=0.0), "friction_speed is 0.0"),
        (lambda: Motor(0.1, 1.0, inertia=-1e-9), "inertia -1e-09"),
        (lambda: Motor(0.1, 1.0, friction=NAN), "friction"),
        *(
            (lambda word=word: LinearMotor(**LINEAR | {word: 0.0}), f"its {word} is 0.0")
            for word in ("constant", "resistance", "inductance", "current_limit", "supply", "loop",
                         "friction_speed")
        ),
        (lambda: LinearMotor(**LINEAR, friction=-1e-9), "friction -1e-09 N"),
        (lambda: LinearMotor(**LINEAR, mass=-1e-9), "mass -1e-09 kg"),
        (lambda: Noise(-1.0), "deviation"),
        (lambda: by_wire.RoadWheelMotor(inertia=0.0), "all must be above zero"),
        (lambda: by_wire.RoadWheelMotor(damping=-1.0), "damping -1.0"),
        (lambda: by_wire.RoadWheelMotor(column=0.0), "column 0.0"),
        (lambda: by_wire.RoadWheelMotor(motor=Motor(0.1, 1.0), column=1e4), "inertia of its own"),
        (lambda: by_wire.SteeringWheelMotor(inertia=0.0), "the first must be above"),
        (lambda: by_wire.SteeringWheelMotor(share=-0.1), "none of the others below it"),
        (lambda: by_wire.BrakeServo(play=0.03), "play below stroke"),
        (lambda: by_wire.BrakeServo(lag=0.0), "all must be above zero"),
        (lambda: by_wire.BrakeServo(settle=0.0299), "three times as long"),
        (lambda: by_wire.BrakeServo(by="force"), "by is 'pressure' or 'position'"),
        (lambda: by_wire.ThrottleStepper(steps=0), "0 steps a turn"),
        (lambda: by_wire.ThrottleStepper(fastest=0.0), "0.0 steps a second"),
        (lambda: by_wire.ThrottleStepper(most=NAN), "most"),
        (lambda: BlockChannel(""), "A channel's name is ''"),
        (lambda: BlockChannel("a", "int7"), "int7"),
        (lambda: BlockChannel("a", samples=0), "1 to 1000 samples"),
        (lambda: BlockChannel("a", samples=1001), "1 to 1000 samples"),
        (lambda: BlockChannel("a", skew=2e-3, ready=1e-3), "ready no earlier than measured"),
        (lambda: BlockChannel("a", skew=-1e-9), "give times from 0 on"),
        (lambda: BlockChannel("a", ready=math.inf), "give times from 0 on"),
        (lambda: BlockLayout(0.9e-9, CHANNELS), "Blocks must be 1e-09 to 100000 s apart"),
        (lambda: BlockLayout(1.1e5, CHANNELS), "Blocks must be"),
        (lambda: BlockLayout(1.0, ()), "1 to .* channels of different names"),
        (lambda: BlockLayout(1.0, CHANNELS[:1] * 2), "of different names"),
        (lambda: BlockLayout(1e-3, [BlockChannel("a", skew=2e-3, ready=2e-3)]), "a later one"),
        (lambda: BlockLayout(1.0, [*CHANNELS, BlockChannel("c", behind="a")]), "isn't a channel"),
        (lambda: BlockLayout(1.0, [BlockChannel("c", behind="x")]), "isn't a channel of one"),
        (lambda: GALLO.unpack(b"1234567"), "7 bytes aren't whole blocks of 8"),
        (lambda: strategy("all blocks", GALLO, 0), "1 to 1000000 blocks"),
        (lambda: strategy("all blocks", GALLO, 1_000_001), "1 to 1000000 blocks"),
        (lambda: strategy("some", GALLO), "reading strategy"),
        (lambda: Script(GALLO, 1.0, gates={"brake": 0.0}), r"The gate of 'brake' \[s\]"),
        (lambda: Script(GALLO, 1.0, counters={"brake": 17}), "must have 1 to 16 bits"),
        (lambda: Script(GALLO, 1.0, counters={"brake": 0}), "must have 1 to 16 bits"),
        (lambda: Script(GALLO, -1.0), "A board lasts -1.0 s"),
        (lambda: Script(GALLO, 1.1e9), "A board lasts 0 to 1e9 s"),
        (lambda: Script(GALLO, 1.0, jitter=-1.0), "its jitter is -1.0"),
        (lambda: Script(GALLO, 1.0, drift=1.0), "a drift within ±1"),
        (lambda: Script(GALLO, 1.0, seed=-1), "seed must be a whole number from 0"),
        (lambda: Script(GALLO, 1.0, buffer=0), "room for 1 block at least"),
        (lambda: Script(GALLO, 1.0, signals={"brake": 3}), "samples a Sine, a Ramp"),
        (lambda: buggy_codes(counter_bits=1), "2 to 32 bits"),
        (lambda: buggy_codes(speed_of_light=1.0), "no sensors speed of light"),
        (lambda: midi.encode(midi.NoteOn(60, 1, 16)), "MIDI channel 16"),
        (lambda: midi.encode(midi.NoteOn(128, 1)), "MIDI data byte 128"),
        (lambda: midi.encode(midi.Control(-1, 1)), "MIDI data byte -1"),
        (lambda: midi.encode(midi.NoteOn(60, 0)), "velocity 0 means"),
        (lambda: midi.speed_of(0.99), "velocities lie between 1 and 127"),
        (lambda: midi.speed_of(127.01), "velocities lie between 1 and 127"),
        (lambda: midi.velocity_of(0.0), "hammer speed of 0.0"),
        (lambda: midi.velocity_of(math.inf), "hammer speed of inf"),
    ],
)  # fmt: skip
def test_what_is_beyond_a_limit_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


LINEAR = {
    "constant": 5.0, "resistance": 2.0, "inductance": 1e-3, "current_limit": 3.0, "supply": 24.0
}  # fmt: skip


def test_what_is_at_a_limit_is_taken() -> None:
    assert [Unwrap(b).bits for b in (2, 48)] == [2, 48] == [2, Unwrap(48).bits]
    assert [Converter(b).bits for b in (1, 32)] == [1, 32]
    assert HallSensor(1.0, 1.0, -1).facing == -1
    assert Motor(0.1, 1.0, friction=0.0, inertia=0.0).gearing == 1.0
    assert by_wire.BrakeServo(settle=0.03, lag=0.01).settle == 0.03
    assert by_wire.SteeringWheelMotor(share=0.0, centring=0.0, damping=0.0).share == 0.0
    assert BlockChannel("a", samples=1000, skew=1.0, ready=1.0).samples == 1000
    for period in (1e-9, 1e5):
        assert BlockLayout(period, CHANNELS).period == period
    assert BlockLayout(1e-3, [BlockChannel("a", skew=1e-3, ready=1e-3)]).size == 2
    for bits in (1, 16):
        assert Script(GALLO, 0.0, counters={"brake": bits}).blocks == 0
    for blocks in (1, 1_000_000):
        assert strategy("all blocks", GALLO, blocks).want
    assert midi.velocity_of(1e-9) == 1 and midi.velocity_of(1e9) == 127
    assert midi.velocity_of(1.0) == 58 and midi.speed_of(57.96) == pytest.approx(1.0)
    assert midi.velocity_of(10.0) == 127 and midi.velocity_of(0.16) == 1
    assert midi.velocity_of(0.17) == 3 and midi.speed_of(1) == pytest.approx(0.1588, rel=1e-3)
    assert midi.encode(midi.NoteOff(0, 127, 15)) == bytes((0x8F, 0, 127))
    assert midi.encode(midi.Control(64, 0)) == bytes((0xB0, 64, 0))


def test_sensors_read_by_their_closed_forms_and_back() -> None:
    assert Encoder(100, 2.0).resolution == pytest.approx(math.tau / 800)
    assert Encoder(100, -2.0).resolution == pytest.approx(math.tau / 800)
    assert Encoder(100, 2.0).quantity(3) == pytest.approx(3.5 * math.tau / 800)
    assert Encoder(1).reading(math.pi) == 2 and Encoder(1).reading(-0.01) == -1
    assert Unwrap(8).step((250.0, 250.0), 3.0) == ((3.0, 259.0), 259.0)
    assert Unwrap(8).step((3.0, 259.0), 250.0) == ((250.0, 250.0), 250.0)
    assert Unwrap(8).at_rest(7.0) == (7.0, 7.0)
    assert Coil(4.0).reading(0.5) == 2.0 and Coil(4.0).quantity(2.0) == 0.5
    assert HallPair(2.0, 0.3).quantity(3.0, 1.0) == pytest.approx(16.3)
    assert HallSensor(2.0, 3.0).reading(1.0) == pytest.approx(24.0)
    assert HallSensor(2.0, 3.0, -1).reading(2.0) == pytest.approx(0.375)
    assert LoadCell(2.0, 0.5).reading(3.0) == 6.5 and LoadCell(2.0, 0.5).quantity(6.5) == 3.0
    pot = Potentiometer(4.0, 10.0)
    assert [pot.reading(x) for x in (-3.0, -2.0, 1.0, 2.0, 3.0)] == [0.0, 0.0, 7.5, 10.0, 10.0]
    assert pot.quantity(7.5) == pytest.approx(1.0) and Potentiometer(1.0).supply == 5.0
    tacho = Tachometer(2.0, 0.1, 3)
    assert tacho.reading(5.0, 0.2) == pytest.approx(10.0 * (1 + 0.1 * math.sin(0.6)))
    assert Tachometer(2.0).reading(5.0, 0.2) == 10.0 and tacho.quantity(10.0) == 5.0
    two = Converter(2, -1.0, 2.0)
    assert two.resolution == 1.0 and [two.reading(x) for x in (-9, -0.6, -0.4, 9)] == [0, 0, 1, 3]
    assert two.quantity(3) == 2.0
    chip = Imu((0.1, 0.2, 0.3), (1.0, 2.0, 3.0), 10.0, 4.0)
    felt, turned = chip.reading((1.0, 2.0, 3.0), (0.0, 0.0, -9.81), (1.0, -7.0, 0.5))
    assert felt == pytest.approx([1.1, 2.2, 10.0]) and turned == pytest.approx([2.0, -4.0, 3.5])
    motor = Motor(0.5, 2.0, gearing=-3.0, friction=0.1, inertia=0.2, friction_speed=0.4)
    assert motor.largest_torque == pytest.approx(3.0)
    assert motor.reflected_inertia == pytest.approx(1.8)
    assert motor.current(0.75) == pytest.approx(-0.5)
    assert [motor.current(x) for x in (-99.0, 99.0)] == [2.0, -2.0]
    # The rotor turns −3 times as fast, 0.3 rad/s: friction 0.1 · 0.6 at it, 0.18 at the output.
    assert motor.torque(1.0, -0.1) == pytest.approx(-1.5 + 0.3 * 0.3 / 0.5)
    assert motor.torque(9.0) == pytest.approx(-3.0)
    pushing = LinearMotor(**LINEAR, friction=0.6, friction_speed=4.0, loop=100.0)
    assert pushing.largest_force == 15.0
    assert pushing.force(2.0, 3.0) == pytest.approx(10.0 - 0.6 * 3 / 5)
    assert LinearMotor(**LINEAR).force(2.0, 3.0) == 10.0
    assert pushing.voltage(5.0, 0.5, 0.2) == pytest.approx(2.0 + 1.0 + 0.1 * 0.5)
    assert [pushing.voltage(f, 0.0, 9.0 * f) for f in (99.0, -99.0)] == [24.0, -24.0]
    assert pushing.voltage(99.0, 3.0, 0.0) == pytest.approx(6.0)
    assert pushing.current_rate(10.0, 2.0, 0.5) == pytest.approx((10.0 - 4.0 - 2.5) / 1e-3)


def test_calibrations_find_what_made_the_data() -> None:
    t = np.linspace(0.0, 2.0, 4001)
    z = 0.01 * np.sin(7.0 * t) + 0.02 * t
    U = 3.0 * (0.07 * np.cos(7.0 * t) + 0.02) + 0.4
    assert calibrate_coil(U, t, z).kappa == pytest.approx(3.0, rel=1e-4)
    bent = z * 0.0 + np.where(t < 1.0, t, t * (1 + 1e-9))
    with pytest.raises(SolveError, match="evenly"):
        calibrate_coil(U, t, bent)
    F = np.array([1.0, 2.0, 5.0])
    cell = calibrate_load_cell(0.2 * F + 0.7, F)
    assert (cell.sensitivity, cell.offset) == pytest.approx((0.2, 0.7))
    front, rear = np.array([1.0, 2.0, 3.0, 1.5]), np.array([3.0, 2.5, 1.0, 2.9])
    pair, worst = calibrate_hall_pair(front, rear, 0.002 * (front**2 - rear**2) + 0.01)
    assert (pair.k, pair.offset, worst) == pytest.approx((0.002, 0.01, 0.0), abs=1e-12)
    off = np.array([1e-4, -1e-4, 1e-4, -1e-4])
    assert 5e-5 < calibrate_hall_pair(front, rear, 0.002 * (front**2 - rear**2) + off)[1] < 2e-4


def test_layouts_say_where_their_numbers_stand() -> None:
    layout = BlockLayout(
        1e-3,
        [*CHANNELS, BlockChannel("late", "float64", 2, skew=1e-4, ready=2e-4, behind="age")],
        stamped=True,
    )
    assert layout.size == 16 + 6 + 4 + 2 + 16 and layout.place("b") == 2
    found = [astuple(each) for each in layout.fields]
    assert [each[0] for each in found] == [16, 22, 26, 28]
    assert [each[2] for each in found] == [3, 1, 1, 2]
    assert [each[3] for each in found] == [0, 0, 0, 100_000]
    assert [each[4] for each in found] == [333_333, 1_000_000, 1_000_000, 500_000]
    assert [each[5] for each in found] == [-1, -1, -1, 3]
    (block,) = layout.unpack(bytes(layout.size))
    assert block["a"].shape == (3,) and block["late"].dtype == np.float64
    assert [c.name for c in GALLO.channels] == ["brake", "throttle", "steering"]


def test_the_buggys_sensors_are_described_as_they_were(pytestconfig: pytest.Config) -> None:
    codes = buggy_codes(12, 8, **{s.name.replace(" ", "_"): 0.3 for s in SENSORS})
    lines = [
        *map(shown, SENSORS), *(f"channel {shown(c)}" for c in buggy_layout().channels),
        *(f"channel of few bits {shown(c)}" for c in buggy_layout(12, 8, 2e-3, 2e-5).channels),
        *(f"code {name}: {code}" for name, code in codes.items()),
    ]  # fmt: skip
    check(lines, "buggy-sensors", pytestconfig)


def test_actuators_by_wire_are_described_as_they_were(pytestconfig: pytest.Config) -> None:
    lines = []
    for name, servo in (
        ("throttle", by_wire.ThrottleStepper()), ("brake", by_wire.BrakeServo()),
        ("brake by position", by_wire.BrakeServo(by="position")),
        ("road wheel", by_wire.RoadWheelMotor()),
        ("road wheel on a column", by_wire.RoadWheelMotor(bandwidth=5.0, column=3e4)),
        ("steering wheel", by_wire.SteeringWheelMotor()),
    ):  # fmt: skip
        m = tb.Model(name)
        demand = m.input("demand")
        further = [m.input("load")] if name == "steering wheel" else []
        wired = servo.add(m, "it", demand, *further, 1e-3)
        if isinstance(wired, by_wire.WiredRoadWheel):
            wired.loaded(m.input("road"))
        for word, value in vars(wired).items():
            if isinstance(value, tb.Expr):
                m.sensor(f"its {word}", tb.Signal(value))
        lines += [f"{name} {line}" for line in described(m)]
    on_column = by_wire.RoadWheelMotor(column=3e4)
    for tick in (1e-3, 4e-3):
        lines.append(f"fastest at {tick}: {on_column.fastest(tick):.9g}")
        lines.append(f"fastest at {tick} alone: {by_wire.RoadWheelMotor().fastest(tick):.9g}")
        lines.append(f"resistance at {tick}: {on_column.resistance(tick):.9g}")
    check(lines, "actuators-by-wire", pytestconfig)
    with pytest.raises(InputError, match=r"less than one in a tick of 0\.0002 s"):
        by_wire.ThrottleStepper().add(tb.Model("m"), "it", 0.0, 2e-4)
    fast = replace(by_wire.RoadWheelMotor(), bandwidth=201.0)
    with pytest.raises(InputError, match="its bandwidth is at most 200 rad/s, got 201"):
        fast.add(tb.Model("m"), "it", 0.0, 1e-3)


def test_what_the_system_refuses_is_said_with_what_helps() -> None:
    for code, whose in ((errno.EMFILE, "this program may"), (errno.ENFILE, "the machine can")):
        told = explain_open_failure(code, "Mend.")
        assert f"as many as {whose} have" in told and "Mend" not in told
    assert explain_open_failure(errno.EACCES, "Mend.") == "Permission denied. Mend."
    for code in (errno.ENOTTY, errno.EPROTO):
        assert refusal("/x", code).startswith("'/x' is no event device")
    assert "is in use" in refusal("/x", errno.EBUSY)
    assert "group 'input'" in refusal("/x", errno.EACCES)
    for wrong in ("", "a\0b", 3):
        with pytest.raises(DeviceError, match="It: a path is a text"):
            path_of("It", wrong)  # type: ignore[arg-type]


K, R, J, B, F, G = 0.05, 1.5, 2e-4, 1e-3, 0.01, 0.004


def samples(noise: float, seed: int = 0) -> dict[str, np.ndarray]:
    """An axis that is moved by a chirp from 1 to 6 Hz, its current by its law of motion."""
    dt, n = 1e-3, 6500
    t = dt * np.arange(n)
    phase = math.tau * (t + 0.5 * 5.0 / 6.0 * t**2)
    rate, turn = math.tau * (1.0 + 5.0 / 6.0 * t), math.tau * 5.0 / 6.0
    q = 0.8 * np.sin(phase)
    w = 0.8 * np.cos(phase) * rate
    a = 0.8 * (np.cos(phase) * turn - np.sin(phase) * rate**2)
    current = (J * a + B * w + F * np.sign(w) + G) / K
    chance = np.random.default_rng(seed).normal(size=(2, n))
    return {
        "time": t, "position": q, "velocity": w, "current": current + noise * chance[0],
        "voltage": R * current + K * w + noise * chance[1], "force": 1.1 * K * current,
        "status": np.ones(n, dtype=int),
    }  # fmt: skip


def test_an_axis_is_found_from_samples_of_known_constants() -> None:
    found = fit_axis(samples(0.0), 0.3, 6.0)
    told = (found.force_constant, found.resistance, found.inertia, found.damping, found.friction)
    assert told == pytest.approx((K, R, J, B, F), rel=5e-3)
    assert found.claimed_constant == pytest.approx(1.1 * K, rel=1e-6)
    assert found.weight == pytest.approx(-G, rel=5e-3) and found.scatter < 1e-3


def test_doubts_of_an_axis_are_what_its_constants_scatter_by() -> None:
    """Of eight seeds the spread is known to a quarter; a factor of three is far beyond that."""
    found = [fit_axis(samples(0.05, seed), 0.3, 6.0) for seed in range(8)]
    for name, true in (("constant", K), ("inertia", J), ("friction", F)):
        field = "force_constant" if name == "constant" else name
        values = np.array([getattr(each, field) for each in found])
        doubt = np.mean([getattr(each, f"{name}_doubt") for each in found])
        assert np.abs(values - true).max() < 5.0 * doubt
        assert doubt / 3.5 < np.sqrt(np.mean((values - true) ** 2)) < 3.0 * doubt


def test_an_axis_that_can_not_be_found_is_refused_with_the_reason() -> None:
    usual = samples(0.0)

    def changed(**given: np.ndarray) -> dict[str, np.ndarray]:
        return usual | given

    few = {name: each[:100] for name, each in usual.items()}
    for data, seconds, words in (
        (few, 0.0, "Only 100 samples came"),
        (usual, 20.0, "Samples came for 6.5 of 20 s only"),
        (changed(position=-usual["position"]), 6.0, "goes against its motor"),
        (changed(force=-usual["force"]), 6.0, r"reports -0\.055 N m or N for an ampere"),
        (changed(current=0.0 * usual["current"] + 1e-9), 6.0, "No current flows"),
        (changed(status=0 * usual["status"]), 6.0, "Its motor acted in 0 samples only"),
    ):
        with pytest.raises(DeviceError, match=words):
            fit_axis(data, 0.3, seconds)
