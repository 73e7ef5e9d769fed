"""Triangle meshes as roads: their upper side, sampled on a grid."""

import os
from math import ceil

import numpy as np
from numpy.typing import NDArray

from touchback.errors import ModelError
from touchback.interop import read_mesh
from touchback.model.solids.triangle_mesh import MOST_TRIANGLES, unpacked
from touchback.model.value import check_positive
from touchback.vehicle.roads.base import Patch
from touchback.vehicle.roads.bump import Bump
from touchback.vehicle.roads.grid import MOST, GridRoad

Floats = NDArray[np.float64]


def read_mesh_road(
    path: str | os.PathLike[str],
    cell: float = 0.1,
    bumps: tuple[Bump, ...] = (),
    patches: tuple[Patch, ...] = (),
    grip: float = 1.0,
) -> GridRoad:
    """The upper side of a mesh file (.stl, .obj, .dae; z up) as heights on square cells [m]: exact
    on the lines' crossings, bilinear between them, so that an edge becomes a ramp of one cell.
    Refused where the mesh has holes. (Extra `formats`.)"""
    check_positive("read_mesh_road", cell=cell)
    mesh = read_mesh(path, most=MOST_TRIANGLES)
    places, triangles = unpacked(mesh.points, mesh.triangles)
    points = places.astype(float)
    (x0, y0, _), (x1, y1, _) = points.min(axis=0), points.max(axis=0)
    nx, ny = (max(2, ceil((high - low) / cell) + 1) for low, high in ((x0, x1), (y0, y1)))
    if nx * ny > MOST:
        raise ModelError(
            f"{os.fspath(path)}: {nx * ny} cells of {cell} m; at most {MOST}. Take larger ones."
        )
    x, y = np.linspace(x0, x1, nx), np.linspace(y0, y1, ny)
    heights = upper_side(points[triangles], x, y)
    if np.isnan(heights).any():
        i, j = np.argwhere(np.isnan(heights))[0]
        raise ModelError(
            f"{os.fspath(path)}: no triangle lies at x = {x[i]:g} m, y = {y[j]:g} m; a road's mesh "
            "covers the rectangle of its x and y without holes."
        )
    return GridRoad(
        x=tuple(map(float, x)), y=tuple(map(float, y)), heights=tuple(map(float, heights.ravel())),
        bumps=bumps, patches=patches, grip=grip,
    )  # fmt: skip


def upper_side(triangles: Floats, x: Floats, y: Floats) -> Floats:
    """The highest z of triangles (n, 3, 3) at each (x, y); NaN where none is."""
    found = np.full((len(x), len(y)), -np.inf)
    slack = 1e-9 * (1.0 + float(np.abs(triangles).max()))
    for a, b, c in triangles:
        low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
        i0, i1 = np.searchsorted(x, (low[0] - slack, high[0] + slack))
        j0, j1 = np.searchsorted(y, (low[1] - slack, high[1] + slack))
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if i0 == i1 or j0 == j1 or abs(area) < 1e-300:
            continue
        px, py = x[i0:i1, None] - a[0], y[None, j0:j1] - a[1]
        u = (px * (c[1] - a[1]) - py * (c[0] - a[0])) / area
        v = (py * (b[0] - a[0]) - px * (b[1] - a[1])) / area
        inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
        z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
        part = found[i0:i1, j0:j1]
        np.maximum(part, np.where(inside, z, -np.inf), out=part)
    return np.where(np.isneginf(found), np.nan, found)
