"""MuJoCo: the stages of its C library that a result needs, without constraints and contacts."""

import ctypes
from importlib.metadata import version
from typing import Any

import numpy as np

from benchmarks.engines.build import HERE, OPTIMISED, Unavailable, address, compiled, wheel_folder
from benchmarks.mechanisms import GRAVITY, Mechanism, in_joint_frames
from benchmarks.timing import Alternatives, Floats, Routine

NAME = "MuJoCo"


class _Context(ctypes.Structure):
    """`engine` of mujoco.c."""

    _fields_ = [("model", ctypes.c_void_p), ("data", ctypes.c_void_p)]


def routines(mechanism: Mechanism) -> tuple[Alternatives, Any]:
    """Routines, and what reads the mass matrix after a call of "mass"."""
    folder = wheel_folder("mujoco", "mujoco")
    import mujoco

    libraries = sorted(folder.glob("libmujoco.so*"))
    if not libraries:
        raise Unavailable("the package mujoco has no libmujoco.so here")
    flags = [*OPTIMISED, f"-I{folder / 'include'}", str(libraries[0]), f"-Wl,-rpath,{folder}"]
    library = ctypes.CDLL(str(compiled([HERE / "mujoco.c"], flags, version("mujoco"))))
    model = python_model(mechanism)
    data = mujoco.MjData(model)
    context = _Context(model._address, data._address)
    owners = (library, model, data, context)
    at = ctypes.addressof(context)

    def routine(name: str) -> tuple[Routine, ...]:
        return (Routine(address(library, f"mj_tb_{name}"), mechanism.size, at, owners=owners),)

    found: Alternatives = {name: routine(name) for name in ("inverse", "forward", "mass")}

    def read(size: int) -> Floats:
        M = np.empty((size, size))
        library.mj_tb_read(ctypes.c_void_p(M.ctypes.data), ctypes.byref(context))
        return M

    return found, read


def python_model(mechanism: Mechanism) -> Any:
    """Bodies with their frames at the joints, no geometry."""
    import mujoco

    arrays, spec = in_joint_frames(mechanism), mujoco.MjSpec()
    spec.option.gravity = np.array(GRAVITY)
    bodies: list[Any] = []
    for i, link in enumerate(mechanism.links):
        parent = spec.worldbody if link.parent < 0 else bodies[link.parent]
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, arrays.placement[i, :9].copy())
        mass, com, tensor = arrays.inertia[i, 0], arrays.inertia[i, 1:4], arrays.inertia[i, 4:]
        body = parent.add_body(
            name=f"b{i}", pos=arrays.placement[i, 9:], quat=quaternion, mass=mass, ipos=com,
            fullinertia=tensor, explicitinertial=True,
        )  # fmt: skip
        body.add_joint(
            name=f"j{i}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=np.eye(3)[arrays.axis[i]]
        )
        bodies.append(body)
    return spec.compile()


def free_model(mechanism: Mechanism, step: float) -> Any:
    """The same for steps of its own, without constraints and contacts."""
    import mujoco

    model = python_model(mechanism)
    model.opt.timestep = step
    model.opt.disableflags |= int(
        mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    )
    return model
