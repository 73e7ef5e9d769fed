"""What the manipulators of a page ask of a live run; see `realtime/control/control_messages.py`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from touchback.realtime.control import Message

Name = Annotated[str, msgspec.Meta(max_length=200)]
Length = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]  # m: what is beyond is no place
LARGEST = 1e12  # N, N m, rad/s, …: what is beyond is no load
Positive = Annotated[float, msgspec.Meta(ge=0.0, le=1e12)]
Text = Annotated[str, msgspec.Meta(max_length=20_000)]
Point = tuple[Length, Length, Length]
Angle = Annotated[float, msgspec.Meta(ge=-1e3, le=1e3)]  # rad: what is beyond is a slip
Angles = tuple[Angle, Angle, Angle]
Value = float | tuple[float, float, float]
"""One number or three. Bounded by hand: msgspec 0.22 crashes on a union of a number that has
bounds and a tuple."""


class Grab(Message, frozen=True):
    """A hand takes a body by a point in the body's frame [m]. Without numbers of its own the spring
    is as stiff as the mechanism there and the run's step allow."""

    body: Name
    point: Point = (0.0, 0.0, 0.0)
    hand: Name = "hand"
    stiffness: Positive | None = None
    damping: Positive | None = None


class Pull(Message, frozen=True):
    """A hand pulls what it holds towards a point of the world [m]."""

    to: Point
    hand: Name = "hand"
    stiffness: Positive | None = None
    damping: Positive | None = None


class Release(Message, frozen=True):
    """A hand lets go."""

    hand: Name = "hand"


class Icon(Message, frozen=True):
    """A force [N] or torque [N m] on a body, or a motion at a coordinate of a joint [rad/s or m/s;
    as a `position` rad or m]; new, or with other numbers."""

    name: Name
    kind: Literal["force", "torque", "motion"]
    on: Name
    at: Point = (0.0, 0.0, 0.0)
    value: Value = 0.0
    frame: Literal["world", "body"] = "world"
    end: Literal["head", "tail"] = "head"
    of: Literal["rate", "position"] = "rate"


class Remove(Message, frozen=True):
    """Takes an icon away."""

    icon: Name


class Pose(Message, frozen=True):
    """Moves a point of a body [m, in the body's frame] to a point of the world, as far as the
    mechanism can follow, while the run is paused."""

    body: Name
    to: Point
    point: Point = (0.0, 0.0, 0.0)


class Hold(Message, frozen=True):
    """What a robot's joints do: hold their pose, only carry its weight, or nothing."""

    mode: Literal["hold", "gravity compensation", "free"] = "hold"


class Keyframe(Message, frozen=True):
    """Commands a pose of the robot's file; a run that is paused is put there."""

    name: Name


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A point of a body [m]."""

    body: Name
    at: Point = (0.0, 0.0, 0.0)


class Edit(Message, frozen=True):
    """Another structure. Of a joint (or the joint that closes a loop): its `kind` with its axis,
    `weld`, `free`; `limits` from `low` to `high` and `friction` (a `value`) of a `coordinate`. Its
    `placement` on the body that carries it, by `euler` angles ([m] `at`, [rad] `angles` about
    moving axes in a `sequence`) or `denavit-hartenberg` parameters (a [m], α [rad], d [m], θ [rad];
    `spatial/euler_denavit_hartenberg.py`) from the axis of the joint before it.
    Of loops: `add loop`, between a point of body a and b as they are now, and `remove loop`.

    The axis of a joint is along its parent's frame, that of a loop along the world's axes: "x",
    "y", "z" or a direction."""

    change: Literal[
        "kind", "weld", "free", "limits", "friction", "placement", "add loop", "remove loop"
    ]
    joint: Name = ""
    loop: Name = ""
    kind: Name = ""
    axis: str | tuple[float, float, float] | None = None
    pitch: float = 0.0
    coordinate: Annotated[int, msgspec.Meta(ge=0, le=5)] = 0
    low: float | None = None
    high: float | None = None
    value: float = 0.0
    a: Place | None = None
    b: Place | None = None
    by: Literal["euler", "denavit-hartenberg"] = "euler"
    at: Point = (0.0, 0.0, 0.0)
    angles: Angles = (0.0, 0.0, 0.0)
    sequence: Name = "xyz"
    parameters: tuple[Length, Angle, Length, Angle] = (0.0, 0.0, 0.0, 0.0)


class Undo(Message, frozen=True):
    """Takes the last edit or law back; or lets it be (`skip`) where it can't be taken back, so that
    the one before it can."""

    skip: bool = False


class Laws(Message, frozen=True):
    """Asks for the laws of all controls as text, and for the names that they may use."""


class Law(Message, frozen=True):
    """Another law for a control: an expression, or a line `input = expression` for each input that
    it drives."""

    control: Name
    text: Text


class Joint(Message, frozen=True):
    """Asks for what can be seen of a joint, and what it could become; with `placement` also where
    it sits, in every way to write it."""

    joint: Name
    placement: bool = False
