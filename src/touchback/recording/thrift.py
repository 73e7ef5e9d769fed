"""Thrift's compact protocol, as much of it as the metadata of a Parquet file needs.

A structure is a mapping from the numbers of its fields to their values. How a value is written
follows from its type here: `int` as a 32-bit number, `Long` as a 64-bit one, `str` as text, a list
of one of these as a list (an empty one of structures), a mapping as a structure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Long:
    """A number of 64 bits."""

    value: int


Value: TypeAlias = "int | Long | str | Sequence[Value] | Mapping[int, Value]"
Struct: TypeAlias = Mapping[int, Value]

_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_SHORT = 15  # lists of fewer, and steps between fields of at most so many, are told in one byte


def packed(struct: Struct) -> bytes:
    """The bytes of a structure."""
    found, last = bytearray(), 0
    for number, value in sorted(struct.items()):
        kind, step = _kind(value), number - last
        found += bytes([step << 4 | kind]) if step <= _SHORT else bytes([kind]) + _zigzag(number)
        found += _value(value)
        last = number
    return bytes(found) + b"\0"


def _kind(value: Value) -> int:
    match value:
        case int():
            return _I32
        case Long():
            return _I64
        case str():
            return _BINARY
        case Mapping():
            return _STRUCT
    return _LIST


def _value(value: Value) -> bytes:
    match value:
        case int():
            return _zigzag(value)
        case Long(number):
            return _zigzag(number)
        case str():
            text = value.encode()
            return _varint(len(text)) + text
        case Mapping():
            return packed(value)
    kind, count = _kind(value[0]) if value else _STRUCT, len(value)
    head = bytes([count << 4 | kind]) if count < _SHORT else bytes([0xF0 | kind]) + _varint(count)
    return head + b"".join(map(_value, value))


def _zigzag(number: int) -> bytes:
    """Small numbers of either sign in few bytes."""
    return _varint(2 * number if number >= 0 else -2 * number - 1)


def _varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
