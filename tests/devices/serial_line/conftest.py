"""Lines of pseudo-terminals, and simulated keys at their far ends."""

import contextlib
import os
import pty
import subprocess
import sys
import tty

import pytest

from far_ends import FarDevice, NamedLine, ahead_of_others


@pytest.fixture
def far():
    """A device's end of a line, in this process."""
    with contextlib.closing(FarDevice()) as device:
        yield device


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
        [sys.executable, "-c", joint, *masters],
        pass_fds=[pair[0] for pair in pairs],
        preexec_fn=ahead_of_others,
    )
    lines = [NamedLine(pair[1]) for pair in pairs]
    yield [line.path for line in lines]
    wire.kill()
    wire.wait()
    for line in lines:
        line.close()
    for pair in pairs:
        for end in pair:
            os.close(end)


@pytest.fixture
def start_key(ends):
    """Starts a simulated key, a process of its own, with a finger of 0.2 N m on it."""
    started = []

    def start():
        command = [sys.executable, "-m", "touchback.devices.serial_line", ends[1], "600", "0.2"]
        started.append(subprocess.Popen(command, preexec_fn=ahead_of_others))
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
