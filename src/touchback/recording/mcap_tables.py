"""MCAP files (https://mcap.dev) of ours: tables of doubles and texts, by topic.

The header's profile is "touchback". One metadata record says by its name what the file is, and
describes it by a JSON text. A topic is a table, with messages of rows of little-endian doubles and
a schema that names the columns, or a row of JSON texts. What was written up to a `finish_chunk` is
a chunk with its checksum: a file is good up to its last chunk whenever its writer is killed, and
a finished one has a checksum of all. The writer keeps an index entry of each chunk (about 0.6 KiB)
in memory until it finishes the file.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from mcap.exceptions import McapError
from mcap.records import Channel, DataEnd, Header, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer

from touchback.errors import InputError
from touchback.version import VERSION

PROFILE = "touchback"
ROWS, TEXTS = "touchback.rows.f64le", "json"  # encodings of messages
_LARGEST_RECORD = 1 << 28  # bytes
_LATEST = 1.8e19  # ns, that a message's time can hold
# What reading a file that was cut or damaged runs into; lengths that are wrong ask for any memory.
_DAMAGE = (McapError, struct.error, ValueError, KeyError, MemoryError, OverflowError)


class TableWriter:
    """Appends to a file; every `finish_chunk` leaves one that can be read."""

    def __init__(self, path: str | os.PathLike[str], kind: str, about: str) -> None:
        self.path = Path(path)
        self._file = self.path.open("wb")
        self._writer = Writer(self._file, compression=CompressionType.NONE, enable_data_crcs=True)
        self._writer.start(profile=PROFILE, library=f"touchback {VERSION}")
        self._writer.add_metadata(kind, {"about": about})
        self._schemas: dict[tuple[str, ...], int] = {}  # tables with the same columns share one

    def add_table(self, topic: str, columns: Sequence[str]) -> int:
        """A topic of rows, by the number to write with."""
        key = tuple(columns)
        if key not in self._schemas:
            title = "rows of little-endian doubles"
            text = json.dumps({"title": title, "type": "array", "columns": key}).encode()
            self._schemas[key] = self._writer.register_schema("touchback.rows", "jsonschema", text)
        return self._writer.register_channel(topic, ROWS, self._schemas[key])

    def add_texts(self, topic: str) -> int:
        """A topic of JSON texts, by the number to write with."""
        return self._writer.register_channel(topic, TEXTS, 0)

    def write_rows(self, topic: int, rows: np.ndarray, time: int) -> None:
        """A message of rows, whose column of that number is the time [s]. A table of which none
        was written, not even of no rows, isn't in the file."""
        first = float(rows[0, time]) if len(rows) else 0.0
        when = int(min(1e9 * first, _LATEST)) if first > 0 else 0
        data = np.ascontiguousarray(rows, dtype="<f8").tobytes()
        self._writer.add_message(topic, when, data, when)

    def write_text(self, topic: int, content: dict[str, Any]) -> None:
        """A message of plain data."""
        data = json.dumps(content, ensure_ascii=False).encode()
        self._writer.add_message(topic, 0, data, 0)

    def finish_chunk(self) -> None:
        """What was written since the last call is in the file for good, as one chunk."""
        self._writer.flush()

    def close(self) -> None:
        """Finishes the file."""
        self._writer.finish()
        self._file.close()

    def abandon(self) -> None:
        """In a child process: what its copy of the buffer holds must not reach the file, which is
        the parent's."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._file.fileno(), inheritable=False)
        os.close(nowhere)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@dataclass
class Table:
    """The rows of a topic."""

    columns: list[str]
    blocks: list[bytes] = field(default_factory=list)

    @property
    def rows(self) -> np.ndarray:
        """All of them, a column each of `columns`."""
        data = np.frombuffer(b"".join(self.blocks), dtype="<f8")
        return data.reshape(-1, len(self.columns))


@dataclass
class Tables:
    """What a file holds: descriptions by their kind, tables and texts by topic."""

    abouts: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    texts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    complete: bool = False  # whether the file was finished and is undamaged


def read_tables(path: str | os.PathLike[str]) -> Tables:
    """Reads a file; when it is cut or damaged, up to the last whole chunk before that.

    A file that isn't MCAP at all gives nothing; one of another maker is refused.
    """
    file = Path(path)
    if not file.exists():
        raise InputError(f"There is no file {str(path)!r}.")
    reader = _Reader(file.name)
    with file.open("rb") as stream:
        records = StreamReader(stream, validate_crcs=True, record_size_limit=_LARGEST_RECORD)
        try:
            for record in records.records:
                if not reader.ended:
                    reader.take(record)
        except _DAMAGE:  # what came before is good
            return reader.found
    reader.found.complete = reader.ended
    return reader.found


class _Reader:
    """What the records of a file add up to."""

    def __init__(self, file: str) -> None:
        self.found = Tables()
        self.ended = False  # what follows the data repeats it
        self._file = file
        self._columns: dict[int, list[str]] = {}  # of schemas
        self._topics: dict[int, str] = {}

    def take(self, record: Any) -> None:
        if isinstance(record, Header) and record.profile != PROFILE:
            raise InputError(
                f"{self._file} is an MCAP file with profile {record.profile!r} by "
                f"{record.library!r}, not one by Touchback."
            )
        if isinstance(record, DataEnd):
            self.ended = True
        elif isinstance(record, Metadata):
            self.found.abouts[record.name] = record.metadata["about"]
        elif isinstance(record, Schema):
            self._columns[record.id] = json.loads(record.data)["columns"]
        elif isinstance(record, Channel):
            self._topics[record.id] = record.topic
            if record.message_encoding == ROWS:
                self.found.tables[record.topic] = Table(self._columns[record.schema_id])
            else:
                self.found.texts[record.topic] = []
        elif isinstance(record, Message):
            topic = self._topics[record.channel_id]
            if topic in self.found.tables:
                self.found.tables[topic].blocks.append(record.data)
            else:
                self.found.texts[topic].append(json.loads(record.data))
