"""A board that a live run reads: drained by a thread of C beside the ticks."""

from __future__ import annotations

import os
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from touchback.devices.daq.block_feed import Feed
from touchback.devices.daq.block_layout import BlockLayout
from touchback.devices.daq.reading_strategies import STEP, strategy
from touchback.devices.daq.signal_conditioning import Conditioned, Conditioning
from touchback.devices.threaded_driver import PRIORITY, ClockEstimate, PortDriver
from touchback.errors import DeviceError, InputError
from touchback.native.daq import daq_stream as native
from touchback.numbers import number_within
from touchback.realtime import DevicePort, DeviceService, own_thread

_SILENT = 0.5  # s without a block after which a board that is there is said to be silent


_STARTING = 5.0  # s that it has to its first block


_PERIODS = 3.0  # and blocks that it may be late by, where they come seldom


#: Boards that somebody reads or has read, by their identities.
_READ: weakref.WeakValueDictionary[int, Board] = weakref.WeakValueDictionary()


class Board(Protocol):
    """What is drained: the layout of its blocks, and files of its pipes; −1 where it has none to
    say something or to be asked by."""

    @property
    def layout(self) -> BlockLayout: ...
    @property
    def data(self) -> int: ...
    @property
    def records(self) -> int: ...
    @property
    def questions(self) -> int: ...
    def news(self) -> list[str]:
        """What it has to say since the last call, in words."""


@dataclass(frozen=True)
class Block:
    """A block as it was used: its number, when it began and came [s of our monotonic clock], and
    all quantities."""

    number: int
    began: float
    arrival: float
    quantities: dict[str, float]


class Daq(PortDriver[str]):
    """A board, to `connect` to a live run: its quantities are inputs, stamped with when they were
    measured, so that the run records how old they are at each tick.

    `reader` is a strategy's name and `pace` the seconds between its calls: all but "all blocks" are
    there to see how they fail, and are called once in each 5 ms, as the step of a simulator would.
    `conditioning` says what is made of the numbers; without one there are the numbers
    themselves."""

    def __init__(
        self,
        board: Board,
        conditioning: Conditioning | None = None,
        *,
        reader: str = "all blocks",
        pace: float | None = None,
        priority: int = PRIORITY,
    ) -> None:
        super().__init__()
        self.board, layout = board, board.layout
        if conditioning is not None and conditioning.layout != layout:
            raise InputError("Daq: the conditioning is of blocks of another layout than the board.")
        self.conditioned: Conditioned = (conditioning or Conditioning(layout)).compile()
        chosen = strategy(reader, layout)
        if pace is None:
            pace = STEP if chosen.fails else 0.0
        pace = number_within("Daq: its pace must be 0 to 3600 s", pace, 0.0, 3600.0)
        if not pace and chosen.want.wait == 0.0:
            raise InputError(
                f"Daq: {reader!r} doesn't wait, so that without a pace it would call without end; "
                f"give the seconds between its calls, pace={STEP:g}."
            )
        priority, _ = own_thread(priority)
        self._claim()
        self._again = layout.stamped and chosen.want.multiple == layout.size  # blocks are whole
        # The thread's own: a board may close its files while it still reads.
        data, records, questions = (
            os.dup(file) if file >= 0 else -1
            for file in (board.data, board.records, board.questions)
        )
        self._files = [data, records, questions]
        wanted = native.DaqStreamSettings(
            data, records, questions, chosen.want, pace, chosen.whole, layout.size, layout.fields,
            layout.period, layout.stamped, priority,
        )  # fmt: skip
        self._unkept, self._words = 0, list[str]()  # of blocks, and what is to be told of them
        self._silence = _SilenceMonitor(_PERIODS * layout.period)
        self._stream = native.DaqStream(wanted, self.conditioned.native)
        self._follow()

    def _claim(self) -> None:
        """A pipe gives each byte once: of two readers none gets whole blocks."""
        if self.board.data < 0:
            raise DeviceError("Daq: the board is closed; open it anew.")
        if id(self.board) in _READ:
            raise DeviceError(
                "Daq: this board has a reader, or had one that left within its stream; a pipe "
                "gives each byte once, so that both would get torn blocks. Open the board anew."
            )
        _READ[id(self.board)] = self.board

    # ---- what it knows --------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether the board is there."""
        return self._stream.running

    @property
    def counts(self) -> dict[str, int]:
        """Blocks received, calls, blocks that came before the board's clock was known, that nobody
        took from `blocks` in time, that found a port held (`unheard`), that are missing between
        the numbers of others (`lost`), that have numbers which aren't finite, and aren't used
        (`not_finite`), and values out of an input's range."""
        return self._stream.counts()

    @property
    def clock(self) -> ClockEstimate:
        """What is known of the board's clock."""
        fit = self._stream.struct.fit
        return ClockEstimate(float(fit.drift), float(fit.round_trip), int(fit.count))

    def trust(self) -> None:
        """Uses what comes again, after the board's clock was set while it ran: until then its
        blocks are kept but not handed over, since nobody knows how old they are."""
        self._stream.trust()

    def latest(self) -> Block | None:
        """The block used last; None before the first."""
        message = self._stream.latest()
        if not message.number:
            return None
        number, began, arrival = message.values[: native.HEAD]
        x = message.values[self._stream.row :]
        found = {name: float(x[q.place]) for name, q in self.conditioned.quantities.items()}
        return Block(int(number), float(began), float(arrival), found)

    def blocks(self) -> dict[str, np.ndarray]:
        """Every block since the last call: "number", "began", "arrival" [s of our clock], and the
        numbers of each channel (a row a block where there are several). 65 536 wait; what comes
        after them is used but not kept, and told."""
        with self._lock:
            rows, unlogged = self._stream.blocks(), self._stream.counts()["unlogged"]
            if unlogged > self._unkept:
                self._words.append(
                    f"{unlogged - self._unkept} blocks were used but not kept, since {len(rows)} "
                    "waited; call `blocks()` more often."
                )
            self._unkept = unlogged
        found = {"number": rows[:, 0].astype(int), "began": rows[:, 1], "arrival": rows[:, 2]}
        at = native.HEAD
        for channel in self.board.layout.channels:
            numbers = rows[:, at : at + channel.samples]
            found[channel.name] = numbers[:, 0] if channel.samples == 1 else numbers
            at += channel.samples
        return found

    def drains(self) -> dict[str, np.ndarray]:
        """Every call since the last one: "ended" [s of our clock], how long it was busy and how
        long it "slept" [s], "bytes", "blocks", and the "age" of the block that it handed over (from
        the block's beginning; NaN for none). 16 384 wait, what comes after them is lost."""
        with self._lock:  # a ring is drained by one at a time
            rows = self._stream.drains()
        age = np.where(rows[:, 5] < 0.0, np.nan, 1e-9 * rows[:, 5])
        return {
            "ended": 1e-9 * rows[:, 0], "busy": 1e-9 * rows[:, 1], "slept": 1e-9 * rows[:, 2],
            "bytes": rows[:, 3].astype(int), "blocks": rows[:, 4].astype(int), "age": age,
        }  # fmt: skip

    # ---- ports of a live run --------------------------------------------------------------------

    def quantity(self, name: str) -> DaqQuantity:
        """A quantity as what an input is connected to."""
        return DaqQuantity(self, self.conditioned.find(name).name)

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves an input by the quantity of its own name."""
        return self.quantity(port.name).serve(port)

    def add(self, name: str, port: DevicePort) -> DeviceService:
        """Serves an input beside those that it serves already."""
        if not port.is_input:
            raise InputError(f"Output '{port.name}': a board's quantities are for inputs.")
        return super().add(name, port)

    def _bind(self) -> None:
        served, leaders = [], dict[int, DevicePort]()
        for name, port in self._served:
            port.take_with(leaders.setdefault(id(port.run), port))  # a tick has one block, whole
            q = self.conditioned.find(name)
            field, delay = self.board.layout.place(q.channel), round(1e9 * q.delay)
            served.append(
                native.PortBinding(port.mailbox(), q.place, field, delay, port.low, port.high)
            )
        self._stream.bind(served)

    def _news(self) -> list[str]:
        words, self._words = self._words, []
        names = [channel.name for channel in self.board.layout.channels]
        words += [*self.board.news(), *_describe_events(self._stream.events(), self._served, names)]
        if self.running and not isinstance(self.board, Feed):  # which says what it misses
            words += self._silence.texts_after(self._stream.counts()["received"], time.monotonic())
        return words

    def _end(self) -> None:
        """Reads no more."""
        self._stream.stop()
        self._tell()
        for file in self._files:
            if file >= 0:
                os.close(file)
        self._files = []
        if self._again:
            _READ.pop(id(self.board), None)


@dataclass(frozen=True)
class DaqQuantity:
    """A quantity of a board; see `Daq.quantity`."""

    daq: Daq
    name: str

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves an input of a live run from the board's own thread."""
        return self.daq.add(self.name, port)


class _SilenceMonitor:
    """A board that is there and gives nothing: hung, stopped, or at the end of a line that somebody
    cut. Nothing else would say why inputs grow stale."""

    def __init__(self, least: float) -> None:
        self._least = least  # s between blocks
        self._received, self._since, self._is_told = 0, time.monotonic(), False

    def texts_after(self, received: int, now: float) -> list[str]:
        """What is to be said when so many blocks have come by now [s]."""
        if received > self._received:
            texts = ["Blocks come again."] if self._is_told else []
            self._received, self._since, self._is_told = received, now, False
            return texts
        patience = max(self._least, _SILENT if received else _STARTING)
        if self._is_told or now - self._since <= patience:
            return []
        self._is_told = True
        return [
            f"The board is there, but no block came for {patience:g} s; {received} came before. Is "
            "it stuck?"
        ]


def _describe_events(
    rows: np.ndarray, served: Sequence[tuple[str, DevicePort]], channels: Sequence[str]
) -> list[str]:
    texts = []
    for _, kind, first, second in rows:
        if kind == native.OVERFLOW:
            texts.append(
                f"The board's buffer is full after {first:g} blocks, and it has stopped; read "
                'faster, by "all blocks".'
            )
        elif kind == native.ENDED:
            texts.append(f"The board has ended after {first:g} blocks.")
        elif kind == native.GONE:
            texts.append(f"The board is gone ({os.strerror(int(first))}); {second:g} blocks came.")
        elif kind == native.JUMPED:
            texts.append(
                f"The board's clock jumped by {1e-9 * first:+.6g} s: how old its blocks are isn't "
                "known, and they aren't used until `trust()`."
            )
        elif kind == native.NOT_FINITE:
            texts.append(
                f"Channel '{channels[int(first)]}' isn't a finite number in block {second:g}; such "
                "blocks aren't used."
            )
        elif kind == native.STRANGE:
            texts.append(
                f"The board said what can't be (a record of kind {first:g}, {second:g}); it isn't "
                "heeded. See native/daq/stream.h for what boards may say."
            )
        elif kind == native.OUTSIDE and int(first) < len(served):
            name, port = served[int(first)]
            texts.append(
                f"Input '{port.name}': {name} is {second:g}, outside its range "
                f"[{port.low}, {port.high}]; it isn't used."
            )
    return texts


class BoardDevice(ABC):
    """Serves inputs of a live run, each by the quantity of its name, from one board."""

    def __init__(self) -> None:
        self.daq: Daq | None = None
        self._closing = ExitStack()

    @abstractmethod
    def start(self, closing: ExitStack) -> Daq:
        """Opens the board and whoever reads it, both to be closed so."""

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves an input of a live run from the board's own thread."""
        if self.daq is None:
            self.daq = self.start(self._closing)
        return self.daq.serve(port)

    def close(self) -> None:
        """Reads no more and ends the board."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
