"""Sums as chains: the same values, by fewer operations."""

import random

import pytest

from benchmarks.mechanisms import make
from touchback.symbolic import Program, Tape, lower
from touchback.symbolic.fma_chains import fuse_sums
from touchback.symbolic.operation_count import Counts, count
from touchback.symbolic.program import evaluate
from touchback.symbolic.tape import Alike


def lowered(tape: Tape, outputs: list[int], symbols: list[int]) -> Program:
    return lower(tape, outputs, {symbol: ("x", k) for k, symbol in enumerate(symbols)})


def operations(program: Program) -> int:
    """Sums, products and fused ones."""
    found = count(program)
    return found.additions + found.subtractions + found.multiplications + found.fused


def test_sums_of_products_become_one_chain() -> None:
    """(a·b + c·d) − (e·f − a): a product, two fused ones and a sum; as a chain three fused ones."""
    tape = Tape()
    a, b, c, d, e, f = symbols = [tape.symbol(name) for name in "abcdef"]
    pairs = tape.add(tape.mul(a, b), tape.mul(c, d))
    whole = tape.sub(pairs, tape.sub(tape.mul(e, f), a))
    program = lowered(tape, [whole, -whole], symbols)
    chain = fuse_sums(program)
    assert count(chain) == Counts(fused=3, negations=1)
    assert operations(program) == 4
    values = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0]
    assert evaluate(chain, {"x": values}) == [2 * 3 + 5 * 7 - 11 * 13 + 2, 11 * 13 - 43.0]


def test_a_product_of_two_sums_is_computed_in_both() -> None:
    """x·y ± z, with z used by both as well: two fused operations instead of three."""
    tape = Tape()
    x, y, z = symbols = [tape.symbol(name) for name in "xyz"]
    product = tape.mul(x, y)
    program = lowered(tape, [tape.add(product, z), tape.sub(z, product)], symbols)
    chain = fuse_sums(program)
    assert count(program).multiplications == 1
    assert count(chain) == Counts(fused=2)
    assert evaluate(chain, {"x": [2.0, 3.0, 5.0]}) == [11.0, -1.0]


def test_a_sum_whose_negative_is_an_output_is_summed_with_other_signs() -> None:
    """s = c − a·b and s·d, both wanted negative: a fused operation and a product, nothing more. A
    root takes no sign, so s is turned back for it."""
    tape = Tape()
    a, b, c, d = symbols = [tape.symbol(name) for name in "abcd"]
    s = abs(tape.sub(tape.mul(a, b), c))
    program = lowered(tape, [-s, -abs(tape.mul(s, d))], symbols)
    assert count(program) == Counts(multiplications=1, fused=1, negations=2)
    assert count(fuse_sums(program)) == Counts(multiplications=1, fused=1)
    assert evaluate(fuse_sums(program), {"x": [2.0, 3.0, 5.0, 7.0]}) == [1.0, 7.0]
    rooted = lowered(tape, [-s, tape.sqrt(s)], symbols)
    assert evaluate(fuse_sums(rooted), {"x": [2.0, 3.0, 10.0, 7.0]}) == [-4.0, 2.0]


@pytest.mark.parametrize("seed", range(20))
def test_random_sums_and_products_keep_their_values(seed) -> None:
    """Of whole numbers, which nothing rounds: so every sign and every term must be there, the
    1 of a rotation's 1 − 2 (y² + z²) too."""
    draw, tape = random.Random(seed), Tape()
    symbols = [tape.symbol(f"s{k}") for k in range(6)]
    known = [tape.const(1.0), tape.const(3.0)]
    nodes, size = list(symbols), dict.fromkeys([*symbols, *known], 9)
    while len(nodes) < 80:
        act = draw.choice([tape.add, tape.sub, tape.mul, tape.mul])
        one, other = draw.choice(nodes[-20:]), draw.choice([*nodes[-20:], *known])
        bound = size[one] * size[other] if act == tape.mul else size[one] + size[other]
        if bound < 2**52:
            nodes.append(abs(act(one, other)))
            size[nodes[-1]] = bound
    program = lowered(tape, [draw.choice([1, -1]) * node for node in nodes[-9:]], symbols)
    chain = fuse_sums(program)
    values = {"x": [float(draw.randint(-9, 9)) for _ in symbols]}
    assert evaluate(chain, values) == evaluate(program, values)
    assert operations(chain) <= operations(program)


def test_forward_dynamics_of_an_arm_take_a_tenth_less() -> None:
    program = make("chain", 7).model().compile().function("forward dynamics").second
    before, after = count(program), count(fuse_sums(program))
    assert (after.sines, after.divisions) == (before.sines, before.divisions)
    assert operations(fuse_sums(program)) < 0.91 * operations(program)


def test_derivatives_of_dynamics_are_chains_already() -> None:
    """Those of an arm, and what loops make those of a longer one of."""
    for size in (7, 20):
        system = make("chain", size).model().compile()
        for name in ("inverse dynamics derivatives", "forward dynamics derivatives"):
            program = system.function(name).second
            assert operations(fuse_sums(program)) == operations(program)


def test_chains_know_which_inputs_are_of_equal_limbs() -> None:
    tape = Tape()
    x, y, z = symbols = [tape.symbol(name) for name in "xyz"]
    tape.alike |= {x: Alike(0, 0, 0), z: Alike(0, 0, 1)}
    sums = tape.add(tape.add(tape.mul(x, y), tape.mul(y, z)), tape.mul(x, z))
    chain = fuse_sums(lowered(tape, [tape.mul(sums, y)], symbols))
    branches = {chain.inputs[node][1]: part.branch for node, part in chain.alike.items()}
    assert branches == {0: 0, 2: 1}
