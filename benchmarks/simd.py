"""Batches: the hardware's SIMD width against one evaluation at a time."""

import numpy as np

from benchmarks.core import as_routine
from benchmarks.engines.touchback import FUNCTIONS
from benchmarks.mechanisms import make
from benchmarks.report import Section, microseconds
from benchmarks.run_time import TURNS
from benchmarks.timing import Floats, interleaved
from touchback.codegen import Compiled, compile_program, program_compiler
from touchback.codegen.emit_machine_code import TARGETS
from touchback.codegen.host_cpu import host_target
from touchback.symbolic.program import Program

SIZES = (2, 7, 30, 100)
Way = tuple[str, int]  # a target and its lanes


def run() -> Section:
    """Inverse and forward dynamics of chains: every target that runs here, at its full width."""
    target, reason = host_target()
    section = Section("SIMD: µs an evaluation", ["function, joints"])
    if target is None:
        section.remark(f"Skipped: {reason}.")
        return section
    targets = ["x86_64", target] if target == "x86_64_v4" else [target]
    ways = [(each, lanes) for each in targets for lanes in (1, TARGETS[each].widths[-1])]
    for each in targets:
        section.columns += [f"{each}, 1 lane", f"{TARGETS[each].widths[-1]}", "×"]
    for size in SIZES:
        system = make("chain", size).model().compile()
        for what in ("inverse", "forward"):
            program = system.function(FUNCTIONS[what]).second
            _measure(section, f"{FUNCTIONS[what]}, {size}", program, ways)
    section.remark("Every lane gives the bits of the scalar code.")
    return section


def _measure(section: Section, label: str, program: Program, ways: list[Way]) -> None:
    codes = [compiled_for(program, *way) for way in ways]
    X, U = _rows(program.size("x")), _rows(program.size("u"))
    best = [float("inf")] * len(ways)
    results = []
    for code in codes:
        routine, lanes = as_routine(code), code.lanes
        out = routine.results(_interleave(X, lanes), _interleave(U, lanes), code.out_size * lanes)
        by_lane = out.reshape(-1, code.out_size, lanes).transpose(0, 2, 1)
        results.append(by_lane.reshape(-1, code.out_size)[:8])
    if not all(np.array_equal(each, results[0]) for each in results):
        raise ArithmeticError(f"{label}: lanes and the scalar code give different bits.")
    for _ in range(TURNS):  # they take different arrays: interleave by hand
        for k, code in enumerate(codes):
            arrays = _interleave(X, code.lanes), _interleave(U, code.lanes)
            turn = interleaved({"": as_routine(code)}, *arrays, code.out_size * code.lanes, 1)[""]
            best[k] = min(best[k], turn.best / code.lanes)
    row = [label]
    for alone, together in zip(best[::2], best[1::2], strict=True):
        row += [microseconds(alone), microseconds(together), f"{alone / together:.2f}"]
    section.rows.append(row)
    times = {f"{target}, {lanes}": t for (target, lanes), t in zip(ways, best, strict=True)}
    section.records.append({"function": label, **times})


def compiled_for(program: Program, target: str, lanes: int) -> Compiled:
    """Code for a target that isn't necessarily the best one here."""
    usual, program_compiler.host_target = program_compiler.host_target, lambda: (target, "")
    try:
        return compile_program(program, "f", lanes=lanes)
    finally:
        program_compiler.host_target = usual


def _rows(size: int) -> Floats:
    """Instances' inputs, whole groups for every number of lanes."""
    return np.random.default_rng(2).standard_normal((64, max(size, 1)))


def _interleave(rows: Floats, lanes: int) -> Floats:
    """Element i of lane l at [i * lanes + l], for each group."""
    groups = rows.reshape(-1, lanes, rows.shape[1])[:8]
    return np.ascontiguousarray(groups.transpose(0, 2, 1)).reshape(len(groups), -1)
