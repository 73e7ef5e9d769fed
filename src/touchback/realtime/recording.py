"""Recordings of live runs: MCAP files that can be read up to their last chunk at any moment.

Metadata "touchback live run" holds one JSON text: model, state to start from, settings, versions.
Topic "ticks" has messages of rows of little-endian doubles, a row a tick; its schema names the
columns. Topic "parameters" has a JSON object {version, values} for each change; a tick's column
"version" says which applied. Each drain of the ring is a chunk with its checksum, so that a file is
good up to its last chunk whenever its writer is killed.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
from mcap.exceptions import McapError
from mcap.records import Channel, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer

from touchback.errors import InputError
from touchback.native.live_structs import ROW_HEAD
from touchback.version import VERSION

NAME = "touchback live run"
FORMAT_VERSION = 1
TICKS, PARAMETERS = "ticks", "parameters"
_LARGEST_RECORD = 1 << 28  # bytes
ENCODING = "touchback.rows.f64le"
HEAD = (
    "tick", "time", "flags", "version", "offered", "substeps", "lateness", "step time", "input age",
)  # fmt: skip


class Recorder:
    """Appends to a recording; every `write` leaves a file that can be read."""

    def __init__(
        self, path: str | os.PathLike[str], about: dict[str, Any], columns: Sequence[str]
    ) -> None:
        self.path = Path(path)
        self._file = self.path.open("wb")
        self._writer = Writer(self._file, compression=CompressionType.NONE)
        self._writer.start(profile="touchback", library=f"touchback {VERSION}")
        text = json.dumps({"format": FORMAT_VERSION, **about}, ensure_ascii=False)
        self._writer.add_metadata(NAME, {"about": text})
        schema = self._writer.register_schema(
            "touchback.rows", "jsonschema", json.dumps(_schema(columns)).encode()
        )
        self._ticks = self._writer.register_channel(TICKS, ENCODING, schema)
        self._parameters = self._writer.register_channel(PARAMETERS, "json", 0)
        self._writer.flush()

    def write(self, rows: np.ndarray) -> None:
        """Rows of ticks."""
        if len(rows):
            when = int(1e9 * rows[0, 1])
            data = np.ascontiguousarray(rows, dtype="<f8").tobytes()
            self._writer.add_message(self._ticks, when, data, when)
            self._writer.flush()

    def write_parameters(self, number: int, values: dict[str, float]) -> None:
        """Parameters that a tick may name by their version."""
        data = json.dumps({"version": number, "values": values}, ensure_ascii=False).encode()
        self._writer.add_message(self._parameters, 0, data, 0)
        self._writer.flush()

    def close(self) -> None:
        """Finishes the file."""
        self._writer.finish()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _schema(columns: Sequence[str]) -> dict[str, Any]:
    return {
        "title": "rows of little-endian doubles, one row a tick",
        "type": "array",
        "columns": list(columns),
    }


@dataclass
class Recording:
    """What a file holds: the run's description, a row a tick, parameters by version."""

    about: dict[str, Any]
    columns: list[str]
    rows: np.ndarray
    parameters: dict[int, dict[str, float]] = field(default_factory=dict)
    complete: bool = True  # whether the file was finished

    def column(self, name: str) -> np.ndarray:
        """One column over all ticks."""
        return self.rows[:, self.columns.index(name)]

    @property
    def inputs(self) -> np.ndarray:
        """Inputs consumed, a row a tick."""
        return self.rows[:, ROW_HEAD : ROW_HEAD + len(self.about["input_names"])]

    @property
    def states(self) -> np.ndarray:
        """States after each tick."""
        start = ROW_HEAD + len(self.about["input_names"])
        return self.rows[:, start : start + len(self.about["state_names"])]


def _reader(stream: BinaryIO) -> StreamReader:
    return StreamReader(stream, validate_crcs=True, record_size_limit=_LARGEST_RECORD)


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """Reads a recording, also one whose writer was killed: up to the last whole chunk."""
    file = Path(path)
    if not file.exists():
        raise InputError(f"There is no file {str(path)!r}.")
    about: dict[str, Any] | None = None
    schema: dict[str, Any] = {}
    topics: dict[int, str] = {}
    blocks: list[bytes] = []
    parameters: dict[int, dict[str, float]] = {}
    complete = True
    with file.open("rb") as stream:
        try:
            for record in _reader(stream).records:
                if isinstance(record, Metadata) and record.name == NAME:
                    about = json.loads(record.metadata["about"])
                elif isinstance(record, Schema):
                    schema = json.loads(record.data)
                elif isinstance(record, Channel):
                    topics[record.id] = record.topic
                elif isinstance(record, Message):
                    if topics.get(record.channel_id) == TICKS:
                        blocks.append(record.data)
                    else:
                        change = json.loads(record.data)
                        parameters[change["version"]] = change["values"]
        except (McapError, struct.error, ValueError):  # cut or damaged: what came before is good
            complete = False
    if about is None or about.get("format") != FORMAT_VERSION or "columns" not in schema:
        raise InputError(f"{file.name} is not a recording of a live run by this Touchback.")
    columns = schema["columns"]
    rows = np.frombuffer(b"".join(blocks), dtype="<f8").reshape(-1, len(columns))
    return Recording(about, columns, rows, parameters, complete)
