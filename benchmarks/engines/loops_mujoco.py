"""MuJoCo on loops: hinges and slides in a tree, loops closed by connect equalities.

Its constraints are soft; they are made as stiff as its documentation allows: a time constant of two
steps, critically damped, impedance 0.9999.
"""

from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.engines.build import Unavailable
from benchmarks.engines.loop_engine import Quality, judge
from benchmarks.planar_loops import GROUND, PlanarLoops
from benchmarks.timing import Floats


class MuJoCo:
    """One of its integrators; `mj_step(…, nstep)` loops in C."""

    def __init__(
        self,
        mechanism: PlanarLoops,
        system: Any,
        state: tuple[Floats, Floats],
        step: float,
        integrator: str,
    ) -> None:
        try:
            import mujoco
        except ImportError:
            raise Unavailable("the package mujoco is not installed") from None
        self.name, self.note = f"MuJoCo {integrator}", "loops of steps in its C library"
        self.mujoco, self.mechanism, self.system = mujoco, mechanism, system
        self.state = state
        self.model = _model(mujoco, mechanism, step, integrator)
        self.data = mujoco.MjData(self.model)
        names = [f"q{i}" for i in range(len(mechanism.links))]
        self.places = [int(self.model.joint(name).qposadr[0]) for name in names]  # depth first

    def _reset(self) -> None:
        self.mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.places], self.data.qvel[self.places] = self.state
        for i, torque in self.mechanism.torques.items():
            self.data.qfrc_applied[self.places[i]] = torque

    def seconds(self, steps: int) -> float:
        self._reset()
        start = perf_counter()
        self.mujoco.mj_step(self.model, self.data, steps)
        return (perf_counter() - start) / steps

    def quality(self, steps: int, every: int) -> Quality:
        self._reset()
        q, v = [self.state[0]], [self.state[1]]
        for _ in range(steps // every):
            self.mujoco.mj_step(self.model, self.data, every)
            q.append(self.data.qpos[self.places])
            v.append(self.data.qvel[self.places])
        if not np.isfinite(q).all():
            return Quality(np.inf, np.inf)
        return judge(self.mechanism, self.system, np.array(q), np.array(v))


def _model(mujoco: Any, mechanism: PlanarLoops, step: float, integrator: str) -> Any:
    spec = mujoco.MjSpec()
    option = spec.option
    option.timestep, option.gravity = step, [0, -mechanism.gravity, 0]
    option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    made: list[Any] = []
    for i, link in enumerate(mechanism.links):
        parent = spec.worldbody if link.parent == GROUND else made[link.parent]
        moments = [link.inertia / 2, link.inertia / 2, link.inertia]
        body = parent.add_body(
            name=f"link {i}", pos=[*link.at, 0], mass=link.mass, ipos=[*link.com, 0],
            inertia=moments, explicitinertial=True,
        )  # fmt: skip
        kind = mujoco.mjtJoint.mjJNT_SLIDE if link.slide else mujoco.mjtJoint.mjJNT_HINGE
        body.add_joint(name=f"q{i}", type=kind, axis=[1, 0, 0] if link.slide else [0, 0, 1])
        made.append(body)
    for k, pin in enumerate(mechanism.pins):
        for end, tied, at in (("a", pin.a, pin.at_a), ("b", pin.b, pin.at_b)):
            body = spec.worldbody if tied == GROUND else made[tied]
            body.add_site(name=f"pin {k}{end}", pos=[*at, 0])
        equality = spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE,
            name1=f"pin {k}a", name2=f"pin {k}b",
        )  # fmt: skip
        equality.solref[:2] = [2 * step, 1.0]
        equality.solimp[:3] = [0.9999, 0.9999, 0.001]
    for k, spring in enumerate(mechanism.springs):
        spec.worldbody.add_site(name=f"spring {k}a", pos=[*spring.ground, 0])
        made[spring.link].add_site(name=f"spring {k}b", pos=[*spring.at, 0])
        tendon = spec.add_tendon(name=f"spring {k}", stiffness=spring.stiffness)
        tendon.springlength = [spring.length, spring.length]
        tendon.wrap_site(f"spring {k}a")
        tendon.wrap_site(f"spring {k}b")
    return spec.compile()
