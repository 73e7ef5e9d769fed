"""The same buggy in MuJoCo, with the same events scripted: what Wang wrote as subroutines of
ADAMS. Bodies, joints and loops are MuJoCo's; struts, tyres and hands are lines of this script."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.engines.linkage_mujoco import LinkageInMuJoCo
from studies.baja.ride import RAMP, SPEED, TORQUE, WHERE
from studies.baja.tyre_again import BrushNumbers, RollingTyres
from touchback.gallery import mini_baja
from touchback.gallery.mini_baja import FRONT, REAR
from touchback.system import System
from touchback.vehicle import BrushTyre, Strut, StrutTables

STEP = 5e-4  # s
# A driven wheel hangs on a flywheel that turns as prescribed, whatever the wheel needs; what it
# needs is what the flywheel loses.
FLYWHEEL, TRUE = 1e5, 50.0  # kg m², 1/s: by which it is brought back to its way


@dataclass(frozen=True)
class Script:
    """When each front wheel begins to move, and when the torque acts [s]."""

    moved: Mapping[str, float]
    added: float

    @staticmethod
    def after(t: float, event: float) -> bool:
        """Whether an event has happened; at its own instant it has not."""
        return t > event + 1e-9

    def rate(self, wheel: str, t: float) -> tuple[float, float]:
        """Of a front wheel and its change [rad/s, rad/s²]: ω = ω* (1 − e^(−t/T))."""
        left = math.exp(-max(t - self.moved[wheel], 0.0) / RAMP)
        moving = self.after(t, self.moved[wheel])
        return SPEED * (1.0 - left), SPEED / RAMP * left * moving


@dataclass(frozen=True)
class _PlacedStrut:
    """A strut's tables, its tendon and motor by their numbers, and its length at design [m]."""

    tables: StrutTables
    tendon: int
    motor: int
    design: float

    def push(self, length: float, rate: float) -> float:
        """[N], positive where it pushes its ends apart, as a motor that makes a tendon longer."""
        spring = _table(self.tables.compression, self.tables.force, self.design - length)
        return spring + _table(self.tables.speed, self.tables.damping, -rate)


class BajaInMuJoCo(LinkageInMuJoCo):
    """Compiled, at rest at design."""

    def __init__(self, system: System, step: float = STEP) -> None:
        super().__init__(system, step, "implicitfast")
        struts = {
            name: force for name, force in system.model.forces.items() if isinstance(force, Strut)
        }
        for name, strut in struts.items():
            self.tendon(name, strut.a, strut.b)
            motor = self.spec.add_actuator(
                name=name, trntype=self.mujoco.mjtTrn.mjTRN_TENDON, target=name
            )
            motor.gainprm[0] = 1.0
        self.model = self.spec.compile()
        self.data = self.mujoco.MjData(self.model)
        self._dof = {name: self.model.joint(name).dofadr[0] for name in system.model.joints}
        for wheel in FRONT:
            self.model.dof_armature[self._dof[f"{wheel} spin"]] = FLYWHEEL
        self._wheels = [self.model.body(f"{wheel} wheel").id for wheel in FRONT + REAR]
        self._tyres = RollingTyres(_numbers(), len(self._wheels))
        self._struts = [
            _PlacedStrut(
                getattr(mini_baja.CAR, name.split()[0]).strut, self.model.tendon(name).id,
                self.model.actuator(name).id,
                float(np.linalg.norm(self.at(strut.a) - self.at(strut.b))),
            )
            for name, strut in struts.items()
        ]  # fmt: skip
        self._place = {
            name: self.model.joint(name).qposadr[0] for name in ("steering wheel", "rack")
        }
        self._loaded = self.model.body(WHERE).id

    def start(self, numbers: Mapping[str, float]) -> None:
        """From the numbers of a tick of ours. MuJoCo has a free body's velocity in world axes."""
        data, joints = self.data, self.system.model.joints
        states = set(self.system.state_names)
        for name, joint in joints.items():
            theirs = data.joint(name)
            theirs.qpos[:] = [numbers[each] for each in joint.position_names(name)]
            rates = joint.velocity_names(name)
            theirs.qvel[:] = [numbers[f"{x} rate" if f"{x} rate" in states else x] for x in rates]
        turn = np.zeros(9)
        self.mujoco.mju_quat2Mat(turn, data.qpos[3:7])
        data.qvel[:3] = turn.reshape(3, 3) @ data.qvel[:3]
        self._tyres.u, self._tyres.w = (
            np.array([numbers[f"{wheel} tyre.{way}"] for wheel in FRONT + REAR])
            for way in ("along", "across")
        )

    def drive(self, script: Script, until: float, every: float) -> dict[str, np.ndarray]:
        """Driving torques [N m] of the front wheels every so many seconds from the first motion on,
        and "time"."""
        mj, model, data = self.mujoco, self.model, self.data
        step, begin = float(model.opt.timestep), min(script.moved.values())
        skip = round(every / step)
        rows = []
        for i in range(round((until - begin) / step) + 1):
            mj.mj_step1(model, data)
            asked = self._act(script, begin + i * step)
            if i % skip == 0:
                mj.mj_forward(model, data)
                given = (a - FLYWHEEL * data.qacc[dof] for dof, a in asked.items())
                rows.append((begin + i * step, *given))
            mj.mj_step2(model, data)
        time, *torques = np.array(rows).T
        return {"time": time, **dict(zip(FRONT, torques, strict=True))}

    def _act(self, script: Script, t: float) -> dict[int, float]:
        """Puts all forces on; gives what the flywheels are turned with [N m]."""
        data, asked = self.data, {}
        data.xfrc_applied[:], data.qfrc_applied[:] = 0.0, 0.0
        data.xfrc_applied[self._wheels] = self._roll()
        if script.after(t, script.added):
            data.xfrc_applied[self._loaded, 4] += TORQUE
        for strut in self._struts:
            length, rate = data.ten_length[strut.tendon], data.ten_velocity[strut.tendon]
            data.ctrl[strut.motor] = strut.push(float(length), float(rate))
        self._steer()
        for wheel in FRONT:
            dof = self._dof[f"{wheel} spin"]
            rate, change = script.rate(wheel, t)
            asked[dof] = FLYWHEEL * (change + TRUE * (rate - data.qvel[dof]))
            data.qfrc_applied[dof] = asked[dof]
        return asked

    def _roll(self) -> np.ndarray:
        """Forces and torques on the wheels, which MuJoCo takes at their centres of mass."""
        motion, kind = np.zeros((len(self._wheels), 6)), self.mujoco.mjtObj.mjOBJ_XBODY
        for row, body in zip(motion, self._wheels, strict=True):
            self.mujoco.mj_objectVelocity(self.model, self.data, kind, body, row, 0)
        centre, axle = self.data.xpos[self._wheels], self.data.xmat[self._wheels][:, 1::3]
        step = float(self.model.opt.timestep)
        return np.hstack(self._tyres.push(centre, motion[:, 3:], motion[:, :3], axle, step))

    def _steer(self) -> None:
        """The column's torsion bar, the rack's damping, and hands that hold the wheel."""
        data, given = self.data, mini_baja.CAR.steering
        wheel, rack = self._dof["steering wheel"], self._dof["rack"]
        at, way = data.qpos[self._place["steering wheel"]], data.qpos[self._place["rack"]]
        turning, moving = data.qvel[wheel], data.qvel[rack]
        twist = given.torsion * (at - way / given.pinion)
        twist += given.torsion_damping * (turning - moving / given.pinion)
        held = -mini_baja.ARMS * at - mini_baja.ARMS_DAMPING * turning
        data.qfrc_applied[wheel] = held - twist
        data.qfrc_applied[rack] = twist / given.pinion - given.damping * moving


def _numbers() -> BrushNumbers:
    t: Any = mini_baja.CAR.front_tyre
    if not isinstance(t, BrushTyre) or t != mini_baja.CAR.rear_tyre:
        raise TypeError(f"The script knows one brush tyre for all wheels, not {t}.")
    return BrushNumbers(
        t.unloaded_radius, t.vertical_stiffness, t.vertical_damping, t.slip_stiffness,
        t.cornering_stiffness, t.nominal_load, t.friction, t.patch, t.relaxation_x, t.relaxation_y,
    )  # fmt: skip


def _table(x: tuple[float, ...], y: tuple[float, ...], at: float) -> float:
    """Straight between the points, and on beyond the ends."""
    i = min(max(bisect(x, at) - 1, 0), len(x) - 2)
    return y[i] + (y[i + 1] - y[i]) * (at - x[i]) / (x[i + 1] - x[i])
