"""Parts of a soak one after the other: each is a live run, disturbed, recorded and checked."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mechanism
from check import LIMIT, SAFE
from disturbances import FAULTS, Devices, Rig
from tally import Tally

import touchback as tb
from allocation_counter import Counter

RATE = 1000.0


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
    path: Path, seconds: float, chance: random.Random, models: dict[str, tb.System],
    devices: Devices, tally: Tally, counter: Counter | None,
) -> tb.Live:  # fmt: skip
    """A live run with its device, disturbed."""
    share = f"touchback-soak-{os.getpid()}-{tally.recordings}"
    observer = tb.haptics.EnergyObserver(
        {"felt force": "hand position"}, limit=0.02, motion="position"
    )
    with (
        tb.live(
            models["hinged"], models["hinged"].assemble(crank=0.3, rates={"crank": 3.0}), rate=RATE,
            share=share, record=path, energy={"wall energy": observer},
            inputs={
                "motor torque": tb.devices.WatchedInput(max_age=0.1, low=-1.0, high=10.0),
                "hand position": tb.devices.WatchedInput(max_age=0.1),
            },
            outputs={"felt force": tb.devices.GuardedOutput(safe=SAFE, low=-LIMIT, high=LIMIT)},
        ) as live,
        Rig(live, live.listen(), share, devices, chance, models) as rig,
    ):  # fmt: skip
        tally.promise(rig.recovers(), "the run never became well at its start")
        if counter is not None:
            counter.watch(live._first.struct.thread_id)
        disturb(rig, seconds, tally)
        if counter is not None:
            counter.watch(0)
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


def soak(seconds: float, part: float, seed: int, counted: bool) -> tuple[Tally, float]:
    """Everything that happened in so many seconds, and how many it really took."""
    tally, chance = Tally(), random.Random(seed)
    counter = Counter() if counted else None
    with tempfile.TemporaryDirectory() as folder, Devices() as devices:
        models = {name: mechanism.model(name).compile() for name in mechanism.TAILS}
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            left = seconds - (time.monotonic() - began)
            path = Path(folder, f"{tally.recordings}.mcap")
            during = min(part, left)
            note(one_part(path, during, chance, models, devices, tally, counter), path, tally)
    tally.allocations = counter.counted if counter else None
    tally.judge()
    return tally, time.monotonic() - began
