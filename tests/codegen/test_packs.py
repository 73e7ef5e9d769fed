"""Isomorphic branches side by side: the bits of the program, and only where it pays."""

from dataclasses import replace

import numpy as np
import pytest

from branched_robots import RUNNING, pack_always, quadruped
from random_graphs import (
    CHOOSING,
    EVERYTHING,
    PLAIN,
    SUMS,
    TURNING,
    Builder,
    assert_same_bits,
    interpreted,
    random_branches,
    random_inputs,
)
from touchback.codegen import compile_program, kinematic_branch_simd, program_compiler
from touchback.codegen.emit_machine_code import TARGETS
from touchback.codegen.kinematic_branch_simd import PackedProgram, find_packs
from touchback.symbolic import ops
from touchback.symbolic.program import Program
from touchback.symbolic.tape import Alike


@pytest.fixture(params=RUNNING)
def target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Code for a target that runs here, packed whether it pays or not."""
    monkeypatch.setattr(program_compiler, "host_target", lambda: (request.param, ""))
    pack_always(monkeypatch)
    return str(request.param)


def _packed(program: Program, target: str) -> PackedProgram | None:
    return kinematic_branch_simd.pack_program(program, TARGETS[target].widths)


def _compare(target: str, seed: int, graphs: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = 0
    for number in range(graphs):
        branches, operations = int(rng.choice((2, 3, 4, 5, 8, 9))), int(rng.choice((8, 40, 120)))
        mix = (EVERYTHING, PLAIN, CHOOSING, TURNING, SUMS)[number % 5]
        program = random_branches(rng, branches, operations, mix, (0.0, 0.02, 0.2)[number % 3])
        made = _packed(program, target)
        vectors += 0 if made is None else sum(made.wide)
        arrays = random_inputs(rng, program, special=0.02)
        got = compile_program(program).call(*arrays).reshape(-1, 1)
        assert_same_bits(got, interpreted(program, arrays), program, f"graph {number}")
    assert vectors > 15 * graphs


def test_random_limbs_give_the_same_bits(target: str) -> None:
    _compare(target, seed=0, graphs=15)


@pytest.mark.soak
def test_very_many_random_limbs_give_the_same_bits(target: str) -> None:
    _compare(target, seed=1, graphs=5000)


def _branch(build: Builder, branches: int, differing: bool = False) -> list[int]:
    """sin(q c) − 2 q of each branch, with constants of either sign; the last one may have 2 q²."""
    found = []
    for branch in range(branches):
        q = build.input("x", branch)
        build.program.alike[q] = Alike(0, 0, branch)
        turned = build.node(ops.SIN, build.node(ops.MUL, q, build.constant(0.5 - branch)))
        last = differing and branch == branches - 1
        square = build.node(ops.MUL, q, q) if last else q
        found.append(build.node(ops.FNMA, build.constant(2.0), square, turned))
    return found


def test_equal_limbs_are_one_operation_each() -> None:
    build = Builder()
    program = build.outputs(*_branch(build, 4))
    found = find_packs(program, 4)
    assert sorted(program.op[pack[0]] for pack in found.packs) == [ops.MUL, ops.FNMA, ops.SIN]
    assert all(len(set(pack)) == 4 and -1 not in pack for pack in found.packs)


def test_what_one_limb_has_of_its_own_leaves_the_rest_side_by_side() -> None:
    build = Builder()
    program = build.outputs(*_branch(build, 4, differing=True))
    found = find_packs(program, 4)
    sizes = {program.op[max(pack)]: 4 - pack.count(-1) for pack in found.packs}
    assert sizes == {ops.MUL: 4, ops.SIN: 4, ops.FNMA: 3}


def test_more_limbs_than_lanes_make_several_packs() -> None:
    build = Builder()
    program = build.outputs(*_branch(build, 6))
    assert [len(pack) - pack.count(-1) for pack in find_packs(program, 4).packs] == [4, 2] * 3


def test_limbs_that_need_each_other_go_side_by_side_where_both_can(target: str) -> None:
    """The roots of both branches, their product, and what both branches make of it."""
    build = Builder()
    q = [build.input("x", k) for k in range(2)]
    build.program.alike |= {node: Alike(0, 0, k) for k, node in enumerate(q)}
    both = build.node(ops.MUL, *(build.node(ops.SQRT, node) for node in q))
    program = build.outputs(*(build.node(ops.FMA, node, both, node) for node in q))
    made = _packed(program, target)
    assert made is not None
    wide = [op for op, wide in zip(made.op, made.wide, strict=True) if wide]
    assert wide.count(ops.SQRT) == wide.count(ops.FMA) == 1 and ops.MUL not in wide
    arrays = random_inputs(np.random.default_rng(1), program, special=0.0)
    got = compile_program(program).call(*arrays).reshape(-1, 1)
    assert_same_bits(got, interpreted(program, arrays), program, "both")


def test_zeros_of_either_sign_are_numbers_of_their_own(target: str) -> None:
    """q/0 and q/−0 of each branch."""
    build = Builder()
    over = []
    for branch in range(4):
        q = build.input("x", branch)
        build.program.alike[q] = Alike(0, 0, branch)
        over += [build.node(ops.DIV, q, build.constant(zero)) for zero in (0.0, -0.0)]
    got = compile_program(build.outputs(*over)).call(np.ones(4), np.zeros(0), np.zeros(0))
    assert got.tolist() == [np.inf, -np.inf] * 4


def test_a_chain_and_small_limbs_on_a_large_trunk_stay_one_by_one() -> None:
    rng, widths = np.random.default_rng(3), (1, 4)
    branches = random_branches(rng, 4, 120, SUMS, differing=0.0)
    assert kinematic_branch_simd.pack_program(branches, widths) is not None
    assert kinematic_branch_simd.pack_program(replace(branches, alike={}), widths) is None
    build = Builder()
    total = build.input("u", 0)
    for _ in range(500):
        total = build.node(ops.FMA, total, total, total)
    assert (
        kinematic_branch_simd.pack_program(build.outputs(total, *_branch(build, 4)), widths) is None
    )


@pytest.mark.parametrize(
    ("width", "trunk", "pays"), [(2, 800, True), (2, 2000, False), (4, 1200, False)]
)
def test_two_lanes_go_side_by_side_from_a_smaller_gain_than_four(
    width: int, trunk: int, pays: bool
) -> None:
    """Four branches of 100 operations: 1.20 and 1.09 by two lanes, 1.23 by four."""
    build = Builder()
    ends = [build.input("u", 0)]
    for _ in range(trunk):
        ends[0] = build.node(ops.FMA, ends[0], ends[0], ends[0])
    for branch in range(4):
        q = build.input("x", branch)
        build.program.alike[q] = Alike(0, 0, branch)
        ends.append(q)
        for _ in range(100):
            ends[-1] = build.node(ops.FMA, ends[-1], q, q)
    assert (
        kinematic_branch_simd.pack_program(build.outputs(*ends), (1, width)) is not None
    ) == pays


def test_left_and_right_legs_of_a_quadruped_go_four_by_four() -> None:
    """Three quarters of all operations: the rest are the trunk's and the sums over legs. Were signs
    pulled out of numbers, left and right legs would be other sums: two thirds."""
    program = quadruped().compile().function("forward dynamics").second
    together = sum(4 for pack in find_packs(program, 4).packs if -1 not in pack)
    assert together > 0.75 * sum(ops.ARITY[op] > 0 for op in program.op)
