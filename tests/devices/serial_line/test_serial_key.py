"""The driver against a simulated key in a second process, over a pseudo-terminal."""

import contextlib
import math
import os
import pty
import subprocess
import sys
import threading
import time
import tty

import pytest

import touchback as tb
from touchback.devices import GuardedOutput, WatchedInput
from touchback.devices.serial_line import Command, Hello, SerialKey
from touchback.devices.serial_line.line import Line
from touchback.devices.serial_line.simulated import TRAVEL, SimulatedKey, lever
from touchback.errors import DeviceError
from touchback.estimate import SmoothDifferentiator, sampled
from touchback.haptics.displays import ImpedanceControl


@pytest.fixture
def ends():
    """Paths of both ends of a line: two pseudo-terminals, joined by a third process."""
    pairs = [pty.openpty() for _ in range(2)]
    for pair in pairs:
        for end in pair:
            tty.setraw(end)
    masters = [str(pair[0]) for pair in pairs]
    joint = (
        "import os, select, sys\na, b = map(int, sys.argv[1:])\n"
        "while True:\n"
        "    for f in select.select([a, b], [], [])[0]:\n"
        "        os.write(b if f == a else a, os.read(f, 4096))\n"
    )
    wire = subprocess.Popen(
        [sys.executable, "-c", joint, *masters], pass_fds=[pair[0] for pair in pairs]
    )
    yield [os.ttyname(pair[1]) for pair in pairs]
    wire.kill()
    wire.wait()
    for pair in pairs:
        for end in pair:
            os.close(end)


@pytest.fixture
def start_key(ends):
    """Starts a simulated key, a process of its own, with a finger of 0.2 N m on it."""
    started = []

    def start():
        command = [sys.executable, "-m", "touchback.devices.serial_line", ends[1], "60", "0.2"]
        started.append(subprocess.Popen(command))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def far_key(ends, start_key):
    """The path of the near end of a line to a simulated key."""
    start_key()
    return ends[0]


def moves_to(key, target, torque=None):
    """Waits until the key is near the target, with a torque commanded all the while."""

    def near():
        angle = key.read()
        if torque is not None:
            key.write(torque)
        return angle is not None and abs(angle - target) < 0.05 * TRAVEL

    until(near)


def until(met, seconds=20.0):
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end
        time.sleep(2e-3)


def test_a_key_in_another_process_says_who_it_is_and_moves_under_finger_and_motor(far_key):
    key = SerialKey(far_key, patience=30.0)
    assert key.simulated
    assert key.name == "simulated key"
    moves_to(key, TRAVEL)  # the finger holds it down
    moves_to(key, 0.0, torque=-0.4)
    moves_to(key, TRAVEL)  # commands stay away: the motor lets go and the finger wins again
    until(lambda: key.read() and key.samples > 100)
    assert key.damaged == 0
    key.close()


STIFFNESS = 4.0  # [N m/rad]


def settles(read, value):
    """Waits until a value stays where it should be."""
    last = []

    def near():
        last.append(abs(read() - value) < 0.02)
        return len(last) > 100 and all(last[-100:])

    until(near)


def servo():
    """A spring and a damper from the key's angle to its motor's torque, sampled at each tick."""
    m = tb.Model("servo")
    angle = m.input("key angle", unit="rad")
    speed = sampled(m, "speed", SmoothDifferentiator(2e-3, 8), angle)
    torque = ImpedanceControl(STIFFNESS, damping=0.1).add(m, "torque", angle, speed)
    m.sensor("motor torque", tb.Signal(torque, "N m"))
    return m.compile()


def test_a_live_run_holds_a_key_in_another_process_and_is_safe_when_it_is_lost(ends, start_key):
    near, far = ends
    process = start_key()
    key = SerialKey(near, patience=30.0)
    with tb.live(
        servo(), rate=500, inputs={"key angle": WatchedInput(max_age=0.3)},
        outputs={"motor torque": GuardedOutput(safe=0.0, low=-1.0, high=1.0, at_limit="clip")},
    ) as live:  # fmt: skip
        live.connect("key angle", key)
        live.connect("motor torque", key)
        # the spring of the servo carries the finger; friction of the motor holds 5 mN m
        settles(lambda: live.read("motor torque"), -0.2)
        assert live.faults == ()
        process.kill()
        process.wait()
        until(lambda: live.faults == ("stale input",))
        assert live.read("motor torque") == 0.0
        line, heard = Line(far), []  # at the far end, where the motor was
        until(lambda: heard.extend(line.received()) or len(heard) > 100)
        assert [command.torque for command in heard[-20:]] == [0] * 20
        line.close()
        start_key()  # and back again
        until(lambda: live.faults == ())
        settles(lambda: live.read("motor torque"), -0.2)
    key.close()


@contextlib.contextmanager
def answering(line, hello):
    """A key that says nothing but who it is."""
    known = threading.Event()

    def answer():
        while not known.is_set():
            line.received()
            line.send(hello)
            time.sleep(1e-3)

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        known.set()
        thread.join()


@pytest.mark.parametrize("scale", [0.0, math.nan, -math.inf, 5e-324])
@pytest.mark.parametrize("which", ["counts per radian", "torque per unit"])
def test_scales_that_nothing_can_be_divided_by_are_refused(ends, scale, which):
    scales = (scale, 1e-3) if which == "counts per radian" else (1.0, scale)
    line = Line(ends[1])
    with (
        answering(line, Hello(True, *scales, "key")),
        pytest.raises(DeviceError, match=f"the key 'key' says that its {which} is"),
    ):
        SerialKey(ends[0], patience=30.0)
    line.close()


def test_torques_are_sent_in_the_key_s_units_and_within_16_bits(ends):
    line = Line(ends[1])
    with answering(line, Hello(True, 1.0, 1e-3, "key")):
        key = SerialKey(ends[0], patience=30.0)
    torques = []

    def heard_all():  # a question of the driver may still be on the line
        torques.extend(one.torque for one in line.received() if isinstance(one, Command))
        return len(torques) >= 4

    for torque in (0.25, -1.5, 99.0, -99.0):
        key.write(torque)
    until(heard_all)
    assert torques == [250, -1500, 32767, -32767]
    line.close()
    key.close()


def test_nobody_at_the_other_end_is_said(ends):
    with pytest.raises(DeviceError, match=r"nobody answered within 0\.2 s"):
        SerialKey(ends[0], patience=0.2)


def test_what_is_no_line_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match="no serial line"):
        SerialKey(str(tmp_path / "file"))
    with pytest.raises(DeviceError, match="can't be opened"):
        SerialKey(str(tmp_path / "nothing"))


def test_lost_blocks_are_counted(ends):
    near, far = ends
    plant, known = SimulatedKey(far), threading.Event()

    def answer():
        while not known.is_set():
            plant.tick(0.0)
            time.sleep(1e-3)

    answering = threading.Thread(target=answer)
    answering.start()
    key = SerialKey(near, patience=30.0)
    known.set()
    answering.join()
    plant.tick(0.0)  # one at least is not taken together with the answer
    until = time.monotonic() + 20.0
    while key._last != plant._number and time.monotonic() < until:
        key.read()
        time.sleep(1e-3)
    plant._number += 3  # blocks that never arrive
    plant.tick(0.0)
    while key.lost == 0 and time.monotonic() < until:
        key.read()
        time.sleep(1e-3)
    assert key.lost == 3


def test_the_lever_falls_back_on_its_stop_and_the_motor_carries_the_finger():
    system = lever().compile()
    down = system.forward_dynamics([0.01], [0.0], u={"finger torque": 0.2})
    held = system.forward_dynamics([0.01], [0.0], u={"finger torque": 0.2, "motor torque": -0.2})
    assert down[0] > 0.0
    assert held[0] == pytest.approx(0.0, abs=1e-12)
