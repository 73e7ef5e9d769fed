"""Runs as Parquet, for pandas, Polars, DuckDB, Spark, MATLAB and others that read tables.

A column of doubles for the time and for each signal, plain and uncompressed, in groups of rows; the
description that our other files have stands in the file's metadata under "touchback". Other tables
may have columns of text too. The format is that of Apache Parquet (parquet-format 2.x,
thrift/parquet.thrift, Encodings.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np

from touchback.recording.measured.parquet_series import about_of, columns_of
from touchback.recording.run_data import RunData, describe, understand


# Thrift's compact protocol, as much of it as the metadata of a Parquet file needs.
#
# A structure is a mapping from the numbers of its fields to their values. How a value is written
# follows from its type here: `int` as a 32-bit number, `Long` as a 64-bit one, `str` as text, a
# list of one of these as a list (an empty one of structures), a mapping as a structure.
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
        kind, step = _thrift_kind(value), number - last
        found += bytes([step << 4 | kind]) if step <= _SHORT else bytes([kind]) + _zigzag(number)
        found += _value(value)
        last = number
    return bytes(found) + b"\0"


def _thrift_kind(value: Value) -> int:
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
    kind, count = _thrift_kind(value[0]) if value else _STRUCT, len(value)
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


_MAGIC = b"PAR1"
_ROWS = 1 << 20  # of a group, whose columns are a page each
_DOUBLE, _REQUIRED, _PLAIN, _RLE, _UNCOMPRESSED, _DATA_PAGE = 5, 0, 0, 3, 0, 0
_BYTES, _UTF8 = 6, 0


def write_run(run: RunData, path: Path) -> None:
    """Writes the table of a run."""
    write_table(path, "run", {_time_of(run): run.time, **run.signals}, describe(run))


def write_table(path: Path, name: str, columns: Mapping[str, np.ndarray], about: str) -> None:
    """Writes columns of as many numbers or texts each, with a description."""
    count = len(next(iter(columns.values())))
    with path.open("wb") as file:
        file.write(_MAGIC)
        starts = range(0, count, _ROWS)
        groups = [_group(file, columns, slice(start, start + _ROWS)) for start in starts]
        footer = packed(_metadata(name, columns, count, groups, about))
        file.write(footer + len(footer).to_bytes(4, "little") + _MAGIC)


def is_ours(path: Path) -> bool:
    """Whether its metadata hold our description."""
    return about_of(path) is not None


def read_run(path: Path) -> RunData:
    """Reads a run that was written so, by pyarrow."""
    about = understand(about_of(path) or "", path.name)
    time = "time" if "time" not in about.names else "time [s]"
    columns = columns_of(path, [time, *about.names])
    return RunData(columns.pop(time), columns, about.units, about.metadata)


def _time_of(run: RunData) -> str:
    return "time" if "time" not in run.signals else "time [s]"


def _metadata(
    name: str, columns: Mapping[str, np.ndarray], count: int, groups: list[Struct], about: str
) -> Struct:
    """What stands at the end of the file: FileMetaData."""
    fields = [_field(name, values) for name, values in columns.items()]
    return {
        1: 1,
        2: [{4: name, 5: len(fields)}, *fields],
        3: Long(count),
        4: groups,
        5: [{1: "touchback", 2: about}],
        6: "Touchback",
    }


def _field(name: str, values: np.ndarray) -> Struct:
    """What a column is: a SchemaElement."""
    kind = _kind(values)
    about: Struct = {1: kind, 3: _REQUIRED, 4: name}
    return about if kind == _DOUBLE else {**about, 6: _UTF8}


def _kind(values: np.ndarray) -> int:
    return _BYTES if values.dtype.kind in "OU" else _DOUBLE


def _plain(values: np.ndarray) -> bytes:
    """Doubles as they are; texts after their lengths."""
    if _kind(values) == _DOUBLE:
        return np.ascontiguousarray(values, dtype="<f8").tobytes()
    texts = [str(text).encode() for text in values]
    return b"".join(len(text).to_bytes(4, "little") + text for text in texts)


def _group(file: BinaryIO, columns: Mapping[str, np.ndarray], rows: slice) -> Struct:
    """Writes the columns of some rows; where they are: a RowGroup."""
    start = file.tell()
    chunks = [_chunk(file, name, values[rows]) for name, values in columns.items()]
    count = len(next(iter(columns.values()))[rows])
    return {1: chunks, 2: Long(file.tell() - start), 3: Long(count)}


def _chunk(file: BinaryIO, name: str, values: np.ndarray) -> Struct:
    """Writes one page of a column; where it is: a ColumnChunk."""
    content = _plain(values)
    place, size = file.tell(), len(content)
    page = {1: len(values), 2: _PLAIN, 3: _RLE, 4: _RLE}
    head = packed({1: _DATA_PAGE, 2: size, 3: size, 5: page})
    file.write(head)
    file.write(content)
    whole = Long(len(head) + size)
    about: Struct = {
        1: _kind(values), 2: [_PLAIN, _RLE], 3: [name], 4: _UNCOMPRESSED, 5: Long(len(values)),
        6: whole, 7: whole, 9: Long(place),
    }  # fmt: skip
    return {2: Long(place), 3: about}
