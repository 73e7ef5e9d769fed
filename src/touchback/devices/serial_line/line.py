"""A serial line as a stream of messages, without waiting."""

import contextlib
import os
import termios
import tty

from touchback.devices.serial_line.frames import Unframer, frame
from touchback.devices.serial_line.messages import Message, unpacked
from touchback.errors import DeviceError

SPEEDS = {115200: termios.B115200, 921600: termios.B921600}


class Line:
    """One end of a serial line: raw bytes, no echo, `baud` where the line has a speed."""

    def __init__(self, path: str, baud: int = 921600) -> None:
        if baud not in SPEEDS:
            raise DeviceError(f"Serial line {path!r}: {baud} baud; give 115200 or 921600.")
        try:
            self._file = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            raise DeviceError(
                f"Serial line {path!r} can't be opened: {error.strerror}. Is the key plugged in, "
                "and may you use it (group 'dialout')?"
            ) from None
        try:
            tty.setraw(self._file)
            settings = termios.tcgetattr(self._file)
            settings[4] = settings[5] = SPEEDS[baud]
            termios.tcsetattr(self._file, termios.TCSANOW, settings)
        except termios.error:
            os.close(self._file)
            raise DeviceError(f"{path!r} is no serial line.") from None
        self.path = path
        self._unframer = Unframer()
        self.unknown = 0

    @property
    def damaged(self) -> int:
        """Frames whose checksum or stuffing was wrong."""
        return self._unframer.damaged

    def send(self, message: Message) -> None:
        """Write a message; a line that takes no bytes now loses it, as a wire would."""
        try:
            os.write(self._file, frame(message.packed()))
        except BlockingIOError:
            pass
        except OSError as error:
            raise DeviceError(f"Serial line {self.path!r} is gone: {error.strerror}.") from None

    def received(self) -> list[Message]:
        """All messages that have come in since the last call, oldest first."""
        found = []
        with contextlib.suppress(BlockingIOError):
            while part := self._read():
                for payload in self._unframer.feed(part):
                    message = unpacked(payload)
                    if message is None:
                        self.unknown += 1
                    else:
                        found.append(message)
        return found

    def _read(self) -> bytes:
        try:
            return os.read(self._file, 4096)
        except BlockingIOError:
            raise
        except OSError as error:
            raise DeviceError(f"Serial line {self.path!r} is gone: {error.strerror}.") from None

    def close(self) -> None:
        os.close(self._file)
