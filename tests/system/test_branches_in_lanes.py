"""Robots whose isomorphic branches go side by side in vector registers: every number as before."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import touchback as tb
from branched_robots import RUNNING, pack_always, quadruped, random_robot
from touchback.codegen import Compiled, compile_program, kinematic_branch_simd, program_compiler
from touchback.codegen.emit_machine_code import TARGETS
from touchback.native import Interpreter
from touchback.system.derivation import Derivation

pytestmark = pytest.mark.skipif(not RUNNING, reason="no emitter for this machine")


def _inputs(made: Compiled, count: int) -> Iterator[list[np.ndarray]]:
    rng = np.random.default_rng(4)
    for _ in range(count):
        yield [rng.normal(size=max(size, 1)) for size in made.sizes]


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_random_limbs_move_to_the_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In lanes, one by one, and interpreted."""
    pack_always(monkeypatch)
    system = random_robot(seed).compile()
    for name in ("forward dynamics", "inverse dynamics"):
        program = system.function(name).second
        plain = Interpreter(program)
        for target in RUNNING:
            monkeypatch.setattr(program_compiler, "host_target", lambda target=target: (target, ""))
            together = compile_program(program)
            alone = compile_program(replace(program, alike={}))
            assert together.machine_code != alone.machine_code
            for arrays in _inputs(together, 5):
                wanted = plain.run(*arrays).tobytes()
                assert wanted == alone.call(*arrays).tobytes() == together.call(*arrays).tobytes()


def test_a_quadruped_is_packed_and_runs_to_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    model = quadruped()
    program = model.compile().function("forward dynamics").second
    assert kinematic_branch_simd.pack_program(program, TARGETS[RUNNING[-1]].widths) is not None
    ends = []
    for gain in (kinematic_branch_simd.GAIN, dict.fromkeys(kinematic_branch_simd.GAIN, np.inf)):
        monkeypatch.setattr(kinematic_branch_simd, "GAIN", gain)
        system = model.compile()
        run = tb.simulate(system, duration=0.05, step=1e-3, method="rk4")
        ends.append(np.array([run[name][-1] for name in system.state_names]))
    assert ends[0].tobytes() == ends[1].tobytes()


def test_accelerations_of_limbs_in_lanes_need_the_efforts_that_caused_them() -> None:
    """M a + c = τ by the other recursion; efforts of some N m, inertias down to 3e-5 kg m²."""
    system = quadruped().compile()
    rng = np.random.default_rng(2)
    nq, nv = len(system.layout.q), len(system.layout.v)
    for _ in range(5):
        q, v, tau = rng.normal(size=nq), rng.normal(size=nv), rng.normal(size=nv)
        a = system.forward_dynamics(q, v, tau)
        np.testing.assert_allclose(system.inverse_dynamics(q, v, a), tau, atol=1e-10)


def test_numbers_of_limbs_keep_their_signs_and_values_agree_to_rounding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tape of isomorphic branches has nodes for negative numbers: other sums, same motion."""
    model, rng = quadruped(), np.random.default_rng(3)
    system = model.compile()
    nq, nv = len(system.layout.q), len(system.layout.v)
    q, v, tau = rng.normal(size=nq), rng.normal(size=nv), rng.normal(size=nv)
    with_signs = system.forward_dynamics(q, v, tau)
    monkeypatch.setattr(Derivation, "_of_isomorphic_branches", lambda self: {})
    without = model.compile().forward_dynamics(q, v, tau)
    np.testing.assert_allclose(with_signs, without, rtol=1e-9)
