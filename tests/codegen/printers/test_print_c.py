"""Printed C computes the same bits as plain evaluation, whatever the program."""

import math
import shutil
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import example, given, settings, strategies as st

from printed_programs import bits, compiled_c
from random_programs import random_point, random_program
from touchback.codegen.printers import c, compile_c, print_c
from touchback.errors import InputError
from touchback.symbolic import Program, Tape, evaluate, lower, ops

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")


def test_the_pendulum_reads_as_expected(
    pendulum: Program, matches_golden: Callable[[str, str], None]
) -> None:
    matches_golden(print_c(pendulum, "pendulum", "A pendulum.\nx = (q, v)"), "pendulum.c")


@needs_compiler
@settings(max_examples=15)  # each is a run of the compiler
@example(seed=179, operations=34)  # the negative of a fused result that is used again
@given(seed=st.integers(0, 2**32), operations=st.integers(1, 120))
def test_random_programs_agree_bit_for_bit(seed: int, operations: int) -> None:
    program = random_program(seed, operations)
    run = compiled_c(program)
    random = Random(seed)
    for _ in range(30):
        point = random_point(random)
        assert bits(run(point)) == bits(evaluate(program, point)), point


def test_the_random_programs_hold_every_operation() -> None:
    seen = {op for seed in range(60) for op in random_program(seed, 120).op}
    assert {ops.NAME[op] for op in range(len(ops.OPS)) if op not in seen} == set()


@needs_compiler
def test_pieces_pass_their_values_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c, "CHUNK_LENGTH", 7)
    for seed in range(6):
        program = random_program(seed, 200, outputs=40)
        run = compiled_c(program)
        for index in range(10):
            point = random_point(Random(index))
            assert bits(run(point)) == bits(evaluate(program, point))


@needs_compiler
def test_sines_agree_bit_for_bit_in_every_quadrant_and_beyond_the_limit() -> None:
    tape = Tape()
    angle = tape.symbol("angle")
    program = lower(tape, list(tape.sincos(angle)), {angle: ("x", 0)})
    run = compiled_c(program)
    random = Random(1)
    angles = [random.uniform(-50.0, 50.0) for _ in range(500)]
    angles += [k * math.pi / 4.0 for k in range(-20, 21)] + [2.0**30, -(2.0**30), 1.1e9, 1e22]
    for value in [*angles, 0.0, -0.0, 5e-324, math.inf, math.nan]:
        point = {"x": [value], "u": [], "p": []}
        assert bits(run(point)) == bits(evaluate(program, point)), value


@needs_compiler
def test_the_negative_of_a_fused_zero_keeps_its_sign() -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    fused = tape.add(tape.mul(x, x), y)
    program = lower(tape, [-fused], {x: ("x", 0), y: ("x", 1)})
    point = {"x": [1.0, -1.0], "u": [], "p": []}
    assert bits(compiled_c(program)(point)) == bits([-0.0])


@needs_compiler
def test_the_flags_that_the_header_names_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        compile_c, "FLAGS", ("-O2", "-std=c99", "-ffp-contract=off", "-Wall", "-Werror")
    )
    for seed in range(10):
        program = random_program(seed, 100)
        run = compiled_c(program)
        for index in range(20):
            point = random_point(Random(index))
            assert bits(run(point)) == bits(evaluate(program, point)), (seed, point)


@needs_compiler
def test_a_program_without_operations_copies_and_negates() -> None:
    tape = Tape()
    x = tape.symbol("x")
    program = lower(tape, [x, -x, 0, tape.const(-2.5), tape.const(math.inf)], {x: ("x", 0)})
    assert compiled_c(program)({"x": [3.0], "u": [], "p": []}) == [3.0, -3.0, 0.0, -2.5, math.inf]


def test_a_comment_can_not_end_early(pendulum: Program) -> None:
    text = print_c(pendulum, "f", "harmless */ int bad; /*")
    assert "*/" not in text.split("Printed by Touchback")[0]


@pytest.mark.parametrize("name", ["", "2f", "a b", "while", "sin", "f(", "é", "x" * 64])
def test_a_name_that_c_would_not_take_is_refused(pendulum: Program, name: str) -> None:
    with pytest.raises(InputError, match="can't name a function"):
        print_c(pendulum, name)
