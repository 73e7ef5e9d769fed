"""Each operation on special values, against the definition in Python."""

import itertools

import numpy as np
import pytest

from random_graphs import SPECIAL, Builder, assert_same_bits
from touchback.codegen import compile_program, native_lanes
from touchback.symbolic import ops
from touchback.symbolic.program import evaluate
from touchback.symbolic.sincos import LIMIT

WIDTH = native_lanes()
pytestmark = pytest.mark.skipif(WIDTH == 1, reason="no emitter for this machine")
OPERATIONS = range(ops.ADD, len(ops.OPS))


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: ops.NAME[op])
def test_an_operation_on_special_values_follows_its_definition(op: int, lanes: int) -> None:
    build = Builder()
    x = [build.input("x", k) for k in range(3)]
    lookup = {ops.LOOKUP1: 1, ops.LOOKUP2: 2}.get(op)
    operands = [*x[: ops.ARITY[op]]]
    if lookup is not None:
        operands += [0] * (2 - len(operands)) + [lookup]
    node = build.node(op, *operands)
    program = build.outputs(node, -node)
    values = SPECIAL if ops.ARITY[op] < 3 else SPECIAL[:7]
    points = list(itertools.product(values, repeat=ops.ARITY[op]))
    compiled = compile_program(program, lanes=lanes)
    for start in range(0, len(points), lanes):
        group = [points[(start + lane) % len(points)] for lane in range(lanes)]
        arrays = np.zeros((3, lanes))
        arrays[: ops.ARITY[op]] = np.array(group).T
        got = compiled.call(arrays).reshape(-1, lanes)
        expected = [evaluate(program, {"x": arrays[:, lane].tolist()}) for lane in range(lanes)]
        assert_same_bits(got, np.array(expected).T, program, f"{ops.NAME[op]}{group}")


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: ops.NAME[op])
def test_an_operation_may_take_one_value_several_times(op: int) -> None:
    build = Builder()
    x = build.input("x", 0)
    value = build.node(ops.SQRT, x)
    lookup = {ops.LOOKUP1: 1, ops.LOOKUP2: 2}.get(op)
    node = build.node(op, value, value, value if lookup is None else lookup)
    again = build.node(ops.ADD, node, value)
    program = build.outputs(node, again)
    for number in (0.0, 2.25, 0.3):
        got = compile_program(program).call([number])
        expected = np.array(evaluate(program, {"x": [number]}))
        assert_same_bits(got[:, None], expected[:, None], program, ops.NAME[op])


def test_angles_near_and_beyond_the_limit_in_some_lanes_only(lanes: int) -> None:
    """Beyond the limit the C library takes over for those angles, and only for those."""
    angles = [0.1, LIMIT, np.nextafter(LIMIT, 0), np.nextafter(LIMIT, 2e9), -1e300, np.nan, np.inf]
    angles += [-0.0, 1.5707963267948966, 1e-320, -LIMIT]
    build = Builder()
    nodes = [build.input("x", k) for k in range(len(angles))]
    turns = [build.node(op, node) for node in nodes for op in (ops.SIN, ops.COS)]
    program = build.outputs(*turns)
    for shift in range(len(angles)):
        x = np.stack([np.roll(angles, shift * (lane + 1)) for lane in range(lanes)], 1)
        got = compile_program(program, lanes=lanes).call(x).reshape(-1, lanes)
        expected = [evaluate(program, {"x": x[:, lane].tolist()}) for lane in range(lanes)]
        assert_same_bits(got, np.array(expected).T, program, f"rolled by {shift}")


@pytest.mark.parametrize("first", [0, 1, 3, 511, 4097])
def test_neighbouring_angles_may_start_anywhere(lanes: int, first: int) -> None:
    build = Builder()
    angles = [build.input("x", first + k) for k in (0, 1, 2, 3, 4, 5, 6, 8, 9, 7)]
    program = build.outputs(*(build.node(ops.SIN, angle) for angle in angles))
    x = np.random.default_rng(first).normal(size=(first + 10, lanes))
    got = compile_program(program, lanes=lanes).call(x).reshape(-1, lanes)
    expected = [evaluate(program, {"x": x[:, lane].tolist()}) for lane in range(lanes)]
    assert_same_bits(got, np.array(expected).T, program, f"from {first}")


def test_masks_outlive_calls_and_register_pressure(lanes: int) -> None:
    build = Builder()
    x = [build.input("x", k) for k in range(50)]
    masks = [build.node(op, x[k], x[49 - k]) for op in (ops.LT, ops.LE) for k in range(25)]
    called = build.node(ops.EXP, x[0])
    chosen = [build.node(ops.SELECT, mask, called, x[k]) for k, mask in enumerate(masks)]
    again = [build.node(ops.SELECT, mask, x[k], called) for k, mask in enumerate(masks)]
    program = build.outputs(*chosen, *again)
    values = np.random.default_rng(3).choice([0.0, -0.0, 1.0, np.nan, 2.0], (50, lanes))
    got = compile_program(program, lanes=lanes).call(values).reshape(-1, lanes)
    expected = [evaluate(program, {"x": values[:, lane].tolist()}) for lane in range(lanes)]
    assert_same_bits(got, np.array(expected).T, program, "masks")


def test_sines_of_sines_are_computed_level_by_level(lanes: int) -> None:
    build = Builder()
    x = build.input("x", 0)
    outputs = []
    value = x
    for depth in range(6):
        s, c = build.node(ops.SIN, value), build.node(ops.COS, value)
        outputs += [s, -c]
        value = build.node(ops.FMA, s, c, x) if depth % 2 else s
    program = build.outputs(*outputs, value)
    x_values = np.random.default_rng(0).normal(size=(1, lanes)) * 100
    got = compile_program(program, lanes=lanes).call(x_values).reshape(-1, lanes)
    expected = [evaluate(program, {"x": [x_values[0, lane]]}) for lane in range(lanes)]
    assert_same_bits(got, np.array(expected).T, program, "nested")


def test_outputs_may_be_inputs_constants_zeros_duplicates_and_negatives(lanes: int) -> None:
    build = Builder()
    x, u, p = build.input("x", 2), build.input("u", 0), build.input("p", 1)
    number, negative_zero = build.constant(0.1), build.constant(-0.0)
    total = build.node(ops.ADD, x, u)
    outputs = [x, -x, u, -p, p, 0, -0, 1, -1, number, -number, negative_zero, -negative_zero]
    program = build.outputs(*outputs, total, -total, total, -total, x)
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=(3, lanes)) for _ in range(3)]
    got = compile_program(program, lanes=lanes).call(*arrays).reshape(-1, lanes)
    for lane in range(lanes):
        values = {name: array[:, lane].tolist() for name, array in zip("xup", arrays)}
        expected = np.array(evaluate(program, values))
        assert_same_bits(got[:, lane, None], expected[:, None], program, f"lane {lane}")


def test_a_program_without_operations_or_outputs_runs() -> None:
    assert compile_program(Builder().outputs()).call().shape == (0,)
