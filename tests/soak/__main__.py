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
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mechanism
import numpy as np
from check import LIMIT, SAFE
from disturbances import FAULTS, Rig

import touchback as tb

sys.path.append(str(Path(__file__).resolve().parent.parent))

import allocation_counter

RATE = 1000.0
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
        if not kept:
            self.broken.append(what)

    def slope(self) -> tuple[float, float]:
        """MiB a minute in the last two thirds of the time, and how many seconds these are."""
        rows = np.array(self.memory)
        late = rows[rows[:, 0] >= rows[0, 0] + np.ptp(rows[:, 0]) / 3.0]
        return float(60.0 * np.polyfit(late[:, 0], late[:, 1], 1)[0]), float(np.ptp(late[:, 0]))


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


def note(live: tb.Live, path: Path, tally: Tally) -> None:
    """Counts of a part, its recording checked and replayed, then removed."""
    report = live.report()
    tally.counts.update(report.counts)
    tally.lateness = max(tally.lateness, report.histograms["lateness"].largest * 1e-9)
    for change in live.structures:
        tally.swap_time = max(tally.swap_time, change.duration or 0.0)
        tally.late_at_swaps += sum(late > 0.1 / RATE for late in change.lateness)
    tally.recordings += 1
    script = Path(__file__).with_name("check.py")  # elsewhere: its memory is not the run's
    done = subprocess.run(
        [sys.executable, str(script), str(path), str(live.ticks)], capture_output=True, text=True,
        env={**os.environ, "LD_PRELOAD": ""},
    )  # fmt: skip
    tally.promise(done.returncode == 0, f"checking a recording failed: {done.stderr}")
    if done.returncode == 0:
        found = json.loads(done.stdout)
        tally.replayed += found["replayed"]
        tally.broken += found["broken"]
    path.unlink()


def told(tally: Tally, seconds: float) -> str:
    """The report for people."""
    counts, (slope, over) = tally.counts, tally.slope()
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
        f"  memory: {slope:+.3f} MiB a minute over the last {over:.0f} s",
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
        "allocations": tally.allocations, "memory_slope": tally.slope()[0],
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
    slope, over = tally.slope()
    tally.promise(slope <= SLOPE or over < WARM, f"memory grows by {slope} MiB a minute")
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
