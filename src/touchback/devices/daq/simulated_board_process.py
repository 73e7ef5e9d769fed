"""A simulated board: a process that samples signals by its own clock and writes blocks into a pipe,
values as they become ready, whatever the reader does.

It needs nothing but Python, and runs as a script of its own (see simulated_board.py), since its
process finds no packages. Its description comes as JSON in its only argument."""

import json
import math
import os
import random
import select
import struct
import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import TypedDict

STARTED, TIME, OVERFLOW, ENDED = 1, 2, 3, 4  # records, as in native/daq/stream.h
SET_CLOCK = 1 << 61  # a question of −(this + ns) sets the clock ahead by as many
FORMATS = {
    "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "float32": "f", "float64": "d",
}  # fmt: skip


class ChannelDescription(TypedDict):
    """A channel as JSON: of a signal its kind and numbers."""

    type: str
    samples: int
    skew: float
    ready: float
    kind: str
    numbers: list[float]
    bits: int
    gate: float


class BoardDescription(TypedDict):
    """The board as JSON; `files`: to write blocks and records, to read questions."""

    period: float
    channels: list[ChannelDescription]
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


def written(channel: ChannelDescription, t: float, block: int) -> float:
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

    def __init__(self, told: BoardDescription, data: int, records: int) -> None:
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


def main(told: BoardDescription) -> None:
    """The board's life."""
    data, records, asked = told["files"]
    os.set_blocking(data, False)
    try:
        Board(told, data, records).work(asked)
    except BrokenPipeError:
        return  # the driver has gone


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
