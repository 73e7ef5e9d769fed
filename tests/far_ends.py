"""A device's end of a line in this process: on the master of a pseudo-terminal, in a thread."""

import contextlib
import os
import pty
import select
import tempfile
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from touchback.instruments.keyboard import perception_trial_key
from touchback.native.wire.serial_device_end import HOMED, AxisData, FarEnd
from waiting import PATIENCE

AXIS = AxisData("key", 1e-4, 1e-3, 1e-3, force=2.0, velocity=50.0, low=-0.5, high=1.5)


def ahead_of_others() -> None:
    """What is to be run in a device's process before it begins: a device doesn't wait for the
    programs of this machine, so one that is emulated should not either, where that is allowed."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -15)


class NamedLine:
    """A name of its own for a pseudo-terminal, until it is closed: numbers of closed ones are given
    out again, and who still looks for a line that is gone would meet somebody else's."""

    def __init__(self, end: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="line")
        link = Path(self._folder.name) / "line"
        link.symlink_to(os.ttyname(end))
        self.path = str(link)
        self.close = self._folder.cleanup


class FarDevice:
    """Ticks every millisecond; `positions` [rad] are what its axes measure, `forces` what acts."""

    def __init__(self, axes=(AXIS,), session=1, watchdog=20_000, **options):
        self.master, self.slave = pty.openpty()
        for end in (self.master, self.slave):
            tty.setraw(end)
        os.set_blocking(self.master, False)
        self._line = NamedLine(self.slave)
        self.path = self._line.path
        self._make = lambda s: FarEnd("far key", axes, session=s, watchdog=watchdog, **options)
        self.far, self.session = self._make(session), session
        self.positions, self.forces = [0.1] * len(axes), [0.0] * len(axes)
        self.status, self.silent, self.log = HOMED, False, []  # log: time and first force
        self.garbage, self.held_up, self._under_way = b"", 0.0, []  # [s] on the way to the driver
        self.clock_offset, self.clock_rate = 0.0, 1.0
        self.start, self._stop = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self):
        due = self.start
        while not self._stop.is_set():
            heard = b""
            with contextlib.suppress(OSError):
                if select.select([self.master], [], [], 0)[0]:
                    heard = os.read(self.master, 4096)
            now = time.monotonic()  # after that, or a command would come before it was sent
            micros = round(1e6 * (self.clock_offset + self.clock_rate * (now - self.start)))
            self.far.take(heard, micros)
            measured = [(position, 0.0, 0.0) for position in self.positions]
            self.forces = self.far.tick(micros, measured, self.status)
            self.log.append((now, self.forces[0]))
            self._under_way.append((now + self.held_up, self.garbage + self.far.waiting()))
            self.garbage, sent = b"", b""
            while self._under_way and self._under_way[0][0] <= now:
                sent += self._under_way.pop(0)[1]
            with contextlib.suppress(OSError):
                if sent and not self.silent:
                    os.write(self.master, sent)
            due = max(due + 1e-3, now - 0.01)
            self._stop.wait(max(0.0, due - time.monotonic()))

    def reset(self):
        """A reset of the device: another session, nothing remembered."""
        self.session += 1
        self.far = self._make(self.session)

    def close(self):
        if self._stop.is_set():  # the numbers of its files may be another's by now
            return
        self._stop.set()
        self._thread.join()
        self._line.close()
        for end in (self.master, self.slave):
            os.close(end)


@contextlib.contextmanager
def patient_line(max_age: float = PATIENCE) -> Iterator[FarDevice]:
    """A device for keys on which trials are felt; both ends wait for each other as long as a busy
    machine may ask for, as this one has no thread of its own but Python's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perception_trial_key, "MAX_AGE", max_age)
        with contextlib.closing(FarDevice(watchdog=round(1e6 * PATIENCE))) as far:
            yield far
