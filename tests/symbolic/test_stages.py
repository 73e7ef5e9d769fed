"""Two stages give the same values, and the second holds nothing that depends on parameters only."""

import math
from random import Random

import pytest
from hypothesis import given, strategies as st

from random_programs import ARRAYS, random_point, random_tape
from touchback.errors import InputError
from touchback.symbolic import Program, Tape, evaluate, lower, ops
from touchback.symbolic.parameter_stages import parameter_block, split, split_many
from touchback.symbolic.program_listing import operands


def parameter_only_operations(program: Program) -> list[str]:
    """Operations of a second stage whose operands all come from constants and the block."""
    free = set(program.values)
    found = []
    for node, op in enumerate(program.op):
        if op == ops.INPUT:
            if program.inputs[node][0] == "p":
                free.add(node)
        elif op != ops.CONST and free.issuperset(operands(program, node)):
            free.add(node)
            found.append(ops.NAME[op])
    return found


@given(seed=st.integers(0, 2**32), operations=st.integers(1, 100))
def test_stages_of_random_programs_give_the_same_values(seed: int, operations: int) -> None:
    tape, symbols, nodes = random_tape(Random(seed), operations)
    frozen = [symbols["p", index] for index in range(ARRAYS["p"])]
    places = {node: place for place, node in symbols.items()}
    wanted = {"a": nodes[-6:], "b": nodes[-20:-10:2]}
    first, functions = split_many(tape, wanted, frozen, places)
    border = parameter_block(tape, nodes[-6:] + nodes[-20:-10:2], frozen, places)
    point = random_point(Random(seed))
    block = evaluate(first, {"x": point["p"]})
    for name, outputs in wanted.items():
        assert parameter_only_operations(functions[name]) == []
        # With the border among its outputs the whole program fuses nothing across it: equal bits.
        whole = evaluate(lower(tape, outputs + border, places), point)
        staged = evaluate(functions[name], point | {"p": block})
        assert [value.hex() for value in staged + block] == [value.hex() for value in whole]


def bracket(tape: Tape) -> tuple[dict[str, int], list[int]]:
    """sin(q)·(m·l²) + l·v/(m + 1) and m itself: two parameters m, l."""
    s = {name: tape.symbol(name) for name in ("q", "v", "m", "l")}
    inertia = tape.mul(s["m"], tape.mul(s["l"], s["l"]))
    ratio = tape.div(s["l"], tape.add(s["m"], 1))
    whole = tape.add(tape.mul(tape.sin(s["q"]), inertia), tape.mul(ratio, s["v"]))
    return s, [whole, -s["m"], tape.const(3.0)]


def test_values_agree_with_the_closed_form() -> None:
    tape = Tape()
    s, outputs = bracket(tape)
    stages = split(tape, outputs, [s["m"], s["l"]], {s["q"]: ("x", 0), s["v"]: ("u", 0)})
    q, v, m, length = 0.7, -1.3, 2.5, 0.4
    block = evaluate(stages.first, {"x": [m, length]})
    found = evaluate(stages.second, {"x": [q], "u": [v], "p": block})
    expected = [math.sin(q) * m * length**2 + length * v / (m + 1.0), -m, 3.0]
    assert found == pytest.approx(expected, rel=1e-15)


def test_the_block_holds_derived_parameters_and_those_used_directly_but_no_constants() -> None:
    tape = Tape()
    s, outputs = bracket(tape)
    stages = split(tape, outputs, [s["m"], s["l"]], {s["q"]: ("x", 0), s["v"]: ("u", 0)})
    assert evaluate(stages.first, {"x": [2.0, 4.0]}) == [2.0, 32.0, 4.0 / 3.0]  # m, m·l², l/(m+1)
    assert stages.second.size("p") == 3
    assert parameter_only_operations(stages.second) == []


def test_the_order_of_the_frozen_symbols_is_the_order_of_the_raw_parameters() -> None:
    tape = Tape()
    s, outputs = bracket(tape)
    stages = split(tape, outputs, [s["l"], s["m"]], {s["q"]: ("x", 0), s["v"]: ("u", 0)})
    assert evaluate(stages.first, {"x": [4.0, 2.0]})[1] == 32.0


def test_functions_share_one_block() -> None:
    tape = Tape()
    q, m = tape.symbol("q"), tape.symbol("m")
    weight = tape.mul(m, tape.const(9.81))
    wanted = {"force": [tape.mul(weight, q)], "torque": [tape.mul(weight, tape.sin(q))]}
    first, functions = split_many(tape, wanted, [m], {q: ("x", 0)})
    assert evaluate(first, {"x": [2.0]}) == [19.62]
    for program in functions.values():
        assert list(program.inputs.values()).count(("p", 0)) == 1


def test_without_frozen_symbols_the_block_is_empty() -> None:
    tape = Tape()
    q = tape.symbol("q")
    stages = split(tape, [tape.sin(q)], [], {q: ("x", 0)})
    assert stages.first.outputs == [] and stages.second.size("p") == 0


def test_an_input_placed_in_the_block_is_refused_by_name() -> None:
    tape = Tape()
    q = tape.symbol("angle")
    with pytest.raises(InputError, match=r"'angle' is placed in p\[0\]"):
        split(tape, [q], [], {q: ("p", 0)})
