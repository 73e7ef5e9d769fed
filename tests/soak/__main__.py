"""A live run disturbed for an hour (`make soak MINUTES=60`, or `python tests/soak --seconds 12`).

Faults at random instants, each with what must follow; then everything that was recorded is checked
tick by tick and replayed. The last line says whether all promises were kept; the exit status too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mechanism
import numpy as np
from disturbances import FAULTS, SAFE, Rig

import touchback as tb
from touchback.realtime import Recording, open_recording

sys.path.append(str(Path(__file__).resolve().parent.parent))

import allocation_counter

RATE = 1000.0
LIMIT = 30.0  # N, of the felt force
UNHEALTHY = 1 | 2 | 4 | 8 | 256 | 512  # flags with which outputs are safe
WARM = 60.0  # s before memory is measured
SLOPE = 1.0  # MiB a minute that memory may grow by, once warm


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
        if not kept:
            self.broken.append(what)

    def slope(self) -> float | None:
        """MiB a minute, once warm; None when there was too little time."""
        start = self.memory[0][0] + WARM if self.memory else 0.0
        warm = np.array([row for row in self.memory if row[0] >= start])
        if len(warm) < 30 or np.ptp(warm[:, 0]) < WARM:
            return None
        return float(60.0 * np.polyfit(warm[:, 0], warm[:, 1], 1)[0])


def resident() -> float:
    """MiB of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def disturb(rig: Rig, seconds: float, tally: Tally) -> None:
    """Random faults for so long, and until each kind came at least once."""
    end = time.monotonic() + seconds
    waiting = [name for name in FAULTS if name not in tally.injected]
    rig.chance.shuffle(waiting)
    while time.monotonic() < end or waiting:
        name = waiting.pop() if waiting else rig.chance.choice(list(FAULTS))
        tally.injected[name] += 1
        if FAULTS[name](rig):
            tally.handled[name] += 1
        else:
            tally.broken.append(f"{name}: not handled at tick {rig.live.ticks}: {rig.live.faults}")
            rig.live.resume()
        tally.memory.append((time.monotonic(), resident()))
        time.sleep(0.1 * rig.chance.random())


def one_part(
    path: Path, seconds: float, chance: random.Random, models: dict[str, tb.System], tally: Tally,
    counter: allocation_counter.Counter | None,
) -> tb.Live:  # fmt: skip
    """A live run with its device, disturbed."""
    share = f"touchback-soak-{os.getpid()}-{tally.recordings}"
    observer = tb.EnergyObserver({"felt force": "hand position"}, limit=0.02, motion="position")
    with tb.live(
        models["hinged"], models["hinged"].assemble(crank=0.3, rates={"crank": 3.0}), rate=RATE,
        share=share, record=path, energy={"wall energy": observer},
        inputs={
            "motor torque": tb.WatchedInput(max_age=0.1, low=-1.0, high=10.0),
            "hand position": tb.WatchedInput(max_age=0.1),
        },
        outputs={"felt force": tb.GuardedOutput(safe=SAFE, low=-LIMIT, high=LIMIT)},
    ) as live:  # fmt: skip
        rig = Rig(live, live.listen(), share, chance, models)
        try:
            rig.start_device()
            tally.promise(rig.recovers(), "the run never became well at its start")
            if counter is not None:
                counter.watch(live._first.struct.thread_id)
            disturb(rig, seconds, tally)
            if counter is not None:
                counter.watch(0)
        finally:
            rig.stop_device()
    return live


def check_recording(recording: Recording, live: tb.Live, tally: Tally) -> None:
    """Every tick is there, loops are closed, and outputs were safe whenever they had to be."""
    ticks, flags = recording.column("tick"), recording.column("flags").astype(int)
    tally.promise(recording.complete, "a recording isn't complete")
    tally.promise(np.array_equal(ticks, np.arange(1, live.ticks + 1)), "ticks are missing")
    felt = recording.column("felt force")
    unhealthy = flags & UNHEALTHY != 0
    tally.promise(bool((felt[unhealthy] == SAFE).all()), "an output wasn't safe in a fault")
    tally.promise(float(np.abs(felt).max()) <= LIMIT, "an output went beyond its limit")
    for part in recording.parts:
        radius = np.array(
            [recording.parameters[int(v)]["crank radius"] for v in part.column("version")]
        )
        a, b, x = (part.column(name) for name in ("crank", "rod", "slider"))
        gap = np.hypot(
            radius * np.cos(a) + 0.4 * np.cos(a + b) - x, radius * np.sin(a) + 0.4 * np.sin(a + b)
        )
        tally.promise(bool((gap <= 1e-10).all()), f"a loop is open by {gap.max(initial=0.0):.1e} m")


def note(live: tb.Live, path: Path, tally: Tally) -> None:
    """Counts of a part, its recording checked and replayed, then removed."""
    report = live.report()
    tally.counts.update(report.counts)
    tally.lateness = max(tally.lateness, report.histograms["lateness"].largest * 1e-9)
    for change in live.structures:
        tally.swap_time = max(tally.swap_time, change.duration or 0.0)
        tally.late_at_swaps += sum(late > 0.1 / RATE for late in change.lateness)
    recording = open_recording(path)
    tally.recordings += 1
    check_recording(recording, live, tally)
    again = tb.replay(path)
    tally.replayed += again.ticks
    tally.promise(again.same, f"a replay differs from tick {again.first_difference} on")
    path.unlink()


def told(tally: Tally, seconds: float) -> str:
    """The report for people."""
    counts, slope = tally.counts, tally.slope()
    growth = "too short to tell" if slope is None else f"{slope:+.3f} MiB a minute"
    lines = [
        f"soak: {seconds:.0f} s at {RATE:g} Hz, {tally.recordings} recordings",
        f"  ticks {counts['ticks']}, late {counts['late']}, overruns {counts['overruns']}, slipped "
        f"{counts['slipped']}, latest {tally.lateness * 1e3:.3f} ms, rows lost "
        f"{counts['lost_rows']}",
        f"  structures taken {counts['structures']}, longest {tally.swap_time * 1e6:.0f} µs, late "
        f"ticks at them {tally.late_at_swaps}; parameters taken {counts['swaps']}, refused at the "
        f"tick {counts['swaps_refused']}",
        f"  C allocations of the ticks after start: "
        f"{'not counted (no gcc)' if tally.allocations is None else tally.allocations}",
        f"  memory: {growth}",
        f"  replayed bit for bit: {tally.replayed} ticks",
        "  faults, injected and handled:",
        *(f"    {name:<18} {tally.injected[name]:>6} {tally.handled[name]:>6}" for name in FAULTS),
        *(f"  BROKEN: {what}" for what in tally.broken),
    ]
    return "\n".join([*lines, "all promises kept" if not tally.broken else "promises broken"])


def plain(tally: Tally, seconds: float) -> dict[str, Any]:
    """The report for programs."""
    return {
        "seconds": seconds, **tally.counts, "injected": tally.injected, "handled": tally.handled,
        "allocations": tally.allocations, "memory_slope": tally.slope(),
        "recordings": tally.recordings, "replayed": tally.replayed,
        "longest_swap": tally.swap_time, "late_at_swaps": tally.late_at_swaps,
        "broken": tally.broken,
    }  # fmt: skip


def soak(seconds: float, part: float, seed: int, counted: bool) -> tuple[Tally, float]:
    """Parts of a soak one after the other."""
    tally, chance = Tally(), random.Random(seed)
    counter = allocation_counter.Counter() if counted else None
    models = {name: mechanism.model(name).compile() for name in mechanism.TAILS}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - began < seconds:
            left = seconds - (time.monotonic() - began)
            path = Path(folder, f"{tally.recordings}.mcap")
            live = one_part(path, min(part, left), chance, models, tally, counter)
            note(live, path, tally)
    tally.allocations = counter.counted if counter else None
    tally.promise(not tally.allocations, f"{tally.allocations} allocations in ticks")
    tally.promise(tally.counts["lost_rows"] == 0, "rows were lost")
    tally.promise((tally.slope() or 0.0) <= SLOPE, f"memory grows by {tally.slope()} MiB a minute")
    return tally, time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, help="instead of minutes")
    parser.add_argument("--part", type=float, default=300.0, help="seconds of a recording")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    counted = os.environ.get("TOUCHBACK_SOAK_COUNTED") == "1"
    if not counted and shutil.which("gcc"):  # again, with malloc counted
        library = allocation_counter.build(Path(tempfile.mkdtemp(prefix="soak-")))
        environment = {"LD_PRELOAD": str(library), "TOUCHBACK_SOAK_COUNTED": "1"}
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **environment})
    tally, took = soak(given.seconds or 60.0 * given.minutes, given.part, given.seed, counted)
    print(told(tally, took))
    if given.json:
        given.json.write_text(json.dumps(plain(tally, took), indent=2), encoding="utf-8")
    return bool(tally.broken)


if __name__ == "__main__":
    raise SystemExit(main())
