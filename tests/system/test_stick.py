"""Stick figures put joints and centres of mass where closed-form geometry says."""

from math import cos, sin
from xml.etree import ElementTree

import pytest

import touchback as tb
from described_models import ALL
from touchback.errors import InputError, ModelError
from touchback.system.stick import stick_figure
from touchback.system.stick_svg import stick_figure_svg

ANGLES = 0.4, 0.7


def double_pendulum() -> tb.Model:
    m = tb.Model("<double> & pendulum")
    length = m.parameter("length", 1.0)
    upper = m.body("upper", mass=1.0, com=(length / 2, 0, 0))
    lower = m.body("lower", mass=1.0, com=(0.25, 0, 0))
    m.joint("shoulder", tb.Revolute("-y"), m.ground, upper, position=ANGLES[0])
    m.joint("elbow", tb.Revolute("-y"), upper.at(length, 0, 0), lower, position=ANGLES[1])
    return m


def test_points_lie_where_trigonometry_puts_them() -> None:
    a, b = ANGLES
    figure = stick_figure(double_pendulum())
    assert figure.plane == "xz"
    assert figure.bearings == [(0.0, 0.0)]
    # Sums of a few products of numbers of order 1.
    assert figure.joints["elbow"] == pytest.approx((cos(a), sin(a)), abs=1e-15)
    tip = cos(a) + 0.25 * cos(a + b), sin(a) + 0.25 * sin(a + b)
    assert figure.masses["lower"] == pytest.approx(tip, abs=1e-15)


def test_positions_and_parameters_can_be_given() -> None:
    figure = stick_figure(double_pendulum(), q=[0.0, 0.0], parameters={"length": 3.0})
    assert figure.joints["elbow"] == (3.0, 0.0)
    assert figure.masses["lower"] == (3.25, 0.0)


def test_the_plane_is_the_one_that_shows_most_or_the_chosen_one() -> None:
    m = tb.Model("flat")
    table = m.body("table", mass=1.0, com=(1, 2, 0))
    m.joint("pivot", tb.Revolute("z"), m.ground, table)
    assert stick_figure(m).plane == "xy"
    assert stick_figure(m, plane="yz").masses["table"] == (2.0, 0.0)
    with pytest.raises(InputError, match="one of xz, yz, xy, got 'zx'"):
        stick_figure(m, plane="zx")


def test_a_slide_that_is_open_is_drawn_and_a_free_body_hangs_on_nothing() -> None:
    m = tb.Model("cart")
    m.body("cart", mass=1.0)
    m.body("stone", mass=1.0)
    m.joint("track", tb.Prismatic("x"), m.ground, "cart", position=2.0)
    m.joint("fly", tb.Free(), m.ground, "stone", position=(0, 0, 5, 1, 0, 0, 0))
    figure = stick_figure(m)
    assert [(s.name, s.start, s.end) for s in figure.sticks if s.kind == "slide"] == [
        ("track", (0.0, 0.0), (2.0, 0.0))
    ]
    assert figure.bearings == [(0.0, 0.0)]


@pytest.mark.parametrize("describe", ALL, ids=lambda describe: describe.__name__)
def test_every_sample_can_be_drawn(describe: object) -> None:
    model = describe()  # type: ignore[operator]
    root = ElementTree.fromstring(stick_figure_svg(model))
    names = {element.text for element in root.iter("{http://www.w3.org/2000/svg}title")}
    assert {*model.joints, *model.bodies} <= names


def test_the_svg_escapes_names_and_the_notebook_shows_figure_and_tree() -> None:
    shown = double_pendulum()._repr_html_()
    assert "&lt;double&gt; &amp; pendulum" in shown
    assert "<double>" not in shown
    assert shown.count("<svg") == 1 and "└─ shoulder" in shown


def test_wrong_positions_and_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="2 positions are expected, got 1"):
        stick_figure(double_pendulum(), q=[0.0])
    with pytest.raises(ModelError, match="did you mean 'length'"):
        stick_figure(double_pendulum(), parameters={"lenght": 1.0})


def test_an_empty_model_is_drawn_empty() -> None:
    assert "<line" not in stick_figure_svg(tb.Model("nothing"))
