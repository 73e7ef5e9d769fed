"""The grand piano action: geometry from regulation data, felts, screws, touches, strokes."""

from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import (
    ConstantSpeedTouch,
    PressedTouch,
    RepeatedTouch,
    StruckTouch,
)
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.piano_action_modes import piano_action_with_modes

__all__ = [
    "ConstantSpeedTouch",
    "PressedTouch",
    "RepeatedTouch",
    "Specification",
    "StruckTouch",
    "grand_piano_action",
    "piano_action_with_modes",
]
