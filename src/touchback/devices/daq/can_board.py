"""Signals of a CAN bus as blocks: python-can brings the frames, cantools reads them by a DBC."""

from __future__ import annotations

import importlib
import math
import os
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from touchback.devices.daq.block_feed import JUMP, Feed, SourceClock
from touchback.devices.daq.block_layout import BlockChannel, BlockLayout
from touchback.errors import DeviceError, InputError
from touchback.names import unknown_name
from touchback.native.live.mailbox import clock_now
from touchback.safe_files import check_file

if TYPE_CHECKING:
    import can
    from cantools.database.can import Database, Message

_BUS_OFF = 0x40  # CAN_ERR_BUSOFF of an error frame's identifier (linux/can/error.h)
_HEARD = 12  # identifiers that a message names
_STRANGERS = 1000  # that are remembered
_LARGEST = 1 << 26  # bytes of a DBC: that of a whole car has some 1 MB
_LATEST = 9e9  # s of a bus' time, as ns in 64 bits


def read_dbc(path: str | Path) -> Database:
    """A bus' description."""
    check_file(path, _LARGEST)
    database = _imported("cantools").database
    try:
        found = database.load_file(os.fspath(path))
    except OSError as error:
        raise InputError(f"{str(path)!r} can't be read: {error.strerror}.") from None
    except (database.UnsupportedDatabaseFormatError, ValueError) as error:
        raise InputError(f"{str(path)!r} is no description of a CAN bus: {error}.") from None
    if not hasattr(found, "get_message_by_frame_id"):
        raise InputError(f"{str(path)!r} describes diagnostics, not messages of a bus.")
    return found


def can_layout(
    database: Database, signals: Sequence[str], period: float, samples: Mapping[str, int] = {}
) -> BlockLayout:
    """A block of such signals, as physical numbers, every `period` seconds; of signals that come
    more often, so many `samples` of them."""
    for name in signals:
        _message_of(database, name)
    return BlockLayout(
        period, [BlockChannel(name, "float64", samples.get(name, 1)) for name in signals]
    )


#: Whether it is an extended one, of 29 bits: 0x200 of 11 bits is another; and its number.
_Identifier = tuple[bool, int]


def _identifier(message: Message) -> _Identifier:
    return message.is_extended_frame, message.frame_id


def _format_identifier(identifier: _Identifier) -> str:
    extended, number = identifier
    return f"{number:#x}{' extended' if extended else ''}"


@dataclass
class _Source:
    """A message that is listened to, with the channels that it has."""

    message: Message
    channels: list[str]


class CanBoard(Feed):
    """Signals of a CAN bus. `bus` is one of python-can's, `database` a DBC that was read, or its
    path; channels of the layout have the names of signals.

    A block is given as soon as every channel has as many new numbers as a block holds of it: what
    comes more often is used at its newest, what is missing holds the block back, so that inputs
    grow stale. Each block is dated by its oldest part. A frame of a wrong length, or with a value
    outside what the DBC allows, isn't used. `close` leaves the bus open."""

    def __init__(
        self, layout: BlockLayout, bus: can.BusABC, database: Database | str | Path,
        patience: float = 0.5,
    ) -> None:  # fmt: skip
        if isinstance(database, str | Path):
            database = read_dbc(database)
        self._errors = _imported("can").CanError, _imported("cantools").database.errors.Error
        self._bus, self._sources = bus, dict[_Identifier, _Source]()
        for channel in layout.channels:
            message = _message_of(database, channel.name)
            source = self._sources.setdefault(_identifier(message), _Source(message, []))
            source.channels.append(channel.name)
        self._numbers = {
            channel.name: deque[float](maxlen=channel.samples) for channel in layout.channels
        }
        self._times = {channel.name: 0 for channel in layout.channels}  # ns of the bus
        self._behind = 0  # ns that its clock is behind ours
        self._clock, self._number, self._strangers = SourceClock(), 0, set[_Identifier]()
        self._stamps = False  # whether frames say when they came
        super().__init__(f"CAN bus {bus.channel_info}", layout, patience)
        self.start()

    def shut(self) -> None:
        """Whoever opened the bus closes it."""

    def take(self, seconds: float) -> bool:
        try:
            frame = self._bus.recv(seconds)
            while frame is not None and not self.closing:
                self._take_frame(frame)
                frame = self._bus.recv(0.0)
        except self._errors[0] as error:
            raise DeviceError(f"the bus failed: {error}") from error
        return True

    def _take_frame(self, frame: can.Message) -> None:
        arrival = clock_now()
        if frame.is_error_frame:
            self._take_error(frame)
            return
        if frame.is_remote_frame:
            return
        if not abs(frame.timestamp) < _LATEST:
            self.fault("garbage", f"a frame came at {frame.timestamp} s of the bus; it isn't used.")
            return
        self._stamps = self._stamps or frame.timestamp != 0.0  # else drivers give none
        sent = round(1e9 * frame.timestamp) if self._stamps else arrival
        off = self._clock.ahead(sent, arrival)
        if abs(off) > JUMP:
            self._clock.forget()
            self.jumped(off)
        behind = self._clock.to_local(sent, arrival) - sent
        if abs(off) > JUMP:  # what came before it is as old as it was
            self._times = {c: t + self._behind - behind for c, t in self._times.items()}
        self._behind = behind
        identifier = frame.is_extended_id, frame.arbitration_id
        source = self._sources.get(identifier)
        if source is None:
            if len(self._strangers) < _STRANGERS:
                self._strangers.add(identifier)
            return
        found = self._decoded(source, frame)
        for name, value in found.items():
            self._numbers[name].append(value)
            self._times[name] = sent
        if found and all(len(kept) == kept.maxlen for kept in self._numbers.values()):
            self._complete()

    def _take_error(self, frame: can.Message) -> None:
        if frame.arbitration_id & _BUS_OFF:
            self.fault("bus off", "bus off: the controller has left the bus after too many errors.")
        else:
            self.fault("error frames", f"an error frame (class {frame.arbitration_id:#x}).")

    def _decoded(self, source: _Source, frame: can.Message) -> dict[str, float]:
        """A frame's numbers; none when it isn't what the DBC says."""
        message = source.message
        if len(frame.data) != message.length:
            self.fault(
                "garbage",
                f"message {message.name} ({frame.arbitration_id:#x}) has {len(frame.data)} bytes, "
                f"but {message.length} by the DBC. Is it the right DBC?",
            )
            return {}
        try:
            decoded = message.decode_simple(bytes(frame.data), decode_choices=False)
        except self._errors[1] as error:
            self.fault("garbage", f"message {message.name} can't be read: {error}.")
            return {}
        # What the multiplexer leaves out of this frame comes in another.
        values = {c: decoded.get(c) for c in source.channels}
        found = {c: float(v) for c, v in values.items() if isinstance(v, int | float)}
        return found if all(self._possible(message, *item) for item in found.items()) else {}

    def _possible(self, message: Message, name: str, value: float) -> bool:
        signal = message.get_signal_by_name(name)
        low = -math.inf if signal.minimum is None else float(signal.minimum)
        high = math.inf if signal.maximum is None else float(signal.maximum)
        if low <= value <= high or low == high:  # [0|0]: any
            return True
        self.fault(
            "garbage",
            f"signal {name} is {value:g}, outside [{low:g}, {high:g}] of the DBC; this frame of "
            f"{message.name} isn't used.",
        )
        return False

    def _complete(self) -> None:
        spans = {
            c.name: round(1e9 * (c.skew + (c.samples - 1) * self.layout.period / c.samples))
            for c in self.layout.channels
        }
        # The fastest arrival dates all of them, those that came before it too.
        began = min(self._times[name] - spans[name] for name in spans)
        self.give(
            began + self._behind, self._number,
            [np.array(kept, dtype="<f8").tobytes() for kept in self._numbers.values()],
        )  # fmt: skip
        self._number += 1
        for kept in self._numbers.values():
            kept.clear()

    def missing(self) -> str:
        """Names the signals that don't come, and what comes instead."""
        late = [name for name, kept in self._numbers.items() if len(kept) < (kept.maxlen or 1)]
        found = [
            f"{name} (message {s.message.name}, {_format_identifier(identifier)})"
            for identifier, s in self._sources.items() for name in s.channels if name in late
        ]  # fmt: skip
        others = (
            ", ".join(_format_identifier(i) for i in sorted(self._strangers)[:_HEARD]) or "nothing"
        )
        return f"missing {', '.join(found)}. Besides, {others} was heard. Is it the right DBC?"


def _message_of(database: Database, signal: str) -> Message:
    holders = [m for m in database.messages if any(s.name == signal for s in m.signals)]
    if not holders:
        names = [s.name for m in database.messages for s in m.signals]
        raise unknown_name("signal of this DBC", signal, names)
    if len(holders) > 1:
        raise InputError(
            f"Signal '{signal}' is in messages {', '.join(m.name for m in holders)}; read a DBC in "
            "which its name is used once."
        )
    (holder,) = holders
    twins = [m.name for m in database.messages if _identifier(m) == _identifier(holder)]
    if len(twins) > 1:
        raise InputError(
            f"Signal '{signal}': messages {', '.join(twins)} have the same identifier "
            f"{_format_identifier(_identifier(holder))}; read a DBC in which each has its own."
        )
    if not any(s.name == signal and s.scale for s in holder.signals):
        raise InputError(f"Signal '{signal}' has a factor of 0 in this DBC; mend it there.")
    return holder


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DeviceError(
            f"CAN needs {name}, which isn't installed: pip install touchback[can]."
        ) from None
