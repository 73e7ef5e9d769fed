"""Steps of programs are what one draws by hand."""

import pytest

from random_graphs import Builder
from touchback.symbolic import ops
from touchback.symbolic.operation_count import critical_path_program, depth


@pytest.mark.parametrize("levels", [1, 3, 6])
def test_sums_in_pairs_take_as_many_steps_as_halvings(levels: int) -> None:
    build = Builder()
    row = [build.input("x", k) for k in range(2**levels)]
    while len(row) > 1:
        row = [build.node(ops.ADD, *pair) for pair in zip(row[::2], row[1::2], strict=True)]
    found = depth(build.outputs(*row))
    assert (found.operations, found.steps) == (2**levels - 1, levels)
    assert found.widest == 2 ** (levels - 1)
    assert found.gain == (2**levels - 1) / levels


def test_a_sum_one_after_the_other_gains_nothing() -> None:
    build = Builder()
    total = build.input("x", 0)
    for k in range(1, 10):
        total = build.node(ops.FMA, build.input("x", k), build.input("x", k), total)
    found = depth(build.outputs(total))
    assert (found.operations, found.steps, found.widest, found.gain) == (9, 9, 1, 1.0)


def test_the_longest_way_alone_keeps_its_operations_in_order() -> None:
    build = Builder()
    x, y = build.input("x", 0), build.input("x", 1)
    turned = build.node(ops.SIN, build.node(ops.SQRT, x))
    short = build.node(ops.MUL, y, y)
    ratio = build.node(ops.DIV, short, turned)
    program = build.outputs(build.node(ops.SUB, ratio, short), short)
    found = depth(program)
    assert [program.op[node] for node in found.longest] == [ops.SQRT, ops.SIN, ops.DIV, ops.SUB]
    alone = critical_path_program(program, found.longest)
    assert depth(alone).steps == depth(alone).operations == found.steps == 4
    assert (alone.a[5], alone.b[5]) == (2, 4)  # the ratio is by what was turned


def test_a_program_without_operations_has_no_steps() -> None:
    found = depth(Builder().outputs(1))
    assert (found.operations, found.steps, found.widest, found.gain) == (0, 0, 0, 0.0)
