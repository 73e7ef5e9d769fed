"""Recursive equations as vectorial steps: how many, how wide, and what computing them at once could
gain, beside what one core does already."""

import numpy as np

from benchmarks.core import as_routine
from benchmarks.engines.touchback import FUNCTIONS
from benchmarks.mechanisms import make
from benchmarks.report import Section, microseconds
from benchmarks.run_time import TURNS
from benchmarks.timing import interleaved
from touchback.codegen import compile_program
from touchback.symbolic.operation_count import critical_path_program, depth
from touchback.symbolic.program import Program

SIZES = (7, 30, 100)


def run() -> Section:
    """Inverse and forward dynamics of chains and trees."""
    section = Section(
        "Depth: operations that wait for one another",
        ["function, joints", "operations", "steps", "widest", "a step", "µs", "way alone", "×"],
    )
    for shape in ("chain", "tree"):
        for size in SIZES:
            system = make(shape, size).model().compile()
            for what in ("inverse", "forward"):
                program = system.function(FUNCTIONS[what]).second
                _measure(section, f"{what} dynamics, {shape} of {size}", program)
    section.remark(
        "A step: operations whose operands are there. µs: our code of one lane; way alone: the "
        "operations of the longest way, one after the other, as code of one lane, which no number "
        "of units beats; × is what they could gain over our code at best."
    )
    return section


def _measure(section: Section, label: str, program: Program) -> None:
    found = depth(program)
    whole, alone = (
        compile_program(each, "f")
        for each in (program, critical_path_program(program, found.longest))
    )
    X, U = np.ones((8, max(program.size("x"), 1))), np.ones((8, max(program.size("u"), 1)))
    rng = np.random.default_rng(4)
    best = [float("inf"), float("inf")]
    for _ in range(TURNS):  # ones keep the way alone from numbers that are slow
        varied = X * rng.standard_normal(X.shape), U * rng.standard_normal(U.shape)
        for k, (code, arrays) in enumerate(((whole, varied), (alone, (X, U)))):
            turn = interleaved({"": as_routine(code)}, *arrays, code.out_size, 1)[""]
            best[k] = min(best[k], turn.best)
    section.rows.append(
        [label, str(found.operations), str(found.steps), str(found.widest), f"{found.gain:.1f}",
         *map(microseconds, best), f"{best[0] / best[1]:.2f}"]
    )  # fmt: skip
    section.records.append(
        {"function": label, "operations": found.operations, "steps": found.steps,
         "widest": found.widest, "whole": best[0], "way": best[1]}
    )  # fmt: skip
