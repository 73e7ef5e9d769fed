"""`python -m studies wall`: the virtual wall laboratory, measured and drawn."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from touchback.cli.console import out, working
from touchback.errors import InputError

if TYPE_CHECKING:
    from studies.wall.figures import Sheet

PARTS = (
    "ball", "edges", "grip", "passive", "figures", "sensing", "limits", "faults", "designs", "best",
    "key",
)  # fmt: skip
USUAL = PARTS[:5]  # the others take minutes
FOUND = ("ball", "edges", "grip")  # parts with findings that hold or fail
_RATES = "250,500,1000,2000,4000"


def wall(
    parts: Annotated[
        list[str] | None, typer.Argument(help=f"Only these: {', '.join(PARTS)}.")
    ] = None,
    rates: Annotated[str, typer.Option(help="Sampling rates of the passive walls [Hz].")] = _RATES,
    plot: Annotated[
        Path | None, typer.Option(help="Draw every figure into this folder, with its curves.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option(help="Write the tables of real devices into this file.")
    ] = None,
) -> None:
    """Why sampled walls chatter, and walls that don't: Gillespie's chapters 5 and 6, measured.

    *ball*: floors against the continuous ball; *edges*: stability from the formula and from runs;
    *grip*: a finger identified while it plays; *passive*: the stiffest passive wall of each kind;
    *figures*: what can be drawn anew; these are shown unless parts are named.

    *sensing*: passive walls with an encoder, at the rate nearest to 1 kHz; *limits*: at all rates;
    *faults*: with coarse and noisy counts, late forces, weak and misjudged motors and hands;
    *designs*: other people's cures, ours, and published bounds; *best*: published walls against
    ours, judged on presses that neither knew; *key*: walls on the simulated key, pressed and
    struck, as they are chosen live. A finding that fails gives exit code 1.
    """
    wanted = parts or list(USUAL)
    for part in wanted:
        if part not in PARTS:
            raise InputError(f"There is no part '{part}'. There are: {', '.join(PARTS)}.")
    frequencies = _frequencies(rates)
    if plot is not None:
        plot.mkdir(parents=True, exist_ok=True)
    fine = _findings([part for part in wanted if part in FOUND])
    sheets = _own_pictures(wanted, frequencies, drawn=plot is not None)
    sheets += _real(wanted, frequencies, tables)
    if "figures" in wanted:
        sheets = [*_list_figures(), *sheets]
    if plot is not None:
        _draw(sheets, plot)
    if not fine:
        raise typer.Exit(1)


def _findings(parts: list[str]) -> bool:
    """Prints what was measured; whether all of it holds."""
    from studies.wall import findings

    if not parts:
        return True
    table = Table("finding", "measured", "due", "", box=None, pad_edge=False)
    fine = True
    for part in parts:
        with working(f"measuring: {part}") as status:
            for found in findings.PARTS[part]():
                mark = Text("holds", "green") if found.holds else Text("fails", "red")
                table.add_row(found.what, found.measured, found.due, mark)
                status.update(Text(f"measured: {found.what}"))
                fine = fine and found.holds
    out.print(table)
    return fine


def _own_pictures(wanted: list[str], rates: list[float], drawn: bool) -> list[Sheet]:
    """The passive walls as a table; the sheets of our own results, if they are to be drawn."""
    sheets: list[Sheet] = []
    if "passive" in wanted:
        passive = _passive(rates)
        if drawn:
            from studies.wall.figures.limits import passive_sheet

            sheets.append(passive_sheet(rates, passive))
    if "grip" in wanted and drawn:
        from studies.wall.figures.limits import grip_sheet
        from studies.wall.findings import grip_errors

        sheets.append(grip_sheet(grip_errors(False), grip_errors(True)))
    return sheets


def _passive(rates: list[float]) -> dict[str, list[float]]:
    from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, largest_passive_stiffness
    from touchback.haptics.wall.wall_controllers import KINDS

    table = Table("passive up to [N/m]", box=None, pad_edge=False)
    for rate in rates:
        table.add_column(f"{rate:g} Hz", justify="right")
    found: dict[str, list[float]] = {}
    for kind in KINDS:
        found[kind.name] = []
        for rate in rates:
            with working(f"pressing the {kind.name} wall at {rate:g} Hz"):
                found[kind.name].append(largest_passive_stiffness(kind, rate))
        table.add_row(kind.name, *map(_stiffness, found[kind.name]))
    table.add_row("2b/T (Colgate)", *(f"{2.0 * BENCH_DEVICE.damping * rate:.0f}" for rate in rates))
    out.print()
    out.print(table)
    out.print("all: no press failed up to contacts of two samples")
    return found


def _real(wanted: list[str], rates: list[float], tables: Path | None) -> list[Sheet]:
    """Walls on a real device: their tables, and the sheets to be drawn of them."""
    from studies.wall import real_tables
    from studies.wall.figures.limits import bars_sheet, limits_sheet

    grids: list[real_tables.Grid] = []
    sheets: list[Sheet] = []
    for part, made in real_tables.PARTS.items():
        if part not in wanted:
            continue
        fresh, cells = made(rates)
        for grid in fresh:
            grid.show()
        grids += fresh
        if part == "limits":
            sheets.append(limits_sheet(rates, cells))
        elif part in ("faults", "designs"):
            sheets.append(bars_sheet(part, cells))
    if grids:
        out.print(
            "passive up to [N/m]; in brackets: the largest distance from where a continuous wall "
            "has the handle, over the penetration; counts of 4.15 µm"
        )
    if tables is not None:
        real_tables.write(grids, tables)
        out.print(f"{len(grids)} tables: {tables}")
    return sheets


def _stiffness(value: float) -> str:
    return "all" if math.isinf(value) else f"{value:.0f}"


def _list_figures() -> list[Sheet]:
    from studies.wall.figures import NOT_DRAWN, SHEETS

    table = Table("figure", "what it shows", "what the text leaves to us", box=None, pad_edge=False)
    for sheet in SHEETS:
        table.add_row(sheet.number, sheet.title, sheet.choices)
    for numbers, why in NOT_DRAWN.items():
        table.add_row(numbers, Text(f"not drawn: {why}", "dim"), "")
    out.print()
    out.print(table)
    return list(SHEETS)


def _draw(sheets: list[Sheet], folder: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    for number, sheet in enumerate(sheets, start=1):
        with working(f"drawing {sheet.number} ({number} of {len(sheets)})"):
            sheet.save(folder)
    out.print(f"\n{len(sheets)} pictures and their curves: {folder}")


def _frequencies(text: str) -> list[float]:
    try:
        rates = [float(word) for word in text.split(",")]
    except ValueError:
        rates = []
    if not rates or not all(0.0 < rate < math.inf for rate in rates):
        raise InputError(f"--rates: positive numbers with commas between, got '{text}'.")
    return rates
