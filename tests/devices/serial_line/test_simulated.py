"""The simulated key as a program: on a line of its own, or with a word that says what is wrong."""

import os
import re
import threading
import time

import pytest

from touchback.devices import SerialDevice
from touchback.devices.serial_line.__main__ import main
from touchback.devices.serial_line.simulated import PTY, simulated_key
from waiting import PATIENCE, until


def test_it_makes_a_line_of_its_own_that_drivers_open() -> None:
    key, done = simulated_key(PTY), threading.Event()

    def serve() -> None:
        while not done.wait(1e-3):
            key.tick(0.2)

    thread = threading.Thread(target=serve)
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
    assert not os.path.exists(key.path)


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
