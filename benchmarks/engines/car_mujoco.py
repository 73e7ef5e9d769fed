"""The template's car in MuJoCo: the same bodies, joints and loops; springs and dampers as tendons;
wheels are ellipsoids in contact with a plane, by its own contact and friction instead of a tyre's.

Its constraints are soft; they have the stiffest time constant that it allows, two steps."""

from time import perf_counter
from typing import Any

import numpy as np

import touchback as tb
from benchmarks.engines.build import Unavailable
from touchback.model.closures import Rod
from touchback.model.frame import Frame
from touchback.model.joints import Free, Prismatic, Revolute, Spherical
from touchback.model.joints.base import axis_vector
from touchback.model.value import number
from touchback.vehicle import Strut

RADIUS, WIDTH = 0.287, 0.08  # of a tyre [m]
DAMPING = 2500.0  # N s/m


class CarInMuJoCo:
    """Steps of one of its integrators; `mj_step(…, nstep)` loops in C."""

    def __init__(self, system: tb.System, speed: float, step: float, integrator: str) -> None:
        try:
            import mujoco
        except ImportError:
            raise Unavailable("the package mujoco is not installed") from None
        self.mujoco, self.name = mujoco, f"MuJoCo {integrator}"
        self.system, self.q = system, system.assemble().q
        spec = mujoco.MjSpec()
        spec.option.timestep, spec.compiler.balanceinertia = step, True
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        self._build(spec, step)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.data.qvel[0] = speed
        for name in system.model.joints:
            if name.endswith("spin"):
                self.data.qvel[self.model.joint(name).dofadr[0]] = speed / (RADIUS - 0.005)

    def _at(self, frame: Frame) -> np.ndarray:
        """Where a frame is at design, where all axes are the world's."""
        return np.asarray(self.system.pose(frame, self.q)[1])

    def _local(self, frame: Frame) -> np.ndarray:
        return self._at(frame) - self._at(Frame(frame.body))

    def _build(self, spec: Any, step: float) -> None:
        mj, model, made = self.mujoco, self.system.model, {"ground": spec.worldbody}
        kinds = {Free: "FREE", Spherical: "BALL", Revolute: "HINGE", Prismatic: "SLIDE"}
        for name, joint in model.joints.items():
            child, parent = joint.child.body, joint.parent.body
            given = model.bodies[child]
            body = made[child] = made[parent].add_body(
                name=child, pos=self._at(Frame(child)) - self._at(Frame(parent)),
                mass=max(number("mass", given.mass), 1e-3),
                ipos=[number("com", x) for x in given.com],
                fullinertia=_inertia(given.inertia), explicitinertial=True,
            )  # fmt: skip
            kind = getattr(mj.mjtJoint, f"mjJNT_{kinds[type(joint.kind)]}")
            more = {"axis": axis_vector(joint.kind.axis)} if hasattr(joint.kind, "axis") else {}
            body.add_joint(name=name, type=kind, **more)
            if name.endswith("spin"):
                size, rubs = [RADIUS, WIDTH, RADIUS], [1.0, 0.0, 0.0]
                body.add_geom(type=mj.mjtGeom.mjGEOM_ELLIPSOID, size=size, friction=rubs)
        spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[500, 500, 1])
        for name, closure in model.closures.items():
            self._close(spec, made, name, closure, [2 * step, 1.0])
        for held in ("rack", "steering wheel"):
            spec.add_equality(type=mj.mjtEq.mjEQ_JOINT, name1=held, objtype=mj.mjtObj.mjOBJ_JOINT)
        for name, force in model.forces.items():
            if isinstance(force, Strut):
                self._strut(spec, made, name, force)

    def _tendon(
        self, spec: Any, made: dict[str, Any], name: str, a: Frame, b: Frame, **law: float
    ) -> Any:
        tendon = spec.add_tendon(name=name, **law)
        for end, frame in (("a", a), ("b", b)):
            made[frame.body].add_site(name=f"{name} {end}", pos=self._local(frame))
            tendon.wrap_site(f"{name} {end}")
        return tendon

    def _close(self, spec: Any, made: dict[str, Any], name: str, closure: Any, solref: Any) -> None:
        """Rods are tendons of constant length, balls are connect equalities."""
        mj = self.mujoco
        if isinstance(closure.kind, Rod):
            self._tendon(spec, made, name, closure.a, closure.b)
            equality = spec.add_equality(
                type=mj.mjtEq.mjEQ_TENDON, objtype=mj.mjtObj.mjOBJ_TENDON, name1=name
            )
        else:
            for end, frame in (("a", closure.a), ("b", closure.b)):
                made[frame.body].add_site(name=f"{name} {end}", pos=self._local(frame))
            equality = spec.add_equality(
                type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_SITE,
                name1=f"{name} a", name2=f"{name} b",
            )  # fmt: skip
        equality.solref[:2] = solref

    def _strut(self, spec: Any, made: dict[str, Any], name: str, strut: Strut) -> None:
        """Spring and damper as straight lines through the tables' middle."""
        value, end = self.system.parameters, name.split()[0]
        force = [value[f"{end} spring at {1e3 * x:g} mm"] for x in strut.compression]
        i = strut.compression.index(0.0)
        rate = (force[i + 1] - force[i - 1]) / (strut.compression[i + 1] - strut.compression[i - 1])
        tendon = self._tendon(spec, made, name, strut.a, strut.b, stiffness=rate, damping=DAMPING)
        length = float(np.linalg.norm(self._at(strut.a) - self._at(strut.b)))
        tendon.springlength = [length + force[i] / rate] * 2

    def seconds(self, steps: int) -> float:
        """Seconds a step."""
        start = perf_counter()
        self.mujoco.mj_step(self.model, self.data, steps)
        return (perf_counter() - start) / steps


def _inertia(given: Any) -> list[float]:
    """As MuJoCo takes it; it wants every body to have some."""
    xx, yy, zz, xy, xz, yz = (float(x) for x in given)
    least = 1e-3
    return [xx + least, yy + least, zz + least, xy, xz, yz]
