"""Records of MCAP files (https://mcap.dev/spec), one after another, in bounded memory.

Lengths in a file are only believed as far as the file goes, and compressed chunks (other tools make
them) only up to a number of bytes in all: a chunk of some kilobytes can unpack to gigabytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import BinaryIO

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Chunk

from touchback.errors import InputError

MAGIC = b"\x89MCAP0\r\n"
LARGEST_FILE = 64 << 30  # bytes, most of them for other tools
LARGEST_KEPT = 4 << 30  # of rows and texts, which are in memory at once
LARGEST_RECORD = 1 << 28
LARGEST_UNPACKED = 1 << 28  # of all compressed chunks together
MOST_UNPACKED = 1 << 21  # records in them: empty ones pack to nothing, and each takes its time
_LARGEST_WINDOW = 1 << 27  # that zstd may look back
_UNPACK = "If it is genuine, unpack it first (`mcap compress --compression none`)."
Record = tuple[int, bytes]  # its opcode, and its content


class DamagedFileError(Exception):
    """The file is cut or damaged here; what came before is good."""


# What parsing a record's content that isn't what it should be runs into.
WRONG_CONTENT = (McapError, struct.error, ValueError, KeyError, MemoryError, OverflowError)


def records(stream: BinaryIO, name: str) -> Iterator[Record]:
    """The records of a file's data, those in chunks included; ends only when the file is whole."""
    crc, room, ended = zlib.crc32(MAGIC), LARGEST_UNPACKED, False
    unpacked = 0  # records of compressed chunks
    if stream.read(len(MAGIC)) != MAGIC:
        raise DamagedFileError
    while True:
        head = _exactly(stream, 9)
        opcode, length = struct.unpack("<BQ", head)
        if length > LARGEST_RECORD:
            raise DamagedFileError
        body = _exactly(stream, length)
        if opcode == Opcode.FOOTER:
            if not ended or stream.read(len(MAGIC) + 1) != MAGIC:
                raise DamagedFileError
            return
        if opcode == Opcode.DATA_END:
            ended = True
            if length != 4 or int.from_bytes(body, "little") not in (0, crc):
                raise DamagedFileError
        elif ended:  # what follows the data repeats it
            continue
        elif opcode == Opcode.CHUNK:
            content, packed = _unpacked(body, room, name)
            room -= packed
            for record in _within(content):
                unpacked += bool(packed)
                if unpacked > MOST_UNPACKED:
                    raise InputError(
                        f"{name}: its compressed chunks hold more than {MOST_UNPACKED} records, "
                        f"the most that are unpacked. {_UNPACK}"
                    )
                yield record
        else:
            yield opcode, body
        crc = zlib.crc32(body, zlib.crc32(head, crc))


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise DamagedFileError
    return data


def _unpacked(body: bytes, room: int, name: str) -> tuple[bytes, int]:
    """The records of a chunk, and how many bytes unpacking made of them."""
    try:
        chunk = Chunk.read(ReadDataStream(BytesIO(body)))
        size, packed = chunk.uncompressed_size, chunk.compression != ""
        if packed and size > room:
            raise InputError(
                f"{name}: its compressed chunks unpack to {LARGEST_UNPACKED - room + size} bytes "
                f"or more; at most {LARGEST_UNPACKED} are unpacked. {_UNPACK}"
            )
        data = _decompressed(chunk.compression, chunk.data, size) if packed else chunk.data
    except WRONG_CONTENT:
        raise DamagedFileError from None
    if len(data) != size or chunk.uncompressed_crc not in (0, zlib.crc32(data)):
        raise DamagedFileError
    return data, size if packed else 0


def _decompressed(compression: str, data: bytes, size: int) -> bytes:
    """At most one byte more than `size`, whatever the data say of themselves."""
    import lz4.frame
    import zstandard

    try:
        if compression == "zstd":
            decompressor = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
            return bytes(decompressor.stream_reader(data).read(size + 1))
        if compression == "lz4":
            return bytes(lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=size + 1))
    except (zstandard.ZstdError, RuntimeError, EOFError):
        raise DamagedFileError from None
    raise DamagedFileError


def _within(content: bytes) -> Iterator[Record]:
    place, end = 0, len(content)
    while place < end:
        if end - place < 9:
            raise DamagedFileError
        opcode, length = struct.unpack_from("<BQ", content, place)
        place += 9
        if length > end - place:
            raise DamagedFileError
        yield opcode, content[place : place + length]
        place += length
