"""Formulations of constrained motion in C, on mechanisms whose motion is known otherwise."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from closed_examples import (
    AMPLITUDE,
    FREQUENCY,
    SLOPE,
    G,
    driven_double_pendulum,
    driven_double_pendulum_rate,
    four_bar,
    free_pendulum,
    parallelogram,
    parallelogram_angle_rate,
    skate,
    slider_crank,
    slider_crank_rate,
    spatial_loop,
    spring_and_pin,
)
from closed_mechanisms import Mechanism
from touchback.errors import InputError
from touchback.native import FORMULATIONS, Constrained, Dopri5, FixedStep, Status

# Where classical Runge–Kutta serves, errors at 1 ms are some 1e-8 and fall with the fourth power.
ORDERS = dict.fromkeys(FORMULATIONS, 4) | {"linear-implicit": 1, "augmented-lagrangian": 2}
Pick = Callable[[np.ndarray], np.ndarray]


def exact(rate: Callable[[float, np.ndarray], np.ndarray], y0: list[float], t: float) -> np.ndarray:
    """An ordinary differential equation in independent coordinates, far below the errors here."""
    return solve_ivp(rate, (0.0, t), y0, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def assembled(made: tuple[Mechanism, np.ndarray]) -> tuple[Mechanism, np.ndarray]:
    mechanism, guess = made
    return mechanism, Constrained(mechanism.functions).problem(p=mechanism.p).settle(0.0, guess)


def run(
    mechanism: Mechanism, x: np.ndarray, formulation: str, duration: float, step: float
) -> tuple[Constrained, np.ndarray]:
    constrained = Constrained(mechanism.functions, formulation)
    method = constrained.stepper or "rk4"
    steps = FixedStep(constrained.problem(p=mechanism.p), method, x, 0.0, step)
    status, _ = steps.advance(round(duration / step), 10**9)
    assert status == Status.REACHED
    return constrained, steps.x


def slider_crank_case() -> tuple[Mechanism, np.ndarray, Pick, np.ndarray]:
    mechanism, x = assembled(slider_crank(stiff=True))
    return mechanism, x, lambda y: y[[0, 3]], exact(slider_crank_rate(), [x[0], x[3]], 1.0)


def free_pendulum_case() -> tuple[Mechanism, np.ndarray, Pick, np.ndarray]:
    mechanism, x = assembled(free_pendulum())
    angle = exact(lambda _t, y: np.array([y[1], 1.5 / 0.5 * G * np.cos(y[0])]), [0.6, 0.0], 1.0)
    return mechanism, x, lambda y: np.array([2 * np.arctan2(y[5], y[3]) - np.pi]), angle[:1]


def redundant_case() -> tuple[Mechanism, np.ndarray, Pick, np.ndarray]:
    mechanism, x = assembled(parallelogram())
    return mechanism, x, lambda y: y[[0, 4]], exact(parallelogram_angle_rate, [0.7, 0.0], 1.0)


def driven_case() -> tuple[Mechanism, np.ndarray, Pick, np.ndarray]:
    mechanism, x = driven_double_pendulum()
    expected = exact(driven_double_pendulum_rate, [1.0, 0.0], 1.0)
    return mechanism, x, lambda y: y[[1, 3]], expected


def skate_case(driven_twice: bool = False) -> tuple[Mechanism, np.ndarray, Pick, np.ndarray]:
    """On an incline a turning skate draws a cycloid (Neimark and Fufaev 1972, III.1)."""
    mechanism, x = skate(driven_twice)
    turn = 2.0  # rad/s, for 1 s
    scale = SLOPE / (2 * turn**2)
    expected = np.array([scale * np.sin(turn) ** 2, scale * (turn - np.sin(2 * turn) / 2), turn])
    return mechanism, x, lambda y: y[:3], expected


def quaternion_case() -> tuple[Mechanism, np.ndarray, Pick, np.ndarray]:
    """The rotation against the same mechanism under SciPy's DOP853."""
    mechanism, x = assembled(spatial_loop(as_free_body=False))
    problem = Constrained(mechanism.functions, "multipliers").problem(p=mechanism.p)

    def rotation(y: np.ndarray) -> np.ndarray:
        return y[:4] / np.linalg.norm(y[:4])

    return mechanism, x, rotation, rotation(exact(problem.rate, list(x), 1.0))


CASES = {
    "slider-crank": slider_crank_case,
    "free body on a ball": free_pendulum_case,
    "redundant parallelogram": redundant_case,
    "driven joint": driven_case,
    "skate": skate_case,
    "skate, driven twice": lambda: skate_case(driven_twice=True),
    "quaternions in a loop": quaternion_case,
}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("case", CASES)
def test_errors_fall_with_the_order_of_the_formulation(case: str, formulation: str) -> None:
    mechanism, x, pick, expected = CASES[case]()
    steps = (4e-3, 2e-3) if ORDERS[formulation] == 4 else (1e-3, 5e-4)
    errors = [
        np.abs(pick(run(mechanism, x, formulation, 1.0, step)[1]) - expected).max()
        for step in steps
    ]
    # 4 at 4 ms isn't asymptotic everywhere, and errors of the skate are near rounding.
    assert np.log2(errors[0] / errors[1]) > ORDERS[formulation] - 0.6 or errors[1] < 1e-11
    assert errors[1] < {4: 2e-6, 2: 1e-4, 1: 0.4}[ORDERS[formulation]]


@pytest.mark.parametrize("case", CASES)
def test_partitioning_keeps_constraints_to_1e_12_at_every_accepted_state(case: str) -> None:
    mechanism, x, _, _ = CASES[case]()
    constrained, y = run(mechanism, x, "partitioning", 1.0, 1e-3)
    h, speed = mechanism.residuals(1.0, y)
    assert constrained.statistics["largest_h"] <= 1e-12
    assert np.abs(h).max() <= 1e-12
    assert np.abs(speed).max() <= 1e-12
    assert constrained.statistics["not_converged"] == 0


@pytest.mark.parametrize("formulation", ["partitioning", "multipliers", "baumgarte", "projection"])
def test_energy_of_a_crank_rocker_is_kept_to_the_integrators_error(formulation: str) -> None:
    """Ten turns a second for 2 s: Runge–Kutta at 0.5 ms is good for 1e-8 of the energy."""
    mechanism, x = assembled(four_bar())
    _, y = run(mechanism, x, formulation, 2.0, 5e-4)
    assert mechanism.energy(y) == pytest.approx(mechanism.energy(x), rel=1e-7)


def test_drift_is_left_by_multipliers_bounded_by_baumgarte_and_removed_by_projection() -> None:
    mechanism, x = assembled(four_bar())
    drift = {
        formulation: run(mechanism, x, formulation, 5.0, 1e-3)[0].statistics["largest_h"]
        for formulation in ("multipliers", "baumgarte", "projection", "augmented-lagrangian")
    }
    assert drift["multipliers"] > 10 * drift["baumgarte"] > 1e3 * drift["projection"]
    assert drift["projection"] <= 1e-12
    assert drift["augmented-lagrangian"] <= 1e-10


def test_baumgarte_lets_an_error_die_as_its_critically_damped_equation_says() -> None:
    """ë + 2α ė + β² e = 0 with α = β = 20: e = e₀ (1 + αt) e^(−αt)."""
    mechanism, x = driven_double_pendulum()
    x[0] += 1e-3
    _, y = run(mechanism, x, "baumgarte", 0.1, 1e-3)
    assert mechanism.residuals(0.1, y)[0][0] == pytest.approx(1e-3 * 3 * np.exp(-2), rel=1e-6)


@pytest.mark.parametrize("stiffness", [200.0, 2e8])
def test_implicit_steps_take_a_stiff_spring_as_implicit_euler_and_trapezoid_do(
    stiffness: float,
) -> None:
    """On a linear spring both are exact formulas; at 1e4 rad/s explicit steps of 1 ms diverge."""
    mechanism, x = spring_and_pin(stiffness)
    h, square = 1e-3, stiffness / 2.0
    _, y = run(mechanism, x, "linear-implicit", h, h)
    v = (x[2] - h * square * x[0]) / (1 + h**2 * square)
    np.testing.assert_allclose(y, [x[0] + h * v, 0.0, v, 0.0], rtol=1e-12)
    _, y = run(mechanism, x, "augmented-lagrangian", h, h)
    q = ((1 - h**2 * square / 4) * x[0] + h * x[2]) / (1 + h**2 * square / 4)
    np.testing.assert_allclose(y, [q, 0.0, 2 / h * (q - x[0]) - x[2], 0.0], rtol=1e-9, atol=1e-15)


def test_the_augmented_lagrangian_projects_velocities() -> None:
    mechanism, x = assembled(four_bar())
    _, y = run(mechanism, x, "augmented-lagrangian", 0.5, 1e-3)
    assert np.abs(mechanism.residuals(0.5, y)[1]).max() <= 1e-9


def test_linear_implicit_steps_keep_velocities_exactly_and_bound_the_drift() -> None:
    """Wang's bound |h| ≤ k hʳ, r ≥ 2, whatever the duration."""
    mechanism, x = assembled(slider_crank(stiff=True))
    drift = {
        (duration, step): run(mechanism, x, "linear-implicit", duration, step)
        for duration in (1.0, 4.0)
        for step in (2e-3, 1e-3)
    }
    largest = {key: constrained.statistics["largest_h"] for key, (constrained, _) in drift.items()}
    assert largest[4.0, 1e-3] <= 1.01 * largest[1.0, 1e-3]
    assert np.log2(largest[1.0, 2e-3] / largest[1.0, 1e-3]) > 2
    for (duration, _), (_, y) in drift.items():
        assert np.abs(mechanism.residuals(duration, y)[1]).max() <= 1e-12


def test_the_same_mechanism_as_joints_and_as_a_free_body_moves_alike() -> None:
    joints, x = assembled(spatial_loop(as_free_body=False))
    free, _ = spatial_loop(as_free_body=True)
    y = np.concatenate([np.zeros(3), x[:4], np.zeros(3), x[4:]])
    _, x_end = run(joints, x, "partitioning", 1.0, 5e-4)
    _, y_end = run(free, y, "partitioning", 1.0, 5e-4)
    np.testing.assert_allclose(y_end[3:7], x_end[:4], atol=1e-10)
    np.testing.assert_allclose(y_end[10:], x_end[4:], atol=1e-9)


def test_the_multiplier_of_a_drive_is_the_effort_that_it_needs() -> None:
    """Power of the drive is the change of energy: λ q̇₁ = dE/dt."""
    mechanism, x = driven_double_pendulum()
    constrained = Constrained(mechanism.functions)
    problem = constrained.problem(p=mechanism.p)
    steps = FixedStep(problem, "rk4", x, 0.0, 1e-3)
    steps.advance(200)
    problem.rate(steps.t, steps.x)
    power = constrained.multipliers[0] * AMPLITUDE * FREQUENCY * np.cos(FREQUENCY * steps.t)
    before, after = (
        mechanism.energy(FixedStep(problem, "rk4", steps.x, steps.t, step).advance(1)[1][0])
        for step in (-1e-4, 1e-4)
    )
    assert (after - before) / 2e-4 == pytest.approx(power, rel=1e-6)


def test_dopri5_is_projected_at_steps_and_at_interpolated_times() -> None:
    mechanism, x = assembled(slider_crank())
    expected = exact(slider_crank_rate(), [x[0], x[3]], 1.0)
    for formulation in ("partitioning", "projection"):
        constrained = Constrained(mechanism.functions, formulation)
        times = np.linspace(0.0101, 1.0, 99)
        steps = Dopri5(
            constrained.problem(p=mechanism.p), x, 0.0, 1.0, times, rtol=1e-10, atol=1e-12
        )
        assert steps.advance(10**6) == Status.REACHED
        np.testing.assert_allclose(steps.record[-1][[0, 3]], expected, atol=1e-7)
        for t, row in zip(times, steps.record):
            h, speed = mechanism.residuals(t, row)
            assert max(np.abs(h).max(), np.abs(speed).max()) <= 1e-12


def test_scipys_solvers_take_the_rate_and_settle_afterwards() -> None:
    mechanism, x = assembled(slider_crank())
    problem = Constrained(mechanism.functions).problem(p=mechanism.p)
    y = solve_ivp(problem.rate, (0.0, 1.0), x, method="Radau", rtol=1e-9, atol=1e-11).y[:, -1]
    settled = problem.settle(1.0, y)
    expected = exact(slider_crank_rate(), [x[0], x[3]], 1.0)
    np.testing.assert_allclose(settled[[0, 3]], expected, atol=1e-5)
    assert np.abs(mechanism.residuals(1.0, settled)[0]).max() <= 1e-12


def test_chunks_give_the_bits_of_one_long_run() -> None:
    mechanism, x = assembled(four_bar(stiff=True))
    for formulation in FORMULATIONS:
        whole = run(mechanism, x, formulation, 0.1, 1e-3)[1]
        constrained = Constrained(mechanism.functions, formulation)
        method = constrained.stepper or "rk4"
        steps = FixedStep(constrained.problem(p=mechanism.p), method, x, 0.0, 1e-3)
        for count in (1, 30, 69):
            steps.advance(count)
        np.testing.assert_array_equal(steps.x, whole)


def test_newton_counts_are_logged_and_a_crank_at_3000_rpm_needs_few() -> None:
    """0.3 rad a step; the integrator's extrapolation is the start."""
    mechanism, x = assembled(slider_crank(speed=314.0))
    constrained, y = run(mechanism, x, "partitioning", 0.2, 1e-3)
    counts = constrained.statistics
    assert counts["not_converged"] == 0
    assert 1 <= counts["iterations_most"] <= 5
    assert counts["solves"] > 4 * 200 * 0.9
    assert np.abs(mechanism.residuals(0.2, y)[0]).max() <= 1e-12


def test_redundant_rows_and_dependent_freedoms_are_named() -> None:
    mechanism, x = parallelogram()
    constrained, _ = run(mechanism, x, "partitioning", 0.1, 1e-3)
    assert len(constrained.redundant) == 1
    assert constrained.redundant[0] in mechanism.functions.names
    assert len(constrained.dependent) == 3


def test_unknown_formulations_and_mismatched_steps_are_refused() -> None:
    mechanism, x = assembled(slider_crank())
    with pytest.raises(InputError, match="no formulation 'springs'; there are partitioning"):
        Constrained(mechanism.functions, "springs")
    problem = Constrained(mechanism.functions, "linear-implicit").problem(p=mechanism.p)
    with pytest.raises(InputError, match="go together"):
        FixedStep(problem, "rk4", x, 0.0, 1e-3)
    with pytest.raises(InputError, match="go together"):
        Dopri5(problem, x, 0.0, 1.0, [1.0])
    problem = Constrained(mechanism.functions).problem(p=mechanism.p)
    with pytest.raises(InputError, match="go together"):
        FixedStep(problem, "augmented-lagrangian", x, 0.0, 1e-3)
