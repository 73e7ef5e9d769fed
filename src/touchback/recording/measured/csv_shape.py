"""What a table of text looks like: what stands between its cells, where its numbers begin, how they
are written, and what its columns are called."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time

from touchback.errors import InputError
from touchback.names import unknown_name
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
