"""A model as objects that meet at ports (Kosenko 2015, §2): bodies, and constraints and forces
between them; and what acts in single coordinates of joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from touchback.draw.state_shapes import cut
from touchback.model.constraint_kinds import coordinate_of
from touchback.model.data_walk import expressions_of, frames_of, mapped
from touchback.model.flatten import flatten
from touchback.model.frame import GROUND
from touchback.model.joints import Free
from touchback.model.model import Model
from touchback.model.show import kind_text, value_text
from touchback.symbolic.expression import Expr

_LONGEST = 26  # characters of a line
BODY, JOINT = "body", "joint"


@dataclass
class Thing:
    """A body, constraint or force: its kind, its name, a line about it, the bodies that it meets at
    ports (in the order A, B) and the joints in whose coordinates it acts."""

    kind: str
    name: str
    about: str
    bodies: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)
    active: bool = True

    @property
    def key(self) -> tuple[str, str]:
        """Names are shared by things of different kinds."""
        return self.kind, self.name


def things_of(model: Model) -> list[Thing]:
    """All things of a model: bodies first, the ground before them. A free joint ties nothing, so
    that it is there only where something acts in its coordinates."""
    flat = flatten(model)
    found = [Thing(BODY, GROUND, "")]
    for name, body in flat.bodies.items():
        unit = "" if isinstance(body.mass, Expr) else " kg"
        found.append(Thing(BODY, name, cut(f"{value_text(body.mass)}{unit}", _LONGEST)))
    others = list(_acting(flat))
    acted = {joint for thing in others for joint in thing.joints}
    for name, joint in flat.joints.items():
        if name in acted or not isinstance(joint.kind, Free):
            ends = [joint.parent.body, joint.child.body]
            found.append(Thing(JOINT, name, cut(kind_text(joint.kind), _LONGEST), ends))
    return found + others


def _acting(flat: Model) -> Iterator[Thing]:
    """Everything besides bodies and joints, in the order of a model's lists."""
    for name, closure in flat.closures.items():
        ends = [closure.a.body, closure.b.body]
        about = cut(kind_text(closure.kind), _LONGEST)
        yield Thing("closure", name, about, ends, [], closure.active)
    for kind in ("coupling", "constraint", "drive", "contact", "force"):
        for name, given in getattr(flat, f"{kind}s").items():
            bodies = list(dict.fromkeys(frame.body for frame in frames_of(given)))
            about = str(getattr(given.__struct_config__, "tag", None) or _written(given))
            joints = list(dict.fromkeys(_joints(flat, given, bool(bodies))))
            active = getattr(given, "active", True)
            yield Thing(kind, name, cut(about, _LONGEST), bodies, joints, active)


def _written(given: Any) -> str:
    """What a written constraint or a drive keeps."""
    if given.position is None:
        return "a velocity"
    return f"= {value_text(given.position)}" if hasattr(given, "joint") else "a position"


def _joints(flat: Model, given: Any, on_bodies: bool) -> Iterator[str]:
    """Joints that are named, and, of what acts on no body, those whose coordinates it reads."""
    named: list[str] = []

    def note(joint: str) -> str:
        named.append(coordinate_of(flat.joints, joint)[0])
        return joint

    mapped(given, lambda x: x, lambda x: x, note)
    yield from named
    if named or on_bodies:
        return
    reading = {f"{letter}:{full}": name for letter in "qv" for full, name in _coordinates(flat)}
    for expression in expressions_of(given):
        yield from (reading[name] for name in _symbols(expression) if name in reading)


def _coordinates(flat: Model) -> Iterator[tuple[str, str]]:
    for name, joint in flat.joints.items():
        for full in {*joint.position_names(name), *joint.velocity_names(name)}:
            yield full, name


def _symbols(expression: Expr) -> Iterator[str]:
    """Names of what an expression is made of."""
    tape = expression.tape
    seen, waiting = {abs(expression.id)}, [abs(expression.id)]
    while waiting:
        part = waiting.pop()
        if part in tape.names:
            yield str(tape.names[part])
        fresh = {abs(operand) for operand in tape.operands(part)} - seen
        seen |= fresh
        waiting += sorted(fresh)
