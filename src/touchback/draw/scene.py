"""What a film shows: where everything of a mechanism is at each of its instants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np

from touchback import Frame, Hand, Model, Position, Wrench
from touchback.draw.stick import Floats, StickFigure, figure_at
from touchback.dynamics import Instant, initial_coordinates
from touchback.errors import InputError, ModelError
from touchback.model import (
    GROUND,
    AnyShape,
    ArcShape,
    BoxShape,
    CapsuleShape,
    CylinderShape,
    DiscShape,
    FaceShape,
    GroundShape,
    MeshShape,
    Operators,
    PatchShape,
    PlaneShape,
    Shapes,
    SphereShape,
    SurfaceShape,
    Triple,
    Value,
    corners_of,
    flatten,
    is_zero,
    numbers_of,
)
from touchback.numbers import Scalar, Vector

_LEAST = 1e-12  # N: less is no force


_POINT = 0.08  # of the size of the bars: how large a point mass is shown at most


@dataclass(frozen=True)
class Track:
    """How a mechanism went: T instants [s] and at each of them its signals by name; what is not
    among them is as it was in the beginning."""

    times: Floats
    signals: Mapping[str, Floats]
    parameters: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Piece:
    """A kind of shape, its numbers in the order of its fields, and the pose of its frame at each
    instant: R_WF (T, 3, 3), p_WF (T, 3). A `mesh` has triangles instead of numbers."""

    body: str
    kind: type[AnyShape]
    numbers: tuple[float, ...]
    R: Floats
    p: Floats
    mesh: MeshShape | None = None
    colour: str = ""  # its own, if it has one

    @property
    def endless(self) -> bool:
        """Whether it is a wall, a water or a road of the world, shown as far as the picture
        goes."""
        return self.kind in (PlaneShape, SurfaceShape, GroundShape) and self.body == GROUND

    @property
    def ground(self) -> GroundShape | None:
        """What it is, if it is a part of the world to drive on."""
        return self.mesh if isinstance(self.mesh, GroundShape) else None

    @property
    def open(self) -> bool:
        """Whether it has no end of its own."""
        return self.kind in (PlaneShape, PatchShape, SurfaceShape)

    @property
    def reach(self) -> float:
        """How far it goes from its origin [m]."""
        if self.ground is not None:
            return 1.0
        if self.mesh is not None:
            return float(np.abs(self.ends).max())
        if self.kind is CapsuleShape:
            return sum(self.numbers)
        own = self.numbers[:1] if self.kind is ArcShape else self.numbers
        return max(own, default=0.0)

    @cached_property
    def triangles(self) -> Floats:
        """Of a mesh, (M, 3, 3) in its own axes [m]."""
        return np.zeros((0, 3, 3)) if self.mesh is None else corners_of(self.mesh)

    @cached_property
    def ends(self) -> Floats:
        """The corners of the box around a mesh, (8, 3)."""
        points = self.triangles.reshape(-1, 3)
        return _corners(points.min(axis=0), points.max(axis=0))

    @property
    def rim(self) -> Floats:
        """Points between which it lies, (T, P, 3): each kind as far along its own axes as it
        goes."""
        return np.einsum("tij,pj->tpi", self.R, self._outermost()) + self.p[:, None]

    def _outermost(self) -> Floats:
        """The same in its own axes, (P, 3)."""
        if self.mesh is not None:
            return self.ends
        if self.kind is BoxShape:
            return _corners(-np.array(self.numbers), np.array(self.numbers))
        ways = np.diag(self._halves())
        if self.kind is CylinderShape:  # the rims of both its ends
            rim = np.concatenate([ways[:2], -ways[:2]])
            return np.concatenate([rim + ways[2], rim - ways[2]])
        return np.concatenate([np.zeros((1, 3)), ways, -ways])

    def _halves(self) -> tuple[float, ...]:
        """How far it goes along x, y, z."""
        if self.kind is SphereShape:
            return self.numbers
        thick, long = self.numbers[0] if self.numbers else 0.0, self.reach
        return {
            DiscShape: (long, long, 0.0),
            CylinderShape: (thick, thick, *self.numbers[1:]),
            CapsuleShape: (thick, thick, long),
            ArcShape: (long, 0.0, long),
            FaceShape: (long, 0.0, 0.0),
        }.get(self.kind, (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Scene:
    """All instants of a film: lines and joints, shapes, the ways that points went, and forces as
    arrows from (T, 3) along (T, 3) [N]."""

    title: str
    times: Floats
    figure: StickFigure
    pieces: list[Piece]
    trails: dict[str, Floats]
    forces: dict[str, tuple[Floats, Floats]]
    bodies: list[str]

    @property
    def moving(self) -> Floats:
        """Those of its points that aren't of shapes on the ground, (N, 3)."""
        return replace(self, pieces=[each for each in self.pieces if each.body != GROUND]).points

    def foot(self, piece: Piece) -> Floats:
        """Where a wall is shown, (T, 3): right below the middle of everything."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        centre, normal = (low + high) / 2, piece.R[:, :, 2]
        return centre - ((centre - piece.p) * normal).sum(axis=1)[:, None] * normal

    @property
    def points(self) -> Floats:
        """Every point that must be seen, (N, 3)."""
        rims = [piece.rim for piece in self.pieces if not piece.endless]
        parts = [self.figure.points, *self.trails.values(), *rims]
        found = np.concatenate([part.reshape(-1, 3) for part in parts])
        return found if len(found) else np.zeros((1, 3))


def scene_of(model: Model, track: Track) -> Scene:
    """The scene of a model that went along a track."""
    return _Stage(flatten(model), track).scene(model.name)


class _Stage:
    """Sets the scene: the mechanics runs on whole columns of the track."""

    def __init__(self, model: Model, track: Track) -> None:
        self.model, self.times, self.count = model, track.times, len(track.times)
        at, known = initial_coordinates(model), track.signals
        names = _position_names(model)
        if missing := [name for name in names if name not in known]:
            raise InputError(
                f"Model '{model.name}': the run has no signal '{missing[0]}'"
                f"{f' nor {len(missing) - 1} others' if missing[1:] else ''}, which say where it "
                "is; give the model that was run."
            )
        at.q = [known[name] for name in names]
        at.v = [known.get(name, x) for name, x in zip(_velocity_names(model), at.v)]
        at.z = {name: known.get(name, x) for name, x in at.z.items()}
        at.u = {name: known.get(name, x) for name, x in at.u.items()}
        at.time = track.times
        at.parameters = {**at.parameters, **track.parameters}
        self.instant = Watched(model, Operators(), at)

    def scene(self, title: str) -> Scene:
        figure = figure_at(self.instant, self.count)
        pieces = self.pieces(figure)
        shaped = {piece.body for piece in pieces}
        meshed = {each.body for each in pieces if each.mesh is not None and not each.endless}
        if self.model.imported:  # files of robots draw their links as they are
            meshed |= {look.frame.body for look in self.model.shapes.values()}
        hidden = {("cross", name) for name in shaped}
        hidden |= {(kind, name) for kind in ("body", "arm") for name in meshed}
        lines = [
            each
            for each in figure.lines
            if each.has_length and (each.kind, each.name) not in hidden
        ]
        return Scene(
            title, self.times, replace(figure, lines=lines), pieces, self.trails(), self.forces(),
            list(self.model.bodies),
        )  # fmt: skip

    def pieces(self, figure: StickFigure) -> list[Piece]:
        """The shapes of contacts, each once, and of bodies that nothing else shows."""
        model = self.model
        shown = [pair for kind in model.forces.values() for pair in kind.shapes()]
        shown += [pair for kind in model.contacts.values() for pair in kind.shapes()]
        shown += self.solids()
        distinct = [pair for number, pair in enumerate(shown) if pair not in shown[:number]]
        painted = [
            (pair, look.colour)
            for look in model.shapes.values()
            if look.colour
            for pair in look.solid.shapes(look.frame)
        ]
        pieces = [
            replace(
                self.piece(frame, shape),
                colour=next((own for pair, own in painted if pair == (frame, shape)), ""),
            )
            for frame, shape in distinct
        ]
        pieces = [each for each in pieces if each.open or each.reach > 0.0]
        seen = {each.body for each in pieces if not each.open and self.centred(each)}
        seen |= {frame.body for frame, _ in self.solids()}
        seen |= {line.name for line in figure.lines if line.kind == "body" and line.has_length}
        most = _POINT / 2 * figure.size if figure.size else np.inf
        blocks = [self.block(name, most) for name in model.bodies if name not in seen]
        return pieces + [each for each in blocks if each.reach > 0.0]

    def solids(self) -> Shapes:
        """What shows bodies themselves, wherever their centres of mass are."""
        kinds = (kind for kind in self.model.forces.values() if kind.SHOWS_BODY)
        shown = [pair for kind in kinds for pair in kind.shapes()]
        looks = self.model.shapes.values()
        return shown + [pair for look in looks for pair in look.solid.shapes(look.frame)]

    def centred(self, piece: Piece) -> bool:
        """Whether it lies around its body's centre of mass: then it shows the body."""
        body = self.model.bodies.get(piece.body)
        if body is None:
            return False
        return np.allclose(
            piece.p, self.columns(self.instant.position(Frame(piece.body, body.com)))
        )

    def piece(self, frame: Frame, shape: AnyShape) -> Piece:
        return Piece(
            frame.body,
            type(shape),
            tuple(self.number(given) for given in numbers_of(shape)),
            np.stack([self.columns(row) for row in self.instant.rotation(frame)], axis=1),
            self.columns(self.instant.position(frame)),
            shape if isinstance(shape, MeshShape) else None,
        )

    def number(self, given: Value) -> float:
        """Of a shape, as it is in the beginning."""
        return float(np.ravel(self.instant.value(given))[0])

    def block(self, name: str, most: float) -> Piece:
        """A body by its inertia; one that is a point has half sides of at most so much [m]."""
        body = self.model.bodies[name]
        halves = cuboid(self.number(body.mass), *map(self.number, body.inertia[:3]), most=most)
        if self.model.imported:  # many files have moments of much larger bodies
            share = min(1.0, most / max(halves)) if max(halves) > 0.0 else 1.0
            halves = (share * halves[0], share * halves[1], share * halves[2])
        return self.piece(Frame(name, body.com), BoxShape(halves))

    def trails(self) -> dict[str, Floats]:
        """The ways of points that the model measures."""
        return {
            name: self.columns(self.instant.position(kind.frame))
            for name, kind in self.model.sensors.items()
            if isinstance(kind, Position)
        }

    def forces(self) -> dict[str, tuple[Floats, Floats]]:
        """Where forces push and how, as far as a track tells."""
        arrows = {
            name: (self.columns(point), self.columns(force))
            for name, (point, force) in self.instant.act().items()
        }
        return {
            name: arrow for name, arrow in arrows.items()
            if np.isfinite(arrow[1]).all() and np.abs(arrow[1]).max() > _LEAST
        }  # fmt: skip

    def columns(self, vector: Sequence[Scalar]) -> Floats:
        """A vector at each instant, (T, 3)."""
        return np.stack([np.broadcast_to(x, (self.count,)) for x in vector], axis=1).astype(float)


def _corners(low: Floats, high: Floats) -> Floats:
    """Of a box, (8, 3)."""
    return np.array(list(product(*zip(low, high, strict=True))))


def _position_names(model: Model) -> list[str]:
    """Of coordinates, as signals are called."""
    return [each for name, joint in model.joints.items() for each in joint.position_names(name)]


def _velocity_names(model: Model) -> list[str]:
    """Likewise: one that is named like a position is its rate."""
    taken = set(_position_names(model))
    found = [each for name, joint in model.joints.items() for each in joint.velocity_names(name)]
    return [f"{name} rate" if name in taken else name for name in found]


_THIN, _WATER = 0.02, 1000.0  # of the longest side: it can be seen; kg/m³


def cuboid(mass: float, *moments: float, most: float = np.inf) -> tuple[float, float, float]:
    """Half the sides [m] of the cuboid with a mass [kg] and three moments of inertia [kg m²],
    a_x² = 3 (I_y + I_z − I_x)/(2 m). A plate is as thick as can be seen; a point is a cube that
    would be as heavy as water, or with half sides of `most` [m]."""
    squares = 1.5 * (sum(moments) - 2.0 * np.array(moments)) / (mass or np.inf)
    halves = np.sqrt(np.maximum(squares, 0.0))
    least = _THIN * halves.max() or min(0.5 * (max(mass, 0.0) / _WATER) ** (1 / 3), most)
    x, y, z = np.maximum(halves, least).tolist()
    return x, y, z


class Watched(Instant):
    """An instant that remembers where forces push, by the name of the force."""

    acting = ""
    beside: Triple = (0.0, 0.0, 0.0)  # of the frame that is pushed, along its axes
    shown_at: Vector | None = None  # where the force says itself

    @cached_property
    def applied_forces(self) -> dict[str, tuple[Vector, Vector]]:
        return {}

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        if frame.body == GROUND:  # which feels the opposite of what is shown already
            return
        known = self.acting in self.applied_forces
        label = f"{self.acting} on {frame.body}" if known else self.acting
        self.applied_forces[label] = self._point(frame), force

    def _point(self, frame: Frame) -> Vector:
        """Where a push on a frame is."""
        if self.shown_at is not None:
            return self.shown_at
        origin = self.position(frame)
        if all(map(is_zero, self.beside)):
            return origin
        arm = [self.value(component) for component in self.beside]
        return self.vectors.add(origin, self.vectors.apply(self.rotation(frame), arm))

    def act(self) -> dict[str, tuple[Vector, Vector]]:
        """Where forces push and how, by name; those that ask for what isn't known are left out."""
        for name, kind in self.model.forces.items():
            self.acting = name
            self.beside = kind.point if isinstance(kind, Hand | Wrench) else (0.0, 0.0, 0.0)
            try:
                self.shown_at = kind.shown_at(self)
                kind.apply(self)
            except (ModelError, KeyError):
                continue
        return self.applied_forces
