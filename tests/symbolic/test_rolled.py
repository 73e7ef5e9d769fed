"""Programs that repeat themselves, as loops: the same bits from far fewer operations."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from benchmarks.mechanisms import make
from tests.symbolic.run_rolled import run_rolled
from touchback.symbolic import Program, Tape, lower
from touchback.symbolic.loop_rolling import (
    PLUS,
    Contradiction,
    Numbers,
    Signs,
    multiply_signs,
    roll_loops,
)
from touchback.symbolic.program import evaluate


def chain_program(joints: int, function: str = "forward dynamics") -> Program:
    return make("chain", joints).model().compile().function(function).second


def arguments(program: Program, seed: int) -> dict[str, list[float]]:
    draw = random.Random(seed)
    return {
        name: [draw.gauss(0.0, 1.0) for _ in range(program.size(name))] for name in ("x", "u", "p")
    }


@pytest.mark.parametrize("joints", [9, 12, 25, 60])
@pytest.mark.parametrize("function", ["forward dynamics", "inverse dynamics"])
def test_loops_of_chains_compute_the_bits_of_the_program(joints, function) -> None:
    """Of 60 joints two axes are nearly parallel, so that loops end there and others begin."""
    program = chain_program(joints, function)
    rolled = roll_loops(program)
    assert rolled is not None
    for seed in range(3):
        given_ones = arguments(program, seed)
        assert run_rolled(rolled, given_ones) == evaluate(program, given_ones)


def test_forward_dynamics_of_a_chain_are_loops_but_for_the_ends() -> None:
    """Sines, then motions outwards, articulated bodies inwards, accelerations outwards; the first
    joint and the last two have less to do."""
    rolled = roll_loops(chain_program(30))
    assert rolled is not None
    assert [loop.count for loop in rolled.loops] == [30, 27, 27, 27]
    assert rolled.looped > 0.94 * sum(len(each) for each in rolled.parts if isinstance(each, list))
    assert sum(len(loop.made) for loop in rolled.loops) < 280


def test_numbers_of_either_sign_are_of_one_loop() -> None:
    """x + c y and x − c y are different operations: the loop takes the number with its sign, and
    what it hands on, too."""
    tape = Tape()
    xs = [tape.symbol(("x", k)) for k in range(24)]
    value, draw = xs[0], random.Random(1)
    for x in xs:
        for _ in range(4):
            value = tape.sub(tape.mul(value, tape.const(draw.uniform(-1, 1))), x)
            value = tape.mul(value, tape.const(draw.uniform(-1, 1)))
    program = lower(tape, [value, -value], {x: ("x", k) for k, x in enumerate(xs)})
    rolled = roll_loops(program)
    assert rolled is not None and len(rolled.loops) == 1
    numbers = [each for each in rolled.loops[0].columns if isinstance(each, Numbers)]
    assert {number < 0 for each in numbers for number in each.values} == {True, False}
    assert run_rolled(rolled, arguments(program, 2)) == evaluate(program, arguments(program, 2))


def test_angles_do_not_notice_zeros_whose_sign_loops_turn() -> None:
    """a = 0 is +0 in the program, and so is −a in the loop, which a number turns: to the left of
    the origin an angle would be −π instead of π."""
    tape, count = Tape(), 12
    xs = [tape.symbol(("x", k)) for k in range(4 * count)]
    outputs = []
    for k in range(count):
        u, v, c, x = xs[4 * k : 4 * k + 4]
        a = tape.sub(tape.mul(tape.const(0.5 + k), u), tape.mul(tape.const(2.0 + k * k), v))
        outputs.append((tape.sub, tape.add)[k % 2](c, tape.mul(a, x)))
        outputs.append(tape.atan2(tape.mul(a, tape.const(1.5 + k)), x))
    program = lower(tape, outputs, {x: ("x", k) for k, x in enumerate(xs)})
    rolled = roll_loops(program)
    assert rolled is not None and rolled.minus
    vanishing = [each for k in range(count) for each in (2.0 + k * k, 0.5 + k, 3.0, -1.0)]
    found = run_rolled(rolled, {"x": vanishing, "u": [], "p": []})
    assert found == [3.0, np.pi] * count


@given(st.integers(0, 10**6))
def test_random_recursions_forwards_and_backwards_keep_their_bits(seed) -> None:
    program = recursion(random.Random(seed))
    rolled = roll_loops(program)
    given_ones = arguments(program, seed)
    if rolled is not None:
        found, wanted = run_rolled(rolled, given_ones), evaluate(program, given_ones)
        assert np.array_equal(found, wanted, equal_nan=True)


def recursion(draw: random.Random) -> Program:
    """A state that goes along the arguments, and one that comes back over what the first left."""
    tape, count = Tape(), draw.randint(7, 15)
    xs = [tape.symbol(("x", k)) for k in range(count)]
    forwards, backwards = (
        [(draw.choice("amsf"), *(draw.randrange(64) for _ in range(3))) for _ in range(size)]
        for size in (draw.randint(8, 20), draw.randint(8, 20))
    )
    odd = draw.randrange(2 * count)  # where one iteration is unlike the others, or none

    def step(body: list, given_ones: list[int], t: int) -> list[int]:
        known = list(given_ones)
        for kind, *at in body[: len(body) - (t == odd)]:
            a, b, c = (known[k % len(known)] for k in at)
            number = tape.const(draw.uniform(-1.0, 1.0))
            if kind == "m":
                made = tape.mul(number, a)
            elif kind == "s":
                made = tape.sub(tape.mul(a, given_ones[-1]), c)
            else:
                made = tape.add(tape.mul(number, a), b if kind == "f" else c)
            known.append(made)
        return known[-3:]

    state, left = [xs[0], xs[1], xs[2]], []
    for t, x in enumerate(xs):
        state = step(forwards, [*state, x], t)
        left.append(state)
    outputs = list(state)
    for t in reversed(range(count)):
        state = step(backwards, [*state, *left[t], xs[t]], t)
        outputs.append(draw.choice((1, -1)) * state[-1])
    return lower(tape, outputs, {x: ("x", k) for k, x in enumerate(xs)})


def test_what_does_not_repeat_itself_has_no_loops() -> None:
    tape, draw = Tape(), random.Random(3)
    known = [tape.symbol(("x", k)) for k in range(5)]
    for _ in range(300):
        a, b = draw.choice(known), draw.choice(known)
        known.append(draw.choice((tape.mul, tape.add, tape.sub))(a, b))
    places = {known[k]: ("x", k) for k in range(5)}
    assert roll_loops(lower(tape, known[-9:], places)) is None


@given(st.lists(st.tuples(st.integers(1, 15), st.integers(0, 1)), max_size=8))
def test_signs_meet_all_equations_or_there_are_none(equations) -> None:
    """Against all sixteen choices of four unknowns."""
    signs = Signs()
    unknowns = [signs.unknown() for _ in range(4)]
    wanted = [
        multiply_signs(*(unknowns[k] for k in range(4) if mask >> k & 1), (0, bit))
        for mask, bit in equations
    ]
    possible = [
        choice
        for choice in product((0, 1), repeat=4)
        if all(
            sum(choice[k] for k in range(4) if mask >> k & 1) % 2 == bit for mask, bit in equations
        )
    ]
    try:
        for each in wanted:
            signs.require(each)
    except Contradiction:
        assert not possible
        return
    assert tuple(int(signs.is_minus(each)) for each in unknowns) in possible
    assert not any(signs.is_minus(each) for each in (*wanted, PLUS))
