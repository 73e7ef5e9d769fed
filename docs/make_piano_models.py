"""Makes the pictures and tables of the page about the two piano models:
`python docs/make_piano_models.py`."""

import itertools
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from make_piano import ACCENT, INK, MM, MS, PICTURES, axes, plain_ticks, save

from studies.piano.stages import gillespie
from studies.piano.two_models import (
    FRICTIONLESS,
    curve,
    gillespie_in_modes,
    nearly_rigid,
    strokes,
)
from studies.piano.two_models_report import REPORTS
from touchback.instruments.piano import grand_piano_action
from touchback.instruments.piano.piano_action_modes import (
    BUTTON,
    MODES,
    STOP,
    SWINGS,
    contact_changes,
    piano_action_with_modes,
)
from touchback.recording import Run

TABLES = Path(__file__).parent / "piano_models_tables.inc"
SHADES = {
    "A": "#f4f1de", "B": "#e07a5f", "C": "#81b29a", "D": "#ffffff", "E": "#f2cc8f", "F": "#b5c9d8",
}  # fmt: skip


def shade(axis: plt.Axes, run: Run) -> None:
    """The modes as bands of colour, each with its letter where there is room."""
    letters = np.array([MODES[int(mode)].name[0] for mode in run["mode"]])
    ends = np.flatnonzero(letters[1:] != letters[:-1]) + 1
    for begin, end in zip([0, *ends], [*ends, len(letters) - 1], strict=True):
        left, right, letter = MS * run.time[begin], MS * run.time[end], letters[begin]
        axis.axvspan(left, right, color=SHADES[letter], alpha=0.45, lw=0)
        if right - left > 1.5 and 100 < (left + right) / 2 < 260:
            axis.text((left + right) / 2, 0.94, letter, ha="center", fontsize=8,
                      transform=axis.get_xaxis_transform())  # fmt: skip


PLACES = {STOP: 0.0, SWINGS: 2.6, BUTTON: 5.2}  # of the jack, from left to right
TAKEN = ("D reset", "A acceleration", "B let-off", "C catch", "D reset")  # Gillespie's own cycle


def graph_figure() -> None:
    """The modes in which the capstan carries the whippen, and the ways between them."""
    figure, axis = plt.subplots(figsize=(9, 4.6), layout="constrained")
    at = {p.name: (PLACES[p.jack], 1.7 * p.loaded) for p in MODES if p.carried}
    ways: dict[tuple[str, str], list[str]] = {}
    for mode in MODES:
        for change in contact_changes(mode):
            if mode.carried and change.after.carried:
                ways.setdefault((mode.name, change.after.name), []).append(change.cause)
    taken = set(itertools.pairwise(TAKEN))
    for (start, end), causes in ways.items():
        _arrow(axis, at[start], at[end], causes[0], (start, end) in taken)
    for name, (x, z) in at.items():
        box = {"boxstyle": "round,pad=0.5", "fc": SHADES[name[0]], "ec": INK}
        axis.text(x, z, name.replace(", ", ",\n"), ha="center", va="center", fontsize=9, bbox=box)
    for jack, x in PLACES.items():
        said = {STOP: "jack at its stop", SWINGS: "jack swings", BUTTON: "toe on the button"}
        axis.text(x, 2.75, said[jack], ha="center", fontsize=9, color=INK)
    for z, said in ((1.7, "hammer\non jack"), (0.0, "hammer\nfree")):
        axis.text(-1.35, z, said, ha="center", va="center", fontsize=9, color=INK)
    axis.set(xlim=(-1.8, 6.3), ylim=(-0.95, 3.0))
    axis.axis("off")
    save(figure, "models_modes")


def _arrow(
    axis: plt.Axes, start: tuple[float, float], end: tuple[float, float], cause: str, taken: bool
) -> None:
    """An arrow that swings to its right, or past two others to its left, with its cause; red in
    Gillespie's own cycle."""
    (x0, z0), (x1, z1) = start, end
    far = -0.24 if abs(x1 - x0) > 3.0 else 0.14
    options = {"arrowstyle": "-|>", "shrinkA": 22, "shrinkB": 22, "lw": 1.8 if taken else 0.8}
    colour = ACCENT if taken else INK
    style = {**options, "color": colour, "connectionstyle": f"arc3,rad={far}"}
    axis.annotate("", (x1, z1), (x0, z0), arrowprops=style)
    length = float(np.hypot(x1 - x0, z1 - z0))
    out = far * length / 2 + float(np.copysign(0.1, far))
    middle = (x0 + x1) / 2 + out * (z1 - z0) / length, (z0 + z1) / 2 - out * (x1 - x0) / length
    steep = abs(z1 - z0) > abs(x1 - x0)
    side = {True: "left", False: "right"}[z1 > z0] if steep else "center"
    if not (steep is False and z0 != z1):
        axis.text(*middle, cause, fontsize=7, color=colour, ha=side, va="center")


def stroke_figure() -> None:
    """Gillespie's stroke in both models."""
    ours, theirs = gillespie_in_modes(), gillespie()[0]
    figure, grid = axes(3, 1, size=(9, 7.2), sharex=True)
    for axis, rows in zip(
        grid,
        (
            (("key depth", MM, "key depth [mm]"), ("string gap", MM, "hammer below string [mm]")),
            (("jack overlap", MM, "jack under knuckle [mm]"),),
            (("capstan force", 1.0, "capstan [N]"), ("button force", 1.0, "button [N]")),
        ),
        strict=True,
    ):
        shade(axis, ours)
        for (name, scale, label), colour in zip(rows, (INK, ACCENT), strict=False):
            axis.plot(MS * ours.time, scale * ours[name], color=colour, lw=1.4, label=label)
            axis.plot(MS * theirs.time, scale * theirs[name], color=colour, lw=1.0, ls=":")
    for axis, place in zip(grid, ("center left", "lower left", "upper left"), strict=True):
        axis.legend(fontsize=8, loc=place)
    grid[2].set(ylim=(0, 6), xlim=(100, 260), xlabel="time [ms]")
    grid[0].set_title("full lines: modes, dotted: full contact", fontsize=9)
    save(figure, "models_stroke")


def speed_and_force_figure() -> None:
    """Hammer speed over touch speed, and force over depth."""
    figure, (left, right) = axes(1, 2, size=(10, 4))
    speeds = np.geomspace(0.09, 3.0, 12)
    for name, make, style in (
        ("modes", piano_action_with_modes, "o-"), ("full contact", grand_piano_action, "s:"),
    ):  # fmt: skip
        points = [(v, s.speed) for v, s in zip(speeds, strokes(make, speeds), strict=True) if s]
        left.loglog(*np.array(points).T, style, ms=3.5, lw=1.1, label=name)
    plain_ticks(left.xaxis, (0.1, 0.2, 0.5, 1, 2, 3))
    plain_ticks(left.yaxis, (0.2, 0.5, 1, 2, 4))
    left.set(xlabel="touch speed [m/s]", ylabel="hammer speed at the string [m/s]")
    for label, found, colour, style in (
        ("modes", curve(piano_action_with_modes), INK, "-"),
        ("full contact", curve(grand_piano_action), ACCENT, "-"),
        ("full contact, 30 × as hard",
         curve(grand_piano_action, None, nearly_rigid(30.0)), ACCENT, ":"),
        ("modes, smooth", curve(piano_action_with_modes, FRICTIONLESS), INK, "--"),
        ("full contact, smooth", curve(grand_piano_action, FRICTIONLESS), ACCENT, "--"),
    ):  # fmt: skip
        right.plot(MM * found.down[0], found.down[1], style, color=colour, lw=1.2, label=label)
    right.set(xlabel="key depth [mm]", ylabel="force at the key front [N]", ylim=(0, 2.6))
    right.set(xlim=(0, 10), title="pressed at 10 mm/s")
    for axis in (left, right):
        axis.legend(fontsize=8)
    save(figure, "models")


def tables() -> None:
    """Every table, each between marks by which the page includes it."""
    parts = [
        f"<!-- {name} -->\n\n{make()}\n\n<!-- end {name} -->\n" for name, make in REPORTS.items()
    ]
    TABLES.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    if "tables" not in sys.argv:
        graph_figure()
        stroke_figure()
        speed_and_force_figure()
    if "pictures" not in sys.argv:
        tables()
