"""Masses and moments of inertia of solids, meshes and bodies made of several."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from touchback.interop.rigid_pose import Floats, Pose


@dataclass
class Inertia:
    """mass [kg], centre of mass [m], and moments about it [kg m²], in some body's axes."""

    mass: float
    com: Floats
    J: Floats

    def placed(self, pose: Pose) -> Inertia:
        """In the axes of what carries it."""
        return Inertia(self.mass, pose.p + pose.R @ self.com, pose.R @ self.J @ pose.R.T)

    def scaled(self, factor: float) -> Inertia:
        """The same body of another density."""
        return Inertia(factor * self.mass, self.com, factor * self.J)


ROUNDED_MOMENT = 1e-9  # of the largest moment: what decimals leave of none


NOTHING = Inertia(0.0, np.zeros(3), np.zeros((3, 3)))


def combine_inertias(parts: Iterable[Inertia]) -> Inertia:
    """One body of several, by the parallel axis theorem."""
    known = [part for part in parts if part.mass > 0.0]
    if not known:
        return NOTHING
    mass = sum(part.mass for part in known)
    com = sum((part.mass * part.com for part in known), np.zeros(3)) / mass
    J = np.zeros((3, 3))
    for part in known:
        r = part.com - com
        J += part.J + part.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Inertia(mass, com, J)


def solid(kind: str, size: tuple[float, ...]) -> Inertia:
    """Of density 1: mass is the volume. Sizes are half sizes; a capsule is about z."""
    if kind == "sphere":
        return solid("ellipsoid", (size[0],) * 3)
    if kind == "box":
        return _diagonal(8.0 * size[0] * size[1] * size[2], size, 3.0)
    if kind == "ellipsoid":
        return _diagonal(4.0 / 3.0 * math.pi * size[0] * size[1] * size[2], size, 5.0)
    r, half = size[:2]
    middle = 2.0 * math.pi * r * r * half
    across, along = middle * (3 * r * r + 4 * half * half) / 12, middle * r * r / 2
    if kind == "cylinder":
        return Inertia(middle, np.zeros(3), np.diag([across, across, along]))
    ends = 4.0 / 3.0 * math.pi * r**3  # two half spheres, whose centres are 3/8 r from their faces
    across += ends * (2 * r * r / 5 + half * half + 3 * r * half / 4)
    along += ends * 2 * r * r / 5
    return Inertia(middle + ends, np.zeros(3), np.diag([across, across, along]))


def _diagonal(mass: float, halves: tuple[float, ...], by: float) -> Inertia:
    """m (b² + c²)/3 of a box, m (b² + c²)/5 of an ellipsoid."""
    squares = np.square(halves)
    return Inertia(mass, np.zeros(3), mass / by * np.diag(squares.sum() - squares))


def of_triangles(points: Floats, triangles: np.ndarray, way: str) -> Inertia:
    """Of density 1, from tetrahedra on the triangles: with their signs ("exact"), or all counted as
    positive, as MuJoCo's "legacy" has it: those from the centre of the surface give the centre of
    mass, those from there volume and moments. "shell": of the surface, by area. A mesh that is
    inside out as a whole is turned."""
    corners = points[triangles]
    sides = corners[:, 1:] - corners[:, :1]
    areas = 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    if areas.sum() <= 0.0:
        return NOTHING
    if way == "shell":
        return _sheet(corners, areas)
    centre = (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / areas.sum()
    corners = corners - centre
    volumes = _volumes(corners, way)
    if volumes.sum() < 0.0:
        corners = corners[:, ::-1]
        volumes = -volumes
    if volumes.sum() <= 0.0:
        return NOTHING
    com = (volumes[:, None] * corners.sum(axis=1)).sum(axis=0) / (4.0 * volumes.sum())
    corners = corners - com
    volumes = _volumes(corners, way)
    s = corners.sum(axis=1)  # ∫ x xᵀ over a tetrahedron at the origin: V/20 (Σ p pᵀ + s sᵀ)
    C = np.einsum("i,icj,ick->jk", volumes, corners, corners)
    C = (C + np.einsum("i,ij,ik->jk", volumes, s, s)) / 20.0
    return Inertia(float(volumes.sum()), centre + com, np.trace(C) * np.eye(3) - C)


def _volumes(corners: Floats, way: str) -> Floats:
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    found: Floats = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    return np.abs(found) if way == "legacy" else found


def _sheet(corners: Floats, areas: Floats) -> Inertia:
    """Of the surface, of density 1 per area."""
    area = float(areas.sum())
    com = (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / area
    p = corners - com
    s = p.sum(axis=1)
    C = np.einsum("i,ikj,ikl->jl", areas, p, p) + np.einsum("i,ij,il->jl", areas, s, s)
    C = C / 12.0
    return Inertia(area, com, np.trace(C) * np.eye(3) - C)
