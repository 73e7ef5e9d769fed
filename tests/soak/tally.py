"""What happened in a soak, over all its parts, and which promises were broken."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

WARM = 300.0  # s of a measurement of memory that is judged: caches fill for some minutes
SLOPE = 1.0  # MiB a minute that memory may grow by then: recordings index their chunks


@dataclass
class Tally:
    """What happened, over all parts."""

    injected: Counter[str] = field(default_factory=Counter)
    handled: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)  # promises
    allocations: int | None = None
    recordings: int = 0
    replayed: int = 0
    lateness: float = 0.0
    swap_time: float = 0.0
    late_at_swaps: int = 0
    memory: list[tuple[float, float]] = field(default_factory=list)  # s, MiB

    def promise(self, kept: bool, what: str) -> None:
        """Notes a promise that wasn't kept."""
        if not kept:
            self.broken.append(what)

    def slope(self) -> tuple[float, float]:
        """MiB a minute in the last two thirds of the time, and how many seconds these are."""
        rows = np.array(self.memory)
        late = rows[rows[:, 0] >= rows[0, 0] + np.ptp(rows[:, 0]) / 3.0]
        return float(60.0 * np.polyfit(late[:, 0], late[:, 1], 1)[0]), float(np.ptp(late[:, 0]))

    def judge(self) -> None:
        """The promises that are about all parts together."""
        self.promise(not self.allocations, f"{self.allocations} allocations in ticks")
        self.promise(self.counts["lost_rows"] == 0, "rows were lost")
        self.promise(
            self.replayed == self.counts["ticks"],
            f"{self.replayed} of {self.counts['ticks']} ticks were replayed",
        )
        slope, over = self.slope()
        self.promise(slope <= SLOPE or over < WARM, f"memory grows by {slope} MiB a minute")

    def told(self, seconds: float, rate: float) -> str:
        """The report for people."""
        counts, (slope, over) = self.counts, self.slope()
        counted = "not counted (no gcc)" if self.allocations is None else self.allocations
        lines = [
            f"soak: {seconds:.0f} s at {rate:g} Hz, {self.recordings} recordings",
            f"  ticks {counts['ticks']}, late {counts['late']}, overruns {counts['overruns']}, "
            f"slipped {counts['slipped']}, latest {self.lateness * 1e3:.3f} ms, rows lost "
            f"{counts['lost_rows']}",
            f"  structures taken {counts['structures']}, longest {self.swap_time * 1e6:.0f} µs, "
            f"late ticks at them {self.late_at_swaps}; parameters taken {counts['swaps']}, refused "
            f"at the tick {counts['swaps_refused']}",
            f"  C allocations of the ticks after start: {counted}",
            f"  memory: {slope:+.3f} MiB a minute over the last {over:.0f} s",
            f"  replayed bit for bit: {self.replayed} ticks",
            "  faults, injected and handled:",
            *(f"    {name:<18} {n:>6} {self.handled[name]:>6}" for name, n in self._by_name()),
            *(f"  BROKEN: {what}" for what in self.broken),
            "promises broken" if self.broken else "all promises kept",
        ]
        return "\n".join(lines)

    def _by_name(self) -> list[tuple[str, int]]:
        return sorted(self.injected.items())

    def plain(self, seconds: float) -> dict[str, Any]:
        """The report for programs."""
        return {
            "seconds": seconds, **self.counts, "injected": self.injected, "handled": self.handled,
            "allocations": self.allocations, "memory_slope": self.slope()[0],
            "memory": [(round(t - self.memory[0][0], 1), mib) for t, mib in self.memory],
            "recordings": self.recordings, "replayed": self.replayed,
            "longest_swap": self.swap_time, "late_at_swaps": self.late_at_swaps,
            "broken": self.broken,
        }  # fmt: skip
