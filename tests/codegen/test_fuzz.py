"""Random graphs: machine code on this machine agrees with plain evaluation to the last bit."""

import numpy as np
import pytest

from random_graphs import (
    EVERYTHING,
    PLAIN,
    SUMS,
    TURNING,
    assert_same_bits,
    interpreted,
    random_graph,
    random_inputs,
)
from touchback.codegen import compile_program
from touchback.codegen.host import host_target
from touchback.codegen.machine import TARGETS

TARGET = host_target()[0]
pytestmark = pytest.mark.skipif(TARGET is None, reason="no emitter for this machine")
WIDTH = TARGETS[TARGET].vector_width if TARGET else 1
MIXES = {"everything": EVERYTHING, "plain": PLAIN, "turning": TURNING, "sums": SUMS}


@pytest.mark.parametrize("lanes", [1, WIDTH])
@pytest.mark.parametrize("mix", MIXES)
def test_random_graphs_give_the_same_bits(mix: str, lanes: int) -> None:
    rng = np.random.default_rng([lanes, *mix.encode()])
    for number in range(400):
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


@pytest.mark.parametrize("lanes", [1, WIDTH])
def test_calls_amid_many_live_values_keep_every_one_of_them(lanes: int) -> None:
    rng = np.random.default_rng(lanes)
    for number in range(60):
        program = random_graph(rng, 300, EVERYTHING, inputs=60, outputs=200)
        arrays = random_inputs(rng, program, lanes, special=0.02)
        got = compile_program(program, lanes=lanes).call(*arrays).reshape(-1, lanes)
        assert_same_bits(got, interpreted(program, arrays), program, f"graph {number}")


@pytest.mark.parametrize("lanes", [1, WIDTH])
def test_seventy_thousand_operations_with_distant_memory(lanes: int) -> None:
    """Inputs, outputs, constants and spill slots all lie beyond the reach of short offsets."""
    rng = np.random.default_rng(7)
    program = random_graph(rng, 70_000, (*SUMS, *PLAIN), inputs=18_000, outputs=20_000)
    arrays = random_inputs(rng, program, lanes, special=0.0)
    compiled = compile_program(program, lanes=lanes)
    assert compiled.work_size > 4096 * 2 * lanes
    got = compiled.call(*arrays).reshape(-1, lanes)
    assert_same_bits(got, interpreted(program, arrays), program, "large graph")
