"""Both emitters in a bare process, one of them under qemu, amid functions that spoil registers."""

import numpy as np
import pytest

from branched_robots import pack_always
from random_graphs import (
    CHOOSING,
    EVERYTHING,
    PLAIN,
    SUMS,
    TURNING,
    Builder,
    assert_same_bits,
    operations_on_constants,
    random_branches,
    random_graph,
    random_inputs,
)
from static_executables import Case, emulator, expected, run
from touchback.codegen.emit_machine_code import TARGETS
from touchback.symbolic import ops

CALLING = (*range(21, 29), *PLAIN[:12])


WIDTHS = [(name, lanes) for name, target in TARGETS.items() for lanes in target.widths]


def _that_runs(target: str) -> str:
    if emulator(target) is None:
        pytest.skip(f"nothing runs code for {target} here")
    return target


@pytest.fixture(params=WIDTHS, ids=lambda each: f"{each[0]}-{each[1]}")
def target_and_lanes(request: pytest.FixtureRequest) -> tuple[str, int]:
    target, lanes = request.param
    return _that_runs(target), lanes


def _check(target: str, cases: list[Case]) -> None:
    for number, (case, got) in enumerate(zip(cases, run(target, cases), strict=True)):
        assert_same_bits(got, expected(case), case.program, f"{target}, graph {number}")


@pytest.mark.parametrize("graphs", [30, pytest.param(1000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("mix", [EVERYTHING, PLAIN, CHOOSING, TURNING, SUMS, CALLING])
def test_random_graphs_give_the_same_bits_and_keep_what_is_to_be_kept(
    target_and_lanes: tuple[str, int], mix: tuple[int, ...], graphs: int
) -> None:
    target, lanes = target_and_lanes
    rng = np.random.default_rng([lanes, *mix])
    cases = []
    for number in range(graphs):
        program = random_graph(
            rng,
            operations=int(rng.choice((1, 5, 20, 60, 150))),
            mix=mix,
            inputs=int(rng.choice((3, 9, 40))),
            outputs=int(rng.choice((1, 8, 60))),
            window=(None, 5, 50)[number % 3],
        )
        cases.append(Case(program, random_inputs(rng, program, lanes)))
    _check(target, cases)


@pytest.mark.parametrize("target", TARGETS)
def test_limbs_side_by_side_give_the_same_bits(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _that_runs(target)
    pack_always(monkeypatch)
    rng = np.random.default_rng(6)
    cases = []
    for number, mix in enumerate((EVERYTHING, CHOOSING, TURNING, CALLING) * 2):
        program = random_branches(rng, 2 + number, 60, mix, differing=0.02)
        cases.append(Case(program, random_inputs(rng, program)))
    _check(target, cases)


def test_a_full_set_of_registers_survives_each_kind_of_call(
    target_and_lanes: tuple[str, int],
) -> None:
    """Fifty values are computed, a call or a batch of sines comes between, then all are used."""
    rng = np.random.default_rng(2)
    target, lanes = target_and_lanes
    cases = []
    for op in (ops.SIN, *range(ops.ASIN, len(ops.OPS))):
        build = Builder()
        x = [build.input("x", k) for k in range(50)]
        values = [build.node(ops.MUL, node, node) for node in x]
        lookup = {ops.LOOKUP1: 1, ops.LOOKUP2: 3}.get(op, 0)
        b = values[40] if ops.ARITY[op] > 1 else 0
        total = build.node(op, values[3], b, lookup)
        for value in values:
            total = build.node(ops.FMA, total, value, x[0])
        program = build.outputs(total, *values[::7])
        cases.append(Case(program, random_inputs(rng, program, lanes, special=0.0)))
    _check(target, cases)


def test_a_large_graph_with_distant_memory(target_and_lanes: tuple[str, int]) -> None:
    rng = np.random.default_rng(3)
    target, lanes = target_and_lanes
    program = random_graph(rng, 30_000, PLAIN, inputs=18_000, outputs=15_000)
    _check(target, [Case(program, random_inputs(rng, program, lanes, special=0.0))])


def test_more_constants_than_fit_into_a_cache_of_numbers_for_each_lane(
    target_and_lanes: tuple[str, int],
) -> None:
    """There are so many of them that lanes share each, where a target can do that."""
    rng = np.random.default_rng(4)
    target, lanes = target_and_lanes
    program = operations_on_constants(rng, 1100)
    _check(target, [Case(program, random_inputs(rng, program, lanes, special=0.0))])
