"""MuJoCo's own numbers in our coordinates, to compare imported models with."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from touchback.interop import ImportNotice, read_mjcf
from touchback.model import Model
from touchback.system import System

mujoco = pytest.importorskip("mujoco")
mujoco.set_mju_user_warning(lambda text: None)  # it writes them into files wherever it runs

FREE, BALL = 0, 1  # mjJNT_FREE, mjJNT_BALL


@dataclass
class Truth:
    """At one state, in our coordinates: M a + c = efforts + constraint forces."""

    q: np.ndarray
    v: np.ndarray
    M: np.ndarray
    bias: np.ndarray  # less forces on bodies
    efforts: np.ndarray  # of springs, dampers and actuators
    J: np.ndarray  # of the equality constraints
    T: np.ndarray  # v there = T v here
    drift: np.ndarray  # J_there Ṫ v: what accelerations there are more of along the rows


def random_state(model: Any, rng: np.random.Generator) -> Any:
    """Positions within limits, any velocities and controls."""
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1.0, 1.0, model.nv), 1.0)
    for j in range(model.njnt):
        if model.jnt_limited[j] and model.jnt_type[j] > BALL:
            low, high = model.jnt_range[j]
            data.qpos[model.jnt_qposadr[j]] = low + (high - low) * rng.uniform(0.1, 0.9)
    data.qvel[:] = rng.uniform(-1.0, 1.0, model.nv)
    for i in range(model.nu):
        low, high = model.actuator_ctrlrange[i] if model.actuator_ctrllimited[i] else (-1.0, 1.0)
        data.ctrl[i] = rng.uniform(low, high)
    data.act[:] = rng.uniform(-0.5, 0.5, model.na)
    return data


def velocity_map(model: Any, data: Any) -> np.ndarray:
    """T with v there = T v here: linear velocities of free joints are along the body here."""
    T = np.eye(model.nv)
    for j in np.flatnonzero(model.jnt_type == FREE):
        R = np.zeros(9)
        start = model.jnt_qposadr[j]
        quaternion = data.qpos[start + 3 : start + 7]
        mujoco.mju_quat2Mat(R, quaternion / np.linalg.norm(quaternion))
        at = model.jnt_dofadr[j]
        T[at : at + 3, at : at + 3] = R.reshape(3, 3)
    return T


def truth(model: Any, data: Any) -> Truth:
    """What MuJoCo says at a state, without contacts, limits and friction."""
    model.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)
    mujoco.mj_forward(model, data)
    T = velocity_map(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    v = np.linalg.solve(T, data.qvel)
    drift = np.zeros(model.nv)  # Ṫ v: Ṙ v = R (ω × v)
    for j in np.flatnonzero(model.jnt_type == FREE):
        at = model.jnt_dofadr[j]
        linear, angular = slice(at, at + 3), slice(at + 3, at + 6)
        drift[linear] = T[linear, linear] @ np.cross(v[angular], v[linear])
    bodies = data.qfrc_gravcomp + data.qfrc_fluid
    rows = data.efc_type == 0  # mjCNSTR_EQUALITY
    J = data.efc_J.reshape(data.nefc, model.nv)
    return Truth(
        data.qpos.copy(),
        v,
        T.T @ M @ T,
        T.T @ (data.qfrc_bias - bodies + M @ drift),
        T.T @ (data.qfrc_spring + data.qfrc_damper + data.qfrc_actuator),
        J[rows] @ T,
        T,
        J[rows] @ drift,
    )


def constrained_accelerations(
    model: Any, q: np.ndarray, v_there: np.ndarray
) -> tuple[np.ndarray, Truth]:
    """From MuJoCo's M, J, forces and the drift of J along the motion, in our coordinates:
    M a + c = f + Jᵀ λ, J a = −J̇ v."""

    def at(positions: np.ndarray) -> Truth:
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = positions, v_there
        return truth(model, data)

    here = at(q)
    step = 1e-5
    sides = []
    for sign in (1.0, -1.0):
        moved = q.copy()
        mujoco.mj_integratePos(model, moved, v_there, sign * step)
        there = at(moved)
        sides.append(there.J @ np.linalg.solve(there.T, v_there))
    drift = (sides[0] - sides[1]) / (2.0 * step) + here.drift
    n, m = len(here.v), len(here.J)
    K = np.block([[here.M, here.J.T], [here.J, np.zeros((m, m))]])
    right = np.concatenate([here.efforts - here.bias, -drift])
    return np.linalg.lstsq(K, right, rcond=None)[0][:n], here


@dataclass
class Difference:
    """How far an imported model is from MuJoCo's: the largest differences, of the largest entry."""

    mass: float
    forces: float  # c less springs, dampers, actuators and the fluid
    tied: float | None  # accelerations that equalities leave


def difference(ours: Model, theirs: Any, seed: int = 1) -> Difference:
    """At a random state, with random controls."""
    for name, joint in ours.joints.items():  # dry friction is a soft constraint there
        ours.joints[name] = replace(joint, friction=())
    theirs.dof_frictionloss[:] = 0.0
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    system = ours.compile()
    assert system.sizes[:2] == (theirs.nq, theirs.nv)
    data = random_state(theirs, np.random.default_rng(seed))
    u, z = signals(ours, theirs, data)
    there = truth(theirs, data)
    c = system.bias(there.q, there.v, u=u, z=z) - system.joint_efforts(there.q, there.v, u=u, z=z)
    return Difference(
        relative(system.mass_matrix(there.q), there.M),
        relative(c, there.bias - there.efforts, least=float(np.abs(there.M).max())),
        tied_difference(system, theirs) if theirs.neq else None,
    )


def tied_difference(system: System, theirs: Any) -> float:
    """Of accelerations at the nearest state to the initial position that the equalities allow."""
    start = system.initial_state()
    speeds = np.random.default_rng(5).uniform(-1.0, 1.0, len(start.v))
    x, _ = system.consistent(np.concatenate([start.q, speeds, start.z]))
    q, v = x[: len(start.q)], x[len(start.q) : len(start.q) + len(start.v)]
    assert np.abs(system.constraint_error(q)).max() < 1e-10
    probe = mujoco.MjData(theirs)
    probe.qpos[:] = q
    wanted, here = constrained_accelerations(theirs, q, truth(theirs, probe).T @ v)
    assert len(here.J) == len(system.constraint_names)
    assert np.abs(here.J @ v).max() < 1e-9  # our velocities keep MuJoCo's constraint
    return relative(system.forward_dynamics(q, v), wanted)


def signals(ours: Model, theirs: Any, data: Any) -> tuple[dict[str, float], list[float]]:
    """Our inputs and states for MuJoCo's controls and activations; those of actuators that aren't
    read are set to zero there."""
    u: dict[str, float] = {}
    z = dict.fromkeys(ours.states, 0.0)
    inputs = iter(ours.inputs)
    for i in range(theirs.nu):
        called = theirs.actuator(i).name
        name = called or next(inputs)
        if name not in ours.inputs:
            theirs.actuator_gainprm[i] = theirs.actuator_biasprm[i] = 0.0
            continue
        u[name] = float(data.ctrl[i])
        if theirs.actuator_actadr[i] >= 0:
            z[f"{name} activation"] = float(data.act[theirs.actuator_actadr[i]])
    return u, list(z.values())


def relative(ours: np.ndarray, theirs: np.ndarray, least: float = 1e-300) -> float:
    """The largest difference, of the largest entry, or of `least` where they are smaller: of forces
    what accelerates by 1 in their units."""
    if not theirs.size:
        return 0.0
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), least))


def model_files(package: str) -> list[Path]:
    """All .xml files of an installed package."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        return []
    return sorted(Path(found.submodule_search_locations[0]).rglob("*.xml"))


def read_quietly(path: Path, contacts: bool = False) -> Model:
    """With meshes of the whole package, wherever in it they are."""
    package = next(each for each in path.parents if each.parent.name == "site-packages")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportNotice)
        return read_mjcf(path, contacts=contacts, meshes=False, folders={"package": package})
