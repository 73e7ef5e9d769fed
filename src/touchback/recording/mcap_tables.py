"""MCAP files (https://mcap.dev) of ours: tables of doubles and texts, by topic.

The header's profile is "touchback". One metadata record says by its name what the file is, and
describes it by a JSON text. A topic is a table, with messages of rows of little-endian doubles and
a schema that names the columns, or a row of JSON texts. Beside a table "ticks", topic "/ticks" has
its rows as JSON objects with a JSON schema, a message each: other tools read these (Foxglove, the
`mcap` command), we read the bits. What was written up to a `finish_chunk` is
a chunk with its checksum: a file is good up to its last chunk whenever its writer is killed, and
a finished one has a checksum of all. The writer keeps an index entry of each chunk (about 0.6 KiB)
in memory until it finishes the file.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Header, Metadata, Schema

from touchback.errors import NO_JSON, InputError
from touchback.recording.mcap_records import (
    LARGEST_FILE,
    LARGEST_KEPT,
    WRONG_CONTENT,
    DamagedFileError,
    records,
)
from touchback.safe_files import open_regular

PROFILE = "touchback"
ROWS, TEXTS = "touchback.rows.f64le", "json"  # encodings of messages
REPAIRED = "touchback repaired"  # the metadata of a file that repair_recording.py has finished
_CHANNEL, _MESSAGE_HEAD = struct.Struct("<H"), 22  # of a message's record


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
    damaged_at: int | None = None  # about which byte it is cut or damaged


def read_tables(path: str | os.PathLike[str]) -> Tables:
    """Reads a file; when it is cut or damaged, up to the last whole chunk before that.

    A file that isn't MCAP at all gives nothing; one of another maker is refused.
    """
    reader = _Reader(Tables(Path(path).name))
    with open_regular(path, LARGEST_FILE) as stream:
        try:
            for opcode, content in records(stream, reader.found.file):
                reader.take(opcode, content)
        except (DamagedFileError, *WRONG_CONTENT):  # what came before is good
            reader.found.damaged_at = stream.tell()
            return reader.found
    reader.found.complete = REPAIRED not in reader.found.abouts
    return reader.found


def read_header(stream: ReadDataStream, file: str) -> None:
    """Refuses files of other makers."""
    header = Header.read(stream)
    if header.profile != PROFILE:
        raise InputError(
            f"{file} is an MCAP file with profile {header.profile!r} by {header.library!r}, not "
            "one by Touchback."
        )


class _Reader:
    """What the records of a file add up to."""

    def __init__(self, found: Tables) -> None:
        self.found = found
        self._schemas: dict[int, bytes] = {}
        self._channels: dict[int, list[bytes] | None] = {}  # what takes a channel's messages
        self._kept = 0  # bytes of them
        self._take: dict[int, Callable[[ReadDataStream], None]] = {
            Opcode.HEADER: self._header, Opcode.METADATA: self._metadata,
            Opcode.SCHEMA: self._schema, Opcode.CHANNEL: self._channel,
        }  # fmt: skip

    def take(self, opcode: int, content: bytes) -> None:
        if opcode == Opcode.MESSAGE:
            (channel,) = _CHANNEL.unpack_from(content)
            messages = self._channels[channel]
            if messages is not None:
                self._keep(messages, content[_MESSAGE_HEAD:])
        elif opcode in self._take:
            self._take[opcode](ReadDataStream(BytesIO(content)))

    def _keep(self, messages: list[bytes], data: bytes) -> None:
        self._kept += len(data)
        if self._kept > LARGEST_KEPT:
            raise InputError(
                f"{self.found.file} holds more than {LARGEST_KEPT} bytes of rows and texts, the "
                "most that is read at once; cut out a part (`mcap filter`)."
            )
        messages.append(data)

    def _header(self, stream: ReadDataStream) -> None:
        read_header(stream, self.found.file)

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
        elif channel.schema_id:  # rows for other tools
            self._channels[channel.id] = None
        else:
            self._channels[channel.id] = self.found.texts.setdefault(channel.topic, [])

    def _columns(self, channel: Channel) -> list[str]:
        try:
            return msgspec.json.decode(self._schemas[channel.schema_id], type=_Columns).columns
        except (*NO_JSON, KeyError) as error:
            raise InputError(
                f"{self.found.file}: the schema of '{channel.topic}' names no columns ({error})."
            ) from None


class _Columns(msgspec.Struct):
    """What we write into the schema of a table."""

    columns: Annotated[list[str], msgspec.Meta(min_length=1)]
