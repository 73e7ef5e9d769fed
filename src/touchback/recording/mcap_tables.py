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

import json
import math
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Annotated, Self

import msgspec
import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Header, Metadata, Schema
from mcap.writer import CompressionType, Writer

from touchback.errors import NO_JSON, InputError
from touchback.recording.mcap_records import (
    LARGEST_FILE,
    LARGEST_KEPT,
    WRONG_CONTENT,
    Damaged,
    records,
)
from touchback.regular_file import open_regular
from touchback.version import VERSION

PROFILE = "touchback"
ROWS, TEXTS = "touchback.rows.f64le", "json"  # encodings of messages
REPAIRED = "touchback repaired"  # the metadata of a file that repair.py has finished
_ENCODER = msgspec.json.Encoder()
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
        self._schemas: dict[bytes, int] = {}  # tables with the same columns share them
        self._signals: dict[int, tuple[int, list[str]]] = {}  # of each table: topic and names
        self._latest = 0  # time of the last message [ns]

    def add_table(self, topic: str, columns: Sequence[str], units: Mapping[str, str]) -> int:
        """A topic of rows, by the number to write with."""
        names = list(columns)
        text = json.dumps({"title": "rows of little-endian doubles", "columns": names})
        rows = self._schema("touchback.rows", ROWS, text.encode())
        number: int = self._writer.register_channel(topic, ROWS, rows)
        signals = self._schema("touchback.signals", "jsonschema", _json_schema(names, units))
        readable = "/" + topic.replace(" ", "/")
        self._signals[number] = (self._writer.register_channel(readable, TEXTS, signals), names)
        return number

    def _schema(self, name: str, encoding: str, data: bytes) -> int:
        if data not in self._schemas:
            self._schemas[data] = self._writer.register_schema(name, encoding, data)
        return self._schemas[data]

    def add_texts(self, topic: str) -> int:
        """A topic of JSON texts, by the number to write with."""
        return self._writer.register_channel(topic, TEXTS, 0)

    def write_rows(self, topic: int, rows: np.ndarray, time: int) -> None:
        """A message of rows, whose column of that number is the time [s]. A table of which none
        was written, not even of no rows, isn't in the file."""
        when = _nanoseconds(float(rows[0, time]) if len(rows) else 0.0)
        data = np.ascontiguousarray(rows, dtype="<f8").tobytes()
        self._add(topic, when, data)

    def write_signals(self, topic: int, rows: np.ndarray, time: int) -> None:
        """Rows of a table for other tools, a message each; what isn't finite JSON can't say, and is
        left out."""
        readable, names = self._signals[topic]
        whole = bool(np.isfinite(rows).all())
        for row in rows.tolist():
            named = dict(zip(names, row))
            if not whole:
                named = {name: value for name, value in named.items() if math.isfinite(value)}
            self._add(readable, _nanoseconds(row[time]), _ENCODER.encode(named))

    def write_text(self, topic: int, content: Mapping[str, object]) -> None:
        """A message of plain data, at the time of what was written last."""
        self._add(topic, self._latest, json.dumps(content, ensure_ascii=False).encode())

    def _add(self, topic: int, when: int, data: bytes) -> None:
        self._latest = max(self._latest, when)
        self._writer.add_message(topic, when, data, when)

    def first_chunk(self) -> None:
        """The same as `finish_chunk`; a file that has no room even for that is removed."""
        try:
            self.finish_chunk()
        except OSError:
            self.give_up(remove=True)
            raise

    def finish_chunk(self) -> None:
        """What was written since the last call is in the file for good, as one chunk."""
        self._writer.flush()

    def close(self) -> None:
        """Finishes the file."""
        self._writer.finish()
        self._file.close()

    def give_up(self, remove: bool) -> None:
        """After an error of its disk: what is in the file stays, or is removed where it is of no
        use."""
        with suppress(OSError):
            self._file.close()
        if remove and self.path.is_file() and not self.path.is_symlink():
            self.path.unlink(missing_ok=True)

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


def _nanoseconds(seconds: float) -> int:
    return int(min(1e9 * seconds, _LATEST)) if seconds > 0 else 0


def _json_schema(names: list[str], units: Mapping[str, str]) -> bytes:
    properties = {name: {"type": "number", "description": units.get(name, "")} for name in names}
    return json.dumps({"title": "signals", "type": "object", "properties": properties}).encode()


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
        except (Damaged, *WRONG_CONTENT):  # what came before is good
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
