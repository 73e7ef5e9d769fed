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
import os
import re
import stat
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Literal, cast

import msgspec
import numpy as np

from touchback.errors import NO_JSON, InputError
from touchback.names import unknown_name
from touchback.native import LIB
from touchback.native.live.locked_arena import keep_in_children, private_map
from touchback.native.live.mailbox import Mailbox, Message, mailbox_bytes
from touchback.numbers import shown
from touchback.realtime.port_guards import STOP_PORT

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


class SharedPorts:
    """The ports of a run by name, in memory of another process. When the run changes its structure,
    names and places follow. Whatever is written there, what is wrong is refused in our words."""

    def __init__(self, buffer: Buffer, label: str = "") -> None:
        self._buffer, self._label = buffer, label
        self._bytes = np.frombuffer(buffer, dtype=np.uint8)
        self._word = self._bytes[_WORD : _WORD + 8].view(np.uint64)
        self._known = -1
        self.ports: dict[str, Port] = {}
        self.mailboxes: dict[str, Mailbox] = {}
        self._file: int | None = None
        self.refresh()

    def refresh(self) -> int:
        """Follows a change of structure; returns the directory's word."""
        if self._file is not None and os.fstat(self._file).st_size != len(self._bytes):
            raise _stranger(self._label, "it was cut short since")
        for _ in range(_DIFFERENT):
            word = int(self._word[0])
            if not word or word == self._known:
                return word
            try:
                ports = self._listed(word)
            except InputError:
                if word == int(self._word[0]):
                    raise
                continue  # its place was taken by another while it was read
            if word == int(self._word[0]):
                self.ports = {port.name: port for port in ports}
                self.mailboxes = {port.name: self._mailbox(port) for port in ports}
                self._known = word  # last: other threads may look
                return word
        raise _stranger(self._label, "its directory changes all the time")

    def _listed(self, word: int) -> list[Port]:
        """The ports of a directory."""
        return _read_directory(self._buffer, word, self._label)

    def _mailbox(self, port: Port, fresh: bool = False) -> Mailbox:
        return Mailbox(self._bytes.ctypes.data + port.offset, port.count, open_it=fresh)

    def guard(self, file: int) -> None:
        """Lets no access end the process, whoever cuts the memory short; `file` is where it is."""
        self._file = os.dup(file)
        weakref.finalize(self, os.close, self._file)
        guard_memory(self, self._bytes)

    def mailbox(self, name: str) -> Mailbox:
        """That of a port."""
        self.refresh()
        return self.mailboxes[name]

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
        for _ in range(_DIFFERENT):
            word = self.refresh()
            if PUBLISHED not in self.ports:
                raise _stranger(self._label, "it publishes nothing")
            fields = self.ports[PUBLISHED].fields
            message = self.mailboxes[PUBLISHED].read()
            if word == int(self._word[0]):
                return fields, message
        raise _stranger(self._label, "its directory changes all the time")

    def read(self, name: str) -> float:
        """The last value of an output, a state, or "tick", "time", "flags"."""
        values = self.published()[0]
        if name not in values:
            raise unknown_name("output port", name, list(values))
        return values[name]


class OwnPorts(SharedPorts):
    """The ports of a run in its own process. What the run says is kept in memory of its own, and
    mirrored in what it shares: nothing that others write there is believed but messages for
    inputs."""

    def __init__(
        self,
        buffer: Buffer,
        shared: Buffer | None = None,
        path: Path = _SHARED_FOLDER,
        before: OwnPorts | None = None,
    ) -> None:
        """`shared` is what others see, at a path; `before` a region with the same ports."""
        self._path = path
        self._shared = None if shared is None else np.frombuffer(shared, dtype=np.uint8)
        # of all structures so far
        self._inputs: dict[str, Port] = {} if before is None else before._inputs
        self._planned: dict[int, list[Port]] = {} if before is None else before._planned
        self._lost = False
        super().__init__(buffer)
        self._guard = -1 if self._shared is None else guard_memory(self, self._shared)

    @property
    def mirror(self) -> int:
        """Bytes from what the run says to what others see of it; 0: nobody does."""
        if self._shared is None:
            return 0
        return int(self._shared.ctypes.data - self._bytes.ctypes.data)

    def newly_lost(self) -> bool:
        """Whether others cut the shared memory short since the last look; zeros are there."""
        before = self._lost
        if self._shared is not None and not before:
            with suppress(OSError):  # who removed its name cut nothing
                self._lost = os.stat(self._path).st_size < len(self._shared)
            self._lost = self._lost or LIB.tb_sigbus_guard_lost(self._guard) > 0
        return self._lost and not before

    def _listed(self, word: int) -> list[Port]:
        return self._planned[word]

    def _mailbox(self, port: Port, fresh: bool = False) -> Mailbox:
        if self._shared is None:
            return super()._mailbox(port, fresh)
        theirs = Mailbox(self._shared.ctypes.data + port.offset, port.count, open_it=fresh)
        return theirs if port.direction == "in" else super()._mailbox(port, fresh)

    def place_ports(
        self, inputs: Sequence[tuple[str, str]], published: Sequence[str]
    ) -> tuple[int, dict[str, Mailbox]]:
        """Places for the ports of another structure: the directory's next word, and mailboxes.
        What is in use stays as it is; one at a time."""
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
        while (word := start << 32 | len(text)) in self._planned:  # who looks now and then would
            text += b" "  # take it for the one that it was
        self._planned[word] = ports
        while len(self._planned) > _DIFFERENT:
            del self._planned[next(iter(self._planned))]
        if self._shared is not None:
            self._shared[start : start + len(text)] = np.frombuffer(text, dtype=np.uint8)
        return word, {port.name: self._mailbox(port) for port in ports}

    def use(self, word: int) -> None:
        """Makes a planned directory the one in use."""
        self._word[0] = word
        if self._shared is not None:
            self._shared[_WORD : _WORD + 8].view(np.uint64)[0] = word
        self.refresh()

    def mailbox(self, name: str) -> Mailbox:
        """That of a port, or of an input that a structure before had: it stays where it is."""
        self.refresh()
        known = self.mailboxes.get(name)
        return self._mailbox(self._inputs[name]) if known is None else known

    def keep_in_children(self) -> None:
        """Lets children read the last messages, once nobody writes any more."""
        if isinstance(self._buffer, mmap.mmap):
            keep_in_children(self._buffer)

    def moved(self) -> OwnPorts:
        """The same ports with their last messages in memory of their own; what was shared is let
        go, and of a message that somebody left half written nothing is taken over."""
        made = OwnPorts(self._buffer, before=self)
        for port in self._inputs.values():
            message = self._mailbox(port).glance()
            box = made._mailbox(port, fresh=True)
            if message is not None:
                box.write(message.values, message.stamp)
        if self._shared is not None:
            LIB.tb_sigbus_guard_end(self._guard)
        self._shared = None
        self._bytes = self._word = np.empty(0, dtype=np.uint8)
        self._buffer = memoryview(b"")
        return made


def guard_memory(owner: object, memory: np.ndarray) -> int:
    """A guard for memory (native/live/sigbus_guard.h) that ends with its owner."""
    guard = _start_guard(memory)
    weakref.finalize(owner, LIB.tb_sigbus_guard_end, guard)
    return guard


def _start_guard(memory: np.ndarray) -> int:
    guard = int(LIB.tb_sigbus_guard(memory.ctypes.data, memory.nbytes))
    if guard == -2:
        raise InputError(
            "This process uses shared memory of live runs at 256 places already; let go of some "
            "(`del` what `attach` returned, or stop runs that `share`) first."
        )
    return guard


def create(
    inputs: Sequence[tuple[str, str]], published: Sequence[str], shared: str | None
) -> tuple[OwnPorts, SharedMemory | None, int]:
    """A fresh region, mirrored in shared memory of that name when there is one, and the errno of
    locking it."""
    ports = _wanted(inputs, published)
    needed = sum(mailbox_bytes(len(fields)) + 200 + 8 * len(name) for name, *_, fields in ports)
    needed += sum(8 * len(field) for *_, fields in ports for field in fields)
    size = -(-max(_ROOM, 4 * needed) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory: SharedMemory | None = None
    theirs: memoryview | None = None
    if shared is not None:
        _check_name(shared)
        try:
            memory = SharedMemory(shared, create=True, size=size)
        except FileExistsError:
            raise InputError(
                f"Shared memory '{shared}' exists already: another live run has it, or one was "
                f"killed; choose another name or remove {_SHARED_FOLDER / shared}."
            ) from None
        theirs = cast(memoryview, memory.buf)  # until it is closed
        theirs[16:24] = np.array([size], dtype=np.uint64).tobytes()
    try:
        region = OwnPorts(private_map(size), theirs, _SHARED_FOLDER / (shared or ""))
    except InputError:  # no guard is left
        if memory is not None:
            memory.unlink()
        raise
    region.use(region.place_ports(inputs, published)[0])
    locked = LIB.tb_memory_lock(region._bytes.ctypes.data, size)
    if region._shared is not None and theirs is not None:
        locked = locked or LIB.tb_memory_lock(region._shared.ctypes.data, size)
        theirs[0:8] = MAGIC  # last: whoever sees it finds everything in place
    return region, memory, locked


def attach(shared: str) -> SharedPorts:
    """The ports of a live run of another process of this user, by the name that it was given as
    `share`."""
    _check_name(shared)
    try:
        file = os.open(_SHARED_FOLDER / shared, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(
            f"There is no live run that shares '{shared}' ({error}); start one with "
            f"live(…, share='{shared}')."
        ) from None
    guard = -1
    try:
        _check_file(shared, os.fstat(file))
        buffer = mmap.mmap(file, 0)
        head = np.frombuffer(buffer, dtype=np.uint8)
        guard = _start_guard(head)  # before the first look
        said = int(head[16:24].view(np.uint64)[0])
        if head[0:8].tobytes() != MAGIC:
            raise _stranger(shared, "it starts differently")
        if said != len(buffer):
            raise _stranger(shared, f"it has {len(buffer)} bytes and says {said}")
        region = SharedPorts(buffer, shared)
        region.guard(file)
    except (OSError, ValueError) as error:  # cut short meanwhile
        raise _stranger(shared, str(error)) from None
    finally:
        LIB.tb_sigbus_guard_end(guard)
        os.close(file)
    region.refresh()
    return region


def _check_file(shared: str, found: os.stat_result) -> None:
    """Refuses what isn't shared memory as a live run of this user makes it."""
    if not stat.S_ISREG(found.st_mode):
        raise _stranger(shared, "it is no plain file")
    if found.st_uid != os.geteuid():
        raise _stranger(shared, f"it belongs to user {found.st_uid}, not to you ({os.geteuid()})")
    if found.st_mode & 0o077:
        raise _stranger(shared, f"others may use it (mode {stat.S_IMODE(found.st_mode):04o})")
    if not _START <= found.st_size <= _LARGEST:
        raise _stranger(shared, f"it has {found.st_size} bytes, of {_START} to {_LARGEST}")


class _ListedPort(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A port in a directory."""

    name: str
    unit: str
    direction: Literal["in", "out"]
    offset: int
    count: int
    fields: tuple[str, ...]


class _Listing(msgspec.Struct, frozen=True):
    """A directory."""

    ports: tuple[_ListedPort, ...]


def _read_directory(buffer: Buffer, word: int, shared: str) -> list[Port]:
    start, length = word >> 32, word & 0xFFFFFFFF
    try:
        if not _START <= start <= start + length <= len(buffer):
            raise ValueError("its directory lies outside")
        listed = msgspec.json.decode(bytes(buffer[start : start + length]), type=_Listing).ports
        ports = [Port(p.name, p.direction, p.unit, p.fields, p.offset) for p in listed]
        for port, each in zip(ports, listed):
            room = len(buffer) - mailbox_bytes(port.count)
            if port.offset % 64 or not _START <= port.offset <= room:
                raise ValueError(f"port '{port.name[:200]}' lies outside")
            if port.count != each.count or (port.direction == "in" and port.count != 1):
                raise ValueError(f"port '{port.name[:200]}' has {each.count} values")
        outputs = [port for port in ports if port.direction == "out"]
        if [port.name for port in outputs] != [PUBLISHED]:
            raise ValueError(f"its outputs aren't '{PUBLISHED}' alone")
        if outputs[0].fields[: len(HEAD)] != HEAD:
            raise ValueError(f"'{PUBLISHED}' lacks {', '.join(HEAD)}")
        if len({port.name for port in ports}) < len(ports):
            raise ValueError("a name is there twice")
    except NO_JSON as error:
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
