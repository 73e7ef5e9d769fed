"""Pinocchio: C++ from the wheel's headers, or its Python functions where that can't be built."""

import ctypes
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines.build import HERE, OPTIMISED, Unavailable, address, compiled, wheel_folder
from benchmarks.mechanisms import GRAVITY, Mechanism, in_joint_frames
from benchmarks.timing import Alternatives, Floats, PythonRoutine, Routine

NAME = "Pinocchio"
PYTHON_FROM = 30  # joints from which the cost of a call from Python doesn't hide the algorithm

# What the package's own CMake files define for users of the headers.
DEFINITIONS = (
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)


def header_flags() -> list[str]:
    """Include folders of Pinocchio, Boost and Eigen."""
    prefix = wheel_folder("pin", "cmeel.prefix/include")
    for eigen in (prefix / "eigen3", Path("/usr/include/eigen3")):
        if eigen.is_dir():
            return ["-std=c++17", f"-I{prefix}", f"-I{eigen}", *DEFINITIONS]
    raise Unavailable("no Eigen headers (pip install cmeel-eigen, or apt install libeigen3-dev)")


def arguments(mechanism: Mechanism) -> tuple[tuple[Any, ...], tuple[object, ...]]:
    """What revolute_model.hpp takes, and the arrays to keep alive meanwhile."""
    arrays = in_joint_frames(mechanism)
    gravity = np.array(GRAVITY)
    kept = (arrays.parent, arrays.axis, arrays.placement, arrays.inertia, gravity)
    return (ctypes.c_long(mechanism.size), *(_pointer(array) for array in kept)), kept


def _pointer(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class _Engine:
    """A model in C++ memory."""

    def __init__(self, mechanism: Mechanism) -> None:
        flags = [*OPTIMISED, *header_flags()]
        self.library = ctypes.CDLL(str(compiled([HERE / "pinocchio.cpp"], flags, version("pin"))))
        self.library.pin_make.restype = ctypes.c_void_p
        given, kept = arguments(mechanism)
        self.context: int = self.library.pin_make(*given)
        del kept

    def __del__(self) -> None:
        if hasattr(self, "context"):  # not where it couldn't be made
            self.library.pin_free(ctypes.c_void_p(self.context))

    def routine(self, name: str) -> Routine:
        """One of the functions of pinocchio.cpp."""
        return Routine(address(self.library, f"pin_{name}"), 0, self.context, owners=(self,))

    def read_slopes(self, what: str, size: int) -> Floats:
        """What the last call of "inverse slopes" or "forward slopes" left: three matrices."""
        found = np.empty(3 * size * size)
        read = getattr(self.library, f"pin_read_{what.replace(' ', '_')}")
        read(_pointer(found), ctypes.c_void_p(self.context))
        return found

    def read(self, size: int) -> Floats:
        """The mass matrix of the last call."""
        M = np.empty((size, size))
        self.library.pin_read(_pointer(M), ctypes.c_void_p(self.context))
        return M


def routines(mechanism: Mechanism) -> tuple[Alternatives, Any]:
    """Routines in world and in local frames, and what reads the mass matrix after "mass"."""
    try:
        engine = _Engine(mechanism)
    except Unavailable as reason:
        return _from_python(mechanism, str(reason)), None
    routine = engine.routine
    return {
        "inverse": (routine("inverse"),),
        "forward": (routine("forward_world"), routine("forward_local")),
        "mass": (routine("mass_world"), routine("mass_local")),
    }, engine.read


def slopes(mechanism: Mechanism) -> tuple[dict[str, Routine], Callable[[str, int], Floats]]:
    """Derivatives of inverse and of forward dynamics, and what reads them."""
    engine = _Engine(mechanism)
    made = {
        what: engine.routine(what.replace(" ", "_"))
        for what in ("inverse slopes", "forward slopes")
    }
    return made, engine.read_slopes


def python_model(mechanism: Mechanism, joints: int) -> tuple[Any, Any]:
    """Model and data of the first joints, for its Python functions."""
    import pinocchio as pin

    made, arrays = pin.Model(), in_joint_frames(mechanism)
    made.gravity.linear = np.array(GRAVITY)
    kinds = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
    for i in range(joints):
        R, p = arrays.placement[i, :9].reshape(3, 3), arrays.placement[i, 9:]
        mass, *com = arrays.inertia[i, :4]
        xx, yy, zz, xy, xz, yz = arrays.inertia[i, 4:]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        kind = kinds[arrays.axis[i]]()
        joint = made.addJoint(int(arrays.parent[i]) + 1, kind, pin.SE3(R, p), f"j{i}")
        made.appendBodyToJoint(joint, pin.Inertia(mass, np.array(com), J), pin.SE3.Identity())
    return made, made.createData()


def _from_python(mechanism: Mechanism, reason: str) -> Alternatives:
    try:
        import pinocchio as pin
    except ImportError:
        raise Unavailable("the package pin is not installed") from None
    if mechanism.size < PYTHON_FROM:
        raise Unavailable(f"no C++ ({reason}); from Python only {PYTHON_FROM} joints or more")

    def calls(joints: int) -> dict[str, Any]:
        made, data = python_model(mechanism, joints)
        n = joints
        return {
            "inverse": lambda x, u: pin.rnea(made, data, x[:n], x[n : 2 * n], u[1 : n + 1]),
            "forward": lambda x, u: pin.aba(made, data, x[:n], x[n : 2 * n], u[1 : n + 1]),
            "mass": lambda x, u: pin.crba(made, data, x[:n]),
        }

    zeros, found = np.zeros(4), Alternatives()
    one = calls(1)
    for name, call in calls(mechanism.size).items():
        empty = PythonRoutine(one[name], 0.0)
        overhead = min(empty.time(zeros[None], zeros[None], 1, 200) for _ in range(20))
        found[name] = (PythonRoutine(call, overhead, note=f"from Python: {reason}"),)
    return found
