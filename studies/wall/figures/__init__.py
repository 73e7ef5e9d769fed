"""Every figure of Gillespie's chapters 5 and 6 that the text determines, drawn anew."""

from studies.wall.figures import bouncing, maps, stability
from studies.wall.figures.sheet import Sheet

#: Gillespie's figures that `python -m studies wall` draws again.
SHEETS: tuple[Sheet, ...] = bouncing.SHEETS + stability.SHEETS + maps.SHEETS

#: Those that it doesn't, and why.
NOT_DRAWN = {
    "5.1, 5.2, 5.6, 5.7": "diagrams of the set-up, no data",
    "5.5, 5.18, 5.19": "measured on his keyboard",
    "5.15": "defines names on a sketch",
    "6.1, 6.5, 6.6": "block diagrams",
    "6.8": "defines names on a sketch",
}
"""The figures that no computation gives, and why."""

__all__ = ["NOT_DRAWN", "SHEETS", "Sheet"]
