"""Bodies, joints and loops of a car in MuJoCo, as they stand at design, where all axes are the
world's.

Its constraints are soft; they have the stiffest time constant that it allows, two steps."""

from typing import Any

import numpy as np

import touchback as tb
from benchmarks.engines.build import Unavailable
from touchback.model.closures import Rod
from touchback.model.frame import Frame
from touchback.model.joints import Free, Prismatic, Revolute, Spherical
from touchback.model.joints.base import axis_vector
from touchback.model.value_or_expression import number

_KINDS = {Free: "FREE", Spherical: "BALL", Revolute: "HINGE", Prismatic: "SLIDE"}
_LEAST = 1e-6  # kg, kg m²: it wants some of both of every body


class LinkageInMuJoCo:
    """A model of MuJoCo in the making: `spec`, and its bodies by name in `made`."""

    def __init__(self, system: tb.System, step: float, integrator: str) -> None:
        try:
            import mujoco
        except ImportError:
            raise Unavailable("the package mujoco is not installed") from None
        self.mujoco, self.system, self.q = mujoco, system, system.assemble().q
        self.spec = mujoco.MjSpec()
        self.spec.option.timestep = step
        self.spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        self.made = {"ground": self.spec.worldbody}
        for name in system.model.joints:
            self._join(name)
        for name, closure in system.model.closures.items():
            self._close(name, closure, [2 * step, 1.0])

    def at(self, frame: Frame) -> np.ndarray:
        """Where a frame is at design."""
        return np.asarray(self.system.pose(frame, self.q)[1])

    def _local(self, frame: Frame) -> np.ndarray:
        return self.at(frame) - self.at(Frame(frame.body))

    def _join(self, name: str) -> None:
        joint = self.system.model.joints[name]
        child, parent = joint.child.body, joint.parent.body
        given = self.system.model.bodies[child]
        mass, tensor = number("mass", given.mass), [number("inertia", x) for x in given.inertia]
        more: dict[str, Any] = {}
        if hasattr(joint.kind, "axis"):
            more["axis"] = axis = np.array(axis_vector(joint.kind.axis))
            if not mass:  # a rotor: about its axis alone
                more["armature"], tensor = float(np.dot(axis**2, tensor[:3])), [0.0] * 6
        body = self.made[child] = self.made[parent].add_body(
            name=child, pos=self.at(Frame(child)) - self.at(Frame(parent)), mass=max(mass, _LEAST),
            ipos=[number("com", x) for x in given.com],
            fullinertia=[*(x + _LEAST for x in tensor[:3]), *tensor[3:]], explicitinertial=True,
        )  # fmt: skip
        kind = getattr(self.mujoco.mjtJoint, f"mjJNT_{_KINDS[type(joint.kind)]}")
        body.add_joint(name=name, type=kind, **more)

    def tendon(self, name: str, a: Frame, b: Frame, **law: float) -> Any:
        """A straight line between two points."""
        tendon = self.spec.add_tendon(name=name, **law)
        for site in self._sites(name, a, b):
            tendon.wrap_site(site)
        return tendon

    def _sites(self, name: str, a: Frame, b: Frame) -> tuple[str, str]:
        for end, frame in (("a", a), ("b", b)):
            self.made[frame.body].add_site(name=f"{name} {end}", pos=self._local(frame))
        return f"{name} a", f"{name} b"

    def _close(self, name: str, closure: Any, solref: Any) -> None:
        """Rods are tendons of constant length, balls are connect equalities."""
        mj = self.mujoco
        if isinstance(closure.kind, Rod):
            self.tendon(name, closure.a, closure.b)
            equality = self.spec.add_equality(
                type=mj.mjtEq.mjEQ_TENDON, objtype=mj.mjtObj.mjOBJ_TENDON, name1=name
            )
        else:
            a, b = self._sites(name, closure.a, closure.b)
            equality = self.spec.add_equality(
                type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_SITE, name1=a, name2=b
            )
        equality.solref[:2] = solref
        equality.solimp[:2] = 0.9999, 0.9999
