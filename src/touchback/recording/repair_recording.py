"""Finishing a recording whose writer was killed, so that tools which need an index open it."""

import json
import os
from io import BytesIO
from pathlib import Path
from typing import IO

from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Message, Metadata, Schema
from mcap.writer import CompressionType, Writer

from touchback.errors import InputError
from touchback.recording.mcap_records import LARGEST_FILE, WRONG_CONTENT, DamagedFileError, records
from touchback.recording.mcap_tables import PROFILE, REPAIRED, read_header
from touchback.safe_files import open_regular
from touchback.version import VERSION


def repair(path: str | os.PathLike[str], target: str | os.PathLike[str]) -> int | None:
    """Copies what is good of a recording that was cut short into another, finished file; gives the
    number of messages in it. The first file stays as it is, and when it is whole (None) no other is
    made."""
    if Path(target).exists():
        raise InputError(f"There is a file {str(target)!r} already; choose another name.")
    whole = False
    with open_regular(path, LARGEST_FILE) as source, Path(target).open("xb") as stream:
        copy = _Copy(Path(path).name, stream)
        try:
            for opcode, content in records(source, copy.name):
                copy.take(opcode, content)
            whole = True
        except (DamagedFileError, *WRONG_CONTENT):
            copy.finish()
        except BaseException:
            Path(target).unlink()
            raise
    if whole or not copy.started:
        Path(target).unlink()
    if not copy.started:
        raise InputError(f"{copy.name} is no MCAP file, or cut short before anything was in it.")
    return None if whole else copy.messages


class _Copy:
    """A file that is written from the records of another."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self.name, self.messages, self.started = name, 0, False
        self._writer = Writer(stream, compression=CompressionType.NONE, enable_data_crcs=True)
        self._schemas: dict[int, int] = {0: 0}  # their numbers, here by there
        self._channels: dict[int, int] = {}

    def take(self, opcode: int, content: bytes) -> None:
        data = ReadDataStream(BytesIO(content))
        if opcode == Opcode.HEADER:
            read_header(data, self.name)
            self._writer.start(profile=PROFILE, library=f"touchback {VERSION}")
            self.started = True
        elif opcode == Opcode.METADATA:
            found = Metadata.read(data)
            self._writer.add_metadata(found.name, found.metadata)
        elif opcode == Opcode.SCHEMA:
            schema = Schema.read(data)
            if schema.id not in self._schemas:
                number = self._writer.register_schema(schema.name, schema.encoding, schema.data)
                self._schemas[schema.id] = number
        elif opcode == Opcode.CHANNEL:
            self._channel(Channel.read(data))
        elif opcode == Opcode.MESSAGE:
            message = Message.read(data, len(content))
            self._writer.add_message(
                self._channels[message.channel_id], message.log_time, message.data,
                message.publish_time, message.sequence,
            )  # fmt: skip
            self.messages += 1

    def _channel(self, channel: Channel) -> None:
        if channel.id not in self._channels:
            self._channels[channel.id] = self._writer.register_channel(
                channel.topic, channel.message_encoding, self._schemas[channel.schema_id],
                channel.metadata,
            )  # fmt: skip

    def finish(self) -> None:
        if self.started:
            about = {"messages": self.messages, "file": self.name}
            self._writer.add_metadata(REPAIRED, {"about": json.dumps(about)})
            self._writer.finish()
