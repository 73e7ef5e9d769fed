"""Docquier's Fig. 28–30, drawn anew, and the peaks at one angle."""

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from studies.driving.report import trail
from studies.driving.trials import Session, Trial, same_angle
from touchback.figure_style import ACCENT, BODIES, light_grid

_SPAN = (-0.5, 4.5)  # s since the obstacle appeared


def _label(caster: float) -> str:
    return f"{math.degrees(caster):.1f}°, {trail(caster):.0f} mm"


def _path(axis: Axes, trials: list[Trial]) -> None:
    """Fig. 28, from where the obstacle stands."""
    for trial, colour in zip(trials, BODIES, strict=False):
        x = trial.run["x"] - trial.manoeuvre.place[0]
        shown = x > -45.0
        axis.plot(x[shown], trial.run["y"][shown], color=colour, label=_label(trial.caster))
    axis.add_patch(Rectangle((-1.0, -0.5), 2.0, 1.0, color=ACCENT))
    axis.set(xlabel="x from the obstacle [m]", ylabel="y [m]", title="path of the centre of mass")
    axis.legend(fontsize=7, title="caster, trail", title_fontsize=7)


def _over_time(axis: Axes, trials: list[Trial], name: str, unit: str, title: str) -> None:
    for trial, colour in zip(trials, BODIES, strict=False):
        t = trial.since
        shown = (t > _SPAN[0]) & (t < _SPAN[1])
        axis.plot(t[shown], trial.run[name][shown], color=colour, lw=1.2)
    axis.set(xlabel="time since it appeared [s]", ylabel=f"[{unit}]", title=title)


def draw(session: Session) -> plt.Figure:
    """All four."""
    trials = sorted(session.trials(), key=lambda trial: trial.caster)
    figure, axes = plt.subplots(2, 2, figsize=(11, 6.4), layout="constrained")
    _path(axes[0, 0], trials)
    _over_time(axes[0, 1], trials, "device wheel", "rad", "angle of the wheel in the hands")
    _over_time(axes[1, 0], trials, "steering torque", "N m", "torque for its motor")
    peaks, last = same_angle(trials[1]), axes[1, 1]
    for peak, colour in zip(peaks, BODIES, strict=False):
        t = peak.run.time - trials[1].manoeuvre.appears
        shown = t > -0.1
        last.plot(t[shown], peak.run["steering torque"][shown], color=colour, lw=1.2)
        last.axhline(peak.trails + peak.gyroscopic, color=colour, lw=0.8, ls="--")
    last.set(
        xlabel="time since it appeared [s]", ylabel="[N m]",
        title="same angle, no assist or friction; dashed: closed form",
    )  # fmt: skip
    for axis in axes.flat:
        light_grid(axis)
    return figure


def write(folder: Path, session: Session) -> None:
    """As PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    figure = draw(session)
    figure.savefig(folder / "driving.png", dpi=75)
    plt.close(figure)
