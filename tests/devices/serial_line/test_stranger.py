"""The page about the wire is enough: ends that a stranger wrote from it talk to ours."""

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import stranger
import touchback as tb
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput
from touchback.native.wire.serial_device_end import AxisData, FarEnd
from waiting import PATIENCE, until
from wires import PAYLOAD, Unframer, frame

PAGE = Path(__file__).parents[3] / "docs" / "wire.md"
KEY = AxisData("key", 1e-4, 1e-3, 1e-3, force=2.0, velocity=50.0, low=-0.5, high=1.5)


@given(st.binary(min_size=1, max_size=PAYLOAD))
def test_frames_of_the_page_are_ours(payload: bytes) -> None:
    assert stranger.framed(payload) == frame(payload)
    assert stranger.unframed(frame(payload)[:-1]) == payload


@given(st.binary(min_size=1, max_size=140).map(lambda noise: noise.replace(b"\0", b"\1")))
def test_what_the_page_calls_damaged_is_damaged_here(noise: bytes) -> None:
    found = stranger.unframed(noise)
    assert Unframer().feed(noise + b"\0") == ([] if found is None else [found])


def examples() -> dict[str, tuple[bytes, bytes]]:
    rows = re.findall(r"^\| (\w+) \| `([0-9a-f ]+)` \| `([0-9a-f ]+)` \|", PAGE.read_text(), re.M)
    return {name: (bytes.fromhex(a), bytes.fromhex(b)) for name, a, b in rows}


def test_the_page_s_examples_are_what_both_ends_send() -> None:
    shown = examples()
    assert set(shown) == {"ask", "hello", "command", "sample"}
    for payload, framed in shown.values():
        assert framed == frame(payload) == stranger.framed(payload)
    far, heard = FarEnd("key", [KEY], session=7), Unframer()
    far.waiting()
    far.take(shown["ask"][1], 0)
    assert heard.feed(far.waiting()) == [shown["hello"][0]]
    far.take(shown["command"][1], 1000)
    far.tick(1250, [(0.0123, 0.05, 0.25, 1.5)])
    assert heard.feed(far.waiting()) == [shown["sample"][0]]


def test_a_stranger_s_device_is_felt_by_a_live_run() -> None:
    device = stranger.Device()
    m = tb.Model("push")
    m.sensor("force", tb.Signal(1.0 + 50.0 * m.input("place", unit="m"), "N"))
    m.sensor("seen", tb.Signal(m.signal("place")))
    guard = GuardedOutput(safe=0.0, low=-4.0, high=4.0, at_limit="clip")
    inputs = {"place": WatchedInput(max_age=1.0)}
    try:
        with SerialDevice(device.path, patience=PATIENCE) as here:
            assert (here.name, here.axes[0].name) == ("fremdes Gerät", "slide")
            assert here.axes[0].linear and here.axes[0].force == 5.0
            with tb.live(m.compile(), rate=200, inputs=inputs, outputs={"force": guard}) as live:
                live.connect("place", here.channel("position"))
                live.connect("force", here.channel("force"))
                # F = 1 + 50 x on a spring of 100 N/m: x = 0.02 m, to counts of 10 µm and 1 mN
                until(lambda: device.force == pytest.approx(2.0, abs=5e-3))
                until(lambda: live.read("seen") == pytest.approx(0.02, abs=5e-5))
            until(lambda: device.force == 0.0)  # the run is over
            assert here.counts["damaged"] == 0
    finally:
        device.close()


def test_a_stranger_s_driver_meets_our_device_asks_it_everything_and_moves_it() -> None:
    far, stream, now = FarEnd("key", [KEY], session=7), bytearray(), 0

    def told(*payloads: bytes) -> list[bytes]:
        for payload in payloads:
            far.take(stranger.framed(payload), now)
        stream.extend(far.waiting())
        return stranger.split(stream)

    (hello,) = told()  # unasked
    (hello,) = told(struct.pack("<BBBHII", stranger.ASK, 1, 9, 0xFFFF, 50_000, 2000))
    kind, version, session, axes, flags, features, period, watchdog, _ = struct.unpack_from(
        "<BBBBHHIIH", hello
    )
    assert (kind, version, session, axes, flags, hello[18:]) == (0x22, 2, 7, 1, 256, b"key")
    assert (features, period, watchdog) == (15, 2000, 20_000)  # no longer watchdog than its own
    (axis,) = told(bytes([stranger.DESCRIBE, 7, 0]))
    unit, *numbers = struct.unpack_from("<d8f", axis, 4)
    assert unit == 1e-4 and axis[44:] == b"key"
    assert numbers[4:] == pytest.approx([2.0, 50.0, -0.5, 1.5])
    told(struct.pack("<BBHBh", stranger.COMMAND, 7, 65_535, 1, -300))
    far.tick(now := 1000, [(0.0, 0.0, 0.0)])
    (force,) = far.tick(now := 2000, [(0.0123, -1.0, 0.0)])
    (sample,) = told()
    *_, echo, since, position, velocity, acting, _, _ = struct.unpack("<BBHIHHHiihhh", sample)
    assert (echo, since, position, velocity, acting) == (65_535, 2000, 123, -1000, -300)
    assert force == pytest.approx(-0.3)
    (counts,) = told(bytes([stranger.COUNT, 7]))
    assert struct.unpack("<BB7I", counts)[2:6] == (1, 1, 0, 0)
    (word,) = told(struct.pack("<BBBHII", stranger.ASK, 3, 4, 0, 0, 0))
    assert word == b"\x2aonly version 2 of the protocol is spoken here"
