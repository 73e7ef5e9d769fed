"""Runs as Parquet, for pandas, Polars, DuckDB, Spark, MATLAB and others that read tables.

A column of doubles for the time and for each signal, plain and uncompressed, in groups of rows; the
description that our other files have stands in the file's metadata under "touchback". The format
is that of Apache Parquet (parquet-format 2.x, thrift/parquet.thrift).
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from touchback.errors import InputError
from touchback.recording.about import describe
from touchback.recording.run import Run
from touchback.recording.thrift import Long, Struct, packed

_MAGIC = b"PAR1"
_ROWS = 1 << 20  # of a group, whose columns are a page each
_DOUBLE, _REQUIRED, _PLAIN, _RLE, _UNCOMPRESSED, _DATA_PAGE = 5, 0, 0, 3, 0, 0


def save(run: Run, path: Path) -> None:
    """Writes the table."""
    columns = {_time_of(run): run.time, **run.signals}
    with path.open("wb") as file:
        file.write(_MAGIC)
        starts = range(0, len(run), _ROWS)
        groups = [_group(file, columns, slice(start, start + _ROWS)) for start in starts]
        footer = packed(_about(run, columns, groups))
        file.write(footer + len(footer).to_bytes(4, "little") + _MAGIC)


def load(path: Path) -> Run:
    """Refuses: what other programs make of such files is theirs to read."""
    raise InputError(
        f"{path.name}: Parquet is written for other programs; open the run's .mcap, .csv or .npz."
    )


def _time_of(run: Run) -> str:
    return "time" if "time" not in run.signals else "time [s]"


def _about(run: Run, columns: dict[str, np.ndarray], groups: list[Struct]) -> Struct:
    """What stands at the end of the file: FileMetaData."""
    fields: list[Struct] = [{1: _DOUBLE, 3: _REQUIRED, 4: name} for name in columns]
    return {
        1: 1,
        2: [{4: "run", 5: len(fields)}, *fields],
        3: Long(len(run)),
        4: groups,
        5: [{1: "touchback", 2: describe(run)}],
        6: "Touchback",
    }


def _group(file: BinaryIO, columns: dict[str, np.ndarray], rows: slice) -> Struct:
    """Writes the columns of some rows; where they are: a RowGroup."""
    start = file.tell()
    chunks = [_chunk(file, name, values[rows]) for name, values in columns.items()]
    count = len(next(iter(columns.values()))[rows])
    return {1: chunks, 2: Long(file.tell() - start), 3: Long(count)}


def _chunk(file: BinaryIO, name: str, values: np.ndarray) -> Struct:
    """Writes one page of a column; where it is: a ColumnChunk."""
    place, size = file.tell(), 8 * len(values)
    page = {1: len(values), 2: _PLAIN, 3: _RLE, 4: _RLE}
    head = packed({1: _DATA_PAGE, 2: size, 3: size, 5: page})
    file.write(head)
    file.write(np.ascontiguousarray(values, dtype="<f8").tobytes())
    whole = Long(len(head) + size)
    about: Struct = {
        1: _DOUBLE, 2: [_PLAIN, _RLE], 3: [name], 4: _UNCOMPRESSED, 5: Long(len(values)),
        6: whole, 7: whole, 9: Long(place),
    }  # fmt: skip
    return {2: Long(place), 3: about}
