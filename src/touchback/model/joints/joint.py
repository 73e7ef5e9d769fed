"""A joint of a model: its kind, the two frames it joins, and what acts in it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from touchback.errors import ModelError
from touchback.model.field_traversal import normalise_fields
from touchback.model.frame import Frame
from touchback.model.joints.base import JointKind
from touchback.model.value_or_expression import (
    Components,
    Data,
    Value,
    Values,
    is_number,
    list_items,
    number,
    value,
)
from touchback.names import unknown


class Joint(Data, frozen=True):
    """Joins `child` to `parent`. Per velocity coordinate (a number counts for all): `damping` [N
    s/m, N m s/rad], `friction` [N, N m] (Coulomb, regularised over `friction_speed`), `armature`
    [kg, kg m²]; per joint with as many positions as velocities: `spring` stiffness about `rest`,
    `limits` (lower, upper), at which a stop holds it: `stop` (stiffness, damping); without one a
    default stop, as stiff as the moved inertia and a step of 1 ms allow; with `stop=False` nothing.
    Limits given as numbers are parameters of the model, "… low" and "… high".
    `position` and `velocity` are the initial coordinates."""

    kind: JointKind
    parent: Frame
    child: Frame
    spring: tuple[Value, ...] = ()
    rest: tuple[Value, ...] = ()
    damping: tuple[Value, ...] = ()
    friction: tuple[Value, ...] = ()
    friction_speed: Value = 1e-3
    armature: tuple[Value, ...] = ()
    limits: tuple[tuple[Value, Value], ...] = ()
    stop: tuple[Value, Value] | bool | None = None
    position: tuple[float, ...] = ()
    velocity: tuple[float, ...] = ()

    def initial_position(self) -> list[float]:
        """Initial q: as given, else no displacement."""
        return list(self.position) or self.kind.neutral()

    def initial_velocity(self) -> list[float]:
        """Initial v: as given, else at rest."""
        return list(self.velocity) or [0.0] * self.kind.nv

    def position_names(self, name: str) -> list[str]:
        """Full names of the coordinates of the joint called `name`."""
        return [f"{name}.{suffix}" if suffix else name for suffix in self.kind.position_names()]

    def velocity_names(self, name: str) -> list[str]:
        """Full names of the velocities of the joint called `name`."""
        return [f"{name}.{suffix}" if suffix else name for suffix in self.kind.velocity_names()]


class JointOptions(TypedDict, total=False):
    """What `Model.joint` takes besides the frames; see `Joint`."""

    spring: Values | None
    rest: Values | None
    damping: Values | None
    friction: Values | None
    friction_speed: Value | None
    armature: Values | None
    limits: Sequence[Value] | Sequence[Sequence[Value]] | np.ndarray | None
    stop: Components | bool | None
    position: Values | None
    velocity: Values | None


OPTIONS = tuple(JointOptions.__annotations__)


def make_joint(
    name: str, kind: JointKind, parent: Frame, child: Frame, given: Mapping[str, object]
) -> Joint:
    """A checked joint from the keyword arguments of `Model.joint`."""
    label = f"Joint '{name}'"
    if not isinstance(kind, JointKind):
        raise ModelError(
            f"{label}: a joint kind such as tb.Revolute('z') is expected, got {kind!r}."
        )
    for word in given:
        if word not in OPTIONS:
            raise unknown("option", word, OPTIONS, where=label)
    given = {word: item for word, item in given.items() if item is not None}
    _refuse_where_quaternions_are(label, kind, given)
    fields: dict[str, Any] = {
        word: _spread(f"{label}: {word}", given.get(word), kind.velocity_names())
        for word in ("spring", "rest", "damping", "friction", "armature")
    }
    for word in ("spring", "damping", "friction", "armature"):
        _refuse_negative(f"{label}: {word}", fields[word])
    for word, names in (("position", kind.position_names()), ("velocity", kind.velocity_names())):
        items = _spread(f"{label}: {word}", given.get(word), names)
        fields[word] = tuple(number(f"{label}: {word}", item) for item in items)
    _check_quaternions(label, kind, fields["position"])
    fields["limits"] = _limits(f"{label}: limits", given.get("limits"), kind.nv)
    if "stop" in given:
        fields["stop"] = _stop(label, given["stop"], bool(fields["limits"]))
    if "friction_speed" in given:
        fields["friction_speed"] = _friction_speed(label, given["friction_speed"])
    return Joint(kind=normalise_fields(label, kind), parent=parent, child=child, **fields)


def _spread(label: str, given: object, names: tuple[str, ...]) -> tuple[Value, ...]:
    """A number for all coordinates, or one for each, by their names; nothing stays nothing."""
    count = len(names)
    if given is None:
        return ()
    items = list_items(given)
    if items is None:
        items = [given] * count
    if len(items) != count:
        order = f" ({', '.join(names)})" if count > 1 else ""
        raise ModelError(
            f"{label}: {count} value(s) are expected, one a coordinate{order}, got {len(items)}."
        )
    return tuple(value(label, item) for item in items)


def _refuse_negative(label: str, items: Iterable[Value]) -> None:
    for item in items:
        if is_number(item) and item < 0.0:
            raise ModelError(f"{label} is {item}; it must not be negative.")


def _refuse_where_quaternions_are(label: str, kind: JointKind, given: Mapping[str, object]) -> None:
    for word in ("spring", "rest", "limits"):
        if word in given and kind.nq != kind.nv:
            raise ModelError(
                f"{label}: `{word}` needs plain coordinates, but {type(kind).__name__} has a "
                "quaternion; use tb.Bushing between its frames."
            )


def _check_quaternions(label: str, kind: JointKind, position: tuple[float, ...]) -> None:
    start = 0
    for motion in kind.motions():
        own = position[start : start + motion.nq]
        start += motion.nq
        quaternion = motion.quaternion(own) if own else None
        if quaternion is not None and not any(quaternion):
            raise ModelError(
                f"{label}: the quaternion in its position is zero, which is no rotation; "
                "no rotation is (1, 0, 0, 0)."
            )


def _limits(label: str, given: object, count: int) -> tuple[tuple[Value, Value], ...]:
    """(lower, upper) for all coordinates, or a pair for each."""
    if given is None:
        return ()
    items = list_items(given)
    if items is None:
        raise ModelError(f"{label}: (lower, upper) is expected, got {given!r}.")
    pairs = [list_items(item) for item in items]
    if all(pair is None for pair in pairs):
        pairs = [items] * count
    if len(pairs) != count or any(pair is None or len(pair) != 2 for pair in pairs):
        raise ModelError(
            f"{label}: (lower, upper) is expected, or {count} such pairs, got {given!r}."
        )
    checked = [(value(label, pair[0]), value(label, pair[1])) for pair in pairs if pair]
    for lower, upper in checked:
        if is_number(lower) and is_number(upper) and lower > upper:
            raise ModelError(
                f"{label}: the lower one, {lower}, is above the upper one, {upper}; swap them."
            )
    return tuple(checked)


def _stop(label: str, given: object, limited: bool) -> tuple[Value, Value] | bool | None:
    """Stiffness and damping; False for no stop, None for the default one."""
    if isinstance(given, bool):
        return None if given or not limited else False
    if not limited:
        raise ModelError(f"{label}: a stop needs limits; give `limits=(lower, upper)` too.")
    items = list_items(given)
    if items is None or len(items) != 2:
        raise ModelError(
            f"{label}: stop: (stiffness, damping) is expected, or False for none, got {given!r}."
        )
    stiffness, damping = (value(f"{label}: stop", item) for item in items)
    _refuse_negative(f"{label}: stop", (stiffness, damping))
    return stiffness, damping


def _friction_speed(label: str, given: object) -> Value:
    speed = value(f"{label}: friction_speed", given)
    if is_number(speed) and speed <= 0.0:
        raise ModelError(
            f"{label}: friction_speed is {speed}; it must be positive: below it, friction grows "
            "in proportion to the speed."
        )
    return speed


def limit_names(coordinate: str) -> tuple[str, str]:
    """The parameters that hold the limits of a coordinate which were given as numbers."""
    return f"{coordinate} low", f"{coordinate} high"
