"""A bond graph with its causality as SVG: half arrows for power, causal strokes, and stores without
states of their own in another colour. Multibonds are double lines with their size; where their
components differ, a number says how many strokes stand at an end."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

from touchback.draw.layered_layout import Point, layered
from touchback.dynamics.bond_graph import ONE, BondGraph, CausalBond, Node
from touchback.dynamics.multibond_graph import Multibond, MultibondGraph
from touchback.figure_style import ACCENT, GREEN, INK, LINE, PAPER, SOFT, svg_page, text_svg
from touchback.model import GROUND

_MARGIN, _ACROSS, _DOWN = 20.0, 46.0, 10.0  # around the page, between columns and nodes [px]
_LETTER, _HEIGHT = 6.2, 30.0  # width of a letter, height of a node [px]
_STROKE, _ARROW = 5.0, 8.0  # half a causal stroke, a half arrow [px]
_PORT = 13.0  # between bonds on one side of a node [px]
_LEGEND = (
    (GREEN, "a store with a state of its own: integral causality"),
    (ACCENT, "a store whose motion follows from the others: derivative causality"),
    (SOFT, "the stroke stands where the effort arrives; flow goes the other way"),
)


def bond_graph_svg(graph: BondGraph | MultibondGraph, title: str = "Bond graph") -> str:
    """A picture of a graph, as `tb.bond_graph` finds it: coordinates on the left, what they move to
    the right of them; of multibonds what carries on the left of what is carried."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    back = _back_bonds(graph)
    pairs = [(number[bond.tail], number[bond.head]) for bond in graph.bonds]
    edges = [(head, tail) if k in back else (tail, head) for k, (tail, head) in enumerate(pairs)]
    columns = _columns(len(number), edges)
    ports = [Counter(ends) for ends in zip(*edges, strict=True)]
    sizes = [
        (
            _LETTER * max(len(node.name), 2) + 8.0,
            max(_HEIGHT, _PORT * max(own[i] for own in ports)),
        )
        for i, node in enumerate(graph.nodes)
    ]
    places = layered(sizes, columns, edges, _ACROSS, _DOWN)
    left = min((x - w / 2 for (x, _), (w, _) in zip(places.places, sizes)), default=0.0)
    right = max((x + w / 2 for (x, _), (w, _) in zip(places.places, sizes)), default=0.0)
    points = [*places.places, *(point for route in places.routes for point in route)]
    top = min((y for _, y in points), default=0.0) - _HEIGHT / 2 - _MARGIN
    bottom = max((y for _, y in points), default=0.0) + _HEIGHT / 2 + _MARGIN
    parts = [f'<g transform="translate({_MARGIN - left:.1f} {-top:.1f})">']
    bonds: Sequence[CausalBond | Multibond] = graph.bonds
    ends = [_ends(edges, places.places, sizes, side) for side in (0, 1)]
    for k, (bond, route) in enumerate(zip(bonds, places.routes, strict=True)):
        way = [ends[0][k], *route[1:-1], ends[1][k]]
        parts += _bond(bond, way[::-1] if k in back else way)
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


def _back_bonds(graph: BondGraph | MultibondGraph) -> set[int]:
    """Bonds that would close a circle on the way from the ground, such as a spring's to what
    carries it: these are drawn from right to left."""
    every: Sequence[CausalBond | Multibond] = graph.bonds
    leaving: dict[Node, list[int]] = {node: [] for node in graph.nodes}
    for k, bond in enumerate(every):
        leaving[bond.tail].append(k)
    found, done, open_nodes = set[int](), set[Node](), set[Node]()
    grounds = [Node(ONE, f"{GROUND} {word}") for word in "ωv"]
    for root in dict.fromkeys([*(x for x in grounds if x in leaving), *graph.nodes]):
        waiting = [(root, iter(leaving[root]))] if root not in done else []
        open_nodes.update(node for node, _ in waiting)
        while waiting:
            node, bonds = waiting[-1]
            k = next(bonds, -1)
            if k < 0:
                waiting.pop()
                open_nodes.discard(node)
                done.add(node)
                continue
            beside = every[k].head
            if beside in open_nodes or beside in grounds:
                found.add(k)
            elif beside not in done:
                open_nodes.add(beside)
                waiting.append((beside, iter(leaving[beside])))
    return found


def _columns(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Each node right of all from which edges without circles lead to it."""
    found = [0] * count
    for _ in range(count):
        moved = False
        for tail, head in edges:
            if found[head] <= found[tail]:
                found[head], moved = found[tail] + 1, True
        if not moved:
            break
    return found


def _colours(graph: BondGraph | MultibondGraph) -> dict[Node, str]:
    """Of stores: that of states of their own where some component has one."""
    found: dict[Node, str] = {}
    for bond in graph.bonds:
        own = bond.causality if isinstance(bond, Multibond) else (bond.causality,)
        if bond.element is not None and "integral" in own:
            found[bond.element] = GREEN
        elif bond.element is not None and "derivative" in own:
            found[bond.element] = ACCENT
    return found


def _bond(bond: CausalBond | Multibond, route: list[Point]) -> Iterator[str]:
    """A line, or two, with a half arrow at its head and the strokes at its ends."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in route)
    line = f'points="{path}" fill="none" stroke='
    if isinstance(bond, Multibond):
        yield f'<polyline class="multibond" {line}"{INK}" stroke-width="4"/>'
        yield f'<polyline {line}"{PAPER}" stroke-width="2"/>'
        (x, y), (x_next, y_next) = route[len(route) // 2 - 1], route[len(route) // 2]
        at = (x + x_next) / 2, (y + y_next) / 2 - 4.0
        yield text_svg(str(bond.size), *at, f'fill="{INK}" font-size="8"')
    else:
        yield f'<polyline {line}"{INK}" stroke-width="1.2"/>'
    x, y = route[-1]
    angle = math.atan2(y - route[-2][1], x - route[-2][0])
    back = angle + math.pi - 0.5
    yield _line((x, y), (x + _ARROW * math.cos(back), y + _ARROW * math.sin(back)), INK)
    strokes = bond.strokes if isinstance(bond, Multibond) else (bond.stroke,)
    first, last = (route[0], route[1]), (route[-1], route[-2])
    for node, (end, beside) in ((bond.tail, first), (bond.head, last)):
        count = strokes.count(node)
        if count:
            yield from _stroke(end, beside, str(count) if count < len(strokes) else "")


def _stroke(end: Point, beside: Point, count: str) -> Iterator[str]:
    """A stroke across the end of a bond, with how many components have it there."""
    (x, y), (x_in, y_in) = end, beside
    across = math.atan2(y_in - y, x_in - x) + math.pi / 2
    dx, dy = _STROKE * math.cos(across), _STROKE * math.sin(across)
    yield _line((x - dx, y - dy), (x + dx, y + dy), INK, 'class="stroke" ')
    if count:
        side = math.copysign(5.0, x_in - x)
        yield text_svg(count, x + side, y + 9.0, f'fill="{SOFT}" font-size="8"')


def _line(a: Point, b: Point, colour: str, given: str = "") -> str:
    return (
        f'<line {given}x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
        f'stroke="{colour}" stroke-width="1.4"/>'
    )
