"""The ports of a live run in one piece of memory, which other processes may share.

    offset 0   8 bytes    b"TBPORTS2"
           8   uint64     the directory: its offset × 2³² + its length in bytes; replaced as a whole
                          when the run changes its structure
          16   uint64     length of the whole region
     offset …  directory  JSON: {"ports": [{"name", "unit", "direction", "offset", "count",
                          "fields"}]}
     offset …  mailboxes  each at a multiple of 64 bytes (native/live/mailbox.h):
                          uint64 sequence (odd while being written), int64 stamp [ns, monotonic],
                          uint64 count, uint64 type (1: doubles), count doubles

All numbers are in the machine's own order. There is one port a name: each input, the emergency
stop, and "published", which holds tick, time, flags, outputs and state of one and the same tick.
An input's mailbox stays where it is as long as the region does, whatever the structure.
"""

from __future__ import annotations

import json
import mmap
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import cast

import numpy as np

from touchback.errors import NO_JSON, InputError
from touchback.native.library import LIB
from touchback.native.live.mailbox import Mailbox, Message, mailbox_bytes
from touchback.native.live.memory import keep_in_children, private_map
from touchback.numbers import shown
from touchback.realtime.ports import STOP_PORT
from touchback.recording import unknown_name

Buffer = mmap.mmap | memoryview
MAGIC = b"TBPORTS2"
PUBLISHED = "published"
HEAD = ("tick", "time", "flags")
_WORD = 8  # where the directory's word is
_START = 64  # of what is placed freely
_ROOM = 1 << 16  # bytes: room for other structures
_LARGEST = 1 << 24  # bytes of a region that is believed
_DIFFERENT = 256  # directories in a row of which no two have one word
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


def _wanted(
    inputs: Sequence[tuple[str, str]], published: Sequence[str]
) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Name, direction, unit and fields of each port; inputs are names with units."""
    ports = [(name, "in", unit, (name,)) for name, unit in (*inputs, (STOP_PORT, ""))]
    return [*ports, (PUBLISHED, "out", "", (*HEAD, *published))]


class _Room:
    """Finds free places in a region."""

    def __init__(self, size: int, taken: Sequence[tuple[int, int]]) -> None:
        self._size, self._taken = size, sorted(taken)

    def find(self, size: int) -> int:
        start = _START
        for place, length in self._taken:
            if start + size <= place:
                break
            start = max(start, -(-(place + length) // 64) * 64)
        if start + size > self._size:
            raise InputError(
                f"The ports of that structure need {size} bytes more than the {self._size} of the "
                "run's memory have left; start another live run."
            )
        self._taken = sorted([*self._taken, (start, size)])
        return start


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
    """Mailboxes by name over a buffer, which it keeps alive. When the run changes its structure,
    names and places follow."""

    def __init__(self, buffer: Buffer, label: str = "") -> None:
        self._buffer, self._label = buffer, label
        self._bytes = np.frombuffer(buffer, dtype=np.uint8)
        self._word = self._bytes[_WORD : _WORD + 8].view(np.uint64)
        self._inputs: dict[str, Port] = {}  # of all structures so far
        self._words: deque[int] = deque(maxlen=_DIFFERENT)  # that directories had lately
        self._known = -1
        self.ports: dict[str, Port] = {}
        self.mailboxes: dict[str, Mailbox] = {}
        self.refresh()

    def refresh(self) -> int:
        """Follows a change of structure; returns the directory's word."""
        word = int(self._word[0])
        while word and word != self._known:
            try:
                ports = _read_directory(self._buffer, word, self._label)
            except InputError:
                if word == int(self._word[0]):
                    raise
                ports = []  # its place was taken by another while it was read
            if word == int(self._word[0]):
                self.ports = {port.name: port for port in ports}
                self.mailboxes = {port.name: self._mailbox(port, False) for port in ports}
                self._known = word  # last: other threads may look
            word = int(self._word[0])
        return word

    def _mailbox(self, port: Port, fresh: bool) -> Mailbox:
        return Mailbox(self._bytes.ctypes.data + port.offset, port.count, open_it=fresh)

    def plan(
        self, inputs: Sequence[tuple[str, str]], published: Sequence[str]
    ) -> tuple[int, dict[str, Mailbox]]:
        """Places for the ports of another structure: the directory's next word, and mailboxes.
        What is in use stays as it is; only the owner of the region may do this, one at a time."""
        self.refresh()
        here = [self.ports[PUBLISHED]] if PUBLISHED in self.ports else []
        taken = [(p.offset, mailbox_bytes(p.count)) for p in (*self._inputs.values(), *here)]
        if self._known > 0:
            taken.append((self._known >> 32, self._known & 0xFFFFFFFF))
        room = _Room(len(self._bytes), taken)
        ports = []
        for name, direction, unit, fields in _wanted(inputs, published):
            known = self._inputs if direction == "in" else {port.name: port for port in here}
            port, new = known.get(name), name not in self.ports
            if port is None or port.fields != fields:
                port = Port(name, direction, unit, fields, room.find(mailbox_bytes(len(fields))))
                new = True
            if new:  # an input that comes back, too: a message of long ago is none
                self._mailbox(port, fresh=True)
            if direction == "in":
                self._inputs[name] = port
            ports.append(port)
        text = _directory(ports)
        start = room.find(len(text) + _DIFFERENT)
        while (word := start << 32 | len(text)) in self._words:  # who looks now and then would
            text += b" "  # take it for the one that it was
        self._words.append(word)
        self._buffer[start : start + len(text)] = text
        return word, {port.name: self._mailbox(port, False) for port in ports}

    def use(self, word: int) -> None:
        """Makes a planned directory the one in use."""
        self._word[0] = word
        self.refresh()

    def mailbox(self, name: str) -> Mailbox:
        """That of a port, or of an input that a structure before had: it stays where it is."""
        self.refresh()
        known = self.mailboxes.get(name)
        return self._mailbox(self._inputs[name], fresh=False) if known is None else known

    @property
    def word_address(self) -> int:
        """Where the directory's word is."""
        return int(self._word.ctypes.data)

    @property
    def inputs(self) -> list[str]:
        """Names of the ports that may be written."""
        return [name for name, port in self.ports.items() if port.direction == "in"]

    def write(self, name: str, value: float, stamp: int | None = None) -> None:
        """A message for an input."""
        self.refresh()
        if name not in self.inputs:
            raise unknown_name("input port", name, self.inputs)
        self.mailboxes[name].write(value, stamp)

    def published(self) -> tuple[dict[str, float], Message]:
        """Everything of the last tick by name, and the message it came in."""
        fields, message = self.latest()
        return dict(zip(fields, map(float, message.values))), message

    def latest(self) -> tuple[Sequence[str], Message]:
        """The last tick's message and the names of its values, for who looks often."""
        while True:
            word = self.refresh()
            fields = self.ports[PUBLISHED].fields
            message = self.mailboxes[PUBLISHED].read()
            if word == int(self._word[0]):
                return fields, message

    def read(self, name: str) -> float:
        """The last value of an output, a state, or "tick", "time", "flags"."""
        values = self.published()[0]
        if name not in values:
            raise unknown_name("output port", name, list(values))
        return values[name]

    def keep_in_children(self) -> None:
        """Lets children read the last messages, once nobody writes any more."""
        if isinstance(self._buffer, mmap.mmap):
            keep_in_children(self._buffer)

    def moved(self) -> Region:
        """The same ports with their last messages in memory of their own; this one lets go."""
        buffer = mmap.mmap(-1, len(self._bytes))
        buffer[:] = self._bytes.tobytes()
        self._bytes = self._word = np.empty(0, dtype=np.uint8)
        self._buffer = memoryview(b"")
        return Region(buffer)


def create(
    inputs: Sequence[tuple[str, str]], published: Sequence[str], shared: str | None
) -> tuple[Region, SharedMemory | None, int]:
    """A fresh region, in shared memory of that name when there is one, and the errno of locking
    it."""
    ports = _wanted(inputs, published)
    needed = sum(mailbox_bytes(len(fields)) + 200 + 8 * len(name) for name, *_, fields in ports)
    needed += sum(8 * len(field) for *_, fields in ports for field in fields)
    size = -(-max(_ROOM, 4 * needed) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory: SharedMemory | None = None
    if shared is None:
        buffer: Buffer = private_map(size)
    else:
        _check_name(shared)
        try:
            memory = SharedMemory(shared, create=True, size=size)
        except FileExistsError:
            raise InputError(
                f"Shared memory '{shared}' exists already: another live run has it, or one was "
                f"killed; choose another name or remove {_SHARED_FOLDER / shared}."
            ) from None
        buffer = cast(memoryview, memory.buf)  # until it is closed
    buffer[16:24] = np.array([size], dtype=np.uint64).tobytes()
    region = Region(buffer)
    region.use(region.plan(inputs, published)[0])
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
    size = int(np.frombuffer(buffer[16:24], dtype=np.uint64)[0]) if len(buffer) >= _START else 0
    if buffer[0:8] != MAGIC or not 0 < size <= min(len(buffer), _LARGEST):
        raise _stranger(shared, "it starts differently")
    return Region(buffer, shared)


def _read_directory(buffer: Buffer, word: int, shared: str) -> list[Port]:
    start, length = word >> 32, word & 0xFFFFFFFF
    try:
        plain = json.loads(bytes(buffer[start : start + length]))
        ports = [
            Port(
                each["name"], each["direction"], each["unit"], tuple(each["fields"]),
                int(each["offset"]),
            )
            for each in plain["ports"]
        ]  # fmt: skip
        for port in ports:
            if port.offset % 64 or not 0 < port.offset <= len(buffer) - mailbox_bytes(port.count):
                raise ValueError(f"port '{port.name}' lies outside")
    except (*NO_JSON, KeyError, TypeError) as error:
        raise _stranger(shared, str(error)) from None
    return ports


def _stranger(shared: str, why: str) -> InputError:
    return InputError(f"Shared memory '{shared}' isn't that of a live run: {why}.")


def _check_name(shared: str) -> None:
    plain = isinstance(shared, str) and re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", shared)
    if not plain or shared.startswith("."):
        raise InputError(
            f"The name of shared memory has letters, digits, '_', '-' and '.', got {shown(shared)}."
        )
