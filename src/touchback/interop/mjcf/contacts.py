"""What touches in MJCF: geoms, by MuJoCo's rules of which and how rough. They are rigid here;
MuJoCo's give way."""

from __future__ import annotations

from dataclasses import dataclass

from touchback.interop.mjcf.robot import Robot, Shape
from touchback.interop.touching import Touchable, touch
from touchback.interop.xml_file import Node

_MEND = "leave them out by contacts=False, or let contype and conaffinity say which ones do"


@dataclass
class _Geom(Touchable):
    """With what MuJoCo asks of a pair."""

    bits: tuple[int, int] = (1, 1)  # contype and conaffinity
    priority: float = 0.0
    directions: float = 3.0  # condim

    def may_touch(self, other: Touchable) -> bool:
        """Whether bits match."""
        if not isinstance(other, _Geom):
            return True
        return bool(self.bits[0] & other.bits[1] or other.bits[0] & self.bits[1])

    def friction_with(self, other: Touchable) -> float:
        """The larger of both, or that of the geom with priority; none without tangents."""
        asked = [each for each in (self, other) if isinstance(each, _Geom)]
        rank = max(each.priority for each in asked)
        asked = [each for each in asked if each.priority == rank]
        if max(each.directions for each in asked) < 3.0:
            return 0.0
        return max(each.friction for each in asked)


def add_contacts(robot: Robot) -> None:
    """Contacts of all pairs that may touch and that there is a kind for; others are counted."""
    if not robot.settings.contacts:
        return
    excluded = _excluded(robot)
    touch(
        robot.model,
        [_geom(shape) for shape in robot.shapes],
        robot.carriers,
        robot.notes,
        _MEND,
        lambda one, two: frozenset((one.body, two.body)) in excluded,
    )
    for node in robot.document.section("contact").all("pair"):
        robot.notes.skip(f"contact {node.tag}")


def _geom(shape: Shape) -> _Geom:
    node = shape.node
    return _Geom(
        shape.name,
        shape.body,
        shape.pose,
        shape.kind if shape.kind != "mesh" or shape.mesh else "none",
        shape.size,
        node.where,
        (*node.all_numbers("friction"), 1.0)[0],
        shape.mesh.points if shape.mesh and shape.kind == "mesh" else None,
        (int(node.number("contype", 1.0)), int(node.number("conaffinity", 1.0))),
        node.number("priority", 0.0),
        node.number("condim", 3.0),
    )


def _excluded(robot: Robot) -> set[frozenset[str]]:
    def ours(node: Node) -> frozenset[str]:
        return frozenset(robot.bodies.get(node.attribute(word), "") for word in ("body1", "body2"))

    return {ours(node) for node in robot.document.section("contact").all("exclude")}
