"""The figures of chapter 5: the bouncing ball on sampled floors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from studies.wall.figures.sheet import Sheet, panel
from studies.wall.setups import UNIT_BALL
from touchback.figure_style import ACCENT, GREEN, INK, PALE
from touchback.haptics.wall.laws import Deadbeat, HalfSample, Law, PolePlacement, Standard
from touchback.haptics.wall.sampled_simulation import Trace, simulate
from touchback.haptics.wall.wall_plant import ContinuousBall

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "gravity 1 m/s², drop 1 m, T = 0.2 s"
_LONG, _SHORT, _STRIKE = 700.0, 32.0, (1.0, 6.5)


_LAWS: dict[str, Law] = {
    "standard": Standard(), "half-sample": HalfSample(), "z-plane": PolePlacement(),
    "deadbeat": Deadbeat(inner=HalfSample()),
}  # fmt: skip


def _run(kind: str, duration: float) -> Trace:
    drop = UNIT_BALL
    samples = drop.samples(duration)
    return simulate(drop.plant, drop.controller(_LAWS[kind]), drop.start, drop.period, samples)


def _continuous(times: np.ndarray) -> np.ndarray:
    ball = ContinuousBall.of(UNIT_BALL.plant, UNIT_BALL.wall, UNIT_BALL.start)
    return np.array([ball.state(float(time)).y for time in times])


def draw_bounces(figure: Figure, kind: str, span: tuple[float, float]) -> None:
    """Height, the continuous ball, and the held force turned to fit unit stiffness."""
    axis = panel(figure, "time [s]", "height [m], −force [N]")
    trace = _run(kind, span[1])
    times, y, force = trace.between()
    shown = times >= span[0]
    axis.plot(times[shown], -force[shown], color=ACCENT, lw=0.9, label="−force / K")
    axis.plot(times[shown], y[shown], color=INK, lw=1.4, label=kind)
    axis.plot(times[shown], _continuous(times[shown]), "--", color=GREEN, lw=1.1,
              label="continuous")  # fmt: skip
    if span[1] - span[0] < 10.0:
        samples = (trace.time >= span[0]) & (trace.time <= span[1])
        axis.plot(trace.time[samples], trace.y[samples], ".", color=INK, ms=5)
    axis.legend(fontsize=8, loc="best")


def draw_long(figure: Figure, kind: str) -> None:
    """Many bounces: the height wanders."""
    axis = panel(figure, "time [s]", "height [m]")
    times, y, _ = _run(kind, _LONG).between(4)
    axis.plot(times, y, color=INK, lw=0.5, label=kind)
    axis.axhline(UNIT_BALL.start.y, color=ACCENT, lw=1.0, label="height of the drop")
    axis.set_ylim(0.8, 1.1)  # the tops alone tell
    axis.legend(fontsize=8, loc="lower right")


def draw_loop(figure: Figure) -> None:
    """Held force over position for one strike: the way out lies above the way in."""
    axis = panel(figure, "position [m]", "force [N]")
    times, y, force = _run("standard", 7.0).between(60)
    inside = (times > 1.2) & (times < 6.2)
    axis.plot(y[inside], force[inside], color=INK, lw=1.2, label="sampled and held")
    depth = np.array([y[inside].min(), 0.0])
    axis.plot(depth, -depth, "--", color=GREEN, label="f = −K y")
    axis.legend(fontsize=8)


def draw_roots(figure: Figure) -> None:
    """The sampled poles of the sprung mass, e^(±jω₀T)."""
    axis = panel(figure, "real part", "imaginary part")
    around = np.linspace(0.0, 2.0 * np.pi, 200)
    axis.plot(np.cos(around), np.sin(around), color=PALE, lw=1.0)
    angle = np.sqrt(UNIT_BALL.wall.stiffness / UNIT_BALL.plant.motion.mass) * UNIT_BALL.period
    axis.plot(np.cos([angle, -angle]), np.sin([angle, -angle]), "x", color=ACCENT, ms=9, mew=2)
    axis.plot([1.0, 1.0], [0.0, 0.0], "x", color=INK, ms=7, label="the free mass (twice)")
    axis.set_aspect("equal")
    axis.legend(fontsize=8, loc="lower left")


def _strike(number: str, kind: str, title: str) -> Sheet:
    return Sheet(number, title, OURS, partial(draw_bounces, kind=kind, span=_STRIKE))


def _bounces(number: str, kind: str, title: str, until: float = _SHORT) -> Sheet:
    return Sheet(number, title, OURS, partial(draw_bounces, kind=kind, span=(0.0, until)))


SHEETS = (
    Sheet("5.3", "a strike traced over position: energy is made", OURS, draw_loop),
    _strike("5.4", "standard", "one strike: force on late, force off late"),
    _bounces("5.8", "standard", "the standard floor makes the ball climb"),
    _strike("5.9", "standard", "the standard floor, close-up"),
    _bounces("5.10", "half-sample", "half-sample prediction"),
    _strike("5.11", "half-sample", "half-sample prediction, close-up"),
    Sheet("5.12", "half-sample prediction, long run", OURS, partial(draw_long, kind="half-sample")),
    Sheet("5.13", "desired poles on the unit circle", OURS, draw_roots),
    _bounces("5.14", "z-plane", "controller designed in the z-plane"),
    _bounces("5.16", "deadbeat", "half-sample prediction and deadbeat compensation"),
    _strike("5.17", "deadbeat", "deadbeat compensation, close-up"),
)
