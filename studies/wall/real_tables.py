"""Walls on a real device as tables: printed, and written for the page that shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from studies.wall import contest, on_key, real
from studies.wall.real import Cell
from touchback.cli.console import out, working

_SECTION = re.compile(r"(<!-- ([a-z0-9 ]+) -->\n.*?<!-- end \2 -->\n)", re.DOTALL)


@dataclass(frozen=True)
class Grid:
    """A table with a name, the heads of its columns, and its rows."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def show(self) -> None:
        table = Table(*self.heads, box=None, pad_edge=False)
        for row in self.rows:
            table.add_row(*row)
        out.print()
        out.print(table)

    def markdown(self) -> str:
        lines = [self.heads, ("---",) * len(self.heads), *self.rows]
        text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"<!-- {self.name} -->\n\n{text}\n\n<!-- end {self.name} -->\n"


def write(grids: Iterable[Grid], path: Path) -> None:
    """All of them, as a page includes them; tables of other names that are there stay."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    kept = {name: text for text, name in _SECTION.findall(old)}
    kept |= {grid.name: grid.markdown() for grid in grids}
    path.write_text("\n".join(kept.values()), encoding="utf-8")


def limits(rates: Sequence[float]) -> tuple[list[Grid], list[Cell]]:
    """Every controller with every sensor, a table for each rate."""
    grids: list[Grid] = []
    found: list[Cell] = []
    for rate in rates:
        cells: list[Cell] = []
        for row, law in real.LAWS.items():
            with working(f"pressing the {row} wall at {rate:g} Hz"):
                cells += list(real.measured({row: law}, real.SENSORS, rate))
        grids.append(_grid(f"limits {rate:g}", f"{rate:g} Hz", cells))
        found += cells
    return grids, found


def faults(rate: float) -> tuple[list[Grid], list[Cell]]:
    """Every controller with an observer and one thing that goes wrong."""
    cells: list[Cell] = []
    for row, law in real.LAWS.items():
        with working(f"pressing the {row} wall with faults"):
            cells += list(real.measured({row: law}, real.FAULTS, rate))
    own = {column: real.counting(setting) for column, setting in real.FAULTS.items()}
    with working("pressing the balanced wall, counting, with faults"):
        cells += list(real.measured({"balanced, counting": real.BALANCED}, own, rate))
    return [_grid("faults", f"{rate:g} Hz", cells)], cells


def designs(rates: Sequence[float]) -> tuple[list[Grid], list[Cell]]:
    """Every cure at every rate; published bounds for the standard wall."""
    cells: list[Cell] = []
    for rate in rates:
        with working(f"pressing walls of others and ours at {rate:g} Hz"):
            cells += list(real.cured([rate]))
    told = [real.opinions(rate) for rate in rates]
    bounds = tuple((name, *(f"{each[name]:.0f}" for each in told)) for name in told[0])
    heads = tuple(f"{rate:g} Hz" for rate in rates)
    return [_grid("designs", "cure", cells), Grid("bounds", ("bound", *heads), bounds)], cells


def best(rates: Sequence[float]) -> list[Grid]:
    """The best published walls, chosen on known presses, and ours, judged on fresh ones."""
    rows = []
    for rate in rates:
        with working(f"choosing among published walls at {rate:g} Hz"):
            theirs = contest.best(rate, contest.published())
        with working(f"pressing ours at {rate:g} Hz"):
            own = contest.judged(rate, contest.OURS)
        sides = (f"{x:.0f}" for side in (theirs, own) for x in (side.known, side.fresh, side.least))
        rows.append((f"{rate:g} Hz", theirs.entry.name, *sides, f"{own.fresh / theirs.fresh:.2f}"))
    heads = (
        "rate", "best published", "known", "fresh", "least", "ours, known", "fresh", "least",
        "ratio, fresh",
    )  # fmt: skip
    return [Grid("best", heads, tuple(rows))]


def key(rates: Sequence[float]) -> list[Grid]:
    """Walls on the simulated key, by what they are told: in presses, and in blows."""
    rows: dict[tuple[str, str], list[str]] = {}
    for rate in rates:
        with working(f"pressing and striking the key at {rate:g} Hz"):
            for found in on_key.borne(rate):
                name = "standard" if found.wall == "wall" else found.wall
                cell = " / ".join(f"{found.by[kind]:.0f}" for kind in on_key.STROKES)
                rows.setdefault((name, found.sense), []).append(cell)
    heads = ("wall", "told by", *(f"{rate:g} Hz" for rate in rates))
    return [Grid("key", heads, tuple((*names, *cells) for names, cells in rows.items()))]


#: Parts of the command that press real devices, from the rates that are asked for.
PARTS: dict[str, Callable[[Sequence[float]], tuple[list[Grid], list[Cell]]]] = {
    "sensing": lambda rates: limits([_usual(rates)]),
    "limits": limits,
    "faults": lambda rates: faults(_usual(rates)),
    "designs": designs,
    "best": lambda rates: (best(rates), []),
    "key": lambda rates: (key(rates), []),
}


def _usual(rates: Sequence[float]) -> float:
    return min(rates, key=lambda rate: abs(rate - 1000.0))


def _grid(name: str, corner: str, cells: Sequence[Cell]) -> Grid:
    columns = tuple(dict.fromkeys(cell.column for cell in cells))
    rows = dict.fromkeys(cell.row for cell in cells)
    texts = {(cell.row, cell.column): str(cell) for cell in cells}
    return Grid(
        name, (corner, *columns), tuple((row, *(texts[row, c] for c in columns)) for row in rows)
    )
