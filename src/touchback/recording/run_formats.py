"""Runs as files, saved and opened: CSV and NumPy archives here, MCAP, Parquet and MDF beside; the
suffix of a path chooses.

CSV has the description in a comment, a header, and numbers that read back exactly. A NumPy archive
has a row of arrays and the description; never any pickled object. A layout for Foxglove shows a
recording at once, in the form of files that Foxglove exports; Foxglove itself isn't part of our
tests.
"""

from __future__ import annotations

import csv
import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from touchback.errors import InputError
from touchback.model import flatten
from touchback.names import with_unit
from touchback.recording import mcap_run_file, parquet_run_file
from touchback.recording.live_recording import Recording
from touchback.recording.measured.mdf_series import write_mdf
from touchback.recording.measured.measured_run import measured_file
from touchback.recording.ros2.ros2_messages import JOINT_STATES, WORLD, scalar_coordinates
from touchback.recording.run import Run
from touchback.recording.run_data import FORMAT, RunData, describe, understand
from touchback.safe_files import (
    atomic_file,
    check_output,
    open_regular,
    opened_zip,
    path_of,
    write_atomically,
)

MEASURED = (".csv", ".txt", ".tsv", ".dat", ".log", ".mdf", ".mf3", ".mf4", ".mcap", ".parquet")
"""Endings of what other programs measured; what is in a file decides who reads it."""


def save_run(
    run: Run, path: str | os.PathLike[str], *, ros2: bool = False, layout: bool = False
) -> None:
    """Writes a run so that `open_run` gives the same numbers bit for bit. In .mcap other tools find
    its signals as JSON, and with `ros2` also as messages of ROS 2: /joint_states, /tf, wrenches;
    `layout` writes "NAME.foxglove.json" beside, which lets Foxglove show it at once."""
    run.save(path, ros2=ros2, layout=layout)


def save_mdf(run: Run, path: str | Path) -> None:
    """Saves a run's signals as an MDF4 file, with their units."""
    write_mdf(RunData(run.time, run.signals, run.units), path)


def open_run(path: str | os.PathLike[str]) -> Run:
    """Reads a run, or the recording of a live run (.mcap), whose ticks become a run's instants.

    A recording whose writer was killed opens up to its last whole chunk, with "complete" false in
    its metadata; any other file that is cut short is refused.

    What other programs measured opens as a run too: tables of text (.csv, .txt, …), MDF, MCAP with
    JSON, ROS 2 or protobuf messages, Parquet. A channel is read when it is asked for, in the file's
    unit, over seconds since the first instant of the channel with the most numbers (that is
    `metadata["began"]` [ns]); others have their newest number there, NaN where it is missing.
    """
    path = path_of(path)
    if path.suffix.lower() in MEASURED:
        known = FORMATS.get(path.suffix.lower())
        if known is None or not known.is_ours(path):
            return measured_file(path)
    read = format_of(path).read
    return measured_file(path) if read is None else _run_of(read(path))


def run_of_recording(recording: Recording, metadata: Mapping[str, object] | None = None) -> Run:
    """A recording's columns by name over the model's time, with its description and more
    metadata."""
    return _run_of(recording.run_data(metadata))


def _run_of(data: RunData) -> Run:
    return Run(data.time, data.signals, data.units, data.metadata)


_MOST = 6  # lines of a plot


_COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2")


def foxglove_layout(run: RunData, ros2: bool) -> str:
    """The text of the file: a plot of signals for each unit that there is, up to three; with
    messages of ROS 2 a view of the frames and a plot of the joints."""
    units: dict[str, list[str]] = {}
    for name, unit in run.units.items():
        units.setdefault(unit, []).append(name)
    panels: dict[str, Mapping[str, object]] = {}
    if ros2:
        panels["3D!frames"] = {
            "followTf": WORLD, "layers": {}, "topics": {},
            "scene": {"transforms": {"showLabel": True, "axisScale": 0.3}},
        }  # fmt: skip
        joints = [] if run.model is None else list(scalar_coordinates(flatten(run.model)))
        places = {name: f"{JOINT_STATES}.position[{i}]" for i, name in enumerate(joints[:_MOST])}
        panels["Plot!joints"] = _plot("joints", places)
    for number, (unit, names) in enumerate(list(units.items())[:3]):
        paths = {name: f"/signals.{json.dumps(name)}" for name in names[:_MOST]}
        panels[f"Plot!signals{number}"] = _plot(f"signals [{unit}]" if unit else "signals", paths)
    layout = {
        "configById": panels, "globalVariables": {}, "userNodes": {},
        "playbackConfig": {"speed": 1}, "layout": _side_by_side(list(panels), "row"),
    }  # fmt: skip
    return json.dumps(layout, indent=2)


def _plot(title: str, paths: Mapping[str, str]) -> dict[str, object]:
    """A panel with a line for each path of a message."""
    lines = [
        {"value": path, "label": name, "enabled": True, "timestampMethod": "receiveTime",
         "color": _COLOURS[i % len(_COLOURS)]}
        for i, (name, path) in enumerate(paths.items())
    ]  # fmt: skip
    return {
        "foxglovePanelTitle": title, "paths": lines, "xAxisVal": "timestamp",
        "showLegend": True, "isSynced": True,
    }  # fmt: skip


def _side_by_side(panels: list[str], direction: str) -> object:
    """Panels, each beside the rest."""
    if len(panels) == 1:
        return panels[0]
    other = "column" if direction == "row" else "row"
    rest = _side_by_side(panels[1:], other)
    share = 100.0 / len(panels) if direction == "column" else 50.0
    return {"direction": direction, "first": panels[0], "second": rest, "splitPercentage": share}


_LARGEST_CSV = 1 << 30  # bytes


_TIME = "time [s]"


_BEGINNING = 200  # bytes in which the description says what it is


_LARGEST_NPZ = 4 << 30  # bytes of a file


_LARGEST_UNPACKED = 1 << 28  # bytes of what is compressed in it; we don't compress


# What reading archives and headers of arrays that aren't whole, or not by NumPy, runs into.
_DAMAGE = (
    ValueError, KeyError, TypeError, SyntaxError, EOFError, OSError, RuntimeError, MemoryError,
    OverflowError, TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def write_csv(run: RunData, path: Path) -> None:
    columns = [run.time.tolist(), *(values.tolist() for values in run.signals.values())]
    labels = [with_unit(name, unit) for name, unit in run.units.items()]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {describe(run)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([_TIME, *labels])
        # repr is the shortest text that gives the same double again.
        writer.writerows([repr(value) for value in row] for row in zip(*columns))


def is_our_csv(path: Path) -> bool:
    """Whether it begins with our description: tables of other programs don't."""
    with open_regular(path, _LARGEST_CSV) as file:
        return file.read(1) == b"#" and FORMAT.encode() in file.read(_BEGINNING)


def read_csv(path: Path) -> RunData:
    with (
        open_regular(path, _LARGEST_CSV) as binary,
        TextIOWrapper(binary, "utf-8", newline="") as file,
    ):
        try:
            return _read_csv(file, path.name)
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path.name} is not a run saved by Touchback ({error}).") from None


def _read_csv(file: TextIO, name: str) -> RunData:
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
    return RunData(table[:, 0], dict(zip(about.names, table.T[1:])), about.units, about.metadata)


def write_npz(run: RunData, path: Path) -> None:
    about = np.frombuffer(describe(run).encode(), dtype=np.uint8)
    table = np.array(list(run.signals.values())).reshape(len(run.signals), len(run.time))
    with path.open("wb") as file:
        np.savez(file, about=about, time=run.time, signals=table)


def read_npz(path: Path) -> RunData:
    with open_regular(path, _LARGEST_NPZ) as stream:
        try:
            with opened_zip(stream, path.name, InputError) as archive:
                _check_sizes(archive, path.name)
                text = _array(archive, "about", "|u1").tobytes()
                time, table = _array(archive, "time", "<f8"), _array(archive, "signals", "<f8")
        except _DAMAGE as error:
            raise InputError(f"{path.name} is not a run saved by Touchback ({error}).") from None
    about = understand(text, path.name)
    if table.ndim != 2 or len(table) != len(about.names):
        raise InputError(
            f"{path.name} is damaged: it describes {len(about.names)} signals, its table has the "
            f"shape {table.shape}."
        )
    return RunData(time, dict(zip(about.names, table)), about.units, about.metadata)


def _check_sizes(archive: zipfile.ZipFile, name: str) -> None:
    """Refuses what unpacks to too much: zipfile unpacks no more than an entry says of itself."""
    packed = [each for each in archive.infolist() if each.compress_type != zipfile.ZIP_STORED]
    size = sum(each.file_size for each in packed)
    if size > _LARGEST_UNPACKED:
        raise InputError(
            f"{name}: its compressed arrays unpack to {size} bytes; at most {_LARGEST_UNPACKED} "
            "are unpacked. If it is genuine, write it again with numpy.savez."
        )
    for each in packed:
        if each.compress_type != zipfile.ZIP_DEFLATED:
            raise ValueError(f"{each.filename} is compressed in another way than NumPy's")


def _array(archive: zipfile.ZipFile, name: str, kind: str) -> NDArray[Any]:
    """An array of the archive, made of the bytes that are there and not by what its header asks
    for."""
    with archive.open(f"{name}.npy") as member:
        read_header = {
            (1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0,
        }[npy.read_magic(member)]  # fmt: skip
        shape, fortran_order, dtype = read_header(member)
        data = member.read()
    if dtype.str != kind or len(data) != dtype.itemsize * math.prod(shape):
        raise ValueError(f"'{name}' has {len(data)} bytes for a shape of {shape}, {dtype.str}")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran_order else "C")


class RunFormat(NamedTuple):
    """Who writes and reads runs, and tells a file of ours from one of another program. What has no
    reader is read as a measurement."""

    write: Callable[[RunData, Path], None]
    read: Callable[[Path], RunData] | None
    is_ours: Callable[[Path], bool] = lambda path: True


FORMATS: dict[str, RunFormat] = {
    ".csv": RunFormat(write_csv, read_csv, is_our_csv),
    ".npz": RunFormat(write_npz, read_npz),
    ".mcap": RunFormat(mcap_run_file.write_run, mcap_run_file.read_run, mcap_run_file.is_ours),
    ".parquet": RunFormat(
        parquet_run_file.write_run, parquet_run_file.read_run, parquet_run_file.is_ours
    ),
    ".mf4": RunFormat(write_mdf, None, lambda path: False),
}


def format_of(path: Path) -> RunFormat:
    """The format that a path's suffix names."""
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise InputError(
            f"{path.name}: runs are saved as {', '.join(FORMATS)}, not as {path.suffix!r}."
        ) from None


def write_run(
    run: RunData, path: str | os.PathLike[str], *, ros2: bool = False, layout: bool = False
) -> None:
    """Writes a run so that `open_run` gives the same numbers bit for bit. In .mcap other tools find
    its signals as JSON, and with `ros2` also as messages of ROS 2: /joint_states, /tf, wrenches;
    `layout` writes "NAME.foxglove.json" beside, which lets Foxglove show it at once."""
    path = path_of(path)
    chosen = format_of(path)
    check_output(path, label="Run")
    if (ros2 or layout) and path.suffix.lower() != ".mcap":
        raise InputError(f"{path.name}: ros2 and layout are for .mcap, which other tools play.")
    with atomic_file(path) as beside:
        if ros2:
            mcap_run_file.write_run(run, beside, ros2=True)
        else:
            chosen.write(run, beside)
    if layout:
        from touchback.recording.run_formats import foxglove_layout

        write_atomically(path.with_suffix(".foxglove.json"), foxglove_layout(run, ros2))
