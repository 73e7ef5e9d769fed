"""What a description names must be there: bodies of frames, joints and coordinates of forces and
sensors. Asked of a whole model, since things may be named before they are described."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from touchback.errors import ModelError
from touchback.model.field_traversal import frames_of
from touchback.model.forces import TorsionSpring
from touchback.model.frame import GROUND
from touchback.model.mode_grouping import mode_problems
from touchback.model.sensors import Multiplier, Reaction
from touchback.model.sensors.sensor_kinds import OfJoints
from touchback.names import suggestion

if TYPE_CHECKING:
    from touchback.model.model import Model

_SINGULAR = {
    "shapes": "Shape",
    "joints": "Joint",
    "forces": "Force",
    "contacts": "Contact",
    "closures": "Closure",
    "sensors": "Sensor",
    "parts": "Part",
    "modes": "Mode",
    "transitions": "Transition",
}

LABELS = {
    **_SINGULAR, "bodies": "Body", "couplings": "Coupling", "constraints": "Constraint",
    "drives": "Drive", "states": "State", "controls": "Control",
}  # fmt: skip
"""How messages begin that are about one of a section."""


def check_names(model: Model) -> None:
    """Refuse a model that names what isn't there, in its parts too."""
    for section, name, message in problems(model):
        raise ModelError(f"{_SINGULAR[section]} '{name}': {message}")
    for name, part in model.parts.items():
        try:
            check_names(part.model)
        except ModelError as error:
            raise ModelError(f"Part '{name}': {error}") from None


_LABEL = re.compile(r"([A-Z]\w+) '([^']+)'")


def place_in_file(model: Model, message: str) -> str:
    """Where a model file describes what a message begins with, as "arm.yaml, line 7, closures.pin";
    "" for a message about something else, or a model that was read from no file."""
    found = _LABEL.match(message)
    while found is not None:
        label, name = found[1], found[2]
        if place := model.places.get(f"{label} '{name}'"):
            return place
        prefix, slash, inner = name.partition("/")
        if not slash or prefix not in model.parts:
            break
        model, message = model.parts[prefix].model, f"{label} '{inner}'"
        found = _LABEL.match(message)
    return ""


def problems(model: Model) -> Iterator[tuple[str, str, str]]:
    """Section, name and complaint of everything that names what isn't there."""
    bodies, rows = [GROUND, *all_bodies(model)], all_rows(model)
    contacts = all_contacts(model)
    known, velocities = set(bodies), model.velocity_names()
    for section in _SINGULAR:
        for name, item in getattr(model, section).items():
            for frame in frames_of(item.at if section == "parts" else item):
                if frame.body not in known:
                    yield section, name, _no("body", frame.body, bodies)
            if section in ("forces", "sensors") and hasattr(item, "joint"):
                yield from ((section, name, said) for said in _joint_problems(model, item))
            for wanted in item.joints if isinstance(item, OfJoints) else ():
                if wanted not in velocities:
                    yield section, name, _no("velocity coordinate", wanted, velocities)
            if hasattr(item, "contact") and item.contact not in contacts:
                yield section, name, _no("contact", item.contact, contacts)
            if isinstance(item, Multiplier) and item.row not in rows:
                yield section, name, _no("constraint row", item.row, rows)
    if model.modes or model.transitions:
        yield from mode_problems(model, all_constraints(model), all_states(model))


def all_bodies(model: Model) -> list[str]:
    """Bodies of a model and, as "part/name", of its parts."""
    inner = [
        f"{prefix}/{name}"
        for prefix, part in model.parts.items()
        for name in all_bodies(part.model)
    ]
    return [*model.bodies, *inner]


def all_closures(model: Model) -> list[str]:
    """Closures of a model and, as "part/name", of its parts."""
    inner = [
        f"{prefix}/{name}"
        for prefix, part in model.parts.items()
        for name in all_closures(part.model)
    ]
    return [*model.closures, *inner]


def all_contacts(model: Model) -> list[str]:
    """Forces of a model that are contacts and, as "part/name", of its parts."""
    own = [name for name, force in model.forces.items() if force.TOUCHES]
    inner = [
        f"{prefix}/{name}"
        for prefix, part in model.parts.items()
        for name in all_contacts(part.model)
    ]
    return [*own, *inner]


def all_rows(model: Model) -> list[str]:
    """Constraint rows of a model and, as "part/name", of its parts."""
    own = [row for rows in model.constraint_rows().values() for row in rows]
    inner = [
        f"{prefix}/{row}" for prefix, part in model.parts.items() for row in all_rows(part.model)
    ]
    return [*own, *inner]


def all_constraints(model: Model) -> list[str]:
    """Constraints of a model and, as "part/name", of its parts."""
    inner = [
        f"{prefix}/{name}"
        for prefix, part in model.parts.items()
        for name in all_constraints(part.model)
    ]
    return [*model.constraint_rows(), *inner]


def all_states(model: Model) -> list[str]:
    """What a reset may set: "q:joint", "v:joint" and extra states, those of parts included."""
    states = {*_states(model)}
    return [
        name for name in model.signal_names() if name.startswith(("q:", "v:")) or name in states
    ]


def _states(model: Model) -> list[str]:
    inner = [f"{prefix}/{x}" for prefix, part in model.parts.items() for x in _states(part.model)]
    return [*model.states, *inner]


def _joint_problems(model: Model, item: Any) -> Iterator[str]:
    joints = model.all_joints()
    if isinstance(item, Reaction) and item.joint in all_closures(model):
        return
    if item.joint not in joints:
        yield _no("joint", item.joint, joints)
        return
    kind = joints[item.joint].kind
    if isinstance(item, TorsionSpring) and kind.nq != kind.nv:
        yield (
            f"joint '{item.joint}' has a quaternion, from which a torsion spring can't measure an "
            "angle; use tb.Bushing between its frames."
        )
    index, count = getattr(item, "index", 0), kind.nv
    if hasattr(item, "index") and index >= count:
        yield (
            f"joint '{item.joint}' has {count} coordinate(s), numbered from 0; there is none "
            f"numbered {index}."
        )


def _no(kind: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {kind} '{name}'; {suggestion(name, known)}"
