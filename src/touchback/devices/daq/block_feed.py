"""Sources that aren't pipes of blocks: a thread of ours makes blocks of what comes, and says what
is wrong with it. For `Daq` each is a board like any other."""

from __future__ import annotations

import contextlib
import os
import struct
import threading
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from touchback.devices.daq.block_layout import BlockLayout, check_layout
from touchback.errors import DeviceError
from touchback.native.daq.daq_stream import ENDED, JUMPED
from touchback.native.live.mailbox import clock_now
from touchback.numbers import positive_number

LOOK = 0.02  # s that a feed waits for something before it looks up
JUMP = 0.05  # s: a source's clock that is off by more was set
_FAR = 9e9  # s: as far as ns go in 64 bits
_DRIFT = 1e-3  # of a source's clock against ours: no crystal is worse
_SETTLED = 500_000_000  # ns after which some arrival was fast
_LAST_WORD = 2.0  # s that the thread has to end
_TOLD = 5  # times that each kind of fault is told in full; counts go on


class SourceClock:
    """Times of a source in our clock, from one-way arrivals: nothing comes before it was sent, so
    that the fastest arrival dates all others. Late by that one's time on the way."""

    def __init__(self) -> None:
        self._offset = self._last = self._since = 0
        self._known = False

    def to_local(self, source: int, arrival: int) -> int:
        """When something was sent [ns of our clock]."""
        gap = arrival - source
        if not self._known:
            self._since = arrival
        relaxed = self._offset + round(_DRIFT * max(0, source - self._last))
        self._offset = min(relaxed, gap) if self._known else gap
        self._known, self._last = True, source
        return source + self._offset

    def ahead(self, source: int, arrival: int) -> float:
        """By how much [s] the source's clock is ahead of what arrivals so far allow: set forward
        when it is more than a moment, set back when time goes backwards (negative)."""
        if not self._known:
            return 0.0
        if source < self._last:
            return 1e-9 * (source - self._last)
        if arrival - self._since < _SETTLED:  # all so far may have waited somewhere
            return 0.0
        return max(0.0, 1e-9 * (self._offset - (arrival - source)))

    def forget(self) -> None:
        """Begins anew."""
        self._known = False


class Feed(ABC):
    """A board that a thread of this process feeds.

    `patience`: seconds without a whole block after which it says so, and what is missing. `counts`
    has what came and what didn't: blocks given, and each kind of fault."""

    def __init__(self, name: str, layout: BlockLayout, patience: float) -> None:
        check_layout(name, layout)
        self.patience = positive_number(f"{name}: its patience [s]", patience)
        self.name, self.layout = name, replace(layout, stamped=True)
        self.counts: Counter[str] = Counter()
        self.questions = -1  # its times are ours already
        self._texts: deque[str] = deque(maxlen=1000)
        self._closing = threading.Event()
        self._silent_since, self._silence_told = 0, False
        (self.data, self._out), (self.records, self._told) = os.pipe(), os.pipe()
        for file in (self._out, self._told):
            os.set_blocking(file, False)
        self._thread = threading.Thread(target=self._work, name=f"touchback {name}", daemon=True)

    # ---- for those who feed ---------------------------------------------------------------------

    @abstractmethod
    def take(self, seconds: float) -> bool:
        """Takes what comes within so many seconds and gives blocks; false when there is no more."""

    def missing(self) -> str:
        """What a block waits for, in words; nothing when it doesn't know."""
        return ""

    @abstractmethod
    def shut(self) -> None:
        """Lets go of the source; its own thread calls this."""

    def start(self) -> None:
        """Begins to listen; the last thing that a feed's constructor does."""
        self._thread.start()

    def give(self, began: int, number: int, channels: Sequence[bytes]) -> None:
        """Hands a block over: when it began [ns of our clock], its number, its channels' bytes."""
        try:
            os.write(self._out, struct.pack("<2q", began, number) + b"".join(channels))
        except BlockingIOError:
            self.fault("unread", "nobody reads its blocks; this one is lost.")
            return
        self.counts["given"] += 1
        self._silent_since = clock_now()
        if self._silence_told:
            self._silence_told = False
            self._texts.append(f"{self.name}: blocks come again.")

    @property
    def closing(self) -> bool:
        """Whether somebody closes it."""
        return self._closing.is_set()

    def fault(self, kind: str, text: str) -> None:
        """Counts something that went wrong, and says it the first few times."""
        self.counts[kind] += 1
        if self.counts[kind] <= _TOLD:
            more = " (Counted only from now on.)" if self.counts[kind] == _TOLD else ""
            self._texts.append(f"{self.name}: {text}{more}")

    def jumped(self, seconds: float) -> None:
        """The source's clock was set: nothing is used until it is trusted again."""
        self.counts["jumps"] += 1
        told = round(1e9 * min(max(seconds, -_FAR), _FAR))
        os.write(self._told, struct.pack("<4q", JUMPED, told, 0, 0))

    # ---- for whoever reads ----------------------------------------------------------------------

    def news(self) -> list[str]:
        """What happened since the last call, in words."""
        texts = []
        while self._texts:
            texts.append(self._texts.popleft())
        return texts

    def _work(self) -> None:
        self._silent_since = clock_now()
        try:
            while not self.closing and self.take(LOOK):
                self._look()
        except BrokenPipeError:
            pass  # nobody reads
        except Exception as error:  # of whatever driver: the log says it
            kind = "" if isinstance(error, DeviceError | OSError) else f"{type(error).__name__}: "
            self.fault("failures", f"{kind}{str(error).rstrip('.')}; no more comes from it.")
        finally:
            with contextlib.suppress(OSError):  # nobody reads
                os.write(self._told, struct.pack("<4q", ENDED, self.counts["given"], 0, 0))
            try:
                self.shut()
            finally:
                os.close(self._out)
                os.close(self._told)

    def _look(self) -> None:
        silent = 1e-9 * (clock_now() - self._silent_since)
        if silent > self.patience and not self._silence_told:
            self._silence_told = True
            self.counts["silences"] += 1
            why = self.missing()
            self._texts.append(
                f"{self.name}: no whole block for {self.patience:g} s"
                + (f": {why}" if why else ".")
            )

    def close(self) -> None:
        """Listens no more."""
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join(_LAST_WORD)
        for file in (self.data, self.records):
            if file >= 0:
                os.close(file)
        self.data = self.records = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
