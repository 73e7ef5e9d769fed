"""What a live run says about itself: punctuality, faults, and what the machine granted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from touchback.native import (
    ACTIVE,
    AT_REST,
    BAD_NUMBER,
    BEYOND_LIMIT,
    DAMPED,
    DEVICE_FAILED,
    DIVERGED,
    HELD,
    OPEN_LOOP,
    OVERLOADED,
    PLACE_REFUSED,
    PLACED,
    RESTRUCTURED,
    RESUMED,
    SINGLE,
    STALE,
    STOPPED,
    SWAP_REFUSED,
    SWAPPED,
    copied_counts,
)
from touchback.native.live.live_loop import LiveLoop
from touchback.realtime.latency_attribution import Histogram, LatencyAttribution, duration
from touchback.recording import FaultData

FLAG_NAMES = {
    STALE: "stale input", BAD_NUMBER: "not finite", STOPPED: "stopped",
    BEYOND_LIMIT: "beyond limit", HELD: "held", SWAPPED: "parameters taken",
    SWAP_REFUSED: "parameters refused", RESUMED: "resumed",
    OPEN_LOOP: "loop open", ACTIVE: "not passive", DAMPED: "damped",
    RESTRUCTURED: "new structure", DIVERGED: "diverged", DEVICE_FAILED: "device failed",
    AT_REST: "paused", SINGLE: "single step", PLACED: "state taken",
    PLACE_REFUSED: "state refused", OVERLOADED: "overloaded",
}  # fmt: skip
COUNTS = (
    "ticks", "late", "overruns", "slipped", "stale", "limited", "not_finite", "open_loops", "stops",
    "swaps", "swaps_refused", "contended", "lost_rows", "structures", "structures_refused",
    "places", "places_refused",
    "chattering", "diverged", "paradoxes",
)  # fmt: skip
_SHOWN = 10  # faults in a printed report
HISTOGRAMS = ("lateness", "step_time", "input_age")


def flag_names(flags: int) -> tuple[str, ...]:
    """The flags of a tick in words."""
    return tuple(name for bit, name in FLAG_NAMES.items() if flags & bit)


@dataclass(frozen=True)
class WorstTick:
    """One of the hundred ticks that were done latest; durations in seconds."""

    tick: int
    lateness: float
    step_time: float
    input_age: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """The report of a live run; `print` it, or take `as_dict()`. Durations in seconds.

    *lateness*: from the instant a tick was due to when it began; a tick is *late* when that is more
    than a tenth of the period. *overruns*: ticks that were not done when the next was due.
    *slipped*: periods that were given up because the run was more than ten behind. *chattering*:
    steps in which modes wanted to change more often than 64 times; those end without transitions.
    *paradoxes*: ticks in which the friction of a constraint left mechanics without an answer, and
    was left out.
    """

    model: str
    rate: float
    speed: float | None
    substeps: int
    counts: dict[str, int]
    histograms: dict[str, Histogram]
    worst: list[WorstTick]
    scheduling: str
    processor: str
    memory: str
    page_faults: int | None
    recording: str
    ports: dict[str, dict[str, int]]
    parameter_energy: float
    parameter_changes: list[dict[str, object]] = field(default_factory=list)  # the latest 10 000
    energies: dict[str, dict[str, float]] = field(default_factory=dict)  # J, of ports by name
    structures: list[dict[str, object]] = field(default_factory=list)  # changes, see `SwapReport`
    faults: list[FaultData] = field(default_factory=list)  # the latest 1000, in words
    blame: LatencyAttribution | None = None  # whose lateness it is; None for unclocked runs
    places: list[dict[str, object]] = field(default_factory=list)  # the latest states it was put in

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return {
            "model": self.model,
            "rate": self.rate,
            "speed": self.speed,
            "substeps": self.substeps,
            **self.counts,
            **{name: histogram.summary() for name, histogram in self.histograms.items()},
            "histograms": {name: each.octaves() for name, each in self.histograms.items()},
            "worst": [asdict(tick) for tick in self.worst],
            "scheduling": self.scheduling,
            "processor": self.processor,
            "memory": self.memory,
            "page_faults": self.page_faults,
            "recording": self.recording,
            "ports": self.ports,
            "parameter_energy": self.parameter_energy,
            "parameter_changes": self.parameter_changes,
            "energies": self.energies,
            "structure_changes": self.structures,
            "faults": self.faults,
            "states_taken": self.places,
            "blame": self.blame.as_dict() if self.blame else None,
        }

    def __str__(self) -> str:
        counts = self.counts
        pace = "as fast as possible" if self.speed is None else f"{self.speed:g} × real time"
        lines = [
            f"Live run of {self.model!r}: {self.rate:g} Hz, {pace}, {counts['ticks']} ticks",
            f"  late {counts['late']}, overruns {counts['overruns']}, slipped {counts['slipped']}, "
            f"rows lost {counts['lost_rows']}",
        ]
        for name, histogram in self.histograms.items():
            shown = "  ".join(f"{k} {duration(v)}" for k, v in histogram.summary().items())
            lines.append(f"  {name.replace('_', ' '):<10} {shown}")
        lines += [f"  {line}" for line in self.blame.lines()] if self.blame else []
        lines += [
            f"  faults: stale ticks {counts['stale']}, limited {counts['limited']}, "
            f"not finite {counts['not_finite']}, diverged {counts['diverged']}, "
            f"loops open {counts['open_loops']}, chattering {counts['chattering']}, "
            f"paradoxes {counts['paradoxes']}, stops {counts['stops']}",
            f"  parameters: taken {counts['swaps']}, refused {counts['swaps_refused']}, "
            f"energy {self.parameter_energy:.6g} J",
            f"  scheduling: {self.scheduling}; {self.processor}; {self.memory}; "
            f"page faults after the first tick: "
            f"{'not counted yet' if self.page_faults is None else self.page_faults}",
            f"  ticks: {self.recording}",
        ]
        for name, port in self.energies.items():
            lines.insert(
                -2,
                f"  {name}: {port['energy']:.4g} J left, at most {port['largest']:.4g} J; damping "
                f"took {port['taken']:.4g} J in {port['damped']} ticks",
            )
        if counts["places"] or counts["places_refused"]:
            energy = sum(float(str(each["energy"])) for each in self.places)
            lines.insert(
                -2,
                f"  states: taken {counts['places']}, refused {counts['places_refused']}, "
                f"energy {energy:.6g} J",
            )
        if self.structures:
            lines.insert(-2, f"  {self._structures_line()}")
        for fault in self.faults[-_SHOWN:]:
            lines.append(
                f"  fault at {fault['time']:.6g} s (tick {fault['tick']}): {fault['text']}"
            )
        if self.histograms["lateness"].largest:
            lines += ["  lateness:", self.histograms["lateness"].bars()]
        return "\n".join(lines)

    def trace(self, count: int = 100) -> str:
        """The worst ticks as a table, worst first."""
        lines = [f"{'tick':>9} {'lateness':>9} {'step time':>9} {'input age':>9}  flags"]
        for each in self.worst[:count]:
            times = (each.lateness, each.step_time, each.input_age)
            shown = " ".join(f"{duration(time):>9}" for time in times)
            lines.append(f"{each.tick:>9} {shown}  {', '.join(each.flags)}".rstrip())
        return "\n".join(lines)

    def _structures_line(self) -> str:
        changes = cast("list[dict[str, Any]]", self.structures)
        taken = [each for each in changes if each["state"] == "taken"]
        late = sum(limit > 0.1 / self.rate for each in taken for limit in each["lateness"])
        longest = max((each["duration"] for each in taken), default=None)
        lost = sum(each["energy_lost"] for each in taken)
        return (
            f"structures: taken {len(taken)}, refused {len(self.structures) - len(taken)}, "
            f"longest change {duration(longest)}, late ticks at them {late}, "
            f"energy lost {lost:.6g} J"
        )


def histograms_of(loop: LiveLoop) -> dict[str, Histogram]:
    """Copies of the counts so far."""
    statistics = loop.statistics
    return {
        name: Histogram(copied_counts(statistics.counts[i]), int(statistics.largest[i]))
        for i, name in enumerate(HISTOGRAMS)
    }


def energies_of(loop: LiveLoop, names: Iterable[str]) -> dict[str, dict[str, float]]:
    """What left through each port [J], the most that had, and what damping took out."""
    return {
        name: {
            "energy": port.energy, "largest": port.largest, "taken": port.taken,
            "damped": port.damped,
        }
        for name, port in zip(names, loop.energies)
    }  # fmt: skip


def worst_of(loop: LiveLoop) -> list[WorstTick]:
    """The worst ticks, worst first."""
    kept = [loop.statistics.worst[i] for i in range(loop.statistics.worst_count)]
    kept.sort(key=lambda each: each.lateness + each.step_time, reverse=True)
    return [
        WorstTick(
            each.tick, each.lateness * 1e-9, each.step_time * 1e-9,
            each.input_age * 1e-9 if each.input_age >= 0 else None, flag_names(each.flags),
        )
        for each in kept
    ]  # fmt: skip


def scheduling_of(loop: LiveLoop) -> tuple[str, str]:
    """The class and the processor of the thread, granted or not."""
    struct = loop.struct
    if loop.pace.speed is None:
        return "that of the caller (unclocked)", "no thread of its own"
    if not struct.priority:
        scheduling = "ordinary (as asked)"
    elif struct.priority_error:
        why = os.strerror(struct.priority_error)
        scheduling = f"ordinary: SCHED_FIFO {struct.priority} was not permitted ({why})"
    else:
        scheduling = f"SCHED_FIFO {struct.priority}"
    if struct.cpu < 0:
        processor = "any processor"
    elif struct.pin_error:
        processor = f"any processor: {struct.cpu} was refused ({os.strerror(struct.pin_error)})"
    else:
        processor = f"processor {struct.cpu}"
    return scheduling, processor


def page_faults_of(loop: LiveLoop) -> int | None:
    """Page faults of the thread from its first tick on; None before it ended, or without one."""
    if loop.pace.speed is None or loop.struct.thread or loop.struct.page_faults < 0:
        return None
    return int(loop.struct.page_faults)


def memory_of(size: int, errors: tuple[int, ...]) -> str:
    """Whether the memory is locked."""
    refused = [error for error in errors if error]
    if refused:
        return f"memory not locked ({os.strerror(refused[0])})"
    return f"{size / 1024:.0f} KiB locked"
