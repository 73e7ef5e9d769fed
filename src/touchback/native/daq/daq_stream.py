"""The Python face of daq/stream.h: a thread of C that drains a board's pipe."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import DeviceError
from touchback.native.c_struct import FunctionData
from touchback.native.daq.daq_pipe import ReadRequest
from touchback.native.live.locked_arena import Arena, struct_bytes
from touchback.native.live.mailbox import Mailbox, Message, hand_over, mailbox_bytes
from touchback.native.shared_library import LIB, Floats, address_of

HEAD = LIB.constant("TB_DAQ_BLOCK_HEAD")
MOST_CHANNELS = LIB.constant("TB_DAQ_CHANNELS")
TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
STARTED, TIME, OVERFLOW, ENDED, GONE, OUTSIDE, JUMPED, NOT_FINITE, STRANGE = (
    LIB.constant(f"TB_DAQ_{name}")
    for name in (
        "STARTED", "TIME", "OVERFLOW", "ENDED", "GONE", "OUTSIDE", "JUMPED", "NOT_FINITE", "STRANGE"
    )
)  # fmt: skip
STAMP = LIB.constant("TB_DAQ_STAMP")
COUNTS = ("received", "calls", "undated", "unlogged", "outside", "unheard", "lost", "not_finite")
_EVENT, _DRAIN = LIB.constant("TB_DAQ_EVENT"), LIB.constant("TB_DAQ_DRAIN")
_EVENTS, _DRAINS, _BLOCKS = 256, 16384, 65536  # rows that wait for a reader


@dataclass(frozen=True)
class Field:
    """A channel's numbers in a block: where, which type (a place in TYPES), how many; ns from the
    block's beginning to the first, and between them; which number of the block says by how many
    seconds they were measured before that (−1: none)."""

    offset: int
    type: int
    count: int
    skew: int
    spacing: int
    behind: int


@dataclass(frozen=True)
class Quantities:
    """The function that gives x after a block of [x, u = time, raw numbers, ages of channels], its
    parameter block, and x before the first."""

    function: FunctionData
    parameters: Floats
    start: Floats


@dataclass(frozen=True)
class PortBinding:
    """An input port that takes the quantity at a place of x, dated by a channel less a delay [ns],
    in a range."""

    mailbox: Mailbox
    place: int
    field: int
    delay: int
    low: float
    high: float


@dataclass(frozen=True)
class DaqStreamSettings:
    """What is drained: files of the data and of the board's records (in, out; −1: none), the calls
    and seconds between them, whether it is remembered over calls where in a block the stream is,
    bytes of a block and its fields, whether a stamp is the first of them, the
    scheduler's priority (0: none)."""

    data: int
    control_in: int
    control_out: int
    want: ReadRequest
    pace: float
    whole: bool
    block: int
    fields: Sequence[Field]
    period: float
    stamped: bool
    priority: int


class DaqStream:
    """A board's pipe and its thread, which runs until `stop`, or until nobody holds this."""

    def __init__(self, wanted: DaqStreamSettings, quantities: Quantities) -> None:
        raw, size = sum(field.count for field in wanted.fields), len(quantities.start)
        self.row = HEAD + raw  # of a block; its quantities come behind it in `latest`
        latest, inputs = self.row + size, 1 + raw + len(wanted.fields)
        work = quantities.function.work_size
        rings = ((_EVENT, _EVENTS), (_DRAIN, _DRAINS), (self.row, _BLOCKS))
        self.arena = Arena(Arena.need(
            struct_bytes("tb_daq"), mailbox_bytes(latest), *(8 * w * n for w, n in rings),
            8 * size, 8 * latest, 8 * inputs, 8 * max(work, 1), wanted.want.most, wanted.block,
        ))  # fmt: skip
        self.struct = struct = self.arena.struct("tb_daq")
        self._latest = Mailbox(self.arena.carve(mailbox_bytes(latest)), latest)
        struct.latest = self._latest.address
        for ring, (width, rows) in zip((struct.events, struct.drains, struct.blocks), rings):
            ring.rows, ring.width = address_of(self.arena.floats(width * rows)), width
            ring.capacity = rows
        x = self.arena.floats(size)
        x[:] = quantities.start
        struct.x, struct.x_count = address_of(x), size
        struct.next = address_of(self.arena.floats(latest))
        struct.u = address_of(self.arena.floats(inputs))
        self._kept = quantities, x
        struct.p = address_of(quantities.parameters)
        struct.updates.call = quantities.function.address
        struct.updates.context = quantities.function.context_address
        struct.updates.work = address_of(self.arena.floats(max(work, 1)))
        struct.bytes, struct.partial = map(self.arena.carve, (wanted.want.most, wanted.block))
        self._fill(wanted, raw)
        self.address = ctypes.addressof(struct)
        self._binding: Arena | None = None
        self._owner = os.getpid()
        error = LIB.tb_daq_start(self.address)
        if error:
            raise DeviceError(f"A thread for a board can't be started: {os.strerror(error)}.")
        weakref.finalize(self, _join_thread, self.address, self._owner, (self.arena, self._kept))

    def _fill(self, wanted: DaqStreamSettings, raw: int) -> None:
        struct = self.struct
        for file in (wanted.data, wanted.control_in, wanted.control_out):
            if file >= 0:
                os.set_blocking(file, False)
        struct.pipe.file, struct.pipe.other = wanted.data, wanted.control_in
        struct.control_in, struct.control_out = wanted.control_in, wanted.control_out
        wanted.want.fill(struct.want)
        struct.whole, struct.pace = wanted.whole, round(1e9 * wanted.pace)
        struct.block, struct.raw_count = wanted.block, raw
        struct.field_count = len(wanted.fields)
        for place, field in zip(struct.fields, wanted.fields):
            for name in ("offset", "type", "count", "skew", "spacing", "behind"):
                setattr(place, name, getattr(field, name))
        struct.period, struct.stamped = round(1e9 * wanted.period), wanted.stamped
        struct.index = -1
        struct.priority, struct.cpu = wanted.priority, -1

    def stop(self) -> None:
        """Ends the thread."""
        _join_thread(self.address, self._owner, (self.arena, self._kept))

    @property
    def running(self) -> bool:
        """Whether the board's pipe is open."""
        return bool(self.struct.running)

    def trust(self) -> None:
        """Hands blocks over again after the clock jumped."""
        self.struct.doubted = 0

    def latest(self) -> Message:
        """The block used last: its row, then its quantities."""
        return self._latest.read()

    def counts(self) -> dict[str, int]:
        """What has happened so far."""
        return {name: int(getattr(self.struct, name)) for name in COUNTS}

    def events(self) -> Floats:
        """Rows of time [ns], kind and two numbers since the last call; one caller at a time."""
        return _drain_ring(self.struct.events)

    def drains(self) -> Floats:
        """Rows of TB_DAQ_DRAIN numbers since the last call, likewise."""
        return _drain_ring(self.struct.drains)

    def blocks(self) -> Floats:
        """Rows of all blocks since the last call, likewise."""
        return _drain_ring(self.struct.blocks)

    def bind(self, served: Sequence[PortBinding]) -> None:
        """Serves these ports, and no others any more when it returns."""
        if os.getpid() != self._owner or not self.struct.thread:
            return
        sizes = struct_bytes("tb_daq_binding"), struct_bytes("tb_daq_output", len(served))
        arena = Arena(Arena.need(*sizes)) if served else None
        address = 0
        if arena is not None:
            binding, outputs = (
                arena.struct("tb_daq_binding"), arena.structs("tb_daq_output", len(served)),
            )  # fmt: skip
            for each, port in zip(outputs, served):
                each.mailbox, each.place, each.field = port.mailbox.address, port.place, port.field
                each.delay, each.low, each.high = port.delay, port.low, port.high
            binding.count, binding.outputs = len(served), ctypes.addressof(outputs)
            address = ctypes.addressof(binding)
        hand_over(self.struct.binding, address, "drains a board")
        self._binding = arena  # the one before is used no more


def _drain_ring(ring: ctypes.Structure) -> Floats:
    rows = np.empty((ring.capacity, ring.width))
    return rows[: LIB.tb_ring_drain(ctypes.addressof(ring), address_of(rows), ring.capacity)]


def _join_thread(address: int, owner: int, kept: object) -> None:
    if os.getpid() == owner:  # a child has neither the thread nor what the arena held
        LIB.tb_daq_join(address)
