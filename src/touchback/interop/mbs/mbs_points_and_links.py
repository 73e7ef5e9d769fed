"""The points, cuts and links of ROBOTRAN files, and the laws of its user functions.

Joints, cuts, links, sensors and forces attach to points of bodies. Cuts close loops; links are
forces. Laws are no part of a .mbs file: they are given beside it as numbers, expressions or Python
functions of signals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from touchback import (
    Expr,
    Fixed,
    Frame,
    JointEffort,
    JointKind,
    LinkForce,
    Model,
    Position,
    Rod,
    Spherical,
    Velocity,
    Wrench,
)
from touchback.callback_signature import check_takes
from touchback.dynamics import float_instant
from touchback.errors import ModelError
from touchback.interop.import_notes import Notes, safe_names
from touchback.interop.xml_file import Node
from touchback.model import ClosureKind, Data, Value
from touchback.names import unknown

Law = Value | Callable[..., Value]  # of q and q̇ in a joint, of length and rate in a link


Wrenches = Sequence[Value] | Callable[..., Sequence[Value]]  # of a place and its velocity


Motion = Value | Callable[[Expr], Value]  # of time


_SIZES = (3, 6, 9)  # force; and torque; and the point in the body's axes, as in SWr


@dataclass
class Laws:
    """By names of the file. `needed` are those of each user function that are given none."""

    links: Mapping[str, Law] = field(default_factory=dict)
    joints: Mapping[str, Law] = field(default_factory=dict)
    forces: Mapping[str, Wrenches] = field(default_factory=dict)
    driven: Mapping[str, Motion] = field(default_factory=dict)
    needed: dict[str, list[str]] = field(default_factory=dict)

    def check(self, what: str, given: Iterable[str], known: Iterable[str]) -> None:
        """Refuse laws of what the file doesn't have."""
        names = list(known)
        for name in given:
            if name not in names:
                raise unknown(what, name, names)

    def lacks(self, function: str, name: str) -> None:
        """A law that the project has in this user function, and that wasn't given."""
        self.needed.setdefault(function, []).append(name)


def add_link(model: Model, notes: Notes, name: str, ends: tuple[Frame, Frame], law: Any) -> None:
    """A force along the line between two points, positive where it pulls them together, as
    user_LinkForces has it."""
    ours = safe_names("Link", [name], notes, taken=model.forces)[name]
    model.force(ours, LinkForce(*ends, law))


def add_effort(model: Model, notes: Notes, name: str, joint: str, law: Any) -> None:
    """An effort in a joint, as user_JointForces has it."""
    ours = safe_names("Effort", [name], notes, taken=model.forces)[name]
    model.force(ours, JointEffort(joint, law))


def add_wrench(model: Model, notes: Notes, name: str, place: Frame, law: Wrenches) -> None:
    """A force [N], then a torque [N m], along the ground's axes, then where the force acts, from
    the body's origin and in its axes, as user_ExtForces' SWr has dxF (without it: at the place); a
    function of the place [m] and its velocity there."""
    ours = safe_names("Force", [name], notes, taken=model.forces)[name]
    if callable(law):
        given = ["the place", "its velocity"]
        check_takes(f"External force {name!r}: its law", law, given, ModelError)
        at = model.sensor(f"{ours} place", Position(place))
        law = law(at, model.sensor(f"{ours} velocity", Velocity(place)))
    parts = list(law) if isinstance(law, Sequence) else []
    if len(parts) not in _SIZES:
        raise ModelError(
            f"External force {name!r}: its law gives {law!r}; 3 numbers or expressions (a force), "
            "6 (and a torque) or 9 (and a point) are expected."
        )
    if len(parts) == 9:
        place = Frame(place.body)
    parts += [0.0] * (9 - len(parts))
    force, torque, point = ((parts[i], parts[i + 1], parts[i + 2]) for i in (0, 3, 6))
    model.force(ours, Wrench(place, force, torque, point=point))


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


_CUTS = ("ball", "rod", "solid")


_KNOWN = ("name", "endpoint1", "endpoint2")


class Cut(Data, frozen=True):
    """A cut loop: "ball" (points a and b coincide), "rod" (they keep their distance) or "solid"
    (their bodies' frames coincide). `details` are the element's other texts by tag."""

    kind: str
    a: Frame
    b: Frame
    details: dict[str, str]


class PointLink(Data, frozen=True):
    """A force along the line from a to b, whose law the file doesn't hold."""

    a: Frame
    b: Frame
    details: dict[str, str]


def read_cuts(mechanism: Mechanism, cuts: Node | None, act: bool) -> dict[str, Cut]:
    """All cuts by name; those that aren't to act are noted."""
    found: dict[str, Cut] = {}
    for node in cuts.children if cuts is not None else ():
        if node.tag not in _CUTS:
            raise ModelError(
                f"{node.where}: a cut <{node.tag}> is not known; known: {', '.join(_CUTS)}."
            )
        name = _new_name(node, found)
        found[name] = Cut(node.tag, *_ends(mechanism, node), _details(mechanism, node))
        if not act:
            mechanism.notes.notice(
                f"{node.where}: the {node.tag} cut {name!r} doesn't act: its loop is open."
            )
    if act:
        _close(mechanism, found)
    return found


def _close(mechanism: Mechanism, cuts: dict[str, Cut]) -> None:
    """Closures of the cuts, from the second end to the first: their h are then ROBOTRAN's,
    x(end 1) − x(end 2)."""
    model = mechanism.model
    names = safe_names("Cut", cuts, mechanism.notes, taken=[*model.joints])
    for original, cut in cuts.items():
        model.close(names[original], _kind(model, original, cut), cut.b, cut.a)


def _kind(model: Model, name: str, cut: Cut) -> ClosureKind | JointKind:
    if cut.kind == "rod":
        return Rod(_length(model, name, cut))
    return Spherical() if cut.kind == "ball" else Fixed()


def _length(model: Model, name: str, cut: Cut) -> float:
    """The length of a rod: as the file says, else the distance at the initial positions."""
    if "length" in cut.details:
        text = cut.details["length"]
        try:
            return float(text)
        except ValueError:
            raise ModelError(f"Rod {name!r}: its length {text!r} is not a number.") from None
    instant = float_instant(model)
    a, b = (np.array(instant.position(end), dtype=float) for end in (cut.a, cut.b))
    return float(np.linalg.norm(b - a))


def read_links(mechanism: Mechanism, links: Node | None) -> dict[str, PointLink]:
    """All links by name: forces by the laws that are given; others are noted as not acting."""
    found: dict[str, PointLink] = {}
    for node in links.all("link") if links is not None else ():
        name = _new_name(node, found)
        found[name] = PointLink(*_ends(mechanism, node), _details(mechanism, node))
        if name in mechanism.laws.links:
            ends = found[name].a, found[name].b
            add_link(mechanism.model, mechanism.notes, name, ends, mechanism.laws.links[name])
            continue
        mechanism.laws.lacks("user_LinkForces", name)
        mechanism.notes.notice(
            f"{node.where}: the link {name!r} has no force law in the file; it exerts no force. "
            f"Give link_forces={{{name!r}: lambda length, rate: tension}}."
        )
    if links is not None:
        mechanism.notes.skip_others(links, ("link",))
    mechanism.laws.check("link", mechanism.laws.links, found)
    return found


def _new_name(node: Node, found: dict[str, Cut] | dict[str, PointLink]) -> str:
    name = node.child_text("name")
    if name in found:
        raise ModelError(f"{node.where}: there is a <{node.tag}> {name!r} already; rename one.")
    return name


def _ends(mechanism: Mechanism, node: Node) -> tuple[Frame, Frame]:
    one, two = node.first("endpoint1"), node.first("endpoint2")
    if one is None or two is None:
        raise ModelError(f"{node.where}: <{node.tag}> needs <endpoint1> and <endpoint2>.")
    return named_point(mechanism, one), named_point(mechanism, two)


def _details(mechanism: Mechanism, node: Node) -> dict[str, str]:
    others = [child for child in node.children if child.tag not in _KNOWN and child.text]
    mechanism.notes.skip_others(node, (*_KNOWN, *(child.tag for child in others)))
    return {child.tag: child.text for child in others}
