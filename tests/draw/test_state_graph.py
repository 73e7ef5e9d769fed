"""Modes drawn as a state graph, and written as text."""

import re
import xml.etree.ElementTree as ElementTree
from math import comb

import numpy as np
import pytest

import touchback as tb
from described_models import latch
from models_with_modes import bouncing_ball, pegged_pendulum
from touchback import gallery
from touchback.draw.state_graph import state_graph_svg
from touchback.draw.state_graph_honeycomb import arranged

Box = tuple[float, float, float, float]  # left, top, right, bottom
SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_every_mode_and_transition_is_in_the_picture() -> None:
    picture = state_graph_svg(pegged_pendulum())
    shown = texts(picture)
    for word in ("long", "short", "string", "string on peg", "catch", "release"):
        assert word in shown
    assert "bob.x rises to 0" in shown and "bob.x falls to 0" in shown
    tree = ElementTree.fromstring(picture)
    assert len(list(tree.iter(f"{SVG}rect"))) == 1 + 2
    assert len([p for p in tree.iter(f"{SVG}path") if p.get("marker-end")]) == 1 + 2


def test_rests_are_dashed_and_nothing_leaves_the_page() -> None:
    tree = ElementTree.fromstring(state_graph_svg(bouncing_ball(rest=True)))
    dashed = [path for path in tree.iter(f"{SVG}path") if path.get("stroke-dasharray")]
    assert len(dashed) == 1
    width, height = float(tree.get("width", 0)), float(tree.get("height", 0))
    (group,) = tree.iter(f"{SVG}g")
    dx, dy = map(float, group.get("transform", "")[10:-1].split())
    for node in group.iter(f"{SVG}text"):
        half = 3.1 * len(node.text or "")
        x, y = float(node.get("x", 0)) + dx, float(node.get("y", 0)) + dy
        assert half - 1 <= x <= width - half + 1 and 0 < y < height


def test_names_are_escaped_and_parts_have_a_graph_each() -> None:
    m = tb.Model("two <balls>")
    m.add(bouncing_ball(), name="left")
    m.add(bouncing_ball(), name="right")
    picture = state_graph_svg(m)
    assert "two &lt;balls&gt;" in picture
    assert len(list(ElementTree.fromstring(picture).iter(f"{SVG}g"))) == 2


def test_the_tree_lists_modes_and_transitions() -> None:
    shown = str(latch())
    assert "shut  with latched  felt = 'latch torque'" in shown
    assert "slam  ajar → ajar  when 'q:door' falls" in shown and "or → shut" in shown


def ring_of_rooms(count: int = 9) -> tb.Model:
    """Rooms in a ring with a hall that leads to each: more arrows than words have room for."""
    m = tb.Model("rooms")
    place = m.state("place", 0.0, rate=1.0)
    rooms = [f"room {k}" for k in range(count)]
    m.mode("hall")
    for name in rooms:
        m.mode(name)
    for k, name in enumerate(rooms):
        m.transition(f"enter {k}", "hall", name, when=place - k - 1.0, direction=+1)
        m.transition(f"leave {k}", name, "hall", when=place + k + 1.0)
        m.transition(f"next {k}", name, rooms[(k + 1) % count], when=place * place - k - 0.5)
        m.transition(f"ring {k}", name, None, when=place - 20.0 - k, reset={"place": 0.0})
    return m


def boxes(tree: ElementTree.Element) -> tuple[list[Box], list[Box]]:
    """The modes, and the words and numbers that no mode holds."""
    ovals = []
    for node in list(tree.iter(f"{SVG}rect"))[1:]:
        x, y, w, h = (float(node.get(key, 0)) for key in ("x", "y", "width", "height"))
        ovals.append((x, y, x + w, y + h))
    words = []
    for node in tree.iter(f"{SVG}text"):
        if node.get("stroke") is None:
            half = 0.45 * 6.3 * len(node.text or "")
            x, y = float(node.get("x", 0)), float(node.get("y", 0)) - 4.0
            x += half if node.get("text-anchor") == "start" else 0.0
            inside = any(a <= x <= c and b <= y <= d for a, b, c, d in ovals)
            words += [] if inside else [(x - half, y - 4.0, x + half, y + 4.0)]
    return ovals, words


def apart(one: Box, other: Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_a_crowded_graph_has_numbers_and_a_list_and_nothing_overlaps() -> None:
    model = ring_of_rooms()
    picture = state_graph_svg(model)
    tree = ElementTree.fromstring(picture)
    assert picture == state_graph_svg(model)  # chance is the same each time
    shown = texts(picture)
    numbers = [f"{k}" for k in range(1, 4 * 9 + 1)]
    assert set(numbers) <= set(shown)
    for name, each in model.transitions.items():
        for source in each.source:
            assert any(text.endswith(f"{name} → {each.after(source)}") for text in shown), name
    arrows = [path for path in tree.iter(f"{SVG}path") if path.get("marker-end")]
    assert len(arrows) == 1 + 4 * 9
    ovals, words = boxes(tree)
    assert len(ovals) == 10
    assert len(words) == 2 * 4 * 9 + 10 + 4 * 9  # two lines each, headings, numbers
    together = [*ovals, *words]
    for k, one in enumerate(together):
        for other in together[:k]:
            assert apart(one, other)
    (group,) = tree.iter(f"{SVG}g")
    dx, dy = map(float, group.get("transform", "")[10:-1].split())
    for left, top, right, bottom in together:
        assert left + dx >= 0 and right + dx <= float(tree.get("width", 0))
        assert top + dy >= 0 and bottom + dy <= float(tree.get("height", 0))


def test_modes_are_arranged_so_that_arrows_lead_through_no_others() -> None:
    """A ring can be laid without a crossing, whatever the order it is described in."""
    ring = [(k, (k + 5) % 12) for k in range(12)]
    cells = arranged(12, ring)
    assert len(set(cells)) == 12
    lengths = [
        ((cells[i][0] - cells[j][0]) ** 2 + (cells[i][1] - cells[j][1]) ** 2) for i, j in ring
    ]
    assert max(lengths) < 1.6  # neighbours in the honeycomb, all of them


def test_long_causes_are_told_by_the_names_in_them() -> None:
    m = tb.Model("door")
    m.joint("door", tb.Revolute("z"), m.ground, m.body("leaf", mass=1.0))
    width = m.parameter("width", 1e-3)
    gap = width * tb.sin(m.coordinate("door")) + 1.5e-6 * m.rate("door") ** 2
    m.mode("ajar")
    m.transition("slam", "ajar", None, when=gap * gap * 7.25 - gap * 0.125, reset={"v:door": 0.0})
    assert "f(door, width) falls to 0" in texts(state_graph_svg(m))


def along(path: str) -> np.ndarray:
    """Points on a curve of an SVG path, quadratic or cubic."""
    corners = np.array(re.findall(r"(-?[\d.]+),(-?[\d.]+)", path), dtype=float)
    degree, t = len(corners) - 1, np.linspace(0.0, 1.0, 200)[:, None]
    weights = [comb(degree, k) * t**k * (1 - t) ** (degree - k) for k in range(degree + 1)]
    return np.sum([w * corner for w, corner in zip(weights, corners, strict=True)], axis=0)


@pytest.mark.parametrize("name", ["harpsichord", "bouncing-hammer"])
def test_no_arrow_leads_across_words(name: str) -> None:
    (group,) = ElementTree.fromstring(state_graph_svg(gallery.make(name))).iter(f"{SVG}g")
    arrows = [along(p.get("d", "")) for p in group.iter(f"{SVG}path") if "Q" in p.get("d", "")]
    assert arrows
    for node in group.iter(f"{SVG}text"):
        x, y = float(node.get("x", 0)), float(node.get("y", 0))
        half = 3.1 * len(node.text or "")
        for points in arrows:
            within = (
                (abs(points[:, 0] - x) < half) & (points[:, 1] > y - 10) & (points[:, 1] < y + 3)
            )
            assert not within.any(), node.text
