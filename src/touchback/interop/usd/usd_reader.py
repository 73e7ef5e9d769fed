"""USD: scenes with UsdPhysics (https://openusd.org/release/api/usd_physics_page_front.html), read.

Joints have kinds, limits and drives (springs and dampers towards targets, which are inputs). Free
bodies start with their own velocities, others with what their joints allow of them."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from touchback import (
    Cylindrical,
    Fixed,
    Free,
    JointEffort,
    JointKind,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Rod,
    Spherical,
    maximum,
    minimum,
)
from touchback.errors import ModelError
from touchback.interop.collision_geometry import CollisionShape, add_contacts_between
from touchback.interop.import_notes import Notes, safe_names, unused
from touchback.interop.imported_bodies import drop_idle_closures
from touchback.interop.rigid_pose import Floats, Pose, quaternion_of
from touchback.interop.usd.usd_bodies import Scene, add_bodies, unique_names
from touchback.interop.usd.usd_stage import Stage, number_of, value_of, values_of
from touchback.model import GROUND, ClosureKind, JointOptions, Value

_OPEN = 1e-5  # m or rad: what single precision leaves of a joint that fits


_LIMITLESS = 1e30  # what files write for no limit is larger


_AXES = "xyz"


@dataclass
class UsdJoint:
    """A joint: its two bodies (prims; None for the world) and the frames on them."""

    prim: Any
    path: str
    kind: JointKind | ClosureKind
    bodies: tuple[Any | None, Any | None]
    frames: tuple[Pose, Pose]
    limits: tuple[float, float] | None = None
    outside: bool = False  # of the articulation: it closes a loop where it can
    ends: tuple[Any | None, Any | None] = (None, None)  # bodies, or prims of the world it is on

    def names(self, scene: Scene) -> tuple[str, str]:
        """Our names of the bodies."""
        one, two = (scene.name_of(body) for body in self.bodies)
        return one, two


def find_joints(scene: Scene) -> list[UsdJoint]:
    """All that are read, in the file's order; others are noticed."""
    from pxr import UsdPhysics

    found = []
    for prim in scene.stage.prims:
        if not prim.IsA(UsdPhysics.Joint):
            continue
        joint = UsdPhysics.Joint(prim)
        if not joint.GetJointEnabledAttr().Get():
            scene.notes.skip("joint that is switched off")
            continue
        ends = [_end(scene, prim, joint, side) for side in ("0", "1")]
        if ends[0][0] == ends[1][0]:
            raise ModelError(
                f"{scene.stage.where(prim)}: both its bodies are '{scene.name_of(ends[0][0])}'; a "
                "joint is between two, or one and the world."
            )
        kind, limits = _kind(scene, prim)
        if kind is None:
            continue
        outside = bool(joint.GetExcludeFromArticulationAttr().Get())
        (one, first, here), (two, second, there) = ends
        path, on = str(prim.GetPath()), (one or here, two or there)
        found.append(UsdJoint(prim, path, kind, (one, two), (first, second), limits, outside, on))
    return found


def _end(scene: Scene, prim: Any, joint: Any, side: str) -> tuple[Any | None, Pose, Any]:
    """The body of one side, where the joint is on it, and the prim that is named."""
    stage = scene.stage
    targets = getattr(joint, f"GetBody{side}Rel")().GetTargets()
    if len(targets) > 1:
        raise ModelError(f"{stage.where(prim)}: body{side} names {len(targets)} prims; name one.")
    named = stage.usd.GetPrimAtPath(targets[0]) if targets else None
    if named is not None and not named:
        raise ModelError(f"{stage.where(prim)}: body{side} is {targets[0]}, which is not there.")
    place = getattr(joint, f"GetLocalPos{side}Attr")()
    turn = getattr(joint, f"GetLocalRot{side}Attr")()
    body = None if named is None else scene.body_of(named)
    return body, stage.frame_on(body, named, place, turn), named


def _kind(
    scene: Scene, prim: Any
) -> tuple[JointKind | ClosureKind | None, tuple[float, float] | None]:
    """None, and said, for what isn't read."""
    word = str(prim.GetTypeName())
    if word in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
        axis = str(prim.GetAttribute("physics:axis").Get()).lower()
        if axis not in tuple(_AXES):
            raise ModelError(f"{scene.stage.where(prim)}: its axis is {axis!r}; X, Y or Z it is.")
        turning = word == "PhysicsRevoluteJoint"
        low, high = (
            value_of(scene.stage, prim.GetAttribute(f"physics:{side}Limit"))
            for side in ("lower", "upper")
        )
        kind = Revolute(axis) if turning else Prismatic(axis)
        return kind, _limits(scene, prim, low, high, turning)
    if word == "PhysicsSphericalJoint":
        cones = [
            value_of(scene.stage, prim.GetAttribute(f"physics:coneAngle{i}Limit")) for i in (0, 1)
        ]
        if max(cones) >= 0.0:
            scene.notes.notice(f"{scene.stage.where(prim)}: the limits of its cone are left out.")
        return Spherical(), None
    if word == "PhysicsFixedJoint":
        return Fixed(), None
    if word == "PhysicsDistanceJoint":
        low, high = (
            value_of(scene.stage, prim.GetAttribute(f"physics:{m}Distance")) for m in ("min", "max")
        )
        if low == high > 0.0:
            return Rod(low * scene.stage.metre), None
        scene.notes.notice(
            f"{scene.stage.where(prim)}: a distance from {low:g} to {high:g} is not held: only one "
            "whose least and largest are the same is read, as a rod."
        )
        return None, None
    if word == "PhysicsJoint":
        return _of_six(scene, prim)
    scene.notes.notice(f"{scene.stage.where(prim)}: a joint {word} is not read.")
    return None, None


def _of_six(scene: Scene, prim: Any) -> tuple[JointKind | None, tuple[float, float] | None]:
    """A joint of six freedoms, of which those are locked whose lower limit is above the upper."""
    from pxr import UsdPhysics

    free, bounds = [], {}
    for dof in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"):
        limit = UsdPhysics.LimitAPI(prim, dof) if prim.HasAPI(UsdPhysics.LimitAPI, dof) else None
        low, high = (
            (-math.inf, math.inf)
            if limit is None
            else (
                value_of(scene.stage, limit.GetLowAttr()),
                value_of(scene.stage, limit.GetHighAttr()),
            )
        )
        if low <= high:
            free.append(dof)
            bounds[dof] = low, high
    slides, turns = (
        "".join(each[-1].lower() for each in free if each.startswith(what))
        for what in ("trans", "rot")
    )
    if len(free) == 1:
        kind: JointKind = Prismatic(slides) if slides else Revolute(turns)
        return kind, _limits(scene, prim, *bounds[free[0]], bool(turns))
    if any(abs(bound) < _LIMITLESS for pair in bounds.values() for bound in pair):
        scene.notes.notice(f"{scene.stage.where(prim)}: limits of several freedoms are left out.")
    across = _AXES.replace(turns, "") if len(turns) == 1 else ""
    if not free:
        return Fixed(), None
    if not slides and turns == _AXES:
        return Spherical(), None
    if len(slides) == 1 and slides == turns:
        return Cylindrical(slides), None
    if across and slides == across:
        return Planar(turns), None
    if len(free) < 6:
        scene.notes.notice(
            f"{scene.stage.where(prim)}: a joint that is free in {', '.join(free)} is not read; "
            "what it carries is free."
        )
    return None, None


def _limits(
    scene: Scene, prim: Any, low: float, high: float, turning: bool
) -> tuple[float, float] | None:
    """rad or m; both are needed."""
    if abs(low) > _LIMITLESS and abs(high) > _LIMITLESS:
        return None
    if not (abs(low) < _LIMITLESS and abs(high) < _LIMITLESS) or low > high:
        scene.notes.notice(
            f"{scene.stage.where(prim)}: its limits {low} and {high} are left out: both are "
            "needed, the lower one below the upper."
        )
        return None
    unit = math.pi / 180.0 if turning else scene.stage.metre
    return low * unit, high * unit


def start_of(scene: Scene, found: UsdJoint) -> list[float] | None:
    """The joint's coordinates as the file places its bodies (frame 1 seen from frame 0); None of
    kinds that have none. Where they don't fit the joint, that is said."""
    whole = [
        frame if body is None else scene.stage.placed(body)[0] @ frame
        for body, frame in zip(found.bodies, found.frames)
    ]
    seen = whole[0].inverse() @ whole[1]
    w, x, y, z = quaternion_of(seen.R)
    kind, p = found.kind, seen.p.copy()
    axis = np.zeros(3)
    start: list[float] | None = None
    if isinstance(kind, Revolute | Prismatic | Cylindrical | Planar):
        letter = kind.normal if isinstance(kind, Planar) else str(kind.axis)
        axis["xyz".index(letter)] = 1.0
        angle = 2.0 * math.atan2(float(np.array([x, y, z]) @ axis), w)
        angle = math.remainder(angle, 2.0 * math.pi)
        slide = float(p @ axis)
        i = "xyz".index(letter)
        across = [float(p[(i + 1) % 3]), float(p[(i + 2) % 3])]
        start = {
            Revolute: [angle], Prismatic: [slide], Cylindrical: [slide, angle],
            Planar: [*across, angle],
        }[type(kind)]  # fmt: skip
    elif isinstance(kind, Spherical):
        start = [w, x, y, z]
    amiss = _amiss(kind, p, np.array([x, y, z]), axis)
    if amiss > _OPEN * max(1.0, float(np.abs(whole[0].p).max())):
        scene.notes.notice(
            f"{scene.stage.where(found.prim)}: its bodies are {amiss:.3g} (m, rad) away from where "
            "it lets them be; they are moved there."
        )
    return start


def _amiss(kind: JointKind | ClosureKind, p: Any, turn: Any, axis: Any) -> float:
    """How far off what the kind leaves out is."""
    if isinstance(kind, Rod):
        return 0.0
    if isinstance(kind, Prismatic | Cylindrical):
        p = p - (p @ axis) * axis
    if isinstance(kind, Planar):
        p = (p @ axis) * axis
    if isinstance(kind, Spherical):
        turn = np.zeros(3)
    if isinstance(kind, Revolute | Cylindrical | Planar):
        turn = turn - (turn @ axis) * axis
    return float(max(np.abs(p).max(), 2.0 * np.abs(turn).max()))


def add_joint(scene: Scene, found: UsdJoint, name: str, turned: bool, stops: bool) -> None:
    """Part of the tree; `turned`: the first body is the child, and coordinates keep their sign."""
    ends = [frame.frame(body) for frame, body in zip(found.frames, found.names(scene))]
    kind = found.kind
    start = start_of(scene, found)
    if turned:
        ends.reverse()
        if isinstance(kind, Revolute | Prismatic | Cylindrical):
            kind = type(kind)(f"-{kind.axis}")
        elif start is not None and isinstance(kind, Spherical):
            start = [start[0], *(-part for part in start[1:])]
        elif isinstance(kind, Planar):
            start = _turned(start)
    if isinstance(kind, ClosureKind):
        raise ModelError(f"{scene.stage.where(found.prim)}: a rod carries no body.")
    options: JointOptions = {"position": start} if start else {}
    rates = _rates(scene, found)
    if rates is not None:
        options["velocity"] = rates
    if found.limits is not None:
        options["limits"] = found.limits
        options["stop"] = stops
    scene.model.joint(name, kind, ends[0], ends[1], **options)


def _rates(scene: Scene, found: UsdJoint) -> list[float] | None:
    place, body = found.frames[0], found.bodies[0]
    if body is not None:
        place = scene.stage.placed(body)[0] @ place
    where = scene.stage.where(found.prim)
    return joint_rates(scene, found.kind, found.bodies, place, where)


def _turned(start: list[float] | None) -> list[float] | None:
    """Of a plane seen from the other body: x, y, angle of the inverse."""
    if start is None:
        return None
    x, y, angle = start
    c, s = math.cos(angle), math.sin(angle)
    return [-c * x - s * y, s * x - c * y, -angle]


_LOST = 1e-5  # of the speed: what single precision leaves of one that a joint lets through


def free_rates(scene: Scene, prim: Any) -> list[float]:
    """Of a free body, in its own axes: linear, then angular."""
    R = scene.stage.placed(prim)[0].R
    return [float(part) for each in _speeds(scene, prim) for part in R.T @ each]


def joint_rates(
    scene: Scene,
    kind: JointKind | ClosureKind,
    bodies: tuple[Any | None, Any | None],
    place: Pose,
    where: str,
) -> list[float] | None:
    """Of frame 1 against frame 0, whose place in the world is given, along the joint's axis; None
    where both stand alike. What the joint doesn't let through is said."""
    (v0, w0), (v1, w1) = (_moving(scene, body, place.p) for body in bodies)
    v, w = place.R.T @ (v1 - v0), place.R.T @ (w1 - w0)
    if not (v.any() or w.any()):
        return None
    rates: list[float] | None = None
    if isinstance(kind, Revolute | Prismatic | Cylindrical):
        i = "xyz".index(str(kind.axis))
        slide, turn = float(v[i]), float(w[i])
        rates = {Revolute: [turn], Prismatic: [slide], Cylindrical: [slide, turn]}[type(kind)]
        if not isinstance(kind, Revolute):
            v[i] = 0.0
        if not isinstance(kind, Prismatic):
            w[i] = 0.0
    size = max(float(np.abs(each).max()) for each in (v0, v1, w0, w1))
    lost = float(max(np.abs(v).max(), np.abs(w).max()))
    if lost > _LOST * size:
        scene.notes.notice(
            f"{where}: its bodies' velocities differ by {lost:.3g} (m/s, rad/s) in what it doesn't "
            f"let through{'' if rates else ' or has several coordinates for'}; that is left out."
        )
    return rates


def _moving(scene: Scene, body: Any | None, point: Floats) -> tuple[Floats, Floats]:
    """The velocity of a body's point [m], and its angular velocity, in the upright world."""
    if body is None or str(body.GetPath()) in scene.still:
        return np.zeros(3), np.zeros(3)
    linear, angular = _speeds(scene, body)
    arm = point - scene.stage.placed(body)[0].p
    return linear + np.cross(angular, arm), angular


def _speeds(scene: Scene, prim: Any) -> tuple[Floats, Floats]:
    """Of a body's origin, in the upright world: the file tells them in the axes of what the prim
    lies in."""
    from pxr import UsdPhysics

    stage, body = scene.stage, UsdPhysics.RigidBodyAPI(prim)
    parent = prim.GetParent()
    R = (stage.upright if parent.IsPseudoRoot() else stage.placed(parent)[0]).R
    linear = stage.metre * values_of(stage, body.GetVelocityAttr(), 3)
    angular = math.pi / 180.0 * values_of(stage, body.GetAngularVelocityAttr(), 3)
    if not np.isfinite([linear, angular]).all():
        raise ModelError(f"{stage.where(prim)}: its velocity is no finite number.")
    return R @ linear, R @ angular


def add_drives(scene: Scene, found: UsdJoint, joint: str) -> None:
    """k (target − q) + d (target rate − q̇), no larger than the largest force. Stiffness of turning
    ones is told by the degree."""
    from pxr import UsdPhysics

    prim, stage = found.prim, scene.stage
    called = [
        word.split(":", 1)[1]
        for word in prim.GetAppliedSchemas()
        if word.startswith("PhysicsDriveAPI:")
    ]
    for which in called:
        drive = UsdPhysics.DriveAPI(prim, which)
        if not isinstance(found.kind, Revolute | Prismatic) or not _of(found.kind, which):
            scene.notes.notice(f"{stage.where(prim)}: its drive {which!r} is not read.")
            continue
        if str(drive.GetTypeAttr().Get()) == "acceleration":
            scene.notes.notice(
                f"{stage.where(prim)}: a drive of accelerations is not read; one of forces is."
            )
            continue
        turning = isinstance(found.kind, Revolute)
        unit = math.pi / 180.0 if turning else stage.metre
        force = stage.kilogram * stage.metre ** (2 if turning else 1)
        k, d = (
            number_of(stage, attribute, 0.0) * force / unit
            for attribute in (drive.GetStiffnessAttr(), drive.GetDampingAttr())
        )
        target, rate = (
            number_of(stage, attribute) * unit
            for attribute in (drive.GetTargetPositionAttr(), drive.GetTargetVelocityAttr())
        )
        most = value_of(stage, drive.GetMaxForceAttr())
        if not most >= 0.0:
            raise ModelError(
                f"{stage.where(prim)}: the largest force of its drive is {most}; give 0 or more."
            )
        _add(scene, joint, (k, d), (target, rate), None if most > _LIMITLESS else most * force)


def _of(kind: Revolute | Prismatic, which: str) -> bool:
    axis = str(kind.axis).upper()
    if isinstance(kind, Revolute):
        return which in ("angular", f"rot{axis}")
    return which in ("linear", f"trans{axis}")


def _add(
    scene: Scene,
    joint: str,
    gains: tuple[float, float],
    targets: tuple[float, float],
    most: float | None,
) -> None:
    model = scene.model
    k, d = gains
    q, v = model.coordinate(joint), model.rate(joint)
    effort: Value = 0.0
    if k:
        name = unused(f"{joint} target", model.inputs)
        effort = effort + k * (model.input(name, default=targets[0]) - q)
    if d:
        name = unused(f"{joint} target rate", model.inputs)
        effort = effort + d * (model.input(name, default=targets[1]) - v)
    if most is not None:
        effort = maximum(minimum(effort, most), -most)
    model.force(unused(f"{joint} drive", model.forces), JointEffort(joint, effort))


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


def _join(scene: Scene, joints: list[UsdJoint], stops: bool) -> None:
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


def _tree(scene: Scene, joints: list[UsdJoint]) -> dict[str, str]:
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


def _touch(scene: Scene, joints: list[UsdJoint]) -> None:
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


def non_colliding_pairs(scene: Scene, joints: list[UsdJoint]) -> set[frozenset[str]]:
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


def _jointed(joints: list[UsdJoint]) -> list[tuple[Any, Any]]:
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
