"""Saving and opening runs; the suffix of a path chooses the format."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from touchback.errors import InputError
from touchback.recording import csv_file, mcap_file, npz_file, parquet_file
from touchback.recording.measured.mdf import save_mdf
from touchback.recording.measured.measured_run import measured_file
from touchback.recording.run import Run
from touchback.regular_file import check_output, path_of, write_whole, written_whole


class _Format(NamedTuple):
    """Who writes and reads runs, and tells a file of ours from one of another program."""

    save: Callable[[Run, Path], None]
    load: Callable[[Path], Run]
    ours: Callable[[Path], bool] = lambda path: True


FORMATS: dict[str, _Format] = {
    ".csv": _Format(csv_file.save, csv_file.load, csv_file.is_ours),
    ".npz": _Format(npz_file.save, npz_file.load),
    ".mcap": _Format(mcap_file.save, mcap_file.load, mcap_file.is_ours),
    ".parquet": _Format(parquet_file.save, parquet_file.load, parquet_file.is_ours),
    ".mf4": _Format(save_mdf, measured_file, lambda path: False),
}
MEASURED = (".csv", ".txt", ".tsv", ".dat", ".log", ".mdf", ".mf3", ".mf4", ".mcap", ".parquet")
"""Endings of what other programs measured; what is in a file decides who reads it."""


def _format_of(path: Path) -> _Format:
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise InputError(
            f"{path.name}: runs are kept as {', '.join(FORMATS)}, not as {path.suffix!r}."
        ) from None


def save_run(
    run: Run, path: str | os.PathLike[str], *, ros2: bool = False, layout: bool = False
) -> None:
    """Writes a run so that `open_run` gives the same numbers bit for bit. In .mcap other tools find
    its signals as JSON, and with `ros2` also as messages of ROS 2: /joint_states, /tf, wrenches;
    `layout` writes "NAME.foxglove.json" beside, which lets Foxglove show it at once."""
    path = path_of(path)
    chosen = _format_of(path)
    check_output(path, label="Run")
    if (ros2 or layout) and path.suffix.lower() != ".mcap":
        raise InputError(f"{path.name}: ros2 and layout are for .mcap, which other tools play.")
    with written_whole(path) as beside:
        if ros2:
            mcap_file.save(run, beside, ros2=True)
        else:
            chosen.save(run, beside)
    if layout:
        from touchback.recording.foxglove import foxglove_layout

        write_whole(path.with_suffix(".foxglove.json"), foxglove_layout(run, ros2))


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
        if known is None or not known.ours(path):
            return measured_file(path)
    return _format_of(path).load(path)
