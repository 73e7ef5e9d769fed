"""The rigid bodies of USD: what they weigh, by the rules of UsdPhysics' MassAPI, and their
geometry, visuals and collision shapes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from touchback import Model
from touchback.errors import ModelError
from touchback.interop.collision_geometry import PLANE, VISUALS, CollisionShape, farthest
from touchback.interop.import_notes import Notes, safe_names, unused
from touchback.interop.imported_bodies import add_body, colour_of
from touchback.interop.meshes.mesh_file import DRAWN, MAX_TRIANGLES, check_triangles, coarse_mesh
from touchback.interop.meshes.solid_inertia import (
    NOTHING,
    Inertia,
    combine_inertias,
    of_triangles,
    solid,
)
from touchback.interop.rigid_pose import Floats, Pose, at, of_quaternion, to_z
from touchback.interop.usd.usd_stage import Stage, number_of, value_of, values_of
from touchback.model import FARTHEST, GROUND, AnySeen

_DENSITY = 1000.0  # kg/m³, where a file says none


_ALONG = 1e-6  # of the largest moment: what rounding leaves of products along principal axes


_SMALL = 0.1  # m: the radius of the sphere that a body without shapes is taken for


_GEOMETRY = ("Sphere", "Cube", "Capsule", "Cylinder", "Plane", "Mesh")


@dataclass
class Scene:
    """A stage on its way into a model: bodies by their prims' paths, and what touches."""

    stage: Stage
    model: Model
    notes: Notes
    bodies: dict[str, str] = field(default_factory=dict)  # paths to our names
    still: set[str] = field(default_factory=set)  # paths of bodies that stand
    touching: list[UsdCollisionShape] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)  # of what touches, by its name

    def body_of(self, prim: Any) -> Any | None:
        """The body that a prim is part of: itself or what it lies in; None for the world."""
        while prim and not prim.IsPseudoRoot():
            if str(prim.GetPath()) in self.bodies:
                return prim
            prim = prim.GetParent()
        return None

    def name_of(self, body: Any | None) -> str:
        """Our name."""
        return GROUND if body is None else self.bodies[str(body.GetPath())]


def unique_names(scene: Scene, kind: str, prims: Iterable[Any], taken: list[str]) -> dict[str, str]:
    """Prims' names where they differ, else their paths, as names of ours by path."""
    listed = [(str(prim.GetPath()), prim.GetName()) for prim in prims]
    often = Counter(name for _, name in listed)
    told = {path: name if often[name] == 1 else path[1:] for path, name in listed}
    ours = safe_names(kind, told.values(), scene.notes, taken=taken)
    return {path: ours[name] for path, name in told.items()}


def add_bodies(scene: Scene, contacts: bool) -> None:
    """All bodies with their weights, and all shapes."""
    from pxr import UsdPhysics

    stage = scene.stage
    found = []
    for prim in stage.prims:
        if not prim.HasAPI(UsdPhysics.RigidBodyAPI):
            continue
        body = UsdPhysics.RigidBodyAPI(prim)
        if body.GetRigidBodyEnabledAttr().Get():
            found.append(prim)
            if body.GetKinematicEnabledAttr().Get():
                scene.still.add(str(prim.GetPath()))
                scene.notes.notice(
                    f"{stage.where(prim)}: it is moved from outside (kinematic); here it stands."
                )
    scene.bodies |= unique_names(scene, "Body", found, [GROUND])
    parts: dict[str, list[tuple[Any, Solid]]] = {}
    for prim in stage.prims:
        if str(prim.GetTypeName()) in _GEOMETRY:
            body_prim = scene.body_of(prim)
            given = solid_of(stage, prim, body_prim)
            if given is not None:
                parts.setdefault(scene.name_of(body_prim), []).append((prim, given))
        elif prim.HasAPI(UsdPhysics.CollisionAPI):
            scene.notes.skip(f"collider {prim.GetTypeName()}")
    for prim in found:
        _weigh(scene, prim, parts.get(scene.name_of(prim), []))
    for name, shapes in parts.items():
        _show(scene, name, shapes)
        if contacts:
            _touch(scene, name, shapes)


def _show(scene: Scene, body: str, shapes: list[tuple[Any, Solid]]) -> None:
    from pxr import UsdGeom

    for prim, given in shapes:
        hidden = UsdGeom.Imageable(prim).ComputeVisibility() == "invisible"
        seen = None if hidden else given.look()
        if seen is not None:
            name = unused(body if body != GROUND else prim.GetName(), scene.model.shapes)
            scene.model.shape(name, given.pose.frame(body), seen, _colour(prim))


def _colour(prim: Any) -> str:
    """What is shown of it without a material's shader: its displayColor."""
    from pxr import UsdGeom

    given = UsdGeom.Gprim(prim).GetDisplayColorAttr() if prim.IsA(UsdGeom.Gprim) else None
    found = given.Get() if given else None
    return colour_of(" ".join(map(str, found[0]))) if found is not None and len(found) == 1 else ""


def _touch(scene: Scene, body: str, shapes: list[tuple[Any, Solid]]) -> None:
    for prim, given in shapes:
        if not _collides(prim):
            continue
        clean = safe_names("Shape", [prim.GetName()], scene.notes)[prim.GetName()]
        name = unused(clean if body == GROUND else body, scene.paths)
        found = collision_shape(scene.stage, prim, name, body, given)
        found.friction = _friction(scene, prim)
        scene.touching.append(found)
        scene.paths[name] = str(prim.GetPath())


def _collides(prim: Any) -> bool:
    from pxr import UsdPhysics

    if not prim.HasAPI(UsdPhysics.CollisionAPI):
        return False
    return bool(UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get())


def _material(prim: Any) -> Any | None:
    """The physics material that is bound to a prim or to what it lies in."""
    from pxr import UsdPhysics, UsdShade

    bound = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
    if not bound or not bound.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
        return None
    return UsdPhysics.MaterialAPI(bound.GetPrim())


def _friction(scene: Scene, prim: Any) -> float:
    material = _material(prim)
    if material is None:
        return FRICTION
    if value_of(scene.stage, material.GetRestitutionAttr()):
        scene.notes.skip("restitution of materials")
    return number_of(scene.stage, material.GetDynamicFrictionAttr(), 0.0)


# ---- what bodies weigh --------------------------------------------------------------------------


def _weigh(scene: Scene, prim: Any, shapes: list[tuple[Any, Solid]]) -> None:
    """As UsdPhysics has it: a body's own mass counts before those of its colliders, a collider's
    density before the body's, and a material's comes last."""
    from pxr import UsdPhysics

    stage = scene.stage
    own = UsdPhysics.MassAPI(prim) if prim.HasAPI(UsdPhysics.MassAPI) else None
    mass = 0.0 if own is None else _mass(stage, own)
    parts = [
        _part(stage, collider, given, _density(stage, own))
        for collider, given in shapes
        if collider.HasAPI(UsdPhysics.CollisionAPI)
    ]
    whole = combine_inertias(parts)
    if not parts and mass == 0.0:
        scene.notes.notice(f"{stage.where(prim)}: neither a mass nor a collider; it has no mass.")
    if mass and whole.mass > 0.0:
        whole = whole.scaled(mass / whole.mass)
    elif mass:
        whole = Inertia(mass, np.zeros(3), 0.4 * mass * _SMALL**2 * np.eye(3))
        if own is not None and not values_of(stage, own.GetDiagonalInertiaAttr(), 3).any():
            scene.notes.notice(
                f"{stage.where(prim)}: it has a mass, but neither moments nor colliders; taken as "
                f"a sphere of {_SMALL} m, as UsdPhysics does."
            )
    if own is not None:
        whole = _as_told(scene, prim, own, whole)
    if own is None or not (mass and values_of(stage, own.GetDiagonalInertiaAttr(), 3).any()):
        _note_faults(scene, shapes)
    J = whole.J
    six = [float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    name = scene.name_of(prim)
    add_body(scene.model, name, whole.mass, whole.com.tolist(), six, stage.where(prim), scene.notes)


def _note_faults(scene: Scene, shapes: list[tuple[Any, Solid]]) -> None:
    """Warn of meshes of colliders that enclose no solid, where a body weighs what they do."""
    from pxr import UsdPhysics

    from touchback.interop.meshes.mesh_inertia import mesh_faults

    for prim, given in shapes:
        if given.points is None or not prim.HasAPI(UsdPhysics.CollisionAPI):
            continue
        faults = mesh_faults(given.points, given.triangles)
        if faults is not None and faults.matters:
            scene.notes.notice(
                f"{scene.stage.where(prim)}: mesh '{prim.GetName()}' weighs as a solid, but "
                f"{faults}. Repair it, or give the body a mass and a diagonalInertia."
            )


def _mass(stage: Stage, told: Any) -> float:
    return number_of(stage, told.GetMassAttr(), 0.0) * stage.kilogram


def _density(stage: Stage, told: Any | None) -> float:
    """kg/m³; 0 where none is told."""
    if told is None:
        return 0.0
    return number_of(stage, told.GetDensityAttr(), 0.0) * stage.kilogram / stage.metre**3


def _part(stage: Stage, prim: Any, given: Solid, of_body: float) -> Inertia:
    from pxr import UsdPhysics

    weight = given.weight()
    own = UsdPhysics.MassAPI(prim) if prim.HasAPI(UsdPhysics.MassAPI) else None
    if own is not None and weight.mass > 0.0 and (mass := _mass(stage, own)):
        return weight.scaled(mass / weight.mass)
    material = _material(prim)
    densities = (_density(stage, own), of_body, _density(stage, material), _DENSITY)
    return weight.scaled(next(density for density in densities if density))


def _as_told(scene: Scene, prim: Any, own: Any, whole: Inertia) -> Inertia:
    """With the centre of mass and the moments that the file gives."""
    stage, com, J = scene.stage, whole.com, whole.J
    place = values_of(stage, own.GetCenterOfMassAttr(), 3)
    if np.isfinite(place).all():
        com = stage.metre * stage.placed(prim)[1] * place
        r = com - whole.com
        J = J + whole.mass * (r @ r * np.eye(3) - np.outer(r, r))
    moments = values_of(stage, own.GetDiagonalInertiaAttr(), 3)
    axes = values_of(stage, own.GetPrincipalAxesAttr(), 4)
    if axes.any() and not moments.any():
        scene.notes.notice(
            f"{stage.where(prim)}: principalAxes without diagonalInertia are left out; its moments "
            "are those of its colliders, or none."
        )
    if moments.any():
        if not np.isfinite(moments).all() or (moments < 0.0).any():
            raise ModelError(
                f"{stage.where(prim)}: diagonalInertia is {tuple(moments.tolist())}; finite "
                "moments, none negative, are expected."
            )
        across = whole.J - np.diag(np.diag(whole.J))
        if not axes.any() and np.abs(across).max() > _ALONG * np.abs(whole.J).max():
            scene.notes.notice(
                f"{stage.where(prim)}: diagonalInertia without principalAxes is taken along the "
                "prim's own axes, not those of its colliders' moments; give it its axes."
            )
        R = of_quaternion(axes)
        J = R @ np.diag(moments) @ R.T * stage.kilogram * stage.metre**2
    return Inertia(whole.mass, com, J)


_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


FRICTION = 0.5  # of colliders without a material: UsdPhysics leaves it to programs


@dataclass
class UsdCollisionShape(CollisionShape):
    """The mean of two frictions counts, as in PhysX."""

    def friction_with(self, other: CollisionShape) -> float:
        return 0.5 * (self.friction + other.friction)


@dataclass
class Solid:
    """A gprim: kind and half sizes [m] as in `CollisionShape`, its pose seen from its body."""

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
        return VISUALS[self.kind](*self.size) if self.kind in VISUALS else None


def solid_of(stage: Stage, prim: Any, body: Any | None) -> Solid | None:
    """The solid of a gprim, if there is one of its type."""
    read = _READ.get(str(prim.GetTypeName()))
    if read is None:
        return None
    whole, scale = stage.placed(prim)
    pose = whole if body is None else stage.placed(body)[0].inverse() @ whole
    found = read(stage, prim, stage.metre * scale)
    return Solid(found.kind, found.size, pose @ found.pose, found.points, found.triangles)


def collision_shape(
    stage: Stage, prim: Any, name: str, body: str, given: Solid
) -> UsdCollisionShape:
    """What touches of a collider."""
    points = None if given.points is None else np.array(farthest(given.points))
    return UsdCollisionShape(
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
