"""Gillespie's own piano action (1996, §3.5): his tables as a specification, his nine coordinates,
three sliders and four phases as a model."""

from touchback.instruments.piano.gillespie.action import nine_coordinate_action, stroke
from touchback.instruments.piano.gillespie.specification import (
    ASSIGNED,
    LENGTHS,
    Assigned,
    GillespieSpecification,
    gillespie_specification,
)

__all__ = [
    "ASSIGNED", "LENGTHS", "Assigned", "GillespieSpecification", "gillespie_specification",
    "nine_coordinate_action", "stroke",
]  # fmt: skip
