"""What ticks take on a quiet core, found on a machine that others use: the same ticks again and
again, of which the least that each took counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter, sleep

import numpy as np

from benchmarks.piano import undisturbed
from benchmarks.timing import Floats
from touchback.instruments.keyboard.key_strokes import Gesture
from touchback.instruments.keyboard.keyboard_player import (
    KEYBOARD_METHOD,
    Fingers,
    Keyboard,
    script_fingers,
)
from touchback.realtime import Live, live
from touchback.realtime.latency_attribution import machine_times

PAUSE = 0.25  # of the time between looks: Linux stops real-time threads that take 95 % of a second


@dataclass(frozen=True)
class Quiet:
    """Seconds of each tick's work (runs × ticks), and what disturbed them."""

    spent: Floats
    scheduling: str
    forced: int  # context switches
    stolen: float | None  # of the machine's time, by its host

    @property
    def least(self) -> Floats:
        """What each tick took at its best."""
        least: Floats = np.nanmin(self.spent, axis=0)
        return least

    def told(self) -> str:
        """In words, in µs."""
        quiet = np.percentile(1e6 * self.least, [50, 99, 99.9, 100])
        raw = np.nanpercentile(1e6 * self.spent, [50, 99, 99.9])
        host = "" if self.stolen is None else f", the host took {100 * self.stolen:.1f} %"
        return (
            f"least of {len(self.spent)} runs p50 {quiet[0]:.0f}, p99 {quiet[1]:.0f}, p99.9 "
            f"{quiet[2]:.0f}, max {quiet[3]:.0f} µs; all of them p50 {raw[0]:.0f}, p99 "
            f"{raw[1]:.0f}, p99.9 {raw[2]:.0f} µs ({self.scheduling}; "
            f"{self.forced} switches forced{host})"
        )

    def as_dict(self) -> dict[str, object]:
        """Plain data [s]."""
        marks = {"p50": 50, "p99": 99, "p99.9": 99.9, "max": 100}
        sets = {"least": self.least, "all": self.spent}
        found = {
            name: {mark: float(np.nanpercentile(each, at)) for mark, at in marks.items()}
            for name, each in sets.items()
        }
        return {**found, "runs": len(self.spent), "forced": self.forced, "stolen": self.stolen}


def repeated(
    keys: Keyboard, gestures: Sequence[Gesture], seconds: float, runs: int, clocked: bool
) -> Quiet:
    """So many runs of the same gestures, against the clock or not."""
    spent, forced, before = [], 0, machine_times()
    with undisturbed() as words:  # fingers and taps too, or the ring of ticks would overflow
        for _ in range(runs):
            run = live(
                keys.system, rate=keys.rate, substeps=keys.substeps, method=KEYBOARD_METHOD,
                speed=1.0 if clocked else None,
            )  # fmt: skip
            fingers = script_fingers(gestures)
            ticks = round(seconds * keys.rate)
            spent.append(_work(keys, run, fingers if clocked else pausing(fingers), ticks))
            report = run.report()
            if report.blame is not None:
                forced, words = forced + report.blame.switches_forced, report.scheduling
    after = machine_times()
    stolen = after.share(before)[1] if before and after else None
    return Quiet(np.array(spent), words, forced, stolen)


def _work(keys: Keyboard, run: Live, fingers: Fingers, ticks: int) -> Floats:
    """Seconds of the first so many ticks of a run."""
    work = np.full(ticks, np.nan)

    def keep(rows: Floats, columns: tuple[str, ...]) -> None:
        tick, spent = (rows[:, columns.index(name)] for name in ("tick", "step time"))
        wanted = tick <= ticks
        work[tick[wanted].astype(int) - 1] = 1e-9 * spent[wanted]

    tap = run.tap(keep)
    with run:
        keys.drive(run, fingers, ticks / keys.rate)
        tap.close()
    return work


def pausing(fingers: Fingers) -> Fingers:
    """Fingers that give the processor away at every look, for a part of the time since the last."""
    last = perf_counter()

    def due(now: float) -> Sequence[Gesture]:
        nonlocal last
        sleep(PAUSE * (perf_counter() - last))
        last = perf_counter()
        return fingers(now)

    return due
