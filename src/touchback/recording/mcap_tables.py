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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self

import msgspec
import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Header, Metadata, Schema
from mcap.writer import CompressionType, Writer

from touchback.errors import InputError
from touchback.recording.mcap_records import LARGEST_FILE, WRONG_CONTENT, Damaged, records
from touchback.regular_file import open_regular
from touchback.version import VERSION

PROFILE = "touchback"
ROWS, TEXTS = "touchback.rows.f64le", "json"  # encodings of messages
_LATEST = 1.8e19  # ns, that a message's time can hold
_CHANNEL, _MESSAGE_HEAD = struct.Struct("<H"), 22  # of a message's record


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

    topic: str
    columns: list[str]
    blocks: list[bytes] = field(default_factory=list)

    def rows(self, file: str) -> np.ndarray:
        """All of them, a column each of `columns`; refused when a message isn't whole rows."""
        width = 8 * len(self.columns)
        for block in self.blocks:
            if len(block) % width:
                raise InputError(
                    f"{file}: a message of '{self.topic}' has {len(block)} bytes, which aren't "
                    f"rows of {len(self.columns)} columns of 8 bytes; columns are missing or cut."
                )
        return np.frombuffer(b"".join(self.blocks), dtype="<f8").reshape(-1, len(self.columns))


@dataclass
class Tables:
    """What a file holds: descriptions by their kind, tables and (JSON) texts by topic."""

    file: str
    abouts: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    texts: dict[str, list[bytes]] = field(default_factory=dict)
    complete: bool = False  # whether the file was finished and is undamaged


def read_tables(path: str | os.PathLike[str]) -> Tables:
    """Reads a file; when it is cut or damaged, up to the last whole chunk before that.

    A file that isn't MCAP at all gives nothing; one of another maker is refused.
    """
    reader = _Reader(Tables(Path(path).name))
    with open_regular(path, LARGEST_FILE) as stream:
        try:
            for opcode, content in records(stream, reader.found.file):
                reader.take(opcode, content)
        except (Damaged, *WRONG_CONTENT):  # what came before is good
            return reader.found
    reader.found.complete = True
    return reader.found


class _Reader:
    """What the records of a file add up to."""

    def __init__(self, found: Tables) -> None:
        self.found = found
        self._schemas: dict[int, bytes] = {}
        self._channels: dict[int, list[bytes]] = {}  # what takes a channel's messages
        self._take: dict[int, Callable[[ReadDataStream], None]] = {
            Opcode.HEADER: self._header, Opcode.METADATA: self._metadata,
            Opcode.SCHEMA: self._schema, Opcode.CHANNEL: self._channel,
        }  # fmt: skip

    def take(self, opcode: int, content: bytes) -> None:
        if opcode == Opcode.MESSAGE:
            (channel,) = _CHANNEL.unpack_from(content)
            self._channels[channel].append(content[_MESSAGE_HEAD:])
        elif opcode in self._take:
            self._take[opcode](ReadDataStream(BytesIO(content)))

    def _header(self, stream: ReadDataStream) -> None:
        header = Header.read(stream)
        if header.profile != PROFILE:
            raise InputError(
                f"{self.found.file} is an MCAP file with profile {header.profile!r} by "
                f"{header.library!r}, not one by Touchback."
            )

    def _metadata(self, stream: ReadDataStream) -> None:
        metadata = Metadata.read(stream)
        self.found.abouts[metadata.name] = metadata.metadata["about"]

    def _schema(self, stream: ReadDataStream) -> None:
        schema = Schema.read(stream)
        self._schemas[schema.id] = schema.data

    def _channel(self, stream: ReadDataStream) -> None:
        channel = Channel.read(stream)
        if channel.id in self._channels:  # other writers repeat it in every chunk
            return
        if channel.message_encoding == ROWS:
            columns = self._columns(channel)
            table = self.found.tables.setdefault(channel.topic, Table(channel.topic, columns))
            if table.columns != columns:
                raise InputError(
                    f"{self.found.file}: there are two tables '{channel.topic}', with columns "
                    f"{table.columns} and {columns}."
                )
            self._channels[channel.id] = table.blocks
        else:
            self._channels[channel.id] = self.found.texts.setdefault(channel.topic, [])

    def _columns(self, channel: Channel) -> list[str]:
        try:
            return msgspec.json.decode(self._schemas[channel.schema_id], type=_Columns).columns
        except (msgspec.MsgspecError, KeyError, RecursionError) as error:
            raise InputError(
                f"{self.found.file}: the schema of '{channel.topic}' names no columns ({error})."
            ) from None


class _Columns(msgspec.Struct):
    """What we write into the schema of a table."""

    columns: Annotated[list[str], msgspec.Meta(min_length=1)]
