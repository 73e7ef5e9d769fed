"""What drawings of modes are made of: rounded boxes, arrows and words, as SVG."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from touchback import Expr
from touchback.figure_style import FILL, FIRST, INK, LETTER, LINE, SOFT, text_svg
from touchback.model import Transition, to_text
from touchback.model.model_text import value_text

Point = tuple[float, float]
LONGEST = 34  # characters of a cause
_ROUND = 34.0  # of a mode's corners at most [px]
_NAMES = re.compile(r"'(?:[qv]:)?([^']+)'|(?<![\w.])([A-Za-z_]\w*)\b(?!\()")


@dataclass(frozen=True)
class Oval:
    """A mode on the page: its name in one or several lines, and its constraints below."""

    names: tuple[str, ...]
    lines: tuple[str, ...]
    x: float
    y: float

    @property
    def half(self) -> Point:
        """Half its width and height."""
        longest = max(*(len(name) * 1.1 for name in self.names), *map(len, (*self.lines, "")))
        count = len(self.names) + len(self.lines)
        return longest * LETTER / 2 + 16.0, count * LINE / 2 + 10.0

    def corners(self) -> list[Point]:
        """Two opposite ones."""
        w, h = self.half
        return [(self.x - w, self.y - h), (self.x + w, self.y + h)]

    def holds(self, point: Point) -> bool:
        """Whether a point is inside."""
        half = self.half
        return abs(point[0] - self.x) < half[0] and abs(point[1] - self.y) < half[1]

    def drawn(self, first: bool, mode: str = "") -> list[str]:
        """The box with its words; the mode to start in has another colour and a dot before it.
        `mode` names it for a page that lights it."""
        w, h = self.half
        parts = []
        if first:
            left = self.x - w
            parts.append(f'<circle cx="{left - 24:.1f}" cy="{self.y:.1f}" r="4" fill="{INK}"/>')
            path = f"M{left - 24:.1f},{self.y:.1f} L{left - 1:.1f},{self.y:.1f}"
            parts.append(path_svg(path, False))
        parts.append(
            f'<rect x="{self.x - w:.1f}" y="{self.y - h:.1f}" width="{2 * w:.1f}" '
            f'height="{2 * h:.1f}" rx="{min(_ROUND, h):.1f}" fill="{FIRST if first else FILL}" '
            f'stroke="{INK}" stroke-width="1.4" data-mode="{escape(mode)}"/>'
        )
        y = self.y - (len(self.names) + len(self.lines) - 1) * LINE / 2 + 4.0
        for k, line in enumerate((*self.names, *self.lines)):
            style = 'font-size="12" font-weight="bold"' if k < len(self.names) else f'fill="{SOFT}"'
            parts.append(text_svg(line, self.x, y + k * LINE, style))
        return parts


def cause_text(each: Transition) -> str:
    """When a transition happens, in few words: by names alone where its expression is long."""
    sides = {-1: "falls to 0", 0: "crosses 0", 1: "rises to 0"}
    text = re.sub(r"'v:([^']*)'", r"\1 rate", value_text(each.when))
    text = re.sub(r"'(?:q:)?([^']*)'", r"\1", text)
    if "…" in text and isinstance(each.when, Expr):
        shared, texts = to_text(each.when.tape, [each.when.id], table=lambda table: "table")
        found = _NAMES.findall(" ".join([*texts, *shared.values()]))
        text = f"f({', '.join(dict.fromkeys(a or b for a, b in found))})"
    return f"{text} {sides[each.direction]}"


def path_svg(path: str, dashed: bool) -> str:
    """An arrow along a path."""
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="1.3"{dashes} '
        'marker-end="url(#head)"/>'
    )


def cut(text: str, longest: int = LONGEST) -> str:
    """A text, or its beginning."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
