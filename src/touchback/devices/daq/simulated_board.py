"""A simulated board as a process of its own: Gallo's script, and what can go wrong with it."""

from __future__ import annotations

import json
import math
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Self, TypedDict

import numpy as np

from touchback.devices.daq.block_layout import GALLO, BlockLayout, check_layout
from touchback.devices.daq.conditioning import Conditioning
from touchback.devices.daq.daq_driver import BoardDevice, Daq
from touchback.devices.sensors import Encoder
from touchback.errors import DeviceError, InputError
from touchback.estimate import SmoothDifferentiator
from touchback.model.constraint_kinds import Ramp, Sine, SmoothStep
from touchback.model.value import listed
from touchback.numbers import MOST_COUNTED, as_float, number_within, positive_number, whole_within
from touchback.system.array_arguments import by_name

STARTED, TIME, OVERFLOW, ENDED = 1, 2, 3, 4  # records, as in native/daq/stream.h


SET_CLOCK = 1 << 61  # a question of −(this + ns) sets the clock ahead by as many


FORMATS = {
    "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "float32": "f", "float64": "d",
}  # fmt: skip


class ToldChannel(TypedDict):
    """A channel as JSON: of a signal its kind and numbers."""

    type: str
    samples: int
    skew: float
    ready: float
    kind: str
    numbers: list[float]
    bits: int
    gate: float


class Told(TypedDict):
    """The board as JSON; `files`: to write blocks and records, to read questions."""

    period: float
    channels: list[ToldChannel]
    blocks: int
    buffer: int
    jitter: float
    stalls: list[tuple[float, float]]
    offset: float
    drift: float
    seed: int
    files: tuple[int, int, int]


def value_of(kind: str, numbers: list[float], t: float, block: int) -> float:
    """A signal at a time of the board, before it is counted or converted; the kinds are those of
    touchback.model.constraint_kinds, with their fields in order."""
    if kind == "Sine":
        amplitude, frequency, phase, offset = numbers
        return offset + amplitude * math.sin(2.0 * math.pi * frequency * t + phase)
    if kind == "Ramp":
        speed, start = numbers
        return start + speed * t
    if kind == "SmoothStep":
        start, stop, begin, end = numbers
        s = min(max((t - begin) / (end - begin), 0.0), 1.0)
        return start + (stop - start) * (s - math.sin(2.0 * math.pi * s) / (2.0 * math.pi))
    return float(block)


def written(channel: ToldChannel, t: float, block: int) -> float:
    """The number that stands in a block: rounded down and, by `bits`, gone round as counters do, or
    kept within the type's range as a converter does. `gate`: counts that passed in so many
    seconds before, which is the speed counted on the board."""
    signal = channel["kind"], channel["numbers"]
    counts = value_of(*signal, t, block)
    if channel["type"].startswith("float"):
        return counts
    whole = math.floor(counts)
    if channel["gate"]:
        whole -= math.floor(value_of(*signal, t - channel["gate"], block))
    size = 8 * struct.calcsize(FORMATS[channel["type"]])
    signed = not channel["type"].startswith("u")
    low, high = (-(1 << size - 1), (1 << size - 1) - 1) if signed else (0, (1 << size) - 1)
    if channel["bits"]:
        whole %= 1 << channel["bits"]
        if signed and whole >> channel["bits"] - 1:
            whole -= 1 << channel["bits"]
    return max(low, min(high, whole))


class Board:
    """The state of the board between looks at its clock."""

    def __init__(self, told: Told, data: int, records: int) -> None:
        self.told, self.data, self.records = told, data, records
        self.draw = random.Random(told["seed"])
        self.parts: deque[bytes] = deque()  # that wait for the pipe
        self.waiting = 0  # bytes of them
        self.size = sum(
            c["samples"] * struct.calcsize(FORMATS[c["type"]]) for c in told["channels"]
        )
        self.start, self.ahead = self.clock(), 0  # s; ns by which its clock was set since
        self.sampled, self.due = 0, 0.0  # blocks; when the next value is to be in the pipe
        self.coming = self.events()
        self.next = self.advance()
        self.tell(STARTED, round(1e9 * self.start), round(1e9 * told["period"]))

    def clock(self) -> float:
        """The board's own time [s]."""
        return self.told["offset"] + (1.0 + self.told["drift"]) * time.monotonic()

    def tell(self, *numbers: int) -> None:
        """A record for the driver."""
        os.write(self.records, struct.pack("<4q", *numbers, *[0] * (4 - len(numbers))))

    def events(self) -> Iterator[tuple[float, int, bool, bytes]]:
        """When values get ready, in seconds since the start; of which block, whether its last, and
        their bytes."""
        told = self.told
        for k in range(told["blocks"]):
            begin = k * told["period"]
            groups: list[tuple[float, bytes]] = []
            for c in told["channels"]:
                step = told["period"] / c["samples"]
                times = [begin + c["skew"] + i * step for i in range(c["samples"])]
                numbers = [written(c, t, k) for t in times]
                part = struct.pack(f"<{c['samples']}{FORMATS[c['type']]}", *numbers)
                # Merged in order: nothing passes a value that isn't ready.
                ready = max(begin + c["ready"], groups[-1][0] if groups else 0.0)
                if groups and groups[-1][0] == ready:
                    groups[-1] = ready, groups[-1][1] + part
                else:
                    groups.append((ready, part))
            for i, (ready, part) in enumerate(groups):
                yield ready, k, i == len(groups) - 1, part

    def advance(self) -> tuple[float, int, bool, bytes] | None:
        """The next values, which are late by some jitter but never pass those before."""
        coming = next(self.coming, None)
        ready = math.inf if coming is None else coming[0]
        self.due = max(self.due, ready + self.draw.uniform(0.0, self.told["jitter"]))
        return coming

    def sample(self, now: float) -> None:
        """Queues what is ready by now; stops for ever when the buffer is full."""
        while self.next is not None and self.due <= now:
            _, k, done, part = self.next
            if self.waiting + len(part) > self.told["buffer"] * self.size:
                self.next, self.due = None, math.inf
                self.tell(OVERFLOW, self.sampled)
                return
            self.parts.append(part)
            self.waiting += len(part)
            self.sampled = k + done
            self.next = self.advance()

    def stalled(self, now: float) -> float:
        """Until when nothing leaves; 0.0 when it may."""
        for begin, length in self.told["stalls"]:
            if begin <= now < begin + length:
                return begin + length
        return 0.0

    def send(self) -> None:
        """Writes as much as the pipe takes."""
        while self.parts:
            part = b"".join([self.parts.popleft() for _ in range(min(len(self.parts), 64))])
            try:
                count = os.write(self.data, part)
            except BlockingIOError:
                count = 0
            self.waiting -= count
            if count < len(part):
                self.parts.appendleft(part[count:])
                return

    def answer(self, questions: bytes, came: float) -> None:
        """The board's time, for each question; what is below zero sets the clock."""
        for (number,) in struct.iter_unpack("<q", questions):
            if number < 0:
                self.ahead += -number - SET_CLOCK
            else:
                times = (round(1e9 * t) + self.ahead for t in (came, self.clock()))
                self.tell(TIME, number, *times)

    def work(self, asked: int) -> None:
        """Until all is sent, or nobody listens."""
        while self.next is not None or self.parts:
            now = self.clock() - self.start
            self.sample(now)
            free = self.stalled(now)
            if not free:
                self.send()
            due = min(self.due, free or (now + 1e-3 if self.parts else math.inf))
            pause = 0.0 if due == math.inf else max(0.0, due - (self.clock() - self.start))
            if select.select([asked], [], [], pause)[0]:
                came, questions = self.clock(), os.read(asked, 4096)
                if not questions:
                    return  # the driver has gone
                self.answer(questions, came)
        self.tell(ENDED, self.sampled)


def main(told: Told) -> None:
    """The board's life."""
    data, records, asked = told["files"]
    os.set_blocking(data, False)
    try:
        Board(told, data, records).work(asked)
    except BrokenPipeError:
        return  # the driver has gone


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))


#: What a simulated board samples: a prescribed motion, in counts or steps of a converter.
SampledSignal = Sine | Ramp | SmoothStep


_PROCESS = Path(__file__).with_name("board_process.py")


_FAR = 2e9  # s: what 64 bits of ns hold


_STRONGEST = 1e30  # of a signal's numbers: as float32 holds, and more than any counter


_LAST_WORD = 2.0  # seconds that the process has to end by itself


@dataclass(frozen=True)
class Script:
    """What a simulated board does, for `duration` seconds of its clock.

    `signals` are the channels' numbers over time (counts, steps of a converter); a channel without
    one holds the number of its block, so that what is torn, lost or in another order can be seen.
    `counters` go round after so many bits; `gates`: a channel counts what passed in so many seconds
    before, which is the speed counted on the board.

    `buffer` blocks wait for the pipe, then the board stops: an overflow. Blocks leave up to
    `jitter` seconds late, and not at all during `stalls` (begin, length) [s]; they are sampled on
    time all the same. The board's clock goes `drift` too fast and is `offset` seconds ahead."""

    layout: BlockLayout = GALLO
    duration: float = 50.0
    signals: Mapping[str, SampledSignal] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    gates: Mapping[str, float] = field(default_factory=dict)
    buffer: int = 50_000
    jitter: float = 0.0
    stalls: Sequence[tuple[float, float]] = ()
    drift: float = 0.0
    offset: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        check_layout("Script", self.layout)
        for word in ("signals", "counters", "gates"):
            for name in by_name(f"Script: its {word}", getattr(self, word)):
                self.layout.place(name)
        for name, signal in self.signals.items():
            _check_signal(name, signal)
        times = (self.duration, self.jitter, self.drift, self.offset, *_times(self.stalls))
        finite = all(math.isfinite(as_float(time)) for time in times)
        if not (finite and min(self.duration, self.jitter) >= 0.0 and abs(self.drift) < 1.0):
            raise InputError(
                f"A board lasts {self.duration} s, its jitter is {self.jitter} s, its drift "
                f"{self.drift}, its offset {self.offset} s, its stalls {list(self.stalls)}; give "
                "finite numbers, duration and jitter from 0 on, a drift within ±1."
            )
        number_within("A board lasts 0 to 1e9 s", self.duration, 0.0, 1e9)
        whole_within("A board's seed must be a whole number from 0 on", self.seed, 0, MOST_COUNTED)
        whole_within(
            "A board's buffer must have room for 1 block at least", self.buffer, 1, MOST_COUNTED
        )
        number_within(
            f"A board's clock must be within ±{_FAR:g} s of ours", self.offset, -_FAR, _FAR
        )
        for name, bits in self.counters.items():
            size = 8 * np.dtype(self.layout.channels[self.layout.place(name)].type).itemsize
            whole_within(f"Counter '{name}' must have 1 to {size} bits", bits, 1, size)
        for name, gate in self.gates.items():
            positive_number(f"The gate of '{name}' [s]", gate)

    @property
    def blocks(self) -> int:
        """How many blocks there are in all."""
        return round(self.duration / self.layout.period)

    def as_json(self, files: tuple[int, int, int]) -> str:
        """For the process."""
        channels = []
        for c in self.layout.channels:
            signal = self.signals.get(c.name)
            channels.append({
                "type": c.type, "samples": c.samples, "skew": c.skew, "ready": c.ready,
                "kind": type(signal).__name__ if signal else "number",
                "numbers": list(map(float, astuple(signal))) if signal else [],
                "bits": int(self.counters.get(c.name, 0)),
                "gate": float(self.gates.get(c.name, 0.0)),
            })  # fmt: skip
        return json.dumps({
            "period": self.layout.period, "channels": channels, "blocks": self.blocks,
            "buffer": int(self.buffer), "jitter": float(self.jitter),
            "stalls": [[float(begin), float(length)] for begin, length in self.stalls],
            "offset": float(self.offset), "drift": float(self.drift), "seed": int(self.seed),
            "files": files,
        })  # fmt: skip


def _check_signal(name: str, signal: object) -> None:
    """The board's process could only end over one that it can't sample."""
    if not isinstance(signal, SampledSignal):
        raise InputError(
            f"Channel '{name}': a board samples a Sine, a Ramp or a SmoothStep, got {signal!r}."
        )
    for number in astuple(signal):
        said = f"Channel '{name}': numbers of {signal!r} must be within ±{_STRONGEST:g}"
        number_within(said, number, -_STRONGEST, _STRONGEST)


def _times(stalls: object) -> list[object]:
    """Of all stalls, which are pairs."""
    pairs = listed(stalls)
    found = [] if pairs is None else [listed(pair) for pair in pairs]
    if pairs is None or any(pair is None or len(pair) != 2 for pair in found):
        raise InputError(f"A board's stalls are pairs (begin, length) [s], got {stalls!r}.")
    return [time for pair in found if pair is not None for time in pair]


class SimulatedBoard:
    """A board's process and our ends of its pipes: `data` (blocks), `records` (what it says) and
    `questions` (what it is asked). It samples from the start on, whether anybody reads or not.

    `pipe`: bytes that the pipe of blocks takes, which the kernel rounds up to pages."""

    simulated = True

    def __init__(self, script: Script, pipe: int = 1 << 16) -> None:
        self.layout, self.script = script.layout, script
        (self.data, data), (self.records, records), (asked, self.questions) = (
            os.pipe(), os.pipe(), os.pipe()
        )  # fmt: skip
        theirs = data, records, asked
        try:
            _resize(data, pipe)
            self.process = subprocess.Popen(
                [sys.executable, "-S", "-E", str(_PROCESS), script.as_json(theirs)], pass_fds=theirs
            )
        except BaseException:
            self._close()
            raise
        finally:
            for file in theirs:
                os.close(file)

    def news(self) -> list[str]:
        """Nothing in words: it tells its driver by records."""
        return []

    def set_clock(self, by: float) -> None:
        """Sets the board's clock ahead by so many seconds, which its sampling doesn't heed."""
        by = number_within(f"A board's clock is set by at most ±{_FAR:g} s", by, -_FAR, _FAR)
        try:
            os.write(self.questions, struct.pack("<q", -(SET_CLOCK + round(1e9 * by))))
        except OSError:
            raise DeviceError("The board has ended; its clock can't be set.") from None

    def kill(self) -> None:
        """As if its plug were pulled."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Ends the process."""
        self._close()
        try:
            self.process.wait(_LAST_WORD)
        except subprocess.TimeoutExpired:
            self.kill()

    def _close(self) -> None:
        for file in (self.data, self.records, self.questions):
            if file >= 0:
                os.close(file)
        self.data = self.records = self.questions = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _resize(file: int, size: int) -> None:
    import fcntl  # not on every platform

    try:
        fcntl.fcntl(file, fcntl.F_SETPIPE_SZ, size)
    except OSError as error:
        raise DeviceError(
            f"A pipe of {size} bytes can't be had: {error.strerror}; see "
            "/proc/sys/fs/pipe-max-size."
        ) from None


SIMULATED = "simulated"


ENCODER = Encoder(500)  # of the steering wheel: 2000 counts a turn


_LENGTH = 20  # blocks of 1 ms: as late as his N = 4 at 5 ms


#: An hour of swaying to and fro by 45°, with a quarter of the throttle.
SWAYING = Script(
    duration=3600.0,
    signals={
        "brake": Ramp(0.0),
        "throttle": SmoothStep(0.0, 105.0, 0.2, 1.5),
        "steering": Sine(250.0, 0.2),
    },
)


def driver_conditioning(length: int = _LENGTH) -> Conditioning:
    """What a car takes of Gallo's blocks: "throttle" and "brake" as counts, "steering angle" [rad]
    predicted to now, and "steering rate" and "steering acceleration" by the smooth differentiator
    of so many blocks, once and after itself, as he does it (2012, 4.2.2)."""
    c = Conditioning(GALLO)
    d = SmoothDifferentiator(GALLO.period, length)
    angle = ENCODER.quantity(c["steering"])
    rate = c.filtered(d, angle)
    c.give("steering angle", c.now(angle, rate, of="steering"), of="steering")
    c.give("steering rate", rate, of="steering", delay=d.delay)
    c.give("steering acceleration", c.filtered(d, rate), of="steering", delay=2.0 * d.delay)
    return c


class SimulatedDriver(BoardDevice):
    """A device that serves the inputs of a car, by the names of `driver_conditioning`, from a
    simulated board. The board starts with the first of them."""

    def __init__(self, script: Script = SWAYING) -> None:
        super().__init__()
        self.script = script

    def start(self, closing: ExitStack) -> Daq:
        board = closing.enter_context(SimulatedBoard(self.script))
        return closing.enter_context(Daq(board, driver_conditioning()))


def open_board(place: str) -> SimulatedDriver:
    """The device "board:simulated"."""
    if place != SIMULATED:
        raise InputError(
            f"A board is 'board:{SIMULATED}', got 'board:{place}'; 'file:…' plays a file, others "
            "are made by a program: see `touchback.devices.daq`."
        )
    return SimulatedDriver()
