"""Modes drawn as a state graph, and written as text."""

import xml.etree.ElementTree as ElementTree

import touchback as tb
from described_models import latch
from episodic_models import bouncing_ball, pegged_pendulum
from touchback.model.state_graph import state_graph_svg

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
        half = 6.3 * len(node.text or "") / 2
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
