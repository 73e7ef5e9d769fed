"""Durations counted in buckets, sixteen an octave (native/live/statistics.h)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from touchback.native import copied_counts
from touchback.native.live.live_loop import LiveLoop


def lower_edges(buckets: int) -> NDArray[np.float64]:
    """Where each bucket starts [ns]."""
    places = np.arange(buckets)
    octave = places // 16 + 3
    return np.where(places < 16, places, (16.0 + places % 16) * 2.0 ** (octave - 4))


@dataclass(frozen=True)
class Histogram:
    """Counts by bucket, and the largest duration [ns], which is exact."""

    counts: NDArray[np.int64]
    largest: int

    @property
    def total(self) -> int:
        """How many durations were counted."""
        return int(self.counts.sum())

    def percentile(self, percent: float) -> float | None:
        """The duration [s] that so many percent don't exceed, to 6 %; None without any."""
        if not self.total:
            return None
        reached = np.cumsum(self.counts) >= percent / 100.0 * self.total
        place = int(np.argmax(reached))
        edges = lower_edges(len(self.counts) + 1)
        return float(min(edges[place + 1], self.largest)) * 1e-9

    def summary(self) -> dict[str, float | None]:
        """p50, p99, p99.9 and max [s]."""
        named = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9}
        shown = {name: self.percentile(percent) for name, percent in named.items()}
        return {**shown, "max": self.largest * 1e-9 if self.total else None}

    def octaves(self) -> list[tuple[float, float, int]]:
        """(from [s], to [s], count) of each octave from the first to the last that has any."""
        edges = lower_edges(len(self.counts) + 1) * 1e-9
        rows = [
            (float(edges[i]), float(edges[i + 16]), int(self.counts[i : i + 16].sum()))
            for i in range(0, len(self.counts), 16)
        ]
        used = [i for i, row in enumerate(rows) if row[2]]
        return rows[used[0] : used[-1] + 1] if used else []

    def bars(self, width: int = 40) -> str:
        """A histogram in text, a line an octave."""
        rows = self.octaves()
        most = max((count for _, _, count in rows), default=1)
        return "\n".join(
            f"{duration(low):>9} … {duration(high):>9} {count:>9} "
            + "█" * (-(-count * width // most))
            for low, high, count in rows
        )


def duration(seconds: float | None) -> str:
    """A duration for people."""
    if seconds is None:
        return "—"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


_TICK = float(os.sysconf("SC_CLK_TCK"))  # units of /proc/stat in a second


@dataclass(frozen=True)
class MachineTimes:
    """What all processors together have done since the machine started [s]."""

    busy: float
    idle: float
    stolen: float  # when a processor had work, and the host gave its time to others

    def share(self, since: MachineTimes) -> tuple[float, float]:
        """Busy and stolen shares of the time since."""
        busy, stolen = self.busy - since.busy, self.stolen - since.stolen
        whole = busy + stolen + self.idle - since.idle
        return (busy / whole, stolen / whole) if whole > 0.0 else (0.0, 0.0)


def machine_times(stat: Path = Path("/proc/stat")) -> MachineTimes | None:
    """Read now; None where that file isn't there, or says something else."""
    try:
        words = stat.read_text(encoding="ascii").split("\n", 1)[0].split()
        numbers = [float(word) / _TICK for word in words[1:9]]
    except (OSError, ValueError):
        return None
    if words[:1] != ["cpu"] or len(numbers) < 8:
        return None
    user, nice, system, idle, waiting, interrupts, soft, stolen = numbers
    return MachineTimes(user + nice + system + interrupts + soft, idle + waiting, stolen)


class MachineWatch:
    """The machine's times from the start of a run to its end, or to now."""

    def __init__(self) -> None:
        self._first: MachineTimes | None = None
        self._last: MachineTimes | None = None

    def start(self) -> None:
        self._first = machine_times()

    def stop(self) -> None:
        self._last = machine_times()

    def shares(self) -> tuple[float | None, float | None]:
        """Busy and stolen; None where the machine doesn't say."""
        last = self._last or machine_times()
        return last.share(self._first) if self._first and last else (None, None)


@dataclass(frozen=True)
class Account:
    """What the kernel says of the ticks' thread: context switches that it asked for (by sleeping)
    and that were forced on it, and how long it was ready to run while others did [s]."""

    asked: int
    forced: int
    queued: float | None


def _account(loop: LiveLoop) -> Account:
    struct = loop.struct
    if not struct.thread:  # it has ended, and left its last account
        queued = None if struct.queued < 0 else 1e-9 * struct.queued
        return Account(int(struct.switches_asked), int(struct.switches_forced), queued)
    task = Path(f"/proc/self/task/{struct.thread_id}")
    try:
        found = re.findall(r"voluntary_ctxt_switches:\s*(\d+)", (task / "status").read_text())
        asked, forced = map(int, found)
        return Account(asked, forced, 1e-9 * int((task / "schedstat").read_text().split()[1]))
    except (OSError, ValueError, IndexError):
        return Account(0, 0, None)


@dataclass(frozen=True)
class LatencyAttribution:
    """How much lateness is whose. Durations in seconds.

    *by_steps*: ticks took longer than a period on the processor. *by_threads*: other threads had
    the processor while ours was ready to run. *by_machine*: the rest; nothing of this machine is
    known to have run then: the host's pauses, interrupts, a processor that was slow to wake. Where
    the kernel doesn't tell how long a thread waits, *by_threads* is None and part of *by_machine*.
    Only what each tick added counts: ticks that follow a pause at once inherit their lateness.

    *idle*: how late a thread woke that did nothing else, beside the ticks.
    """

    late: int
    late_by_steps: int  # ticks whose lateness comes for the most part from steps before
    by_machine: float
    by_threads: float | None
    by_steps: float
    idle: Histogram
    idle_late: int
    stolen: float | None  # of the machine's processor time, 0 to 1
    busy: float | None
    switches_asked: int
    switches_forced: int

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        plain = {name: value for name, value in vars(self).items() if name != "idle"}
        return {**plain, "idle_wakes": self.idle.total, "idle": self.idle.summary()}

    def lines(self) -> list[str]:
        """For people."""
        whole = self.by_machine + (self.by_threads or 0.0) + self.by_steps
        shares = {
            "the machine's pauses": self.by_machine,
            "other threads": self.by_threads,
            "our steps": self.by_steps,
        }
        told = ", ".join(
            f"{name} {duration(part)} ({100 * part / whole:.0f} %)"
            for name, part in shares.items()
            if part is not None and whole > 0.0
        )
        idle = self.idle.summary()
        return [
            f"delays: {duration(whole)} in all{': ' if told else ''}{told}",
            f"late by our steps {self.late_by_steps} of {self.late}; an idle clock beside them was "
            f"late {self.idle_late} of {self.idle.total} times "
            f"(p99 {duration(idle['p99'])}, max {duration(idle['max'])})",
            f"machine: stolen {_percent(self.stolen)}, busy {_percent(self.busy)}; context "
            f"switches: asked for {self.switches_asked}, forced {self.switches_forced}",
        ]


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.1f} %"


def attribute_latency(loop: LiveLoop, machine: MachineWatch) -> LatencyAttribution | None:
    """Whose lateness it was so far, of a run by its first loop; None without a clock."""
    if loop.pace.speed is None:
        return None
    statistics, monitor, account = loop.statistics, loop.memory.wakeup_monitor, _account(loop)
    waiting, steps = 1e-9 * statistics.delay_waiting, 1e-9 * statistics.delay_steps
    by_threads = None if account.queued is None else min(account.queued, waiting)
    busy, stolen = machine.shares()
    return LatencyAttribution(
        int(statistics.late), int(statistics.late_by_steps),
        waiting - (by_threads or 0.0), by_threads, steps,
        Histogram(copied_counts(monitor.counts), int(monitor.largest)),
        int(monitor.late), stolen, busy, account.asked, account.forced,
    )  # fmt: skip
