"""Batches: the hardware's SIMD width against one evaluation at a time."""

import numpy as np

from benchmarks.core import as_routine
from benchmarks.engines.touchback import FUNCTIONS
from benchmarks.mechanisms import make
from benchmarks.report import Section, microseconds
from benchmarks.run_time import TURNS
from benchmarks.timing import Floats, interleaved
from touchback.codegen import compile_program
from touchback.codegen.host import host_target
from touchback.codegen.machine import TARGETS
from touchback.symbolic.program import Program

SIZES = (2, 7, 30, 100)


def run() -> Section:
    """Inverse and forward dynamics of chains."""
    target, reason = host_target()
    section = Section("SIMD: µs an evaluation", ["function, joints", "1 lane", "lanes", "µs", "×"])
    if target is None:
        section.remark(f"Skipped: {reason}.")
        return section
    lanes = TARGETS[target].vector_width
    for size in SIZES:
        system = make("chain", size).model().compile()
        for what in ("inverse", "forward"):
            program = system.function(FUNCTIONS[what]).second
            _measure(section, f"{FUNCTIONS[what]}, {size}", program, lanes)
    section.remark("Every lane gives the bits of the scalar code.")
    return section


def _measure(section: Section, label: str, program: Program, lanes: int) -> None:
    single, wide = compile_program(program, "f"), compile_program(program, "f", lanes=lanes)
    X, U = _rows(program.size("x"), lanes), _rows(program.size("u"), lanes)
    one = single.out_size
    alone = as_routine(single).results(X.reshape(-1, X.shape[2]), U.reshape(-1, U.shape[2]), one)
    wide_X, wide_U = _interleave(X), _interleave(U)
    together = as_routine(wide).results(wide_X, wide_U, one * lanes)
    together = together.reshape(-1, one, lanes).transpose(0, 2, 1).reshape(-1, one)
    if not np.array_equal(alone, together):
        raise ArithmeticError(f"{label}: {lanes} lanes and the scalar code give different bits.")
    scalar = {"scalar": as_routine(single)}
    vector = {"vector": as_routine(wide)}
    best = [float("inf"), float("inf")]
    for _ in range(TURNS):  # the two take different arrays: interleave by hand
        best[0] = min(best[0], interleaved(scalar, X[:, 0], U[:, 0], one, 1)["scalar"].best)
        turn = interleaved(vector, wide_X, wide_U, one * lanes, 1)["vector"]
        best[1] = min(best[1], turn.best / lanes)
    section.rows.append(
        [
            label,
            microseconds(best[0]),
            str(lanes),
            microseconds(best[1]),
            f"{best[0] / best[1]:.2f}",
        ]
    )
    section.records.append(
        {"function": label, "lanes": lanes, "scalar": best[0], "vector": best[1]}
    )


def _rows(size: int, lanes: int) -> Floats:
    """Eight rows of each lane's inputs."""
    return np.random.default_rng(2).standard_normal((8, lanes, max(size, 1)))


def _interleave(rows: Floats) -> Floats:
    """Element i of lane l at [i * lanes + l]."""
    return np.ascontiguousarray(rows.transpose(0, 2, 1)).reshape(len(rows), -1)
