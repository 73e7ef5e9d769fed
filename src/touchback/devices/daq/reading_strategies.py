"""Six ways to take blocks out of a board's pipe, of which one is right (Gallo 2012, 4.3.3–4).

Five are the same call (`Want`) with other numbers. The sixth, *take what you need*, is for groups
that carry a tag: `TaggedReader`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from touchback.devices.daq.block_layout import BlockLayout, check_layout
from touchback.errors import DeviceError
from touchback.names import unknown_name
from touchback.native.daq.daq_pipe import Pipe, ReadRequest
from touchback.numbers import whole_within

WAIT, TIMEOUT = 5e-3, 10e-3  # [s] of his calls
STEP = 5e-3  # [s] of his simulator, in each of which it calls once
ROOM = 50_000  # blocks of his buffer


@dataclass(frozen=True)
class Strategy:
    """How a reader takes what is there: `fails` says what comes of it, nothing for the right one.
    `whole`: whether the reader knows from call to call where in a block the stream is."""

    name: str
    want: ReadRequest
    whole: bool = True
    fails: str = ""


def strategy(name: str, layout: BlockLayout, blocks: int = ROOM) -> Strategy:
    """A strategy by its name, for blocks of a layout; "one block" takes `blocks` of them at once
    where that many can be waited for, all others have room for so many."""
    check_layout(f"Strategy {name!r}", layout)
    whole_within("A reader's room must be 1 to 1000000 blocks", blocks, 1, 1_000_000)
    size = layout.size
    value = min(np.dtype(channel.type).itemsize for channel in layout.channels)
    known = (
        Strategy(
            "one value", ReadRequest(value, value, value, None, None),
            fails="overflow: a call for each number is slower than the board",
        ),
        Strategy(
            "one block", ReadRequest(size, size, size, None, None),
            fails="blocking: it waits as long as the block takes to come",
        ),
        Strategy(
            "everything", ReadRequest(1, size * blocks, 1, WAIT, TIMEOUT), whole=False,
            fails="torn: the stream is cut within a block, and the next call starts there",
        ),
        Strategy(
            "block if available", ReadRequest(size, size, size, 0.0, None),
            fails="stale: the oldest block comes first, and the others wait",
        ),
        Strategy("all blocks", ReadRequest(size, size * blocks, size, WAIT, TIMEOUT)),
    )  # fmt: skip
    for each in known:
        if each.name == name:
            return each
    raise unknown_name("reading strategy", name, [each.name for each in known])


#: The names of his five strategies, the right one last.
STRATEGIES = ("one value", "one block", "everything", "block if available", "all blocks")


@dataclass(frozen=True)
class Taken:
    """What a call took: the blocks, oldest first (a structured array), bytes, and how long it was
    in all [s]."""

    blocks: np.ndarray
    bytes: int
    seconds: float


class TaggedReader:
    """Takes what it needs: groups of several kinds in one stream, each behind a tag (an unsigned
    whole number of 16 bits, the low byte first) that says which layout follows. Every group takes
    two calls, one for the tag and one for as many bytes as it announces; the second waits as long
    as they take to come."""

    def __init__(self, file: int, layouts: Mapping[int, BlockLayout]) -> None:
        for tag, layout in layouts.items():
            whole_within("A tag must be 0 to 65535", tag, 0, 65_535)
            check_layout(f"Tag {tag}", layout)
        self.layouts, self.closed = dict(layouts), False
        self.received = dict.fromkeys(self.layouts, 0)  # groups
        self._lost = ""  # why nobody knows where the next group begins
        self._pipe = Pipe(file)

    def take(self) -> tuple[int, np.void] | None:
        """The next group with its tag; None where none has begun, or the stream has ended."""
        if self._lost:
            raise DeviceError(self._lost)
        found = self._pipe.get(_TAG)
        self.closed = found is None
        if not found:
            return None
        tag = int.from_bytes(found, "little")
        layout = self.layouts.get(tag)
        if layout is None:
            known = ", ".join(map(str, self.layouts))
            self._lost = (
                f"TaggedReader: tag {tag} came, which no layout has (known: {known}); where the "
                "next group begins can't be known. Name every group that the board sends."
            )
            raise DeviceError(self._lost)
        group = self._pipe.get(ReadRequest(layout.size, layout.size, layout.size, None, None))
        self.closed = group is None
        if group is None:
            return None
        self.received[tag] += 1
        return tag, layout.unpack(group)[0]


_TAG = ReadRequest(2, 2, 2, 0.0, None)


class Reader:
    """Takes blocks from the reading end of a pipe by a strategy, a call at a time, in the thread of
    whoever calls. For a live run see `Daq`, which reads beside the ticks."""

    def __init__(
        self, file: int, layout: BlockLayout, name: str = "all blocks", blocks: int = ROOM
    ) -> None:
        self.layout, self.strategy = layout, strategy(name, layout, blocks)
        self.latest: np.void | None = None  # the freshest block of the last call that took any
        self.received = 0  # blocks
        self.closed = False
        self._pipe, self._part = Pipe(file), b""

    def take(self) -> Taken:
        """One call. What is left at its end of a block that isn't complete is forgotten by a
        reader that doesn't know where in a block it is, and put before the next by others."""
        start = time.perf_counter()
        found = self._pipe.get(self.strategy.want)
        seconds = time.perf_counter() - start
        self.closed = found is None
        data = (self._part if self.strategy.whole else b"") + (found or b"")
        end = len(data) // self.layout.size * self.layout.size
        blocks, self._part = self.layout.unpack(data[:end]), data[end:]
        if len(blocks):
            self.latest = blocks[-1]
        self.received += len(blocks)
        return Taken(blocks, len(found or b""), seconds)
