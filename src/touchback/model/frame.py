"""Frames: a point of a body with axes of its own."""

from collections.abc import Sequence
from typing import Any

from touchback.errors import ModelError
from touchback.model.value import Data, Triple, Value, triple, value

AXES = {"x": 0, "y": 1, "z": 2}
GROUND = "ground"


class Frame(Data, frozen=True):
    """A frame F fixed to a body B: position p_BF_B [m], then turns about its own moving axes [rad], in order."""

    body: str
    at: Triple = (0.0, 0.0, 0.0)
    turn: tuple[tuple[str, Value], ...] = ()


def turns(label: str, given: Any) -> tuple[tuple[str, Any], ...]:
    """("z", 0.1) or a list of such, checked."""
    if given is None:
        return ()
    listed: Sequence[Any] = [given] if given and isinstance(given[0], str) else given
    checked = []
    for item in listed:
        if len(item) != 2 or item[0] not in AXES:
            raise ModelError(
                f"{label}: a turn is an axis 'x', 'y' or 'z' and an angle in radians, got {item!r}."
            )
        checked.append((item[0], value(f"{label} turn", item[1])))
    return tuple(checked)


def frame_at(body: str, x: Any, y: Any, z: Any, turn: Any = None) -> Frame:
    """The frame of a body at (x, y, z), with optional turns."""
    return Frame(body, triple(f"point of '{body}'", (x, y, z)), turns(f"frame of '{body}'", turn))


class BodyHandle:
    """What `Model.body` returns: a name that gives frames."""

    def __init__(self, name: str) -> None:
        self.name = name

    def at(self, x: Any, y: Any, z: Any, turn: Any = None) -> Frame:
        """The frame at (x, y, z) of this body [m], turned by `turn=("z", angle)` or a list of turns."""
        return frame_at(self.name, x, y, z, turn)

    def __repr__(self) -> str:
        return f"<body '{self.name}'>"


def as_frame(label: str, given: Any) -> Frame:
    """A frame from a frame, a body handle, or a body's name."""
    if isinstance(given, Frame):
        return given
    if isinstance(given, BodyHandle):
        return Frame(given.name)
    if isinstance(given, str):
        return Frame(given)
    raise ModelError(f"{label}: a body or a frame (`body.at(x, y, z)`) is expected, got {given!r}.")
