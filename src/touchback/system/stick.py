"""Stick figures of models: what joins what, where, in a plane."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchback.dynamics import Instant
from touchback.errors import InputError
from touchback.model.frame import AXES, GROUND, Frame
from touchback.model.joints import Free
from touchback.model.model import Model
from touchback.system.floats import float_instant

PLANES = ("xz", "yz", "xy")
Point = tuple[float, float]


@dataclass(frozen=True)
class Stick:
    """A line of a body, from the joint that carries it, or of a joint that has opened ("slide")."""

    name: str
    start: Point
    end: Point
    kind: str  # "body", "arm" (to a centre of mass beside the line) or "slide"


@dataclass(frozen=True)
class StickFigure:
    """A model in a plane [m]: sticks, joints by name, supports on the ground, centres of mass by
    body."""

    plane: str
    sticks: list[Stick]
    joints: dict[str, Point]
    bearings: list[Point]
    masses: dict[str, Point]

    def corners(self) -> tuple[Point, Point]:
        """The lower left and upper right corner of everything."""
        ends = [end for stick in self.sticks for end in (stick.start, stick.end)]
        points = np.array(
            [*ends, *self.joints.values(), *self.bearings, *self.masses.values()] or [(0.0, 0.0)]
        )
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        return (float(x0), float(y0)), (float(x1), float(y1))


def stick_figure(
    model: Model,
    q: Sequence[float] | None = None,
    parameters: Mapping[str, float] | None = None,
    plane: str | None = None,
) -> StickFigure:
    """The figure at positions q (default: initial) in "xz", "yz" or "xy" (default: the plane in
    which it is largest)."""
    if plane is not None and plane not in PLANES:
        raise InputError(f"Stick figure: a plane is one of {', '.join(PLANES)}, got {plane!r}.")
    return _Sketch(float_instant(model, q, parameters)).seen_in(plane)


class _Sketch:
    """The same figure in space, gathered joint by joint."""

    def __init__(self, instant: Instant) -> None:
        self.instant = instant
        model = instant.model
        self.joints = {name: self.point(joint.child) for name, joint in model.joints.items()}
        guiding = {
            name: joint for name, joint in model.joints.items() if not isinstance(joint.kind, Free)
        }
        self.bearings = [
            self.point(joint.parent) for joint in guiding.values() if joint.parent.body == GROUND
        ]
        self.masses = {
            name: self.point(Frame(name, body.com))
            for name, body in model.bodies.items()
            if instant.value(body.mass)
        }
        self.sticks: list[tuple[str, np.ndarray, np.ndarray, str]] = []
        for name, joint in model.joints.items():
            if name in guiding:
                self.add_slide(name, self.point(joint.parent), self.joints[name])
            self.add_body(joint.child.body, self.joints[name])

    def point(self, frame: Frame) -> np.ndarray:
        return np.array([float(x) for x in self.instant.position(frame)])

    def add_slide(self, name: str, start: np.ndarray, end: np.ndarray) -> None:
        if np.linalg.norm(end - start) > 1e-12:
            self.sticks.append((name, start, end, "slide"))

    def add_body(self, body: str, start: np.ndarray) -> None:
        """Lines from a body's own joint to the joints it carries, the loops it closes, and its
        centre of mass."""
        carried = [
            self.point(joint.parent)
            for joint in self.instant.model.joints.values()
            if joint.parent.body == body
        ]
        carried += [
            self.point(frame)
            for closure in self.instant.model.closures.values()
            for frame in (closure.a, closure.b)
            if frame.body == body
        ]
        self.sticks += [(body, start, end, "body") for end in carried]
        if body in self.masses:
            kind = "arm" if carried else "body"
            self.sticks.append((body, start, self.masses[body], kind))

    def seen_in(self, plane: str | None) -> StickFigure:
        plane = plane or self.largest_plane()
        picked = [AXES[axis] for axis in plane]

        def flat(point: np.ndarray) -> Point:
            return float(point[picked[0]]), float(point[picked[1]])

        return StickFigure(
            plane,
            [Stick(name, flat(a), flat(b), kind) for name, a, b, kind in self.sticks],
            {name: flat(point) for name, point in self.joints.items()},
            [flat(point) for point in self.bearings],
            {name: flat(point) for name, point in self.masses.items()},
        )

    def largest_plane(self) -> str:
        """The plane that shows most; the first of equals."""
        ends = [end for _, a, b, _ in self.sticks for end in (a, b)]
        points = np.array([*ends, *self.joints.values()] or [np.zeros(3)])
        spread = points.var(axis=0)
        return max(PLANES, key=lambda plane: round(sum(spread[AXES[a]] for a in plane), 12))
