"""Counts are what one counts by hand."""

import pytest

from touchback.symbolic import Program, Tape, lower
from touchback.symbolic.operation_count import Counts, count, count_tape


@pytest.fixture
def sums() -> tuple[Tape, list[int], Program]:
    """x·y + sin x, cos x − y·(x/y²), −(x + y): counted by hand below."""
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    s, c = tape.sincos(x)
    quotient = tape.div(x, tape.mul(y, y))
    outputs = [
        tape.add(tape.mul(x, y), s),
        tape.sub(c, tape.mul(y, quotient)),
        -tape.add(x, y),
    ]
    return tape, outputs, lower(tape, outputs, {x: ("x", 0), y: ("x", 1)})


def test_a_tape_is_counted_before_fusion(sums: tuple[Tape, list[int], Program]) -> None:
    tape, outputs, _ = sums
    assert count_tape(tape, outputs) == Counts(
        additions=2, subtractions=1, multiplications=3, divisions=1, negations=1, sines=1, cosines=1
    )


def test_a_program_is_counted_after_fusion(sums: tuple[Tape, list[int], Program]) -> None:
    assert count(sums[2]) == Counts(
        additions=1, multiplications=1, divisions=1, fused=2, negations=1, sines=1, cosines=1
    )


def test_fusion_does_not_change_the_flops(sums: tuple[Tape, list[int], Program]) -> None:
    tape, outputs, program = sums
    assert count(program).flops == count_tape(tape, outputs).flops == 10


def test_only_what_the_outputs_need_is_counted(sums: tuple[Tape, list[int], Program]) -> None:
    tape, outputs, _ = sums
    assert count_tape(tape, outputs[2:]) == Counts(additions=1, negations=1)


def test_roots_choices_calls_and_lookups_are_counted_but_are_no_flops() -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    chosen = tape.select(tape.less(x, y), tape.sqrt(x), tape.exp(y))
    counts = count_tape(tape, [tape.maximum(chosen, tape.floor(x))])
    assert counts == Counts(roots=1, comparisons=1, selections=2, calls=2)
    assert (counts.flops, counts.operations) == (0, 6)


def test_a_negative_constant_costs_no_unary_minus() -> None:
    tape = Tape()
    assert count_tape(tape, [tape.const(-2.0)]) == Counts()


def test_counts_print_as_a_line_and_as_a_table() -> None:
    counts = Counts(additions=12, multiplications=1, fused=3)
    assert str(counts) == "19 flops (12 additions, 1 multiplication, 3 fused)"
    assert counts.table().splitlines() == [
        "additions       12",
        "multiplications  1",
        "fused            3",
        "flops           19",
    ]
    assert str(Counts()) == "0 flops (no operations)"
