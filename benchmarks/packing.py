"""Packing within one instance: a vector's components side by side in one register, a prototype,
and equal branches of a tree (`benchmarks.branches`)."""

import ctypes

import numpy as np

from benchmarks import branches
from benchmarks.engines.build import HERE, Unavailable, address, compiled
from benchmarks.report import Section, microseconds
from benchmarks.run_time import TURNS
from benchmarks.timing import AnyRoutine, Floats, Routine, interleaved

SIZES = (7, 30, 100)
FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-fno-tree-vectorize", "-Wno-psabi")


def run() -> Section:
    """Inverse dynamics of chains, three numbers side by side; forward dynamics of equal limbs."""
    section = Section(
        "Packing: µs of one instance", ["function", "one by one", "side by side", "×", "Pinocchio"]
    )
    _vectors(section)
    branches.add(section)
    return section


def _vectors(section: Section) -> None:
    try:
        libraries = {
            "one by one": ctypes.CDLL(str(compiled([HERE / "packing.c"], FLAGS))),
            "packed": ctypes.CDLL(str(compiled([HERE / "packing.c"], (*FLAGS, "-DPACKED")))),
        }
    except Unavailable as reason:
        section.remark(f"Vectors are skipped: {reason}.")
        return
    for size in SIZES:
        links, X = _chain(size)
        routines: dict[str, AnyRoutine] = {}
        for name, library in libraries.items():
            library.prepare(ctypes.c_long(size), ctypes.c_void_p(links.ctypes.data))
            routines[name] = Routine(address(library, "inverse"), owners=(library, links))
        U = np.zeros((len(X), 1))
        first, second = (routine.results(X, U, size) for routine in routines.values())
        if not np.allclose(first, second, rtol=1e-9, atol=1e-9 * np.abs(first).max()):
            raise ArithmeticError("Packed numbers give other results.")
        best = {k: t.best for k, t in interleaved(routines, X, U, size, TURNS).items()}
        gain = best["one by one"] / best["packed"]
        section.rows.append(
            [f"inverse dynamics, chain of {size}", *map(microseconds, best.values()),
             f"{gain:.2f}", "—"]
        )  # fmt: skip
        section.records.append({"joints": size, **best})
    section.remark(
        "Chains: the same C over links, gcc without vectors of its own; sines and cosines given."
    )


def _chain(size: int) -> tuple[Floats, Floats]:
    """Links (packing.c) and rows of cosine, sine, velocity and acceleration of each joint."""
    rng = np.random.default_rng(6)
    turns = np.linalg.qr(rng.normal(size=(size, 3, 3)))[0]
    roots = rng.normal(size=(size, 3, 3))
    parts = (
        turns.reshape(size, 9), rng.normal(size=(size, 3)), rng.uniform(1, 2, (size, 1)),
        rng.normal(size=(size, 3)), (roots @ roots.transpose(0, 2, 1)).reshape(size, 9),
    )  # fmt: skip
    angle = rng.normal(size=(8, size))
    motion = np.stack([np.cos(angle), np.sin(angle), *(0.1 * rng.normal(size=(2, 8, size)))], 2)
    return np.ascontiguousarray(np.concatenate(parts, 1)), motion.reshape(8, -1)
