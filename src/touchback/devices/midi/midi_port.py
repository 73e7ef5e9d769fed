"""A MIDI port: any byte stream that the system offers as a file (/dev/snd/midiC1D0, a serial line,
a pipe, a pseudo-terminal)."""

import os
import stat
from collections.abc import Iterator

from touchback.devices.midi.midi_messages import Message, Parser, encode
from touchback.devices.threaded_driver import explain_open_failure, path_of
from touchback.errors import DeviceError


class MidiPort:
    """Sends messages to and takes those that have come in from one byte stream, without waiting."""

    def __init__(self, path: str, *, write: bool = True) -> None:
        path = path_of("MidiPort", path)
        try:
            flags = (os.O_RDWR if write else os.O_RDONLY) | os.O_NONBLOCK | os.O_NOCTTY
            self._file = os.open(path, flags)
        except OSError as error:
            mend = (
                "Raw ports are listed by `ls /dev/snd/midi*`; a virtual one comes with the kernel "
                "module snd-virmidi."
            )
            why = explain_open_failure(error.errno or 0, mend)
            raise DeviceError(f"MIDI port {path!r} can't be opened: {why}") from None
        if stat.S_ISREG(os.fstat(self._file).st_mode):
            os.close(self._file)
            raise DeviceError(
                f"{path!r} is an ordinary file, not a MIDI port; read .mid files with `read_midi`."
            )
        self.path = path
        self._parser = Parser()

    @property
    def lost(self) -> int:
        """Data bytes that came without a status byte."""
        return self._parser.lost

    def send(self, message: Message) -> None:
        """Write a message; a stream that takes nothing now is an error, never a silent loss."""
        data = encode(message)
        try:
            written = os.write(self._file, data)
        except OSError as error:
            raise DeviceError(
                f"MIDI port {self.path!r} takes no bytes: {error.strerror}."
            ) from None
        if written != len(data):
            raise DeviceError(f"MIDI port {self.path!r} took {written} of {len(data)} bytes.")

    def received(self) -> list[Message]:
        """Messages that have come in since the last call, oldest first."""
        return [message for part in self._waiting() for message in self._parser.feed(part)]

    def _waiting(self) -> Iterator[bytes]:
        try:
            while part := os.read(self._file, 4096):
                yield part
        except BlockingIOError:
            return
        except OSError as error:
            raise DeviceError(f"MIDI port {self.path!r} is gone: {error.strerror}.") from None

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> "MidiPort":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
