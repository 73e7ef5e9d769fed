"""Models as graphs of objects: every body and constraint is there, tied to what it acts on, and
nothing covers anything."""

import re
from xml.etree import ElementTree

import pytest

import touchback as tb
from touchback import gallery
from touchback.draw import object_graph_svg
from touchback.draw.layered_layout import layered
from touchback.draw.object_graph import elements_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["slider-crank", "stewart-platform", "piano", "piano-modes"])
def test_everything_of_a_model_is_drawn_once_and_nothing_covers_another(name: str) -> None:
    model = gallery.make(name)
    things = elements_of(model)
    page = ElementTree.fromstring(object_graph_svg(model))
    boxes = [
        [float(rect.get(word, "nan")) for word in ("x", "y", "width", "height")]
        for rect in page.iter(f"{SVG}rect")
        if rect.get("x")
    ]
    assert len(boxes) == len(things)
    for i, (x, y, w, h) in enumerate(boxes):
        for u, v, p, q in boxes[:i]:
            assert x + w <= u or u + p <= x or y + h <= v or v + q <= y
    words = {text.text for text in page.iter(f"{SVG}text")}
    assert {thing.name for thing in things} <= words
    left, right = [x for x, *_ in boxes], [x + w for x, _, w, _ in boxes]
    for line in page.iter(f"{SVG}path"):
        if line.get("marker-end"):  # which points as the line arrives: into a box, from outside
            *_, before, _, end, _ = map(float, re.findall(r"-?[\d.]+", line.get("d", "")))
            assert before != end
            assert min(abs(end - x) for x in (left if before < end else right)) < 0.2


def test_every_meeting_with_a_body_has_a_twist_and_a_wrench() -> None:
    page = object_graph_svg(gallery.make("slider-crank"))
    # crank, rod, slider and pin have two bodies each, the spring one besides the ground
    assert page.count("url(#twist)") == page.count("url(#wrench)") == 9
    assert len(re.findall(r'stroke="#6b6f8d" stroke-width="1.3"/>', page)) >= 1  # the motor's


def test_things_know_what_they_act_on() -> None:
    m = tb.Model("things")
    first, second = m.body("first", 1.0), m.body("second", 1.0)
    m.joint("a", tb.Revolute("y"), m.ground, first)
    m.joint("b", tb.Free(), m.ground, second)
    m.close("tie", tb.Spherical(), first.at(1, 0, 0), second, active=False)
    m.drive("a", tb.Ramp(1.0), name="motor")
    m.constrain("level", position=tb.sin(m.coordinate("a")))
    m.force("spring", tb.SpringDamper(m.ground, second, stiffness=1.0, length=0.1))
    found = {thing.key: thing for thing in elements_of(m)}
    assert ("joint", "b") not in found  # it ties nothing
    assert found["closure", "tie"].bodies == ["first", "second"]
    assert not found["closure", "tie"].active
    assert found["drive", "motor"].joints == found["constraint", "level"].joints == ["a"]
    assert found["force", "spring"].bodies == ["ground", "second"]


def test_columns_are_ordered_so_that_lines_need_not_cross() -> None:
    """Three lines that a wrong order would cross, and one that passes a column between."""
    sizes = [(10.0, 10.0)] * 7
    edges = [(0, 5), (1, 4), (2, 3), (0, 6)]
    made = layered(sizes, [0, 0, 0, 1, 1, 1, 2], edges, across=20.0, down=5.0)
    heights = [y for _, y in made.places]
    assert [heights[i] < heights[j] for i, j in ((0, 1), (1, 2))] == [
        heights[i] < heights[j] for i, j in ((5, 4), (4, 3))
    ]
    assert len(made.routes[3]) == 4
    assert made.places[3][0] - made.places[0][0] == 30.0
