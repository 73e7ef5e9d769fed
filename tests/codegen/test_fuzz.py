"""Random graphs: machine code on this machine agrees with plain evaluation to the last bit."""

from functools import cache

import numpy as np
import pytest

from random_graphs import (
    CHOOSING,
    EVERYTHING,
    PLAIN,
    SUMS,
    TURNING,
    Builder,
    assert_same_bits,
    interpreted,
    random_graph,
    random_inputs,
)
from touchback.codegen import compile_program, native_lanes
from touchback.symbolic import ops
from touchback.symbolic.program import Program

WIDTH = native_lanes()
pytestmark = pytest.mark.skipif(WIDTH == 1, reason="no emitter for this machine")
MIXES = {
    "everything": EVERYTHING,
    "plain": PLAIN,
    "choosing": CHOOSING,
    "turning": TURNING,
    "sums": SUMS,
}


def _compare_random_graphs(mix: str, lanes: int, seed: int, graphs: int) -> None:
    rng = np.random.default_rng([seed, lanes, *mix.encode()])
    for number in range(graphs):
        program = random_graph(
            rng,
            operations=int(rng.choice((1, 5, 20, 60, 200))),
            mix=MIXES[mix],
            inputs=int(rng.choice((3, 9, 40))),
            outputs=int(rng.choice((1, 8, 60))),
            window=(None, 5, 50)[number % 3],
        )
        arrays = random_inputs(rng, program, lanes)
        got = compile_program(program, lanes=lanes).call(*arrays).reshape(-1, lanes)
        assert_same_bits(got, interpreted(program, arrays), program, f"graph {number}")


@pytest.mark.parametrize("mix", MIXES)
def test_random_graphs_give_the_same_bits(lanes: int, mix: str) -> None:
    _compare_random_graphs(mix, lanes, seed=0, graphs=60)


@pytest.mark.soak
@pytest.mark.parametrize("mix", MIXES)
def test_very_many_random_graphs_give_the_same_bits(mix: str, lanes: int) -> None:
    _compare_random_graphs(mix, lanes, seed=1, graphs=10_000)


def test_calls_amid_many_live_values_keep_every_one_of_them(lanes: int) -> None:
    rng = np.random.default_rng(lanes)
    for number in range(25):
        program = random_graph(rng, 300, EVERYTHING, inputs=60, outputs=200)
        arrays = random_inputs(rng, program, lanes, special=0.02)
        got = compile_program(program, lanes=lanes).call(*arrays).reshape(-1, lanes)
        assert_same_bits(got, interpreted(program, arrays), program, f"graph {number}")


@cache
def _seventy_thousand_operations() -> Program:
    rng = np.random.default_rng(7)
    return random_graph(rng, 70_000, TURNING, inputs=18_000, outputs=20_000)


def test_seventy_thousand_operations_with_distant_memory(lanes: int) -> None:
    """Inputs, outputs, angles and spill slots all lie beyond the reach of short offsets."""
    program = _seventy_thousand_operations()
    arrays = random_inputs(np.random.default_rng(lanes), program, lanes, special=0.0)
    compiled = compile_program(program, lanes=lanes)
    assert compiled.work_size > 4096 * 2 * lanes
    got = compiled.call(*arrays).reshape(-1, lanes)
    assert_same_bits(got, interpreted(program, arrays), program, "large graph")


def test_many_constants_do_not_disturb_sines_and_cosines(lanes: int) -> None:
    """Twenty thousand different constants, and angles in several batches, one out of range."""
    build = Builder()
    x = [build.input("x", k) for k in range(40)]
    total = x[0]
    for k in range(20_000):
        total = build.node(ops.FMA, x[k % 40], build.constant(k * 1e-4), total)
    turns = [build.node(op, node) for node in (*x, total) for op in (ops.SIN, ops.COS)]
    last = build.node(ops.SIN, build.node(ops.MUL, turns[-1], turns[0]))
    program = build.outputs(total, last, *turns)
    rng = np.random.default_rng(8)
    arrays = random_inputs(rng, program, lanes, special=0.0)
    arrays[0][7] = 3e9
    got = compile_program(program, lanes=lanes).call(*arrays).reshape(-1, lanes)
    assert_same_bits(got, interpreted(program, arrays), program, "many constants")
