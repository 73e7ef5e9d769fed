"""Pictures of the laboratory's own results: passive stiffness over rate, and a changing grip."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studies.wall.figures.sheet import Sheet, panel
from touchback.figure_style import ACCENT, INK, PALE
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, expressible_stiffness
from touchback.haptics.wall.wall_plant import Finger

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from studies.wall.real import Cell

_MARKS = "osD^v<>pX*"


def passive_sheet(rates: list[float], table: dict[str, list[float]]) -> Sheet:
    """The largest passive stiffness of each wall over the sampling rate."""

    def draw(figure: Figure) -> None:
        axis = panel(figure, "sampling rate [Hz]", "largest passive stiffness [N/m]")
        mass = BENCH_DEVICE.mass + Finger().mass
        top = [expressible_stiffness(mass, rate) for rate in rates]
        axis.plot(rates, top, "--", color=PALE, label="contacts of two samples")
        for (name, values), mark in zip(table.items(), _MARKS):
            shown = [min(value, limit) for value, limit in zip(values, top)]
            axis.plot(rates, shown, marker=mark, ms=4, lw=1.1, label=name)
        bound = [2.0 * BENCH_DEVICE.damping * rate for rate in rates]
        axis.plot(rates, bound, ":", color=INK, label="2b/T (Colgate)")
        axis.set(xscale="log", yscale="log")
        axis.set_xticks(rates, [f"{rate:g}" for rate in rates])
        axis.minorticks_off()
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))

    return Sheet("passive", "stiffness that stays passive under the finger", "", draw)


def limits_sheet(rates: list[float], cells: list[Cell]) -> Sheet:
    """The largest passive stiffness over the rate, one panel for each sensor; the legend
    stands where a last one is missing."""

    def draw(figure: Figure) -> None:
        columns = list(dict.fromkeys(cell.column for cell in cells))
        across = math.ceil(len(columns) / 2)
        panels = figure.subplots(2, across, sharex=True, sharey=True)
        axes, idle = panels.flat[: len(columns)], panels.flat[len(columns) :]
        mass = BENCH_DEVICE.mass + Finger().mass
        top = {rate: expressible_stiffness(mass, rate) for rate in rates}
        for axis, column in zip(axes, columns, strict=True):
            rows = dict.fromkeys(cell.row for cell in cells)
            for row, mark in zip(rows, _MARKS):
                own = {c.rate: c.stiffness for c in cells if (c.row, c.column) == (row, column)}
                shown = [min(own[rate], top[rate]) for rate in rates]
                axis.plot(rates, shown, marker=mark, ms=4, lw=1.1, label=row)
            bound = [2.0 * BENCH_DEVICE.damping * rate for rate in rates]
            axis.plot(rates, bound, ":", color=INK, label="2b/T (Colgate)")
            axis.set(xscale="log", yscale="log")
            axis.set_title(column, fontsize=9)
            axis.set_xticks(rates, [f"{1e-3 * rate:g}" for rate in rates], fontsize=7)
            axis.minorticks_off()
        figure.supxlabel("rate [kHz]", fontsize=9)
        figure.supylabel("largest passive stiffness [N/m]", fontsize=9)
        for axis in idle:
            axis.set_visible(False)
        figure.legend(
            *axes[0].get_legend_handles_labels(), fontsize=7, loc="lower right",
            bbox_to_anchor=(1.0, 0.12),
        )  # fmt: skip

    return Sheet("limits", "passive stiffness by what the controller is told", "", draw)


def bars_sheet(name: str, cells: list[Cell]) -> Sheet:
    """The largest passive stiffness of each row, a bar for each column."""

    def draw(figure: Figure) -> None:
        axis = panel(figure, "largest passive stiffness [N/m]", "")
        rows = list(dict.fromkeys(cell.row for cell in cells))
        columns = list(dict.fromkeys(cell.column for cell in cells))
        for number, column in enumerate(columns):
            own = {cell.row: cell for cell in cells if cell.column == column}
            places = [i + 0.8 * number / len(columns) - 0.35 for i in range(len(rows))]
            widths = [own[row].stiffness if math.isfinite(own[row].stiffness) else 1e6
                      for row in rows]  # fmt: skip
            axis.barh(places, widths, height=0.75 / len(columns), label=column)
            axis.plot(widths, places, ".", ms=2, color=INK, label=f"_{column}")
        axis.set_yticks(range(len(rows)), rows, fontsize=7)
        axis.invert_yaxis()
        axis.set_xscale("log")
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))

    titles = {"faults": "passive stiffness by what goes wrong", "designs": "cures for counts"}
    return Sheet(name, titles[name], "", draw)


def grip_sheet(fixed: list[float], adaptive: list[float]) -> Sheet:
    """The error of the energy after each tap, with the first design kept and followed up."""

    def draw(figure: Figure) -> None:
        axis = panel(figure, "tap", "error of the energy")
        taps = range(1, len(fixed) + 1)
        for name, errors, colour in (
            ("designed for the first grip", fixed, PALE),
            ("identified while playing", adaptive, ACCENT),
        ):
            shown = [max(error, 1e-15) if math.isfinite(error) else 1.0 for error in errors]
            axis.semilogy(taps, shown, "o-", ms=4, color=colour, label=name)
        axis.legend(fontsize=8)

    return Sheet("grip", "the compensator follows a changing grip", "", draw)
