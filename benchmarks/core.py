"""The symbolic core and the emitter: time per node, and our machine code against gcc's."""

import ctypes
import gc
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from benchmarks.engines.build import Unavailable, address, compiled
from benchmarks.mechanisms import make
from benchmarks.report import Section, microseconds
from benchmarks.run_time import TURNS
from benchmarks.timing import AnyRoutine, Floats, Routine, interleaved
from touchback.codegen import Compiled, compile_program, emit
from touchback.codegen.host_cpu import host_target
from touchback.codegen.printers import print_c
from touchback.codegen.printers.compile_c import FLAGS
from touchback.dynamics.forward_dynamics import solve_accelerations
from touchback.symbolic.program import Program, lower
from touchback.system.derivation import Derivation
from touchback.system.signal_layout import layout_of

LEVELS = ("-O2", "-O3")


def run() -> Section:
    """Derivation and emission per operation, then run time against gcc."""
    section = Section(
        "Core: forward dynamics of chains, articulated bodies",
        ["joints", "nodes", "µs a node", "operations", "lower µs", "emit µs an operation",
         "ours µs", "gcc -O2", "×", "gcc -O3", "×", "gcc s"],
    )  # fmt: skip
    for size in (7, 30, 100):
        _measure(section, size, against_gcc=size <= 30)
    section.remark(
        "The same program through C: our printer, gcc with the flags of the C back end; results "
        "equal to the bit. gcc s: CPU seconds of the compiler at both levels (kept between runs)."
    )
    return section


def _measure(section: Section, size: int, against_gcc: bool) -> None:
    model = make("chain", size).model()
    layout = layout_of(model)
    gc.collect()
    start = process_time()
    d = Derivation(model, layout, layout.v, frame_pass=True)
    outputs = solve_accelerations(d.instant, d.extra, "articulated")
    derived = process_time()
    program = lower(d.tape, outputs, d.places())
    lowered = process_time()
    target, _ = host_target()
    if target is not None:
        emit(program, target)
    emitted = process_time()
    nodes, operations = len(d.tape), len(program.op)
    record: dict[str, float] = {
        "joints": size, "nodes": nodes, "node": (derived - start) / nodes,
        "operations": operations, "lower": (lowered - derived) / operations,
        "emit": (emitted - lowered) / operations,
    }  # fmt: skip
    row = [str(size), str(nodes), f"{1e6 * record['node']:.2f}", str(operations),
           f"{1e6 * record['lower']:.2f}", f"{1e6 * record['emit']:.2f}"]  # fmt: skip
    if against_gcc:
        row += _beside_gcc(section, program, record)
    section.rows.append(row + ["—"] * (len(section.columns) - len(row)))
    section.records.append(record)


def _beside_gcc(section: Section, program: Program, record: dict[str, float]) -> list[str]:
    own = compile_program(program, "forward_dynamics")
    X, U = _rows(program.size("x")), _rows(program.size("u"))
    routines: dict[str, AnyRoutine] = {"ours": as_routine(own)}
    try:
        seconds = sum(_build(routines, program, level) for level in LEVELS)
    except Unavailable as reason:
        section.remark(f"gcc: {reason}.")
        return []
    wanted = routines["ours"].results(X, U, own.out_size)
    for level in LEVELS:
        if not np.array_equal(wanted, routines[level].results(X, U, own.out_size)):
            raise ArithmeticError(f"gcc {level} and our machine code give different bits.")
    timings = interleaved(routines, X, U, own.out_size, TURNS)
    cells = [microseconds(timings["ours"].best)]
    for level in LEVELS:
        ratio = timings[level].best / timings["ours"].best
        record[f"gcc {level}"] = timings[level].best
        cells += [microseconds(timings[level].best), f"{ratio:.2f}"]
    record["ours"] = timings["ours"].best
    return [*cells, f"{seconds:.1f}"]


def _build(routines: dict[str, AnyRoutine], program: Program, level: str) -> float:
    """Add what gcc makes of the program; the CPU seconds that it took."""
    flags = [level, *(flag for flag in FLAGS if flag != "-O2"), "-march=native", "-lm"]
    start = _children()
    with TemporaryDirectory() as folder:
        source = Path(folder, f"forward_{len(program.op)}.c")
        source.write_text(print_c(program, "forward_dynamics"), encoding="utf-8")
        library = ctypes.CDLL(str(compiled([source], flags)))
    routines[level] = Routine(address(library, "forward_dynamics"), 1 << 16, owners=(library,))
    return _children() - start


def _children() -> float:
    import os

    times = os.times()
    return times.children_user + times.children_system


def as_routine(made: Compiled) -> Routine:
    """A compiled function for timing."""
    return Routine(made.address, made.work_size, made.context_address, owners=(made,))


def _rows(size: int) -> Floats:
    return np.random.default_rng(1).standard_normal((8, max(size, 1)))
