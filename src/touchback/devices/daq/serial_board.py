"""Blocks on a serial line."""

from __future__ import annotations

import os
import select

from touchback.devices.daq.layout import BlockLayout
from touchback.devices.daq.packets import PacketFeed, packets_of_stream, split_stream
from touchback.devices.opening import path_of, refused
from touchback.errors import DeviceError
from touchback.native.library import LIB
from touchback.numbers import whole_within


class SerialBoard(PacketFeed):
    """A board that sends blocks on a serial line, each a packet that is stuffed (`pack_block`,
    `stuff`), so that a reader who begins anywhere is in step at the next zero. Only listens."""

    def __init__(
        self, layout: BlockLayout, path: str, baud: int = 921_600, patience: float = 0.5
    ) -> None:
        whole_within("SerialBoard: its baud must be 1 to 100000000", baud, 1, 100_000_000)
        path = path_of("SerialBoard", path)
        self._file = int(LIB.tb_port_open(os.fsencode(path), baud))
        if self._file < 0:
            why = refused(-self._file, "Is the board plugged in, and may you read it?")
            raise DeviceError(f"Serial line {path!r} can't be opened at {baud} baud: {why}")
        self._kept, self._in_step = b"", False
        super().__init__(f"Serial line {path}", layout, patience)
        self.start()

    def take(self, seconds: float) -> bool:
        if not select.select([self._file], [], [], seconds)[0]:
            return True
        data = os.read(self._file, 1 << 16)
        if not data:
            raise DeviceError("the line was closed")
        parts, self._kept = split_stream(self._kept, data)
        if parts and not self._in_step:  # a line is met in the middle of a packet
            self._in_step, parts = True, parts[1:]
        for packet in packets_of_stream(parts):
            self.take_packet(packet)
        return True

    def shut(self) -> None:
        os.close(self._file)
