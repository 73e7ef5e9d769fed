"""The geometry of USD: what bodies weigh, how they look and what they touch with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.errors import ModelError
from touchback.interop.looks import LOOKS
from touchback.interop.mesh_file import DRAWN, MAX_TRIANGLES, check_triangles, coarse_mesh
from touchback.interop.mjcf.inertia import NOTHING, Inertia, of_triangles, solid
from touchback.interop.pose import Floats, Pose, at, to_z
from touchback.interop.touching import PLANE, Touchable, farthest
from touchback.interop.usd.stage import Stage, number_of, values_of
from touchback.model.solids import AnySeen
from touchback.model.solids.mesh import FARTHEST

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
FRICTION = 0.5  # of colliders without a material: UsdPhysics leaves it to programs


@dataclass
class Rubbing(Touchable):
    """The mean of two frictions counts, as in PhysX."""

    def friction_with(self, other: Touchable) -> float:
        return 0.5 * (self.friction + other.friction)


@dataclass
class Solid:
    """A gprim: kind and half sizes [m] as in `Touchable`, its pose seen from its body."""

    kind: str
    size: tuple[float, ...]
    pose: Pose
    points: Floats | None = None
    triangles: Any = None

    def weight(self) -> Inertia:
        """Of density 1, in the body's axes."""
        if self.points is not None and self.triangles is not None:
            found = of_triangles(self.points, self.triangles, "exact")
        elif self.kind == PLANE:
            return NOTHING
        else:
            found = solid(self.kind, self.size)
        return found.placed(self.pose)

    def look(self) -> AnySeen | None:
        """How it is drawn."""
        if self.points is not None:
            return coarse_mesh(self.points, self.triangles, DRAWN)
        return LOOKS[self.kind](*self.size) if self.kind in LOOKS else None


def solid_of(stage: Stage, prim: Any, body: Any | None) -> Solid | None:
    """The solid of a gprim, if there is one of its type."""
    read = _READ.get(str(prim.GetTypeName()))
    if read is None:
        return None
    whole, scale = stage.placed(prim)
    pose = whole if body is None else stage.placed(body)[0].inverse() @ whole
    found = read(stage, prim, stage.metre * scale)
    return Solid(found.kind, found.size, pose @ found.pose, found.points, found.triangles)


def touchable(stage: Stage, prim: Any, name: str, body: str, given: Solid) -> Rubbing:
    """What touches of a collider."""
    points = None if given.points is None else np.array(farthest(given.points))
    return Rubbing(
        name, body, given.pose, given.kind, given.size, stage.where(prim), FRICTION, points
    )


def _sphere(stage: Stage, prim: Any, scale: Floats) -> Solid:
    from pxr import UsdGeom

    radius = number_of(stage, UsdGeom.Sphere(prim).GetRadiusAttr(), 0.0)
    sizes = _positive(stage, prim, np.abs(scale) * radius)
    if np.ptp(sizes) > 1e-9 * sizes.max():
        return Solid("ellipsoid", tuple(sizes.tolist()), at((0.0, 0.0, 0.0)))
    return Solid("sphere", (float(sizes[0]),), at((0.0, 0.0, 0.0)))


def _cube(stage: Stage, prim: Any, scale: Floats) -> Solid:
    from pxr import UsdGeom

    size = number_of(stage, UsdGeom.Cube(prim).GetSizeAttr(), 0.0)
    halves = _positive(stage, prim, 0.5 * size * np.abs(scale))
    return Solid("box", tuple(halves.tolist()), at((0.0, 0.0, 0.0)))


def _long(kind: str) -> Callable[[Stage, Any, Floats], Solid]:
    """Of a cylinder or a capsule, whose height is that without its ends."""

    def read(stage: Stage, prim: Any, scale: Floats) -> Solid:
        axis = _axis(stage, prim)
        along = float(np.abs(scale) @ axis)
        across = [float(size) for size, part in zip(np.abs(scale), axis) if not part]
        if abs(across[0] - across[1]) > 1e-9 * max(across):
            raise ModelError(
                f"{stage.where(prim)}: a {kind} that is scaled by {across[0]:g} and {across[1]:g} "
                "across is none; scale it alike."
            )
        radius = number_of(stage, prim.GetAttribute("radius"), 0.0) * across[0]
        half = 0.5 * number_of(stage, prim.GetAttribute("height"), 0.0) * along
        _positive(stage, prim, np.array([radius, half]))
        return Solid(kind, (radius, half), Pose(np.zeros(3), to_z(axis)))

    return read


def _plane(stage: Stage, prim: Any, scale: Floats) -> Solid:
    axis = _axis(stage, prim) * np.sign(scale)
    return Solid(PLANE, (), Pose(np.zeros(3), to_z(axis)))


def _mesh(stage: Stage, prim: Any, scale: Floats) -> Solid:
    from pxr import UsdGeom

    mesh = UsdGeom.Mesh(prim)
    told = values_of(stage, mesh.GetPointsAttr())
    faces = values_of(stage, mesh.GetFaceVertexCountsAttr())
    indices = values_of(stage, mesh.GetFaceVertexIndicesAttr())
    finite = all(np.isfinite(each).all() for each in (told, faces, indices))
    if not finite or not len(told) or len(told) % 3 or min(faces, default=0) < 3:
        raise ModelError(f"{stage.where(prim)}: a mesh has finite points and faces of 3 or more.")
    points = told.reshape(-1, 3)
    counts, corners = [int(count) for count in faces], [int(corner) for corner in indices]
    if sum(counts) != len(corners) or len(corners) > 3 * MAX_TRIANGLES:
        raise ModelError(
            f"{stage.where(prim)}: its faces have {sum(counts)} corners, of which {len(corners)} "
            f"are told; at most {3 * MAX_TRIANGLES} are read."
        )
    if min(corners) < 0 or max(corners) >= len(points):
        raise ModelError(f"{stage.where(prim)}: a face has a point that the mesh doesn't have.")
    triangles = np.array(_fans(counts, corners), dtype=np.int64)
    points, triangles = check_triangles(points * scale, triangles, stage.where(prim))
    if np.prod(scale) < 0.0:
        triangles = triangles[:, ::-1]
    return Solid("mesh", (), at((0.0, 0.0, 0.0)), points, triangles)


def _fans(counts: Sequence[int], corners: Sequence[int]) -> list[tuple[int, int, int]]:
    """Triangles of faces with more corners, about the first of each."""
    found, start = [], 0
    for count in counts:
        face = corners[start : start + count]
        found += [(face[0], face[i], face[i + 1]) for i in range(1, count - 1)]
        start += count
    return found


def _axis(stage: Stage, prim: Any) -> Floats:
    word = str(prim.GetAttribute("axis").Get())
    if word not in _AXES:
        raise ModelError(f"{stage.where(prim)}: axis is {word!r}; X, Y or Z is expected.")
    return np.array(_AXES[word])


def _positive(stage: Stage, prim: Any, sizes: Floats) -> Floats:
    if not ((sizes > 0.0) & (sizes <= FARTHEST)).all():
        raise ModelError(
            f"{stage.where(prim)}: its sizes {sizes} m must be positive, at most {FARTHEST:g}."
        )
    return sizes


_READ: dict[str, Callable[[Stage, Any, Floats], Solid]] = {
    "Sphere": _sphere,
    "Cube": _cube,
    "Capsule": _long("capsule"),
    "Cylinder": _long("cylinder"),
    "Plane": _plane,
    "Mesh": _mesh,
}
