"""The Python face of evdev/wheel.h: a thread of C that serves a wheel or pedals."""

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

AXES = LIB.constant("TB_EVDEV_AXES")
CONSTANT, SIMULATED = LIB.constant("TB_EVDEV_CONSTANT"), LIB.constant("TB_EVDEV_SIMULATED")
COUNTS = (
    "reports", "lost", "strange", "outside", "opened", "taken", "saturated", "late", "levels",
    "refused",
)  # fmt: skip
_ABOUT = struct_bytes("tb_evdev_about") // 8  # doubles
_LATEST, _EVENT = LIB.constant("TB_WHEEL_LATEST"), LIB.constant("TB_WHEEL_EVENT")
_EVENTS = 256  # rows that wait for a reader


@dataclass(frozen=True)
class WheelInput:
    """An input port that takes an axis: gain × what is reported + offset, at least and at most so
    much, in the port's range."""

    mailbox: Mailbox
    code: int
    gain: float
    offset: float
    least: float
    most: float
    low: float
    high: float


@dataclass(frozen=True)
class WheelOutput:
    """The torque at a place of what a run publishes; `full` is that of the device's full level."""

    place: int
    full: float
    publication: Publication


@dataclass(frozen=True)
class WheelSettings:
    """How a device is served: times in seconds."""

    path: str
    oldest: float
    spacing: float
    priority: int
    cpu: int


class WheelThread:
    """A device and its thread, which runs until `stop`; it is stopped when nobody holds this."""

    def __init__(self, wanted: WheelSettings) -> None:
        events, boxes = 8 * _EVENT * _EVENTS, (mailbox_bytes(_LATEST), mailbox_bytes(_ABOUT))
        self.arena = Arena(Arena.need(struct_bytes("tb_wheel"), *boxes, events))
        self.struct = struct = self.arena.struct("tb_wheel")
        self._latest, self._known = (
            Mailbox(self.arena.carve(mailbox_bytes(count)), count) for count in (_LATEST, _ABOUT)
        )
        struct.latest, struct.known = self._latest.address, self._known.address
        ring = struct.events
        ring.rows, ring.width = address_of(self.arena.floats(_EVENT * _EVENTS)), _EVENT
        ring.capacity = _EVENTS
        path = os.fsencode(wanted.path)
        if len(path) >= LIB.constant("TB_EVDEV_PATH"):
            raise DeviceError(f"Event device {wanted.path!r}: its path is too long.")
        ctypes.memmove(struct.path, path, len(path))
        struct.oldest, struct.spacing = round(1e9 * wanted.oldest), round(1e9 * wanted.spacing)
        struct.priority, struct.cpu = wanted.priority, wanted.cpu
        self.address = ctypes.addressof(struct)
        self._binding: Arena | None = None
        self._owner = os.getpid()
        error = LIB.tb_wheel_start(self.address)
        if error:
            raise DeviceError(f"A thread for a wheel can't be started: {os.strerror(error)}.")
        weakref.finalize(self, _join_thread, self.address, self._owner, self.arena)

    def stop(self) -> None:
        """Takes the force away, ends the thread and closes the device."""
        _join_thread(self.address, self._owner, self.arena)

    @property
    def running(self) -> bool:
        """Whether the device is open."""
        return bool(self.struct.running)

    def latest(self) -> Message:
        """What all axes reported last, by their codes."""
        return self._latest.read()

    def counts(self) -> dict[str, int]:
        """What has happened so far."""
        return {name: int(getattr(self.struct, name)) for name in COUNTS}

    def about(self) -> ctypes.Structure:
        """What the device said of itself (tb_evdev_about), a copy that nobody changes."""
        return LIB.struct("tb_evdev_about").from_buffer_copy(self._known.read().values.tobytes())

    def events(self) -> Floats:
        """Rows of time [ns], event and two numbers since the last call; one caller at a time."""
        rows = np.empty((_EVENTS, _EVENT))
        ring = ctypes.addressof(self.struct.events)
        return rows[: LIB.tb_ring_drain(ring, address_of(rows), _EVENTS)]

    def bind(self, inputs: Sequence[WheelInput] = (), output: WheelOutput | None = None) -> None:
        """Serves these ports, and no others any more when it returns."""
        if os.getpid() != self._owner or not self.struct.thread:
            return
        if not inputs and output is None:
            self._want(0, None)
            return
        arena = Arena(
            Arena.need(
                struct_bytes("tb_wheel_binding"), struct_bytes("tb_wheel_input", len(inputs)),
                0 if output is None else output.publication.room,
            )
        )  # fmt: skip
        binding = arena.struct("tb_wheel_binding")
        binding.input_count = len(inputs)
        for each, given in zip(arena.structs("tb_wheel_input", len(inputs)), inputs):
            each.mailbox, each.code = given.mailbox.address, given.code
            each.gain, each.offset = given.gain, given.offset
            each.least, each.most, each.low, each.high = (
                given.least, given.most, given.low, given.high,
            )  # fmt: skip
            binding.inputs = binding.inputs or ctypes.addressof(each)
        if output is not None:
            binding.place, binding.full = output.place, output.full
            output.publication.fill(binding.publication, arena)
        self._want(ctypes.addressof(binding), arena)

    def _want(self, address: int, arena: Arena | None) -> None:
        hand_over(self.struct.binding, address, "serves a wheel")
        self._binding = arena  # the one before is used no more


def _join_thread(address: int, owner: int, arena: Arena) -> None:
    if os.getpid() == owner:  # a child has neither the thread nor what the arena held
        LIB.tb_wheel_join(address)
