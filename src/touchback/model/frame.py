"""Frames: a point of a body with axes of its own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from touchback.errors import ModelError
from touchback.model.value_or_expression import (
    Data,
    Triple,
    Value,
    list_items,
    refuse_huge_numbers,
    triple,
    value,
)
from touchback.numbers import Matrix
from touchback.symbolic import Tape, atan2, cos, sin

AXES = {"x": 0, "y": 1, "z": 2}
GROUND = "ground"
Turns = tuple[str, Value] | Sequence[tuple[str, Value]] | None  # ("z", 0.1), several, or none


class Owner(NamedTuple):
    """The model that a handle belongs to: its tape, which its flattened and reduced models share,
    and its name."""

    tape: Tape
    model: str


class Frame(Data, frozen=True, dict=True):
    """A frame F fixed to a body B: position p_BF_B [m], then turns about its own moving axes [rad],
    in order."""

    UNITS: ClassVar[dict[str, str]] = {"at": "m", "turn": "rad"}
    body: str
    at: Triple = (0.0, 0.0, 0.0)
    turn: tuple[tuple[str, Value], ...] = ()

    @property
    def owner(self) -> Owner | None:
        """The model of the handle that gave the frame, until a model has taken it; None where its
        body is given by name. It is no field: frames with and without are equal."""
        return self.__dict__.get("owner")


def owned_frame(frame: Frame, owner: Owner | None) -> Frame:
    """The frame as a handle of that model gives it."""
    if owner is not None:
        frame.__dict__["owner"] = owner
    return frame


def check_owner(label: str, frame: Frame, tape: Tape, model: str) -> Frame:
    """The frame without an owner; raises where a body of another model gave it."""
    owner = frame.owner
    if owner is None:
        return frame
    if owner.tape is not tape:
        raise ModelError(
            f"{label}: '{frame.body}' belongs to another model, '{owner.model}'; give a body or "
            f"frame of '{model}' (of a part: tb.Frame(\"part/body\"))."
        )
    return Frame(frame.body, frame.at, frame.turn)


def turns(label: str, given: object) -> tuple[tuple[str, Value], ...]:
    """("z", 0.1) or a list of such, checked."""
    if given is None:
        return ()
    items = list_items(given)
    if items is None:
        raise _bad_turn(label, given)
    if items and isinstance(items[0], str):
        items = [items]
    return tuple(_turn(label, item) for item in items)


def _turn(label: str, given: object) -> tuple[str, Value]:
    pair = list_items(given)
    if pair is None or len(pair) != 2 or pair[0] not in ("x", "y", "z"):
        raise _bad_turn(label, given)
    return pair[0], value(f"{label}: turn about {pair[0]}", pair[1])


def _bad_turn(label: str, given: object) -> ModelError:
    return ModelError(
        f"{label}: a turn is an axis 'x', 'y' or 'z' and an angle in radians, got {given!r}."
    )


def turns_of(R: Matrix) -> tuple[tuple[str, Value], ...]:
    """A rotation matrix as turns about x, y and z. The later ones are read from Rx⁻¹ R, so that
    they fit the first, whatever that is where x and z turn about the same line."""
    x = atan2(-R[1][2], R[2][2])
    c, s = cos(x), sin(x)
    return (
        ("x", x),
        ("y", atan2(R[0][2], c * R[2][2] - s * R[1][2])),
        ("z", atan2(c * R[1][0] + s * R[2][0], c * R[1][1] + s * R[2][1])),
    )


def frame_at(body: str, x: Value, y: Value, z: Value, turn: Turns = None) -> Frame:
    """The frame of a body at (x, y, z), with optional turns."""
    label = f"point of '{body}'"
    point = triple(label, (x, y, z))
    refuse_huge_numbers(label, point)
    return Frame(body, point, turns(f"frame of '{body}'", turn))


class BodyHandle:
    """What `Model.body` returns: a name that gives frames."""

    def __init__(self, name: str, owner: Owner | None = None) -> None:
        self.name = name
        self.owner = owner

    def at(self, x: Value, y: Value, z: Value, turn: Turns = None) -> Frame:
        """The frame at (x, y, z) of this body [m], turned by `turn=("z", angle)` or a list of
        turns."""
        return owned_frame(frame_at(self.name, x, y, z, turn), self.owner)

    def __repr__(self) -> str:
        return f"<body '{self.name}'>"


Place = Frame | BodyHandle | str
"""Where something sits: a frame, a body (at its origin), or a body's name."""

if TYPE_CHECKING:

    class FrameField:
        """The type of a kind's field that is given a `Place` and holds a `Frame`: type checkers
        take what a descriptor's `__set__` takes as the argument of the constructor (PEP 681)."""

        def __get__(self, owner: object, kind: object) -> Frame: ...
        def __set__(self, owner: object, given: Place) -> None: ...

    class FramesField:
        """The same for several."""

        def __get__(self, owner: object, kind: object) -> tuple[Frame, ...]: ...
        def __set__(self, owner: object, given: Sequence[Place]) -> None: ...

    GROUND_FRAME: FrameField
else:
    FrameField, FramesField = Frame, tuple[Frame, ...]  # once the model has taken it
    GROUND_FRAME = Frame(GROUND)


def as_frame(label: str, given: object) -> Frame:
    """A frame from a frame, a body handle, or a body's name."""
    if isinstance(given, Frame):
        return given
    if isinstance(given, BodyHandle):
        return owned_frame(Frame(given.name), given.owner)
    if isinstance(given, str):
        return Frame(given)
    raise ModelError(f"{label}: a body or a frame (`body.at(x, y, z)`) is expected, got {given!r}.")
