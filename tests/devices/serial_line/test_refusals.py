"""Lines and devices that can't be served, each refused with a word that names what is wrong."""

import math
import os
import resource
import subprocess
import sys
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

import touchback as tb
from far_ends import AXIS, FarDevice
from stranger import Device
from touchback.devices import SerialDevice
from touchback.devices.evdev import ForceWheel
from touchback.devices.midi import MidiPort
from touchback.devices.serial_line.axis_identification import identify
from touchback.devices.serial_line.simulated_serial_device import simulated_key
from touchback.errors import DeviceError, InputError
from waiting import PATIENCE, until

HOLDING = (  # what others do that want a line for themselves
    "import fcntl, os, sys\nfile = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)\n"
    "fcntl.flock(file, fcntl.LOCK_EX)\nprint('held', flush=True)\nsys.stdin.read()"
)


@pytest.fixture
def meet():
    """Opens a device whose far end is made from what is given, and closes both."""
    ends, devices = [], []

    def met(**options):
        ends.append(FarDevice(**options))
        devices.append(SerialDevice(ends[-1].path, patience=PATIENCE))
        return devices[-1]

    yield met
    for end in (*devices, *ends):
        end.close()


def test_a_line_that_is_open_here_is_refused_until_it_is_closed(meet, tmp_path) -> None:
    device = meet()
    other_name = tmp_path / "by-id"
    other_name.symlink_to(device.path)
    for path in (device.path, str(other_name)):
        with pytest.raises(DeviceError, match=r"is in use, by another program or here already"):
            SerialDevice(path)
    samples = device.counts["samples"]
    until(lambda: device.counts["samples"] > samples + 20)  # the first one is as well as before
    assert device.counts["lost"] == 0
    device.close()
    with SerialDevice(str(other_name), patience=PATIENCE) as again:
        assert again.name == "far key"


def test_a_line_of_another_program_is_refused_until_that_ends_however() -> None:
    far = FarDevice()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, far.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(DeviceError, match="is in use"):
            SerialDevice(far.path)
        holder.kill()
        holder.wait()
        with SerialDevice(far.path, patience=PATIENCE) as device:
            until(lambda: device.counts["samples"] > 20)
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()
        far.close()


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ({"force": math.nan}, "its axis 0 that the largest force is nan"),
        ({"force": -2.0}, "the largest force is -2; give it firmware that says a number of 0"),
        ({"velocity": math.inf}, "the highest velocity is inf"),
        ({"low": -math.inf}, "the lowest position is -inf"),
        ({"high": -1.0}, "the highest position is -1; .* a number not below the lowest"),
        ({"position_unit": math.inf}, "one count of position is inf; .* a number that isn't zero"),
        ({"current_unit": math.inf}, "one unit of current is inf"),
    ],
)
def test_an_axis_that_can_not_be_is_refused_by_name(meet, numbers, told) -> None:
    with pytest.raises(DeviceError, match=told):
        meet(axes=[replace(AXIS, **numbers)])


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({"axes": 9}, "its number of axes is 9; give it firmware that says 1 to 6"),
        ({"axes": 0}, "its number of axes is 0"),
        ({"period": 0}, "the time between its samples, in µs, is 0; .* 1 to 25000"),
        ({"period": 2**32 - 1}, "the time between its samples, in µs, is 4294967295"),
        ({"period": 25_001}, "is 25001"),
        ({"watchdog": 0}, "the watchdog's time, in µs, is 0; .* 1000 to 60000000"),
        ({"watchdog": 2**32 - 1}, "the watchdog's time, in µs, is 4294967295"),
        ({"features": 31}, "what its samples have, as features, is 31; .* what it is asked for"),
        ({"version": 3}, "chose version 3 of the protocol"),
    ],
)
def test_a_device_that_can_not_be_is_refused_by_what_it_says(claims, told) -> None:
    with closing(Device(**claims)) as device, pytest.raises(DeviceError, match=told):
        SerialDevice(device.path, patience=PATIENCE)


def test_a_device_that_does_not_describe_its_axis_is_not_called_silent() -> None:
    told = "says hello, but within 0.5 s nothing of its axis 0"
    with closing(Device(describes=False)) as device, pytest.raises(DeviceError, match=told):
        SerialDevice(device.path, patience=0.5)


def test_what_a_device_calls_itself_is_no_order_to_a_terminal() -> None:
    hostile = Device(name="\x1b[2Jkey\n")
    with closing(hostile), SerialDevice(hostile.path, patience=PATIENCE) as found:
        assert found.name == "\ufffd[2Jkey\ufffd"


@pytest.mark.parametrize("wrong", [math.nan, -1.0, 1e300, "soon", True])
@pytest.mark.parametrize("which", ["oldest", "patience", "rate", "watchdog", "cpu", "priority"])
def test_numbers_that_no_line_can_be_served_with_are_refused_by_name(which, wrong) -> None:
    told = DeviceError if (which, wrong) == ("patience", 1e300) else InputError  # a long one
    with pytest.raises(told, match=f"{which} is .*, got |no serial line"):
        SerialDevice("/dev/null", **{which: wrong})


@pytest.mark.parametrize("path", ["/dev/null\0x", "", None, b"/dev/null"])
@pytest.mark.parametrize("opened", [SerialDevice, ForceWheel, MidiPort, simulated_key])
def test_a_path_that_names_no_file_is_refused(opened, path) -> None:
    with pytest.raises(DeviceError, match="a path is a text without zero bytes, got "):
        opened(path)


@pytest.mark.parametrize("opened", [SerialDevice, ForceWheel, MidiPort, simulated_key])
def test_a_program_without_a_file_left_to_open_is_told_so(opened) -> None:
    path = "pty" if opened is simulated_key else "/dev/null"
    with no_files_left(), pytest.raises(DeviceError, match=r"Too many open .*ulimit -n") as told:
        opened(path)
    assert "plugged" not in str(told.value)


@contextmanager
def no_files_left():
    """As if all files were open that a program may have."""
    lowest = os.open("/dev/null", os.O_RDONLY)
    os.close(lowest)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_second_of_two_axes_is_judged_too(meet) -> None:
    with pytest.raises(DeviceError, match="its axis 1 that the largest force is inf"):
        meet(axes=[AXIS, replace(AXIS, force=math.inf)])


def test_what_samples_do_not_have_is_no_input_and_no_ground_for_constants(meet) -> None:
    """Features 1 and 2: velocity and force, but neither current nor voltage of the motor."""
    device = meet(features=3)
    assert device.fields == ("position", "velocity", "force")
    with pytest.raises(DeviceError, match="sends no current and no voltage, only position, velo"):
        identify(device)
    m = tb.Model("ampere")
    m.sensor("seen", tb.Signal(m.input("current")))
    live, told = tb.live(m.compile()), "sends no current, only position, velocity, force"
    with live, pytest.raises(DeviceError, match=told):
        live.connect("current", device.channel("current"))


def test_a_device_of_positions_alone_can_be_felt(meet) -> None:
    device = meet(features=0)
    assert device.fields == ("position",)
    m = tb.Model("place")
    m.sensor("seen", tb.Signal(m.input("angle")))
    with tb.live(m.compile()) as live:
        live.connect("angle", device)
        until(lambda: live.read("seen") == pytest.approx(0.1))
