"""The grand piano action over a virtuoso passage: single ticks, keys in a core, MuJoCo."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import touchback as tb
from benchmarks.engines.build import Unavailable
from benchmarks.engines.piano_live import METHOD, STEP, PianoLive, action, resting
from benchmarks.engines.piano_mujoco import PianoInMuJoCo
from benchmarks.report import Section, Target, microseconds
from benchmarks.timing import Floats
from touchback.instruments.piano.finger_motions import (
    ABOVE,
    KEYS,
    LOWEST,
    FingerStroke,
    Passage,
    finger_motion,
    passage_on_every_key,
    virtuoso_passage,
)
from touchback.instruments.piano.stroke_analysis import strike_times

SHARE = 0.7  # of a core
RATES = (4000.0, 1000.0)
KINDS = {"repeated notes": LOWEST, "trill": LOWEST + 1, "chords": LOWEST + 2}  # of `everywhere`
COLUMNS = ["keys, rate", "p50", "p99.9", "max", "p99.9 a key", "keys in 70 %"]


def run(duration: float = 4.0, peer: bool = True) -> Section:
    """Rows of actions, then MuJoCo, then how accurate the steps are."""
    section = Section("Grand piano action, full contact: µs an unclocked tick", list(COLUMNS))
    system = action()
    rest = resting(system)
    passages = {
        "resting": {}, "ten fingers": virtuoso_passage(duration),
        "all playing": passage_on_every_key(duration),
    }  # fmt: skip
    with undisturbed() as scheduling:
        one = {LOWEST: passage_on_every_key(duration)[LOWEST]}
        _ours(section, system, rest, "playing", one, (duration, 4000.0), 1)
        for rate in RATES:
            for label, passage in passages.items():
                _ours(section, system, rest, label, passage, (duration, rate), KEYS)
        if peer:
            _peer(section, duration)
    _accuracy(section, system, rest, min(duration, 2.0))
    section.remark(
        f"Ours: semi-implicit Euler, {1e6 * STEP:g} µs a step, {system.counts('rate').flops} flops "
        "each; a tick takes inputs from mailboxes, steps, measures, guards, publishes and records."
    )
    section.remark(f"{scheduling}. MuJoCo: one key and one step of 0.25 ms a tick.")
    return section


def _ours(
    section: Section, system: tb.System, rest: Floats, label: str, passage: Passage,
    timing: tuple[float, float], count: int,
) -> None:  # fmt: skip
    duration, rate = timing
    times = np.arange(round(duration * rate)) / rate
    motions = np.concatenate(
        [np.stack(finger_motion(passage.get(LOWEST + k, ()), times), axis=1) for k in range(count)],
        axis=1,
    )
    spent = PianoLive(system, rest, count, rate).ticks(motions)
    keys = "1 key" if count == 1 else f"{count} keys"
    _row(section, f"{keys} {label}, {rate / 1e3:g} kHz", spent, count, rate)
    if (label, rate) == ("all playing", 4000.0):
        worst, allowed = float(np.percentile(spent, 99.9)), SHARE / rate
        section.targets.append(
            Target(
                "piano action, 88 keys at 4 kHz, p99.9 of the tick",
                f"≤ {1e6 * allowed:.0f} µs",
                f"{1e6 * worst:.0f} µs",
                worst <= allowed,
            )
        )


def _row(section: Section, label: str, spent: Floats, count: int, rate: float) -> None:
    p50, worst = (float(x) for x in np.percentile(spent, [50, 99.9]))
    fit = int(SHARE / rate / (worst / count))
    shown = [microseconds(x) for x in (p50, worst, float(spent.max()), worst / count)]
    section.rows.append([label, *shown, str(fit)])
    section.records.append(
        {"what": label, "keys": count, "rate": rate, "ticks": len(spent), "p50": p50,
         "p99.9": worst, "max": float(spent.max()), "keys that fit": fit}
    )  # fmt: skip


def _peer(section: Section, duration: float) -> None:
    """The same key and fingers in MuJoCo: what it takes, and whether it plays."""
    times = np.arange(0.0, duration, 2.5e-4)
    kinds: dict[str, list[FingerStroke]] = {"resting": []}
    kinds |= {label: passage_on_every_key(duration)[note] for label, note in KINDS.items()}
    for label, strokes in kinds.items():
        try:
            theirs = PianoInMuJoCo(2.5e-4)
        except Unavailable as reason:
            section.remark(f"MuJoCo left out: {reason}.")
            return
        theirs.ticks(np.tile([[ABOVE - 3e-3, 0.0]], (2000, 1)))  # comes to rest
        spent, hammer = theirs.ticks(np.stack(finger_motion(strokes, times), axis=1))
        _row(section, f"MuJoCo, 1 key {label}, 4 kHz", spent, 1, 4000.0)
        section.records[-1] |= {"strikes": len(theirs.strikes(hammer)), "strokes": len(strokes)}
    played = ", ".join(
        f"{record['strikes']} of {record['strokes']} ({label})"
        for record, label in zip(section.records[-len(KINDS) :], KINDS, strict=True)
    )
    section.remark(
        "MuJoCo has the same hinges, masses, springs and surfaces, but linear contacts as stiff as "
        f"the felts at 0.3 mm and bounded by its step; its strokes that strike: {played}."
    )


def _accuracy(section: Section, system: tb.System, rest: Floats, duration: float) -> None:
    """Strikes by the steps of the ticks beside those of an adaptive run."""
    late, off, counts = 0.0, 0.0, []
    for label, note in KINDS.items():
        times = np.arange(0.0, duration + 1e-9, 2.5e-4)
        depth, speed = finger_motion(passage_on_every_key(duration)[note], times)
        inputs = {"finger depth": (times, depth), "finger speed": (times, speed)}
        fine = tb.simulate(
            system, rest, duration, inputs=inputs, rtol=1e-8, atol=1e-11, output_step=1e-4,
            progress=False,
        )  # fmt: skip
        steps = tb.simulate(
            system, rest, duration, inputs=inputs, method=METHOD, step=STEP, progress=False
        )
        ours, true = _strikes(steps), _strikes(fine)
        counts.append(f"{len(ours)} of {len(true)} ({label})")
        if len(ours) == len(true):
            late = max(late, float(np.abs(ours[:, 0] - true[:, 0]).max()))
            off = max(off, float(np.abs(ours[:, 1] / true[:, 1] - 1.0).max()))
    section.remark(
        f"Accuracy: strikes {', '.join(counts)}; times within {1e3 * late:.2f} ms, speeds within "
        f"{100 * off:.1f} % of an adaptive run at rtol 1e-8."
    )
    section.records.append({"what": "accuracy", "time": late, "speed": off, "strikes": counts})


def _strikes(run: tb.Run) -> Floats:
    """Times and speeds of strikes."""
    found = np.array(strike_times(run))
    speeds = np.interp(found - 2e-4, run.time, run["hammer velocity.z"])  # before the felt gives
    return np.stack([found, speeds], axis=1)


@contextmanager
def undisturbed() -> Iterator[str]:
    """Asks that nothing interrupts ticks, which are shorter than what a scheduler gives others."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        granted = "SCHED_FIFO, so that only interrupts and the hypervisor disturb"
    except PermissionError:
        granted = "Ordinary scheduling: ticks may be interrupted by other programs"
    try:
        yield granted
    finally:
        os.sched_setscheduler(0, *before)
