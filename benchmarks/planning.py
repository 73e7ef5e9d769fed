"""Plans by sampling beside a live run: how long a plan takes, how old plans get, and whether ticks
are late by it."""

import math

import numpy as np

import touchback as tb
from benchmarks.planned_mechanisms import GOAL, arm, reaching
from benchmarks.report import Section

DURATION, RATE = 5.0, 1000.0


def run(duration: float = DURATION) -> Section:
    """An arm of three joints, still and planned for."""
    section = Section(
        f"Planning: an arm at {RATE:g} Hz for {duration:g} s",
        ["run", "late", "lateness p99 µs", "step p50 µs", "plans", "ms a plan", "longest ms",
         "oldest ms", "hand off mm"],
    )  # fmt: skip
    for planned in (False, True):
        _measure(section, duration, planned)
    section.remark(
        "128 rollouts of 50 RK4 steps a plan, on all cores, in a thread beside the tick; the hand "
        "is to go 35 cm and to stay. Late: ticks more than a period behind."
    )
    return section


def _measure(section: Section, duration: float, planned: bool) -> None:
    system = arm()
    watched = {f"speed {i}": tb.devices.WatchedInput(max_age=0.2, safe=0.0) for i in range(3)}
    told = [""] * 5
    with tb.live(system, system.assemble({"joint 1": 0.3}), rate=RATE, inputs=watched) as live:
        if planned:
            with reaching(system).drive(live) as driving:
                live.run(duration)
                at = live.snapshot()
            off = math.dist([at[f"hand.{axis}"] for axis in GOAL], GOAL.values())
            middle, worst = 1e3 * np.percentile(driving.seconds, [50, 100])
            told = [str(driving.plans), f"{middle:.1f}", f"{worst:.1f}"]
            told += [f"{1e3 * driving.oldest:.0f}", f"{1e3 * off:.1f}"]
        else:
            live.run(duration)
    report = live.report()
    lateness, step = (report.histograms[name].summary() for name in ("lateness", "step_time"))
    times = [f"{1e6 * (x or 0.0):.1f}" for x in (lateness["p99"], step["p50"])]
    late = report.counts["late"]
    section.rows.append(["planned" if planned else "still", str(late), *times, *told])
    section.records.append({"planned": planned, "late": late, "times": times, "told": told})
