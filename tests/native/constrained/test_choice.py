"""Which coordinates depend on which: chosen at run time, chosen anew, singular, redundant, many."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from closed_examples import (
    G,
    change_point_four_bar,
    four_bar,
    held_pole,
    parallelogram,
    parallelogram_angle_rate,
    rod_too_long,
    row_of_four_bars,
    slider_crank,
    slider_crank_rate,
    slides,
)
from closed_mechanisms import Mechanism
from touchback.errors import InputError
from touchback.native import FORMULATIONS, Constrained, FixedStep, Status
from touchback.native.linear.sparse_elimination import eliminate, minimum_degree


def run(
    mechanism: Mechanism,
    x: np.ndarray,
    formulation: str,
    duration: float,
    sparse: bool | None = None,
    step: float = 1e-3,
) -> tuple[Constrained, np.ndarray]:
    """Every state of a run, after its first."""
    constrained = Constrained(mechanism.functions, formulation, sparse=sparse)
    method = constrained.stepper or "rk4"
    steps = FixedStep(constrained.problem(p=mechanism.p), method, x, 0.0, step)
    status, states = steps.advance(round(duration / step))
    assert status == Status.REACHED
    return constrained, states


def assembled(made: tuple[Mechanism, np.ndarray]) -> tuple[Mechanism, np.ndarray]:
    mechanism, guess = made
    return mechanism, Constrained(mechanism.functions).problem(p=mechanism.p).settle(0.0, guess)


def test_a_heavy_slider_hands_over_to_the_crank_at_its_dead_centres() -> None:
    """The slider's position is the independent one until the crank passes its dead centre."""
    _, x = assembled(slider_crank(speed=20.0))  # whose independent coordinate is the crank's
    mechanism, _ = slider_crank(slider_mass=80.0)
    constrained, states = run(mechanism, x, "partitioning", 1.0, step=1e-4)
    expected = solve_ivp(
        slider_crank_rate(80.0), (0.0, 1.0), x[[0, 3]], method="DOP853", rtol=1e-13, atol=1e-13
    ).y[:, -1]
    assert states[-1][0] > 2 * np.pi  # whole turns
    np.testing.assert_allclose(states[-1][[0, 3]], expected, rtol=1e-5)
    counts = constrained.statistics
    assert counts["choices"] > 2
    assert 0.0 < counts["worst_choice"] < 1.0
    assert counts["largest_h"] <= 1e-12


@pytest.mark.parametrize(
    "formulation", ["partitioning", "projection", "linear-implicit", "augmented-lagrangian"]
)
def test_a_turning_parallelogram_passes_its_flat_positions_on_its_branch(formulation: str) -> None:
    """Twice a turn every row along the cranks vanishes; 12 turns."""
    mechanism, x = parallelogram(speed=20.0)
    constrained, states = run(mechanism, x, formulation, 2.0)
    np.testing.assert_allclose(states[:, 1], states[:, 0], atol=1e-6)
    np.testing.assert_allclose(states[:, 3], -states[:, 0], atol=1e-6)
    assert states[-1][0] > 20.0
    if formulation != "linear-implicit":  # which is of first order
        energies = [mechanism.energy(state) for state in states]
        np.testing.assert_allclose(energies, mechanism.energy(x), rtol=3e-5)
    assert constrained.statistics["not_converged"] == 0


def test_the_rate_alone_changes_its_choice_within_a_solver_that_settles_nothing() -> None:
    _, x = assembled(slider_crank(speed=20.0))
    mechanism, _ = slider_crank(slider_mass=80.0)
    constrained = Constrained(mechanism.functions)
    rate = constrained.problem(p=mechanism.p).rate
    found, expected = (
        solve_ivp(f, (0.0, 1.0), y, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        for f, y in ((rate, x), (slider_crank_rate(80.0), x[[0, 3]]))
    )
    np.testing.assert_allclose(found[[0, 3]], expected, rtol=1e-6)
    assert constrained.statistics["choices"] > 1


def test_a_rate_at_a_dead_centre_does_not_depend_on_what_was_chosen_before() -> None:
    _, x = assembled(slider_crank(speed=20.0))
    mechanism, _ = slider_crank(slider_mass=80.0)
    dead_centre = np.array([1e-9, -1.25e-9, 0.5, 20.0, -25.0, -2.5e-9])
    rates = []
    for before in ([x, dead_centre], [dead_centre]):
        constrained = Constrained(mechanism.functions)
        problem = constrained.problem(p=mechanism.p)
        rates.append([problem.rate(0.0, state) for state in before][-1])
    assert constrained.dependent != [0, 1]  # the slider stands still there
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("formulation", ["partitioning", "projection"])
def test_a_change_point_is_passed_with_the_energy_kept(formulation: str) -> None:
    mechanism, guess = change_point_four_bar()
    x = Constrained(mechanism.functions, "projection").problem(p=mechanism.p).settle(0.0, guess)
    constrained, states = run(mechanism, x, formulation, 2.0)
    crank = states[:, 0]
    assert crank.max() - crank.min() > 2.0
    energies = [mechanism.energy(state) for state in states]
    np.testing.assert_allclose(energies, mechanism.energy(x), rtol=1e-6)
    assert constrained.statistics["largest_h"] <= 1e-12
    assert constrained.statistics["choices"] > 10


@pytest.mark.parametrize("sparse", [False, True])
def test_settling_moves_dependent_coordinates_only(sparse: bool) -> None:
    mechanism, guess = four_bar()
    constrained = Constrained(mechanism.functions, sparse=sparse)
    x = constrained.problem(p=mechanism.p).settle(0.0, guess)
    (free,) = set(range(3)) - set(constrained.dependent)
    assert x[free] == guess[free] and x[3 + free] == guess[3 + free]
    assert np.all(x[constrained.dependent] != guess[constrained.dependent])
    h, speed = mechanism.residuals(0.0, x)
    assert max(np.abs(h).max(), np.abs(speed).max()) <= 1e-12


def test_a_mechanism_may_have_no_rows_or_no_freedom_left() -> None:
    free, x = slides(0)
    held, _ = slides(2)
    for formulation in FORMULATIONS:
        _, states = run(free, x, formulation, 0.1)
        np.testing.assert_allclose(states[-1][:2], 0.1 * x[2:], rtol=1e-9)
        constrained, states = run(held, np.zeros(4), formulation, 0.1)
        np.testing.assert_allclose(states[-1], 0.0, atol=1e-12)
        assert constrained.dependent == [0, 1]


@pytest.mark.parametrize("formulation", ["partitioning", "projection", "augmented-lagrangian"])
def test_a_run_may_start_in_a_singular_position(formulation: str) -> None:
    mechanism, x = parallelogram(turn=0.0, speed=20.0)
    constrained, states = run(mechanism, x, formulation, 0.2)
    expected = solve_ivp(
        parallelogram_angle_rate, (0.0, 0.2), [0.0, 20.0], method="DOP853", rtol=1e-12, atol=1e-12
    ).y[:, -1]
    np.testing.assert_allclose(states[-1][[0, 4]], expected, rtol=1e-5)
    if formulation != "augmented-lagrangian":  # whose matrix is never singular
        assert constrained.statistics["singular"] > 0


def test_a_loop_that_cannot_close_is_counted_and_stays_finite() -> None:
    mechanism, x = rod_too_long()
    constrained = Constrained(mechanism.functions)
    settled = constrained.problem(p=mechanism.p).settle(0.0, x, accepted=True)
    assert np.isfinite(settled).all()
    assert constrained.statistics["not_converged"] > 0
    assert constrained.statistics["largest_h"] > 1.0


@pytest.mark.parametrize("formulation", ["partitioning", "multipliers", "baumgarte", "projection"])
def test_a_servo_constraint_finds_the_effort_that_keeps_it(formulation: str) -> None:
    """A uniform bar leans still on a cart when the cart's acceleration is −g cot(angle)."""
    mechanism, x = held_pole()
    constrained, states = run(mechanism, x, formulation, 0.5)
    acceleration = -G / np.tan(2.0)
    constrained.problem(p=mechanism.p).rate(0.0, x)
    np.testing.assert_allclose(constrained.multipliers, [4.0 * acceleration], rtol=1e-12)
    np.testing.assert_allclose(states[-1][0], acceleration * 0.5**2 / 2, rtol=1e-10)
    np.testing.assert_allclose(states[-1][1], 2.0, atol=1e-12)


@pytest.mark.parametrize("formulation", ["linear-implicit", "augmented-lagrangian"])
def test_implicit_formulations_refuse_servo_constraints(formulation: str) -> None:
    with pytest.raises(InputError, match="can't take servo-constraints"):
        Constrained(held_pole()[0].functions, formulation)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("kind", ["uneven", "redundant"])
def test_many_loops_move_alike_with_sparse_and_with_full_matrices(
    kind: str, formulation: str
) -> None:
    mechanism, x = assembled(row_of_four_bars(8, **{kind: True}))  # type: ignore[arg-type]
    full, expected = run(mechanism, x, formulation, 0.2, sparse=False)
    sparse, states = run(mechanism, x, formulation, 0.2, sparse=True)
    assert sparse.sparse and not full.sparse
    np.testing.assert_allclose(states[-1], expected[-1], atol=1e-8)
    assert sparse.redundant == full.redundant == (["rod"] if kind == "redundant" else [])
    if formulation in ("partitioning", "projection"):
        assert sparse.statistics["largest_h"] <= 1e-12
    if formulation != "linear-implicit":
        assert mechanism.energy(states[-1]) == pytest.approx(mechanism.energy(x), rel=1e-6)


def test_multipliers_of_the_sparse_way_are_those_of_the_full_one() -> None:
    mechanism, x = assembled(row_of_four_bars(8, uneven=True))
    found = []
    for sparse in (False, True):
        constrained = Constrained(mechanism.functions, sparse=sparse)
        constrained.problem(p=mechanism.p).rate(0.0, x)
        found.append(constrained.multipliers)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


def test_elimination_orders_put_multipliers_after_what_they_touch() -> None:
    """A star: 0 in the middle has the most neighbours, yet 4 must wait for it."""
    pairs = [(0, 1), (0, 2), (0, 3), (4, 0), (4, 1)]
    order = minimum_degree(5, pairs, {4: {0, 1}})
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert order[-1] == 4
    assert eliminate(pairs, order).value_index(4, 0) >= 5


def test_operations_of_elimination_grow_in_proportion_to_a_chain() -> None:
    counts = []
    for size in (100, 200):
        pairs = [(i, i + 1) for i in range(size - 1)] + [(i, i + 2) for i in range(size - 2)]
        counts.append(len(eliminate(pairs, minimum_degree(size, pairs)).targets))
    assert counts[1] < 2.1 * counts[0]
