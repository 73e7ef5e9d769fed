"""The driver against a simulated key in a second process, over a pseudo-terminal."""

import os
import pty
import subprocess
import sys
import threading
import time
import tty

import pytest

from touchback.devices.serial_line import SerialKey
from touchback.devices.serial_line.simulated import TRAVEL, SimulatedKey, lever
from touchback.errors import DeviceError


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
def far_key(ends):
    """A simulated key with a finger of 0.2 N m on it; the path of the near end."""
    near, far = ends
    command = [sys.executable, "-m", "touchback.devices.serial_line", far, "60", "0.2"]
    process = subprocess.Popen(command)
    yield near
    process.kill()
    process.wait()


def angle_after(key, seconds, torque=None):
    """The freshest angle after some time, with a torque commanded all the while."""
    angle, until = None, time.monotonic() + seconds
    while time.monotonic() < until or angle is None:
        new = key.read()
        angle = angle if new is None else new
        if torque is not None:
            key.write(torque)
        time.sleep(2e-3)
    return angle


def test_a_key_in_another_process_says_who_it_is_and_moves_under_finger_and_motor(far_key):
    key = SerialKey(far_key, patience=30.0)
    assert key.simulated
    assert key.name == "simulated key"
    assert angle_after(key, 0.5) == pytest.approx(TRAVEL, rel=0.05)  # the finger holds it down
    assert angle_after(key, 0.5, torque=-0.4) == pytest.approx(0.0, abs=0.05 * TRAVEL)
    time.sleep(0.4)  # commands stay away: the motor lets go and the finger wins again
    assert angle_after(key, 0.1) == pytest.approx(TRAVEL, rel=0.05)
    assert key.samples > 100
    assert key.damaged == 0
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
