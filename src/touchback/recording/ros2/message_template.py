"""Messages of one type that differ by a stamp and numbers alone: bytes of many rows at once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from touchback.recording.ros2.ros2_types import encode, make

_SECONDS, _REST = 0x12345678, 0x3456789A  # of a stamp that is looked for
_NS = 1_000_000_000
_LATEST = 2**31 - 1  # s


class Pattern:
    """`message(stamp, numbers)` makes one; its bytes by rosbags show where stamp and numbers lie,
    and there those of rows are written."""

    def __init__(self, kind: str, message: Callable[[Any, np.ndarray], Any], count: int) -> None:
        stamp = make("builtin_interfaces/msg/Time", _SECONDS, _REST)
        marks = np.array([1.0 + i * 2.0**-40 for i in range(count)])
        data = encode(kind, message(stamp, marks))
        self._bytes = np.frombuffer(data, dtype=np.uint8)
        self._stamp = data.find(struct.pack("<iI", _SECONDS, _REST))  # −1: it has none
        self._places = [data.index(struct.pack("<d", mark)) for mark in marks]

    def filled(self, times: np.ndarray, numbers: np.ndarray) -> list[bytes]:
        """Messages of n times [s] with numbers (n, count)."""
        block = np.tile(self._bytes, (len(times), 1))
        if self._stamp >= 0:
            ns = np.rint(_NS * np.clip(times, 0.0, _LATEST)).astype(np.int64)
            stamps = np.stack([ns // _NS, ns % _NS], axis=1).astype("<u4")
            block[:, self._stamp : self._stamp + 8] = stamps.view(np.uint8)
        for place, column in zip(self._places, np.asarray(numbers, dtype="<f8").T, strict=True):
            block[:, place : place + 8] = np.ascontiguousarray(column)[:, None].view(np.uint8)
        return [row.tobytes() for row in block]
