"""Durations counted in buckets, sixteen an octave (native/live/statistics.h)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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
