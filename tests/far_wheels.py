"""The far end of a wheel's socket, in this process: it reports what a test says, and keeps what a
driver asks of it."""

import contextlib
import socket
import struct
import threading
import time
from pathlib import Path

from touchback.devices.evdev.evdev_description import CODES
from touchback.devices.evdev.simulated_wheel import Effects
from touchback.native.shared_library import LIB

FEATURES = {"constant": 1, "gain": 2, "autocentre": 4}
EVENT = struct.Struct("<qqHHi")
RECORD = 64  # bytes


def report(values: dict[str, int], at: float | None = None) -> bytes:
    """A whole report; the time is now unless it is said."""
    now = time.monotonic() if at is None else at
    stamp = int(now), int(1e6 * (now % 1.0))
    events = [(3, CODES[name], value) for name, value in values.items()]
    return b"".join(EVENT.pack(*stamp, *each) for each in [*events, (0, 0, 0)])


class FarWheel:
    """Waits at a socket; `unplug` closes it, `plug` opens it anew."""

    def __init__(self, path: Path, name: str = "far wheel", features: int = 7) -> None:
        self.path, self.name, self.features = str(path), name, features
        self.axes = {"ABS_X": (0, 65535, 32768), "ABS_Z": (0, 255, 255), "ABS_RZ": (0, 255, 255)}
        self.plug()

    def plug(self) -> None:
        self.effects, self.asked = Effects(), list[tuple[int, int, int]]()
        self._bytes = b""
        self._near: socket.socket | None = None
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._door.bind(self.path)
        self._door.listen(1)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _about(self) -> bytes:
        about = LIB.struct("tb_evdev_about")()
        for place, letter in enumerate(self.name.encode()):
            about.name[place] = letter
        about.features, about.effects = self.features, 16
        for name, (least, most, value) in self.axes.items():
            axis = about.axes[CODES[name]]
            axis.least, axis.most, axis.value = least, most, value
            about.present |= 1 << CODES[name]
        return bytes(about)

    def _work(self) -> None:
        try:
            near, _ = self._door.accept()
            self._near = near  # before the driver knows that it is there
            near.sendall(self._about())
            while part := near.recv(4096):
                self._bytes += part
                while len(self._bytes) >= RECORD:
                    record, self._bytes = self._bytes[:RECORD], self._bytes[RECORD:]
                    self.asked.append(struct.unpack_from("<3I", record))
                    if self.effects.take(record, time.monotonic()):
                        self.send(report({name: value for name, (*_, value) in self.axes.items()}))
            self.gone = True
        except OSError:
            return

    gone = False  # whether the driver has left

    def send(self, data: bytes) -> None:
        assert self._near is not None
        self._near.sendall(data)

    def turn(self, **values: int) -> None:
        """Reports axes, and is there from now on."""
        for name, value in values.items():
            least, most, _ = self.axes[name]
            self.axes[name] = least, most, value
        self.send(report(values))

    @property
    def level(self) -> float:
        """Of the force that plays, from −1 to 1, to the left."""
        now = time.monotonic()
        plays = [each for each, end in dict(self.effects.ends).items() if end > now]
        return sum(self.effects.held.get(each, (0.0, 0.0))[0] for each in plays)

    def unplug(self) -> None:
        for end in (self._near, self._door):
            if end is not None:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)  # close alone waits for whoever reads
                end.close()
        Path(self.path).unlink(missing_ok=True)
