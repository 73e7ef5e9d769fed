"""Stick figures put joints and centres of mass where closed-form geometry says."""

from math import cos, sin
from xml.etree import ElementTree

import numpy as np
import pytest

import touchback as tb
from described_models import ALL
from touchback import gallery
from touchback.draw.stick import Line, axes_for, stick_figure, view_of
from touchback.draw.stick_svg import figure_svg
from touchback.errors import InputError, ModelError
from touchback.model.flatten_submodels import flatten

ANGLES = 0.4, 0.7
SVG = "{http://www.w3.org/2000/svg}"


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
    assert figure.bearings["shoulder"].tolist() == [[0.0, 0.0, 0.0]]
    # Sums of a few products of numbers of order 1.
    assert figure.joints["elbow"][0] == pytest.approx((cos(a), 0, sin(a)), abs=1e-15)
    tip = cos(a) + 0.25 * cos(a + b), 0, sin(a) + 0.25 * sin(a + b)
    assert figure.masses["lower"][0] == pytest.approx(tip, abs=1e-15)


def test_positions_and_parameters_can_be_given() -> None:
    figure = stick_figure(double_pendulum(), q=[0.0, 0.0], parameters={"length": 3.0})
    assert figure.joints["elbow"].tolist() == [[3.0, 0.0, 0.0]]
    assert figure.masses["lower"].tolist() == [[3.25, 0.0, 0.0]]


def test_many_instants_are_the_figures_of_each() -> None:
    system = gallery.make("seven-joint-arm").compile()
    q = np.random.default_rng(1).normal(size=(5, 7))
    figure = stick_figure(system.model, q)
    hand = system.model.sensors["hand"].frame
    for instant, row in enumerate(q):
        alone = stick_figure(system.model, row)
        np.testing.assert_allclose(figure.outline[:, instant], alone.outline[:, 0], atol=1e-14)
        gaps = np.linalg.norm(figure.outline[:, instant, 1] - system.pose(hand, row)[1], axis=-1)
        assert gaps.min() < 1e-12


def test_lines_lead_to_what_holds_a_body_and_to_its_centre_of_mass() -> None:
    m = tb.Model("lever")
    lever = m.body("lever", mass=1.0, com=(1, 0, 0))
    m.joint("pivot", tb.Revolute("y"), m.ground, lever)
    m.force("spring", tb.SpringDamper(m.ground.at(2, 0, -1), lever.at(2, 0, 0), stiffness=1.0))
    m.sensor("tip", tb.Position(lever.at(2, 0, 0)))  # at the same point: one line
    m.sensor("root", tb.Position(lever))  # at the joint: none
    found = [(line.name, line.kind, line.ends[0].tolist()) for line in stick_figure(m).lines]
    assert found == [
        ("lever", "body", [[0, 0, 0], [2, 0, 0]]),
        ("lever", "arm", [[0, 0, 0], [1, 0, 0]]),
        ("spring", "link", [[2, 0, -1], [2, 0, 0]]),
    ]


def test_a_tumbling_body_is_a_cross_of_its_equal_cuboid() -> None:
    """A cuboid of half axes a has I_x = m (b² + c²)/3 with its other two half axes."""
    figure = stick_figure(gallery.make("gyroscope"))
    axes = [line.ends[0] for line in figure.lines if line.kind == "cross"]
    a, b, c = (np.linalg.norm(tip - tail) / 2 for tail, tip in axes)
    moments = np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) * 0.3 / 3
    np.testing.assert_allclose(moments, [3e-4, 1.5e-3, 1.8e-3], rtol=1e-12, atol=1e-15)


def test_a_slide_that_is_open_is_drawn_and_a_free_body_hangs_on_nothing() -> None:
    m = tb.Model("cart")
    m.body("cart", mass=1.0)
    m.body("stone", mass=1.0)
    m.joint("track", tb.Prismatic("x"), m.ground, "cart", position=2.0)
    m.joint("fly", tb.Free(), m.ground, "stone", position=(0, 0, 5, 1, 0, 0, 0))
    figure = stick_figure(m)
    assert [(s.name, s.ends[0].tolist()) for s in figure.lines if s.kind == "slide"] == [
        ("track", [[0, 0, 0], [2, 0, 0]])
    ]
    assert list(figure.bearings) == ["track"]


def test_everything_lies_inside_the_picture() -> None:
    points = np.random.default_rng(2).normal(size=(50, 3))
    seen = view_of(points, 0.6)(points)
    assert (seen >= 0).all() and (seen[:, 0] <= 1).all() and (seen[:, 1] <= 0.6).all()


@pytest.mark.parametrize("across", ["x", "y", "z"])
def test_motion_in_a_plane_is_seen_from_across(across: str) -> None:
    right, up = (axis for axis in "xyz" if axis != across)
    axes = {axis: 1.0 * np.array([axis == each for each in "xyz"]) for axis in "xyz"}
    points = np.array([[3.0, 3.0, 3.0], 3.0 + axes[right] + 2.0 * axes[up]])
    assert np.array_equal(axes_for(points), [axes[right], axes[up]])


def test_the_picture_of_an_instant_has_room_for_all_and_shows_the_way_there() -> None:
    q = np.array([[0.0, 0.0], [1.5, 0.0], [3.0, 0.0]])
    figure = stick_figure(double_pendulum(), q)
    pictures = [
        ElementTree.fromstring(figure_svg(figure, "swing", k, figure.joints["elbow"][: k + 1]))
        for k in range(3)
    ]
    assert len({(picture.get("width"), picture.get("height")) for picture in pictures}) == 1
    for picture, points in zip(pictures, (1, 2, 3)):
        way = picture.find(SVG + "polyline")
        assert way is not None and len(way.attrib["points"].split()) == points
        for circle in picture.iter(SVG + "circle"):
            assert 0 < float(circle.attrib["cx"]) < float(picture.attrib["width"])
            assert 0 < float(circle.attrib["cy"]) < float(picture.attrib["height"])


@pytest.mark.parametrize("describe", ALL, ids=lambda describe: describe.__name__)
def test_every_sample_can_be_drawn(describe: object) -> None:
    model = describe()  # type: ignore[operator]
    root = ElementTree.fromstring(figure_svg(stick_figure(model), model.name))
    names = {element.text for element in root.iter(SVG + "title")}
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
    assert "<line" not in tb.Model("nothing")._repr_html_()


@pytest.mark.parametrize(("beside", "lines"), [(0.3, 3), (0.0, 2)])
def test_a_link_with_three_points_is_a_triangle_unless_they_lie_in_one_line(
    beside: float, lines: int
) -> None:
    m = tb.Model("coupler")
    link = m.body("link", mass=1.0, com=(0.5, 0, 0))
    m.joint("pin", tb.Revolute("y"), m.ground, link)
    for name, place in (("far", link.at(1, 0, 0)), ("coupler point", link.at(0.5, 0, beside))):
        m.sensor(name, tb.Position(place))
    rim = [line.ends[0] for line in stick_figure(m).lines if line.kind == "body"]
    assert len(rim) == lines
    corners = {tuple(point) for ends in rim for point in ends.round(12).tolist()}
    assert corners == {(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.0, beside)}


def test_a_body_that_many_hold_is_a_plate_with_a_rim() -> None:
    """The six heads of the Stewart platform, neighbour to neighbour, and no spokes or cross."""
    figure = stick_figure(gallery.make("stewart-platform"))
    rim = np.array([line.ends[0] for line in figure.lines if line.name == "plate"])
    assert rim.shape == (6, 2, 3)
    assert {tuple(end) for end in rim[:, 0].round(9)} == {tuple(end) for end in rim[:, 1].round(9)}
    # Heads stand 20° beside the directions 30° + 60° k, so sides are 20° and 100° wide at r = 0.3.
    sides = sorted(np.linalg.norm(rim[:, 0] - rim[:, 1], axis=1))
    assert sides == pytest.approx([0.6 * sin(np.pi / 18)] * 3 + [0.6 * sin(np.pi / 3.6)] * 3)


@pytest.mark.parametrize("name", ["piano", "crank-rocker", "slider-crank", "double-pendulum"])
def test_names_of_joints_stand_beside_each_other_and_on_the_page(name: str) -> None:
    model = flatten(gallery.make(name))
    tree = ElementTree.fromstring(figure_svg(stick_figure(model), name))
    boxes = []
    for node in tree.iter(f"{SVG}text"):
        if node.text in model.joints and node.get("stroke") is None:
            half = 3.0 * len(node.text)
            x, y = float(node.get("x", 0)), float(node.get("y", 0)) - 4.0
            boxes.append((x - half, y - 5.0, x + half, y + 5.0))
    assert len(boxes) == len(model.joints)
    for k, (left, top, right, bottom) in enumerate(boxes):
        assert left >= 0.0 and right <= float(tree.get("width", 0))
        for a, b, c, d in boxes[:k]:
            assert right <= a or c <= left or bottom <= b or d <= top


def test_a_line_is_seen_if_its_ends_are_ever_apart() -> None:
    ends = np.tile([1.0, 2.0, 3.0], (4, 2, 1))
    assert not Line("rod", "body", ends).has_length
    ends[2, 1, 0] += 1e-3
    assert Line("rod", "body", ends).has_length
