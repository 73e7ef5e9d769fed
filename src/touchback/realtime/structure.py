"""From one structure of a mechanism to another: which coordinates go on, and what freezes.

Joints of the same name between the same bodies are compared by their elementary motions: a
cylindrical joint slides, then turns; a revolute one of the same axis only turns. What the new joint
doesn't have freezes where it is: its coordinate becomes a live parameter that places the joint's
frame, named like the coordinate ("hinge.slide"). A later structure that has the freedom again
takes it up from there.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace

from touchback.errors import InputError
from touchback.model import Frame, Model
from touchback.model.joints import Joint, JointKind
from touchback.model.joints.motion import (
    FreeMotion,
    Helix,
    Motion,
    QuaternionTurn,
    SlideAlong,
    TurnAbout,
)
from touchback.model.part import composed
from touchback.model.signals import Parameter
from touchback.spatial import quaternion_matrix
from touchback.symbolic.functions import atan2, sqrt
from touchback.symbolic.scalars import Operators

Step = Motion | np.ndarray
STATE, PARAMETER = "state", "parameter"


@dataclass(frozen=True)
class Source:
    """Where the run has a coordinate at present: in its state, or frozen in a parameter."""

    kind: str
    name: str


@dataclass(frozen=True)
class KnownJoint:
    """A joint with all freedoms that it ever had in this run: a source for each position, and the
    present name of each velocity (None: frozen)."""

    kind: JointKind
    ends: tuple[str, str]
    positions: tuple[Source, ...]
    velocities: tuple[str | None, ...]


@dataclass(frozen=True)
class Structure:
    """A model with placements for what was frozen, the sources of its positions and velocities
    (those that are not here start anew) and of its new parameters, and what is known of its
    joints."""

    model: Model
    positions: dict[str, Source]
    velocities: dict[str, str]
    frozen: dict[str, Source]
    joints: dict[str, KnownJoint]


def joints_of(model: Model) -> dict[str, KnownJoint]:
    """What is known of the joints of a run's first structure."""
    return {name: _known(name, joint) for name, joint in model.joints.items()}


def follow(known: dict[str, KnownJoint], new: Model, now: Callable[[Source], float]) -> Structure:
    """How a run with these joints goes on as another (flat) model; `now` tells where coordinates
    are about, which new parameters have as their defaults."""
    model = copy(new)
    model.joints, model.parameters = dict(new.joints), dict(new.parameters)
    found = Structure(model, {}, {}, {}, {})
    for name, joint in new.joints.items():
        before = known.get(name)
        found.joints[name] = _known(name, joint)
        if before is None or before.ends != _ends(joint):
            continue
        fit = _fit(before.kind.steps(), joint.kind.steps())
        for own, place in zip(_part(joint.position_names(name), fit.kept_new.q), fit.kept_old.q):
            found.positions[own] = before.positions[place]
        for own, place in zip(_part(joint.velocity_names(name), fit.kept_new.v), fit.kept_old.v):
            source = before.velocities[place]
            if source is not None:
                found.velocities[own] = source
        gone = [before.positions[place] for place in fit.gone.q]
        if gone and all(each.kind == PARAMETER and each.name in new.parameters for each in gone):
            found.joints[name] = before  # the model is placed there already
        elif fit.removed:
            found.joints[name] = _freeze(found, name, before, fit, now)
    return found


def _part(names: list[str], places: range) -> list[str]:
    return names[places.start : places.stop]


def _ends(joint: Joint) -> tuple[str, str]:
    return joint.parent.body, joint.child.body


def _known(name: str, joint: Joint) -> KnownJoint:
    positions = tuple(Source(STATE, full) for full in joint.position_names(name))
    return KnownJoint(joint.kind, _ends(joint), positions, tuple(joint.velocity_names(name)))


# ---- comparing motions --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Places:
    """Places of positions and velocities within a joint."""

    q: range
    v: range


@dataclass(frozen=True)
class _Fit:
    """What stays, by its places in the new joint and the old one; the old steps that go, with the
    places of their coordinates, and the side of the joint they are on."""

    kept_new: _Places
    kept_old: _Places
    removed: list[Step]
    gone: _Places
    at_child: bool = False


def _fit(old: list[Step], new: list[Step]) -> _Fit:
    more, fewer = len(old) - len(new), len(new) - len(old)
    all_old, all_new, none = _places(old), _places(new), _places([])
    if more >= 0:
        if _same(old[more:], new):
            return _Fit(all_new, _places(old, more), old[:more], _places(old, 0, more))
        if _same(old[: len(new)], new):
            gone = _places(old, len(new))
            return _Fit(all_new, _places(old, 0, len(new)), old[len(new) :], gone, at_child=True)
    elif _same(new[fewer:], old):
        return _Fit(_places(new, fewer), all_old, [], none)
    elif _same(new[: len(old)], old):
        return _Fit(_places(new, 0, len(old)), all_old, [], none)
    return _Fit(none, none, old, all_old)


def _places(steps: list[Step], start: int = 0, stop: int | None = None) -> _Places:
    """The places of the coordinates of steps `start` to `stop`."""
    before = [step for step in steps[:start] if isinstance(step, Motion)]
    within = [step for step in steps[start:stop] if isinstance(step, Motion)]
    q, v = sum(step.nq for step in before), sum(step.nv for step in before)
    return _Places(
        range(q, q + sum(step.nq for step in within)),
        range(v, v + sum(step.nv for step in within)),
    )


def _same(a: list[Step], b: list[Step]) -> bool:
    return all(_same_step(x, y) for x, y in zip(a, b, strict=True))


def _same_step(a: Step, b: Step) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return False
    if isinstance(a, Helix) and isinstance(b, Helix):  # a pitch may be an expression
        return a.axis == b.axis and str(a.pitch) == str(b.pitch)
    return a == b


# ---- freezing -----------------------------------------------------------------------------------


def _freeze(
    found: Structure, name: str, before: KnownJoint, fit: _Fit, now: Callable[[Source], float]
) -> KnownJoint:
    """Gives a joint of the model the placement that its removed motions left it at; returns what
    is known of it from then on."""
    joint = found.model.joints[name]
    positions, velocities = list(before.positions), list(before.velocities)
    for own, place in zip(joint.position_names(name), fit.kept_old.q):
        positions[place] = Source(STATE, own)
    for own, place in zip(joint.velocity_names(name), fit.kept_old.v):
        velocities[place] = own
    words, units = before.kind.position_names(), before.kind.position_units()
    values: list[Any] = []
    for place in fit.gone.q:
        full = f"{name}.{words[place]}" if words[place] else name
        if full in joint.position_names(name):
            full += " before"
        source = before.positions[place]
        found.frozen[full] = source
        values.append(_parameter(found.model, full, Parameter(now(source), units[place]), name))
        positions[place] = Source(PARAMETER, full)
    for place in fit.gone.v:
        velocities[place] = None
    frame = joint.child if fit.at_child else joint.parent
    for piece in _pieces(frame.body, fit.removed, values, fit.at_child):
        frame = composed(frame, piece)
    side = "child" if fit.at_child else "parent"
    found.model.joints[name] = replace(joint, **{side: frame})
    return KnownJoint(before.kind, before.ends, tuple(positions), tuple(velocities))


def _parameter(model: Model, name: str, parameter: Parameter, joint: str) -> Any:
    if name in model.signal_names():
        raise InputError(
            f"Joint '{joint}': where it stands would be kept in a parameter '{name}', but another "
            "signal has that name; rename it."
        )
    model.parameters[name] = parameter
    return model.signal(name)


def _pieces(body: str, steps: list[Step], values: list[Any], inverse: bool) -> list[Frame]:
    """The steps as frames one after another, or back again."""
    frames, place = [], 0
    for step in steps:
        own: list[Any] = []
        if isinstance(step, Motion):
            own = values[place : place + step.nq]
            place += step.nq
        frames.append(_piece(body, step, own))
    if not inverse:
        return frames
    return [_inverted(frame) for frame in reversed(frames)]


def _piece(body: str, step: Step, q: list[Any]) -> Frame:
    zero: tuple[Any, Any, Any] = (0.0, 0.0, 0.0)
    if isinstance(step, np.ndarray):
        return Frame(body, zero, _turns(step.tolist()))
    if isinstance(step, SlideAlong):
        return Frame(body, _along(step.axis, q[0]))
    if isinstance(step, TurnAbout):
        return Frame(body, zero, (("xyz"[step.axis], q[0]),))
    if isinstance(step, Helix):
        return Frame(body, _along(step.axis, step.pitch * q[0]), (("xyz"[step.axis], q[0]),))
    if isinstance(step, QuaternionTurn):
        return Frame(body, zero, _turns(quaternion_matrix(Operators(), q)))
    if isinstance(step, FreeMotion):
        return Frame(body, tuple(q[:3]), _turns(quaternion_matrix(Operators(), q[3:])))
    raise InputError(f"A motion of kind {type(step).__name__} can't be frozen; keep that joint.")


def _along(axis: int, way: Any) -> tuple[Any, Any, Any]:
    x, y, z = (way if i == axis else 0.0 for i in range(3))
    return x, y, z


def _turns(R: Any) -> tuple[tuple[str, Any], ...]:
    """A rotation matrix as turns about x, y and z."""
    flat = sqrt(R[0][0] * R[0][0] + R[0][1] * R[0][1])
    return (
        ("x", atan2(-R[1][2], R[2][2])),
        ("y", atan2(R[0][2], flat)),
        ("z", atan2(-R[0][1], R[0][0])),
    )


def _inverted(frame: Frame) -> Frame:
    """Of a slide, a turn, or both along one axis."""
    x, y, z = frame.at
    return Frame(
        frame.body, (-x, -y, -z), tuple((axis, -angle) for axis, angle in reversed(frame.turn))
    )
