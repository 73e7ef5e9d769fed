"""All sensors of Gallo's table 3.2 in one block."""

import math

import numpy as np
import pytest

from touchback.devices.daq import (
    SENSORS,
    Daq,
    PlayedBoard,
    buggy_codes,
    buggy_conditioning,
    buggy_layout,
)
from touchback.errors import InputError
from waiting import until

TABLE = {  # the first words of names here, for each line of his table: how many, and their unit
    "acceleration": (3, "m/s^2"), "angular rate": (3, "rad/s"), "roll": (1, "rad"),
    "pitch": (1, "rad"), "wheel": (4, "rad"), "brake pressure": (1, "Pa"),
    "steering wheel angle": (1, "rad"), "steer angle": (1, "rad"), "engine speed": (1, "rad/s"),
    "steering torque": (1, "N m"), "throttle angle": (1, "rad"), "rear wheel torque": (2, "N m"),
}  # fmt: skip
SOME = {
    "acceleration_z": 9.81, "angular_rate_x": -0.3, "roll": 0.05, "wheel_rear_left": 2.0,
    "brake_pressure": 12e5, "steering_wheel_angle": -3.0, "engine_speed": 314.0,
    "throttle_angle": math.radians(75.6), "rear_wheel_torque_right": 742.2,
}  # fmt: skip


def test_every_line_of_the_table_is_there() -> None:
    for name, (count, unit) in TABLE.items():
        assert [s.unit for s in SENSORS if s.name.startswith(name)] == [unit] * count
    assert len(SENSORS) == sum(count for count, _ in TABLE.values())


@pytest.mark.parametrize(("bits", "counter_bits"), [(12, 16), (14, 16), (16, 16), (24, 32)])
def test_quantities_come_back_to_half_a_step_of_so_many_bits(bits: int, counter_bits: int) -> None:
    conditioning = buggy_conditioning(bits, counter_bits)
    made = np.zeros(3, dtype=conditioning.layout.dtype)
    for name, code in buggy_codes(bits, counter_bits, **SOME).items():
        made[name] = code
    found = conditioning.compile().run(made)
    step = {
        "acceleration_z": 4 * 9.81, "angular_rate_x": 2 * math.pi, "roll": math.pi / 2,
        "brake_pressure": 40e5, "rear_wheel_torque_right": 3000.0,
    }  # fmt: skip
    for name, value in SOME.items():
        got = found[name.replace("_", " ")][-1]
        if name in step:
            limit = step[name] / (2**bits - 1)
        elif name == "engine_speed":
            limit = 2 * math.pi / (60 * 0.05)  # a count in the gate
        else:
            limit = 2 * math.pi / (44 if "wheel_rear" in name else 2000)
        assert abs(got - value) <= 0.5 * limit * (1 + 1e-9), name


def test_420_counts_of_the_pedal_are_75_6_degrees() -> None:
    codes = buggy_codes(throttle_angle=math.radians(75.6) + 1e-9)
    assert codes["throttle angle code"] == 420


def test_a_wheel_s_counter_of_few_bits_is_followed_round_over_many_turns() -> None:
    c = buggy_conditioning(counter_bits=8)
    made = np.zeros(2000, dtype=c.layout.dtype)
    angles = 40.0 * 1e-3 * np.arange(2000)  # 40 rad/s: 560 counts
    for k, angle in enumerate(angles):
        codes = buggy_codes(counter_bits=8, wheel_rear_left=angle)
        made["wheel rear left code"][k] = codes["wheel rear left code"]
    found = c.compile().run(made)["wheel rear left"]
    assert np.abs(found - angles).max() <= math.pi / 44 * (1 + 1e-9)


def test_inputs_are_converted_one_after_another_and_counters_latched_at_once() -> None:
    layout = buggy_layout(each=20e-6)
    skews = {c.name: c.skew for c in layout.channels}
    assert skews["acceleration x code"] == 0.0 and skews["acceleration y code"] == pytest.approx(
        20e-6
    )
    assert skews["steering wheel angle code"] == skews["wheel front left code"] == 0.0
    assert layout.size == 2 * len(SENSORS)
    blocks = np.zeros(5, dtype=layout.dtype)
    with PlayedBoard(layout, blocks) as board, Daq(board, buggy_conditioning(each=20e-6)) as daq:
        until(lambda: daq.latest() is not None)
        assert daq.latest().quantities["brake pressure"] == 0.0


def test_what_can_not_be_is_refused() -> None:
    with pytest.raises(InputError, match="take longer than a block"):
        buggy_layout(period=1e-4)
    for wrong in (40, "x", 2.5):
        with pytest.raises(InputError, match="Counters must have 2 to 32 bits"):
            buggy_layout(counter_bits=wrong)
        with pytest.raises(InputError, match="Counters must have 2 to 32 bits"):
            buggy_codes(counter_bits=wrong)
    with pytest.raises(InputError, match="take longer than a block"):
        buggy_layout(each="x")
    for wrong in (float("nan"), 1j, "x"):  # as NaN it was the converter's least code
        with pytest.raises(InputError, match="The buggy's brake pressure must be within"):
            buggy_codes(brake_pressure=wrong)
    with pytest.raises(InputError, match="33 bits"):
        buggy_layout(bits=33)
    with pytest.raises(InputError, match="turbo"):
        buggy_codes(turbo=1.0)
