"""A bond graph with its causality as SVG: half arrows for power, causal strokes, and stores without
states of their own in another colour."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from touchback.draw.layered_layout import Point, layered
from touchback.dynamics.bond_graph_causality import BondGraph, CausalBond, Node
from touchback.figure_style import ACCENT, GREEN, INK, LINE, SOFT, svg_page, text_svg

_MARGIN, _ACROSS, _DOWN = 20.0, 46.0, 10.0  # around the page, between columns and nodes [px]
_LETTER, _HEIGHT = 6.2, 30.0  # width of a letter, height of a node [px]
_STROKE, _ARROW = 5.0, 8.0  # half a causal stroke, a half arrow [px]
_PORT = 13.0  # between bonds on one side of a node [px]
_LEGEND = (
    (GREEN, "a store with a state of its own: integral causality"),
    (ACCENT, "a store whose motion follows from the others: derivative causality"),
    (SOFT, "the stroke stands where the effort arrives; flow goes the other way"),
)


def bond_graph_svg(graph: BondGraph, title: str = "Bond graph") -> str:
    """A picture of a graph, as `tb.bond_graph` finds it: coordinates on the left, what they move to
    the right of them."""
    columns = _columns(graph)
    number = {node: i for i, node in enumerate(graph.nodes)}
    edges = [(number[bond.tail], number[bond.head]) for bond in graph.bonds]
    ports = [Counter(ends) for ends in zip(*edges, strict=True)]
    sizes = [
        (
            _LETTER * max(len(node.name), 2) + 8.0,
            max(_HEIGHT, _PORT * max(own[i] for own in ports)),
        )
        for i, node in enumerate(graph.nodes)
    ]
    places = layered(sizes, [columns[node] for node in graph.nodes], edges, _ACROSS, _DOWN)
    left = min((x - w / 2 for (x, _), (w, _) in zip(places.places, sizes)), default=0.0)
    right = max((x + w / 2 for (x, _), (w, _) in zip(places.places, sizes)), default=0.0)
    points = [*places.places, *(point for route in places.routes for point in route)]
    top = min((y for _, y in points), default=0.0) - _HEIGHT / 2 - _MARGIN
    bottom = max((y for _, y in points), default=0.0) + _HEIGHT / 2 + _MARGIN
    parts = [f'<g transform="translate({_MARGIN - left:.1f} {-top:.1f})">']
    ends = [_ends(edges, places.places, sizes, side) for side in (0, 1)]
    for k, (bond, route) in enumerate(zip(graph.bonds, places.routes, strict=True)):
        parts += _bond(bond, [ends[0][k], *route[1:-1], ends[1][k]])
    colours = _colours(graph)
    for node, (x, y) in zip(graph.nodes, places.places, strict=True):
        colour = colours.get(node, INK)
        style = f'fill="{colour}" font-size="13" font-weight="bold"'
        parts.append(text_svg(node.kind, x, y - 1.0, style))
        parts.append(text_svg(node.name, x, y + 11.0, f'fill="{SOFT}" font-size="9"'))
    parts.append("</g>")
    for k, (colour, words) in enumerate(_LEGEND):
        y = bottom - top + 4.0 + k * (LINE + 2.0)
        parts.append(text_svg(words, _MARGIN, y + 4.0, f'text-anchor="start" fill="{colour}"'))
    height = bottom - top + len(_LEGEND) * (LINE + 2.0) + 8.0
    return svg_page(max(right - left + 2.0 * _MARGIN, 420.0), height, title, parts)


def _ends(
    edges: Sequence[tuple[int, int]], places: Sequence[Point], sizes: Sequence[Point], side: int
) -> list[Point]:
    """Where bonds leave their tails (`side` 0) or meet their heads (1), apart from each other."""
    found: list[Point] = [(0.0, 0.0)] * len(edges)
    for node in {edge[side] for edge in edges}:
        own = [k for k, edge in enumerate(edges) if edge[side] == node]
        own.sort(key=lambda k: places[edges[k][1 - side]][1])
        x, y = places[node]
        for i, k in enumerate(own):
            at = y + _PORT * (i - (len(own) - 1) / 2)
            found[k] = (x + (0.5 - side) * sizes[node][0], at)
    return found


def _columns(graph: BondGraph) -> dict[Node, int]:
    """Each node right of all whose power it takes."""
    found = dict.fromkeys(graph.nodes, 0)
    for _ in graph.nodes:
        moved = False
        for bond in graph.bonds:
            if found[bond.head] <= found[bond.tail]:
                found[bond.head], moved = found[bond.tail] + 1, True
        if not moved:
            break
    return found


def _colours(graph: BondGraph) -> dict[Node, str]:
    marks = {"integral": GREEN, "derivative": ACCENT}
    return {
        bond.element: marks[bond.causality]
        for bond in graph.bonds
        if bond.element is not None and bond.causality in marks
    }


def _bond(bond: CausalBond, route: list[Point]) -> Iterator[str]:
    """A line with a half arrow at its head and the stroke at one end."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in route)
    yield f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="1.2"/>'
    x, y = route[-1]
    angle = math.atan2(y - route[-2][1], x - route[-2][0])
    back = angle + math.pi - 0.5
    yield _line((x, y), (x + _ARROW * math.cos(back), y + _ARROW * math.sin(back)), INK)
    ends = (route[0], route[1]) if bond.stroke == bond.tail else (route[-1], route[-2])
    (x, y), (x_in, y_in) = ends
    across = math.atan2(y_in - y, x_in - x) + math.pi / 2
    dx, dy = _STROKE * math.cos(across), _STROKE * math.sin(across)
    yield _line((x - dx, y - dy), (x + dx, y + dy), INK, 'class="stroke" ')


def _line(a: Point, b: Point, colour: str, given: str = "") -> str:
    return (
        f'<line {given}x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
        f'stroke="{colour}" stroke-width="1.4"/>'
    )
