"""`python -m studies presses`: optimal key presses on a piano and on a synthesizer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np

from studies.keyboard.presses import (
    DEPTHS,
    TIMES,
    Press,
    everywhere,
    keys,
    loudest,
    most_even,
    robust_pianissimo,
    tried,
)
from touchback.cli.console import out, working
from touchback.cli.option_types import number, output
from touchback.figure_style import ACCENT, BODIES, INK, PICTURES, light_grid, pyplot

VOICES = ("piano", "synthesizer")


def presses(
    tries: Annotated[int, number("Scattered tries of each press.", 10, 1000)] = 96,
    plot: Annotated[Path | None, output("Loudness over presses.", *PICTURES)] = None,
) -> None:
    """Find the loudest press, the quietest that is sure to sound, and the most even repetition."""
    grids: dict[str, np.ndarray] = {}
    marks: dict[str, tuple[Press, Press, Press]] = {}
    for voice in VOICES:
        with working(f"pressing the key of a {voice}"):
            board = keys(voice)
            grid = grids[voice] = everywhere(board)
            loud, most = loudest(grid)
            soft = robust_pianissimo(board, grid, tries)
            even = most_even(board)
        marks[voice] = loud, soft.press, even.press
        out.print(f"{voice}", style="bold")
        out.print(f"  loudest: {_wish(loud)}: {most:.2f} m/s")
        out.print(
            f"  robust pianissimo: {_wish(soft.press)}: {soft.mean:.2f} ± {soft.spread:.2f} m/s, "
            f"{100 * soft.sure:.0f} % of {tries} tries sound"
        )
        spread = 100.0 * even.spread / even.mean if even.mean else float("nan")
        out.print(
            f"  most even at 6 a second: {_wish(even.press)}: {even.mean:.2f} m/s ± {spread:.1f} %"
        )
    other = tried(keys("piano"), marks["synthesizer"][1], tries)
    out.print(
        f"The synthesizer's pianissimo on the piano: {100 * other.sure:.0f} % sound, "
        f"{other.mean:.2f} ± {other.spread:.2f} m/s"
    )
    if plot is not None:
        draw(grids, marks, plot)
        out.print(f"picture: {plot}")


def _wish(press: Press) -> str:
    return f"{1e3 * press.depth:.1f} mm in {1e3 * press.time:.0f} ms"


def draw(
    grids: Mapping[str, np.ndarray], marks: Mapping[str, tuple[Press, Press, Press]], path: Path
) -> None:
    """Loudness over how deep the finger wishes to go, a curve for each time it takes."""
    plt = pyplot()
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.2), sharey=True, layout="constrained")
    shades = plt.get_cmap("viridis")(np.linspace(0.95, 0.0, len(TIMES)))
    for axis, (voice, grid) in zip(axes, grids.items(), strict=True):
        for time, row, shade in zip(TIMES, grid, shades, strict=True):
            axis.plot(1e3 * np.array(DEPTHS), np.where(row > 0.0, row, np.nan), ".-", color=shade,
                      lw=1.1, ms=3, label=f"{1e3 * time:.0f} ms")  # fmt: skip
        names = (("loudest", ACCENT), ("robust pianissimo", INK), ("most even", BODIES[3]))
        for (name, colour), press in zip(names, marks[voice], strict=True):
            j = int(np.abs(np.array(DEPTHS) - press.depth).argmin())
            at = grid[TIMES.index(press.time), j]
            axis.plot(1e3 * press.depth, at, "o", ms=9, mew=2, mfc="none", color=colour, label=name)
        axis.set(title=voice, xlabel="depth that the finger wishes [mm]", yscale="log",
                 ylim=(0.15, 20.0))  # fmt: skip
        light_grid(axis)
    axes[0].set_ylabel("loudness: speed of a hammer [m/s]")
    lines, labels = axes[0].get_legend_handles_labels()
    figure.legend(lines, labels, fontsize=8, loc="outside right center")
    figure.savefig(path, dpi=80)
    plt.close(figure)
