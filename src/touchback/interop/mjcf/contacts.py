"""What touches in MJCF: spheres, capsules' ends and boxes' corners against planes, and spheres
against spheres. They are rigid here, with Coulomb friction; MuJoCo's give way."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from touchback.contact import ContactKind, SpherePlaneContact, SphereSphereContact
from touchback.dynamics.floats import float_instant
from touchback.dynamics.jacobian import jacobian
from touchback.dynamics.stops import initial_coordinates
from touchback.errors import ModelError
from touchback.interop.mjcf.pose import at
from touchback.interop.mjcf.robot import Robot, Shape
from touchback.interop.xml_file import Node
from touchback.model.frame import GROUND, Frame
from touchback.model.joints import Fixed

_ROUND = ("sphere", "capsule", "box")
MAX_CONTACTS = 2000
_STILL = 1e-9  # of the fastest motion: what rounding leaves of none


def add_contacts(robot: Robot) -> None:
    """Contacts of all pairs that may touch and that there is a kind for; others are counted."""
    if not robot.settings.contacts:
        return
    apart = _excluded(robot)
    welded = _welded(robot)
    nearing, missing = _Nearing(robot), 0
    for one, two in combinations(robot.shapes, 2):
        if not _may_touch(robot, one, two, apart, welded):
            continue
        if two.kind == "plane":
            one, two = two, one
        if one.kind == "plane" and two.kind in _ROUND:
            _on_plane(robot, one, two, nearing)
        elif one.kind == two.kind == "sphere":
            kind = SphereSphereContact(
                one.pose.frame(one.body), two.pose.frame(two.body), one.size[0], two.size[0],
                friction=_friction(one, two),
            )  # fmt: skip
            _add(robot, one, two, kind)
        else:
            missing += 1
    if missing:
        robot.notes.say(
            f"{missing} pairs of geoms that may touch in MuJoCo pass through each other here: "
            "there are contacts of spheres, capsules and boxes with planes, and of spheres."
        )
    for node in robot.document.section("contact").all("pair"):
        robot.notes.skip(f"contact {node.tag}")


def _on_plane(robot: Robot, plane: Shape, shape: Shape, nearing: _Nearing) -> None:
    """A sphere, the two ends of a capsule, the eight corners of a box."""
    radius = shape.size[0] if shape.kind != "box" else 0.0
    places = [(0.0, 0.0, 0.0)]
    if shape.kind == "capsule":
        places = [(0.0, 0.0, -shape.size[1]), (0.0, 0.0, shape.size[1])]
    elif shape.kind == "box":
        a, b, c = shape.size
        places = list(product((-a, a), (-b, b), (-c, c)))
    wall = plane.pose.frame(plane.body)
    for place in places:
        frame = (shape.pose @ at(place)).frame(shape.body)
        if nearing.possible(frame, wall):
            kind = SpherePlaneContact(frame, wall, radius, friction=_friction(plane, shape))
            _add(robot, plane, shape, kind)


class _Nearing:
    """Tells which points can come nearer to a plane at all: in planar mechanisms some can't."""

    def __init__(self, robot: Robot) -> None:
        rng = np.random.default_rng(0)
        start = np.array(initial_coordinates(robot.model).q)
        moved = start + rng.uniform(-1.0, 1.0, len(start))
        self.instants = [float_instant(robot.model, q) for q in (start, moved)]

    def possible(self, frame: Frame, plane: Frame) -> bool:
        """Whether any velocity changes the distance, at either of two positions."""
        for instant in self.instants:
            normal = np.array(instant.rotation(plane), dtype=float)[:, 2]
            J = np.array(jacobian(instant, frame), dtype=float)[3:]
            J -= np.array(jacobian(instant, plane), dtype=float)[3:]
            if np.abs(normal @ J).max(initial=0.0) > _STILL * max(np.abs(J).max(initial=0.0), 1.0):
                return True
        return False


def _add(robot: Robot, one: Shape, two: Shape, kind: ContactKind) -> None:
    if len(robot.model.contacts) >= MAX_CONTACTS:
        raise ModelError(
            f"{two.node.where}: more than {MAX_CONTACTS} pairs of geoms may touch; leave them out "
            "by contacts=False, or let contype and conaffinity say which ones do."
        )
    name = robot.new_name("Contact", "", f"{two.name} on {one.name}", [*robot.model.contacts])
    robot.model.contact(name, kind)


def _friction(one: Shape, two: Shape) -> float:
    """The larger of both coefficients, or that of the geom with priority; none without tangents."""
    ranks = [shape.node.number("priority", 0.0) for shape in (one, two)]
    asked = [one, two] if ranks[0] == ranks[1] else [(one, two)[ranks[1] > ranks[0]]]
    if max(shape.node.number("condim", 3.0) for shape in asked) < 3.0:
        return 0.0
    return max((*shape.node.all_numbers("friction"), 1.0)[0] for shape in asked)


def _may_touch(
    robot: Robot, one: Shape, two: Shape, apart: set[frozenset[str]], welded: dict[str, str]
) -> bool:
    """MuJoCo's rules: bits that match, other bodies, neither excluded nor a body on its carrier."""
    bits = [
        [int(shape.node.number(word, 1.0)) for word in ("contype", "conaffinity")]
        for shape in (one, two)
    ]
    if not (bits[0][0] & bits[1][1] or bits[1][0] & bits[0][1]):
        return False
    a, b = welded[one.body], welded[two.body]
    if a == b or frozenset((one.body, two.body)) in apart:
        return False
    carriers = robot.carriers
    return GROUND in (a, b) or (welded[carriers[a]] != b and welded[carriers[b]] != a)


def _excluded(robot: Robot) -> set[frozenset[str]]:
    def ours(node: Node) -> frozenset[str]:
        return frozenset(robot.bodies.get(node.attribute(word), "") for word in ("body1", "body2"))

    return {ours(node) for node in robot.document.section("contact").all("exclude")}


def _welded(robot: Robot) -> dict[str, str]:
    """The body that each is fixed to, directly or not; itself where it moves."""
    found = {GROUND: GROUND}
    for joint in robot.model.joints.values():
        fixed = isinstance(joint.kind, Fixed)
        found[joint.child.body] = found[joint.parent.body] if fixed else joint.child.body
    return found
