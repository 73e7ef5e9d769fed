"""Schedules: each angle once, everything after what it needs, nothing that nobody asked for."""

import numpy as np
import pytest

from random_graphs import TURNING, Builder, random_graph
from touchback.codegen.instruction_schedule import NEVER, schedule
from touchback.symbolic import ops
from touchback.symbolic.program import Program


def _operands(program: Program, node: int) -> tuple[int, ...]:
    columns = (program.a[node], program.b[node], program.c[node])
    return columns[: ops.ARITY[program.op[node]]]


@pytest.mark.parametrize("window", [1, 2, 48, 1000])
def test_random_schedules_respect_every_dependency(window: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        program = random_graph(rng, 80, TURNING, window=20)
        plan = schedule(program, window)
        leaves = {i for i, op in enumerate(program.op) if op in (ops.CONST, ops.INPUT)}
        known, turned = set(leaves), set()
        batches = list(plan.batches)
        for position, node in enumerate([*plan.order, None]):
            while batches and batches[0].position == position:
                angles = batches.pop(0).angles
                assert known.issuperset(angles)
                assert turned.isdisjoint(angles)
                turned.update(angles)
                known.update(
                    i
                    for i, op in enumerate(program.op)
                    if op in (ops.SIN, ops.COS) and program.a[i] in turned
                )
            if node is not None:
                assert known.issuperset(_operands(program, node))
                known.add(node)
        assert known.issuperset(abs(output) for output in program.outputs)
        assert not batches


def test_what_no_output_needs_is_left_out() -> None:
    build = Builder()
    x = build.input("x", 0)
    kept = build.node(ops.SQRT, x)
    dead = build.node(ops.MUL, kept, kept)
    build.node(ops.SIN, dead)
    plan = schedule(build.outputs(kept))
    assert plan.order == [kept]
    assert plan.batches == []


def test_one_angle_serves_sine_and_cosine_in_one_batch() -> None:
    build = Builder()
    q = [build.input("x", k) for k in range(3)]
    turns = [build.node(op, angle) for angle in q for op in (ops.SIN, ops.COS)]
    plan = schedule(build.outputs(*turns))
    assert [batch.angles for batch in plan.batches] == [q]


def test_only_what_an_angle_needs_moves_ahead_of_its_batch() -> None:
    build = Builder()
    x, y = build.input("x", 0), build.input("x", 1)
    first = build.node(ops.MUL, x, x)
    angle = build.node(ops.ADD, x, y)
    last = build.node(ops.FMA, first, build.node(ops.SIN, angle), y)
    plan = schedule(build.outputs(last))
    assert plan.order == [angle, first, last]
    assert [(batch.position, batch.angles) for batch in plan.batches] == [(1, [angle])]


def test_next_uses_count_positions_of_the_schedule() -> None:
    build = Builder()
    x = build.input("x", 0)
    square = build.node(ops.MUL, x, x)
    total = build.node(ops.ADD, square, x)
    last = build.node(ops.SUB, total, square)
    plan = schedule(build.outputs(last))
    assert plan.next_a == [0, 2, NEVER]
    assert plan.next_b == [1, NEVER, NEVER]
    assert [plan.first_use[node] for node in (x, square, total, last)] == [0, 1, 2, NEVER]


def test_a_long_chain_starts_before_short_ones() -> None:
    build = Builder()
    x = build.input("x", 0)
    short = [build.node(ops.MUL, x, build.input("x", k)) for k in range(1, 4)]
    chain = [x]
    for _ in range(10):
        chain.append(build.node(ops.MUL, chain[-1], x))
    plan = schedule(build.outputs(*short, chain[-1]), window=48)
    assert plan.order[0] == chain[1]
    assert sorted(plan.order) == sorted([*short, *chain[1:]])


def test_nothing_moves_across_a_call() -> None:
    build = Builder()
    x = build.input("x", 0)
    before = [build.node(ops.MUL, x, build.input("x", k)) for k in range(1, 4)]
    call = build.node(ops.EXP, x)
    total = call  # the longest way of all begins at the call
    for node in before:
        total = build.node(ops.ADD, total, node)
    plan = schedule(build.outputs(*before, total), window=48)
    assert set(plan.order[:3]) == set(before)
    assert plan.order[3] == call


def test_values_that_wait_for_their_use_stay_few() -> None:
    build = Builder()
    x = build.input("x", 0)
    total = x
    for k in range(1, 100):
        product = build.node(ops.MUL, x, build.input("x", k))
        total = build.node(ops.ADD, total, product)
    program = build.outputs(total)
    plan = schedule(program, window=48)
    products = [program.op[node] == ops.MUL for node in plan.order]
    ahead = np.cumsum(np.where(products, 1, -1))
    assert 1 < ahead.max() <= 5  # ahead of the sums, yet never more than a few
