"""Pinocchio on loops: constraintDynamics with three-dimensional contacts as pins, from Python.

Its constraints act on accelerations, with a corrector on position and velocity (Baumgarte's) at the
critical 1/(5 steps). A step is classical Runge–Kutta: four calls. Only calls of constraintDynamics
are timed; the note says how much of one is the way from Python into C++.
"""

from functools import cache
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.engines.build import Unavailable
from benchmarks.engines.loop_engine import Quality, judge
from benchmarks.planar_loops import GROUND, PlanarLoops
from benchmarks.report import microseconds
from benchmarks.timing import Floats


class Pinocchio:
    """A model and its constraints."""

    def __init__(
        self, mechanism: PlanarLoops, system: Any, state: tuple[Floats, Floats], step: float
    ) -> None:
        try:
            import pinocchio
        except ImportError:
            raise Unavailable("the package pin is not installed") from None
        self.name = "Pinocchio, RK4"
        self.pin, self.mechanism, self.system = pinocchio, mechanism, system
        self.step = step
        self.model, self.joints = _model(pinocchio, mechanism)
        self.places = [self.model.joints[joint].idx_q for joint in self.joints]
        self.q0, self.v0 = np.zeros(self.model.nq), np.zeros(self.model.nv)
        self.q0[self.places], self.v0[self.places] = state
        self.data = self.model.createData()
        self.pins = _pins(pinocchio, mechanism, self.model, self.joints, 1.0 / (5.0 * step))
        self.pin_data = pinocchio.StdVec_RigidConstraintData()
        self.pin_data.extend([made.createData() for made in self.pins])
        self.settings = pinocchio.ProximalSettings(1e-12, 1e-10, 10)
        pinocchio.initConstraintDynamics(self.model, self.data, self.pins, self.pin_data)
        self.torque = np.zeros(self.model.nv)
        for i, torque in mechanism.torques.items():
            self.torque[self.places[i]] = torque
        way = microseconds(4 * _overhead(pinocchio))
        self.note = f"four calls from Python a step, of which {way} µs are the way into C++"
        if mechanism.springs:
            raise Unavailable("springs between points would have to be written in Python")

    def _accelerations(self, q: Floats, v: Floats) -> Floats:
        found: Floats = self.pin.constraintDynamics(
            self.model, self.data, q, v, self.torque, self.pins, self.pin_data, self.settings
        )
        return found

    def seconds(self, steps: int) -> float:
        start = perf_counter()
        for _ in range(4 * steps):
            self._accelerations(self.q0, self.v0)
        return (perf_counter() - start) / steps

    def quality(self, steps: int, every: int) -> Quality:
        q, v, h = self.q0, self.v0, self.step
        kept = [(q, v)]
        for i in range(steps):
            a1 = self._accelerations(q, v).copy()
            v2 = v + h / 2 * a1
            a2 = self._accelerations(q + h / 2 * v, v2).copy()
            v3 = v + h / 2 * a2
            a3 = self._accelerations(q + h / 2 * v2, v3).copy()
            v4 = v + h * a3
            a4 = self._accelerations(q + h * v3, v4)
            q, v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
            if (i + 1) % every == 0:
                kept.append((q, v))
        rows_q, rows_v = (np.array(rows)[:, self.places] for rows in zip(*kept, strict=True))
        if not np.isfinite(rows_q).all():
            return Quality(np.inf, np.inf)
        return judge(self.mechanism, self.system, rows_q, rows_v)


def _model(pin: Any, mechanism: PlanarLoops) -> tuple[Any, list[int]]:
    model = pin.Model()
    joints: list[int] = []
    model.gravity.linear = np.array([0, -mechanism.gravity, 0])
    for i, link in enumerate(mechanism.links):
        parent = 0 if link.parent == GROUND else joints[link.parent]
        kind = pin.JointModelPX() if link.slide else pin.JointModelRZ()
        at = pin.SE3(np.eye(3), np.array([*link.at, 0.0]))
        joints.append(model.addJoint(parent, kind, at, f"q{i}"))
        moments = np.diag([link.inertia / 2, link.inertia / 2, link.inertia])
        inertia = pin.Inertia(link.mass, np.array([*link.com, 0.0]), moments)
        model.appendBodyToJoint(joints[-1], inertia, pin.SE3.Identity())
    return model, joints


def _pins(pin: Any, mechanism: PlanarLoops, model: Any, joints: list[int], rate: float) -> Any:
    made = pin.StdVec_RigidConstraintModel()
    for tie in mechanism.pins:
        ends: list[Any] = []
        for link, at in ((tie.a, tie.at_a), (tie.b, tie.at_b)):
            ends += [0 if link == GROUND else joints[link]]
            ends += [pin.SE3(np.eye(3), np.array([*at, 0.0]))]
        constraint = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends)
        corrector = constraint.m_baumgarte_parameters
        corrector.Kp, corrector.Kd = rate**2, 2 * rate
        made.append(constraint)
    return made


@cache
def _overhead(pin: Any) -> float:
    """Seconds of a call for one joint without constraints."""
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelRZ(), pin.SE3.Identity(), "q")
    model.appendBodyToJoint(joint, pin.Inertia.Random(), pin.SE3.Identity())
    data, none = model.createData(), pin.StdVec_RigidConstraintModel()
    no_data = pin.StdVec_RigidConstraintData()
    pin.initConstraintDynamics(model, data, none, no_data)
    settings, zero = pin.ProximalSettings(1e-12, 1e-10, 10), np.zeros(1)
    best = np.inf
    for _ in range(20):
        start = perf_counter()
        for _ in range(50):
            pin.constraintDynamics(model, data, zero, zero, zero, none, no_data, settings)
        best = min(best, (perf_counter() - start) / 50)
    return float(best)
