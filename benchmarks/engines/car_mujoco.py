"""The template's car in MuJoCo: the same bodies, joints and loops; springs and dampers as tendons;
wheels are ellipsoids in contact with a plane, by its own contact and friction instead of a
tyre's."""

from time import perf_counter

import numpy as np

import touchback as tb
from benchmarks.engines.linkage_mujoco import LinkageInMuJoCo
from touchback.vehicle import Strut

RADIUS, WIDTH = 0.287, 0.08  # of a tyre [m]
DAMPING = 2500.0  # N s/m


class CarInMuJoCo(LinkageInMuJoCo):
    """Steps of one of its integrators; `mj_step(…, nstep)` loops in C."""

    def __init__(self, system: tb.System, speed: float, step: float, integrator: str) -> None:
        super().__init__(system, step, integrator)
        self.name = f"MuJoCo {integrator}"
        self._roll()
        self.model = self.spec.compile()
        self.data = self.mujoco.MjData(self.model)
        self.data.qvel[0] = speed
        for name in system.model.joints:
            if name.endswith("spin"):
                self.data.qvel[self.model.joint(name).dofadr[0]] = speed / (RADIUS - 0.005)

    def _roll(self) -> None:
        """What it rolls on, with a steering that is held and struts."""
        mj, model, spec = self.mujoco, self.system.model, self.spec
        size, rubs = [RADIUS, WIDTH, RADIUS], [1.0, 0.0, 0.0]
        for name, joint in model.joints.items():
            if name.endswith("spin"):
                self.made[joint.child.body].add_geom(
                    type=mj.mjtGeom.mjGEOM_ELLIPSOID, size=size, friction=rubs
                )
        spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_PLANE, size=[500, 500, 1])
        for held in ("rack", "steering wheel"):
            spec.add_equality(type=mj.mjtEq.mjEQ_JOINT, name1=held, objtype=mj.mjtObj.mjOBJ_JOINT)
        for name, force in model.forces.items():
            if isinstance(force, Strut):
                self._strut(name, force)

    def _strut(self, name: str, strut: Strut) -> None:
        """Spring and damper as straight lines through the tables' middle."""
        value, end = self.system.parameters, name.split()[0]
        force = [value[f"{end} spring at {1e3 * x:g} mm"] for x in strut.compression]
        i = strut.compression.index(0.0)
        rate = (force[i + 1] - force[i - 1]) / (strut.compression[i + 1] - strut.compression[i - 1])
        tendon = self.tendon(name, strut.a, strut.b, stiffness=rate, damping=DAMPING)
        length = float(np.linalg.norm(self.at(strut.a) - self.at(strut.b)))
        tendon.springlength = [length + force[i] / rate] * 2

    def seconds(self, steps: int) -> float:
        """Seconds a step."""
        start = perf_counter()
        self.mujoco.mj_step(self.model, self.data, steps)
        return (perf_counter() - start) / steps
