"""What goes over the wire to a page: binary frames, and JSON."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np

Content = bytes | memoryview | Path  # what is in a file
File = tuple[str, Content]  # its type, and what is in it

VERSION = 1
POSES, ROWS = 1, 2  # types of frames
_HEAD = struct.Struct("<BBHId")
HEAD = _HEAD.size


def _plain(number: object) -> object:
    """Numbers of NumPy, which strangers to it would ask for."""
    if isinstance(number, np.generic | np.ndarray):
        return number.tolist()
    raise TypeError(f"{type(number).__name__} can't be told to a page")


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)


def frame(kind: int, structure: int, count: int, time: float, numbers: np.ndarray) -> bytes:
    """A binary frame, little-endian: uint8 type, uint8 version, uint16 structure, uint32 count,
    float64 time [s], then float32 numbers."""
    head = _HEAD.pack(kind, VERSION, structure & 0xFFFF, count, time)
    return head + np.ascontiguousarray(numbers, dtype="<f4").tobytes()


def unframed(data: bytes) -> tuple[int, int, int, float, np.ndarray]:
    """Type, structure, count, time and numbers of a frame."""
    kind, _, structure, count, time = _HEAD.unpack_from(data)
    return kind, structure, count, time, np.frombuffer(data, dtype="<f4", offset=HEAD)


def told(kind: str, facts: Mapping[str, object]) -> bytes:
    """A text for a page: {"tell": kind, …facts}. What isn't a finite number becomes null."""
    return _ENCODER.encode({"tell": kind, **facts})
