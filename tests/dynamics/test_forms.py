"""The same mechanics in every form: link frames, base parameters, algorithms, scalars, code."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import touchback as tb
from dual_numbers import Dual
from random_mechanisms import Mechanism, examples, mechanisms, random_mechanism, scale
from touchback.dynamics import Coordinates, Instant, aba, crba, rnea
from touchback.dynamics.forward_dynamics import (
    ALGORITHMS,
    mass_matrix_entries,
    solve_accelerations,
    solve_efforts,
)
from touchback.model.flatten_submodels import flatten
from touchback.symbolic.program import evaluate, lower
from touchback.symbolic.scalars import Operators
from touchback.system.derivation import Derivation
from touchback.system.signal_layout import layout_of


def instant(
    model: tb.Model, q: Sequence[Any], v: Sequence[Any], frame_pass: bool = False
) -> Instant:
    """The mechanism over the kind of numbers that q and v are."""
    parameters = {name: given.default for name, given in model.parameters.items()}
    at = Coordinates(list(q), list(v), {}, {}, 0, parameters)
    return Instant(flatten(model), Operators(), at, frame_pass=frame_pass)


def floats(given: Sequence[Any]) -> np.ndarray:
    return np.array(given, dtype=float)


def full(found: crba.Entries, n: int) -> np.ndarray:
    M = np.zeros((n, n))
    for (i, j), entry in found.items():
        M[i, j] = entry
    return M


def close(one: np.ndarray, other: np.ndarray, tolerance: float = 1e-12) -> None:
    assert np.abs(one - other).max(initial=0.0) <= tolerance * scale(one, other)


@examples(12)
@given(mechanisms(size=6))
def test_chosen_link_frames_and_base_parameters_change_no_number(mechanism: Mechanism) -> None:
    model = mechanism.model()
    system = model.compile()
    q, v, a = mechanism.state(system)
    n = len(v)
    forms = []
    for frame_pass in (False, True):
        here = instant(model, q.tolist(), v.tolist(), frame_pass)
        rotors = floats(here.armature())
        for tree in (here.tree, here.regrouped()):
            tau = rnea.inverse_dynamics(tree, here.k, here.at.v, a.tolist(), here.base(), {})
            for matrix in (crba.mass_matrix, crba.mass_matrix_root):
                M = full(matrix(tree, here.k), n) + np.diag(rotors)
                forms.append((M, floats(tau) + rotors * a))
    for M, tau in forms[1:]:
        close(M, forms[0][0])
        close(tau, forms[0][1])
    for frame_pass in (False, True):
        here = instant(model, q.tolist(), v.tolist(), frame_pass)
        moving = here.attachment(tb.Frame("b5"))
        if moving.link >= 0:
            R, p = system.pose("b5", q)
            close(np.array(here.rotation(tb.Frame("b5")), dtype=float), R)
            close(floats(here.position(tb.Frame("b5"))), p)


@examples(8)
@given(mechanisms(size=5))
def test_live_parameters_anywhere_change_no_number(mechanism: Mechanism) -> None:
    """Masses, places and angles as parameters (every other one) against the plain numbers."""
    model, live = mechanism.model(), mechanism.model(live=True)
    q, v, a = mechanism.state(model.compile())
    assert live.parameters
    expected = instant(model, q.tolist(), v.tolist())
    tau, M = (
        floats(solve_efforts(expected, a.tolist())),
        full(mass_matrix_entries(expected), len(v)),
    )
    for frame_pass in (False, True):
        here = instant(live, q.tolist(), v.tolist(), frame_pass)
        close(floats(solve_efforts(here, a.tolist())), tau)
        close(full(mass_matrix_entries(here), len(v)), M)
        close(full(mass_matrix_entries(here, at_root=True), len(v)), M)


@examples(12)
@given(mechanisms(size=6))
def test_every_algorithm_solves_the_equations_of_motion(mechanism: Mechanism) -> None:
    """‖M a + c − τ‖ ≤ 1e-13 (‖M‖‖a‖ + ‖c‖ + ‖τ‖): no more than rounding, whatever M's condition."""
    model = mechanism.model()
    system = model.compile()
    q, v, _ = mechanism.state(system)
    n = len(v)
    tau = mechanism.rng.standard_normal(n)
    for frame_pass in (False, True):
        here = instant(model, q.tolist(), v.tolist(), frame_pass)
        M, c = full(mass_matrix_entries(here), n), floats(solve_efforts(here, None))
        raw = here.tree, here.k, here.at.v, tau.tolist(), here.base(), {}, here.armature()
        found = {name: solve_accelerations(here, tau.tolist(), name) for name in ALGORITHMS}
        found["articulated, without base parameters"] = aba.forward_dynamics(*raw)
        for name, accelerations in found.items():
            a = floats(accelerations)
            residual = np.linalg.norm(M @ a + c - tau)
            size = np.linalg.norm(M) * np.linalg.norm(a) + np.linalg.norm(c) + np.linalg.norm(tau)
            assert residual <= 1e-13 * size, f"{name}: {residual / size:.3g}"


@examples(6)
@given(mechanisms(size=4))
def test_duals_and_complex_steps_give_the_derivative_of_the_same_numbers(
    mechanism: Mechanism,
) -> None:
    model = mechanism.model()
    system = model.compile()
    q, v, a = mechanism.state(system)
    dq, dv = mechanism.rng.standard_normal(len(q)), mechanism.rng.standard_normal(len(v))
    duals = solve_efforts(
        instant(model, list(map(Dual, q, dq)), list(map(Dual, v, dv))), a.tolist()
    )
    h = 1e-30
    steps = solve_efforts(instant(model, list(q + 1j * h * dq), list(v + 1j * h * dv)), a.tolist())
    # a coordinate that nothing depends on leaves plain numbers
    value = floats([x.value if isinstance(x, Dual) else x for x in duals])
    tangent = floats([x.tangent if isinstance(x, Dual) else 0.0 for x in duals])
    close(value, floats(solve_efforts(instant(model, q.tolist(), v.tolist()), a.tolist())))
    close(np.array(steps, dtype=complex).real, value)
    close(np.array(steps, dtype=complex).imag / h, tangent)


@examples(6)
@given(mechanisms(size=5))
def test_the_tape_and_the_floats_agree(mechanism: Mechanism) -> None:
    model = mechanism.model()
    layout = layout_of(model)
    q, v, a = mechanism.state(model.compile())
    derivation = Derivation(model, layout, layout.v)
    places = derivation.places()
    program = lower(derivation.tape, solve_efforts(derivation.instant, derivation.extra), places)
    x, u = [*q, *v], [0.0, *a]
    found = floats(evaluate(program, {"x": x, "u": u}))
    close(found, floats(solve_efforts(instant(model, q.tolist(), v.tolist()), a.tolist())))


@pytest.mark.parametrize("seed", range(3))
def test_machine_code_gives_the_bits_of_the_interpreter(seed: int) -> None:
    mechanism = random_mechanism(seed)
    model = mechanism.model()
    machine, interpreter = model.compile(), model.compile(backend="interpreter")
    q, v, a = mechanism.state(machine)
    np.testing.assert_array_equal(machine.mass_matrix(q), interpreter.mass_matrix(q))
    np.testing.assert_array_equal(
        machine.inverse_dynamics(q, v, a), interpreter.inverse_dynamics(q, v, a)
    )
    np.testing.assert_array_equal(machine.state_rate(q, v), interpreter.state_rate(q, v))


def test_a_long_chain_uses_a_loop_for_its_mass_matrix_and_gives_the_same_numbers() -> None:
    mechanism = random_mechanism(5, kinds=("revolute",), size=60)
    for i, joint in enumerate(mechanism.joints):
        joint.parent = i - 1
    model = mechanism.model()
    system = model.compile()
    assert system.plan.loop_mass_matrix
    q, v, a = mechanism.state(system)
    here = instant(model, q.tolist(), v.tolist())
    close(system.mass_matrix(q), full(mass_matrix_entries(here), 60))
    close(system.mass_matrix(q) @ a + system.bias(q, v), system.inverse_dynamics(q, v, a), 1e-11)


def test_the_smallest_mechanisms_keep_their_digits() -> None:
    """Offsets are told from rounding noise by their ratio to others, not by metres."""
    mechanism = random_mechanism(11, kinds=("revolute", "universal"), size=6)
    for joint in mechanism.joints:
        joint.armature = 0.0
        joint.com = joint.com * 1e-16
        joint.inertia = joint.inertia * 1e-32
        for place in (joint.parent_place, joint.child_place):
            place[0][:] *= 1e-16
    model = mechanism.model()
    q, v, _ = mechanism.state(model.compile())
    plain, chosen = (
        full(mass_matrix_entries(instant(model, q.tolist(), v.tolist(), frame_pass)), len(v))
        for frame_pass in (False, True)
    )
    assert np.abs(plain - chosen).max() <= 1e-12 * np.abs(plain).max()


def test_a_chain_of_many_links_is_followed_without_recursion() -> None:
    m = tb.Model("chain", gravity=(0, 0, -10.0))
    above: object = m.ground
    for i in range(1100):
        link = m.body(f"{i}", 1.0)
        m.joint(f"{i}", tb.Revolute("y"), above, link)
        above = link.at(0, 0, -0.5)
    here = instant(m, [0.0] * 1100, [0.0] * 1099 + [1.0])
    last = tb.Frame("1099", (0.0, 0.0, -0.5))
    assert floats(here.position(last))[2] == pytest.approx(-550.0)
    assert floats(here.velocity(last)).tolist() == [-0.5, 0.0, 0.0]


@pytest.mark.parametrize("tilt", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("frame_pass", [False, True])
@pytest.mark.parametrize("axis", "xy")
def test_a_small_tilt_of_a_joint_is_not_lost(tilt: float, frame_pass: bool, axis: str) -> None:
    """A pendulum about a vertical axis tilted by ε feels the torque m g l sin ε."""
    m = tb.Model("tilted", gravity=(0.0, 0.0, -10.0))
    door = m.body("door", 2.0, (0.5, 0.5, 0.0))
    m.joint("hinge", tb.Revolute("z"), m.ground.at(0, 0, 0, turn=(axis, tilt)), door)
    torque = floats(solve_efforts(instant(m, [0.0], [0.0], frame_pass), [0.0]))[0]
    assert torque == pytest.approx(10.0 * np.sin(tilt), rel=1e-3, abs=0.0)


def test_a_joint_axis_a_little_off_a_coordinate_axis_stays_so() -> None:
    m = tb.Model("tilted", gravity=(0.0, 0.0, -10.0))
    door = m.body("door", 2.0, (0.5, 0.0, 0.0))
    m.joint("hinge", tb.Revolute((0.0, 1e-9, 1.0)), m.ground, door)
    assert m.compile().bias([0.0], [0.0])[0] == pytest.approx(-1e-8, rel=1e-6)
