"""A joint of a model: its kind, the two frames it joins, and what acts in it."""

from typing import Any

from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.joints.base import JointKind
from touchback.model.joints.kinds import AnyJoint
from touchback.model.value import Data, Value, value


class Joint(Data, frozen=True):
    """Joins `child` to `parent`. Per velocity coordinate (a number counts for all): `damping` [N s/m, N m s/rad],
    `friction` [N, N m] (Coulomb, regularised over `friction_speed`), `armature` [kg, kg m²]; per joint with as many
    positions as velocities: `spring` stiffness about `rest`, `limits` (lower, upper) with `stop` (stiffness, damping).
    `position` and `velocity` are the initial coordinates."""

    kind: AnyJoint
    parent: Frame
    child: Frame
    spring: tuple[Value, ...] = ()
    rest: tuple[Value, ...] = ()
    damping: tuple[Value, ...] = ()
    friction: tuple[Value, ...] = ()
    friction_speed: Value = 1e-3
    armature: tuple[Value, ...] = ()
    limits: tuple[tuple[float, float], ...] = ()
    stop: tuple[Value, Value] | None = None
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


def spread(label: str, given: Any, count: int) -> tuple[Any, ...]:
    """A number for all coordinates, or one for each; nothing stays nothing."""
    if given is None:
        return ()
    if not isinstance(given, (list, tuple)):
        given = [given] * count
    if len(given) != count:
        raise ModelError(f"{label}: {count} values are expected, one a coordinate, got {len(given)}.")
    return tuple(value(label, item) for item in given)


def make_joint(name: str, kind: JointKind, parent: Frame, child: Frame, given: dict[str, Any]) -> Joint:
    """A checked joint from the keyword arguments of `Model.joint`."""
    label = f"Joint '{name}'"
    if not isinstance(kind, JointKind):
        raise ModelError(f"{label}: a joint kind such as tb.Revolute('z') is expected, got {kind!r}.")
    nq, nv = kind.nq, kind.nv
    for word in ("spring", "rest", "limits"):
        if given.get(word) is not None and nq != nv:
            raise ModelError(
                f"{label}: `{word}` needs plain coordinates, but {type(kind).__name__} has a "
                "quaternion; use tb.Bushing between its frames."
            )
    fields: dict[str, Any] = {
        word: spread(f"{label}: {word}", given.get(word), nv)
        for word in ("spring", "rest", "damping", "friction", "armature", "velocity")
    }
    fields["position"] = spread(f"{label}: position", given.get("position"), nq)
    for word in ("damping", "friction", "armature", "spring"):
        for item in fields[word]:
            if isinstance(item, float) and item < 0.0:
                raise ModelError(f"{label}: {word} is {item}; it must not be negative.")
    fields["limits"] = _limits(label, given.get("limits"), nv)
    if given.get("stop") is not None:
        if not fields["limits"]:
            raise ModelError(f"{label}: a stop needs limits; give `limits=(lower, upper)`.")
        fields["stop"] = tuple(value(f"{label}: stop", item) for item in given["stop"])
    fields["friction_speed"] = value(f"{label}: friction_speed", given.get("friction_speed", 1e-3))
    if isinstance(fields["friction_speed"], float) and fields["friction_speed"] <= 0.0:
        raise ModelError(
            f"{label}: friction_speed is {fields['friction_speed']}; it must be positive."
        )
    return Joint(kind=kind, parent=parent, child=child, **fields)


def _limits(label: str, given: Any, count: int) -> tuple[tuple[float, float], ...]:
    if given is None:
        return ()
    pairs = [given] * count if not hasattr(given[0], "__len__") else list(given)
    if len(pairs) != count:
        raise ModelError(f"{label}: {count} pairs of limits are expected, got {len(pairs)}.")
    for lower, upper in pairs:
        if not lower <= upper:
            raise ModelError(f"{label}: its lower limit {lower} is above its upper limit {upper}.")
    return tuple((float(lower), float(upper)) for lower, upper in pairs)
