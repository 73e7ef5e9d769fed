"""What riding along was measured to be, as tables in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from studies.piano.report import table
from studies.riding import differentiators
from studies.riding.along import WAYS, ride
from studies.riding.transfers import Manoeuvre, Transfers, manoeuvres, processors, transfer
from studies.riding.validity import LOGGED_LATE, UNITS, judge_all


def _milliseconds(values: np.ndarray) -> str:
    if not len(values):
        return "–"
    return " ".join(f"{1e3 * x:.3g}" for x in (*np.percentile(values, [50, 99]), values.max()))


def transfer_row(found: Transfers) -> tuple[object, ...]:
    """A manoeuvre in numbers."""
    none, one, two, more = found.per_call
    return (
        found.manoeuvre.name, f"{found.received} of {found.expected}",
        f"{found.torn} {found.reordered} {found.lost}", len(found.blocks),
        f"{none} {one} {two} {more}", _milliseconds(1e3 * found.busy), _milliseconds(found.age),
        _milliseconds(found.used),
    )  # fmt: skip


def transfers(seconds: float, load: int, some: Iterable[Manoeuvre] | None = None) -> str:
    """His five manoeuvres."""
    chosen = manoeuvres(seconds, load) if some is None else some
    rows = [transfer_row(transfer(each, seconds)) for each in chosen]
    headings = (
        "manoeuvre", "blocks", "torn reordered lost", "calls", "with 0, 1, 2, more blocks",
        "call [µs] p50 p99 max", "age as handed over [ms] p50 p99 max",
        "age at the step [ms] p50 p99 max",
    )  # fmt: skip
    words = f"{seconds:g} s each, load by {load} processes, {processors()} processors"
    return table(headings, rows) + f"\n\n{words}"


def speeds() -> str:
    """Errors of each differentiator, at his step and at the board's blocks."""
    at_step, at_block = (
        differentiators.compare(period) for period in (differentiators.STEP, differentiators.BLOCK)
    )
    rows = [
        (
            slow.name, f"{1e3 * slow.delay:g}", f"{math.degrees(slow.error):.1f}",
            f"{at_step[0].error / slow.error:.1f}", f"{at_step[1].error / slow.error:.1f}",
            f"{1e3 * fast.delay:g}", f"{math.degrees(fast.error):.1f}",
            f"{at_block[1].error / fast.error:.1f}",
        )
        for slow, fast in zip(at_step, at_block, strict=True)
    ]  # fmt: skip
    headings = (
        "filter", "every 5 ms: delay [ms]", "error [°/s]", "× less than four points",
        "× less than backward", "every 1 ms: delay [ms]", "error [°/s]", "× less than backward",
    )  # fmt: skip
    return table(headings, rows)


def newton() -> str:
    """What the filters cost his integrator."""
    names = ("four points backward", "backward", "smooth, N = 4", "smooth, N = 10")
    found = differentiators.newton_iterations(names)
    return table(
        ("filter", "iterations a step", "jumps of the steering torque [N m, rms]"),
        [(name, f"{c.iterations:.2f}", f"{c.jumps:.1f}") for name, c in found.items()],
    )


def along(seconds: float) -> str:
    """The buggy, driven by a simulated board, with a page that looks on."""
    rows = [
        (
            each.way.name, f"{each.way.rate:g}", each.ticks, f"{each.late} {each.overruns}",
            f"{1e3 * each.step:.2f} {1e3 * each.worst_step:.2f}", f"{each.load:.2f}",
            each.unsolved, f"{each.loops:.1e}", f"{each.behind:.1e}", f"{1e3 * each.age:.1f}",
        )
        for each in (ride(way, seconds) for way in WAYS)
    ]  # fmt: skip
    headings = (
        "constraints", "ticks a second", "ticks", "late, overruns", "step [ms] p50 max",
        "share of a core", "not solved", "loops \\|h\\| [m]", "wheel behind [rad]",
        "age of inputs p50 [ms]",
    )  # fmt: skip
    return table(headings, rows) + f"\n\n{seconds:g} s each, {processors()} processors"


def validity() -> str:
    """Where the model could be one more run of the car."""
    rows = []
    for each in judge_all():
        late = np.array([latency.seconds for latency in each.latencies])
        verdict, unit = each.validity, UNITS[each.quantity]
        where = ", ".join(f"{a:.2f}–{b:.2f}" for a, b in verdict.outside) or "nowhere"
        rows.append((
            f"{each.manoeuvre}: {each.quantity} [{unit}]",
            f"{1e3 * late.mean():.1f} ± {1e3 * late.std(ddof=1):.1f}",
            f"{np.mean([latency.correlation for latency in each.latencies]):.4f}",
            f"{verdict.rms:.3g}", f"{verdict.most:.3g}", f"{np.median(each.bands.single_half):.3g}",
            f"{100.0 * verdict.share:.0f} %", where,
        ))  # fmt: skip
    headings = (
        "quantity", "behind the model [ms]", "correlation", "model less mean: rms", "most",
        "band, median ±", "inside", "not valid [s]",
    )  # fmt: skip
    words = f"8 runs of each; the log is {1e3 * LOGGED_LATE:g} ms late; bands at 95 %"
    return table(headings, rows) + f"\n\n{words}"
