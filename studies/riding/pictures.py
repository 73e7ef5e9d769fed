"""Gallo's Fig. 4.16 and 4.11–4.12, drawn anew."""

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from studies.riding.differentiators import STEP, filters, steering, stepped
from studies.riding.transfers import Manoeuvre, transfer
from studies.riding.validity import UNITS, judge_all
from touchback.estimate import run

INK, ACCENT, THIRD = "#3d405b", "#e07a5f", "#81b29a"


def blocks_per_call(seconds: float) -> plt.Figure:
    """Fig. 4.16: what each of a thousand calls took, and how old what was used is."""
    found = transfer(Manoeuvre("with a stall", [(0.4 * seconds, 0.05)]), seconds)
    middle = int(0.4 * len(found.blocks))
    some = slice(max(0, middle - 500), middle + 500)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
    left.plot(found.blocks[some], ".", ms=2, color=INK)
    left.set(xlabel="call", ylabel="blocks", title="a thousand calls about a stall of 50 ms")
    right.hist(1e3 * found.used, bins=80, color=ACCENT, log=True)
    right.set(xlabel="age at the simulator's step [ms]", ylabel="steps of 5 ms")
    return figure


def speeds() -> plt.Figure:
    """Fig. 4.11 and 4.12: speed by the smooth filter and by four points backward."""
    t, angle = stepped(STEP, 10.0)
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained", sharey=True)
    pairs = zip(axes, ("four points backward", "smooth, N = 4"), (ACCENT, THIRD), strict=True)
    for axis, name, colour in pairs:
        filter, _ = filters(STEP)[name]
        axis.plot(t, [math.degrees(v) for v in run(filter, angle)], color=colour, lw=0.7)
        axis.plot(t, [math.degrees(v) for v in steering(t)[1]], color=INK, lw=1.0)
        axis.set(xlabel="time [s]", title=name)
    axes[0].set_ylabel("steering wheel [°/s]")
    return figure


def validity() -> plt.Figure:
    """The model among repeated drives, how far it is from their mean, and where it could be none of
    them."""
    figure, axes = plt.subplots(2, 2, figsize=(11, 5.4), layout="constrained", sharex=True)
    for (top, bottom), each in zip(axes.T, judge_all()[::2], strict=True):
        t, unit, half = each.times, UNITS[each.quantity], each.bands.single_half
        top.plot(t, each.runs.T, color=THIRD, lw=0.5)
        top.plot(t, each.model, color=INK, lw=1.1)
        bottom.fill_between(t, -half, half, color=THIRD, alpha=0.35, lw=0.0)
        bottom.plot(t, each.model - each.bands.mean, color=INK, lw=1.1)
        for axis in (top, bottom):
            for begin, end in each.validity.outside:
                axis.axvspan(begin, end, color=ACCENT, alpha=0.35, lw=0.0)
        top.set(ylabel=f"{each.quantity} [{unit}]", title=f"{each.manoeuvre}: eight runs, model")
        bottom.set(
            xlabel="time [s]", ylabel=f"less the runs' mean [{unit}]",
            title=f"{100.0 * each.validity.share:.0f} % in the band of one more run",
        )  # fmt: skip
    return figure


def write(folder: Path, seconds: float) -> None:
    """All, as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "transfers": blocks_per_call(seconds), "speeds": speeds(), "validity": validity(),
    }  # fmt: skip
    for name, figure in figures.items():
        figure.savefig(folder / f"{name}.png", dpi=72)
        plt.close(figure)
