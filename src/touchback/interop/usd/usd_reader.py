"""USD: scenes with UsdPhysics (https://openusd.org/release/api/usd_physics_page_front.html)."""

from __future__ import annotations

import os
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np

from touchback import Fixed, Free, Model
from touchback.errors import ModelError
from touchback.interop.collision_geometry import CollisionShape, add_contacts_between
from touchback.interop.import_notes import Notes, safe_names, unused
from touchback.interop.imported_bodies import drop_idle_closures
from touchback.interop.usd.usd_bodies import Scene, add_bodies, unique_names
from touchback.interop.usd.usd_joints import (
    Found,
    add_drives,
    add_joint,
    find_joints,
    free_rates,
    start_of,
)
from touchback.interop.usd.usd_stage import Stage, number_of, value_of, values_of
from touchback.model.closures import ClosureKind
from touchback.model.frame import GROUND

_EARTH = 9.81  # m/s², where a file asks for Earth's


_UNREAD = ("PhysicsCollisionGroup",)


def read_usd(
    path_or_text: str | os.PathLike[str],
    stops: bool = True,
    contacts: bool = True,
) -> Model:
    """The model of a USD file (.usda, .usd, .usdc), or of a text that begins with "#usda". (Extra
    `usd`.)

    Prims with RigidBodyAPI become bodies, in metres and kilograms and with z up, whatever the
    stage's units and axis; masses, centres and moments are those of MassAPI, else of the
    colliders. Joints are revolute, prismatic, spherical, fixed, and general ones whose free axes
    make one of these, a cylindrical or a planar one; distances that are fixed are rods. Bodies that
    no joint carries move freely; joints beyond a tree, and those that are excluded from the
    articulation where they can be, close loops. Coordinates begin as the file places the bodies.
    Drives are springs and dampers with inputs "JOINT target" and "JOINT target rate". Default stops
    hold joints at their limits (not with `stops=False`); colliders touch where there is a contact
    for them (not with `contacts=False`). `model.imported` has what isn't read: "notes" in words."""
    stage = Stage(path_or_text)
    with stage.plainly():
        return _read(stage, stops, contacts)


def _read(stage: Stage, stops: bool, contacts: bool) -> Model:
    notes = Notes()
    title = stage.usd.GetDefaultPrim()
    name = title.GetName() if title else "scene"
    model = Model(safe_names("Model", [name], notes)[name], _gravity(stage, notes))
    scene = Scene(stage, model, notes)
    add_bodies(scene, contacts)
    joints = find_joints(scene)
    _join(scene, joints, stops)
    drop_idle_closures(model, notes)
    _count_others(scene)
    if contacts:
        _touch(scene, joints)
    if not model.bodies:
        notes.notice("No prim has RigidBodyAPI: there is nothing that moves.")
    notes.finish(model, "USD", stage.source)
    return model


def _gravity(stage: Stage, notes: Notes) -> tuple[float, float, float]:
    from pxr import UsdPhysics

    scenes = [prim for prim in stage.prims if prim.IsA(UsdPhysics.Scene)]
    if len(scenes) > 1:
        notes.notice(f"{stage.where(scenes[1])}: the gravity of the first scene counts.")
    size, direction = _EARTH, -stage.up
    if scenes:
        given = UsdPhysics.Scene(scenes[0])
        told = values_of(stage, given.GetGravityDirectionAttr(), 3)
        if not np.isfinite(told).all():
            raise ModelError(f"{stage.where(scenes[0])}: gravityDirection is {told}.")
        if told.any():
            direction = told / np.linalg.norm(told)
        if not value_of(stage, given.GetGravityMagnitudeAttr()) < 0.0:  # −∞ asks for Earth's
            size = number_of(stage, given.GetGravityMagnitudeAttr()) * stage.metre
    else:
        notes.say(f"There is no physics scene: gravity is {_EARTH} m/s², down.")
    x, y, z = (float(part) + 0.0 for part in size * (stage.upright.R @ direction))
    return x, y, z


def _join(scene: Scene, joints: list[Found], stops: bool) -> None:
    """Joints carry bodies as far as that makes trees, in the file's order; others close loops;
    what none carries is free."""
    carried = _tree(scene, joints)
    ours = unique_names(scene, "Joint", [each.prim for each in joints], [])
    roots = [path for path, name in scene.bodies.items() if name not in carried.values()]
    for path in roots:
        body, prim = scene.bodies[path], scene.stage.usd.GetPrimAtPath(path)
        called = unused("root" if len(roots) == 1 else f"{body} root", ours.values())
        place = scene.stage.placed(prim)[0].frame(GROUND)
        if path in scene.still:
            scene.model.joint(called, Fixed(), place, body)
        else:
            scene.model.joint(called, Free(), place, body, velocity=free_rates(scene, prim))
    for each in joints:
        name = ours[each.path]
        if each.path in carried:
            add_joint(scene, each, name, carried[each.path] == each.names(scene)[0], stops)
            add_drives(scene, each, name)
        else:
            start_of(scene, each)  # says where it doesn't fit
            one, two = each.names(scene)
            ends = each.frames[0].frame(one), each.frames[1].frame(two)
            scene.model.close(name, each.kind, *ends)
            scene.notes.say(f"{scene.stage.where(each.prim)}: it closes a loop.")


def _tree(scene: Scene, joints: list[Found]) -> dict[str, str]:
    """Which joints carry a body, and which one: from the world outwards, then from each body that
    isn't reached, the roots of articulations first."""
    from pxr import UsdPhysics

    rooted = [
        path
        for path in scene.bodies
        if scene.stage.usd.GetPrimAtPath(path).HasAPI(UsdPhysics.ArticulationRootAPI)
    ]
    still = [path for path in scene.bodies if path in scene.still]
    carried: dict[str, str] = {}
    reached = {GROUND, *(scene.bodies[path] for path in still)}
    ahead = list(reached)
    starts = [scene.bodies[path] for path in (*rooted, *scene.bodies)]
    inner = [each for each in joints if not (each.outside or isinstance(each.kind, ClosureKind))]
    while True:
        while ahead:
            body = ahead.pop(0)
            for each in inner:
                one, two = each.names(scene)
                other = two if one == body else one if two == body else None
                if other is not None and other not in reached:
                    carried[each.path] = other
                    reached.add(other)
                    ahead.append(other)
        fresh = next((body for body in starts if body not in reached), None)
        if fresh is None:
            return carried
        reached.add(fresh)
        ahead.append(fresh)


def _touch(scene: Scene, joints: list[Found]) -> None:
    """All but what the file keeps apart: USD has no carriers that a body wouldn't touch."""
    apart = non_colliding_pairs(scene, joints)

    def kept(one: CollisionShape, two: CollisionShape) -> bool:
        return frozenset((one.name, two.name)) in apart

    alone = {body: body for body in scene.model.bodies}
    add_contacts_between(
        scene.model, scene.touching, alone, scene.notes, "say contacts=False", kept
    )


def _count_others(scene: Scene) -> None:
    """Schemas of other programs, and what UsdPhysics has besides."""
    for prim in scene.stage.prims:
        if str(prim.GetTypeName()) in _UNREAD:
            scene.notes.notice(f"{scene.stage.where(prim)}: groups of colliders are not read.")
        for word in prim.GetAppliedSchemas():
            if word.startswith(("Physx", "Mjc", "Newton")):
                scene.notes.skip(word.split(":")[0])


__all__ = ["read_usd"]


def non_colliding_pairs(scene: Scene, joints: list[Found]) -> set[frozenset[str]]:
    """Pairs of names of what touches. A joint on the world itself keeps nothing apart: there is no
    body of the world; one on a prim that stands keeps this apart, and nothing else that stands."""
    below: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in scene.touching:
        path = scene.paths[each.name]
        while path not in ("", "/"):
            below[path].append((each.name, each.body))
            path = path.rpartition("/")[0]
    found = set()
    for one, two in [*_jointed(joints), *_filtered(scene)]:
        for a, b in product(_part_of(scene, below, one), _part_of(scene, below, two)):
            found.add(frozenset((a, b)))
    return found


def _part_of(scene: Scene, below: defaultdict[str, list[tuple[str, str]]], prim: Any) -> list[str]:
    """What touches of a prim: of a body, its own; else all that lies in it."""
    path = str(prim.GetPath())
    own = scene.bodies.get(path)
    return [name for name, body in below[path] if own in (None, body)]


def _jointed(joints: list[Found]) -> list[tuple[Any, Any]]:
    from pxr import UsdPhysics

    return [
        (each.ends[0], each.ends[1])
        for each in joints
        if each.ends[0] is not None
        and each.ends[1] is not None
        and not UsdPhysics.Joint(each.prim).GetCollisionEnabledAttr().Get()
    ]


def _filtered(scene: Scene) -> list[tuple[Any, Any]]:
    from pxr import UsdPhysics

    found = []
    for prim in scene.stage.prims:
        if prim.HasAPI(UsdPhysics.FilteredPairsAPI):
            for path in UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
                other = scene.stage.usd.GetPrimAtPath(path)
                if other:
                    found.append((prim, other))
    return found
