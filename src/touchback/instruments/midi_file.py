"""Standard MIDI Files (.mid): messages with their times.

Chunks, variable-length numbers and meta events: Standard MIDI Files 1.0 (RP-001). Format 0 is
written, with ten ticks to the millisecond; formats 0 and 1 are read, with their tempo changes."""

import math
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import touchback as tb
from touchback.errors import InputError
from touchback.safe_files import check_output, read_regular, write_atomically

TICKS_PER_QUARTER = 5000
MICROSECONDS_PER_QUARTER = 500_000  # also the tempo of a file that names none
META, TEMPO, END_OF_TRACK = 0xFF, 0x51, 0x2F
LONGEST_WAIT = 2**28 - 1  # ticks: four bytes of seven bits
LARGEST_FILE = 64 * 1024 * 1024
MOST_EVENTS = 1_000_000  # of all tracks, of any kind: as objects they take 300 bytes each


@dataclass(frozen=True)
class Timed:
    """A message and when it is due [s]."""

    time: float
    message: tb.devices.midi.Message


def write_midi(path: str | Path, messages: Iterable[Timed]) -> None:
    """Write messages as one track, in the order of their times."""
    ticks_per_second = TICKS_PER_QUARTER * 1e6 / MICROSECONDS_PER_QUARTER
    tempo = bytes((META, TEMPO, 3)) + MICROSECONDS_PER_QUARTER.to_bytes(3, "big")
    track = bytearray(_number(0) + tempo)
    now = 0
    for timed in sorted(messages, key=lambda timed: timed.time):
        if not 0.0 <= timed.time < math.inf:
            raise InputError(f"{timed.message}: its time is {timed.time} s; times start at 0.")
        due = round(timed.time * ticks_per_second)
        if due - now > LONGEST_WAIT:
            raise InputError(
                f"{timed.message}: nothing happens for {(due - now) / ticks_per_second:.0f} s "
                f"before it; a .mid file waits for {LONGEST_WAIT / ticks_per_second:.0f} s at most."
            )
        track += _number(due - now) + tb.devices.midi.encode(timed.message)
        now = due
    track += _number(0) + bytes((META, END_OF_TRACK, 0))
    header = b"MThd" + struct.pack(">IHHH", 6, 0, 1, TICKS_PER_QUARTER)
    check_output(path, label="Notes")
    write_atomically(path, header + b"MTrk" + struct.pack(">I", len(track)) + track)


def read_midi(path: str | Path) -> list[Timed]:
    """The note and controller messages of a .mid file, by their times."""
    path = Path(path)
    data = read_regular(path, LARGEST_FILE)
    try:
        division = _division(data)
        ticks = list(_events(_tracks(data)))
    except (IndexError, struct.error):
        raise InputError(f"{path.name} ends in the middle of an event; is it whole?") from None
    except _NotMidi as fault:
        raise InputError(f"{path.name} is no MIDI file that we read: {fault}") from None
    ticks.sort(key=lambda event: event[0])
    return list(_in_seconds(ticks, division))


class _NotMidi(Exception):
    """What is wrong with the bytes; the reader adds the file's name."""


def _division(data: bytes) -> int:
    """Ticks per quarter note."""
    if data[:4] != b"MThd":
        raise _NotMidi(f"it starts with {data[:4]!r}, not with b'MThd'.")
    _, form, _, division = struct.unpack(">IHHH", data[4:14])
    if form > 1:
        raise _NotMidi(f"its format is {form}; only 0 and 1 have one time line.")
    if division == 0:
        raise _NotMidi(
            "its header has 0 ticks per quarter note (the division, bytes 13 and 14), so that no "
            "time can be told; save it anew with 1 to 32767, such as 480."
        )
    if division & 0x8000:
        raise _NotMidi("its times are SMPTE frames; save it with ticks per quarter note.")
    return int(division)


def _tracks(data: bytes) -> Iterator[memoryview]:
    """One after the other; none of them is copied."""
    view, position = memoryview(data), 8 + int.from_bytes(data[4:8], "big")
    while position + 8 <= len(data):
        kind, size = struct.unpack_from(">4sI", data, position)
        body = view[position + 8 : position + 8 + size]
        if len(body) < size:
            raise _NotMidi(f"a chunk of {size} bytes has only {len(body)}.")
        if kind == b"MTrk":
            yield body
        position += 8 + size


Event = tuple[
    int, tb.devices.midi.Message | int
]  # ticks, and a message or a tempo [µs per quarter note]


def _events(tracks: Iterable[memoryview]) -> Iterator[Event]:
    """The events of all tracks; counted while they are read, for a byte or two may be one."""
    left = MOST_EVENTS
    for track in tracks:
        for event in chain([None], _events_of(track)):  # an empty track counts too
            left -= 1
            if left < 0:
                raise _NotMidi(f"it has more than {MOST_EVENTS} events; save a part of it.")
            if event is not None:
                yield event


def _events_of(track: memoryview) -> Iterator[Event | None]:
    """The events of a track; None is one that nobody asks for."""
    position, now, status = 0, 0, 0
    while position < len(track):
        wait, position = _read_number(track, position)
        now += wait
        event: Event | None = None
        if track[position] >= 0x80:
            status, position = track[position], position + 1
        if status == META:
            kind = track[position]
            size, position = _read_number(track, position + 1)
            if kind == TEMPO and size == 3:
                event = now, int.from_bytes(track[position : position + 3], "big")
            if kind == END_OF_TRACK:
                return
            position, status = position + size, 0
        elif status in (0xF0, 0xF7):
            size, position = _read_number(track, position)
            position, status = position + size, 0
        elif 0x80 <= status < 0xF0:
            size = tb.devices.midi.data_length(status)
            values = [track[position + i] & 0x7F for i in range(size)]
            position += size
            message = tb.devices.midi.decode(status, values)
            event = None if message is None else (now, message)
        else:
            raise _NotMidi(f"byte {position} of a track has no status (found {status:#04x}).")
        yield event


def _in_seconds(events: list[Event], division: int) -> Iterator[Timed]:
    time, last, tempo = 0.0, 0, MICROSECONDS_PER_QUARTER
    for ticks, what in events:
        time += (ticks - last) * tempo * 1e-6 / division
        last = ticks
        if isinstance(what, int):
            tempo = what
        else:
            yield Timed(time, what)


def _number(value: int) -> bytes:
    """A variable-length number: seven bits a byte, most significant first."""
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F | 0x80)
    return bytes(reversed(groups))


def _read_number(data: memoryview, position: int) -> tuple[int, int]:
    value = 0
    for _ in range(4):
        byte = data[position]
        position += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, position
    raise _NotMidi("a number has more than four bytes.")
