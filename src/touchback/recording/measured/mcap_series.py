"""Topics of MCAP files (https://mcap.dev) as series: messages in JSON, of ROS 2 and of protobuf."""

from __future__ import annotations

import importlib
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Schema

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.numbers import is_real
from touchback.recording.mcap_records import LARGEST_FILE, WRONG_CONTENT, DamagedFileError, records
from touchback.recording.measured.measured_series import FileChannel, Series, series_of
from touchback.safe_files import open_regular
from touchback.unit_spellings import unit_of

_HEAD = struct.Struct("<HIQQ")  # channel, sequence, logged, published [ns]
_TRIED = 100  # messages of a topic that may tell the names of its fields
_SHOWN = 12  # members of a list that are among the names
_STAMPS = "header.stamp", "timestamp"  # of ROS and of Foxglove: seconds and their parts
_PARTS = ("sec", "nanosec"), ("sec", "nsec"), ("seconds", "nanos"), ("secs", "nsecs")
Decoder = Callable[[bytes], object]


def read_mcap(path: Path, names: Sequence[str], time: FileChannel | None) -> dict[str, Series]:
    """Fields of messages, as "/topic.field" or "/topic.field.part"; a member of a list has its
    number for a name. A message was measured at the field `time`, or at its `header.stamp` or
    `timestamp`, or when it was published. A file that is cut gives what it has before that."""
    return _opened(path, names, time).series()


def channels_mcap(path: Path) -> dict[str, str]:
    """Names of the fields that are numbers, by the first message of each topic, those of the topic
    with the most messages first; their units nobody tells."""
    reader = _opened(path, [], None)
    topics = sorted(reader.known, key=lambda topic: -reader.counts[topic])
    return dict.fromkeys((name for topic in topics for name in reader.known[topic]), "")


def times_mcap(path: Path) -> np.ndarray:
    """When the messages of the most frequent topic were measured [ns]."""
    names = list(channels_mcap(path))
    if not names:
        raise InputError(f"{path.name} has no messages with numbers that can be read.")
    return read_mcap(path, names[:1], None)[names[0]].times


def _opened(path: Path, names: Sequence[str], time: FileChannel | None) -> _Reader:
    reader = _Reader(path.name, names, time)
    with open_regular(path, LARGEST_FILE) as stream:
        try:
            for opcode, content in records(stream, path.name):
                reader.take(opcode, content)
        except (DamagedFileError, *WRONG_CONTENT):
            pass  # as a logger leaves it that lost its power
    return reader


@dataclass
class _WantedSignal:
    """A field that is asked for, and what was found of it."""

    name: str
    path: list[str]
    times: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


@dataclass
class _Topic:
    """A channel of the file: how to read its messages, and the fields that are wanted of them."""

    topic: str
    decode: Decoder
    wanted: list[_WantedSignal]


class _Reader:
    """What the records of a file add up to."""

    def __init__(self, file: str, names: Sequence[str], time: FileChannel | None) -> None:
        self._file, self._names = file, names
        self._stamps = _STAMPS if time is None else (time.name,)
        unit = unit_of(time.unit) if time is not None and time.unit else None
        self._second = unit.factor if unit else 1.0  # of stamps that are one number
        self._schemas: dict[int, Schema] = {}
        self._topics: dict[int, _Topic] = {}
        self._found: dict[str, _WantedSignal] = {}
        self.known: dict[str, list[str]] = {}  # names of fields, by topic
        self.counts = Counter[str]()  # messages, by topic
        self._undecoded = Counter[str]()  # of them, which tell no names

    def take(self, opcode: int, content: bytes) -> None:
        """A record."""
        if opcode == Opcode.MESSAGE:
            channel, _, logged, published = _HEAD.unpack_from(content)
            if channel in self._topics:
                self.counts[self._topics[channel].topic] += 1
                self._message(self._topics[channel], published or logged, content[_HEAD.size :])
        elif opcode == Opcode.SCHEMA:
            schema = Schema.read(ReadDataStream(BytesIO(content)))
            self._schemas[schema.id] = schema
        elif opcode == Opcode.CHANNEL:
            channel = Channel.read(ReadDataStream(BytesIO(content)))
            self._topics.setdefault(channel.id, self._topic(channel))

    def series(self) -> dict[str, Series]:
        """Of every name that was asked for."""
        for name in self._names:
            if name not in self._found:
                known = [each for names in self.known.values() for each in names]
                raise unknown_name(f"field of a topic in {self._file}", name, known)
        series = {}
        for name, found in self._found.items():
            times = np.array(found.times, dtype=np.int64)
            order = np.argsort(times, kind="stable")  # a file needn't have them in order
            values = np.array(found.values)[order]
            series[name] = series_of(f"{self._file}: '{name}'", times[order], values, "")
        return series

    def _topic(self, channel: Channel) -> _Topic:
        start = channel.topic + "."
        wanted = [
            _WantedSignal(name, name.removeprefix(start).split("."))
            for name in self._names if name.startswith(start)
        ]  # fmt: skip
        schema = self._schemas.get(channel.schema_id)
        try:
            return _Topic(channel.topic, _decoder(self._file, channel, schema), wanted)
        except InputError:
            if wanted:
                raise
            return _Topic(channel.topic, lambda _: None, [])

    def _message(self, topic: _Topic, when: int, data: bytes) -> None:
        fresh = topic.topic not in self.known and self._undecoded[topic.topic] < _TRIED
        if not (topic.wanted or fresh):
            return
        try:
            message = topic.decode(data)
        except Exception as error:  # of whatever decoder
            if not topic.wanted:
                self._undecoded[topic.topic] += 1
                return
            raise InputError(
                f"{self._file}: a message of '{topic.topic}' can't be read: {error}."
            ) from None
        if fresh:
            self.known[topic.topic] = [f"{topic.topic}.{name}" for name in _fields(message)]
        moment = self._moment(message, when)
        for wanted in topic.wanted:
            value = _at(message, wanted.path)
            if value is None:
                continue
            found = self._found.setdefault(wanted.name, wanted)
            found.times.append(moment)
            found.values.append(self._number(wanted.name, value))

    def _moment(self, message: object, published: int) -> int:
        """When a message was measured [ns]: a stamp of zeros is one that nobody set."""
        for name in self._stamps:
            found = _at(message, name.split("."))
            for whole, parts in _PARTS:
                seconds, rest = _at(found, [whole]), _at(found, [parts])
                if is_real(seconds) and is_real(rest) and (seconds or rest):
                    return 10**9 * int(seconds) + int(rest)
            if is_real(found) and name not in _STAMPS:  # which was asked for
                return round(1e9 * self._second * found)
        return published

    def _number(self, name: str, value: object) -> float:
        if isinstance(value, bool) or is_real(value):
            return float(value)
        raise InputError(
            f"{self._file}: '{name}' has {value!r:.80}, which is no number; choose another field."
        )


def _at(message: object, path: Sequence[str]) -> object:
    """What a message has at a path; None where it has nothing."""
    for step in path:
        if isinstance(message, dict):
            message = message.get(step)
        elif step.isdigit():
            members = message if isinstance(message, Sequence | np.ndarray) else ()
            message = members[int(step)] if int(step) < len(members) else None
        else:
            message = getattr(message, step, None)
    return message


def _fields(message: object, path: str = "") -> Iterator[str]:
    """Names of the numbers in a message."""
    before = f"{path}." if path else ""
    if isinstance(message, bool) or is_real(message):
        yield path
    elif isinstance(message, dict):
        for name, part in message.items():
            yield from _fields(part, f"{before}{name}")
    elif isinstance(message, Sequence | np.ndarray) and not isinstance(message, str | bytes):
        for i in range(min(len(message), _SHOWN)):
            yield from _fields(message[i], f"{before}{i}")
    elif hasattr(message, "DESCRIPTOR"):
        for each in message.DESCRIPTOR.fields:
            yield from _fields(getattr(message, each.name), f"{before}{each.name}")
    else:
        for name in getattr(message, "__slots__", ()):
            yield from _fields(getattr(message, name), f"{before}{name}")


# ---- encodings ----------------------------------------------------------------------------------

_MODULES = {  # who reads messages of an encoding, with a schema of another
    ("cdr", "ros2msg"): "mcap_ros2.decoder",
    ("protobuf", "protobuf"): "mcap_protobuf.decoder",
}


def _decoder(file: str, channel: Channel, schema: Schema | None) -> Decoder:
    """Who reads a channel's messages."""
    if channel.message_encoding == "json":
        return msgspec.json.decode
    encodings = channel.message_encoding, schema.encoding if schema else ""
    told = (
        f"{file}: messages of '{channel.topic}' are {encodings[0]!r}, their schema {encodings[1]!r}"
    )
    if encodings not in _MODULES:
        raise InputError(
            f"{told}; JSON, ROS 2 (cdr, ros2msg) and protobuf are read. Convert the file, or write "
            "its topic as one of them."
        )
    try:
        factory = importlib.import_module(_MODULES[encodings]).DecoderFactory()
    except ImportError:
        raise InputError(f"{told}; to read them, `pip install touchback[mcap]`.") from None
    try:
        found: Decoder = factory.decoder_for(channel.message_encoding, schema)
    except Exception as error:  # of whatever a schema that is none runs it into
        raise InputError(f"{told}, which can't be read: {error}.") from None
    return found
