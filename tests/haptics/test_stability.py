"""Jury's conditions against eigenvalues; edges of stability against closed forms and runs."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from studies.wall.findings import edges_agree
from touchback.errors import InputError, SolveError
from touchback.haptics.wall import (
    Device,
    Finger,
    Oscillator,
    alpha_edges,
    characteristic_polynomial,
    colgate_damping,
    critical_stiffness,
    jury_conditions,
    jury_margin,
    loop_margin,
    loop_matrix,
    stabilising_damping,
)
from touchback.haptics.wall.stability_limits import printed_damping


@given(st.lists(st.floats(-1.6, 1.6), min_size=2, max_size=5))
def test_jury_and_the_roots_agree_for_any_order(coefficients: list[float]) -> None:
    polynomial = [1.0, *coefficients]
    radius = np.abs(np.roots(polynomial)).max()
    if abs(radius - 1.0) > 1e-6:
        assert (jury_margin(polynomial) > 0.0) == (radius < 1.0)


def test_order_two_has_three_conditions_and_order_four_has_five() -> None:
    assert len(jury_conditions([1.0, 0.1, 0.2])) == 3
    assert len(jury_conditions([1.0, 0.1, 0.2, 0.1, 0.05])) == 5


@given(st.integers(0, 10_000))
def test_the_characteristic_polynomial_needs_no_eigenvalues(seed: int) -> None:
    matrix = np.random.default_rng(seed).normal(size=(4, 4))
    assert characteristic_polynomial(matrix) == pytest.approx(np.poly(matrix), abs=1e-11)


def test_the_loop_without_a_finger_is_eq_6_4() -> None:
    m, b, K, T = 0.3, 12.0, 5000.0, 0.004
    a, c = b / m, K / (b / m * b)
    e = np.exp(-a * T)
    printed = [1.0, c * a * T - (c + 1) + (c - 1) * e, c - (c - 1) * e - c * a * T * e]
    found = characteristic_polynomial(loop_matrix(Oscillator(m, b), (K, 0.0), T))
    assert found == pytest.approx(printed, abs=1e-13)


def test_the_loop_with_a_finger_is_eq_6_12_with_6_11_mended() -> None:
    M, c, k, K, T = 0.32, 8.0, 257.0, 5000.0, 0.01
    a = c / (2 * M)
    w = np.sqrt(k / M - a * a)
    e, cos, sin = np.exp(-a * T), np.cos(w * T), np.sin(w * T)
    A = 1 - e * cos - a / w * e * sin
    B = e**2 + a / w * e * sin - e * cos
    printed = [1.0, K / k * A - 2 * e * cos, K / k * B + e**2]
    found = characteristic_polynomial(loop_matrix(Oscillator(M, c, k), (K, 0.0), T))
    assert found == pytest.approx(printed, abs=1e-13)


@pytest.mark.parametrize(
    ("m", "b", "T", "expected"),
    [
        (0.1, 1.0, 1e-3, 2003.34),
        (0.1, 1.0, 2.5e-4, 8003.33),
        (0.01, 5.0, 1e-3, 10905.0),
        (0.3, 111.553542, 0.05, 5000.0),  # through z = −1
    ],
)
def test_critical_stiffness_has_its_closed_form(
    m: float, b: float, T: float, expected: float
) -> None:
    found = critical_stiffness(Device(m, b), T)
    assert found == pytest.approx(expected, rel=1e-5)
    radius = np.abs(np.linalg.eigvals(loop_matrix(Oscillator(m, b), (found, 0.0), T))).max()
    assert radius == pytest.approx(1.0, abs=1e-12)


@given(st.floats(0.05, 30.0))
def test_the_edge_of_alpha_is_where_the_spectral_radius_is_one(tau: float) -> None:
    m, T = 1.0, 1.0
    K = min(alpha_edges(tau)) * tau
    radius = np.abs(np.linalg.eigvals(loop_matrix(Oscillator(m, tau), (K, 0.0), T))).max()
    assert radius == pytest.approx(1.0, abs=1e-9)


@given(st.floats(0.05, 30.0))
def test_passive_walls_are_stable(tau: float) -> None:
    assert min(alpha_edges(tau)) > 2.0  # Colgate's bound in α


@given(st.floats(0.2, 3.0))
def test_the_first_edge_solves_the_mended_eq_6_7(tau: float) -> None:
    alpha, _ = alpha_edges(tau)
    assert np.exp(tau) == pytest.approx(1.0 - alpha / (1.0 - alpha / tau), rel=1e-9)


def test_the_last_coefficient_alone_is_not_enough() -> None:
    # K = 5000 N/m, m = 0.3 kg, T = 50 ms: a root leaves through z = −1 long before.
    m, K, T = 0.3, 5000.0, 0.05
    alone, edge = printed_damping(K, m, T), stabilising_damping(K, m, T)
    assert alone == pytest.approx(38.5, abs=0.05)
    # e^−τ is below 1e-8 here, which makes p(−1) = 0 the quadratic 2b² − KT b + 2Km = 0.
    by_hand = (K * T + np.sqrt((K * T) ** 2 - 16.0 * K * m)) / 4.0
    assert edge == pytest.approx(by_hand, rel=1e-6)
    inside = np.abs(np.linalg.eigvals(loop_matrix(Oscillator(m, alone + 1), (K, 0.0), T))).max()
    assert inside > 1.5
    conditions = jury_conditions(
        characteristic_polynomial(loop_matrix(Oscillator(m, 60.0), (K, 0.0), T))
    )
    assert [name for name, margin in conditions.items() if margin < 0] == ["(−1)ⁿ p(−1) > 0"]


@pytest.mark.soak  # `touchback wall edges` says the same, and is tested
def test_formula_and_simulation_agree_to_a_millionth() -> None:
    findings = list(edges_agree())
    assert len(findings) == 7
    assert [found.what for found in findings if not found.holds] == []


def test_a_finger_lets_the_device_push_at_short_periods() -> None:
    assert stabilising_damping(5000.0, 0.3, 2e-4, Finger()) < 0.0


@pytest.mark.parametrize("finger", [None, Finger()])
def test_a_delay_asks_for_more_damping(finger: Finger | None) -> None:
    edges = [
        stabilising_damping(5000.0, 0.3, 1e-3, finger, delay=share * 1e-3)
        for share in (0.0, 0.5, 1.0)
    ]
    assert edges[0] < edges[1] < edges[2]
    # A delay of a sample adds about KT to the KT/2 of the hold.
    assert edges[2] - edges[0] == pytest.approx(5.0, rel=0.05)


@pytest.mark.parametrize("velocity", ["sensed", "differentiated"])
@pytest.mark.parametrize("delay", [0.0, 0.3, 1.0])
def test_loops_of_any_order_agree_with_their_eigenvalues(velocity: str, delay: float) -> None:
    T, seen = 1e-3, set()
    for b in np.geomspace(0.05, 50.0, 25):
        plant = Oscillator(0.3, float(b), 257.0)
        options = {"velocity": velocity, "delay": delay * T}
        matrix = loop_matrix(plant, (8000.0, 1.5), T, **options)  # type: ignore[arg-type]
        stable = bool(np.abs(np.linalg.eigvals(matrix)).max() < 1.0)
        margin = loop_margin(plant, (8000.0, 1.5), T, **options)  # type: ignore[arg-type]
        assert (margin > 0.0) == stable
        seen.add(stable)
    assert seen == {True, False}


def test_colgates_bound_counts_the_walls_damping_against_it() -> None:
    assert colgate_damping(2000.0, -0.5, 1e-3) == pytest.approx(1.5)


def test_a_wall_without_an_edge_says_so() -> None:
    with pytest.raises(SolveError, match="No edge of stability"):
        stabilising_damping(0.01, 10.0, 1e-5, wall_damping=1.0)


def test_a_device_without_damping_bears_no_sampled_spring() -> None:
    """α = KT/b tends to 2, Colgate's bound, as b does to nothing."""
    assert critical_stiffness(Device(0.3, 0.0), 1e-3) == 0.0
    assert critical_stiffness(Device(0.3, 1e-15), 1e-3) == pytest.approx(2e-12, rel=1e-9)
    below, above = (alpha_edges(tau)[0] for tau in (0.999e-4, 1.001e-4))
    assert above - below == pytest.approx(0.002e-4 / 3.0, rel=1e-3)


def test_a_delay_is_any_number_within_the_period() -> None:
    due = stabilising_damping(5000, 0.3, 1e-3, delay=0.0005)
    assert stabilising_damping(5000, 0.3, 1e-3, delay=np.float64(0.0005)) == due
    with pytest.raises(InputError, match=r"delay of 0.002 s doesn't fit a period of 0.001 s"):
        stabilising_damping(5000, 0.3, 1e-3, delay=0.002)
