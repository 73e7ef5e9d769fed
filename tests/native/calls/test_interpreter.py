"""The interpreter in C computes the bits of plain evaluation, whatever the program and numbers."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given, strategies as st

from touchback.errors import InputError
from touchback.native import Interpreter
from touchback.native.calls.interpreter import OPERATION_NAMES
from touchback.symbolic import Lookup, Program, Table, Want, evaluate, ops

SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -2.2e-308, 1.8e308, 2.0**30]
NUMBERS = st.sampled_from(SPECIAL) | st.floats(-10, 10) | st.floats(allow_subnormal=True)
LINE = Table(x=(-1.0, 0.0, 0.5, 3.0), values=(2.0, -1.0, 0.25, 7.0))
GRID = Table(x=(-1.0, 0.0, 2.0), y=(0.0, 1.0), values=(1.0, 2.0, -3.0, 0.5, 4.0, 0.1))
LOOKUPS = [Lookup(LINE), Lookup(LINE, Want.DX), *(Lookup(GRID, want) for want in Want)]


def same_bits(a: float, b: float) -> bool:
    return (a != a and b != b) or struct.pack("d", a) == struct.pack("d", b)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Straight-line code over all operations, reading five inputs of three arrays."""
    places = [("x", 0), ("x", 1), ("u", 0), ("p", 0), ("p", 2)]
    count = 2 + len(places)
    program = Program(
        [0, 0], [0] * count, [0] * count, [0] * count, {0: 0.0, 1: 1.0}, {}, [], LOOKUPS
    )
    program.op += [ops.INPUT] * len(places)
    program.inputs = {2 + i: place for i, place in enumerate(places)}
    for node in range(count, count + draw(st.integers(1, 25))):
        op = draw(st.sampled_from([i for i in range(len(ops.OPS)) if i != ops.INPUT]))
        a, b, c = (draw(st.integers(0, node - 1)) for _ in "abc")
        if op == ops.CONST:
            program.values[node] = draw(NUMBERS)
        elif op == ops.LOOKUP1:
            c = draw(st.integers(0, 1))
        elif op == ops.LOOKUP2:
            c = draw(st.integers(2, len(LOOKUPS) - 1))
        for row, value in zip((program.op, program.a, program.b, program.c), (op, a, b, c)):
            row.append(value)
    total = len(program.op)
    program.outputs = draw(st.lists(st.integers(1 - total, total - 1), min_size=1, max_size=6))
    return program


def test_the_operations_are_numbered_as_in_the_tape() -> None:
    assert OPERATION_NAMES == ops.NAME


@given(programs(), st.lists(NUMBERS, min_size=6, max_size=6))
def test_every_program_gives_the_bits_of_plain_evaluation(
    program: Program, numbers: list[float]
) -> None:
    x, u, p = numbers[:2], numbers[2:3], numbers[3:]
    expected = evaluate(program, {"x": x, "u": u, "p": p})
    found = Interpreter(program).run(x, u, p)
    assert all(same_bits(a, b) for a, b in zip(expected, found)), (expected, found)


@pytest.mark.parametrize("op", range(ops.ADD, len(ops.OPS)), ids=lambda op: ops.NAME[op])
def test_each_operation_gives_the_bits_of_plain_evaluation(op: int) -> None:
    """Random numbers of like size, where fused and separate rounding differ, and special ones."""
    random = np.random.default_rng(op)
    special = random.choice(SPECIAL, size=(100, 3))
    X = np.vstack([random.normal(size=(300, 3)), special])
    wants = {ops.LOOKUP1: [0, 1], ops.LOOKUP2: [2, 3, 4, 5]}.get(op, [4])
    for c in wants:
        program = Program([0, 0] + [ops.INPUT] * 3 + [op], [0] * 5 + [2], [0] * 5 + [3],
                          [0] * 5 + [c], {0: 0.0, 1: 1.0}, {2 + i: ("x", i) for i in range(3)},
                          [5], LOOKUPS)  # fmt: skip
        found = Interpreter(program).run_rows(X)[:, 0]
        expected = [evaluate(program, {"x": x})[0] for x in X.tolist()]
        assert all(map(same_bits, expected, found))


@given(programs(), st.integers(0, 2**32 - 1))
def test_a_batch_gives_the_bits_of_single_runs(program: Program, seed: int) -> None:
    random = np.random.default_rng(seed)
    X, U, p = random.normal(size=(7, 2)), random.normal(size=(1, 1)), random.normal(size=3)
    interpreter = Interpreter(program)
    batch = interpreter.run_rows(X, U, p)
    single = np.array([interpreter.run(x, U[0], p) for x in X])
    assert batch.shape == (7, len(program.outputs))
    np.testing.assert_array_equal(batch, single)


@pytest.mark.parametrize("op", [ops.SIN, ops.COS])
def test_sine_and_cosine_are_within_two_units_in_the_last_place_of_the_libraries(op: int) -> None:
    program = Program([0, 0, ops.INPUT, op], [0, 0, 0, 2], [0] * 4, [0] * 4, {0: 0.0, 1: 1.0},
                      {2: ("x", 0)}, [3], [])  # fmt: skip
    angles = np.random.default_rng(1).uniform(-1e3, 1e3, (20_000, 1))
    reference = (np.sin if op == ops.SIN else np.cos)(angles)
    error = np.abs(Interpreter(program).run_rows(angles) - reference)
    assert np.all(error <= 2 * np.spacing(np.abs(reference)))


def test_a_short_input_is_refused_before_c_reads_beyond_it() -> None:
    program = Program([0, 0, ops.INPUT], [0] * 3, [0] * 3, [0] * 3, {0: 0.0, 1: 1.0}, {2: ("u", 4)},
                      [2], [])  # fmt: skip
    with pytest.raises(InputError, match="reads 5 elements of u, got 3"):
        Interpreter(program).run(u=[1.0, 2.0, 3.0])
