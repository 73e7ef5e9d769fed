"""Collision geometry from files of any format: on planes spheres, capsules' ends, boxes' corners
and the farthest points of meshes, and spheres each other. They are rigid, with Coulomb friction.
And the visuals of shapes that are given by their kind and half sizes [m]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

import touchback as tb
from touchback import Box, Capsule, Cylinder, Ellipsoid, Frame, Model, Sphere
from touchback.dynamics import float_instant, initial_coordinates, jacobian
from touchback.errors import ModelError
from touchback.interop.import_notes import Notes, unused
from touchback.interop.imported_bodies import welded_bodies
from touchback.interop.rigid_pose import Floats, Pose, at
from touchback.model import GROUND, AnySeen

PLANE = "plane"


MAX_CONTACTS = 2000


_ON_PLANES = ("sphere", "capsule", "box", "mesh")


_STILL = 1e-9  # of the fastest motion: what rounding leaves of none


_DIRECTIONS = np.array(
    [way for way in product((-1.0, 0.0, 1.0), repeat=3) if np.abs(way).sum() in (1.0, 3.0)]
)


@dataclass
class CollisionShape:
    """A shape on a body: its kind with half sizes [m] (a sphere's radius; a capsule's, and half its
    length; a box's halves), or the points of a mesh [m]; z points out of planes."""

    name: str
    body: str
    pose: Pose
    kind: str
    size: tuple[float, ...]
    where: str
    friction: float = 1.0
    points: Floats | None = None

    def friction_with(self, other: CollisionShape) -> float:
        """The coefficient of both: the larger one."""
        return max(self.friction, other.friction)

    def may_touch(self, other: CollisionShape) -> bool:
        """Whether the file lets them touch, wherever they are."""
        return True

    def corners(self) -> list[tuple[float, ...]]:
        """What touches a plane first: centres of spheres of `radius`."""
        if self.kind == "capsule":
            return [(0.0, 0.0, -self.size[1]), (0.0, 0.0, self.size[1])]
        if self.kind == "box":
            a, b, c = self.size
            return list(product((-a, a), (-b, b), (-c, c)))
        if self.points is not None:
            return farthest(self.points)
        return [(0.0, 0.0, 0.0)]

    @property
    def radius(self) -> float:
        """Of the spheres at its corners [m]."""
        return self.size[0] if self.kind in ("sphere", "capsule") else 0.0


def farthest(points: Floats) -> list[tuple[float, ...]]:
    """The corners of the convex hull that lie farthest along 14 directions: those of the faces and
    corners of a cube. A box along the axes keeps all of its own."""
    found = dict.fromkeys(np.argmax(points @ _DIRECTIONS.T, axis=0).tolist())
    return list(dict.fromkeys(tuple(points[i].tolist()) for i in found))


def add_contacts_between(
    model: Model,
    shapes: Sequence[CollisionShape],
    carriers: Mapping[str, str],
    notes: Notes,
    mend: str,
    apart: Callable[[CollisionShape, CollisionShape], bool] = lambda one, two: False,
) -> None:
    """Contacts of all pairs that may touch and that there is a kind for; others are counted.

    As in MuJoCo, neither parts of what is fixed together touch nor a body and its carrier (by
    `carriers`), unless that is the ground. `apart` says which pairs the file keeps apart; `mend`
    how there are fewer."""
    pairs, missing, spheres, sinking = [], 0, 0, list[str]()
    welded = welded_bodies(model)
    for one, two in combinations(shapes, 2):
        if not one.may_touch(two) or _one_piece(one, two, carriers, welded) or apart(one, two):
            continue
        if two.kind == PLANE:
            one, two = two, one
        round_ones = one.kind == two.kind == "sphere"
        if round_ones or (one.kind == PLANE and two.kind in _ON_PLANES):
            pairs.append((one, two))
            spheres += round_ones
            _check_number(spheres, two, mend)
        else:
            missing += 1
            if one.kind == PLANE and two.kind != PLANE:
                sinking.append(f"'{two.name}' through '{one.name}'")
    nearing = _Nearing(model)
    for one, two in pairs:
        for kind in _kinds(one, two, nearing):
            _check_number(len(model.contacts) + 1, two, mend)
            model.contact(unused(f"{two.name} on {one.name}", model.contacts), kind)
    if missing:
        tell = notes.notice if sinking else notes.say  # on planes models stand
        listed = ", ".join(sinking[:3]) + (" …" if sinking[3:] else "")
        tell(
            f"{missing} pairs of shapes that may touch pass through each other here"
            f"{f' ({listed})' if sinking else ''}: there are "
            "contacts of spheres, capsules, boxes and meshes with planes, and of spheres."
        )


def _kinds(
    one: CollisionShape, two: CollisionShape, nearing: _Nearing
) -> list[tb.contact.ContactKind]:
    friction = one.friction_with(two)
    if one.kind != PLANE:
        ends = one.pose.frame(one.body), two.pose.frame(two.body)
        return [tb.contact.SphereSphereContact(*ends, one.size[0], two.size[0], friction=friction)]
    wall = one.pose.frame(one.body)
    frames = [(two.pose @ at(corner)).frame(two.body) for corner in two.corners()]
    return [
        tb.contact.SpherePlaneContact(frame, wall, two.radius, friction=friction)
        for frame in frames
        if nearing.possible(frame, wall)
    ]


def _check_number(number: int, shape: CollisionShape, mend: str) -> None:
    if number > MAX_CONTACTS:
        raise ModelError(
            f"{shape.where}: more than {MAX_CONTACTS} pairs of shapes may touch; {mend}."
        )


class _Nearing:
    """Tells which points can come nearer to a plane at all: in planar mechanisms some can't."""

    def __init__(self, model: Model) -> None:
        rng = np.random.default_rng(0)
        start = np.array(initial_coordinates(model).q)
        moved = start + rng.uniform(-1.0, 1.0, len(start))
        self.instants = [float_instant(model, q) for q in (start, moved)]

    def possible(self, frame: Frame, plane: Frame) -> bool:
        """Whether any velocity changes the distance, at either of two positions."""
        for instant in self.instants:
            normal = np.array(instant.rotation(plane), dtype=float)[:, 2]
            J = np.array(jacobian(instant, frame), dtype=float)[3:]
            turning, moving = np.split(np.array(jacobian(instant, plane), dtype=float), 2)
            arm = np.subtract(instant.position(frame), instant.position(plane)).astype(float)
            J -= moving + np.cross(turning, arm, axisa=0, axisc=0)  # a plane that tilts nears too
            if np.abs(normal @ J).max(initial=0.0) > _STILL * max(np.abs(J).max(initial=0.0), 1.0):
                return True
        return False


def _one_piece(
    one: CollisionShape, two: CollisionShape, carriers: Mapping[str, str], welded: Mapping[str, str]
) -> bool:
    a, b = welded[one.body], welded[two.body]
    if a == b or GROUND in (a, b):
        return a == b
    return welded[carriers[a]] == b or welded[carriers[b]] == a


VISUALS: dict[str, Callable[..., AnySeen]] = {
    "sphere": lambda r: Sphere(r),
    "capsule": lambda r, half: Capsule(r, 2.0 * half),
    "cylinder": lambda r, half: Cylinder(r, 2.0 * half),
    "ellipsoid": lambda a, b, c: Ellipsoid((a, b, c)),
    "box": lambda a, b, c: Box((2.0 * a, 2.0 * b, 2.0 * c)),
}
