"""Stick figures are drawn on braille characters."""

import numpy as np

from touchback import gallery
from touchback.draw.braille import Canvas, draw, view_for
from touchback.draw.stick import stick_figure


def test_dots_go_to_their_places_in_the_braille_pattern() -> None:
    canvas = Canvas(2, 1)
    canvas.dots(np.array([[0.0, 0.0], [1.0, 1.0]]))  # bottom left, top right
    assert canvas.text() == chr(0x2800 + 0x40) + chr(0x2800 + 0x08)


def test_a_figure_can_be_drawn_as_text() -> None:
    figure = stick_figure(gallery.make("double-pendulum"), [0.3, 0.4])
    canvas = Canvas(20, 8)
    text = draw(figure, 0, view_for(figure, canvas), canvas)
    assert len(text.splitlines()) == 8 and any(ord(c) > 0x2800 for c in text)
