"""Derivatives of inverse and forward dynamics: against Pinocchio's on random trees, complex steps
through recursions on numbers, and a closed form."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

import touchback as tb
from complex_steps import ByNumbers, laws
from random_mechanisms import KINDS, Mechanism, examples, mechanisms, scale
from touchback.codegen.emit_machine_code import emit
from touchback.dynamics.forward_dynamics import solve_accelerations, solve_efforts
from touchback.gallery import make
from touchback.native.shared_library import LIB
from touchback.system import derivation_plan


def close(ours: np.ndarray, theirs: np.ndarray, what: str, tolerance: float) -> None:
    error = float(np.abs(ours - theirs).max(initial=0.0))
    assert error <= tolerance * scale(theirs), f"{what}: {error:.3g} off"


# ---- Pinocchio ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_those_of_pinocchio_for_every_kind_of_joint(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both differentiate by increments in velocity coordinates. 1e-12 of the largest number for
    efforts; accelerations lose digits with the condition of M, so the residual is compared, of
    those that are unrolled and of those by loops."""
    pin = pytest.importorskip("pinocchio")
    from pinocchio_peer import build

    @examples(1)
    @given(mechanisms(root=kind, leaf=kind))
    def agrees(mechanism: Mechanism) -> None:
        system = mechanism.model().compile()
        n = system.sizes[1]
        if n == 0:
            return
        peer, (q, v, a) = build(mechanism, system), mechanism.state(system)
        at, order = (peer.model, peer.data, peer.q(q), peer.v(v)), np.ix_(peer.v_of, peer.v_of)
        theirs = [np.array(x).reshape(n, n) for x in pin.computeRNEADerivatives(*at, peer.v(a))]
        M = np.triu(theirs[2]) + np.triu(theirs[2], 1).T  # they fill the upper triangle
        ours = system.inverse_dynamics_derivatives(q, v, a)
        for mine, wanted, what in zip(ours, [*theirs[:2], M], "qva", strict=True):
            close(mine, wanted[order], f"efforts by {what}", 1e-12)
        theirs = [np.array(x).reshape(n, n) for x in pin.computeABADerivatives(*at, peer.v(a))]
        inverse_of_M = np.triu(theirs[2]) + np.triu(theirs[2], 1).T
        with monkeypatch.context() as patched:
            patched.setattr(derivation_plan, "_LOOP_SOLUTIONS", -1)
            looped = mechanism.model().compile()
        for one in (system, looped):
            found = one.forward_dynamics_derivatives(q, v, a)
            for mine, wanted, what in zip(found, [*theirs[:2], inverse_of_M], "qvτ", strict=True):
                sizes = np.abs(M).max() * max(np.abs(mine).max(), np.abs(wanted).max())
                left = np.abs(M[order] @ (mine - wanted[order])).max()
                assert left <= 1e-11 * max(sizes, 1.0), f"by {what}: {left / sizes:.3g}"

    agrees()


# ---- complex steps ------------------------------------------------------------------------------


MODELS: dict[str, Callable[[], tb.Model]] = {"laws": laws, "fluid": lambda: make("buoy")}


@pytest.mark.parametrize("by", ["unrolled", "loop"])
@pytest.mark.parametrize("name", MODELS)
def test_they_are_complex_steps_of_recursions_on_numbers(
    name: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given efforts and the model's own, with laws that depend on everything: to 1e-9."""
    if by == "loop":
        monkeypatch.setattr(derivation_plan, "_LOOP_SOLUTIONS", 0)
    system = MODELS[name]().compile()
    assert system.plan.loop_derivatives == (by == "loop")
    numbers = ByNumbers(system)
    q, v, given = numbers.q, numbers.v, numbers.given
    for label, result, slopes, by_p in (
        ("efforts", lambda i: solve_efforts(i, given),
         system.inverse_dynamics_derivatives(q, v, given),
         system.inverse_dynamics_by_parameters(q, v, given)),
        ("accelerations", lambda i: solve_accelerations(i, given, "articulated"),
         system.forward_dynamics_derivatives(q, v, given),
         system.forward_dynamics_by_parameters(q, v, given)),
        ("its own accelerations", lambda i: solve_accelerations(i, i.efforts(), "articulated"),
         system.forward_dynamics_derivatives(q, v),
         system.forward_dynamics_by_parameters(q, v)),
    ):  # fmt: skip
        for found, wanted, by in zip(
            (*slopes[:2], by_p), numbers.slopes(result), ("q", "v", "p"), strict=True
        ):
            close(found, wanted, f"{label} by {by}", 1e-9)
    M = system.mass_matrix(q)
    close(system.inverse_dynamics_derivatives(q, v, given)[2], M, "M", 1e-12)
    close(system.forward_dynamics_derivatives(q, v)[2] @ M, np.eye(len(M)), "M⁻¹", 1e-9)


# ---- other ways ---------------------------------------------------------------------------------


def test_a_pendulum_has_those_of_its_equation() -> None:
    """a = τ/(m l²) − (g/l) sin q: a point mass on a massless rod."""
    m = tb.Model("pendulum", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.7, unit="m", min=0.1)
    bob = m.body("bob", mass=2.0, com=(0, 0, -length))
    m.joint("swing", tb.Revolute("y"), m.ground, bob)
    system = m.compile()
    by_q, by_v, by_tau = system.forward_dynamics_derivatives([0.4], [1.3], [0.5])
    inertia = 2.0 * 0.7**2
    assert by_q == pytest.approx(-9.81 / 0.7 * np.cos(0.4), rel=1e-14)
    assert by_v == 0.0
    assert by_tau == pytest.approx(1 / inertia, rel=1e-14)
    by_length = system.forward_dynamics_by_parameters([0.4], [1.3], [0.5])
    wanted = -2 * 0.5 / (inertia * 0.7) + 9.81 / 0.7**2 * np.sin(0.4)
    assert by_length == pytest.approx(wanted, rel=1e-13)


def test_large_trees_are_solved_by_a_loop_whatever_the_order_of_their_joints() -> None:
    """A tree with branches, described from the leaves on, of more joints than the loops take at a
    time: the derivatives of accelerations undo those of efforts."""
    m, size = tb.Model("tree"), 36
    links = [
        m.body(f"b{i}", mass=1.0, com=(0.1, 0.02, 0), inertia=(0.01, 0.02, 0.02))
        for i in range(size)
    ]
    for i in reversed(range(size)):
        carrier = m.ground if i == 0 else links[i - 1 if i % 7 else i // 2].at(0.3, 0, 0.05)
        m.joint(f"j{i}", tb.Revolute("xyz"[i % 3]), carrier, links[i], damping=0.1 * i)
    system = m.compile()
    assert system.plan.loop_derivatives
    q, v, tau = np.random.default_rng(1).normal(size=(3, 2, size))
    for efforts in (tau, None):
        found = system.forward_dynamics_derivatives(q, v, efforts)
        slopes = system.inverse_dynamics_derivatives(q, v, system.forward_dynamics(q, v, efforts))
        if efforts is None:  # what the dampers do
            slopes[:, 1] += np.diag([0.1 * int(name[1:]) for name in system.velocities])
        M = slopes[:, 2]
        for which in (0, 1):
            left = M @ found[:, which] + slopes[:, which]
            assert np.abs(left).max() <= 1e-10 * np.abs(slopes[:, which]).max()
        assert np.abs(M @ found[:, 2] - np.eye(size)).max() <= 1e-10
    with pytest.warns(RuntimeWarning, match="computed by the processor.* loops"):
        there = system.batch(2).evaluate(
            "forward dynamics derivatives", np.hstack([q, v]), further=tau, on="gpu"
        )
    close(there, system.forward_dynamics_derivatives(q, v, tau), "batch", 1e-15)
    function = system.function("forward dynamics derivatives")
    widest, whole = (
        LIB.tb_tree_derivatives_lanes(),
        system.forward_dynamics_derivatives(q, v, tau)[0],
    )
    for lanes in (lanes for lanes in (2, 4, 8) if lanes <= widest):
        found = function.with_lanes(lanes).call([*q[0], *v[0]], [0.0, *tau[0]], [0.0])
        close(found.reshape(whole.shape), whole, f"{lanes} columns in a register", 1e-12)


def chain(size: int) -> tb.Model:
    """Turns and slides one after the other."""
    m, carrier = tb.Model("chain", gravity=(0.3, 0.0, -9.81)), None
    for i in range(size):
        link = m.body(f"b{i}", mass=1.0 + 0.1 * i, com=(0.1, 0.02, 0), inertia=(0.01, 0.02, 0.02))
        kind = tb.Prismatic("xyz"[i % 3]) if i % 5 == 3 else tb.Revolute("zxy"[i % 3])
        m.joint(f"j{i}", kind, m.ground if carrier is None else carrier.at(0.3, 0, 0.05), link)
        carrier = link
    return m


@pytest.mark.parametrize("size", [16, 17, 18, 31])
def test_chains_are_solved_by_loops_with_the_derivatives_of_trees(size: int) -> None:
    """Turns and slides one after the other, of even and odd numbers: what undoes the derivatives of
    efforts, and what loops for any tree give."""
    system = chain(size).compile()
    assert system.plan.loop_derivatives
    q, v, tau = np.random.default_rng(size).normal(size=(3, size))
    found = system.forward_dynamics_derivatives(q, v, tau)
    slopes = system.inverse_dynamics_derivatives(q, v, system.forward_dynamics(q, v, tau))
    for which in (0, 1):
        left = slopes[2] @ found[which] + slopes[which]
        assert np.abs(left).max() <= 1e-10 * np.abs(slopes[which]).max()
    assert np.abs(slopes[2] @ found[2] - np.eye(size)).max() <= 1e-10
    of_trees = system.function("forward dynamics derivatives").with_lanes(2)
    wanted = of_trees.call([*q, *v], [0.0, *tau], [0.0]).reshape(found.shape)
    for which in range(3):
        close(found[which], wanted[which], "loops for any tree", 1e-10)


@pytest.mark.parametrize("reach", [1.0, 100.0, 1e4])
def test_an_arm_at_the_end_of_a_long_boom_keeps_its_digits(reach: float) -> None:
    """A slide on a turntable carries 16 links of 0.3 m. What loops for any tree give (10 km away
    those for chains were wrong in the second digit), within what the condition of M lets any two
    orders of rounding differ by (10 km away 1.5e11: 3e-5), and what undoes derivatives of efforts,
    whose largest grow with the square of that length."""
    m = tb.Model("crane")
    table, slide = m.body("table"), m.body("slide")
    m.joint("table", tb.Revolute("z"), m.ground, table)
    m.joint("slide", tb.Prismatic("x"), table, slide)
    carrier = slide
    for i in range(16):
        link = m.body(f"b{i}", mass=1.0, com=(0.1, 0.02, 0), inertia=(0.01, 0.02, 0.02))
        m.joint(f"j{i}", tb.Revolute("zxy"[i % 3]), carrier.at(0.3 if i else 0, 0, 0.05), link)
        carrier = link
    system = m.compile()
    q, v, tau = np.random.default_rng(1).normal(size=(3, 18))
    q[1] = reach
    found = system.forward_dynamics_derivatives(q, v, tau)
    of_trees = system.function("forward dynamics derivatives").with_lanes(2)
    wanted = of_trees.call([*q, *v], [0.0, *tau], [0.0]).reshape(found.shape)
    rounding = np.finfo(float).eps * float(np.linalg.cond(system.mass_matrix(q)))
    for which in range(3):
        close(found[which], wanted[which], f"{reach} m", max(1e-10, rounding))
    slopes = system.inverse_dynamics_derivatives(q, v, system.forward_dynamics(q, v, tau))
    for which in (0, 1):
        left = slopes[2] @ found[which] + slopes[which]
        assert np.abs(left).max() <= 1e-12 * max(1.0, reach) ** 2 * np.abs(slopes[which]).max()


@pytest.mark.parametrize("target", ["aarch64", "x86_64", "x86_64_v4"])
def test_what_prepares_derivatives_is_told_where_it_is_needed(target: str) -> None:
    """A number that waits in memory takes a store, as long as an operation: of each joint about 15
    wait, pose and inertia among them (25 when inertias and wrenches were told ahead)."""
    size = 30
    prepared = chain(size).compile().function("forward dynamics derivatives").second
    assert emit(prepared, target).work_size < 18 * size


def test_constraints_are_refused_with_the_mend() -> None:
    system = make("slider-crank").compile()
    start = system.assemble()
    for name in ("forward_dynamics_derivatives", "forward_dynamics_by_parameters"):
        with pytest.raises(tb.InputError, match="linearise"):
            getattr(system, name)(start.q, start.v)
    tree = system.inverse_dynamics_derivatives(start.q, start.v, 0 * start.v)
    close(tree[2], system.mass_matrix(start.q), "M", 1e-12)


def test_a_model_without_freedoms_has_none() -> None:
    m = tb.Model("still")
    m.joint("weld", tb.Fixed(), m.ground, m.body("box", mass=1.0))
    assert m.compile().forward_dynamics_derivatives([], []).shape == (3, 0, 0)
