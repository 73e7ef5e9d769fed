"""Makes the pictures and tables of the page about the piano: `python docs/make_piano.py`."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import NullFormatter

from studies.piano.repetition import repeat, repeating_action
from studies.piano.report import REPORTS
from studies.piano.timing import (
    PIANOS,
    QUANTITIES,
    SPEEDS,
    TOUCHES,
    fitted,
    measured,
)  # fmt: skip
from touchback.instruments.piano import PressedTouch, StruckTouch, grand_piano_action
from touchback.instruments.piano.action_drawing import CLOSE, film, picture
from touchback.instruments.piano.stroke_analysis import (
    MeasuredStroke,
    force_curve,
    play,
    slow_press,
    stroke_at,
    stroke_of,
)
from touchback.recording import Run

HERE = Path(__file__).parent
PICTURES = HERE / "pictures" / "piano"
TABLES = HERE / "piano_tables.inc"
RESULTS = HERE.parent / "benchmarks" / "results" / "h200.json"
MS, MM = 1e3, 1e3
INK, ACCENT = "#3d405b", "#e07a5f"


def save(figure: plt.Figure, name: str) -> None:
    """A figure as a picture of the page."""
    figure.savefig(PICTURES / f"{name}.png", dpi=80)
    plt.close(figure)


def axes(*shape: int, size: tuple[float, float] = (9.0, 3.6), **options: bool) -> tuple:
    """A figure with a grid on each axis."""
    figure, found = plt.subplots(*shape, figsize=size, layout="constrained", **options)
    for axis in np.atleast_1d(found).flat:
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=8)
    return figure, found


def plain_ticks(axis: Axis, values: Sequence[float]) -> None:
    """Ticks of a logarithmic axis at some values, as plain numbers."""
    axis.set_ticks(values, [f"{value:g}" for value in values])
    axis.set_minor_formatter(NullFormatter())


def poses(stroke: MeasuredStroke) -> None:
    """The action at rest, at let-off and in check, and moving."""
    run = stroke.run
    names = ("key", "whippen", "jack", "lever", "hammer", "damper")
    instants = {"rest": 0.0, "let_off": stroke.strike - stroke.free, "check": float(run.time[-1])}
    for name, t in instants.items():
        angles = {joint: float(np.interp(t, run.time, run[joint])) for joint in names}
        (PICTURES / f"{name}.svg").write_text(picture(angles, CLOSE), encoding="utf-8")
    moving = film(run, 0.0, stroke.strike + 0.08)
    (PICTURES / "stroke.svg").write_text(moving, encoding="utf-8")


def stroke_figure(stroke: MeasuredStroke) -> None:
    """A stroke at 2 m/s: motions above, forces below."""
    run, t = stroke.run, MS * stroke.run.time
    figure, (above, below) = axes(2, 1, size=(9, 5.2), sharex=True)
    above.plot(t, MM * run["key depth"], label="key depth [mm]", color=INK)
    above.plot(t, MM * run["string gap"], label="hammer below string [mm]", color=ACCENT)
    above.plot(t, 100 * run["jack"], label="jack [0.01 rad]", color="#81b29a")
    above.legend(fontsize=8)
    for name in ("capstan", "jack", "lever", "button", "drop screw", "check", "string"):
        below.plot(t, run[f"{name} force"], lw=1.2, label=name)
    below.set(xlim=(0, 120), ylim=(0, 15), xlabel="time [ms]", ylabel="force [N]")
    below.legend(fontsize=8, ncols=2)
    save(figure, "stroke")


def timing_figure(strokes: dict[str, list[MeasuredStroke]]) -> None:
    """Ours over the fits of three grands."""
    figure, grid = axes(2, 3, size=(10, 5.6), sharex=True)
    speeds = np.geomspace(0.3, 7.0, 60)
    for row, touch in zip(grid, TOUCHES, strict=True):
        for axis, quantity in zip(row, QUANTITIES, strict=True):
            for name, curve in zip(PIANOS, fitted(touch, quantity, speeds), strict=True):
                axis.plot(speeds, curve, lw=1.0, label=name)
            ours = [(s.speed, measured(s)[quantity]) for s in strokes[touch] if s.speed > 0.3]
            axis.plot(*np.array(ours).T, "o-", ms=3.5, lw=0.8, color=INK, label="this action")
            axis.set_xscale("log")
            plain_ticks(axis.xaxis, SPEEDS)
            axis.set_title(f"{quantity}, {touch} [ms]", fontsize=9)
    for axis, top in zip(grid.T, (250, 40, 30), strict=True):
        for one in axis:
            one.set_ylim(None, top)
    grid[0, 0].legend(fontsize=7)
    for axis in grid[1]:
        axis.set_xlabel("hammer speed [m/s]", fontsize=9)
    save(figure, "timing")


def map_figure() -> None:
    """From touch to strike: many to one."""
    figure, (left, right) = axes(1, 2)
    same = []
    for name, touch, lags in (
        ("pressed", PressedTouch(), (0.015, 0.022, 0.030)),
        ("struck", StruckTouch(), (0.010, 0.020, 0.030)),
    ):  # fmt: skip
        system = grand_piano_action("motion", touch).compile()
        for lag in lags:
            runs = (
                play(system, 0.15 + 0.012 / v, {"touch speed": v, "lag": lag})
                for v in np.geomspace(0.1, 3.0, 9)
            )
            found = [stroke for run in runs if (stroke := stroke_of(run))]
            points = np.array([(MS * s.strike, s.speed) for s in found])
            style = "o-" if name == "pressed" else "s--"
            left.plot(*points.T, style, ms=3, lw=0.9, label=f"{name}, lag {MS * lag:g} ms")
            same.append((f"{name}, lag {MS * lag:g} ms", stroke_at(system, 1.5, {"lag": lag})))
    left.set(xlabel="travel time [ms]", ylabel="hammer speed [m/s]", xscale="log", yscale="log")
    plain_ticks(left.xaxis, (10, 20, 50, 100, 200))
    plain_ticks(left.yaxis, (0.2, 0.5, 1, 2, 5))
    left.legend(fontsize=7)
    for label, stroke in same:
        time = MS * (stroke.run.time - stroke.strike)
        right.plot(time, MM * stroke.run["key depth"], lw=1.0, label=label)
    right.set(xlim=(-90, 10), xlabel="time before the strike [ms]", ylabel="key depth [mm]")
    right.set_title("six ways to strike at 1.5 m/s", fontsize=9)
    save(figure, "map")


def force_figure() -> None:
    """The force at the key front: stages, button, hammer."""
    system = slow_press()
    usual = system.parameters["hammer mass"]
    figure, (stages, button, hammer) = axes(1, 3, size=(11, 3.6), sharey=True)
    curve = force_curve(system)
    stages.plot(MM * curve.down[0], curve.down[1], color=INK, label="down")
    stages.plot(MM * curve.up[0], curve.up[1], color=INK, ls=":", label="up")
    for name, depth in curve.stages.items():
        stages.axvline(MM * depth, color=ACCENT, lw=0.8)
        stages.text(MM * depth + 0.1, 3.2, name, color=ACCENT)
    for axis, name, values in (
        (button, "let-off button height", {"high": 0.5e-3, "normal": 0.0, "low": -0.5e-3}),
        (hammer, "hammer mass", {
            "low, −2 g": usual - 2e-3, "normal": usual, "high, +3 g": usual + 3e-3,
            "very high, +6 g": usual + 6e-3,
        }),
    ):  # fmt: skip
        for label, value in values.items():
            depth, force = force_curve(system, {name: value}).down
            axis.plot(MM * depth, force, lw=1.1, label=label)
        axis.set_title(name, fontsize=9)
    for axis in (stages, button, hammer):
        axis.set(xlabel="key depth [mm]", ylim=(0, 3.5), xlim=(0, 10))
        axis.legend(fontsize=8, loc="center left" if axis is stages else "upper left")
    stages.set(ylabel="force at the key front [N]", title="10 mm/s")
    save(figure, "force")


def capstan_figure(soft: Run, hard: Run) -> None:
    """The force at the capstan in a soft and in a hard stroke."""
    figure, (left, right) = axes(1, 2)
    for axis, run, end in ((left, soft, 400), (right, hard, 120)):
        axis.plot(MS * run.time, run["capstan force"], color=INK, lw=1.1)
        axis.set(xlim=(0, end), xlabel="time [ms]", ylim=(0, None))
    left.set(ylabel="force at the capstan [N]", title="soft: 0.5 m/s")
    right.set(title="hard: 5 m/s")
    save(figure, "capstan")


def repetition_figure() -> None:
    """Fifteen strikes a second without letting the key up."""
    found = repeat(repeating_action(), 15.0, 2e-3)
    run, t = found.run, found.run.time
    figure, axis = axes(size=(9, 3))
    axis.plot(t, MM * run["key depth"], color=INK, label="key depth [mm]")
    axis.plot(t, MM * run["string gap"], color=ACCENT, label="hammer below string [mm]")
    for strike in found.strikes:
        axis.axvline(strike, color="#81b29a", lw=0.8)
    axis.set(xlim=(0, 0.6), ylim=(-1, 46), xlabel="time [s]")
    axis.legend(fontsize=8)
    save(figure, "repetition")


def figures() -> None:
    """Every picture of the page."""
    systems = {name: grand_piano_action("motion", t).compile() for name, t in TOUCHES.items()}
    usual = stroke_at(systems["pressed"], 2.0)
    poses(usual)
    stroke_figure(usual)
    strokes = {
        name: [
            stroke
            for v in np.geomspace(0.09, 3.5, 16)
            if (stroke := stroke_of(play(system, 0.15 + 0.012 / v, {"touch speed": v})))
        ]
        for name, system in systems.items()
    }
    timing_figure(strokes)
    map_figure()
    force_figure()
    soft = play(systems["pressed"], 0.4, {"touch speed": 0.13})
    capstan_figure(soft, stroke_at(systems["struck"], 5.0).run)
    repetition_figure()
    strikes_figure()


def strikes_figure() -> None:
    """Strike speeds of a million gestures, as a graphics card found them."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    (found,) = results["python -m benchmarks strikes"]
    edges, counts = np.array(found["speeds, m/s"]), np.array(found["how many"])
    figure, axis = axes(size=(9.0, 3.2))
    axis.bar(edges[:-1], counts / 1e3, np.diff(edges), align="edge", color=ACCENT, alpha=0.8)
    axis.set_ylim(0.0, 1.15 * counts.max() / 1e3)
    heard = np.interp([0.05, 0.5, 0.95], np.cumsum(counts) / counts.sum(), edges[1:])
    for speed, share in zip(heard, ("5 %", "half", "95 %"), strict=True):
        axis.axvline(speed, color=INK, linewidth=1.0, linestyle="--")
        axis.text(speed + 0.03, axis.get_ylim()[1] * 0.93, f"{share}: {speed:.2f} m/s", fontsize=8)
    axis.set(xlim=(0.0, 4.0), xlabel="hammer at the string [m/s]", ylabel="thousands in 0.05 m/s")
    axis.set_title(f"{found['actions']:,} actions, as many gestures", fontsize=9)
    save(figure, "strikes")


def tables() -> None:
    """Every table, each between marks by which the page includes it."""
    parts = [
        f"<!-- {name} -->\n\n{make()}\n\n<!-- end {name} -->\n" for name, make in REPORTS.items()
    ]
    TABLES.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    if "tables" not in sys.argv:
        figures()
    if "pictures" not in sys.argv:
        tables()
