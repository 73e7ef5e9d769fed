"""Compiled programs: how they are called, what they refuse, what takes their place elsewhere."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from random_graphs import Builder, assert_same_bits, interpreted, random_graph, random_inputs
from touchback.codegen import compile_program, emit, host_cpu, program_compiler
from touchback.codegen.printers import compile_c
from touchback.errors import CompileError, InputError
from touchback.symbolic import ops
from touchback.symbolic.program import Program

needs_emitter = pytest.mark.skipif(
    host_cpu.host_target()[0] is None, reason="no emitter for this host"
)
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")


@pytest.fixture
def program() -> Program:
    """out = (x0 u1 + p0, −x1)."""
    build = Builder()
    x0, x1 = build.input("x", 0), build.input("x", 1)
    u1, p0 = build.input("u", 1), build.input("p", 0)
    return build.outputs(build.node(ops.FMA, x0, u1, p0), -x1)


BACKENDS = ["machine", pytest.param("c", marks=needs_compiler), "interpreter"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_back_end_gives_the_same_bits(backend: program_compiler.Backend) -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):
        program = random_graph(rng, 100)
        arrays = random_inputs(rng, program)
        got = compile_program(program, backend=backend).call(*(array[:, 0] for array in arrays))
        assert_same_bits(got[:, None], interpreted(program, arrays), program, backend)


@pytest.mark.parametrize("backend", ["machine", "interpreter"])
def test_a_bound_call_works_on_the_very_arrays(
    program: Program, backend: program_compiler.Backend
) -> None:
    x, u, p, out = np.array([2.0, 3.0]), np.array([0.0, 5.0]), np.array([1.0]), np.zeros(2)
    call = compile_program(program, backend=backend).bind(x, u, p, out)
    call()
    assert out.tolist() == [11.0, -3.0]
    x[0] = -2.0
    call()
    assert out.tolist() == [-9.0, -3.0]


@needs_emitter
def test_results_that_are_used_again_are_read_where_they_were_stored() -> None:
    """200 squares, more than registers hold, and their sum from the last on: none leaves for
    work memory. Of their negatives, which are not they, some do."""
    for sign in (1, -1):
        build = Builder()
        inputs = [build.input("x", k) for k in range(200)]
        squares = [build.node(ops.MUL, x, x) for x in inputs]
        total = squares[-1]
        for square in reversed(squares[:-1]):
            total = build.node(ops.ADD, total, square)
        function = compile_program(build.outputs(total, *(sign * each for each in squares)))
        assert (function.work_size == 0) == (sign == 1)
        got = function.call(np.arange(200.0), np.zeros(0), np.zeros(0))
        assert got.tolist() == [sum(k**2 for k in range(200)), *(sign * k**2 for k in range(200))]


@needs_emitter
def test_two_threads_may_call_one_function_at_once() -> None:
    rng = np.random.default_rng(1)
    program = random_graph(rng, 2000, outputs=50)
    function = compile_program(program)
    inputs = [[array[:, 0] for array in random_inputs(rng, program)] for _ in range(2)]
    alone = [function.call(*arrays) for arrays in inputs]

    def many(k: int) -> list[np.ndarray]:
        return [function.call(*inputs[k]) for _ in range(300)]

    with ThreadPoolExecutor(2) as pool:
        for k, results in enumerate(pool.map(many, range(2))):
            for got in results:
                assert_same_bits(got[:, None], alone[k][:, None], program, f"thread {k}")


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        (([1.0], [0.0, 0.0], [0.0]), "f: x needs 2 doubles, got 1"),
        (([1.0, 2.0], [0.0], [0.0]), "f: u needs 2 doubles, got 1"),
        (([1.0, 2.0], [0.0, 0.0], []), "f: p needs 1 doubles, got 0"),
    ],
)
def test_short_arrays_are_refused_by_name(
    program: Program, arrays: tuple[list[float], ...], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        compile_program(program).call(*arrays)


def test_arrays_that_cannot_be_used_in_place_are_refused(program: Program) -> None:
    function = compile_program(program)
    fine = np.zeros(2)
    with pytest.raises(InputError, match="x must be contiguous"):
        function.bind(np.zeros(4)[::2], fine, fine, fine)
    with pytest.raises(InputError, match="out must be an array of 2 doubles"):
        function.bind(fine, fine, fine, np.zeros(2, np.float32))


def test_unknown_targets_lanes_and_back_ends_are_named(program: Program) -> None:
    with pytest.raises(CompileError, match="no emitter for 'mips'; there are aarch64, x86_64"):
        emit(program, "mips")
    with pytest.raises(CompileError, match="x86_64 computes 1 or 4 lanes, not 2"):
        emit(program, "x86_64", 2)
    with pytest.raises(CompileError, match="x86_64_v4 computes 1, 4 or 8 lanes, not 2"):
        emit(program, "x86_64_v4", 2)
    with pytest.raises(CompileError, match="no back end 'fortran'"):
        compile_program(program, backend="fortran")  # type: ignore[arg-type]
    with pytest.raises(CompileError, match="interpreter back end computes one lane, not 2"):
        compile_program(program, backend="interpreter", lanes=2)


@needs_compiler
def test_where_no_emitter_runs_c_takes_its_place_with_a_warning(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_compiler, "host_target", lambda: (None, "this processor lacks fma"))
    with pytest.warns(RuntimeWarning, match=r"C compiler: this processor lacks fma"):
        function = compile_program(program)
    assert function.backend == "c"
    assert function.call([2.0, 3.0], [0.0, 5.0], [1.0]).tolist() == [11.0, -3.0]
    with pytest.raises(CompileError, match="2 lanes need machine code, but this processor lacks"):
        compile_program(program, lanes=2)
    with pytest.raises(CompileError, match="'c': there is no machine code"):
        function.disassemble()


def test_without_a_compiler_either_it_is_interpreted_with_a_warning(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_compiler, "host_target", lambda: (None, "this is no Linux"))
    monkeypatch.setattr(compile_c, "COMPILERS", ("no-such-compiler",))
    with pytest.warns(RuntimeWarning, match=r"interpreted.*this is no Linux.*none of no-such"):
        function = compile_program(program)
    assert function.backend == "interpreter"
    assert function.call([2.0, 3.0], [0.0, 5.0], [1.0]).tolist() == [11.0, -3.0]


def test_a_processor_without_the_instructions_is_recognised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host_cpu.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(host_cpu, "cpu_features", lambda: frozenset({"sse2", "avx2"}))
    assert host_cpu.host_target() == (None, "this processor lacks fma")
    monkeypatch.setattr(host_cpu, "cpu_features", lambda: frozenset({"sse2", "avx2", "fma"}))
    assert host_cpu.host_target() == ("x86_64", "")
    every = frozenset({"avx2", "fma", "avx512f", "avx512dq", "avx512bw", "avx512vl"})
    monkeypatch.setattr(host_cpu, "cpu_features", lambda: every)
    monkeypatch.setattr(host_cpu.LIB, "tb_has_avx512", lambda: 0)  # the list is of another machine
    assert host_cpu.host_target() == ("x86_64", "")
    monkeypatch.setattr(host_cpu.LIB, "tb_has_avx512", lambda: 1)
    assert host_cpu.host_target() == ("x86_64_v4", "")
    monkeypatch.setattr(host_cpu.platform, "machine", lambda: "riscv64")
    target, reason = host_cpu.host_target()
    assert target is None
    assert "riscv64" in reason


@needs_emitter
def test_perf_learns_the_names_when_asked(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = Path(f"/tmp/perf-{os.getpid()}.map")
    before = file.read_text() if file.exists() else ""
    compile_program(program, "silent")
    monkeypatch.setenv("TOUCHBACK_PERF", "1")
    function = compile_program(program, "spoken_of")
    added = file.read_text()[len(before) :]
    file.unlink()
    address, size, name = added.split()
    code = function.machine_code
    assert code is not None
    assert (int(address, 16), name) == (function.address, "touchback:spoken_of")
    assert int(size, 16) == len(code.code) - code.entry


@needs_emitter
def test_a_listing_of_the_running_code(program: Program) -> None:
    listing = compile_program(program).disassemble()
    assert "ret" in listing
    assert "fmadd" in listing.replace("vfmadd", "fmadd")
