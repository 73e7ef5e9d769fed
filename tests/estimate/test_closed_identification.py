"""Parameters of mechanisms with closed loops from recorded runs: derivatives against differences,
and a slider-crank whose motion and fits SciPy makes from its own equation."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

import touchback as tb
from closed_examples import CRANK_MASS, ROD, ROD_MASS, bar, slider_crank_rate
from touchback.analysis.variation_integration import ClosedVariations, plan_steps
from touchback.simulate.input_signals import read_inputs

RADIUS, MASS, SPEED = 0.11, 0.7, 12.0  # m, kg, rad/s: what is to be found
TIMES = np.linspace(0.0, 0.4, 41)
NOISE = 0.01  # rad


@cache
def slider_crank() -> tb.System:
    """The mechanism of `slider_crank_rate`, whose crank and slider aren't known."""
    m = tb.Model("slider-crank")
    radius, mass = m.parameter("radius", 0.10, min=0.02), m.parameter("slider mass", 0.8, min=0.01)
    across = CRANK_MASS / 12 * radius**2
    crank = m.body("crank", CRANK_MASS, (radius / 2, 0, 0), (1e-4, across, across))
    rod = bar(m, "rod", ROD, ROD_MASS)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(radius, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, m.body("slider", mass), position=0.5)
    m.close("pin", tb.PointInPlane("xz"), rod.at(ROD, 0, 0), m.bodies["slider"].at(0, 0, 0))
    m.force("motor", tb.JointEffort("crank", m.input("torque", unit="N m")))
    m.sensor("pin force", tb.Reaction("pin"))
    return m.compile()


def swept(radius: float, mass: float, speed: float) -> np.ndarray:
    """The crank's angle from 0.3 rad on, by SciPy."""
    done = solve_ivp(
        slider_crank_rate(mass, radius), (0.0, TIMES[-1]), [0.3, speed], "DOP853", TIMES,
        rtol=1e-8, atol=1e-9,
    )  # fmt: skip
    return np.asarray(done.y[0])


def noisy(seed: int) -> np.ndarray:
    return _swept() + np.random.default_rng(seed).normal(0.0, NOISE, len(TIMES))


@cache
def _swept() -> np.ndarray:
    return swept(RADIUS, MASS, SPEED)


def fit(angle: np.ndarray, **options: Any) -> tb.estimate.Identification:
    """From a guess that is a tenth off."""
    system = slider_crank()
    wanted = {
        "parameters": ["radius", "slider mass"], "signals": ["crank"], "initial": ["crank rate"],
        "keep": ["crank"], "x0": system.assemble({"crank": 0.3}, {"crank": 11.0}), "step": 5e-3,
    }  # fmt: skip
    return tb.identify(system, tb.Run(TIMES, {"crank": angle}), **{**wanted, **options})


def test_derivatives_of_runs_of_loops_are_those_of_the_steps_from_where_they_close() -> None:
    """Of coarse steps too, and of the pin's force: central differences of the same runs, whose
    rod and slider begin elsewhere when the crank's radius differs."""
    system, times = slider_crank(), np.linspace(0.0, 0.2, 5)
    variations = ClosedVariations(system, ["radius"], ["crank", "crank rate"], [], True)
    given = read_inputs(system, {"torque": ([0.0, 0.2], [0.0, 2.0])}, 0.2)
    x0 = system.assemble({"crank": 0.3}, {"crank": 8.0}).x

    def follow(radius: float, crank: float, rate: float) -> Any:
        x = x0.copy()
        x[[0, 3]] = crank, rate
        own = {"radius": radius}
        plan = plan_steps(times, given, system, own, 0.02)
        return variations.follow(x, plan, given, own)

    at, e = np.array([RADIUS, 0.3, 8.0]), 1e-5
    found = follow(*at)
    np.testing.assert_allclose(found.values[0, 2], RADIUS * np.cos(0.3) + np.sqrt(
        ROD**2 - (RADIUS * np.sin(0.3)) ** 2), rtol=1e-9)  # fmt: skip
    for j, way in enumerate(np.eye(3) * e):
        difference = (follow(*(at + way)).values - follow(*(at - way)).values) / (2 * e)
        np.testing.assert_allclose(found.derivatives[:, :, j], difference, rtol=1e-6, atol=2e-6)


def test_a_slider_crank_is_found_as_scipy_finds_it_from_its_own_equation() -> None:
    """Least squares by differences of SciPy's solutions: values, errors and noise."""
    angle = noisy(0)
    theirs = least_squares(
        lambda p: swept(*p) - angle, [0.1, 0.8, 11.0], x_scale=[0.1, 1.0, 10.0], diff_step=1e-5
    )
    variance = 2 * theirs.cost / (len(TIMES) - 3)
    errors = np.sqrt(variance * np.diag(np.linalg.inv(theirs.jac.T @ theirs.jac)))
    ours = fit(angle)
    np.testing.assert_array_less(np.abs(ours.theta - theirs.x), 1e-3 * errors)
    np.testing.assert_allclose(list(ours.errors.values()), errors, rtol=1e-3)
    assert ours.noise["crank"] == pytest.approx(np.sqrt(variance), rel=1e-6)


def test_intervals_of_a_loop_hold_the_truth_as_often_as_they_say() -> None:
    """20 trials, three unknowns each: of a binomial count with 95 %, 0.03 % lie below 15 of 20."""
    held, truth = np.zeros(3, int), np.array([RADIUS, MASS, SPEED])
    for seed in range(20):
        low, high = np.array(list(fit(noisy(seed)).interval().values())).T
        held += (low <= truth) & (truth <= high)
    assert held.min() >= 15, held


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"initial": ["crank", "slider"]}, "'slider' follows from others.*independent are crank"),
        ({"keep": ["crnak"]}, "coordinate to keep 'crnak'.*crank"),
        ({"parameters": {"radius": 0.6}}, "isn't finite from 0 s on, or its constraints can't"),
    ],
)
def test_what_loops_dont_allow_is_refused(options: dict[str, Any], said: str) -> None:
    options = {"x0": slider_crank().assemble({"crank": 1.5}), **options}
    with pytest.raises(tb.TouchbackError, match=said):
        fit(noisy(0), **options)
