"""The points of ROBOTRAN's bodies: where joints, cuts, links, sensors and forces attach."""

from dataclasses import dataclass, field

from touchback.errors import ModelError
from touchback.interop.mbs_laws import Laws
from touchback.interop.notes import Notes
from touchback.interop.xml_file import Node
from touchback.model import Frame, Model
from touchback.model.names import unknown

BASE = "base"  # what files call the ground
ORIGIN = "origin"  # the point that every body has


@dataclass
class Mechanism:
    """A file on its way into a model: the file's body names to ours, and what is kept beside."""

    model: Model
    notes: Notes
    bodies: dict[str, str]
    points: dict[str, dict[str, Frame]] = field(default_factory=dict)
    sensors: dict[str, Frame] = field(default_factory=dict)
    external_forces: dict[str, Frame] = field(default_factory=dict)
    natures: dict[str, str] = field(default_factory=dict)
    laws: Laws = field(default_factory=Laws)


def coordinates(node: Node | None) -> tuple[float, float, float]:
    """The <coordinates> in an element; absent ones are zero, as ROBOTRAN leaves zeros out."""
    inner = None if node is None else node.first("coordinates")
    if inner is None:
        return (0.0, 0.0, 0.0)
    return inner.child_number("x"), inner.child_number("y"), inner.child_number("z")


def read_points(mechanism: Mechanism, body: str, node: Node) -> None:
    """The points of one body, with the sensors and external forces on them."""
    points = mechanism.points.setdefault(body, {})
    for point in node.all("point"):
        name = point.child_text("pointname")
        if name in points:
            raise ModelError(
                f"{point.where}: body '{body}' has a point {name!r} already; rename one."
            )
        points[name] = Frame(body, coordinates(point))
        for element in point.all("sensor"):
            mechanism.sensors[element.attribute("name")] = points[name]
        for element in point.all("extforce"):
            force = element.attribute("name")
            mechanism.external_forces[force] = points[name]
            if force not in mechanism.laws.forces:
                mechanism.laws.lacks("user_ExtForces", force)
                mechanism.notes.notice(
                    f"{element.where}: the external force {force!r} at point {name!r} of '{body}' "
                    "has no law in the file; it exerts no force. Give external_forces="
                    f"{{{force!r}: lambda place, velocity: (fx, fy, fz)}}."
                )
        mechanism.notes.skip_others(point, ("pointname", "coordinates", "sensor", "extforce"))


def named_point(mechanism: Mechanism, end: Node) -> Frame:
    """The frame of a body's point that <bodyname> and <pointname> name."""
    body = end.child_text("bodyname")
    if body not in mechanism.bodies:
        raise ModelError(f"{end.where}: {unknown('body', body, mechanism.bodies)}")
    points = {ORIGIN: Frame(mechanism.bodies[body]), **mechanism.points[mechanism.bodies[body]]}
    named = end.first("pointname")
    name = ORIGIN if named is None or not named.text else named.text
    if name not in points:
        raise ModelError(f"{end.where}: {unknown(f'point of body {body!r}', name, points)}")
    return points[name]
