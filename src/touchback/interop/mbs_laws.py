"""What ROBOTRAN's user functions say: laws that are no part of a .mbs file, given beside it as
numbers, expressions or Python functions of signals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from touchback.arguments import check_takes
from touchback.errors import ModelError
from touchback.interop.naming import safe_names
from touchback.interop.notes import Notes
from touchback.model import Frame, Model
from touchback.model.forces import JointEffort, LinkForce, Wrench
from touchback.model.names import unknown
from touchback.model.sensors import Position, Velocity
from touchback.model.value import Value
from touchback.symbolic.expression import Expr

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
