"""Can this computer keep a promise? Empty ticks at 1, 4 and 10 kHz, and a verdict for each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.native.live.layout import copied_counts
from touchback.native.live.wanted import Pace
from touchback.native.live.witness import IdleClock
from touchback.numbers import number_within
from touchback.realtime.blame import MachineWatch
from touchback.realtime.histogram import Histogram
from touchback.realtime.machine import PRIORITY, Finding

RATES = (1000.0, 4000.0, 10_000.0)
_SHORTEST, _LONGEST = 0.3, 86_400.0  # s
_LOOK = 0.05  # s between reports of progress
_RARE, _SOMETIMES = 1e-3, 1e-2  # shares of late ticks
_SLIP = 10.0  # periods: live runs give up what is later
_STOLEN, _BUSY = 1e-3, 0.8  # shares of processor time that are felt


@dataclass(frozen=True)
class Punctuality:
    """How punctual empty ticks at a rate were."""

    rate: float
    lateness: Histogram
    late: int  # by more than a tenth of a period

    @property
    def verdict(self) -> str:
        """*yes*: no tick was a period late, and fewer than 1 in 1000 late at all. *nearly*: fewer
        than 1 in 100 late, none by ten periods. Otherwise *no*."""
        share, worst = self.late / max(self.lateness.total, 1), 1e-9 * self.lateness.largest
        if self.lateness.total and share < _RARE and worst < 1.0 / self.rate:
            return "yes"
        if self.lateness.total and share < _SOMETIMES and worst < _SLIP / self.rate:
            return "nearly"
        return "no"


def measure(
    seconds: float, cpu: int | None = None, progress: Callable[[float], None] = lambda done: None
) -> tuple[list[Punctuality], list[Finding]]:
    """Empty ticks at each rate in turn, `seconds` in all, and what the machine did meanwhile;
    `progress` is told the seconds that have passed."""
    sentence = f"Measure for {_SHORTEST:g} to {_LONGEST:g} s"
    seconds = number_within(sentence, seconds, _SHORTEST, _LONGEST)
    known = os.sched_getaffinity(0)
    if cpu is not None and cpu not in known:
        raise InputError(f"There is no processor {cpu} for us; we may use {sorted(known)}.")
    watch, began = MachineWatch(), time.monotonic()
    watch.start()
    kept = []
    for rate in RATES:
        end = time.monotonic() + seconds / len(RATES)
        pace = Pace(rate, priority=PRIORITY, cpu=-1 if cpu is None else cpu)
        with IdleClock(pace) as clock:
            # A pause may be longer than all of it: a rate has at least one tick.
            while (now := time.monotonic()) < end or not clock.struct.wakes:
                progress(min(now - began, seconds))
                time.sleep(min(_LOOK, max(end - now, 1e-3)))
        counts = copied_counts(clock.struct.counts)
        kept.append(
            Punctuality(rate, Histogram(counts, int(clock.struct.largest)), clock.struct.late)
        )
    progress(seconds)
    return kept, _meanwhile(watch)


def _meanwhile(watch: MachineWatch) -> list[Finding]:
    busy, stolen = watch.shares()
    return [
        Finding(
            "stolen time", _percent(stolen), None if stolen is None else stolen < _STOLEN,
            "processors of one's own: a dedicated host, or vCPUs pinned by it",
        ),
        Finding(
            "busy", _percent(busy), None if busy is None else busy < _BUSY,
            "end what else runs here, or move it to other processors",
        ),
    ]  # fmt: skip


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.2f} % of all processors"
