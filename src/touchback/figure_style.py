"""How our pictures look: colours, letters and lines, and the page that drawings lie on."""

from __future__ import annotations

import os
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from touchback.errors import InputError
from touchback.safe_files import atomic_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INK, SOFT, ACCENT, GREEN = "#3d405b", "#6b6f8d", "#e07a5f", "#43896b"


PALE, FILL, FIRST, PAPER = "#9aa0b5", "#eef1f8", "#dfe9dc", "#ffffff"


WATER = "#3a8fc4"


BODIES = ("#1b6ca8", "#c8553d", "#3a7d44", "#7d5ba6", "#b8860b", "#2a9d8f", "#8c564b")


LINKS = ("#c9cfdd", "#a9b3c9")  # of robots whose files say no colours


LETTER, LINE = 6.3, 14.0  # width of a letter and height of a line, about [px]


PICTURES = (".png", ".svg", ".pdf", ".jpg")  # what plots can be written as


def svg_page(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Drawn parts on a page of our size [px], with its name."""
    size = f"{width:.0f}", f"{height:.0f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img" font-family="sans-serif" font-size="11" '
        'text-anchor="middle">'
    )
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", paper, *parts, "</svg>", ""])


def text_svg(text: str, x: float, y: float, style: str) -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'


def rimmed_svg(text: str, x: float, y: float, style: str) -> list[str]:
    """Words with a white rim; drawn apart, since not every viewer knows paint-order."""
    halo = f'fill="{PAPER}" stroke="{PAPER}" stroke-width="4" stroke-linejoin="round"'
    weight = ' font-weight="bold"' if "bold" in style else ""
    return [text_svg(text, x, y, halo + weight), text_svg(text, x, y, style)]


def pyplot() -> Any:
    """matplotlib, imported when a plot is asked for."""
    try:
        import matplotlib.pyplot as found
    except ImportError as error:
        raise InputError(
            "Plotting needs matplotlib; install it with `pip install touchback[plot]`."
        ) from error
    return found


def light_grid(axis: Axes) -> None:
    """The grid behind curves."""
    axis.grid(alpha=0.3)


def finish_figure(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        text.set(parse_math=False)  # names may have dollars in them
    if path is not None:
        with atomic_file(path) as beside:
            figure.savefig(beside, dpi=150)
        pyplot().close(figure)
    return figure
