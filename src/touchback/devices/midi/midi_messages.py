"""The channel messages that a keyboard speaks, and a parser for the byte stream of a port.

Numbers and byte layout: MIDI 1.0 Detailed Specification, "Channel Voice Messages"."""

import math
from dataclasses import dataclass, field

from touchback.errors import InputError

NOTE_OFF, NOTE_ON, CONTROL = 0x80, 0x90, 0xB0


SYSTEM_EXCLUSIVE, END_OF_EXCLUSIVE = 0xF0, 0xF7


FIRST_REAL_TIME = 0xF8  # clock, start, stop …: one byte, allowed between the bytes of a message


SUSTAIN = 64


MIDDLE_C = 60


@dataclass(frozen=True)
class NoteOn:
    """A key struck: `note` 0–127 (60 is middle C), `velocity` 1–127, `channel` 0–15."""

    note: int
    velocity: int
    channel: int = 0


@dataclass(frozen=True)
class NoteOff:
    """A key let go, with the release velocity (64 where it isn't measured)."""

    note: int
    velocity: int = 64
    channel: int = 0


@dataclass(frozen=True)
class Control:
    """A controller set to a value: 64 is the sustain pedal."""

    number: int
    value: int
    channel: int = 0


#: What a line carries.
Message = NoteOn | NoteOff | Control


def encode(message: Message) -> bytes:
    """The three bytes of a message, always with its status byte."""
    match message:
        case NoteOn(note, velocity, channel):
            if velocity == 0:
                raise InputError(
                    f"NoteOn of note {note}: velocity 0 means 'note off' to every receiver; "
                    "send NoteOff, or a velocity from 1 to 127."
                )
            return _bytes(NOTE_ON, channel, note, velocity)
        case NoteOff(note, velocity, channel):
            return _bytes(NOTE_OFF, channel, note, velocity)
        case Control(number, value, channel):
            return _bytes(CONTROL, channel, number, value)
    raise InputError(f"A NoteOn, NoteOff or Control is expected, got {message!r}.")


def _bytes(status: int, channel: int, first: int, second: int) -> bytes:
    if channel not in range(16):
        raise InputError(f"MIDI channel {channel}: channels are numbered from 0 to 15.")
    for value in (first, second):
        if not (isinstance(value, int) and 0 <= value <= 127):
            raise InputError(
                f"MIDI data byte {value}: notes and values are whole numbers between 0 and 127."
            )
    return bytes((status | channel, first, second))


@dataclass
class Parser:
    """Messages from a stream of bytes that may be cut anywhere.

    Running status is understood, real-time bytes may come between any two others, messages that we
    don't speak and system-exclusive blocks are skipped, and a data byte without a status is
    counted in `lost`."""

    lost: int = 0
    _status: int = 0
    _data: list[int] = field(default_factory=list)

    def feed(self, stream: bytes) -> list[Message]:
        """The messages that these bytes complete."""
        found = (self._take(byte) for byte in stream)
        return [message for message in found if message is not None]

    def _take(self, byte: int) -> Message | None:
        if byte >= FIRST_REAL_TIME:
            return None
        if byte >= 0x80:
            self._status, self._data = byte, []
            return None
        if self._status == 0 or self._status == END_OF_EXCLUSIVE:
            self.lost += 1
            return None
        if self._status >= SYSTEM_EXCLUSIVE:
            return None  # a system message: its data is skipped until the next status
        self._data.append(byte)
        if len(self._data) < data_length(self._status):
            return None
        data, self._data = self._data, []
        return decode(self._status, data)


def data_length(status: int) -> int:
    """Data bytes after a channel status: one for program change and channel pressure, else two."""
    return 1 if status & 0xF0 in (0xC0, 0xD0) else 2


def decode(status: int, data: list[int]) -> Message | None:
    """The message of a channel status and its data; None for those that we don't speak."""
    kind, channel = status & 0xF0, status & 0x0F
    if kind == NOTE_ON and data[1] > 0:
        return NoteOn(data[0], data[1], channel)
    if kind in (NOTE_ON, NOTE_OFF):
        return NoteOff(data[0], data[1] if kind == NOTE_OFF else 64, channel)
    if kind == CONTROL:
        return Control(data[0], data[1], channel)
    return None


AT_ONE_METRE_PER_SECOND = 57.96


PER_DECADE = 71.3


def velocity_of(speed: float) -> int:
    """MIDI velocity, 1 to 127, of a hammer that meets its string at `speed` [m/s]."""
    if not (speed > 0.0 and math.isfinite(speed)):
        raise InputError(
            f"A hammer speed of {speed} m/s has no velocity; only a hammer that moves towards its "
            "string sounds."
        )
    return min(127, max(1, round(AT_ONE_METRE_PER_SECOND + PER_DECADE * math.log10(speed))))


def speed_of(velocity: float) -> float:
    """Hammer speed [m/s] that a velocity stands for, the inverse of `velocity_of`."""
    if not 1 <= velocity <= 127:
        raise InputError(f"MIDI velocity {velocity}: velocities lie between 1 and 127.")
    return float(10.0 ** ((velocity - AT_ONE_METRE_PER_SECOND) / PER_DECADE))
