"""The Python face of daq/pipe_reader.h: calls that take what waits in a pipe."""

from __future__ import annotations

import ctypes
import errno
import os
from dataclasses import dataclass

import numpy as np

from touchback.errors import DeviceError, InputError
from touchback.native.shared_library import LIB, address_of

GROUP = LIB.constant("TB_DAQ_GROUP")


@dataclass(frozen=True)
class ReadRequest:
    """What one call takes: at least and at most so many bytes, in multiples of a group. It ends
    with nothing after `wait` seconds without a new byte (None: waits for ever), or after `timeout`
    in all (None: never)."""

    least: int
    most: int
    multiple: int
    wait: float | None
    timeout: float | None

    def __post_init__(self) -> None:
        whole = self.least % self.multiple == 0 and self.most % self.multiple == 0
        if not (0 <= self.least <= min(self.most, GROUP) and 0 < self.multiple <= GROUP and whole):
            raise InputError(
                f"A call takes at least {self.least}, at most {self.most} bytes, in multiples of "
                f"{self.multiple}; the first two are multiples, and none may wait for more than "
                f"{GROUP}."
            )

    def fill(self, struct: ctypes.Structure) -> None:
        """Into a tb_daq_want."""
        struct.least, struct.most, struct.multiple = self.least, self.most, self.multiple
        struct.wait = -1 if self.wait is None else round(1e9 * self.wait)
        struct.timeout = 0 if self.timeout is None else max(1, round(1e9 * self.timeout))


class Pipe:
    """The reading end of a pipe, whose file is somebody else's to close."""

    def __init__(self, file: int) -> None:
        os.set_blocking(file, False)
        self._pipe, self._want = LIB.struct("tb_daq_pipe")(), LIB.struct("tb_daq_want")()
        self._pipe.file, self._pipe.other = file, -1
        self._room = np.empty(0, dtype=np.uint8)

    def get(self, want: ReadRequest) -> bytes | None:
        """What one call takes, perhaps nothing; None when the other end is closed and no whole
        group is left."""
        want.fill(self._want)
        if len(self._room) < want.most:
            self._room = np.empty(want.most, dtype=np.uint8)
        count = -errno.EINTR
        while count == -errno.EINTR:  # a signal, which Python has seen to by now
            count = LIB.tb_daq_get(
                ctypes.addressof(self._pipe), ctypes.addressof(self._want), address_of(self._room)
            )
        if count == -errno.EPIPE:
            return None
        if count < 0:
            raise DeviceError(f"The board's pipe can't be read: {os.strerror(-count)}.")
        return self._room[:count].tobytes()
