"""The grand piano action: geometry from regulation data, felts, screws, touches, strokes."""

from touchback.instruments.piano.action import grand_piano_action
from touchback.instruments.piano.parameters import Specification
from touchback.instruments.piano.touch import Pressed, Repeated, Straight, Struck

__all__ = [
    "Pressed",
    "Repeated",
    "Specification",
    "Straight",
    "Struck",
    "grand_piano_action",
]
