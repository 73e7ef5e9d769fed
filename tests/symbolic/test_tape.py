"""The tape: one node for one value, canonical operands, signs pulled out, numbers folded."""

import math
from random import Random

import pytest
from hypothesis import example, given, strategies as st

from random_programs import ARRAYS, random_tape
from touchback.symbolic import Operators, Table, Tape, evaluate, lower, replay
from touchback.symbolic.ops import ARITY, CONST, NAME, NEG

NUMBERS = st.floats(min_value=-1e6, max_value=1e6).filter(lambda x: x == 0.0 or abs(x) > 1e-6)


def test_zero_and_one_are_the_first_nodes() -> None:
    tape = Tape()
    assert tape.const(0.0) == tape.const(-0.0) == 0
    assert tape.const(1.0) == 1 and tape.const(-1.0) == -1
    assert len(tape) == 2


@given(NUMBERS)
def test_a_number_has_one_node_and_its_negative_is_that_node_negated(number: float) -> None:
    tape = Tape()
    assert tape.const(number) == tape.const(number) == -tape.const(-number)
    assert tape.value(tape.const(number)) == number


def test_nan_has_one_node_and_no_sign_where_signs_become_nodes() -> None:
    tape = Tape()
    nan = tape.const(math.nan)
    size = len(tape)
    assert tape.const(float("nan")) == tape.positive(-nan) == tape.div(0, 0) == nan
    assert len(tape) == size


def test_a_symbol_has_one_node() -> None:
    tape = Tape()
    assert tape.symbol("q") == tape.symbol("q") != tape.symbol(("q", 1))


@pytest.mark.parametrize("operation", ["add", "mul", "equal"])
def test_operands_that_commute_give_one_node(operation: str) -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    apply = getattr(tape, operation)
    size = len(tape)
    assert apply(x, y) == apply(y, x)
    assert len(tape) == size + 1


def test_signs_are_pulled_out_of_sums_products_and_odd_functions() -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    assert tape.sub(y, x) == -tape.sub(x, y)
    assert tape.add(-x, -y) == -tape.add(x, y)
    assert tape.mul(-x, y) == tape.mul(x, -y) == -tape.mul(x, y)
    assert tape.mul(-x, -y) == tape.mul(x, y)
    assert tape.div(-x, y) == tape.div(x, -y) == -tape.div(x, y)
    assert tape.sin(-x) == -tape.sin(x)
    assert tape.asin(-x) == -tape.asin(x)
    assert tape.atan2(-x, y) == -tape.atan2(x, y)
    assert tape.cos(-x) == tape.cos(x)
    assert tape.abs(-x) == tape.abs(x)
    assert tape.minimum(-x, -y) == -tape.maximum(x, y)
    assert tape.less(-x, -y) == tape.less(y, x)
    assert tape.sincos(-x) == (-tape.sin(x), tape.cos(x))


def test_a_sign_that_cannot_be_absorbed_becomes_a_node() -> None:
    tape = Tape()
    x = tape.symbol("x")
    inner = tape.operands(tape.exp(-x))[0]
    assert tape.op[inner] == NEG and tape.operands(inner) == (x,)


def test_zero_and_one_vanish() -> None:
    tape = Tape()
    x = tape.symbol("x")
    size = len(tape)
    assert tape.add(x, 0) == tape.add(0, x) == tape.mul(1, x) == tape.mul(x, 1) == x
    assert tape.mul(-1, x) == tape.sub(0, x) == tape.div(x, -1) == -x
    assert tape.mul(0, x) == tape.div(0, x) == tape.sub(x, x) == 0
    assert len(tape) == size


def test_a_value_added_to_itself_is_doubled() -> None:
    tape = Tape()
    x = tape.symbol("x")
    assert tape.add(x, x) == tape.mul(tape.const(2.0), x)
    assert tape.sub(-x, x) == -tape.mul(tape.const(2.0), x)


@given(NUMBERS, NUMBERS)
def test_operations_on_numbers_fold_to_what_they_evaluate_to(a: float, b: float) -> None:
    tape = Tape()
    x, y = tape.const(a), tape.const(b)
    assert tape.value(tape.add(x, y)) == a + b
    assert tape.value(tape.sub(x, y)) == a - b
    assert tape.value(tape.mul(x, y)) == a * b
    assert tape.value(tape.less(x, y)) == float(a < b)
    assert tape.value(tape.minimum(x, y)) == min(a, b)
    if a:  # a tape keeps no sign of zero
        assert tape.value(tape.atan2(x, y)) == pytest.approx(math.atan2(a, b), rel=1e-15)
    assert all(op == CONST for op in tape.op)


def test_what_is_not_finite_is_left_to_the_run() -> None:
    tape = Tape()
    root = tape.sqrt(tape.const(-2.0))
    assert tape.value(root) is None
    assert math.isnan(replay(tape, [root], Operators(), {})[0])
    assert tape.value(tape.mul(tape.const(1e200), tape.const(1e200))) is None


def test_a_division_by_a_number_is_a_multiplication() -> None:
    tape = Tape()
    x = tape.symbol("x")
    assert tape.div(x, tape.const(4.0)) == tape.mul(tape.const(0.25), x)


def test_a_lookup_is_one_node_for_one_table_and_place() -> None:
    tape = Tape()
    x = tape.symbol("x")
    first, second = Table((0.0, 1.0), (0.0, 2.0)), Table((0.0, 1.0), (0.0, 3.0))
    assert tape.lookup(first, x) == tape.lookup(Table((0.0, 1.0), (0.0, 2.0)), x)
    assert tape.lookup(first, x) != tape.lookup(second, x)
    assert tape.value(tape.lookup(second, tape.const(0.5))) == 1.5


def test_live_marks_what_the_outputs_need_and_no_more() -> None:
    tape = Tape()
    x, y = tape.symbol("x"), tape.symbol("y")
    needed, other = tape.sin(tape.add(x, 1)), tape.cos(y)
    live = tape.live([-needed])
    assert live[needed] and live[x] and live[1]
    assert not live[y] and not live[other] and not live[0]


@given(st.integers(0, 10**6))
def test_every_node_of_a_random_graph_is_stored_once_with_older_unsigned_operands(
    seed: int,
) -> None:
    tape, _, _ = random_tape(Random(seed), 40)
    keys = set()
    for node in range(2, len(tape)):
        if ARITY[tape.op[node]]:
            assert all(0 <= operand < node for operand in tape.operands(node))
            key = (tape.op[node], *tape.operands(node), tape.c[node])
            assert key not in keys, NAME[tape.op[node]]
            keys.add(key)


@given(st.integers(0, 10**6))
def test_building_a_graph_again_on_its_own_tape_adds_nothing(seed: int) -> None:
    tape, symbols, nodes = random_tape(Random(seed), 40)
    size = len(tape)
    again = replay(tape, nodes, tape, {tape.names[s]: s for s in symbols.values()})
    assert again == nodes
    assert len(tape) == size


@given(st.integers(0, 10**6))
def test_rules_change_no_value_of_a_random_graph(seed: int) -> None:
    """Rules reorder roundings, so the comparison is on sums and products of bounded numbers."""
    random = Random(seed)
    plain, ruled = Tape(rules=()), Tape()
    pairs = [(plain.symbol(name), ruled.symbol(name)) for name in "xyz"]
    pairs += [(plain.const(c), ruled.const(c)) for c in (0.5, 3.0)]
    for _ in range(30):
        (a, c), (b, d) = random.choice(pairs[-12:]), random.choice(pairs[-12:])
        name = random.choice(("add", "sub", "mul"))
        new = (getattr(plain, name)(a, b), getattr(ruled, name)(c, d))
        if name == "mul" and random.random() < 0.7:  # keeps the numbers small
            bound = random.choice(("sin", "cos"))
            new = (getattr(plain, bound)(new[0]), getattr(ruled, bound)(new[1]))
        pairs.append(new)
    env = {plain.names[i]: random.uniform(-1.0, 1.0) for i in plain.names}
    left = replay(plain, [p for p, _ in pairs], Operators(), env)
    right = replay(ruled, [r for _, r in pairs], Operators(), env)
    for a, b in zip(left, right, strict=True):
        # Thirty operations whose arguments grow to hundreds at most between two sines.
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9)


@example(50)  # atan2 of a sum that is −0
@example(482)  # atan2 to a sum that is −0
@given(st.integers(0, 10**6))
def test_replay_on_floats_gives_the_bits_of_plain_evaluation(seed: int) -> None:
    random = Random(seed)
    tape, symbols, nodes = random_tape(random, 40)
    program = lower(tape, nodes, {node: place for place, node in symbols.items()}, fuse=False)
    arrays = {name: [random.uniform(-3.0, 3.0) for _ in range(n)] for name, n in ARRAYS.items()}
    env = {tape.names[node]: arrays[array][i] for (array, i), node in symbols.items()}
    for a, b in zip(evaluate(program, arrays), replay(tape, nodes, Operators(), env), strict=True):
        assert a == b or (math.isnan(a) and math.isnan(b))
