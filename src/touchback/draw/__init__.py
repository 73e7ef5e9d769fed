"""Pictures of mechanisms: stick figures, also as text and as films of it, state graphs and bond
graphs."""

from touchback.draw.bond_graph_picture import bond_graph_svg
from touchback.draw.braille import Canvas as Canvas, draw as draw, view_for as view_for
from touchback.draw.film import ENDINGS as ENDINGS, film_text as film_text, make_film as make_film
from touchback.draw.object_graph import object_graph_svg
from touchback.draw.scene import (
    Piece as Piece,
    Track as Track,
    Watched as Watched,
    scene_of as scene_of,
)
from touchback.draw.state_graph import state_graph_svg
from touchback.draw.stick import (
    Floats as Floats,
    StickFigure,
    plane_across as plane_across,
    stick_figure,
)
from touchback.draw.stick_svg import figure_svg, notebook_html

__all__ = [
    "StickFigure",
    "bond_graph_svg",
    "figure_svg",
    "notebook_html",
    "object_graph_svg",
    "state_graph_svg",
    "stick_figure",
]
