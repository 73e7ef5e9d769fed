"""Stick figures stand where the mechanism stands."""

import numpy as np

from touchback import gallery
from touchback.cli.braille import Canvas
from touchback.cli.draw import draw, svg, view_for
from touchback.cli.sticks import sticks
from touchback.cli.view import view_of


def test_lines_end_where_poses_are() -> None:
    system = gallery.make("seven-joint-arm").compile()
    q = np.random.default_rng(1).normal(size=(5, 7))
    figure = sticks(system, q)
    hand = system.model.sensors["hand"].frame
    for instant, row in enumerate(q):
        tip = system.pose(hand, row)[1]
        gaps = np.linalg.norm(figure.lines[:, instant, 1] - tip, axis=-1)
        assert gaps.min() < 1e-12


def test_a_tumbling_body_is_a_cross_of_its_equal_cuboid() -> None:
    """A cuboid of half axes a has I_x = m (b² + c²)/3 with its other two half axes."""
    system = gallery.make("gyroscope").compile()
    figure = sticks(system, system.initial_state().q[None, :])
    a, b, c = (np.linalg.norm(line[0, 1] - line[0, 0]) / 2 for line in figure.lines[-3:])
    moments = np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2]) * 0.3 / 3
    np.testing.assert_allclose(moments, [3e-4, 1.5e-3, 1.8e-3], rtol=1e-12, atol=1e-15)


def test_everything_lies_inside_the_picture() -> None:
    points = np.random.default_rng(2).normal(size=(50, 3))
    seen = view_of(points, 0.6)(points)
    assert (seen >= 0).all() and (seen[:, 0] <= 1).all() and (seen[:, 1] <= 0.6).all()


def test_motion_in_a_plane_is_seen_from_across() -> None:
    points = np.array([[0.0, 3.0, 0.0], [1.0, 3.0, 2.0]])
    seen = view_of(points, 1.0)(points)
    assert (seen[1] > seen[0]).all()  # x to the right, z upwards


def test_dots_go_to_their_places_in_the_braille_pattern() -> None:
    canvas = Canvas(2, 1)
    canvas.dots(np.array([[0.0, 0.0], [1.0, 1.0]]))  # bottom left, top right
    assert canvas.text() == chr(0x2800 + 0x40) + chr(0x2800 + 0x08)


def test_a_figure_can_be_drawn_as_text_and_as_svg() -> None:
    system = gallery.make("double-pendulum").compile()
    figure = sticks(system, np.array([[0.3, 0.4]]))
    canvas = Canvas(20, 8)
    text = draw(figure, 0, view_for(figure, canvas), canvas)
    assert len(text.splitlines()) == 8 and any(ord(c) > 0x2800 for c in text)
    assert svg(figure, 0).count("<circle") == 2
