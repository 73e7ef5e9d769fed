"""The driver of a key on a serial line: angle in, torque out."""

import contextlib
import math
import time

from touchback.devices.serial_line.line import Line
from touchback.devices.serial_line.messages import Ask, Command, Hello, Sample
from touchback.errors import DeviceError

_ASK_AGAIN = 0.1  # [s]
_LARGEST = 32767
_SMALLEST = 1e-150  # of a scale: what is divided by it stays a number


class SerialKey:
    """A key at the other end of a line: a device to `connect` to a live run.

    `read` takes all whole blocks that have come in and gives the freshest angle (Gallo 2012,
    section 4.5); `write` sends a torque. `simulated` says whether there is a key at all. A key has
    `patience` seconds to say who it is."""

    def __init__(self, path: str, baud: int = 921600, patience: float = 2.0) -> None:
        self._line = Line(path, baud)
        self._hello = self._who_is_there(patience)
        self._check_scales()
        self._number, self._last = 0, -1
        self.samples, self.lost = 0, 0

    def _who_is_there(self, patience: float) -> Hello:
        until = time.monotonic() + patience
        while time.monotonic() < until:
            self._line.send(Ask())
            again = time.monotonic() + _ASK_AGAIN
            while time.monotonic() < again:
                for message in self._line.received():
                    if isinstance(message, Hello):
                        return message
                time.sleep(1e-3)
        self._line.close()
        raise DeviceError(
            f"Serial line {self._line.path!r}: nobody answered within {patience:g} s. Does the "
            "key's firmware run, with version 1 of the protocol and this speed?"
        )

    def _check_scales(self) -> None:
        """Angles are counts divided by one scale, commands torques divided by the other."""
        for what, scale, unit in (
            ("counts per radian", self._hello.counts_per_radian, ""),
            ("torque per unit", self._hello.torque_per_unit, " N m"),
        ):
            if not math.isfinite(scale) or abs(scale) < _SMALLEST:
                self._line.close()
                raise DeviceError(
                    f"Serial line {self._line.path!r}: the key {self._hello.name!r} says that its "
                    f"{what} is {scale:g}{unit}; its firmware must give a number that isn't zero."
                )

    @property
    def name(self) -> str:
        """What the key calls itself."""
        return self._hello.name

    @property
    def simulated(self) -> bool:
        """Whether the key says that it is a simulation."""
        return self._hello.simulated

    @property
    def damaged(self) -> int:
        """Blocks that came in damaged."""
        return self._line.damaged

    def read(self) -> float | None:
        """The freshest angle [rad], or None when nothing is new."""
        newest = None
        for message in self._line.received():
            if isinstance(message, Sample):
                if self._last >= 0:
                    self.lost += (message.number - self._last - 1) & 0xFFFF
                self._last = message.number
                self.samples += 1
                newest = message
        return None if newest is None else newest.counts / self._hello.counts_per_radian

    def write(self, torque: float) -> None:
        """Command a torque [N m]; it is clipped at what 16 bits hold."""
        units = round(torque / self._hello.torque_per_unit)
        self._number += 1
        self._line.send(Command(self._number, max(-_LARGEST, min(_LARGEST, units))))

    def close(self) -> None:
        """Let the motor go and close the line, also one that is gone."""
        with contextlib.suppress(DeviceError):
            self.write(0.0)
        self._line.close()
