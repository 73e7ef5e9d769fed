"""The ports of a live run in one piece of memory, which other processes may share.

    offset 0   8 bytes    b"TBPORTS1"
           8   uint64     length of the directory in bytes
          16   uint64     length of the whole region
          64   directory  JSON: {"ports": [{"name", "unit", "direction", "offset", "count",
                          "fields"}]}
     offset …  mailboxes  each at a multiple of 64 bytes (native/mailbox.h):
                          uint64 sequence (odd while being written), int64 stamp [ns, monotonic],
                          uint64 count, uint64 type (1: doubles), count doubles

All numbers are in the machine's own order. There is one port a name: each input, the emergency
stop, and "published", which holds tick, time, flags, outputs and state of one and the same tick.
"""

from __future__ import annotations

import json
import mmap
import re
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.native.library import LIB
from touchback.native.mailbox import Mailbox, Message, mailbox_bytes
from touchback.realtime.ports import STOP_PORT
from touchback.recording import unknown_name

MAGIC = b"TBPORTS1"
PUBLISHED = "published"
HEAD = ("tick", "time", "flags")
_DIRECTORY = 64  # where it starts
_LARGEST = 1 << 24  # bytes of a region that is believed
_SHARED_FOLDER = Path("/dev/shm")


@dataclass(frozen=True)
class Port:
    """A named mailbox: typed by the names and units of the doubles in it."""

    name: str
    direction: str
    unit: str
    fields: tuple[str, ...]
    offset: int

    @property
    def count(self) -> int:
        return len(self.fields)


def lay_out(
    inputs: Sequence[tuple[str, str]], published: Sequence[str]
) -> tuple[list[Port], bytes, int]:
    """The ports, their directory, and the size of the region; inputs are names with units."""
    wanted: list[tuple[str, str, str, tuple[str, ...]]]
    wanted = [(name, "in", unit, (name,)) for name, unit in (*inputs, (STOP_PORT, ""))]
    wanted.append((PUBLISHED, "out", "", (*HEAD, *published)))

    def place(start: int) -> tuple[list[Port], int]:
        ports = []
        for name, direction, unit, fields in wanted:
            ports.append(Port(name, direction, unit, tuple(fields), start))
            start += mailbox_bytes(len(fields))
        return ports, start

    room = _DIRECTORY  # offsets have digits, so that the directory's length depends on itself
    while True:
        ports, end = place(room)
        text = _directory(ports)
        needed = -(-(_DIRECTORY + len(text)) // 64) * 64
        if needed <= room:
            return ports, text, end
        room = needed


def _directory(ports: Sequence[Port]) -> bytes:
    plain = [
        {
            "name": port.name, "unit": port.unit, "direction": port.direction,
            "offset": port.offset, "count": port.count, "fields": port.fields,
        }
        for port in ports
    ]  # fmt: skip
    return json.dumps({"ports": plain}, ensure_ascii=False).encode()


class Region:
    """Mailboxes by name over a buffer, which it keeps alive."""

    def __init__(self, buffer: Any, ports: Sequence[Port], fresh: bool) -> None:
        self._bytes = np.frombuffer(buffer, dtype=np.uint8)
        base = self._bytes.ctypes.data
        self.ports = {port.name: port for port in ports}
        self.mailboxes = {
            port.name: Mailbox(base + port.offset, port.count, open_it=fresh) for port in ports
        }

    @property
    def inputs(self) -> list[str]:
        """Names of the ports that may be written."""
        return [name for name, port in self.ports.items() if port.direction == "in"]

    def write(self, name: str, value: float, stamp: int | None = None) -> None:
        """A message for an input."""
        if name not in self.inputs:
            raise unknown_name("input port", name, self.inputs)
        self.mailboxes[name].write(value, stamp)

    def published(self) -> tuple[dict[str, float], Message]:
        """Everything of the last tick by name, and the message it came in."""
        message = self.mailboxes[PUBLISHED].read()
        fields = self.ports[PUBLISHED].fields
        return dict(zip(fields, map(float, message.values))), message

    def read(self, name: str) -> float:
        """The last value of an output, a state, or "tick", "time", "flags"."""
        fields = self.ports[PUBLISHED].fields
        if name not in fields:
            raise unknown_name("output port", name, fields)
        return float(self.mailboxes[PUBLISHED].read().values[fields.index(name)])

    def moved(self) -> Region:
        """The same ports with their last messages in memory of their own; this one lets go."""
        buffer = mmap.mmap(-1, len(self._bytes))
        buffer[:] = self._bytes.tobytes()
        self._bytes = np.empty(0, dtype=np.uint8)
        return Region(buffer, list(self.ports.values()), fresh=False)


def create(
    inputs: Sequence[tuple[str, str]], published: Sequence[str], shared: str | None
) -> tuple[Region, SharedMemory | None, int]:
    """A fresh region, in shared memory of that name when there is one, and the errno of locking
    it."""
    ports, text, size = lay_out(inputs, published)
    memory: SharedMemory | None = None
    buffer: Any
    if shared is None:
        buffer = mmap.mmap(-1, size)
    else:
        _check_name(shared)
        try:
            memory = SharedMemory(shared, create=True, size=size)
        except FileExistsError:
            raise InputError(
                f"Shared memory '{shared}' exists already: another live run has it, or one was "
                f"killed; choose another name or remove {_SHARED_FOLDER / shared}."
            ) from None
        buffer = memory.buf
    buffer[_DIRECTORY : _DIRECTORY + len(text)] = text
    buffer[8:24] = np.array([len(text), size], dtype=np.uint64).tobytes()
    region = Region(buffer, ports, fresh=True)
    locked = LIB.tb_memory_lock(region._bytes.ctypes.data, size)
    buffer[0:8] = MAGIC  # last: whoever sees it finds everything in place
    return region, memory, locked


def attach(shared: str) -> Region:
    """The ports of a live run of another process, by the name that it was given as `share`."""
    _check_name(shared)
    try:
        with (_SHARED_FOLDER / shared).open("r+b") as file:
            buffer = mmap.mmap(file.fileno(), 0)
    except (OSError, ValueError) as error:
        raise InputError(
            f"There is no live run that shares '{shared}' ({error}); start one with "
            f"live(…, share='{shared}')."
        ) from None
    return Region(buffer, _read_directory(buffer, shared), fresh=False)


def _read_directory(buffer: mmap.mmap, shared: str) -> list[Port]:
    try:
        length, size = np.frombuffer(buffer[8:24], dtype=np.uint64).tolist()
        if buffer[0:8] != MAGIC or not 0 < size <= min(len(buffer), _LARGEST):
            raise ValueError("it starts differently")
        plain = json.loads(buffer[_DIRECTORY : _DIRECTORY + length])
        ports = [
            Port(
                each["name"], each["direction"], each["unit"], tuple(each["fields"]),
                int(each["offset"]),
            )
            for each in plain["ports"]
        ]  # fmt: skip
        for port in ports:
            if port.offset % 64 or not 0 < port.offset <= size - mailbox_bytes(port.count):
                raise ValueError(f"port '{port.name}' lies outside")
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"Shared memory '{shared}' isn't that of a live run: {error}.") from None
    return ports


def _check_name(shared: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", shared) or shared.startswith("."):
        raise InputError(
            f"The name of shared memory has letters, digits, '_', '-' and '.', got {shared!r}."
        )
