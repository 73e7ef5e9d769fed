"""What may be asked of a drawing: a type for each message (docs/workbench.md)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from touchback.model import GROUND
from touchback.realtime.control.control_messages import Id, Name

FARTHEST = 1e6  # m: nothing is drawn farther away
MOST_POINTS = 512  # of an outline
MOST_COPIES = 200
MOST_ITEMS = 2000  # of a message
MOST_THINGS = 2000  # of a drawing
_LONGEST_TEXT = 4 << 20  # characters of a file that is opened
_DEPTH = 0.02  # m: how thick plane figures are
_DENSITY = 1000.0  # kg/m³

Vector = tuple[float, float, float]
Axis = Literal["x", "y", "z", "-x", "-y", "-z"] | Vector
Length = Annotated[float, msgspec.Meta(gt=0.0, le=FARTHEST)]
Positive = Annotated[float, msgspec.Meta(gt=0.0, le=1e15)]
Text = Annotated[str, msgspec.Meta(max_length=20_000)]
Step = Annotated[str, msgspec.Meta(max_length=200)] | Annotated[int, msgspec.Meta(ge=0, le=10_000)]
Path = Annotated[tuple[Step, ...], msgspec.Meta(min_length=2, max_length=10)]


class Change(
    msgspec.Struct, tag_field="change", tag=str.lower, forbid_unknown_fields=True, frozen=True,
    kw_only=True,
):  # fmt: skip
    """What every message to a drawing has; its word is its class's name."""

    do: Literal["draw"] = "draw"
    id: Id = None


class End(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A point of the world as drawn [m], on a body or the ground."""

    body: Name
    at: Vector


class Named(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An item of the document."""

    section: Name
    name: Name


Items = Annotated[tuple[Named, ...], msgspec.Meta(min_length=1, max_length=MOST_ITEMS)]


class _Solid(Change, frozen=True, kw_only=True):
    """A body; its mass is that of its solid with a density [kg/m³]."""

    name: Name = ""
    density: Positive = _DENSITY


class Bar(_Solid, frozen=True, kw_only=True):
    """A bar between two points [m]."""

    start: Vector = msgspec.field(name="from")
    to: Vector
    width: Length = 0.03
    depth: Length = 0.01


class Box(_Solid, frozen=True, kw_only=True):
    at: Vector
    size: tuple[Length, Length, Length]


class Disc(_Solid, frozen=True, kw_only=True):
    at: Vector
    radius: Length
    thickness: Length = _DEPTH
    axis: Axis = "y"


class Sphere(_Solid, frozen=True, kw_only=True):
    at: Vector
    radius: Length


class Outline(_Solid, frozen=True, kw_only=True):
    """A figure between points in order, `depth` thick [m]: in the x–z plane, in space in any."""

    points: Annotated[tuple[Vector, ...], msgspec.Meta(min_length=3, max_length=MOST_POINTS)]
    depth: Length = _DEPTH


class Mesh_(_Solid, frozen=True, kw_only=True, tag="mesh"):
    """A closed surface of triangles, of a file of the drawing's folder or as given."""

    at: Vector = (0.0, 0.0, 0.0)
    file: Name = ""
    vertices: Annotated[tuple[Vector, ...], msgspec.Meta(max_length=20_000)] = ()
    triangles: Annotated[tuple[tuple[int, int, int], ...], msgspec.Meta(max_length=20_000)] = ()


class Joint(Change, frozen=True, kw_only=True):
    """A joint at a point of the world, whose axis is along the world's as drawn; one between bodies
    that are connected already closes a loop."""

    kind: Name
    at: Vector
    a: Name
    b: Name
    axis: Axis = "y"
    pitch: float = 0.0
    name: Name = ""


class Rod(Change, frozen=True, kw_only=True):
    """A massless rod between two points."""

    a: End
    b: End
    name: Name = ""


class Spring(Change, frozen=True, kw_only=True):
    a: End
    b: End
    stiffness: float | Text = 100.0
    damping: float | Text = 0.0
    length: float | Text | None = None  # as drawn
    name: Name = ""


class Damper(Change, frozen=True, kw_only=True):
    a: End
    b: End
    damping: float | Text = 10.0
    name: Name = ""


class Motor(Change, frozen=True, kw_only=True):
    """An input that is an effort in a joint [N, N m], or in a coordinate of it as "pin.turn"; the
    first where only the joint is named."""

    joint: Name
    name: Name = ""
    most: Positive | None = None


class Drive(Change, frozen=True, kw_only=True):
    """A motion of a joint: a `rate` [rad/s, m/s] from where it is drawn, or a `law` of time."""

    joint: Name
    rate: float | None = None
    law: Text | None = None
    name: Name = ""


class Torsion(Change, frozen=True, kw_only=True):
    """A spring in a joint, at rest where it is drawn unless `rest` says otherwise."""

    joint: Name
    stiffness: float | Text = 1.0
    damping: float | Text = 0.0
    rest: float | Text | None = None
    name: Name = ""


class Sensor(Change, frozen=True, kw_only=True):
    kind: Name
    on: Name
    at: Vector | None = None
    name: Name = ""


class Trace(Change, frozen=True, kw_only=True):
    """The way of a point of a body is drawn."""

    body: Name
    at: Vector
    name: Name = ""


class Contact(Change, frozen=True, kw_only=True):
    """A ball or a disc on the ground's plane z = 0, or on the upper face of a box."""

    a: Name
    b: Name = GROUND
    stiffness: Positive = 1e5
    friction: Annotated[float, msgspec.Meta(ge=0.0, le=100.0)] = 0.5
    name: Name = ""


Plain = (
    float | Text | bool | None | tuple[
        float | Text | bool | tuple[float | Text, ...], ...
    ]
)  # fmt: skip


class Set(Change, frozen=True, kw_only=True):
    """Any number, expression or word of the document; null takes it away."""

    path: Path
    value: Annotated[Plain, msgspec.Meta(description="a number, a text or a list")]


class Parameter(Change, frozen=True, kw_only=True):
    """Makes a number of the document a parameter; `min`, `max` and its default are in its unit."""

    path: Path
    name: Name
    min: float | None = None
    max: float | None = None
    unit: Name = ""


class Gravity(Change, frozen=True, kw_only=True):
    value: Vector


class Move(Change, frozen=True, kw_only=True):
    items: Items
    by: Vector


class Turn(Change, frozen=True, kw_only=True):
    items: Items
    about: Vector
    angle: float
    axis: Axis = "y"


class Rename(Change, frozen=True, kw_only=True):
    section: Name
    name: Name
    to: Name


class Remove(Change, frozen=True, kw_only=True):
    items: Items


class Copy(Change, frozen=True, kw_only=True):
    items: Items
    by: Vector


class Mirror(Change, frozen=True, kw_only=True):
    items: Items
    point: Vector
    normal: Axis


class Array(Change, frozen=True, kw_only=True):
    """So many copies beside each other, or `about` a point, each turned by `angle` more."""

    items: Items
    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_COPIES)]
    by: Vector = (0.0, 0.0, 0.0)
    about: Vector | None = None
    angle: float = 0.0
    axis: Axis = "y"


class Group(Change, frozen=True, kw_only=True):
    items: Items
    name: Name


class Ungroup(Change, frozen=True, kw_only=True):
    name: Name


class Undo(Change, frozen=True, kw_only=True):
    pass


class Redo(Change, frozen=True, kw_only=True):
    pass


class New(Change, frozen=True, kw_only=True):
    space: bool = False
    name: Name = "drawing"


class Open(Change, frozen=True, kw_only=True):
    """Another drawing: of a `file` of the folder, of a `text`, or a `classic` by its name in the
    gallery."""

    file: Name = ""
    classic: Name = ""
    text: Annotated[str, msgspec.Meta(max_length=_LONGEST_TEXT)] = ""


class Save(Change, frozen=True, kw_only=True):
    file: Name
    replace: bool = False


class Files(Change, frozen=True, kw_only=True):
    pass


class Text_(Change, frozen=True, kw_only=True, tag="text"):
    format: Literal["yaml", "python"] = "yaml"


class ItemOf(Change, frozen=True, kw_only=True, tag="item"):
    """Asks for an item as the document has it."""

    section: Name
    name: Name = ""


class Verify(Change, frozen=True, kw_only=True):
    pass


class Play(Change, frozen=True, kw_only=True):
    pass


class Rest(Change, frozen=True, kw_only=True):
    pass


Edit = (
    Bar | Box | Disc | Sphere | Outline | Mesh_ | Joint | Rod | Spring | Damper | Motor | Drive
    | Torsion | Sensor | Trace | Contact | Set | Parameter | Gravity | Move | Turn | Rename
    | Remove | Copy | Mirror | Array | Group | Ungroup
)  # fmt: skip
"""Messages that change the document."""
AnyChange = (
    Edit | Undo | Redo | New | Open | Save | Files | Text_ | ItemOf | Verify | Play | Rest
)  # fmt: skip
