"""The Touchback keyboard against the clock, under fingers that play a virtuoso passage."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.piano import SHARE
from benchmarks.quiet import repeated
from benchmarks.report import Section, Target, microseconds
from touchback.instruments.keyboard.key_strokes import VERSE, Gesture, pedal_gestures, virtuoso
from touchback.instruments.keyboard.keyboard_model import note_name
from touchback.instruments.keyboard.keyboard_player import SETTLING_TIME, Keyboard, make_keyboard
from touchback.realtime import Live, Report

RATES = (4000.0, 2000.0, 1000.0, 500.0, 250.0)
START = 0.1  # s before the passage
TRIED = START + VERSE  # s of it by which a rate is judged: a verse, with all three pedals
PACES = ("unclocked", "clocked")
KEPT = 1e-3  # of all ticks that may overrun
COLUMNS = [
    "keys, rate", "ticks", "late, overrun", "lateness p50 p99 p99.9 max", "step p50 p99.9 max",
    "notes of strokes",
]  # fmt: skip
_HOG = "while True: pass"


def run(seconds: float = 60.0, runs: int = 16) -> Section:
    """Eighty-eight keys for so long, then seven for a third of it. `runs`: of the verse by which
    rates are judged."""
    section = Section("Touchback keyboard, piano with pedals, live: times in µs", list(COLUMNS))
    rate = _highest(section, runs)
    _row(section, 88, rate, seconds, "88 graded piano keys")
    with loaded() as hogs:
        _row(section, 7, 1000.0, seconds / 3, f"7 keys beside {len(hogs)} busy processes")
    _row(section, 7, 4000.0, seconds / 3, "7 keys")
    section.remark(
        "A step is 62.5 µs at every rate. late: begun more than a tenth of a period after it was "
        "due; overrun: not done when the next was due. step: the tick's own work."
    )
    return section


def _highest(section: Section, runs: int) -> float:
    """The highest rate whose tick leaves 30 % of the period, at p99.9 on a quiet core."""
    for rate in RATES:
        keys = make_keyboard(88, "piano", rate=rate)
        gestures: list[Gesture] = [
            *virtuoso(keys.notes, START, TRIED),
            *pedal_gestures(START, TRIED),
        ]
        found = {word: repeated(keys, gestures, TRIED, runs, word == "clocked") for word in PACES}
        worst = max(float(np.percentile(each.least, 99.9)) for each in found.values())
        for word, each in found.items():
            section.remark(f"88 graded keys with pedals, {rate:g} Hz, {word}: {each.told()}.")
            section.records.append({"tried": rate, "pace": word, **each.as_dict()})
        section.targets.append(
            Target(f"88 graded keys with pedals, {rate:g} Hz, p99.9 of a tick on a quiet core",
                   f"≤ {microseconds(SHARE / rate)} µs", f"{microseconds(worst)} µs",
                   worst * rate <= SHARE)
        )  # fmt: skip
        if worst * rate <= SHARE:
            break
    return rate


@dataclass(frozen=True)
class _Machine:
    """What the machine did to us: seconds that its host took from all processors, and its load."""

    stolen: float
    load: float

    @classmethod
    def now(cls) -> "_Machine":
        fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
        return cls(int(fields[8]) / os.sysconf("SC_CLK_TCK"), os.getloadavg()[0])


def _row(section: Section, count: int, rate: float, seconds: float, what: str) -> None:
    keys = make_keyboard(count, "piano", rate=rate)
    strokes = virtuoso(keys.notes, SETTLING_TIME, seconds)
    before = _Machine.now()
    report, live = keys.perform([*strokes, *pedal_gestures(SETTLING_TIME, seconds)], seconds)
    after = _Machine.now()
    notes = _notes(keys, live)
    ticks, late, overruns = (report.counts[name] for name in ("ticks", "late", "overruns"))
    lateness, step = (report.histograms[name].summary() for name in ("lateness", "step_time"))
    when = [microseconds(lateness[name] or 0.0) for name in ("p50", "p99", "p99.9", "max")]
    work = [microseconds(step[name] or 0.0) for name in ("p50", "p99.9", "max")]
    label = f"{what}, {rate:g} Hz, {seconds:.0f} s"
    section.rows.append(
        [
            label,
            str(ticks),
            f"{late}, {overruns}",
            " ".join(when),
            " ".join(work),
            f"{notes} of {len(strokes)}",
        ]
    )
    section.records.append(
        {"what": what, "rate": rate, "keys": count, "seconds": seconds, "notes": notes,
         "strokes": len(strokes), "stolen": after.stolen - before.stolen, "load": after.load,
         "report": report.as_dict()}
    )  # fmt: skip
    slipped = report.counts["slipped"]
    section.remark(
        f"{label}: {report.scheduling}; {report.memory}; the host took "
        f"{1e3 * (after.stolen - before.stolen):.0f} ms of all processors, load {after.load:.1f}; "
        f"slipped {slipped} periods."
    )
    met = overruns <= KEPT * ticks and slipped == 0
    section.targets.append(
        Target(label, "overruns ≤ 0.1 %, none slipped",
               f"{100 * overruns / max(ticks, 1):.3f} %, {slipped}", met)
    )  # fmt: skip
    if not met:
        section.remark(f"{label}: not kept, because {_reason(report)}.")


def _reason(report: Report) -> str:
    """Why ticks overran, as far as the report tells."""
    step, lateness = report.histograms["step_time"], report.histograms["lateness"]
    if (step.percentile(99) or 0.0) * report.rate > 1.0:
        return "a tick takes longer than its period"
    if not report.scheduling.startswith("SCHED_FIFO"):
        return f"other programs come first ({report.scheduling})"
    longest = max(step.largest, lateness.largest) * 1e-6
    return (
        f"the processor was away, for {longest:.1f} ms at the longest: with the host, an interrupt "
        "or another real-time program"
    )


def _notes(keys: Keyboard, live: Live) -> int:
    last = live.snapshot()
    return int(sum(last[f"{note_name(note)}/notes"] for note in keys.notes))


@contextmanager
def loaded() -> Iterator[list[subprocess.Popen[bytes]]]:
    """A process for each processor that never rests."""
    hogs = [subprocess.Popen([sys.executable, "-c", _HOG]) for _ in range(os.cpu_count() or 1)]
    try:
        yield hogs
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
