"""Whether a mesh encloses a solid, and how wrong its inertia is where it doesn't.

The inertia of a solid is an integral over its surface, which is right only if the surface is
closed, has one outside, and encloses no place twice. Else the integral is compared with that of a
repaired mesh: triangles turned alike, holes filled from their middles (exact for flat holes), and
what is enclosed twice counted once, along a grid of rays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from touchback.interop.meshes.solid_inertia import Inertia, of_triangles

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
_RAYS = 96  # along each side of the grid on which overlaps are looked for
_OVERLAP = 2e-3  # part of the volume: less can't be told from what falls between rays
_ROUNDING = 1e-6  # parts of volume and moments that nobody needs to hear of


@dataclass(frozen=True)
class MeshFaults:
    """Why a mesh encloses no solid, and what that does to its volume and its moments, as parts."""

    open_edges: int = 0
    turned: int = 0  # triangles whose outside is inside
    overlap: float = 0.0  # part of the volume that is enclosed more than once
    volume_error: float = 0.0
    moment_error: float = 0.0

    @property
    def matters(self) -> bool:
        """Whether its inertia is wrong by more than rounding."""
        return max(self.volume_error, self.moment_error) > _ROUNDING

    def __str__(self) -> str:
        faults = []
        if self.open_edges:
            faults.append(f"it is open ({self.open_edges} edges have one triangle)")
        if self.turned:
            faults.append(f"{self.turned} of its triangles are turned inside out")
        if self.overlap:
            faults.append(f"it passes through itself ({_percent(self.overlap)} is enclosed twice)")
        return (
            f"{', '.join(faults)}, so that its volume is off by about "
            f"{_percent(self.volume_error)} and its moments of inertia by about "
            f"{_percent(self.moment_error)}"
        )


def _percent(part: float) -> str:
    return f"{100.0 * part:.2g} %"


def mesh_faults(points: Floats, triangles: Indices, way: str = "exact") -> MeshFaults | None:
    """What is wrong with a mesh whose inertia is taken as `of_triangles` does by this way; None
    where it encloses a solid, or weighs as a shell."""
    if way == "shell":
        return None
    places, corners = _joined(points, triangles)
    if not len(corners):
        return None
    open_edges, uneven = _uneven_edges(corners)
    oriented = _oriented(places, corners) if uneven else corners
    closed, filled = _filled(places, oriented)
    if _volume(closed, filled) < 0.0:
        filled, oriented = filled[:, ::-1], oriented[:, ::-1]
    turned = int(np.any(oriented != corners, axis=1).sum())
    overlap, once = _counted_once(closed, filled)
    if not (open_edges or turned or overlap):
        return None
    given, right = (of_triangles(*mesh, way) for mesh in ((points, triangles), (closed, filled)))
    if overlap:
        right = right.scaled(once[0])
    return MeshFaults(
        open_edges, turned, overlap,
        abs(given.mass - right.mass) / right.mass if right.mass > 0.0 else 1.0,
        _moment_error(given, right, once[1] if overlap else 1.0),
    )  # fmt: skip


def _moment_error(given: Inertia, right: Inertia, factor: float) -> float:
    """The largest difference of moments about the right centre of mass, as a part."""
    if right.mass <= 0.0:
        return 1.0
    off = given.com - right.com
    moved = given.J + given.mass * (off @ off * np.eye(3) - np.outer(off, off))
    wanted = right.J * factor
    return float(np.linalg.norm(moved - wanted, 2) / np.linalg.norm(wanted, 2))


def _joined(points: Floats, triangles: Indices) -> tuple[Floats, Indices]:
    """With each place once, and without triangles that are lines."""
    near = points.astype(np.float32)
    order = np.lexsort(near.T[::-1])
    new = np.append(True, (np.diff(near[order], axis=0) != 0).any(axis=1))
    number = np.empty(len(near), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    a, b, c = number[triangles].T
    kept = (a != b) & (b != c) & (a != c)
    return points[order[new]], number[triangles][kept]


def _edges(corners: Indices) -> tuple[Indices, Indices, Indices]:
    """Edges of all triangles: smaller and larger corner, and in which way each is passed."""
    start = corners.ravel()
    end = np.roll(corners, -1, axis=1).ravel()
    return np.minimum(start, end), np.maximum(start, end), np.where(start < end, 1, -1)


def _uneven_edges(corners: Indices) -> tuple[int, bool]:
    """How many edges have an odd number of triangles, and whether some are passed twice alike."""
    low, high, way = _edges(corners)
    key = low * (int(corners.max()) + 1) + high
    _, number, count = np.unique(key, return_inverse=True, return_counts=True)
    sums = np.bincount(number, way)
    odd = count % 2 == 1
    return int(odd.sum()), bool((np.abs(sums) > odd).any())


def _oriented(places: Floats, corners: Indices) -> Indices:
    """Triangles that share an edge turned alike, most of them as they are."""
    n = len(corners)
    low, high, way = _edges(corners)
    key = low * (int(corners.max()) + 1) + high
    order = np.argsort(key, kind="stable")
    ends = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
    pairs = ends[np.diff(np.append(ends, len(key))) == 2]  # edges of two triangles
    one, other = order[pairs] // 3, order[pairs + 1] // 3
    alike = way[order[pairs]] != way[order[pairs + 1]]
    # Each triangle stands twice, as it is (t) and turned (t + n): what goes together is joined.
    first = np.concatenate([one, one + n])
    second = np.concatenate([np.where(alike, other, other + n), np.where(alike, other + n, other)])
    graph = coo_matrix((np.ones(len(first)), (first, second)), shape=(2 * n, 2 * n))
    _, label = connected_components(graph, directed=False)
    size = np.bincount(label[:n], minlength=label.max() + 1)  # triangles that are as they are
    turn = size[label[n:]] > size[label[:n]]
    tie = size[label[n:]] == size[label[:n]]
    turn |= tie & (label[n:] < label[:n])
    return np.where(turn[:, None], corners[:, ::-1], corners)


def _filled(places: Floats, corners: Indices) -> tuple[Floats, Indices]:
    """The same with triangles from the middle of each hole to its edges."""
    low, high, way = _edges(corners)
    width = int(corners.max()) + 1
    keys, number = np.unique(low * width + high, return_inverse=True)
    sums = np.rint(np.bincount(number, way)).astype(np.int64)
    bare = np.flatnonzero(sums)
    if not len(bare):
        return places, corners
    times, sign = np.abs(sums[bare]), np.sign(sums[bare])
    bare, sign = np.repeat(bare, times), np.repeat(sign, times)
    u, v = keys[bare] // width, keys[bare] % width
    rim, at = np.unique(np.concatenate([u, v]), return_inverse=True)
    i, j = at[: len(u)], at[len(u) :]
    graph = coo_matrix((np.ones(len(i)), (i, j)), shape=(len(rim), len(rim)))
    holes, label = connected_components(graph, directed=False)
    middles = np.zeros((holes, 3))
    length = np.linalg.norm(places[u] - places[v], axis=1)
    for axis in range(3):
        middles[:, axis] = np.bincount(
            label[i], 0.5 * length * (places[u, axis] + places[v, axis]), minlength=holes
        )
    middles /= np.maximum(np.bincount(label[i], length, minlength=holes), 1e-300)[:, None]
    start, end = np.where(sign > 0, u, v), np.where(sign > 0, v, u)  # as the triangle passes it
    caps = np.stack([end, start, len(places) + label[i]], axis=1)
    return np.concatenate([places, middles]), np.concatenate([corners, caps])


def _volume(points: Floats, triangles: Indices) -> float:
    a, b, c = (points[triangles[:, i]] - points.mean(axis=0) for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def _counted_once(points: Floats, triangles: Indices) -> tuple[float, tuple[float, float]]:
    """The part of the volume that is enclosed more than once, and the volume and the mean moment
    with all places counted once, as parts of those by the integral: along rays in z."""
    ray, z, way, cells = _crossings(points, triangles)
    if not len(ray):
        return 0.0, (1.0, 1.0)
    order = np.lexsort((z, ray))
    ray, z, way = ray[order], z[order], way[order]
    depth = np.cumsum(way)
    first = np.append(True, ray[1:] != ray[:-1])
    before = np.maximum.accumulate(np.where(first, np.arange(len(ray)), 0))
    depth = depth - (depth[before] - way[before])  # of each ray by itself
    last = np.append(ray[1:] != ray[:-1], True)
    whole = np.zeros(int(ray.max()) + 1, dtype=bool)
    whole[ray[last]] = depth[last] == 0  # a ray along an edge may miss a triangle
    inside = whole[ray] & ~last
    length = np.where(inside, np.append(z[1:], z[-1]) - z, 0.0)
    middle = 0.5 * (np.append(z[1:], z[-1]) + z)
    solid, counted = np.where(depth != 0, length, 0.0), depth.astype(float) * length
    if counted.sum() <= 0.0 or solid.sum() <= 0.0:
        return 0.0, (1.0, 1.0)
    twice = float(((np.abs(depth) > 1) * length).sum() / solid.sum())
    if twice < _OVERLAP:
        return 0.0, (1.0, 1.0)
    xy = cells[ray]

    def polar(weight: Floats) -> float:
        """∫ r² about the centre of the weights."""
        mass = weight.sum()
        place = np.column_stack([xy, middle])
        centre = weight @ place / mass
        square = ((place - centre) ** 2).sum(axis=1) + length**2 / 12.0
        return float(weight @ square)

    return twice, (
        float(solid.sum() / counted.sum()),
        polar(solid) / polar(counted) / float(solid.sum() / counted.sum()),
    )


def _crossings(points: Floats, triangles: Indices) -> tuple[Indices, Floats, Indices, Floats]:
    """Where rays along z on a grid pass triangles: ray, height, whether in (1) or out (−1); and the
    places of the rays."""
    low, high = points[triangles].min(axis=(0, 1)), points[triangles].max(axis=(0, 1))
    step = (high - low)[:2] / _RAYS
    if not (step > 0.0).all():
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros((0, 2))
    origin = low[:2] + step * (0.5, 0.5 + 1e-3)  # rays pass no symmetric edge
    origin = origin + step * (math.pi / 31.0, math.e / 37.0) * 1e-1
    grid = (points[:, :2] - origin) / step
    corner = grid[triangles]
    begin = np.maximum(np.ceil(corner.min(axis=1)).astype(np.int64), 0)
    end = np.minimum(np.floor(corner.max(axis=1)).astype(np.int64), _RAYS - 1)
    wide = np.maximum(end - begin + 1, 0)
    count = wide[:, 0] * wide[:, 1]
    which = np.repeat(np.arange(len(triangles)), count)
    rest = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    column = begin[which, 0] + rest % np.maximum(wide[which, 0], 1)
    row = begin[which, 1] + rest // np.maximum(wide[which, 0], 1)
    a, b, c = (corner[which, i] for i in range(3))
    at = np.column_stack([column, row]).astype(float)

    def side(p: Floats, q: Floats) -> Floats:
        return np.asarray(
            (q[:, 0] - p[:, 0]) * (at[:, 1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (at[:, 0] - p[:, 0])
        )

    u, v, w = side(b, c), side(c, a), side(a, b)
    area = u + v + w
    hit = (((u > 0) & (v > 0) & (w > 0)) | ((u < 0) & (v < 0) & (w < 0))) & (area != 0.0)
    u, v, w, area, which = u[hit], v[hit], w[hit], area[hit], which[hit]
    heights = points[triangles[which], 2]
    z = (u * heights[:, 0] + v * heights[:, 1] + w * heights[:, 2]) / area
    number = column[hit] + _RAYS * row[hit]
    places = origin + step * np.column_stack(
        [np.arange(_RAYS * _RAYS) % _RAYS, np.arange(_RAYS * _RAYS) // _RAYS]
    )
    return number, z, np.where(area > 0.0, -1, 1), places
