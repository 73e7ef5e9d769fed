"""A compiled system shows itself in a notebook."""

import re

import touchback as tb


def test_a_notebook_shows_picture_summary_and_numbers_of_a_system() -> None:
    system = tb.gallery.make("buoy").compile()
    system["current"] = 1.25
    shown = system._repr_html_()
    assert shown.count("<svg") == 1
    assert "<line" in shown
    assert system.model.name in shown
    rows = re.findall(
        r"<tr><td>(\w+)</td><td>([^<]*)</td><td>([^<]*)</td><td>([^<]*)</td></tr>", shown
    )
    assert ("parameter", "current", "1.25", "m/s") in rows
    assert ("parameter", "water density", "1025", "kg/m³") in rows
    assert ("state", "sea.x", "", "m") in rows
    assert ("output", "tension", "", "N") in rows


def test_names_of_a_system_can_t_write_into_the_page() -> None:
    m = tb.Model("a<script>b")
    m.body("x", mass=1.0)
    m.joint("j", tb.Prismatic("x"), m.ground, "x")
    m.parameter("p<b>", 1.0)
    shown = m.compile(backend="interpreter")._repr_html_()
    assert "<script" not in shown
    assert "p<b>" not in shown


def test_of_a_long_system_only_the_first_rows_are_shown() -> None:
    m = tb.Model("long")
    m.body("x", mass=1.0)
    m.joint("j", tb.Prismatic("x"), m.ground, "x")
    for i in range(60):
        m.parameter(f"p{i}", 1.0)
    shown = m.compile(backend="interpreter")._repr_html_()
    assert "… 22 more" in shown  # 60 parameters, a position and its rate, less 40
