"""A model as links and elementary joints, in numbers: what robot files can say of it.

Each link has the frame in which its own joint moves it, so that joints are at its origin."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import numpy as np

from touchback import Body, Expr, Frame, Model
from touchback.dynamics import float_instant
from touchback.errors import InputError
from touchback.interop.rigid_pose import HERE, Floats, Pose, about, at
from touchback.model import (
    AXES,
    GROUND,
    FreeMotion,
    Joint,
    Motion,
    QuaternionTurn,
    SlideAlong,
    TurnAbout,
    Value,
    flatten,
    in_si,
)
from touchback.symbolic import Operators, Translator

_KINDS: dict[type[Motion], str] = {
    TurnAbout: "turn", SlideAlong: "slide", QuaternionTurn: "ball", FreeMotion: "free",
}  # fmt: skip


class ExportNotice(UserWarning):
    """A written file says less than the model."""


@dataclass
class Freedom:
    """An elementary motion of a joint: "turn" or "slide" along an axis of the link, "ball", "free";
    its first velocity's place in the joint."""

    kind: str
    axis: Floats
    index: int


@dataclass
class Link:
    """A body, carried by its joint at a place of another link."""

    name: str
    joint: str
    data: Joint
    carrier: str
    place: Pose
    freedoms: list[Freedom]
    own: Pose  # the link's frame in the body's
    carried: list[str] = field(default_factory=list)


class Mechanism:
    """A flat model in numbers, at the defaults of its parameters."""

    def __init__(self, model: Model) -> None:
        self.model = flatten(model)
        self.instant = float_instant(model)
        self.left_out: list[str] = []
        self.frames: dict[str, Pose] = {GROUND: HERE}
        for joint in self.model.joints.values():
            self.frames[joint.child.body] = self._pose(joint.child)
        self.links = {
            joint.child.body: self._link(name) for name, joint in self.model.joints.items()
        }
        self.roots: list[str] = []
        for name, link in self.links.items():
            carried = self.roots if link.carrier == GROUND else self.links[link.carrier].carried
            carried.append(name)

    def number(self, given: Value) -> float:
        """A described value; one that moves with the mechanism is taken where it begins."""
        return float(self.instant.value(given))

    def numbers(self, given: Sequence[Value]) -> list[float]:
        """Several of them."""
        return [self.number(each) for each in given]

    def leave_out(self, what: str) -> None:
        """Remember what the file doesn't say."""
        self.left_out.append(what)

    def place(self, frame: Frame) -> Pose:
        """A frame of a body, in its link's frame."""
        return self.frames[frame.body].inverse() @ self._pose(frame)

    def inertia(self, name: str) -> tuple[float, Floats, Floats]:
        """Mass, centre of mass and moments about it along the link's axes."""
        body: Body = self.model.bodies[name]
        J = np.array([self.numbers(row) for row in body.tensor()])
        own = self.frames[name].inverse()
        com = own @ at(self.numbers(body.com))
        return self.number(body.mass), com.p, own.R @ J @ own.R.T

    def massless(self, name: str) -> bool:
        """Whether a body is only between joints."""
        mass, _, J = self.inertia(name)
        return mass == 0.0 and not J.any()

    def start(self, name: str) -> list[float]:
        """The initial coordinates of a joint."""
        return self.model.joints[name].initial_position()

    def _pose(self, frame: Frame) -> Pose:
        R = np.eye(3)
        for axis, angle in frame.turn:
            R = R @ about(np.eye(3)[AXES[axis]], self.number(angle))
        return at(self.numbers(frame.at), R)

    def _link(self, name: str) -> Link:
        joint = self.model.joints[name]
        body, carrier = joint.child.body, joint.parent.body
        freedoms, R, index = [], np.eye(3), 0
        for step in reversed(joint.kind.steps()):  # axes as the link sees them before it moves
            if not isinstance(step, Motion):
                R = np.asarray(step) @ R
                continue
            kind = _KINDS.get(type(step))
            if kind is None:
                raise InputError(
                    f"Joint '{name}': a {type(joint.kind).__name__} is no joint of robot files; "
                    "turns, slides and balls are."
                )
            axis = np.eye(3)[step.axis] if isinstance(step, TurnAbout | SlideAlong) else np.zeros(3)
            freedoms.append(Freedom(kind, R.T @ axis, 0))
        freedoms.reverse()
        for freedom, motion in zip(freedoms, joint.kind.motions(), strict=True):
            freedom.index, index = index, index + motion.nv
        return Link(
            body, name, joint, carrier, self.place(joint.parent), freedoms, self.frames[body]
        )

    def check(self) -> None:
        """Note what no robot file can say."""
        model = self.model
        base = model.base
        if base.turn or any(self.numbers(base.position)):
            self.leave_out("the motion of the ground")
        if model.modes:
            self.leave_out("modes and their transitions")
        for word in ("controls", "states", "tables", "contacts"):
            for name in getattr(model, word):
                self.leave_out(f"{word[:-1]} '{name}'")

    def tell(self, kind: str) -> str:
        """What is left out, as a comment for the file; also warned of."""
        if not self.left_out:
            return ""
        text = f"{kind} doesn't say of '{self.model.name}':\n  " + "\n  ".join(self.left_out)
        warnings.warn(text, ExportNotice, stacklevel=4)
        return text


def words(numbers: Iterable[float]) -> str:
    """Numbers as attributes have them, every digit kept."""
    return " ".join(repr(float(number) + 0.0) for number in numbers)  # no -0.0


def text_of(root: ElementTree.Element, said: str) -> str:
    """The file's text, with what it doesn't say as a comment on top."""
    ElementTree.indent(root)
    comment = said.replace("--", "- -")
    top = f"<!-- {comment} -->\n" if comment else ""
    return f'<?xml version="1.0" encoding="utf-8"?>\n{top}{ElementTree.tostring(root, "unicode")}\n'


_TRIALS = (0.0, 1.0, -2.5)


class _Other(Exception):
    """It depends on more than parameters and one input."""


def motor_of(mechanism: Mechanism, effort: Value) -> tuple[str, float] | None:
    """The input and the gear with effort = gear · input; None for other laws."""
    if not isinstance(effort, Expr):
        return None
    met: set[str] = set()
    model = mechanism.model

    def at(trial: float) -> float:
        def number(symbol: object) -> float:
            name = str(symbol)
            if name in model.parameters:
                given = model.parameters[name]
                return in_si(given.unit, given.default)
            if name not in model.inputs or name in model.driven_inputs():
                raise _Other
            met.add(name)
            return in_si(model.inputs[name].unit, trial)

        found: Any = Translator(effort.tape, Operators(), number)(effort.id)
        return float(found)

    try:
        none, one, other = (at(trial) for trial in _TRIALS)
    except _Other:
        return None
    if len(met) != 1 or none != 0.0 or abs(other - _TRIALS[2] * one) > 1e-12 * abs(one):
        return None
    return met.pop(), one
