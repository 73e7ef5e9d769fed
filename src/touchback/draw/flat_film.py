"""Scenes on paper: lines and areas that move, seen from the side or from an angle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from touchback.draw.scene import Piece, Scene
from touchback.draw.stick import Floats, axes_for
from touchback.figure_style import ACCENT, BODIES, FILL, INK, PALE, PAPER, SOFT, WATER
from touchback.model import (
    AnyShape,
    ArcShape,
    BoxShape,
    CapsuleShape,
    CylinderShape,
    DiscShape,
    FaceShape,
    GroundShape,
    MeshShape,
    PatchShape,
    PlaneShape,
    SphereShape,
    SurfaceShape,
)

_ROUND = 36  # points of a circle


_RIM = 48  # points of an outline


_WAYS = 256  # directions in space
_EDGEWISE = 0.05  # px²: a triangle that is seen from its edge
_FEW = 200  # triangles of a mesh whose rim is looked for


def outlines(points: Floats) -> Floats:
    """The outlines of points (T, P, 2) on the paper, (T, points of an outline, 2): at each of so
    many directions the farthest of them, so that a moving one keeps its number of points."""
    angles = np.linspace(0.0, 2 * np.pi, _RIM, endpoint=False)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    farthest = np.argmax(points @ ways, axis=1)
    return np.take_along_axis(points, farthest[:, :, None], axis=1)


def _rim(places: Floats, sides: NDArray[np.intp]) -> list[int] | None:
    """The points around what triangles (M, 3) cover on the paper, of places (T, P, 2): the edges of
    those that are seen from before. None unless at all instants it is one loop of the same."""
    a, b, c = (places[:, sides[:, k]] for k in range(3))
    (ux, uy), (vx, vy) = np.moveaxis(b - a, -1, 0), np.moveaxis(c - a, -1, 0)
    before = ux * vy - uy * vx > _EDGEWISE
    if (before != before[0]).any():
        return None
    ways = {(int(t[k]), int(t[k - 2])) for t in sides[before[0]] for k in range(3)}
    after = {start: end for start, end in ways if (end, start) not in ways}
    loop = list(after)[:1]
    while loop and (following := after.pop(loop[-1], None)) is not None:
        loop.append(following)
    return loop[:-1] if len(loop) > 3 and not after and loop[0] == loop[-1] else None


def _cylinder(radius: float, half: float) -> Floats:
    """Both rims."""
    angles = np.linspace(0.0, 2 * np.pi, _ROUND, endpoint=False)
    ring = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ends = [np.column_stack([ring, np.full(_ROUND, side * half)]) for side in (-1.0, 1.0)]
    return np.concatenate(ends)


def _capsule(radius: float, half: float) -> Floats:
    """Points of the half balls at both ends."""
    ways = directions()
    return radius * ways + half * np.sign(ways[:, 2:]) * [0.0, 0.0, 1.0]


def directions() -> Floats:
    """Directions in space as evenly spread as seeds of a sunflower, (N, 3)."""
    z = 1.0 - (2.0 * np.arange(_WAYS) + 1.0) / _WAYS
    angles = np.pi * (1.0 + 5.0**0.5) * np.arange(_WAYS)
    flat = np.sqrt(1.0 - z * z)
    return np.stack([flat * np.cos(angles), flat * np.sin(angles), z], axis=1)


def farthest(points: Floats) -> Floats:
    """Those of points (P, 3) that are farthest in some direction: all that an outline needs."""
    return points[np.unique(np.argmax(points @ directions().T, axis=0))]


ROUND_POINTS: dict[type[AnyShape], Callable[..., Floats]] = {
    CylinderShape: _cylinder,
    CapsuleShape: _capsule,
}


"""Points of solids whose outline is drawn, by the shape's numbers."""


SIZE = 480.0  # of the longer side [px]


_MARGIN = 40.0


_TURN = 6.28  # rad: all around


_COILS, _COIL = 7, 6.0  # of a spring, and how far they reach aside [px]


_ARROW = 0.22  # of the picture: the largest force


_HEAD = 9.0  # px


_HAND = 0.05  # of the scene's reach: half of what is shown of an endless face of a body


_THICK = 14.0  # px: of a floor


_EDGE_ON = 0.02  # sine of the angle under which a plane is seen as a line


_SQUARE = ((-1, -1), (-1, 1), (1, 1), (1, -1))


_WAKE = 24  # instants behind a point that is followed


Lines = list[tuple[Floats, bool]]


@dataclass(frozen=True)
class Mark:
    """A line through points (T, P, 2) [px] that moves, or with a `fill` an area. With one point it
    is a dot of `radius` [px]."""

    name: str
    points: Floats
    stroke: str = "none"
    width: float = 1.0
    fill: str = "none"
    opacity: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True)
class FlatFilm:
    """Marks in the order in which they are drawn, on paper of a size [px]."""

    title: str
    width: float
    height: float
    times: Floats
    marks: list[Mark]


def flat_film(scene: Scene) -> FlatFilm:
    """The scene seen along an axis when it lies in a plane across that, else from an angle."""
    paper = _Paper(scene)
    marks = [*paper.all_marks()]
    return FlatFilm(scene.title, paper.width, paper.height, scene.times, marks)


class _Paper:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        points = scene.points
        self.axes = axes_for(points)
        flat = points @ self.axes.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        span = max(float((high - low).max()), 1e-9)
        self.scale = SIZE / span
        size = np.maximum((high - low) * self.scale, SIZE / 4)
        self.width, self.height = (float(x) for x in size + 2 * _MARGIN)
        self.middle = (low + high) / 2
        self.reach = 0.75 * span
        self.colours = {name: BODIES[i % len(BODIES)] for i, name in enumerate(scene.bodies)}

    def at(self, points: Floats) -> Floats:
        """World points (…, 3) on the paper, y downwards [px]."""
        flat = (points @ self.axes.T - self.middle) * self.scale
        return np.stack([self.width / 2 + flat[..., 0], self.height / 2 - flat[..., 1]], axis=-1)

    def all_marks(self) -> Iterator[Mark]:
        for piece in self.scene.pieces:
            if piece.open or (piece.ground is not None and piece.ground.paint == "asphalt"):
                yield self.plane(piece)
        yield from self.ways()
        yield from self.lines()
        for piece in self.scene.pieces:
            yield from self.piece(piece)
        yield from self.dots()
        yield from self.arrows()

    def colour(self, body: str) -> str:
        return self.colours.get(body, PALE)

    # ---- shapes ---------------------------------------------------------------------------------

    def plane(self, piece: Piece) -> Mark:
        """A floor seen along its face is all that lies below it; else a sheet around the scene.
        That of a body is as small as a hand."""
        normal = piece.R[:, :, 2]
        edge_on = np.abs(normal[0] @ np.cross(*self.axes)) < _EDGE_ON
        foot, half = piece.p, _HAND * self.reach
        if piece.endless:
            foot = self.scene.foot(piece)
            half = 2 * self.reach
        deep = _THICK
        if piece.kind is SurfaceShape:
            deep = 3 * self.reach * self.scale  # down to the edge of the paper
            half = 2 * self.reach if edge_on else self.reach
        if edge_on and piece.ground is not None:
            return self.profile(piece, foot, half)
        if edge_on:
            up = normal @ self.axes.T * [1.0, -1.0]  # on the paper
            along, down = half * self.scale * up[:, ::-1] * [-1.0, 1.0], -deep * up
            here = self.at(foot)
            corners = [here + along, here - along, here - along + down, here + along + down]
        else:
            x, y = (half / 2 * piece.R[:, :, i] for i in (0, 1))
            corners = [self.at(foot + a * x + b * y) for a, b in _SQUARE]
        points = np.stack(corners, axis=1)
        if piece.kind is SurfaceShape:
            return Mark("water", points, WATER, 1.5, WATER, 0.16)
        if piece.endless:
            return Mark(piece.body, points, PALE, 1.0, FILL)
        return Mark(piece.body, points[:, :2] if edge_on else points, self.colour(piece.body), 2.5)

    def profile(self, piece: Piece, foot: Floats, half: float) -> Mark:
        """A road from the side: the line of its highest points, and what lies below."""
        points = piece.triangles.reshape(-1, 3)
        x, numbers = np.unique(points[:, 0], return_inverse=True)
        z = np.full(len(x), -np.inf)
        np.maximum.at(z, numbers, points[:, 2])
        middle = float(foot[0] @ piece.R[0, :, 0] - piece.p[0] @ piece.R[0, :, 0])
        ends = np.array([middle - half, middle + half])
        between = x[(x > ends[0]) & (x < ends[1])]
        along = np.concatenate([ends[:1], between[:: max(len(between) // 100, 1)], ends[1:]])
        line = np.stack([along, 0.0 * along, np.interp(along, x, z)], axis=1)
        upper = self.placed(piece, line)
        points = np.concatenate([upper, upper[:, ::-1] + [0.0, _THICK]], axis=1)
        return Mark(piece.body, points, PALE, 1.0, FILL)

    def piece(self, piece: Piece) -> Iterator[Mark]:
        colour, name = piece.colour or self.colour(piece.body), piece.body
        if piece.ground is not None and not piece.ground.paint.endswith(("kerb", "wall")):
            return
        for points, closed in _OUTLINES[piece.kind](*piece.numbers):
            fill = colour if closed else "none"
            yield Mark(name, self.placed(piece, points), colour, 2.0, fill, 0.3 if closed else 1.0)
        if piece.kind is SphereShape:
            yield Mark(name, self.silhouette(piece), colour, 2.0, colour, 0.35)
        if piece.kind in ROUND_POINTS:
            around = outlines(self.placed(piece, ROUND_POINTS[piece.kind](*piece.numbers)))
            yield Mark(name, around, colour, 2.0, colour, 0.3)
        if piece.mesh is not None:
            yield Mark(name, self.mesh_outline(piece), colour, 1.5, colour, 0.3)

    def mesh_outline(self, piece: Piece) -> Floats:
        """Its rim, where it keeps one in the picture as plates do that move in its plane; else what
        is convex around it."""
        corners = piece.triangles.reshape(-1, 3)
        if len(piece.triangles) <= _FEW:
            points, number = np.unique(corners, axis=0, return_inverse=True)
            places, sides = self.placed(piece, points), number.reshape(-1, 3)
            if (loop := _rim(places, sides)) is not None:
                return places[:, loop]
        return outlines(self.placed(piece, farthest(corners)))

    def placed(self, piece: Piece, points: Floats) -> Floats:
        """Points (P, 3) of a shape on the paper, (T, P, 2)."""
        return self.at(np.einsum("tij,pj->tpi", piece.R, points) + piece.p[:, None])

    def silhouette(self, piece: Piece) -> Floats:
        """The rim of an ellipsoid: √A of a circle, A = S Sᵀ of its half axes S on the paper."""
        S = np.einsum("ai,tij->taj", self.axes, piece.R) * np.array(piece.numbers)
        values, vectors = np.linalg.eigh(S @ S.transpose(0, 2, 1))
        root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        rim = np.einsum("tab,pb->tpa", root, _circle(0.0, 2 * np.pi)[:, [0, 2]]) * self.scale
        return self.at(piece.p)[:, None] + rim

    # ---- the stick figure -----------------------------------------------------------------------

    def lines(self) -> Iterator[Mark]:
        for line in self.scene.figure.lines:
            ends = self.at(line.ends)
            if line.kind == "link":
                yield Mark(line.name, _zigzag(ends), SOFT, 1.5)
            elif line.kind == "slide":
                yield Mark(line.name, ends, PALE, 1.5)
            else:
                thick = {"body": 6.0, "arm": 2.0}.get(line.kind, 3.0)
                yield Mark(line.name, ends, self.colour(line.name), thick)

    def dots(self) -> Iterator[Mark]:
        figure = self.scene.figure
        for name, places in figure.bearings.items():
            triangle = np.array([[0.0, 0.0], [-9.0, 14.0], [9.0, 14.0]])
            yield Mark(name, self.at(places)[:, None] + triangle, INK, 1.0, FILL)
        for name, places in figure.joints.items():
            yield Mark(name, self.at(places)[:, None], fill=INK, radius=4.5)
        for name, places in figure.masses.items():
            yield Mark(name, self.at(places)[:, None], INK, 1.5, PAPER, radius=4.0)

    def ways(self) -> Iterator[Mark]:
        for name, way in self.scene.trails.items():
            places = self.at(way)
            still = np.broadcast_to(places, (1, *places.shape))
            yield Mark(name, still, ACCENT, 1.0, opacity=0.35)
            behind = np.arange(len(places))[:, None] - np.arange(_WAKE)[::-1]
            yield Mark(name, places[np.maximum(behind, 0)], ACCENT, 2.0)

    def arrows(self) -> Iterator[Mark]:
        """Forces, the largest of the film as long as a part of the picture."""
        largest = max((np.abs(f).max() for _, f in self.scene.forces.values()), default=1.0)
        length = _ARROW * self.reach / largest
        for name, (point, force) in self.scene.forces.items():
            start, tip = self.at(point), self.at(point + length * force)
            yield Mark(name, _arrow(start, tip), ACCENT, 2.0, opacity=0.85)


def _circle(start: float, end: float) -> Floats:
    """Points of the unit circle in the x-z plane."""
    angles = np.linspace(start, end, _ROUND + 1)
    return np.stack([np.cos(angles), np.zeros_like(angles), np.sin(angles)], axis=1)


def _faces(x: float, y: float, z: float) -> Lines:
    found = []
    for axis, side in product(range(3), (-1.0, 1.0)):
        corners = np.array([[side, a, b] for a, b in _SQUARE])
        found.append((np.roll(corners, axis, axis=1) * [x, y, z], True))
    return found


def _arc(radius: float, start: float, end: float) -> Lines:
    return [(radius * _circle(start, end), end - start > _TURN)]


# Lines in the axes of a shape, and whether they go around an area.
_OUTLINES: dict[type[AnyShape], Callable[..., Lines]] = {
    ArcShape: _arc,
    BoxShape: _faces,
    DiscShape: lambda radius: [(radius * _circle(0.0, 2 * np.pi)[:, [0, 2, 1]], True)],
    FaceShape: lambda length: [(np.array([[0.0, 0.0, 0.0], [length, 0.0, 0.0]]), False)],
    PatchShape: lambda: [],
    PlaneShape: lambda: [],
    SphereShape: lambda *_: [],
    CylinderShape: lambda *_: [],
    CapsuleShape: lambda *_: [],
    MeshShape: lambda: [],
    GroundShape: lambda: [],
    SurfaceShape: lambda: [],
}


def _zigzag(ends: Floats) -> Floats:
    """A spring between two points (T, 2, 2)."""
    a, b = ends[:, 0], ends[:, 1]
    way = b - a
    length = np.maximum(np.linalg.norm(way, axis=1), 1e-9)[:, None]
    aside = np.stack([-way[:, 1], way[:, 0]], axis=1) / length * _COIL
    steps = np.linspace(0.15, 0.85, 2 * _COILS)
    coils = [a + s * way + (-1) ** i * aside for i, s in enumerate(steps)]
    return np.stack([a, a + 0.12 * way, *coils, a + 0.88 * way, b], axis=1)


def _arrow(start: Floats, tip: Floats) -> Floats:
    """Shaft and head as one line, (T, 5, 2); short ones have small heads."""
    way = tip - start
    length = np.linalg.norm(way, axis=1)[:, None]
    along = way / np.maximum(length, 1e-9) * np.minimum(_HEAD, 0.5 * length)
    aside = 0.5 * np.stack([-along[:, 1], along[:, 0]], axis=1)
    return np.stack([start, tip, tip - along + aside, tip, tip - along - aside], axis=1)
