"""Messages of the wire come back as they were sent, and nothing else is taken for one."""

import ctypes
import math
import struct

import pytest
from hypothesis import given, strategies as st

from touchback.native.shared_library import LIB
from wires import PAYLOAD, fields, packed, unpacked

byte, word, long_word = st.integers(0, 255), st.integers(0, 0xFFFF), st.integers(0, 2**32 - 1)
short, whole = st.integers(-32767, 32767), st.integers(-(2**31), 2**31 - 1)
number = st.floats(allow_nan=False, allow_infinity=False, width=32)


def made(kind: str, /, **values: object) -> ctypes.Structure:
    value = LIB.struct(kind)()
    for field, given_value in values.items():
        place = getattr(value, field)
        if isinstance(given_value, bytes):
            ctypes.memmove(place, given_value, len(given_value))
        else:
            setattr(value, field, given_value)
    return value


@given(byte, byte, word, long_word, long_word)
def test_questions_come_back(lowest, more, features, watchdog, period) -> None:
    highest = min(255, lowest + more)
    ask = made(
        "tb_ask", lowest=lowest, highest=highest, features=features, watchdog=watchdog,
        period=period,
    )  # fmt: skip
    assert fields(unpacked("ask", packed("ask", ask))) == fields(ask)
    assert fields(unpacked("ask", packed("ask", ask) + b"from a later version")) == fields(ask)


@given(byte, byte, st.integers(1, 6), st.integers(0, 15), long_word, st.text(max_size=10))
def test_greetings_come_back(version, session, axes, features, period, name) -> None:
    name = name.replace("\0", "")
    hello = made(
        "tb_hello", version=version, session=session, axes=axes, features=features, period=period,
        watchdog=7, flags=256, firmware=3, name=name.encode()[:32],
    )  # fmt: skip
    assert fields(unpacked("hello", packed("hello", hello))) == fields(hello)


@given(byte, st.integers(0, 5), st.floats(1e-9, 1e3), st.lists(number, min_size=8, max_size=8))
def test_axes_come_back(session, axis, unit, numbers) -> None:
    names = ["velocity_unit", "force_unit", "current_unit", "voltage_unit",
             "force", "velocity", "low", "high"]  # fmt: skip
    values = dict(zip(names, numbers)) | {"force_unit": 1e-4}
    sent = made("tb_axis", session=session, axis=axis, position_unit=unit, name=b"key", **values)
    assert fields(unpacked("axis", packed("axis", sent))) == fields(sent)


UNITS = ["position_unit", "velocity_unit", "force_unit", "current_unit", "voltage_unit"]
LIMITS = ["force", "velocity", "low", "high"]
UNITY = dict.fromkeys([*UNITS, *LIMITS], 1.0)


def flaw(features=15, **numbers):
    """Which number of an axis can't be, counted from 1, and what it is."""
    axis, value = made("tb_axis", **(UNITY | numbers)), ctypes.c_double()
    which = LIB.tb_axis_flaw(ctypes.addressof(axis), features, ctypes.addressof(value))
    return which and ([*UNITS, *LIMITS][which - 1], value.value)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("which", [*UNITS, *LIMITS])
def test_an_axis_with_what_is_no_number_is_known_by_it(which, wrong) -> None:
    assert repr(flaw(**{which: wrong})) == repr((which, wrong))


def test_scales_that_nothing_can_be_divided_by_are_flaws_and_negative_ones_are_not() -> None:
    assert flaw() == flaw(low=-0.5) == flaw(force=0.0) == 0
    for which in UNITS:
        for zero in (0.0, 1e-40):
            assert flaw(**{which: zero})[0] == which
        assert flaw(**{which: -1e-4}) == 0  # the other way round


def test_limits_below_zero_and_a_range_the_wrong_way_round_are_flaws() -> None:
    assert flaw(force=-2.0) == ("force", -2.0) and flaw(velocity=-1.0) == ("velocity", -1.0)
    assert flaw(low=0.5, high=0.25) == ("high", 0.25)


def test_the_scale_of_what_an_axis_does_not_send_may_be_anything() -> None:
    unsent = {"velocity_unit": 0.0, "current_unit": math.nan, "voltage_unit": math.inf}
    assert flaw(features=2, **unsent) == 0
    assert [flaw(features=bit, **unsent)[0] for bit in (1, 4, 8)] == list(unsent)


@given(st.integers(1, 6), st.integers(0, 15), word, long_word, st.data())
def test_samples_come_back_with_what_was_granted_and_nothing_more(
    axes, features, number, time, data
) -> None:
    sample = made("tb_readings", session=9, number=number, time=time, status=5, echo=3, since=70)
    granted = dict(zip(("velocity", "force", "current", "voltage"), (1, 2, 4, 8)))
    for axis in sample.axes[:axes]:
        axis.position = data.draw(whole)
        for name, bit in granted.items():
            kind = whole if name == "velocity" else short
            setattr(axis, name, data.draw(kind) if features & bit else 0)
    payload = packed("sample", sample, axes, features)
    assert len(payload) == 14 + axes * LIB.tb_axis_bytes(features)
    assert fields(unpacked("sample", payload, axes, features)) == fields(sample)
    assert unpacked("sample", payload[:-1], axes, features) is None
    assert unpacked("sample", payload + b"\0", axes, features) is None


@given(st.integers(1, 6), word, st.lists(whole, min_size=6, max_size=6))
def test_commands_come_back_within_16_bits(axes, number, forces) -> None:
    command = made("tb_command", session=1, number=number, flags=1)
    command.forces[:] = forces
    back = unpacked("command", packed("command", command, axes), axes)
    clipped = [max(-32767, min(32767, force)) for force in forces]
    assert list(back.forces[:axes]) == clipped[:axes]
    assert (back.number, back.flags) == (number, 1)


def test_the_layouts_are_as_documented() -> None:
    """By hand, as a stranger would write the other side from docs/wire.md."""
    ask = struct.pack("<BBBHII", 0x21, 2, 2, 15, 20_000, 250)
    assert fields(unpacked("ask", ask)) == {
        "lowest": 2, "highest": 2, "features": 15, "watchdog": 20_000, "period": 250,
    }  # fmt: skip
    hello = struct.pack("<BBBBHHIIH", 0x22, 2, 77, 1, 256, 15, 1000, 20_000, 3) + b"key"
    found = fields(unpacked("hello", hello))
    assert (found["session"], found["period"], found["firmware"]) == (77, 1000, 3)
    assert bytes(found["name"]).rstrip(b"\0") == b"key"
    axis = struct.pack("<BBBBd8f", 0x24, 77, 0, 0, 1e-5, 1e-3, 1e-4, 1e-3, 1e-2, 1, 9, -1, 1)
    assert unpacked("axis", axis + b"key").position_unit == 1e-5
    sample = struct.pack("<BBHIHHHiihhh", 0x26, 77, 1, 5000, 5, 3, 70, -4, 100, -7, 8, 9)
    reading = unpacked("sample", sample, 1, 15).axes[0]
    assert (reading.position, reading.velocity, reading.force) == (-4, 100, -7)
    assert (reading.current, reading.voltage) == (8, 9)
    command = struct.pack("<BBHBhh", 0x27, 77, 5, 1, -300, 300)
    assert list(unpacked("command", command, 2).forces[:2]) == [-300, 300]


@given(st.binary(max_size=PAYLOAD), st.integers(0, 6), st.integers(0, 15))
def test_no_payload_breaks_a_reader(payload, axes, features) -> None:
    for name in ("ask", "hello", "axis", "limit", "counts"):
        unpacked(name, payload)
    unpacked("sample", payload, axes, features)
    unpacked("command", payload, axes)


def hello_flaw(quiet_limit: int = 20_000_000, **numbers: int) -> tuple[str, float] | int:
    """Which number of a greeting can't be, and what it is."""
    hello = made("tb_hello", **({"axes": 1, "period": 1000, "watchdog": 20_000} | numbers))
    value = ctypes.c_double()
    which = LIB.tb_hello_flaw(ctypes.addressof(hello), quiet_limit, ctypes.addressof(value))
    names = {LIB.constant(f"TB_{name}"): name for name in ("AXIS_COUNT", "PERIOD", "WATCHDOG")}
    return which and (names[which], value.value)


def test_greetings_are_judged_at_their_limits() -> None:
    for good in (
        {"axes": 1}, {"axes": 6}, {"period": 1}, {"period": 10_000}, {"watchdog": 1000},
        {"watchdog": 60_000_000},
    ):  # fmt: skip
        assert hello_flaw(**good) == 0
    assert hello_flaw(axes=0) == ("AXIS_COUNT", 0) and hello_flaw(axes=7) == ("AXIS_COUNT", 7)
    assert hello_flaw(period=0) == ("PERIOD", 0)
    assert hello_flaw(period=10_001) == ("PERIOD", 10_001)  # two don't fit into 20 ms
    assert hello_flaw(watchdog=999) == ("WATCHDOG", 999)
    assert hello_flaw(watchdog=60_000_001) == ("WATCHDOG", 60_000_001)
    assert flaw(low=0.5, high=0.5) == 0  # a range of one place
    kind = made("tb_axis", **(UNITY | {"kind": 2}))
    value = ctypes.c_double()
    which = LIB.tb_axis_flaw(ctypes.addressof(kind), 15, ctypes.addressof(value))
    assert (which, value.value) == (LIB.constant("TB_KIND"), 2.0)
    kind.kind = 1
    assert LIB.tb_axis_flaw(ctypes.addressof(kind), 15, ctypes.addressof(value)) == 0
