"""Tables of text that data loggers and spreadsheets write, as series: whatever stands between the
cells, with units beside the names or below them, decimal points or commas, comments, and holes. The
shape of a table is found first: what stands between its cells, where its numbers begin, how they
are written, and what its columns are called."""

from __future__ import annotations

import csv
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO, TypeVar

import numpy as np

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.recording.measured.measured_series import FileChannel, Series, nanoseconds, series_of
from touchback.safe_files import open_regular
from touchback.unit_spellings import unit_of

_COMMENTS = "#", "%", "//"


_DELIMITERS = "\t", ";", ",", " "  # of as many lines of numbers, the first


_MISSING = {"", "-", "--", "nan", "na", "n/a", "#n/a", "null", "none", "inf", "-inf", "+inf"}


_TRUTHS = {"true": 1.0, "on": 1.0, "false": 0.0, "off": 0.0}


TIMES = (
    re.compile(r"(time|timestamp|t|zeit|zeitstempel)([ _.].*)?$", re.IGNORECASE),
    re.compile(r"(date|datum)", re.IGNORECASE),
)


_BRACKETS = {"]": "[", ")": "("}  # speed [km/h], speed (km/h)


@dataclass(frozen=True)
class Shape:
    """What stands between cells, whether decimals have commas, names and units of the columns, and
    the line of the first numbers."""

    file: str
    delimiter: str
    comma: bool
    names: list[str]
    units: list[str]
    first: int

    def column(self, name: str) -> int:
        """Where a column is."""
        if self.names.count(name) > 1:
            raise InputError(
                f"{self.file} has {self.names.count(name)} columns '{name}'; give each its own "
                "name."
            )
        if name not in self.names:
            known = [each for each in self.names if each]
            raise unknown_name(f"column in {self.file}", name, known)
        return self.names.index(name)


def rows(lines: Iterable[str], delimiter: str, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Lines and their cells from a line on, without comments and empty lines."""
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    for cells in reader:
        if reader.line_num < first or not cells or cells[0].lstrip().startswith(_COMMENTS):
            continue
        stripped = [cell.strip() for cell in cells]
        if any(stripped):
            yield reader.line_num, stripped


def shape_of(lines: list[str], file: str) -> Shape:
    """The shape of a table that begins with such lines: the cells between which the most lines of
    numbers stand."""
    found = {delimiter: list(rows(lines, delimiter)) for delimiter in _DELIMITERS}
    numbers = {d: [row for row in each if _is_data(row[1])] for d, each in found.items()}
    delimiter = max(_DELIMITERS, key=lambda each: len(numbers[each]))
    data = numbers[delimiter]
    if not data:
        raise InputError(
            f"{file} is no table of numbers: give lines of two cells or more, with tabs, ';', "
            "',' or blanks between them."
        )
    width = Counter(len(cells) for _, cells in data).most_common(1)[0][0]
    data = [row for row in data if len(row[1]) == width]
    words = [sum(_is_word(cells[i]) for _, cells in data) for i in range(width)]
    first = next(  # a line of numbers above has a word where numbers are below
        line for line, cells in data
        if not any(2 * words[i] < len(data) and _is_word(cell) for i, cell in enumerate(cells))
    )  # fmt: skip
    wide = width, width - 1  # some end their lines of numbers with one more delimiter
    above = [c for line, c in found[delimiter] if line < first and len(c) in wide]
    if not above:  # as numpy.savetxt has it: the names are a comment
        bare = [line.lstrip().lstrip("#%/ ") for line in lines[: first - 1]]
        above = [cells for _, cells in rows(bare, delimiter) if len(cells) in wide]
    names, units = _labels(above, width)
    cells = [cell for _, row in data for cell in row if is_number(cell)]
    comma = any("," in cell for cell in cells)
    if comma and any("." in cell for cell in cells):
        raise InputError(
            f"{file} has numbers with points and with commas; write decimals in one way, and "
            "thousands without marks."
        )
    return Shape(file, delimiter, comma, names, units, first)


def _labels(above: list[list[str]], width: int) -> tuple[list[str], list[str]]:
    """Names and units of the columns, from the lines above the numbers: names are in the last one
    that has the most different words, units in the next that has such."""
    units = [_are_units(cells, before) for before, cells in zip([[], *above], above)]
    words = [0 if told else len({*cells} - {""}) for told, cells in zip(units, above)]
    place = max(range(len(above)), key=lambda i: (words[i], i), default=-1)
    cells = above[place] if above else [f"column {i + 1}" for i in range(width)]
    below = next((above[i] for i in range(place + 1, len(above)) if units[i]), [""] * width)
    both = [_label(name) for name in [*cells, ""][:width]]
    told = [cell.strip("[]()") for cell in [*below, ""][:width]]
    return [name for name, _ in both], [own or unit for own, (_, unit) in zip(told, both)]


def _label(cell: str) -> tuple[str, str]:
    """A name and the unit beside it: "a [anything]", "a (km/h)"; but "a (left)" and "a[0]" are
    names."""
    end = cell[-1:]
    start = cell.find(_BRACKETS[end], 1 + cell.rfind(end, 0, -1)) if end in _BRACKETS else -1
    unit = cell[start + 1 : -1]
    if start < 0 or (unit.isdigit() if end == "]" else unit and unit_of(unit) is None):
        return cell, ""
    return cell[:start].rstrip(), unit


def _are_units(cells: list[str], before: list[str]) -> bool:
    """Whether a line has units: known ones for the most part, or one of time below its name."""
    if any(TIMES[0].match(name) and is_time(cell) for name, cell in zip(before, cells)):
        return True
    said = [cell for cell in cells if cell]
    known = sum(unit_of(cell) is not None or cell[0] + cell[-1] in ("[]", "()") for cell in said)
    return 2 * known > len(said)


def is_time(cell: str) -> bool:
    """Whether a cell has a unit of time."""
    unit = unit_of(cell.strip("[]()"))
    return unit is not None and unit.si == "s"


def _is_data(cells: list[str]) -> bool:
    said = [cell for cell in cells if cell.lower() not in _MISSING]
    known = sum(not _is_word(cell) for cell in said)
    return len(cells) > 1 and (known > 1 or 0 < 2 * known >= len(said))


def _is_word(cell: str) -> bool:
    return not (is_number(cell) or cell.lower() in _MISSING or stamp(cell) is not None)


def is_number(cell: str) -> bool:
    """Whether a cell holds one, with a point or a comma."""
    try:
        float(cell.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def number(cell: str, comma: bool) -> float | None:
    """The number in a cell; NaN for a hole, None for what is neither."""
    try:
        return float(cell.replace(",", ".", 1) if comma else cell)
    except ValueError:
        word = cell.lower()
        return float("nan") if word in _MISSING else _TRUTHS.get(word)


def stamp(cell: str) -> datetime | None:
    """The moment that a date and time (ISO 8601) or a time of the day says, by UTC where it names
    no other."""
    for read in (datetime.fromisoformat, _of_day):
        try:
            found = read(cell)
        except ValueError:
            continue
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return None


def _of_day(cell: str) -> datetime:
    return datetime.combine(datetime(1970, 1, 1), time.fromisoformat(cell))


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
                f"{file}, line {cut}: fewer cells than columns ({len(shape.names)}); "
                "correct the line."
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
                    "number; choose another column, or correct the line."
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
        numbers = _all_read(label, cells, [number(cell, comma) for cell in cells])
        return nanoseconds(label, _second(label, said) * np.array(numbers, dtype=float))
    since = [each - _EPOCH for each in _all_read(label, cells, [stamp(cell) for cell in cells])]
    whole = [10**9 * (86_400 * d.days + d.seconds) + 1000 * d.microseconds for d in since]
    return np.array(whole, dtype=np.int64)


_Moment = TypeVar("_Moment", float, datetime)


def _all_read(label: str, cells: list[str], found: list[_Moment | None]) -> list[_Moment]:
    """What was found in cells, where that is something in each of them."""
    read = [each for each in found if each is not None]
    if len(read) < len(found):
        wrong = found.index(None)
        raise InputError(
            f"{label} has {cells[wrong]!r} at sample {wrong}; numbers are read, dates as ISO 8601 "
            "has them (2026-05-01T12:00:00.250), and times of the day."
        )
    return read


def _second(label: str, said: str) -> float:
    """Seconds of a unit of time."""
    unit = unit_of("s" if said.lower() in _UNIX else said)
    if unit is None or unit.si != "s":
        raise InputError(
            f"{label} is in {said!r}; s, ms, us, ns, min and h are known. Say its unit, or another "
            'column: time=FileChannel(…, unit="ms").'
        )
    return unit.factor
