"""Runs as MCAP: the description as metadata, and one table of time and signals, an instant a row.

Recordings of live runs are MCAP files too (live_recording.py) and open as runs.
"""

from io import BytesIO
from pathlib import Path

import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Header

from touchback.errors import InputError
from touchback.recording import live_recording
from touchback.recording.mcap_records import LARGEST_FILE, WRONG_CONTENT, DamagedFileError, records
from touchback.recording.mcap_tables import PROFILE, read_tables
from touchback.recording.mcap_writer import TableWriter
from touchback.recording.run_data import FORMAT, RunData, describe, understand
from touchback.safe_files import open_regular

_SIGNALS = "signals"
_MESSAGE = 1 << 20  # bytes of rows, about, so that readers needn't hold a long run at once


def write_run(run: RunData, path: Path, ros2: bool = False) -> None:
    """Writes the run's table; with `ros2` also what it says in messages of ROS 2."""
    columns = ["time", *run.names]
    table = np.column_stack([run.time, *run.signals.values()])
    height = max(1, _MESSAGE // (8 * len(columns)))
    about = describe(run)  # before a file is begun: it refuses what can't be saved
    with TableWriter(path, FORMAT, about) as writer:
        topic = writer.add_table(_SIGNALS, columns, {**run.units, "time": "s"})
        for start in range(0, max(1, len(run.time)), height):
            rows = table[start : start + height]
            writer.write_rows(topic, rows, time=0)
            writer.write_signals(topic, rows, time=0)
        if ros2:
            from touchback.recording.ros2.ros2_messages import write_messages

            write_messages(writer, run)


def is_ours(path: Path) -> bool:
    """Whether no other program says that it wrote it: a damaged one of ours isn't another's."""
    with open_regular(path, LARGEST_FILE) as stream:
        try:
            opcode, content = next(records(stream, path.name))
            header = Header.read(ReadDataStream(BytesIO(content)))
        except (DamagedFileError, StopIteration, *WRONG_CONTENT):
            return True
    return opcode != Opcode.HEADER or PROFILE in (header.profile, *header.library.split())


def read_run(path: Path) -> RunData:
    found = read_tables(path)
    if live_recording.KIND in found.abouts:
        recording = live_recording.recording_of(found, path.name)
        repro_call = f"tb.replay({str(path)!r})"
        complete = recording.complete and not recording.lost
        return recording.run_data({"complete": complete, "repro_call": repro_call})
    if FORMAT not in found.abouts:
        raise InputError(
            f"{path.name} is not a run saved by Touchback, nor a recording of a live run, or is "
            "cut short before its description."
        )
    if not found.complete:
        raise InputError(
            f"{path.name} is cut short or damaged: save the run again, or copy the whole file."
        )
    about = understand(found.abouts[FORMAT], path.name)
    if _SIGNALS not in found.tables:
        raise InputError(f"{path.name} is damaged: it lacks the table '{_SIGNALS}'.")
    table = found.tables[_SIGNALS]
    if table.columns != ["time", *about.names]:
        raise InputError(
            f"{path.name} is damaged: it describes {1 + len(about.names)} columns, its table has "
            f"{len(table.columns)}, or others."
        )
    rows = table.rows(path.name)
    return RunData(rows[:, 0], dict(zip(about.names, rows.T[1:])), about.units, about.metadata)
