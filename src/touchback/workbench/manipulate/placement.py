"""Where a joint sits on the body that carries it, as numbers that people type (Wang 2011, Fig. 4).

Denavit–Hartenberg parameters go from the axis of the joint that carries that body (on the ground:
its z axis) to the joint's own axis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.model import Model
from touchback.model.frame import AXES, GROUND, Frame, frame_at
from touchback.model.joints import JointKind
from touchback.model.joints.base import rotation_to
from touchback.model.value import Value, is_number
from touchback.recording import unknown_name
from touchback.spatial.placement import (
    SEQUENCES,
    DenavitHartenberg,
    check_sequence,
    denavit_hartenberg,
    euler_angles,
    turn_matrix,
)
from touchback.workbench.manipulate.here import Here
from touchback.workbench.manipulate.kinds import axis_of
from touchback.workbench.manipulate.messages import Edit

Pose = tuple[np.ndarray, np.ndarray]  # rotation matrix and position


@dataclass(frozen=True)
class Placing:
    """A model as it is described, without what a run froze into it, and where the run is."""

    model: Model
    now: Here

    def facts(self, name: str) -> dict[str, object]:
        """The placement of a joint in every way to write it."""
        self._check(name)
        R, p = self._pose(self.model.joints[name].parent)
        found = self._from_before(name)
        return {
            "at": p.tolist(),
            "angles": {sequence: euler_angles(sequence, R) for sequence in SEQUENCES},
            "parameters": [found.a, found.alpha, found.d, found.theta],
            "before": self._before(name) or GROUND,
        }

    def frame(self, asked: Edit) -> Frame:
        """The frame on the carrying body that an edit asks for."""
        name = asked.joint
        self._check(name)
        joint = self.model.joints[name]
        body = joint.parent.body
        if asked.by == "euler":
            check_sequence(asked.sequence)
            turn = list(zip(asked.sequence, asked.angles, strict=True))
            return frame_at(body, *asked.at, turn)
        a, alpha, d, theta = asked.parameters
        wanted = replace(self._from_before(name), a=a, alpha=alpha, d=d, theta=theta)
        R_before, p_before = self._axis_before(name)
        R, p = wanted.pose()
        R = R_before @ R @ _to_axis(joint.kind).T
        turn = list(zip("xyz", euler_angles("xyz", R), strict=True))
        x, y, z = map(float, p_before + R_before @ p)
        return frame_at(body, x, y, z, turn)

    def _check(self, name: str) -> None:
        if name not in self.model.joints:
            raise unknown_name("joint", name, self.model.joints)

    def _before(self, name: str) -> str | None:
        """The joint that carries the body on which a joint sits; None on the ground."""
        body, joints = self.model.joints[name].parent.body, self.model.joints
        return next((n for n, each in joints.items() if each.child.body == body), None)

    def _from_before(self, name: str) -> DenavitHartenberg:
        joint = self.model.joints[name]
        R, p = self._pose(joint.parent)
        R_before, p_before = self._axis_before(name)
        own = R @ _to_axis(joint.kind)
        return denavit_hartenberg(R_before.T @ own, R_before.T @ (p - p_before))

    def _axis_before(self, name: str) -> Pose:
        """The frame on the carrying body whose z axis is the axis before."""
        before = self._before(name)
        if before is None:
            return np.eye(3), np.zeros(3)
        joint = self.model.joints[before]
        R, p = self._pose(joint.child)
        return R @ _to_axis(joint.kind), p

    def _pose(self, frame: Frame) -> Pose:
        """A frame in its body."""
        R = np.eye(3)
        for axis, angle in frame.turn:
            R = R @ turn_matrix(AXES[axis], self._value(angle))
        return R, np.array([self._value(x) for x in frame.at])

    def _value(self, given: Value) -> float:
        if is_number(given):
            return float(given)
        return float(float_instant(self.model, self.now.q, self.now.parameters).value(given))


def _to_axis(kind: JointKind) -> np.ndarray:
    """A rotation whose third column is the kind's axis; none where it has no axis."""
    axis = axis_of(kind)
    return np.eye(3) if axis is None else rotation_to(np.array(axis))
