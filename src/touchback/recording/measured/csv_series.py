"""Tables of text that data loggers and spreadsheets write, as series: whatever stands between the
cells, with units beside the names or below them, decimal points or commas, comments, and holes."""

from __future__ import annotations

import csv
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np

from touchback.errors import InputError
from touchback.recording.measured.csv_shape import (
    TIMES,
    Shape,
    is_number,
    is_time,
    number,
    rows,
    shape_of,
    stamp,
)
from touchback.recording.measured.series import FileChannel, Series, nanoseconds, series_of
from touchback.regular_file import open_regular
from touchback.unit_spellings import unit_of

_LARGEST = 1 << 33  # bytes: only what is asked for is kept of them
_LOOKED_AT = 400  # lines by which the rest is judged
_SUFFIX = re.compile(r".*[ _.](s|sec|ms|us|µs|ns|min|h)$", re.IGNORECASE)  # time_ms
_CLOCK = re.compile(r"time|zeit|temps|stamp|sec|clock|epoch|unix|^x_value|^column 1$", re.I)
_UNIX = "unix time", "unix", "epoch"  # seconds since 1970
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_csv(path: Path, names: Sequence[str], time: FileChannel | None) -> dict[str, Series]:
    """Columns by their names, over the column of time: `time`, or the one that is called so, or the
    first if it may be one. Empty cells and words such as NaN are holes."""
    return _opened(path, names, time)[1]


def _encoding(binary: BinaryIO) -> str:
    """Spreadsheets mark their texts; loggers write degrees in one byte."""
    start = binary.read(1 << 16)
    binary.seek(0)
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end < len(start):  # not cut within a letter
            return "cp1252"
    return "utf-8-sig"


def channels_csv(path: Path) -> dict[str, str]:
    """Names and units of the columns beside the time."""
    with _text(path) as text:
        shape = shape_of(list(islice(text, _LOOKED_AT)), path.name)
    time, often = shape.names[_time_column(shape)], Counter(shape.names)
    every = zip(shape.names, shape.units, strict=True)
    return {name: unit for name, unit in every if often[name] == 1 and name != time}


def times_csv(path: Path) -> np.ndarray:
    """When its rows were measured [ns]."""
    return _opened(path, [], None)[0]


def _opened(
    path: Path, names: Sequence[str], time: FileChannel | None
) -> tuple[np.ndarray, dict[str, Series]]:
    with _text(path) as text:
        return _read(text, path.name, names, time)


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    """A file that is open as text; what is none in it is told in words."""
    with open_regular(path, _LARGEST) as binary:
        encoding = _encoding(binary)
        with TextIOWrapper(binary, encoding, newline="") as text:
            try:
                yield text
            except (UnicodeError, csv.Error) as error:
                raise InputError(f"{path.name} can't be read as a table: {error}.") from None


def _read(
    text: TextIO, file: str, names: Sequence[str], time: FileChannel | None
) -> tuple[np.ndarray, dict[str, Series]]:
    shape = shape_of(list(islice(text, _LOOKED_AT)), file)
    text.seek(0)
    places = [shape.column(name) for name in names]
    at = _time_column(shape) if time is None else shape.column(time.name)
    moments, columns, cut = list[str](), [array("d") for _ in places], 0
    for line, cells in rows(text, shape.delimiter, shape.first):
        if cut:
            raise InputError(
                f"{file}, line {cut}: fewer cells than columns ({len(shape.names)}); mend the line."
            )
        if len(cells) <= max([at, *places]):
            cut = line  # the last one may be: a logger lost its power
            continue
        moments.append(cells[at])
        for kept, place, name in zip(columns, places, names):
            found = number(cells[place], shape.comma)
            if found is None:
                raise InputError(
                    f"{file}, line {line}: column '{name}' has {cells[place]!r}, which is no "
                    "number; choose another column, or mend the line."
                )
            kept.append(found)
    if time is None and is_number(moments[0]) and not _may_be_time(shape, at):
        raise InputError(
            f"{file}: no column is called time; say which it is: time=\"…\". There are "
            + ", ".join(f"'{name}'" for name in shape.names[:12]) + "."
        )  # fmt: skip
    label, given = f"{file}: the time '{shape.names[at]}'", time and time.unit
    said = shape.units[at] if given is None else given
    times = _times(label, moments, shape.comma, said or _suffix(shape.names[at]))
    return times, {
        name: series_of(f"{file}: column '{name}'", times, np.array(kept), shape.units[place])
        for name, kept, place in zip(names, columns, places)
    }


def _time_column(shape: Shape) -> int:
    for pattern in TIMES:
        found = [i for i, name in enumerate(shape.names) if pattern.match(name)]
        if found:
            return found[0]
    return 0


def _may_be_time(shape: Shape, at: int) -> bool:
    """Whether name or unit speak of time: else a speed that grows would be taken for it."""
    name, unit = shape.names[at], shape.units[at]
    told = any(pattern.match(name) for pattern in (*TIMES, _SUFFIX)) or is_time(name)
    return bool(unit or told or _CLOCK.search(name))


def _suffix(name: str) -> str:
    """The unit that a name ends with; seconds where it is none."""
    found = _SUFFIX.match(name)
    return found[1].lower() if found else "s"


def _times(label: str, cells: list[str], comma: bool, said: str) -> np.ndarray:
    """Moments [ns] of cells with numbers of a unit, or with dates."""
    if is_number(cells[0]):
        numbers = [number(cell, comma) for cell in cells]
        wrong = numbers.index(None) if None in numbers else -1
        if wrong < 0:
            return nanoseconds(label, _second(label, said) * np.array(numbers, dtype=float))
    else:
        moments = [stamp(cell) for cell in cells]
        wrong = moments.index(None) if None in moments else -1
        if wrong < 0:
            since = [moment - _EPOCH for moment in moments if moment is not None]
            whole = [10**9 * (86_400 * d.days + d.seconds) + 1000 * d.microseconds for d in since]
            return np.array(whole, dtype=np.int64)
    raise InputError(
        f"{label} has {cells[wrong]!r} at sample {wrong}; numbers are read, dates as ISO 8601 has "
        "them (2026-05-01T12:00:00.250), and times of the day."
    )


def _second(label: str, said: str) -> float:
    """Seconds of a unit of time."""
    unit = unit_of("s" if said.lower() in _UNIX else said)
    if unit is None or unit.si != "s":
        raise InputError(
            f"{label} is in {said!r}; s, ms, us, ns, min and h are known. Say its unit, or another "
            'column: time=FileChannel(…, unit="ms").'
        )
    return unit.factor
