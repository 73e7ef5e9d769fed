"""Saving and opening runs; the suffix of a path chooses the format."""

import os
from collections.abc import Mapping
from pathlib import Path

from touchback.recording.live_recording import Recording
from touchback.recording.measured.mdf_series import write_mdf
from touchback.recording.measured.measured_run import measured_file
from touchback.recording.run import Run
from touchback.recording.run_data import RunData
from touchback.recording.run_formats import FORMATS, format_of
from touchback.safe_files import path_of

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
