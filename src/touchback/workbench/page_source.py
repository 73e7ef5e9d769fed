"""What a workbench shows, a live run, a recording, or anything else that has these few methods,
and the messages that describe its scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from touchback.figure_style import PALE
from touchback.realtime.control import Answer

Values = dict[str, float]


class PoseFrame(NamedTuple):
    """Poses at a time [s] of so many bodies (see `Poses.at`) of a mechanism of a size [m]."""

    time: float
    bodies: int
    numbers: np.ndarray
    size: float


class Source(Protocol):
    """Where scenes and poses come from, and who answers messages. The hub calls `prepare`, `scene`
    and `handle` in a thread of theirs and the others in its own; none of them may wait long."""

    title: str

    @property
    def structure(self) -> int:
        """The number of the structure that `frame` and `scene` show, from 1 on."""

    def stale(self) -> bool:
        """Whether there is another structure, for which `prepare` must be called."""

    def prepare(self) -> None:
        """Takes up the present structure."""

    def scene(self) -> PageScene:
        """What is to be drawn, with the present parameters."""

    def frame(self) -> PoseFrame | None:
        """The newest poses; None: not at present."""

    def ticks(self) -> int:
        """How many instants there were; a frame after more of them is a new one."""

    def values(self) -> Values:
        """Everything that can be set, as it is."""

    def status(self) -> Mapping[str, object]:
        """How it goes."""

    def handle(self, message: bytes, client: str) -> Answer:
        """Answers a message of a client."""


class Marker(msgspec.Struct):
    """A frame of a body: where its origin is, and its turn (x, y, z, w)."""

    body: str
    at: list[float]
    turn: list[float]


class Shape(msgspec.Struct, omit_defaults=True):
    """Something to draw on a body. `numbers` as the class of its kind in `model/visual_shapes.py`
    has its fields; a "line" has its two ends, a "mesh" how far it goes along its axes, and its
    number; an `endless` one goes as far as the picture. A "ground" has a mesh that follows again
    after the way of its numbers, and is painted by its `role`."""

    body: str
    kind: str
    numbers: list[float]
    at: list[float]
    turn: list[float]
    colour: str = PALE
    endless: bool = False
    role: str = ""
    mesh: int | None = None


class SceneJoint(msgspec.Struct):
    """A joint: its frames on both bodies, the axis of those that have one (in its frame), the names
    and units of its coordinates, limits, and friction."""

    name: str
    kind: str
    parent: Marker
    child: Marker
    axis: list[float] | None
    coordinates: list[str]
    units: list[str]
    limits: list[list[float]]
    friction: list[float]


class SceneInertia(msgspec.Struct):
    """What a body weighs [kg], where its centre of mass is, and its principal moments [kg m²] about
    that along the axes of `turn`; `halves` are of the ellipsoid that weighs and turns alike."""

    body: str
    mass: float
    at: list[float]
    turn: list[float]
    moments: list[float]
    halves: list[float]


class SceneLoop(msgspec.Struct):
    """A closed loop: its kind, the two frames that it ties, and whether it acts."""

    name: str
    kind: str
    a: Marker
    b: Marker
    active: bool


class SceneEye(msgspec.Struct):
    """From where the page may look, along x with z upwards."""

    name: str
    place: Marker


class Pedal(msgspec.Struct):
    """An input that who drives a car sets, a steering wheel's as well: what it takes at most."""

    input: str
    most: float


class SceneSeat(msgspec.Struct):
    """What who drives a car has at hand: its body, the steering wheel [rad, to the left], pedals,
    and the sensor of the torque at the wheel."""

    body: str
    steer: Pedal
    throttle: Pedal | None = None
    brake: Pedal | None = None
    torque: str | None = None


class PageScene(msgspec.Struct):
    """Everything that a page needs to draw a structure. `flat` has the directions to the right and
    upwards of a mechanism that moves in a plane."""

    structure: int
    title: str
    flat: list[list[float]] | None
    bodies: list[str]
    shapes: list[Shape]
    joints: list[SceneJoint]
    loops: list[SceneLoop]
    springs: list[str]
    arrows: list[str]
    sensors: list[str]
    bounds: list[list[float]]
    inertias: list[SceneInertia] = msgspec.field(default_factory=list)
    contacts: list[str] = msgspec.field(default_factory=list)  # arrows that are of contacts
    icons: list[dict[str, object]] = msgspec.field(default_factory=list)
    eyes: list[SceneEye] = msgspec.field(default_factory=list)
    held: dict[str, str] = msgspec.field(default_factory=dict)  # the command of a robot's joint
    keyframes: list[str] = msgspec.field(default_factory=list)  # poses of its file
    overloaded: list[str] = msgspec.field(default_factory=list)  # joints that can't hold
    floor: float | None = None  # the height of the ground that a robot stands on [m]
    seat: SceneSeat | None = None
    tell: str = "scene"
