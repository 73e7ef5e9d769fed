"""Run time of inverse dynamics, forward dynamics and mass matrix, beside peers in the same run."""

from typing import Any

import numpy as np

from benchmarks.engines import casadi, mujoco, pinocchio, touchback as ours
from benchmarks.engines.build import Unavailable
from benchmarks.mechanisms import Mechanism, make
from benchmarks.report import Section, Target, microseconds
from benchmarks.timing import (
    Alternatives,
    AnyRoutine,
    Floats,
    PythonRoutine,
    Timing,
    fastest,
    interleaved,
)

SIZES = (2, 7, 30, 100, 400)
PEERS = (pinocchio, mujoco, casadi)
LABELS = {
    "inverse": "inverse dynamics",
    "forward": "forward dynamics",
    "mass": "mass matrix",
    "whole mass": "mass matrix, mirrored",
}
AGREEMENT = 1e-10  # of the largest number in a result
ROWS, TURNS = 8, 25

# (shape, joints, function, peer): at least this many times faster than the peer
ASKED = {
    ("chain", 7, "inverse", "Pinocchio"): 4.0,
    ("chain", 7, "forward", "Pinocchio"): 5.0,
    ("chain", 7, "inverse", "CasADi C"): 2.0,
    ("chain", 7, "forward", "CasADi C"): 2.0,
    ("chain", 100, "inverse", "Pinocchio"): 4.0,
    ("chain", 100, "forward", "Pinocchio"): 4.0,
}


class Disagreement(Exception):
    """Two engines give different results: nobody times wrong code."""


def run(shape: str, sizes: tuple[int, ...] = SIZES, peers: tuple[Any, ...] = PEERS) -> Section:
    """Every function of every size."""
    columns = ["function, joints", "flops", "Touchback µs", "median"]
    for peer in peers:
        columns += [f"{peer.NAME} µs", "median", "×"]
    section = Section(f"Run time: {shape}s of revolute joints, general placements", columns)
    for size in sizes:
        _measure(section, make(shape, size), peers)
    if peers:
        section.remark(
            "Best and median of interleaved turns, timed in C; × is the peer's best over ours. "
            f"Results agreed within {AGREEMENT:g} before timing."
        )
        section.remark(
            "Pinocchio: C++ headers, g++ -O3 -march=native; RNEA, ABA and CRBA (its upper triangle "
            "only), the last two in world or local frames, whichever is faster. MuJoCo: the stages "
            "of its library that the result needs; its mass matrix stays sparse. CasADi C: "
            "Pinocchio's RNEA and ABA over CasADi, written as C, gcc -O2. Ours writes the whole "
            "matrix where it is unrolled, one triangle by a loop beyond; mirrored: both triangles."
        )
    return section


def _measure(section: Section, mechanism: Mechanism, peers: tuple[Any, ...]) -> None:
    system = mechanism.model().compile()
    own = ours.routines(system)
    engines: dict[str, Alternatives] = {ours.NAME: {what: (made,) for what, made in own.items()}}
    readers: dict[str, Any] = {}
    for peer in peers:
        try:
            engines[peer.NAME], readers[peer.NAME] = peer.routines(mechanism)
        except Unavailable as reason:
            section.remark(f"{peer.NAME}: {reason}.")
    X, U = inputs(mechanism.size)
    _check(mechanism, engines, readers, X, U)
    for what in own:
        label, out_size = LABELS[what], mechanism.size ** (2 if "mass" in what else 1)
        routines = {
            name: fastest(known[what], X, U, out_size)
            for name, known in engines.items()
            if what in known
        }
        timings = interleaved(routines, X, U, out_size, TURNS)
        row = [f"{label}, {mechanism.size}", str(ours.flops(system, what))]
        for name in (ours.NAME, *(peer.NAME for peer in peers)):
            row += _cells(timings.get(name), timings[ours.NAME], name == ours.NAME)
        section.rows.append(row)
        for name, timing in timings.items():
            _record(section, mechanism, what, name, routines[name], timing, timings[ours.NAME])


def inputs(size: int) -> tuple[Floats, Floats]:
    """Rows of [q, v] and of [time, a or τ]."""
    rng = np.random.default_rng(0)
    X, U = rng.standard_normal((ROWS, 2 * size)), rng.standard_normal((ROWS, 1 + size))
    X[:, size:] *= 0.3
    U[:, 0] = 0.0
    return X, U


def _check(
    mechanism: Mechanism,
    engines: dict[str, Alternatives],
    readers: dict[str, Any],
    X: Floats,
    U: Floats,
) -> None:
    """Every way of every engine against ours; forward dynamics by what is left over: the efforts
    for the accelerations that came out."""
    n, own = mechanism.size, {what: ways[0] for what, ways in engines[ours.NAME].items()}
    efforts = own["inverse"].results(X, U, n)
    matrices = own["mass"].results(X, U, n * n).reshape(-1, n, n)
    scale = np.abs(own["inverse"].results(X, 0 * U, n)).max()  # what cancels in the efforts
    for name, known in engines.items():
        for forward in known["forward"]:
            accelerations = forward.results(X, U, n)
            back = own["inverse"].results(X, np.hstack([U[:, :1], accelerations]), n)
            compare(name, mechanism, "forward dynamics", back, U[:, 1:], scale)
        if name == ours.NAME:
            continue
        for inverse in known["inverse"]:
            compare(name, mechanism, "inverse dynamics", inverse.results(X, U, n), efforts)
        for mass in known.get("mass", ()):
            for x, u, M in zip(X, U, matrices, strict=True):
                found = mass.results(x[None], u[None], n * n).reshape(n, n)
                if readers[name] is not None:
                    found = readers[name](n)
                compare(name, mechanism, "mass matrix", np.tril(found), np.tril(M))


def compare(
    name: str, mechanism: Mechanism, what: str, found: Floats, wanted: Floats, scale: float = 0.0
) -> None:
    error = float(np.abs(found - wanted).max() / max(1.0, scale, float(np.abs(wanted).max())))
    if not error <= AGREEMENT:
        raise Disagreement(
            f"{what} of the {mechanism.shape} of {mechanism.size} by {name} differs from "
            f"Touchback's by {error:.1e} of its largest number (allowed {AGREEMENT:g})."
        )


def _cells(timing: Timing | None, own: Timing, is_own: bool) -> list[str]:
    if timing is None:
        return ["—", "—", "—"]
    shown = [microseconds(timing.best), microseconds(timing.median)]
    return shown if is_own else [*shown, f"{timing.best / own.best:.1f}"]


def _record(
    section: Section,
    mechanism: Mechanism,
    what: str,
    name: str,
    routine: AnyRoutine,
    timing: Timing,
    own: Timing,
) -> None:
    ratio = timing.best / own.best
    record = {
        "shape": mechanism.shape, "joints": mechanism.size, "function": LABELS[what],
        "engine": name, "best": timing.best, "median": timing.median, "ratio": ratio,
    }  # fmt: skip
    if isinstance(routine, PythonRoutine):
        record["overhead"] = routine.overhead
        section.remark(
            f"{name}, {LABELS[what]}, {mechanism.size} joints: {routine.note}; "
            f"{microseconds(routine.overhead)} µs of it is the call from Python."
        )
    section.records.append(record)
    asked = ASKED.get((mechanism.shape, mechanism.size, what, name))
    if asked is not None:
        section.targets.append(
            Target(
                f"{LABELS[what]}, {mechanism.shape} of {mechanism.size}, against {name}",
                f"{asked:g}× faster", f"{ratio:.2f}×", ratio >= asked,
            )
        )  # fmt: skip
