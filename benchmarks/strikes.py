"""A million piano actions struck by a million gestures: their strike speeds, and how near the runs
of a sample on their own are."""

import warnings
from time import perf_counter

import numpy as np

from benchmarks.report import Section
from studies.piano.many_strikes import BINS, DURATION, STEP, Laboratory, gestures
from touchback.batch.gpu.gpu_executor import find_device

COUNT, ON_PROCESSOR, SAMPLE = 1_000_000, 100, 256


def run() -> Section:
    """Seconds, steps a second, and the largest difference of a sample; few without a card."""
    section = Section(
        "Piano actions struck at once",
        ["actions", "on", "s", "10⁶ steps/s", "strikes", "sample", "differs by"],
    )
    card = find_device()
    count = ON_PROCESSOR if isinstance(card, str) else COUNT
    laboratory, given = Laboratory(), gestures(count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no card, which the remark tells
        laboratory.strike(gestures(2), duration=STEP)  # compiles
        struck = laboratory.strike(given)
    some = np.random.default_rng(2).choice(count, min(SAMPLE, count), replace=False)
    began = perf_counter()
    single = laboratory.strike({name: each[some] for name, each in given.items()}, on="cpu")
    seconds, differs = perf_counter() - began, np.abs(single.speeds - struck.speeds[some]).max()
    rate, strikes = count * round(DURATION / STEP) / struck.seconds, int((struck.speeds > 0).sum())
    on = struck.run.card or f"{struck.run.threads} threads of the processor"
    section.rows.append(
        [str(count), on, f"{struck.seconds:.1f}", f"{rate / 1e6:.3g}", str(strikes),
         str(len(some)), f"{differs:.0e} m/s"]
    )  # fmt: skip
    section.records.append(
        {"actions": count, "on": on, "step": STEP, "duration": DURATION, "s": struck.seconds,
         "strikes": strikes, "sample": len(some), "sample alone, s": seconds,
         "sample's threads": single.run.threads, "largest difference, m/s": float(differs),
         "speeds, m/s": BINS.tolist(), "how many": np.histogram(struck.speeds, BINS)[0].tolist()}
    )  # fmt: skip
    if isinstance(card, str):
        section.remark(f"Only {count}, by the processor: {card}.")
    section.remark(
        f"Runge–Kutta with {1e6 * STEP:g} µs a step for {DURATION:g} s; the key's motion is a "
        "constraint. The sample runs as `tb.simulate` does, one by one on threads."
    )
    return section
