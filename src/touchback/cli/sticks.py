"""Stick figures: where the lines of a mechanism run, at one instant or at all of a run at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchback.dynamics import Coordinates, Instant
from touchback.model.body import Body
from touchback.model.forces import LinkForce, SpringDamper
from touchback.model.frame import Frame
from touchback.model.model import Model
from touchback.model.value import is_number
from touchback.model.walk import frames_of
from touchback.symbolic.scalars import Operators
from touchback.system import System

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sticks:
    """World coordinates [m] at each of T instants: `lines` (S, T, 2, 3), `joints` (J, T, 3)."""

    lines: Floats
    joints: Floats

    def points(self) -> Floats:
        """Every point of every instant, (N, 3)."""
        return np.concatenate([self.lines.reshape(-1, 3), self.joints.reshape(-1, 3)])

    def at(self, instant: int) -> tuple[Floats, Floats]:
        """Lines (S, 2, 3) and joints (J, 3) of one instant."""
        return self.lines[:, instant], self.joints[:, instant]


def sticks(system: System, q: Floats) -> Sticks:
    """The figure for positions q of shape (T, nq): the mechanics runs on whole columns of them."""
    model, count = system.model, len(q)
    at = Coordinates(
        list(q.T),
        [np.zeros(count)] * len(system.velocities),
        dict.fromkeys(model.states, 0.0),
        {name: given.default for name, given in model.inputs.items()},
        0.0,
        system.parameters,
    )
    instant = Instant(model, Operators(), at)

    def places(frame: Frame) -> Floats:
        return np.stack([np.broadcast_to(x, (count,)) for x in instant.position(frame)], axis=1)

    lines = [np.stack([places(a), places(b)], axis=1) for a, b in _pairs(model)]
    joints = [places(joint.child) for joint in model.joints.values()]
    return Sticks(
        np.array(lines, dtype=float).reshape(-1, count, 2, 3),
        np.array(joints, dtype=float).reshape(-1, count, 3),
    )


def _pairs(model: Model) -> list[tuple[Frame, Frame]]:
    """The two ends of every line: through bodies from joint to joint, along rails, springs and
    ropes, and crosses for bodies that tumble."""
    pairs = []
    for name, joint in model.joints.items():
        body = joint.child.body
        ends = _ends(model, body, name)
        pairs += [(joint.child, end) for end in ends]
        if joint.kind.nq == joint.kind.nv:
            pairs.append((joint.parent, joint.child))
        else:
            pairs += _cross(body, model.bodies[body])
    return pairs + [
        (force.a, force.b)
        for force in model.forces.values()
        if isinstance(force, SpringDamper | LinkForce)
    ]


def _ends(model: Model, body: str, inlet: str) -> list[Frame]:
    """Where lines from a body's joint lead to: next joints, loops, sensors and forces, else its
    mass."""
    ends = [
        joint.parent
        for name, joint in model.joints.items()
        if joint.parent.body == body and name != inlet
    ]
    kinds = [*model.forces.values(), *model.closures.values(), *model.sensors.values()]
    ends += [frame for kind in kinds for frame in frames_of(kind) if frame.body == body]
    return ends or [Frame(body, model.bodies[body].com)]


def _cross(name: str, body: Body) -> list[tuple[Frame, Frame]]:
    """Half axes a of the cuboid with the same inertia: a_x² = 3 (I_y + I_z − I_x)/(2 m)."""
    given: list[Any] = [body.mass, *body.inertia[:3], *body.com]
    if not all(is_number(x) for x in given) or not given[0]:
        return []
    numbers = np.array(given, dtype=float)
    mass, moments, com = numbers[0], numbers[1:4], numbers[4:]
    halves = np.sqrt(np.maximum(1.5 * (moments.sum() - 2 * moments) / mass, 0.0))
    return [
        (Frame(name, tuple(com - half * unit)), Frame(name, tuple(com + half * unit)))
        for half, unit in zip(halves, np.eye(3))
    ]
