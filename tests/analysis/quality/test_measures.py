"""What is measured agrees with theory: orders, drift, energy, and the error itself."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb
from quality_models import GRAVITY, OMEGA, looped_pendulum
from touchback.analysis.quality.quality_sweep import drift_growth


def order(quality: tb.Quality, label: str, what: str) -> float:
    """The slope of a measure over the step, in logarithms."""
    rows = [row for row in quality.of(label) if row.step]
    steps, values = [row.step for row in rows], [getattr(row, what) for row in rows]
    return float(np.polyfit(np.log(steps), np.log(values), 1)[0])


@pytest.mark.parametrize(("label", "expected"), [("rk4", 4), ("euler", 1)])
def test_methods_have_their_order(
    oscillator_quality: tb.Quality, label: str, expected: float
) -> None:
    """Euler's phase error, of order 2, still shows at these steps."""
    assert order(oscillator_quality, label, "error") == pytest.approx(expected, abs=0.2)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("partitioning rk4", 4),
        ("projection rk4", 4),
        ("multipliers rk4", 4),
        ("baumgarte rk4", 4),
        ("augmented-lagrangian", 2),
        ("linear-implicit", 1),
    ],
)
def test_formulations_have_their_order(
    loop_quality: tb.Quality, label: str, expected: float
) -> None:
    assert order(loop_quality, label, "error") == pytest.approx(expected, abs=0.3)


def test_the_error_of_rk4_on_an_oscillator_is_that_of_its_polynomial(
    oscillator_quality: tb.Quality,
) -> None:
    """A step multiplies q − i v/ω by 1 + z + z²/2 + z³/6 + z⁴/24 with z = i h ω."""
    for row in oscillator_quality.of("rk4"):
        z = 1j * row.step * OMEGA
        factor = 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24
        n = np.arange(row.steps + 1)
        exact = np.abs((factor**n).real - np.cos(OMEGA * row.step * n)).max()
        off = 1e-3 * exact + oscillator_quality.uncertainty  # not every step is looked at
        assert row.error == pytest.approx(exact, abs=off)


def test_the_error_of_a_loop_is_that_against_the_angle_of_a_pendulum(
    loop_quality: tb.Quality,
) -> None:
    """Another description (one angle), another integrator (SciPy's)."""
    system = looped_pendulum()
    start = system.assemble(x=0.6, guess={"z": -0.8})
    (row,) = [row for row in loop_quality.of("projection rk4") if row.step == 0.01]
    run = tb.simulate(
        system, start, 4.0, constraints="projection", method="rk4", step=0.01, progress=False
    )
    angle = solve_ivp(
        lambda t, y: [y[1], -GRAVITY * np.sin(y[0])], (0, 4), [np.arcsin(0.6), 0.0],
        method="DOP853", rtol=1e-13, atol=1e-14, t_eval=run.time,
    ).y[0]  # fmt: skip
    off = [np.abs(run["x"] - np.sin(angle)), np.abs(run["z"] + np.cos(angle))]
    assert row.error == pytest.approx(np.max(off), rel=1e-3)


def test_constraints_are_kept_in_the_order_of_the_theory(engine_quality: tb.Quality) -> None:
    """Nothing, Baumgarte, then those that solve for closure (Wang 2011, Fig. 1)."""
    drift = {label: engine_quality.of(label)[0].drift for label in engine_quality.labels}
    assert drift["multipliers rk4"] > 5 * drift["baumgarte rk4"] > 1e-9
    for label in ("partitioning rk4", "projection rk4", "partitioning dopri5"):
        assert drift[label] < 2e-13
    assert drift["augmented-lagrangian"] < 1e-10


def test_drift_grows_only_where_nothing_holds_it(loop_quality: tb.Quality) -> None:
    growths = {label: loop_quality.of(label)[0].growth for label in loop_quality.labels}
    assert growths["multipliers rk4"] > 0.8
    assert growths["baumgarte rk4"] < 0.3
    assert growths["partitioning rk4"] is None  # rounding


def test_the_linear_implicit_drift_is_bounded_by_a_square_of_the_step(
    loop_quality: tb.Quality,
) -> None:
    """|Φ| ≤ k hʳ with r ≥ 2, whatever the time (Wang 2011, section 4.1); Φ̇ is kept exactly."""
    assert order(loop_quality, "linear-implicit", "drift") > 1.9
    rows = loop_quality.of("linear-implicit")
    assert all(row.growth < 0.5 for row in rows)
    assert all(row.velocity_drift < 1e-11 for row in rows)


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_growth_is_the_power_of_time(power: float) -> None:
    times = np.linspace(0.0, 3.0, 301)
    drift = 1e-6 * times**power * (1.0 + 0.3 * np.sin(40 * times))
    assert drift_growth(times, drift) == pytest.approx(power, abs=0.1)


def test_the_relative_energy_error_of_rk4_is_that_of_its_amplitude(
    oscillator_quality: tb.Quality,
) -> None:
    """E is proportional to |R(i h ω)|²ⁿ, and the largest kinetic energy is E(0)."""
    for row in oscillator_quality.of("rk4"):
        z = 1j * row.step * OMEGA
        factor = abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24) ** (2 * row.steps)
        assert row.energy == pytest.approx(1 - factor, rel=1e-3, abs=1e-13)


def test_the_reference_knows_how_good_it_is(oscillator_quality: tb.Quality) -> None:
    assert 0.0 < oscillator_quality.uncertainty < 1e-10


def test_half_the_step_costs_more(engine_quality: tb.Quality) -> None:
    for label in ("partitioning rk4", "linear-implicit"):
        coarse, *_, fine = engine_quality.of(label)
        assert fine.load > 2.0 * coarse.load  # five times as many steps


def test_velocity_constraints_are_measured_too() -> None:
    m = tb.Model("sleigh", gravity=(0, 0, 0))
    sleigh = m.body("sleigh", mass=1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.joint("deck", tb.Planar("z"), m.ground, sleigh)
    m.close("blade", tb.Skate("y"), m.ground, sleigh)
    system = m.compile()
    start = system.assemble(rates={"deck.x": 1.0, "deck.turn": 1.0})
    chosen = ("partitioning", "multipliers")
    found = tb.quality(system, start, 2.0, steps=(0.02,), formulations=chosen, progress=False)
    assert found.of("partitioning rk4")[0].velocity_drift < 1e-12
    assert found.of("multipliers rk4")[0].velocity_drift > 1e-9
    assert found.conserved


def test_the_velocity_of_a_drive_counts_as_kept() -> None:
    """J v = b with b ≠ 0: the hinge turns as it is told."""
    m = tb.Model("driven arm")
    m.joint("hinge", tb.Revolute("y"), m.ground, m.body("arm", mass=1.0, com=(0.5, 0, 0)))
    m.drive("hinge", tb.Sine(0.5, 1.0))
    found = tb.quality(m.compile(), duration=1.0, steps=(0.01,), progress=False)
    assert found.of("partitioning rk4")[0].velocity_drift < 1e-12
