"""What a block of measurements looks like, and when each of its numbers was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from touchback.errors import InputError
from touchback.model import list_items
from touchback.names import unknown_name
from touchback.native.daq.daq_pipe import GROUP
from touchback.native.daq.daq_stream import MOST_CHANNELS, TYPES, Field
from touchback.numbers import as_float, keep, number_within, whole_within

_SHORTEST, _LONGEST = 1e-9, 1e5  # s between blocks: whole ns, and what 64 bits hold of many
BEGAN, NUMBER = "block began", "block number"  # of a stamp


@dataclass(frozen=True)
class BlockChannel:
    """A channel's numbers in each block: `samples` of a `type`, evenly spread over the block's
    period, the first measured `skew` seconds after the block's beginning, all of them in the pipe
    `ready` seconds after it. Where channels have times of their own, it was measured earlier by as
    many seconds as the channel named `behind` says in the same block."""

    name: str
    type: str = "int16"
    samples: int = 1
    skew: float = 0.0
    ready: float = 0.0
    behind: str = ""

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise InputError(f"A channel's name is {self.name!r}; give a word.")
        if not isinstance(self.type, str) or self.type not in TYPES:
            raise unknown_name("type of number", self.type, TYPES)
        whole_within(f"Channel '{self.name}' must have 1 to 1000 samples", self.samples, 1, 1000)
        skew, ready = as_float(self.skew), as_float(self.ready)
        if not 0.0 <= skew <= ready < math.inf:
            raise InputError(
                f"Channel '{self.name}' is measured {self.skew!r} s after its block begins and "
                f"ready at {self.ready!r} s; give times from 0 on, ready no earlier than measured."
            )
        if not isinstance(self.behind, str):
            raise InputError(
                f"Channel '{self.name}' is behind by {self.behind!r}; give a channel's name."
            )
        keep(self, skew=skew, ready=ready)


@dataclass(frozen=True)
class BlockLayout:
    """Interleaved channels, a block of all of them every `period` seconds of the board's clock.

    `stamped`: each block says itself, before its channels, when it began [ns of our clock] and
    which number it has, so that some may be missing; a feed's are."""

    period: float
    channels: Sequence[BlockChannel]
    stamped: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        said = f"Blocks must be {_SHORTEST:g} to {_LONGEST:g} s apart"
        keep(self, period=number_within(said, self.period, _SHORTEST, _LONGEST))
        channels = list_items(self.channels)
        if channels is None or not all(isinstance(each, BlockChannel) for each in channels):
            raise InputError(
                f"A block's channels are a list of BlockChannel, got {self.channels!r}."
            )
        names = [channel.name for channel in self.channels]
        if not 0 < len(names) <= MOST_CHANNELS or len(set(names)) < len(names):
            raise InputError(
                f"A block has 1 to {MOST_CHANNELS} channels of different names, got {names}."
            )
        for channel in self.channels:
            if channel.skew > self.period:
                raise InputError(
                    f"Channel '{channel.name}' is measured {channel.skew:g} s after its block "
                    f"begins, but blocks are {self.period:g} s apart; it belongs to a later one."
                )
        self._check_behind()
        if self.size > GROUP:
            raise InputError(
                f"A block of {self.size} bytes; one call takes at most {GROUP}. Give fewer samples "
                "a block, more often."
            )

    def _check_behind(self) -> None:
        alone = {channel.name: channel.samples == 1 for channel in self.channels}
        for channel in self.channels:
            if channel.behind and not alone.get(channel.behind, False):
                raise InputError(
                    f"Channel '{channel.name}' is behind by what '{channel.behind}' says, which "
                    "isn't a channel of one number in the same block; add it."
                )

    @cached_property
    def dtype(self) -> np.dtype[np.void]:
        """Of a block's bytes, packed, little-endian."""
        fields = [
            (c.name, np.dtype(c.type).newbyteorder("<"), *([(c.samples,)] if c.samples > 1 else []))
            for c in self.channels
        ]
        stamp = [(BEGAN, np.dtype("<i8")), (NUMBER, np.dtype("<i8"))]
        return np.dtype([*(stamp if self.stamped else []), *fields])

    @property
    def size(self) -> int:
        """Bytes of a block."""
        return self.dtype.itemsize

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """For the thread that drains a board's pipe."""
        first, numbers = dict[str, int](), 0  # of each channel's numbers
        for channel in self.channels:
            first[channel.name], numbers = numbers, numbers + channel.samples
        return tuple(
            Field(
                self.dtype.fields[c.name][1], TYPES.index(c.type), c.samples, round(1e9 * c.skew),
                round(1e9 * self.period / c.samples), first.get(c.behind, -1),
            )
            for c in self.channels if self.dtype.fields is not None
        )  # fmt: skip

    def place(self, name: str) -> int:
        """Which channel has a name."""
        names = [channel.name for channel in self.channels]
        if name not in names:
            raise unknown_name("channel", name, names)
        return names.index(name)

    def unpack(self, data: bytes) -> np.ndarray:
        """Whole blocks as a structured array."""
        if len(data) % self.size:
            raise InputError(f"{len(data)} bytes aren't whole blocks of {self.size}.")
        return np.frombuffer(data, dtype=self.dtype)


def check_layout(label: str, given: object) -> None:
    """Refuses what says nothing of blocks."""
    if not isinstance(given, BlockLayout):
        raise InputError(f"{label}: a BlockLayout says what its blocks are, got {given!r}.")


#: Gallo's script (section 4.4): five channels of 200 µs each, of which three are merged into 8
#: bytes: the brake's pressure is sampled at once, then both encoders are latched, and the
#: throttle's count is read last.
GALLO = BlockLayout(
    1e-3,
    (
        BlockChannel("brake", "int16"),
        BlockChannel("throttle", "int16", skew=200e-6, ready=800e-6),
        BlockChannel("steering", "int32", skew=200e-6, ready=800e-6),
    ),
)
