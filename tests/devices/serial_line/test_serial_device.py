"""The driver and its thread, against a device's end in this process and a key in another one."""

import contextlib
import os
import random
import threading
import time

import numpy as np
import pytest

import touchback as tb
from far_ends import AXIS, FarDevice
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput
from touchback.devices.serial_line.simulated_serial_device import TRAVEL, lever
from touchback.errors import DeviceError, InputError
from touchback.estimate import SmoothDifferentiator, add_filter
from touchback.haptics.displays import ImpedanceControl
from touchback.native.wire.serial_device_end import FarEnd
from waiting import PATIENCE, until, until_it_stays
from wires import old_frame

STIFFNESS = 4.0  # [N m/rad]
SAFE = GuardedOutput(safe=0.0, low=-1.0, high=1.0, at_limit="clip")


def spring(name="spring"):
    """A force that grows with the position: -0.4 N m at the far device's 0.1 rad."""
    m = tb.Model(name)
    angle = m.input("angle", unit="rad")
    m.sensor("torque", tb.Signal(-STIFFNESS * angle, "N m"))
    m.sensor("seen", tb.Signal(angle, "rad"))
    return m.compile()


@pytest.fixture(scope="module")
def springs():
    return spring()


@contextlib.contextmanager
def met(path):
    """The device at the far end of a line, however busy the machine is."""
    with SerialDevice(path, patience=PATIENCE) as device:
        yield device


@contextlib.contextmanager
def held(system, path, *, max_age=PATIENCE):
    """A device, and a live run that holds its first axis by a spring."""
    with met(path) as device, tb.live(
        system, rate=1000, inputs={"angle": WatchedInput(max_age=max_age)},
        outputs={"torque": SAFE}, record=True,
    ) as live:  # fmt: skip
        live.connect("angle", device)
        live.connect("torque", device)
        yield device, live


def servo():
    """A spring and a damper from the key's angle to its motor's torque, sampled at each tick."""
    m = tb.Model("servo")
    angle = m.input("key angle", unit="rad")
    speed = add_filter(m, "speed", SmoothDifferentiator(2e-3, 8), angle)
    torque = ImpedanceControl(STIFFNESS, damping=0.1).add(m, "torque", angle, speed)
    m.sensor("motor torque", tb.Signal(torque, "N m"))
    return m.compile()


def test_a_device_says_who_it_is(far) -> None:
    with met(far.path) as device:
        assert (device.name, device.simulated, device.sessions) == ("far key", True, 1)
        (axis,) = device.axes
        assert (axis.name, axis.linear, axis.position_unit) == ("key", False, 1e-4)
        assert axis.force == pytest.approx(2.0)
        assert device.period == pytest.approx(1e-3) and device.watchdog == pytest.approx(0.02)
        until(lambda: device.latest().time > 0.0)
        reading = device.latest()
        assert reading.axes[0]["position"] == pytest.approx(0.1, abs=1e-4)
        assert "homed" in reading.words and "simulated" in reading.words


def test_a_live_run_feels_the_device_and_its_force_arrives(far, springs) -> None:
    with held(springs, far.path) as (device, live):
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        far.positions[0] = 0.2
        until(lambda: far.forces[0] == pytest.approx(-0.8, abs=1e-3))
        assert live.faults == ()
        live.stop()
        until(lambda: far.forces[0] == 0.0)  # the last word of a run is the safe value
        assert device.counts["lost"] == 0
        assert live.report().ports["angle"]["messages"] > 1


def test_positions_are_dated_by_the_device_s_own_clock(far) -> None:
    far.clock_offset, far.clock_rate = 12_345.678, 1.0 + 2e-4  # a poor crystal
    with met(far.path) as device:
        until(lambda: device.clock.exchanges >= 2 and 0.0 < device.clock.round_trip < 0.02)
        ages: list[float] = []

        def fresh() -> bool:
            """Of the last fifty looks, most; while others have the machine they may not be."""
            reading = device.latest()
            ages.append(time.monotonic() - reading.time)
            return len(ages) >= 50 and bool(np.median(ages[-50:]) < 0.02)

        until(fresh)
        assert min(ages) >= 0.0


def test_a_reset_is_noticed_and_the_force_comes_back_by_itself(far, springs) -> None:
    with held(springs, far.path) as (device, live):
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        far.reset()
        until(lambda: device.sessions == 2)
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        live.stop()
    texts = [fault["text"] for fault in live.report().faults]
    assert any("is back, in session 2" in text for text in texts)
    assert live.recorded().metadata["faults"] == live.report().faults


def test_a_device_that_comes_back_without_what_an_input_takes_is_refused(far) -> None:
    """A velocity that isn't sent would be read as zero."""
    with met(far.path) as device:
        far._make = lambda session: FarEnd("bare key", [AXIS], session=session, features=0)
        far.reset()
        until(lambda: any("what it measures, aren't those known" in text for text in device.news()))
        assert device.sessions == 1 and not device.connected


def test_what_is_closed_says_so_and_several_may_close_it_at_once(far) -> None:
    device = SerialDevice(far.path)
    closing = [threading.Thread(target=device.close) for _ in range(8)]
    for thread in closing:
        thread.start()
    for thread in closing:
        thread.join()
    for ask in (device.latest, device.device_counts, device.clear):
        with pytest.raises(DeviceError, match="SerialDevice is closed; open it anew"):
            ask()
    SerialDevice(far.path).close()  # the line is free


def test_silence_makes_the_force_safe_and_is_told_and_recorded(far, springs) -> None:
    with held(springs, far.path, max_age=0.03) as (device, live):
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        far.silent = True
        until(lambda: live.faults == ("stale input",))
        assert live.read("torque") == 0.0
        until(lambda: far.forces[0] == 0.0)  # what still arrives there is the safe value
        until(lambda: not device.connected)
        far.silent = False
        until(lambda: live.faults == ())
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        live.stop()
    texts = [fault["text"] for fault in live.recorded().metadata["faults"]]
    assert any("no sample for" in text and "asked again" in text for text in texts)


def test_a_line_that_is_gone_is_opened_again_when_it_is_back(far, springs, tmp_path) -> None:
    link = tmp_path / "key"
    link.symlink_to(far.path)
    with held(springs, str(link), max_age=0.1) as (device, live):
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        link.unlink()
        far.close()  # unplugged
        until(lambda: live.faults == ("stale input",))
        until(lambda: not device.connected)
        link.write_text("")  # plugged in, as what it isn't
        until(lambda: any("isn't back yet: " in fault["text"] for fault in live.report().faults))
        link.unlink()
        with contextlib.closing(FarDevice(session=9)) as again:
            link.symlink_to(again.path)  # plugged in, as another file
            until(lambda: again.forces[0] == pytest.approx(-0.4, abs=1e-3))
            until(lambda: live.faults == ())
            live.stop()
    texts = " ".join(fault["text"] for fault in live.report().faults)
    assert "the line is gone" in texts and "is back, in session 9" in texts


def test_garbage_between_frames_is_counted_and_never_used(far, springs) -> None:
    draw = random.Random(2)
    with held(springs, far.path) as (device, live):
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))

        def damaged() -> int:
            far.garbage = draw.randbytes(draw.randrange(1, 60)) + b"\0"
            return device.counts["damaged"]

        until(lambda: damaged() > 50)
        live.stop()
    seen = live.recorded()["seen"]
    used = {round(float(value), 9) for value in seen}
    assert used <= {0.0, 0.1}  # before the first sample, and then what was sent


def test_values_beyond_an_input_s_range_are_not_used_and_told(far, springs) -> None:
    bounds = {"angle": WatchedInput(max_age=0.05, low=0.0, high=0.3)}
    with met(far.path) as device:
        with tb.live(springs, inputs=bounds, outputs={"torque": SAFE}, record=True) as live:
            live.connect("angle", device)
            until(lambda: live.read("seen") == pytest.approx(0.1))
            far.positions[0] = 0.4
            until(lambda: live.faults == ("stale input",))
            assert live.read("seen") == pytest.approx(0.1)
        (fault,) = live.recorded().metadata["faults"]
    assert fault["text"].startswith("Input 'angle': 0.4 of 'far key'")
    assert "outside its range [0.0, 0.3]" in fault["text"]


def test_before_homing_positions_are_not_used(far, springs) -> None:
    far.status = 0
    with held(springs, far.path) as (device, live):
        until(lambda: device.counts["unhomed"] > 50)
        assert live.read("seen") == 0.0
        far.status = 4
        until(lambda: live.read("seen") == pytest.approx(0.1))
        live.stop()


def test_a_fault_of_the_device_is_told_and_can_be_cleared(far, springs) -> None:
    with held(springs, far.path) as (device, live):
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        far.positions[0] = 1.6  # beyond its own limit
        until(lambda: any("reports a fault" in f["text"] for f in live.report().faults))
        assert far.forces[0] == 0.0
        far.positions[0] = 0.1
        device.clear()
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        live.stop()
    texts = " ".join(fault["text"] for fault in live.report().faults)
    assert "a position or velocity beyond its limit" in texts


def test_another_structure_of_the_run_keeps_its_device(far, springs) -> None:
    m = tb.Model("stiffer")
    angle = m.input("angle", unit="rad")
    m.sensor("first", tb.Signal(angle, "rad"))
    m.sensor("torque", tb.Signal(-2.0 * STIFFNESS * angle, "N m"))
    with held(springs, far.path) as (_, live):
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        live.swap(m)
        until(lambda: far.forces[0] == pytest.approx(-0.8, abs=1e-3))
        live.stop()


def test_an_output_is_served_on_where_an_input_of_the_device_goes(springs, far) -> None:
    m = tb.Model("held")
    push = m.input("push", unit="N m")
    m.sensor("seen", tb.Signal(push, "N m"))
    m.sensor("torque", tb.Signal(0.1 + push, "N m"))
    with met(far.path) as device, tb.live(springs, rate=1000, outputs={"torque": SAFE}) as live:
        live.connect("angle", device)
        live.connect("torque", device)
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))
        live.swap(m)
        until(lambda: far.forces[0] == pytest.approx(0.1, abs=1e-3))
        live.swap(springs)
        until(lambda: far.forces[0] == pytest.approx(-0.4, abs=1e-3))


def test_six_axes_are_six_ports_of_each_kind() -> None:
    positions = [0.01 * (k + 1) for k in range(6)]
    m = tb.Model("six springs")
    for k in range(6):
        m.sensor(f"torque {k}", tb.Signal(-(k + 1.0) * m.input(f"angle {k}"), "N m"))
    with contextlib.closing(FarDevice(axes=[AXIS] * 6)) as far, met(far.path) as device:
        far.positions = positions
        outputs = {f"torque {k}": SAFE for k in range(6)}
        with tb.live(m.compile(), outputs=outputs) as live:
            for k in range(6):
                live.connect(f"angle {k}", device.channel("position", k))
                live.connect(f"torque {k}", device.channel("force", k))
            wanted = pytest.approx([-0.01 * (k + 1) ** 2 for k in range(6)], abs=1.1e-3)
            until(lambda: far.forces == wanted)


def test_a_channel_has_a_gain_and_an_offset(far) -> None:
    m = tb.Model("metres")
    height = m.input("height", unit="m")
    m.sensor("force", tb.Signal(10.0 * height, "N"))
    m.sensor("seen", tb.Signal(height, "m"))
    with met(far.path) as device, tb.live(m.compile(), outputs={"force": SAFE}) as live:
        live.connect("height", device.channel("position", gain=0.25, offset=0.001))
        live.connect("force", device.channel("force", gain=-0.25))  # N at 0.25 m, as N m
        until(lambda: live.read("seen") == pytest.approx(0.026))
        until(lambda: far.forces[0] == pytest.approx(-0.065, abs=1.1e-3))
        with pytest.raises(InputError, match="can be the force of an axis, not its velocity"):
            live.connect("force", device.channel("velocity"))
        with pytest.raises(InputError, match="has 1 axes, counted from 0, and no axis 3"):
            device.channel("position", 3)


def test_what_the_device_counts_is_told(far) -> None:
    with met(far.path) as device:
        until(lambda: device.counts["commands"] > 3)
        counts = device.device_counts()
        assert counts["commands"] > 0 and counts["damaged"] == 0 and counts["longest"] == 0


def test_version_1_is_refused_with_a_word() -> None:
    far = FarDevice()
    far.silent = True  # says nothing but what version 1 said
    hello = old_frame(bytes([1, 1, 1]) + bytes(16) + b"key")

    def say():
        while not done:
            os.write(far.master, hello)
            time.sleep(5e-3)

    done = []
    thread = threading.Thread(target=say)
    thread.start()
    try:
        with pytest.raises(DeviceError, match="speaks version 1 of the protocol"):
            SerialDevice(far.path)
    finally:
        done.append(True)
        thread.join()
        far.close()


def test_nobody_at_the_other_end_is_said(ends) -> None:
    with pytest.raises(DeviceError, match=r"nobody answered within 0\.2 s"):
        SerialDevice(ends[0], patience=0.2)


def test_what_is_no_line_is_said(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match="no serial line"):
        SerialDevice(str(tmp_path / "file"))
    with pytest.raises(DeviceError, match="can't be opened"):
        SerialDevice(str(tmp_path / "nothing"))
    with pytest.raises(DeviceError, match="300 baud; give one of 115200"):
        SerialDevice(str(tmp_path / "file"), baud=300)


def test_a_live_run_holds_a_key_in_another_process_and_is_safe_when_it_is_lost(
    ends, start_key
) -> None:
    process = start_key()
    with met(ends[0]) as key, tb.live(
        servo(), rate=500, inputs={"key angle": WatchedInput(max_age=0.3)},
        outputs={"motor torque": SAFE},
    ) as live:  # fmt: skip
        assert key.simulated and key.name == "simulated key"
        until(lambda: key.latest().axes[0]["position"] > 0.9 * TRAVEL)  # the finger holds it down
        live.connect("key angle", key)
        live.connect("motor torque", key)
        # the spring of the servo carries the finger; friction of the motor holds 5 mN m
        until_it_stays(live, "motor torque", -0.2, 0.02)
        until(lambda: live.faults == ())
        process.kill()
        process.wait()
        until(lambda: live.faults == ("stale input",))
        assert live.read("motor torque") == 0.0
        start_key()  # and back again
        until(lambda: live.faults == ())
        until_it_stays(live, "motor torque", -0.2, 0.02)


def test_the_lever_falls_back_on_its_stop_and_the_motor_carries_the_finger() -> None:
    system = lever().compile()
    down = system.forward_dynamics([0.01], [0.0], u={"finger torque": 0.2})
    held_up = system.forward_dynamics([0.01], [0.0], u={"finger torque": 0.2, "motor torque": -0.2})
    assert down[0] > 0.0
    assert held_up[0] == pytest.approx(0.0, abs=1e-12)
