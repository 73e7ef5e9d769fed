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
POSE, PAIR = 7, 6  # numbers of a body, and of a spring or an arrow: a place first
_HEAD, _ORIGIN = struct.Struct("<BBHId"), struct.Struct("<3d")
HEAD = _HEAD.size
_CLOSE = 1024.0  # times its size: how far from the origin float32 still tells a mechanism's motion


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


def pose_frame(structure: int, bodies: int, time: float, numbers: np.ndarray, size: float) -> bytes:
    """A frame of poses (see `Poses.at`) of a mechanism of a `size` [m]: after the head an origin as
    three float64 [m], from which the places in the float32 numbers are."""
    places = _places(len(numbers), bodies)
    origin = origin_of(numbers[places].reshape(-1, 3)[1:bodies], size)
    near = np.array(numbers, dtype=float)
    near[places] = (near[places].reshape(-1, 3) - origin).ravel()
    head = _HEAD.pack(POSES, VERSION, structure & 0xFFFF, bodies, time) + _ORIGIN.pack(*origin)
    return head + near.astype("<f4").tobytes()


def origin_of(places: np.ndarray, size: float) -> np.ndarray:
    """From where float32 tells places (N, 3) of a mechanism of a size: the world's origin, or where
    that is too far away a point near them, the same one for a good while when they move."""
    known = places[np.isfinite(places).all(axis=1)]
    if not len(known):
        return np.zeros(3)
    low, high = known.min(axis=0), known.max(axis=0)
    reach = max(size, float((high - low).max()))
    middle = low + (high - low) / 2
    if not float(np.abs(middle).max()) > _CLOSE * reach > 0.0:
        return np.zeros(3)
    step = 0.25 * _CLOSE * 2.0 ** np.ceil(np.log2(reach))
    found: np.ndarray = np.round(middle / step) * step
    return found


def _places(count: int, bodies: int) -> np.ndarray:
    """Which of so many numbers of poses are places."""
    pairs = (count - POSE * bodies) // PAIR
    of_body, of_pair = np.arange(POSE) < 3, np.arange(PAIR) < 3
    return np.concatenate([np.tile(of_body, bodies), np.tile(of_pair, pairs)])


def unframed(data: bytes) -> tuple[int, int, int, float, np.ndarray]:
    """Type, structure, count, time and numbers of a frame; places of poses are from the world's
    origin."""
    kind, _, structure, count, time = _HEAD.unpack_from(data)
    if kind != POSES:
        return kind, structure, count, time, np.frombuffer(data, dtype="<f4", offset=HEAD)
    numbers = np.frombuffer(data, dtype="<f4", offset=HEAD + _ORIGIN.size).astype(float)
    places = _places(len(numbers), count)
    origin = np.array(_ORIGIN.unpack_from(data, HEAD))
    numbers[places] = (numbers[places].reshape(-1, 3) + origin).ravel()
    return kind, structure, count, time, numbers


def encode_message(kind: str, facts: Mapping[str, object]) -> bytes:
    """A text for a page: {"tell": kind, …facts}. What isn't a finite number becomes null, what is
    no text (a path that isn't UTF-8, in an error say) a question mark."""
    told = {"tell": kind, **facts}
    try:
        return _ENCODER.encode(told)
    except UnicodeEncodeError:
        return _ENCODER.encode(_legible(msgspec.to_builtins(told, enc_hook=_plain)))


def _legible(facts: object) -> object:
    """The same facts with texts that UTF-8 can hold."""
    if isinstance(facts, str):
        return facts.encode("utf-8", "replace").decode()
    if isinstance(facts, dict):
        return {_legible(key): _legible(value) for key, value in facts.items()}
    if isinstance(facts, list | tuple):
        return [_legible(each) for each in facts]
    return facts
