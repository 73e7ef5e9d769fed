"""The Python face of wire/line.h: a thread of C that serves a device on a serial line."""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import DeviceError
from touchback.native.live.locked_arena import Arena, struct_bytes
from touchback.native.live.mailbox import Mailbox, Message, Publication, hand_over, mailbox_bytes
from touchback.native.shared_library import LIB, Floats, address_of

CLOSED, ASKING, DESCRIBING, RUNNING = (
    LIB.constant(f"TB_LINE_{name}") for name in ("CLOSED", "ASKING", "DESCRIBING", "RUNNING")
)
FIELDS = ("position", "velocity", "force", "current", "voltage")  # in the order of TB_LINE_POSITION
HEAD = LIB.constant("TB_LINE_HEAD")
_AXES = LIB.constant("TB_AXES")
_LATEST = LIB.constant("TB_LINE_LATEST")
_EVENT = LIB.constant("TB_LINE_EVENT")
_EVENTS, _SAMPLES = 256, 8192  # rows that wait for a reader
COUNTS = (
    "samples", "lost", "late", "unhomed", "commands", "unsent", "reopened", "outside", "damaged",
)  # fmt: skip
_ABOUT = struct_bytes("tb_line_about") // 8  # doubles


@dataclass(frozen=True)
class LineInput:
    """An input port that takes a field of an axis: gain × what is measured + offset, in a range."""

    mailbox: Mailbox
    axis: int
    field: int
    gain: float
    offset: float
    low: float
    high: float


@dataclass(frozen=True)
class LineOutput:
    """An axis that gets gain × the number at a place of what a run publishes as its force."""

    axis: int
    place: int
    gain: float


@dataclass(frozen=True)
class SerialLineSettings:
    """How a line is served: times in seconds; a watchdog or period of 0 is left to the device."""

    path: str
    baud: int
    features: int
    watchdog: float
    period: float
    quiet_limit: float
    oldest: float
    priority: int
    cpu: int


class WireLine:
    """A line and its thread, which runs until `stop`; it is stopped when nobody holds this."""

    def __init__(self, wanted: SerialLineSettings) -> None:
        events, log = 8 * _EVENT * _EVENTS, 8 * _LATEST * _SAMPLES
        boxes = mailbox_bytes(_LATEST), mailbox_bytes(_ABOUT)
        self.arena = Arena(Arena.need(struct_bytes("tb_line"), *boxes, events, log))
        self.struct = self.arena.struct("tb_line")
        self._latest, self._known = (
            Mailbox(self.arena.carve(mailbox_bytes(count)), count) for count in (_LATEST, _ABOUT)
        )
        for ring, width, rows in (
            (self.struct.events, _EVENT, _EVENTS), (self.struct.log, _LATEST, _SAMPLES),
        ):  # fmt: skip
            ring.rows, ring.width = address_of(self.arena.floats(width * rows)), width
            ring.capacity = rows
        path = os.fsencode(wanted.path)
        if len(path) >= LIB.constant("TB_LINE_PATH"):
            raise DeviceError(f"Serial line {wanted.path!r}: its path is too long.")
        ctypes.memmove(self.struct.path, path, len(path))
        self.struct.baud = wanted.baud
        self.struct.latest, self.struct.known = self._latest.address, self._known.address
        ask = self.struct.ask
        ask.lowest = ask.highest = LIB.constant("TB_WIRE_VERSION")
        ask.features = wanted.features
        ask.watchdog, ask.period = round(1e6 * wanted.watchdog), round(1e6 * wanted.period)
        self.struct.quiet_limit = round(1e9 * wanted.quiet_limit)
        self.struct.oldest = round(1e9 * wanted.oldest)
        self.struct.priority, self.struct.cpu = wanted.priority, wanted.cpu
        self.address = ctypes.addressof(self.struct)
        self._binding: Arena | None = None
        self._owner = os.getpid()
        error = LIB.tb_line_start(self.address)
        if error:
            raise DeviceError(f"A thread for a line can't be started: {os.strerror(error)}.")
        weakref.finalize(self, _join_thread, self.address, self._owner, self.arena)

    def stop(self) -> None:
        """Lets go of the device, ends the thread and closes the line."""
        _join_thread(self.address, self._owner, self.arena)

    @property
    def state(self) -> int:
        """CLOSED, ASKING, DESCRIBING or RUNNING."""
        return int(self.struct.state)

    def latest(self) -> Message:
        """The last sample (TB_LINE_LATEST)."""
        return self._latest.read()

    def counts(self) -> dict[str, int]:
        """What has happened so far."""
        return {name: int(getattr(self.struct, name)) for name in COUNTS}

    def about(self) -> ctypes.Structure:
        """What the device has told of itself (tb_line_about), a copy that nobody changes."""
        return LIB.struct("tb_line_about").from_buffer_copy(self._known.read().values.tobytes())

    def events(self) -> Floats:
        """Rows of time [ns], event and two numbers since the last call; one caller at a time."""
        return _drain_ring(self.struct.events, _EVENTS, _EVENT)

    def samples(self) -> Floats:
        """Rows as in `latest` of samples since the last call; what nobody took within seconds is
        lost. One caller at a time."""
        return _drain_ring(self.struct.log, _SAMPLES, _LATEST)

    def clear(self) -> None:
        """Clears the device's faults with the next command."""
        self.struct.clear = 1

    def ask_counts(self) -> None:
        """Lets the device tell its counts."""
        self.struct.count_asked = 1

    def bind(
        self,
        inputs: Sequence[LineInput] = (),
        outputs: Sequence[LineOutput] = (),
        publication: Publication | None = None,
    ) -> None:
        """Serves these ports, and no others any more when it returns."""
        if os.getpid() != self._owner or not self.struct.thread:
            return
        if not inputs and not outputs:
            self._want(0, None)
            return
        room = 0 if publication is None else publication.room
        sizes = (
            struct_bytes("tb_line_binding"), struct_bytes("tb_line_input", len(inputs)),
            struct_bytes("tb_line_output", len(outputs)), room,
        )  # fmt: skip
        arena = Arena(Arena.need(*sizes))
        binding = arena.struct("tb_line_binding")
        binding.input_count, binding.output_count = len(inputs), len(outputs)
        for each, given in zip(arena.structs("tb_line_input", len(inputs)), inputs):
            each.mailbox, each.axis, each.field = given.mailbox.address, given.axis, given.field
            each.gain, each.offset = given.gain, given.offset
            each.low, each.high = given.low, given.high
            binding.inputs = binding.inputs or ctypes.addressof(each)
        for each, sent in zip(arena.structs("tb_line_output", len(outputs)), outputs):
            each.axis, each.place, each.gain = sent.axis, sent.place, sent.gain
            binding.outputs = binding.outputs or ctypes.addressof(each)
        if publication is not None:
            publication.fill(binding.publication, arena)
        self._want(ctypes.addressof(binding), arena)

    def _want(self, address: int, arena: Arena | None) -> None:
        hand_over(self.struct.binding, address, "serves a line")
        self._binding = arena  # the one before is used no more


def _drain_ring(ring: ctypes.Structure, most: int, width: int) -> Floats:
    rows = np.empty((most, width))
    return rows[: LIB.tb_ring_drain(ctypes.addressof(ring), address_of(rows), most)]


def _join_thread(address: int, owner: int, arena: Arena) -> None:
    if os.getpid() == owner:  # a child has neither the thread nor what the arena held
        LIB.tb_line_join(address)
