"""Stick figures: where the lines and points of a mechanism are, and from where one looks at
them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback import Frame, LinkForce, Model, SpringDamper
from touchback.dynamics import Instant, float_instant
from touchback.errors import InputError
from touchback.model import GROUND, Joint, frames_of
from touchback.numbers import shown

Floats = NDArray[np.float64]


_SAME = 1e-12  # m: points nearer than that are one


_ALL = 6  # freedoms of a body that nothing holds


_PLATE = 3  # points beside its own joint, from which on a body is drawn as a plate, not as spokes;
# of three in all, only if they aren't in one line


@dataclass(frozen=True)
class Line:
    """A straight line by the name of its body, joint or force; `ends` (T, 2, 3).

    Its kind: "body" from joint to joint, "arm" from a joint to a centre of mass beside that,
    "cross" through a body that tumbles, "slide" of a joint that has opened, "link" of a spring or
    rope.
    """

    name: str
    kind: str
    ends: Floats

    @property
    def has_length(self) -> bool:
        """Whether it ever has a length beyond that of rounding."""
        return bool((np.ptp(self.ends, axis=1) > _SAME).any())


@dataclass(frozen=True)
class StickFigure:
    """World coordinates [m] at each of T instants: lines; joints, supports on the ground by joint,
    and centres of mass by body, (T, 3) each."""

    lines: list[Line]
    joints: dict[str, Floats]
    bearings: dict[str, Floats]
    masses: dict[str, Floats]

    @property
    def outline(self) -> Floats:
        """The ends of the lines that show the shape, all but arms; (S, T, 2, 3)."""
        ends = [line.ends for line in self.lines if line.kind != "arm"]
        return np.array(ends or np.empty((0, 1, 2, 3)))

    @property
    def points(self) -> Floats:
        """Every point of every instant, (N, 3)."""
        lines = [line.ends for line in self.lines]
        parts = (*lines, *self.joints.values(), *self.bearings.values(), *self.masses.values())
        return np.concatenate([np.empty((0, 3)), *(part.reshape(-1, 3) for part in parts)])

    @property
    def size(self) -> float:
        """How far its bars reach along the longest axis in the beginning [m]; 0 without any."""
        bars = [line.ends[0] for line in self.lines if line.kind == "body" and line.has_length]
        return float(np.ptp(np.concatenate(bars), axis=0).max()) if bars else 0.0


def stick_figure(
    model: Model, q: ArrayLike | None = None, parameters: Mapping[str, float] | None = None
) -> StickFigure:
    """The figure at positions q, of shape (nq,) or (T, nq); default: the initial ones."""
    try:
        columns = None if q is None else np.atleast_2d(np.asarray(q, dtype=float)).T
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"Stick figure: positions are expected, got {shown(q)}.") from None
    count = 1 if columns is None else columns.shape[1]
    return figure_at(float_instant(model, columns, parameters), count)


def figure_at(instant: Instant, count: int) -> StickFigure:
    """The figure of an instant whose scalars are columns of so many."""
    return _Sketch(instant, count).figure()


class _Sketch:
    """Gathers a figure joint by joint: the mechanics runs on whole columns of positions."""

    def __init__(self, instant: Instant, count: int) -> None:
        self.instant, self.model, self.count = instant, instant.model, count

    def figure(self) -> StickFigure:
        model = self.model
        lines: list[Line] = []
        for name, joint in model.joints.items():
            lines += self.lines_of_joint(name, joint)
        for name, force in model.forces.items():
            if isinstance(force, SpringDamper | LinkForce):
                lines.append(_line(name, "link", self.place(force.a), self.place(force.b)))
        return StickFigure(
            lines,
            {name: self.place(joint.child) for name, joint in model.joints.items()},
            {
                name: self.place(joint.parent)
                for name, joint in model.joints.items()
                if joint.parent.body == GROUND and not _floats(joint)
            },
            {
                name: self.place(Frame(name, body.com))
                for name, body in model.bodies.items()
                if self.instant.value(body.mass)
            },
        )

    def place(self, frame: Frame) -> Floats:
        """Where the origin of a frame is, (T, 3)."""
        position = self.instant.position(frame)
        return np.stack([np.broadcast_to(x, (self.count,)) for x in position], axis=1)

    def lines_of_joint(self, name: str, joint: Joint) -> list[Line]:
        """The way that it has opened, and its body: lines to where others hold it, or around them,
        and to its centre of mass."""
        body = joint.child.body
        start = self.place(joint.child)
        centre = self.place(Frame(body, self.model.bodies[body].com))
        ends = _distinct([self.place(frame) for frame in self.frames_on(body)], start)
        carries = any(each.parent.body == body for each in self.model.joints.values())
        if not ends:  # what carries others at its own joint stays a point
            ends = [start if carries else centre]
        rim = ends if _floats(joint) else [start, *ends]
        plate = len(ends) >= _PLATE or (len(rim) == _PLATE and _spread(rim) > _FLAT)
        pairs = _round(rim) if plate else [(start, end) for end in ends]
        lines = [_line(body, "body", *pair) for pair in pairs]
        if self.instant.value(self.model.bodies[body].mass):
            lines += [_line(body, "arm", start, end) for end in _distinct([centre], start, *ends)]
        if joint.kind.nq != joint.kind.nv and not plate:
            lines += self.cross(body, centre)
        if not _floats(joint):
            parent = self.place(joint.parent)
            lines += [_line(name, "slide", parent, end) for end in _distinct([start], parent)]
        return lines

    def frames_on(self, body: str) -> list[Frame]:
        """Where next joints, forces, loops and sensors hold a body."""
        model = self.model
        frames = [joint.parent for joint in model.joints.values()]
        drawn = any(look.frame.body == body for look in model.shapes.values())
        # of a body with solids of its own, contacts show where they are by their own shapes
        forces = [each for each in model.forces.values() if not (drawn and each.shapes())]
        kinds = (*forces, *model.closures.values(), *model.sensors.values())
        frames += [frame for kind in kinds for frame in frames_of(kind)]
        return [frame for frame in frames if frame.body == body]

    def cross(self, name: str, centre: Floats) -> list[Line]:
        """The axes of the cuboid with the same inertia, of half length a_x with
        a_x² = 3 (I_y + I_z − I_x)/(2 m)."""
        body = self.model.bodies[name]
        mass = self.instant.value(body.mass)
        if not mass:
            return []
        moments = np.array([self.instant.value(moment) for moment in body.inertia[:3]], dtype=float)
        halves = np.sqrt(np.maximum(1.5 * (moments.sum() - 2 * moments) / mass, 0.0))
        tips = [self.place(Frame(name, tuple(c + h * u for c, h, u in zip(body.com, halves, axis))))
                for axis in np.eye(3)]  # fmt: skip
        return [_line(name, "cross", 2 * centre - tip, tip) for tip in tips]


def _floats(joint: Joint) -> bool:
    """Whether it holds its body nowhere."""
    return joint.kind.nv == _ALL


def _line(name: str, kind: str, start: Floats, end: Floats) -> Line:
    return Line(name, kind, np.stack([start, end], axis=1))


def _round(points: list[Floats]) -> list[tuple[Floats, Floats]]:
    """Neighbours on the way around points, as seen across the plane that they lie in at first."""
    flat = np.array([point[0] for point in points])
    flat -= flat.mean(axis=0)
    x, y = (flat @ np.linalg.svd(flat)[2][:2].T).T
    order = np.argsort(np.arctan2(y, x))
    return [(points[a], points[b]) for a, b in zip(order, np.roll(order, -1))]


def _spread(points: list[Floats]) -> float:
    """How far three points are from one line: the height of their triangle over its base, as they
    lie at first."""
    a, b, c = (point[0] for point in points)
    longest = max(float(np.linalg.norm(x)) for x in (b - a, c - a, c - b))
    return float(np.linalg.norm(np.cross(b - a, c - a))) / longest**2


def _distinct(points: list[Floats], *others: Floats) -> list[Floats]:
    """The points that are neither at one of the others nor twice."""
    found: list[Floats] = []
    for point in points:
        if all(np.abs(point - other).max() > _SAME for other in (*others, *found)):
            found.append(point)
    return found


_FLAT = 0.02  # of the extent: less depth than this is none


# To the right and upwards on the paper, for motion in a plane (from the side, the front, above)
# and in space (from the front, to the right of it and above).
_PLANES = {1: ((1, 0, 0), (0, 0, 1)), 0: ((0, 1, 0), (0, 0, 1)), 2: ((1, 0, 0), (0, 1, 0))}


_OBLIQUE = ((0.87, 0.5, 0.0), (-0.23, 0.4002, 0.89))


@dataclass(frozen=True)
class View:
    """Maps world points to (right, up) in 0…1 × 0…`height`, all points of a run inside."""

    axes: Floats
    origin: Floats
    scale: float
    height: float

    def __call__(self, points: Floats) -> Floats:
        """(…, 3) → (…, 2)."""
        return (points @ self.axes.T - self.origin) * self.scale


def plane_across(axis: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The directions to the right and upwards for motion in the plane across an axis."""
    return _PLANES[axis]


def axes_for(points: Floats) -> Floats:
    """The directions of the world to the right and upwards on the paper, (2, 3): seen along an axis
    when all points lie in a plane across it, else from an angle."""
    extent = np.ptp(points, axis=0)
    thin = [axis for axis in (1, 0, 2) if extent[axis] <= _FLAT * max(float(extent.max()), 1e-12)]
    axes = np.array(_PLANES[thin[0]] if thin else _OBLIQUE, dtype=float)
    return axes / np.linalg.norm(axes, axis=1, keepdims=True)


def view_of(points: Floats, height: float) -> View:
    """A view that holds all points. `height` is that of the paper, its width being one."""
    axes = axes_for(points)
    flat = points @ axes.T
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = np.maximum(high - low, 1e-9)
    scale = 0.9 * min(1.0 / size[0], height / size[1])
    origin = (low + high) / 2 - np.array([0.5, height / 2]) / scale
    return View(axes, origin, float(scale), height)
