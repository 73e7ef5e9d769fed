"""A figure of the laboratory: its number in the source, what it shows, and how it is drawn."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from touchback.figure_style import light_grid, pyplot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Sheet:
    """Draws on an empty figure; `choices` says which numbers the text leaves to us."""

    number: str
    title: str
    choices: str
    draw: Callable[[Figure], None]

    @property
    def stem(self) -> str:
        """The name of its files without ending, such as `fig_5_8`."""
        return f"fig_{self.number.replace('.', '_')}"

    def save(self, folder: Path) -> Path:
        """Draws the figure into a file of the folder, with its curves as a table beside it."""
        figure = pyplot().figure(figsize=(7.5, 4.0), layout="constrained")
        try:
            self.draw(figure)
            from_source = self.number[0].isdigit()
            title = f"Fig. {self.number}: {self.title}" if from_source else self.title
            figure.suptitle(title, fontsize=10)
            path = folder / f"{self.stem}.png"
            figure.savefig(path, dpi=90)
            _write_curves(figure, path.with_suffix(".csv"))
        finally:
            pyplot().close(figure)
        return path


def panel(figure: Figure, x: str, y: str, place: int | tuple[int, int, int] = 111) -> Any:
    """An axis with named axes and a light grid."""
    axis = figure.add_subplot(*place) if isinstance(place, tuple) else figure.add_subplot(place)
    axis.set_xlabel(x, fontsize=9)
    axis.set_ylabel(y, fontsize=9)
    light_grid(axis)
    axis.tick_params(labelsize=8)
    return axis


def _write_curves(figure: Figure, path: Path) -> None:
    """Every curve of a figure, one point a line."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["panel", "curve", "x", "y", "z"])
        for number, axis in enumerate(figure.axes):
            for line in axis.get_lines():
                data = getattr(line, "get_data_3d", line.get_data)()
                for point in zip(*data):
                    writer.writerow([number, line.get_label(), *(f"{c:.9g}" for c in point)])
