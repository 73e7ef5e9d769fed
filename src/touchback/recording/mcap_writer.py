"""Writes MCAP files of ours: see mcap_tables.py for what is in them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
import numpy as np
from mcap.writer import CompressionType, Writer

from touchback.recording.mcap_tables import PROFILE, ROWS, TEXTS
from touchback.version import VERSION

_ENCODER = msgspec.json.Encoder()
_LATEST = 1.8e19  # ns, that a message's time can hold


class TableWriter:
    """Appends to a file; every `finish_chunk` leaves one that can be read."""

    def __init__(self, path: str | os.PathLike[str], kind: str, about: str) -> None:
        self.path = Path(path)
        self._file = self.path.open("wb")
        self._writer = Writer(self._file, compression=CompressionType.NONE, enable_data_crcs=True)
        with self.removed_if_it_fails():
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

    def add_messages(self, topic: str, encoding: str, schema: tuple[str, str, bytes]) -> int:
        """A topic of messages for other tools, whose schema has a name, an encoding and a text; by
        the number to write with."""
        return self._writer.register_channel(topic, encoding, self._schema(*schema))

    def write_message(self, topic: int, seconds: float, data: bytes) -> None:
        """A message of such a topic, at a time."""
        self._add(topic, _nanoseconds(seconds), data)

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

    @contextmanager
    def removed_if_it_fails(self) -> Iterator[None]:
        """For what begins a file: one that has no room even for that is removed."""
        try:
            yield
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
