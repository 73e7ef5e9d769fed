"""Recordings of live runs: MCAP files that can be read up to their last chunk at any moment.

Metadata "touchback live run" holds one JSON text: model, state to start from, settings, versions.
Topic "ticks" has messages of rows of little-endian doubles, a row a tick; its schema names the
columns. Topic "parameters" has a JSON object {version, values} for each change; a tick's column
"version" says which applied. When the run changed its structure, topic "structures" has the
description of the new one, and its ticks are in a topic "ticks 1", "ticks 2", … What was written in
a tenth of a second is a chunk with its checksum, so that a file is good up to its last chunk
whenever its writer is killed. The writer keeps an index entry of each chunk (about 0.6 KiB) in
memory until it finishes the file.
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
TICKS, PARAMETERS, STRUCTURES = "ticks", "parameters", "structures"
_LARGEST_RECORD = 1 << 28  # bytes
ENCODING = "touchback.rows.f64le"
HEAD = (
    "tick", "time", "flags", "version", "offered", "substeps", "lateness", "step time", "input age",
)  # fmt: skip


class Recorder:
    """Appends to a recording; every `finish_chunk` leaves a file that can be read."""

    def __init__(
        self, path: str | os.PathLike[str], about: dict[str, Any], columns: Sequence[str]
    ) -> None:
        self.path = Path(path)
        self._file = self.path.open("wb")
        self._writer = Writer(self._file, compression=CompressionType.NONE)
        self._writer.start(profile="touchback", library=f"touchback {VERSION}")
        text = json.dumps({"format": FORMAT_VERSION, **about}, ensure_ascii=False)
        self._writer.add_metadata(NAME, {"about": text})
        self._structures = 0
        self._schemas: dict[tuple[str, ...], int] = {}  # structures come back
        self._ticks = self._channel(TICKS, columns)
        self._parameters = self._writer.register_channel(PARAMETERS, "json", 0)
        self._writer.flush()

    def _channel(self, topic: str, columns: Sequence[str]) -> int:
        key = tuple(columns)
        if key not in self._schemas:
            text = json.dumps(_schema(columns)).encode()
            self._schemas[key] = self._writer.register_schema("touchback.rows", "jsonschema", text)
        return self._writer.register_channel(topic, ENCODING, self._schemas[key])

    def write_structure(self, about: dict[str, Any], columns: Sequence[str]) -> None:
        """Another structure, which the ticks that follow are of."""
        if not self._structures:
            self._descriptions = self._writer.register_channel(STRUCTURES, "json", 0)
        self._structures += 1
        self._ticks = self._channel(f"{TICKS} {self._structures}", columns)
        data = json.dumps(about, ensure_ascii=False).encode()
        self._writer.add_message(self._descriptions, 0, data, 0)

    def write(self, rows: np.ndarray) -> None:
        """Rows of ticks."""
        if len(rows):
            when = int(1e9 * rows[0, 1])
            data = np.ascontiguousarray(rows, dtype="<f8").tobytes()
            self._writer.add_message(self._ticks, when, data, when)

    def write_parameters(self, number: int, values: dict[str, float]) -> None:
        """Parameters that a tick may name by their version."""
        data = json.dumps({"version": number, "values": values}, ensure_ascii=False).encode()
        self._writer.add_message(self._parameters, 0, data, 0)

    def finish_chunk(self) -> None:
        """What was written since the last call is in the file for good, as one chunk."""
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
class Part:
    """The ticks of one structure: the description it started with, and a row a tick."""

    about: dict[str, Any]
    columns: list[str]
    rows: np.ndarray

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


@dataclass
class Recording:
    """What a file holds: the run's description, a row a tick, parameters by version; in parts when
    the structure changed, of which there is one otherwise."""

    parts: list[Part]
    parameters: dict[int, dict[str, float]] = field(default_factory=dict)
    complete: bool = True  # whether the file was finished

    @property
    def about(self) -> dict[str, Any]:
        """The description that the run started with."""
        return self.parts[0].about

    def column(self, name: str) -> np.ndarray:
        """One column over all ticks; NaN where a structure didn't have it."""
        return np.concatenate([
            part.column(name) if name in part.columns else np.full(len(part.rows), np.nan)
            for part in self.parts
        ])  # fmt: skip

    @property
    def rows(self) -> np.ndarray:
        """All ticks, when the structure stayed the same."""
        return self._only.rows

    @property
    def inputs(self) -> np.ndarray:
        """Inputs consumed, a row a tick, when the structure stayed the same."""
        return self._only.inputs

    @property
    def states(self) -> np.ndarray:
        """States after each tick, when the structure stayed the same."""
        return self._only.states

    @property
    def _only(self) -> Part:
        if len(self.parts) > 1:
            raise InputError(
                f"The run changed its structure {len(self.parts) - 1} times: use `parts`, or "
                "`column(name)` for what it had all the time."
            )
        return self.parts[0]


def _reader(stream: BinaryIO) -> StreamReader:
    return StreamReader(stream, validate_crcs=True, record_size_limit=_LARGEST_RECORD)


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """Reads a recording, also one whose writer was killed: up to the last whole chunk."""
    file = Path(path)
    if not file.exists():
        raise InputError(f"There is no file {str(path)!r}.")
    found = _Found()
    complete = True
    with file.open("rb") as stream:
        try:
            for record in _reader(stream).records:
                found.take(record)
        except (McapError, struct.error, ValueError):  # cut or damaged: what came before is good
            complete = False
    if not found.abouts or found.abouts[0].get("format") != FORMAT_VERSION or not found.columns:
        raise InputError(f"{file.name} is not a recording of a live run by this Touchback.")
    return Recording(found.parts(), found.parameters, complete)


class _Found:
    """What the records of a file add up to."""

    def __init__(self) -> None:
        self.abouts: list[dict[str, Any]] = []
        self.columns: list[list[str]] = []
        self.parameters: dict[int, dict[str, float]] = {}
        self._schemas: dict[int, list[str]] = {}
        self._topics: dict[int, str] = {}
        self._blocks: dict[str, list[bytes]] = {}

    def take(self, record: Any) -> None:
        if isinstance(record, Metadata) and record.name == NAME:
            self.abouts.append(json.loads(record.metadata["about"]))
        elif isinstance(record, Schema):
            self._schemas[record.id] = json.loads(record.data)["columns"]
        elif isinstance(record, Channel) and record.id not in self._topics:
            self._topics[record.id] = record.topic
            if record.topic.startswith(TICKS):
                self.columns.append(self._schemas[record.schema_id])
                self._blocks[record.topic] = []
        elif isinstance(record, Message):
            self._take_message(self._topics.get(record.channel_id, ""), record.data)

    def _take_message(self, topic: str, data: bytes) -> None:
        if topic in self._blocks:
            self._blocks[topic].append(data)
        elif topic == STRUCTURES:
            self.abouts.append(json.loads(data))
        elif topic == PARAMETERS:
            change = json.loads(data)
            self.parameters[change["version"]] = change["values"]

    def parts(self) -> list[Part]:
        return [
            Part(
                about, columns,
                np.frombuffer(b"".join(blocks), dtype="<f8").reshape(-1, len(columns)),
            )
            for about, columns, blocks in zip(self.abouts, self.columns, self._blocks.values())
        ]  # fmt: skip
