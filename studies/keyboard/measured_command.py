"""`python -m studies measured`: a table of the grand action played on a key, and what it lacks."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from studies.keyboard.measured import (
    Side,
    keep,
    measure,
    off,
    quickly,
    repeated,
    slowly,
)
from touchback.cli.console import out, working
from touchback.cli.option_types import output
from touchback.figure_style import ACCENT, GREEN, INK, PICTURES, light_grid, pyplot
from touchback.instruments.keyboard.key_mechanisms import measured_action
from touchback.instruments.piano.stroke_analysis import ForceCurve, force_curve, slow_press

VOICES = ("piano", "measured")
QUICK = (0.2, 0.1)  # s
AGAIN = 8.5e-3  # m: up so far after the let-off, and down once more
RELEASES = (1e-3, 3e-3, 4.5e-3, 6e-3, 7e-3)  # m


def measured(
    keep_it: Annotated[
        bool, typer.Option("--keep", help="Measure anew, for the voice `measured`.")
    ] = False,
    plot: Annotated[Path | None, output("Forces over depth.", *PICTURES)] = None,
) -> None:
    """Compare a measured-impedance table of the grand action, played on a key, with the action."""
    if keep_it:
        with working("moving the action"):
            found = measure()
        out.print(f"kept: {keep(found)}")
        measured_action.cache_clear()
    table = measured_action()
    out.print(
        f"{len(table.positions)} × {len(table.velocities)} forces; they leave "
        f"{1e3 * table.residual:.0f} mN of the record; mass {np.median(table.masses):.2f} kg, not "
        "displayed"
    )
    with working("pressing"):
        action = force_curve(slow_press())
        slow = {voice: slowly(voice, (9.9e-3, 0.0)) for voice in VOICES}
        again = {voice: slowly(voice, (9.9e-3, AGAIN, 9.9e-3)) for voice in VOICES}
        quick = {v: [quickly(v, seconds) for seconds in QUICK] for v in ("action", *VOICES)}
        twice = {voice: [repeated(voice, depth) for depth in RELEASES] for voice in VOICES}
    rows = Table("", "action", *VOICES)
    _stages(rows, action, slow)
    for i, seconds in enumerate(QUICK):
        sides = [quick[name][i] for name in ("action", *VOICES)]
        within = f"within {1e3 * seconds:.0f} ms"
        rows.add_row(f"most to 4.5 mm {within} [N]", *(f"{_most(one):.2f}" for one in sides))
        rows.add_row(f"work to 7 mm {within} [mJ]", *(f"{1e3 * _work(one):.1f}" for one in sides))
    peaks = [(_let_off(again[v][0]), _let_off(again[v][2])) for v in VOICES]
    rows.add_row("let-off, and from 8.5 mm again [N]", "", *(f"{a:.2f}, {b:.2f}" for a, b in peaks))
    for i, depth in enumerate(RELEASES):
        shown = (f"{b:.2f} after {a:.2f}" for a, b in (twice[v][i] for v in VOICES))
        rows.add_row(f"second stroke from {1e3 * depth:g} mm [m/s]", "", *shown)
    out.print(rows)
    if plot is not None:
        draw(action, slow, quick, plot)
        out.print(f"picture: {plot}")


def _stages(rows: Table, action: ForceCurve, slow: dict[str, list[Side]]) -> None:
    """How far each voice is from the action, stage by stage."""
    begins = [0.5e-3, *(action.stages[name] for name in "BCD"), 9.2e-3]
    for side, which in (("down", 0), ("up", 1)):
        alone = action.down if side == "down" else action.up
        for name, low, high in zip("ABCD", begins, begins[1:], strict=False):
            offs = [off(slow[voice][which], alone, low, high) for voice in slow]
            shown = (f"{1e3 * value:.0f}" for value in offs)
            rows.add_row(f"off at 10 mm/s, {side}, {name} [mN]", "", *shown)


def _most(side: Side) -> float:
    """The most before the damper is met [N]."""
    return float(np.interp(np.linspace(0.0, 4.5e-3, 451), *side).max())


def _work(side: Side) -> float:
    """What the way down to 7 mm takes [J]."""
    depths = np.linspace(0.0, 7e-3, 701)
    return float(np.trapezoid(np.interp(depths, *side), depths))


def _let_off(side: Side) -> float:
    """The most from there to 9.3 mm [N]."""
    depth, force = side
    return float(force[(depth > AGAIN + 1e-4) & (depth < 9.3e-3)].max())


def draw(
    action: ForceCurve, slow: dict[str, list[Side]], quick: dict[str, list[Side]], path: Path
) -> None:
    """Slowly down and up, and quickly down."""
    plt = pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    colours = {"piano": ACCENT, "measured": GREEN}
    for side in (action.down, action.up):
        axes[0].plot(1e3 * side[0], side[1], color=INK, lw=1.0, label="action alone")
    for voice, sides in slow.items():
        for side in sides:
            axes[0].plot(1e3 * side[0], side[1], color=colours[voice], lw=1.0, label=voice)
    for voice, curves in quick.items():
        depth, force = curves[-1]
        axes[1].plot(1e3 * depth, force, color=colours.get(voice, INK), lw=1.0, label=voice)
    axes[0].set(title="10 mm/s, down and up", ylabel="force at the key front [N]", ylim=(0, 3.2))
    axes[1].set(title=f"down in {1e3 * QUICK[-1]:.0f} ms", ylim=(-1, 5))
    for axis in axes:
        axis.set(xlabel="depth of the key front [mm]", xlim=(0, 9.4))
        light_grid(axis)
    axes[1].legend(fontsize=8)
    figure.savefig(path, dpi=80)
    plt.close(figure)
