"""Pictures of mechanisms: stick figures, also as text and as films of it, state graphs and bond
graphs."""

from touchback.draw.bond_graph_picture import bond_graph_svg
from touchback.draw.object_graph import object_graph_svg
from touchback.draw.state_graph import state_graph_svg
from touchback.draw.stick import StickFigure, stick_figure
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
