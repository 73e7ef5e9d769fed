"""Runs as CSV: a description in a comment, a header, and numbers that read back exactly."""

import csv
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import numpy as np

from touchback.errors import InputError
from touchback.recording.about import FORMAT, describe, understand
from touchback.recording.names import with_unit
from touchback.recording.run import Run
from touchback.regular_file import open_regular

_LARGEST = 1 << 30  # bytes
_TIME = "time [s]"
_BEGINNING = 200  # bytes in which the description says what it is


def save(run: Run, path: Path) -> None:
    columns = [run.time.tolist(), *(run[name].tolist() for name in run.names)]
    labels = [with_unit(name, unit) for name, unit in run.units.items()]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {describe(run)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_TIME, *labels])
        # repr is the shortest text that gives the same double again.
        writer.writerows([repr(value) for value in row] for row in zip(*columns))


def is_ours(path: Path) -> bool:
    """Whether it begins with our description: tables of other programs don't."""
    with open_regular(path, _LARGEST) as file:
        return file.read(1) == b"#" and FORMAT.encode() in file.read(_BEGINNING)


def load(path: Path) -> Run:
    with open_regular(path, _LARGEST) as binary, TextIOWrapper(binary, "utf-8", newline="") as file:
        try:
            return _read(file, path.name)
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path.name} is not a run saved by Touchback ({error}).") from None


def _read(file: TextIO, name: str) -> Run:
    first = file.readline()
    about = understand(first[1:], name)
    reader = csv.reader(file)
    header = next(reader, [])
    width = 1 + len(about.names)
    if len(header) != width:
        raise InputError(f"{name}: {width} columns expected, the header has {len(header)}.")
    rows = []
    for row in reader:
        try:
            rows.append(np.array([float(cell) for cell in row]))
        except ValueError as error:
            raise InputError(f"{name}, line {reader.line_num + 1}: {error}.") from None
        if len(row) != width:
            raise InputError(
                f"{name}, line {reader.line_num + 1}: {len(row)} cells where the header has "
                f"{width}."
            )
    table = np.array(rows, dtype=np.float64).reshape(len(rows), width)
    return Run(table[:, 0], dict(zip(about.names, table.T[1:])), about.units, about.metadata)
