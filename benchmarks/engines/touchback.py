"""Our own machine code."""

import ctypes

import numpy as np

from benchmarks.engines.build import HERE, OPTIMISED, address, compiled
from benchmarks.timing import Routine
from touchback.native.shared_library import LIB
from touchback.system import System

NAME = "Touchback"
FUNCTIONS = {"inverse": "inverse dynamics", "forward": "forward dynamics", "mass": "mass matrix"}


class _MassMatrixContext(ctypes.Structure):
    """`engine` of mass_matrix.c."""

    _fields_ = [
        ("columns", ctypes.c_void_p),
        ("columns_context", ctypes.c_void_p),
        ("products", ctypes.c_void_p),
        ("mirror", ctypes.c_void_p),
        ("n", ctypes.c_long),
        ("parent", ctypes.c_void_p),
    ]


def routines(system: System) -> dict[str, Routine]:
    """Inverse and forward dynamics and the mass matrix, as `System` computes them.

    By a loop, "mass" is one triangle, as of peers, and "whole mass" both.
    """
    if not system.plan.loop_mass_matrix:
        return {what: routine(system, name) for what, name in FUNCTIONS.items()}
    found = {what: routine(system, FUNCTIONS[what]) for what in ("inverse", "forward")}
    found["mass"] = _looped_mass_matrix(system, whole=False)
    found["whole mass"] = _looped_mass_matrix(system, whole=True)
    return found


def flops(system: System, what: str) -> int:
    """Flops of a function; a loop adds eleven for each pair of joints on a path."""
    if "mass" not in what or not system.plan.loop_mass_matrix:
        return system.counts(FUNCTIONS[what]).flops
    depth = {-1: 0}
    for i, parent in enumerate(system.plan.dof_parents):
        depth[i] = depth[int(parent)] + 1
    return system.counts("mass matrix columns").flops + 11 * sum(depth.values())


def routine(system: System, name: str) -> Routine:
    """A function of a system by name."""
    made = system.function(name).compiled
    return Routine(made.address, made.work_size, made.context_address, owners=(made,))


def _looped_mass_matrix(system: System, whole: bool) -> Routine:
    """Generated columns and the loops of the C library, by one call."""
    library = ctypes.CDLL(str(compiled([HERE / "mass_matrix.c"], OPTIMISED)))
    columns = system.function("mass matrix columns").compiled
    parents = system.plan.dof_parents.astype(np.int32)
    n = len(parents)
    loops = address(LIB, "tb_tree_products"), address(LIB, "tb_mirror") if whole else None
    context = _MassMatrixContext(
        columns.address, columns.context_address, *loops, n, parents.ctypes.data
    )
    return Routine(
        address(library, "mass_matrix"),
        13 * n + 8 + max(columns.work_size, 2 * n),
        ctypes.addressof(context),
        owners=(library, columns, parents, context),
    )
