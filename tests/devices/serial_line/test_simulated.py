"""The simulated key as a program: on a line of its own, or with a word that says what is wrong."""

import contextlib
import itertools
import math
import os
import re
import threading
import time

import pytest

from touchback.devices import SerialDevice
from touchback.devices.serial_line.__main__ import main
from touchback.devices.serial_line.simulated_serial_device import PTY, simulated_key
from waiting import PATIENCE, until


def test_it_makes_a_line_of_its_own_that_drivers_open() -> None:
    key, done = simulated_key(PTY), threading.Event()

    def serve() -> None:
        while not done.wait(1e-3):
            key.tick(0.2)

    thread, opened = threading.Thread(target=serve), os.stat(key.path).st_ctime_ns
    thread.start()
    try:
        for _ in range(2):  # one driver after the other
            with SerialDevice(key.path, patience=PATIENCE) as device:
                assert device.simulated and device.name == "simulated key"
                until(lambda d=device: d.latest().axes and d.latest().axes[0]["position"] > 0.08)
    finally:
        done.set()
        thread.join()
        key.close()
    with contextlib.suppress(FileNotFoundError):  # it is gone, or its number another's by now
        assert os.stat(key.path).st_ctime_ns > opened


def test_what_a_line_brings_is_dated_after_it_was_read(monkeypatch) -> None:
    """Dated before, a command that came while the line was read would be older than itself."""
    key, order = simulated_key(PTY), []
    read, now = os.read, time.monotonic
    near = os.open(key.path, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(near, b"\0")
        monkeypatch.setattr(os, "read", lambda *line: order.append("read") or read(*line))
        monkeypatch.setattr(time, "monotonic", lambda: order.append("dated") or now())
        key.tick(0.0)
    finally:
        monkeypatch.undo()
        os.close(near)
        key.close()
    assert order[:2] == ["read", "dated"]


@pytest.mark.parametrize("lateness", [(1,), (7, 1, 1, 3), (40, 13)])
def test_it_moves_as_long_as_its_clock_goes_on_however_late_its_ticks_come(
    monkeypatch, lateness
) -> None:
    """The closed form of a lever with its rotor, 2e-3 and 24² · 2e-7 kg m², under a torque, the
    rotor's friction and a damper; steps of 50 µs leave half a per cent. A key that lost time, and
    dated its samples as if it hadn't, had its motor taken for a quarter stronger than it is."""
    clock, t = [0.0], 0.053
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    key = simulated_key(PTY)
    try:
        for late in itertools.cycle(lateness):
            clock[0] = min(clock[0] + 1e-3 * late, t + 1e-4)
            key.tick(0.05)
            if clock[0] > t:
                break
        turned = key._run.read("key")
    finally:
        key.close()
    inertia, damping, torque = 2e-3 + 24**2 * 2e-7, 0.01, 0.05 - 24 * 2e-4
    decay = damping / inertia
    free = torque / damping * (t - (1 - math.exp(-decay * t)) / decay)
    assert turned == pytest.approx(free, rel=5e-3)


def test_it_prints_where_its_line_is(capsys) -> None:
    assert main(["pty", "0.01"]) is None
    assert capsys.readouterr().out.startswith("/dev/")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["/dev/no-such-line"], "'/dev/no-such-line': No such file or directory. .* 'pty' makes"),
        (["pty", "long"], "error: long: give seconds, then forces, as numbers"),
        (["pty", "1", *"1234567"], "A stage has 2 to 6 axes, got 7"),
    ],
)
def test_wrong_use_is_said(words, told) -> None:
    assert (said := main(words)) is not None
    assert re.search(told, said)
