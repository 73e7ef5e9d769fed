"""Derivatives of rollouts: against complex steps of integrators on numbers, the transition matrix
of a linear oscillator, sums in closed form, and SciPy's integration of a loop's own equation."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import touchback as tb
from closed_examples import CRANK, CRANK_MASS, ROD, ROD_MASS, bar, slider_crank_rate
from complex_steps import STEP, ByNumbers, laws
from touchback.dynamics.forward_dynamics import configuration_rate, solve_accelerations
from touchback.errors import InputError, SolveError

Floats = np.ndarray


# ---- complex steps ------------------------------------------------------------------------------


class Steps:
    """Fixed steps over complex numbers, by recursions on numbers: no tape, no code."""

    def __init__(self, system: tb.System, h: float) -> None:
        self._numbers, self._h, self._sizes = ByNumbers(system), h, system.sizes
        self._names = list(system.parameters)

    def _rate(self, t: float, x: Floats, u: Floats, p: Floats) -> tuple[Any, list[Floats]]:
        nq, nv, _ = self._sizes
        q, v, z = np.split(x, [nq, nq + nv])
        at = self._numbers.instant(q, v, z, u, t, **dict(zip(self._names, p)))
        states = [at.value(state.rate) for state in at.model.states.values()]
        a = solve_accelerations(at, at.efforts(), "articulated")
        return at, [np.array(part) for part in (configuration_rate(at), a, states)]

    def euler(self, t: float, x: Floats, u: Floats, p: Floats) -> Floats:
        nq = self._sizes[0]
        _, (_, a, z_rate) = self._rate(t, x, u, p)
        after = x + self._h * np.concatenate([np.zeros(nq), a, z_rate])
        _, (turning, _, _) = self._rate(t, np.concatenate([x[:nq], after[nq:]]), u, p)
        return after + self._h * np.concatenate([turning, np.zeros(len(x) - nq)])

    def rk4(self, t: float, x: Floats, u: Floats, p: Floats) -> Floats:
        h, total, k = self._h, x.copy(), np.zeros_like(x)
        for at, share in ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6)):
            k = np.concatenate(self._rate(t + at * h, x + at * h * k, u, p)[1])
            total = total + share * h * k
        return total


@pytest.fixture(scope="module")
def lawful() -> tb.System:
    return laws().compile()


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_tangents_and_adjoints_are_complex_steps_of_the_steps(
    lawful: tb.System, method: str
) -> None:
    """With a ball joint, laws that depend on everything, and time: to 1e-12 of the largest."""
    steps, h, random = 4, 0.02, np.random.default_rng(5)
    rollout = tb.rollout(lawful, steps, step=h, method=method, start=0.3)
    x0 = np.concatenate([ByNumbers(lawful).q, ByNumbers(lawful).v, [0.4]])
    u, p = random.normal(size=(steps, 1)), np.array(list(lawful.parameters.values()))
    dx, du, dp = (random.normal(size=each.shape) for each in (x0, u, p))
    x, turn = x0 + 1j * STEP * dx, getattr(Steps(lawful, h), method)
    weights = random.normal(size=(steps + 1, len(x0)))
    cost = weights[0] @ dx
    for k in range(steps):
        x = turn(0.3 + k * h, x, u[k] + 1j * STEP * du[k], p + 1j * STEP * dp)
        cost += weights[k + 1] @ x.imag / STEP
    end, along = rollout.tangent(x0, u, p, along=(dx, du, dp))
    np.testing.assert_allclose(end, x.real, rtol=1e-11)
    np.testing.assert_allclose(along, x.imag / STEP, atol=1e-12 * np.abs(along).max())
    by_start, by_inputs, by_parameters = rollout.adjoint(weights, x0, u, p)
    found = by_start @ dx + np.sum(by_inputs * du) + by_parameters @ dp
    assert found == pytest.approx(cost, rel=1e-12)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_a_rollout_has_the_bits_of_a_run(lawful: tb.System, method: str) -> None:
    run = tb.simulate(lawful, None, 0.05, method=method, step=1e-3, progress=False)
    states = tb.rollout(lawful, 50, step=1e-3, method=method).states()
    for k, name in enumerate(lawful.state_names):
        np.testing.assert_array_equal(states[:, k], run[name])


# ---- closed forms -------------------------------------------------------------------------------


def oscillator() -> tb.System:
    """m ẍ + d ẋ + k x = 0."""
    m = tb.Model("oscillator")
    k = m.parameter("stiffness", 40.0, unit="N/m", min=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("mass", mass=2.0), spring=k, damping=0.5)
    return m.compile()


def test_the_transition_matrix_of_an_oscillator_is_the_exponential() -> None:
    """exp(A T), and by the stiffness the integral of exp(A (T − t)) B x: the exponential of the
    system that has x beside it. Steps of 1 ms leave (√20 h)⁴ T/120 of it, some 1e-12."""
    found = tb.rollout(oscillator(), 500, step=1e-3).jacobian([0.3, 0.1])
    A = np.array([[0.0, 1.0], [-20.0, -0.25]])
    both = np.block([[A, np.array([[0.0, 0.0], [-0.5, 0.0]])], [np.zeros((2, 2)), A]])
    wanted = expm(0.5 * both)
    np.testing.assert_allclose(found.x0, wanted[:2, :2], atol=3e-11)
    np.testing.assert_allclose(found.parameters[:, 0], wanted[:2, 2:] @ [0.3, 0.1], atol=1e-11)


def test_a_cost_along_the_way_and_at_the_end_has_the_gradient_of_its_sums() -> None:
    """A mass pushed by uₖ through step k: x_N = Σ uₖ h (T − tₖ − h/2)/m, with the cost
    x_N² + c ∫ u² dt, and u²/2 at the end; the classical Runge–Kutta method is exact here."""
    m = tb.Model("pushed")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("mass", mass=2.0))
    push, price = m.input("push", unit="N"), m.parameter("price", 0.3)
    m.force("push", tb.JointEffort("x", push))
    effort = m.state("effort", 0.0, rate=price * push * push)
    x = m.coordinate("x")
    system, steps, h = m.compile(), 40, 0.05
    u = np.random.default_rng(0).normal(size=steps)
    reach = h * (steps * h - (np.arange(steps) + 0.5) * h) / 2.0
    value, found = tb.rollout(system, steps, step=h).value_and_gradient(
        x * x + effort + 0.5 * push * push, inputs={"push": u}
    )
    assert value == pytest.approx((u @ reach) ** 2 + 0.3 * h * u @ u + 0.5 * u[-1] ** 2, rel=1e-13)
    wanted = 2.0 * (u @ reach) * reach + 0.6 * h * u
    wanted[-1] += u[-1]
    np.testing.assert_allclose(found.inputs[:, 0], wanted, rtol=1e-11)
    np.testing.assert_allclose(found.parameters, [h * u @ u], rtol=1e-13)
    np.testing.assert_allclose(found.x0, [2.0 * u @ reach, 2.0 * u @ reach * steps * h, 1.0])


def test_going_back_keeps_the_root_of_the_states() -> None:
    """Of 90 000 states of 16 bytes some 2 · 300 are kept; Python itself needs some memory too."""
    rollout = tb.rollout(oscillator(), 90_000, step=1e-5)
    rollout.adjoint([1.0, 0.0], [0.3, 0.1])
    tracemalloc.start()
    found = rollout.adjoint([1.0, 0.0], [0.3, 0.1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 90_000 * 16 / 10
    wanted = expm(0.9 * np.array([[0.0, 1.0], [-20.0, -0.25]]))[0]
    np.testing.assert_allclose(found.x0, wanted, atol=1e-10)


# ---- constraints --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crank() -> tb.System:
    """The mechanism of `slider_crank_rate`."""
    m = tb.Model("slider-crank", gravity=(0, 0, -9.81))
    turning, rod = bar(m, "crank", CRANK, CRANK_MASS), bar(m, "rod", ROD, ROD_MASS)
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, turning)
    m.joint("rod", tb.Revolute("y"), turning.at(CRANK, 0, 0), rod, position=-0.37)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.49)
    m.close("pin", tb.PointInPlane("xz"), rod.at(ROD, 0, 0), slider)
    return m.compile()


@pytest.mark.parametrize("of", ["angle", "rate"])
def test_a_loop_varies_as_its_own_equation_does(crank: tb.System, of: str) -> None:
    """Central differences of SciPy's solutions of the crank's equation, good to 1e-8, beside a
    variation along which the loop stays closed."""
    delta = 1e-4

    def closed(sign: float) -> np.ndarray:
        angle = 0.6 + sign * delta * (of == "angle")
        return crank.assemble({"crank": angle}, {"crank": 5.0 + sign * delta * (of == "rate")}).x

    def turned(sign: float) -> np.ndarray:
        y0 = [0.6 + sign * delta * (of == "angle"), 5.0 + sign * delta * (of == "rate")]
        found = solve_ivp(slider_crank_rate(), (0, 0.4), y0, "DOP853", rtol=1e-12, atol=1e-12)
        return found.y[:, -1]

    way = (closed(1.0) - closed(-1.0)) / (2 * delta)
    rollout = tb.rollout(crank, 800, step=5e-4, parameters=[])
    end, along = rollout.tangent(closed(0.0), along=(way, None, None))
    places = [crank.state_names.index(name) for name in ("crank", "crank rate")]
    wanted = (turned(1.0) - turned(-1.0)) / (2 * delta)
    np.testing.assert_allclose(end[places], turned(0.0), rtol=1e-9)
    np.testing.assert_allclose(along[places], wanted, rtol=1e-6)
    weight = np.random.default_rng(1).normal(size=len(end))
    assert rollout.adjoint(weight, closed(0.0)).x0 @ way == pytest.approx(weight @ along, rel=1e-9)


# ---- what is refused ----------------------------------------------------------------------------


def test_what_does_not_fit_is_refused_by_name(lawful: tb.System, crank: tb.System) -> None:
    rollout = tb.rollout(lawful, 3)
    for wrong, error, words in (
        (lambda: tb.rollout(lawful, 0), InputError, "steps"),
        (lambda: tb.rollout(lawful, 3, method="dopri5"), InputError, "rk4, euler.*dopri5"),
        (lambda: tb.rollout(lawful, 3, parameters=["mas"]), InputError, "mas.*mass"),
        (lambda: tb.rollout(lawful, 3, parameters=["mass"] * 2), InputError, "named twice"),
        (lambda: tb.rollout(lawful, 3, parameters=5), InputError, "parameters: names are expected"),
        (lambda: tb.rollout(5, 3), InputError, "tb.rollout: a compiled system is expected, got 5"),
        (lambda: tb.rollout(lawful, 3, constraints="baumgarte"), InputError, "no constraints"),
        (lambda: tb.rollout(crank, 3, constraints="partitioning"), InputError, "baumgarte"),
        (lambda: rollout.states(inputs={"pull": 1.0}), InputError, "pull.*push"),
        (lambda: rollout.states(inputs={"push": [1.0, 2.0]}), InputError, "push.*3"),
        (lambda: rollout.states(inputs=np.zeros((3, 2))), InputError, r"\(3, 1\)"),
        (lambda: rollout.states(parameters=[1.0]), InputError, "mass, stiffness"),
        (lambda: rollout.adjoint(np.zeros(3)), InputError, "weights"),
        (lambda: rollout.adjoint("x"), InputError, "weights: real numbers"),
        (lambda: rollout.tangent(along=None), InputError, "along: variations of x0, inputs"),
        (lambda: rollout.value_and_gradient("arms"), InputError, "arms.*arm"),
        (lambda: rollout.value_and_gradient(min), InputError, "cost: an expression of the model"),
        (lambda: tb.rollout(lawful, 10**9), InputError, "1000000000 rows of 1 numbers take 8 GB"),
        (lambda: tb.rollout(lawful, 10**7).states(), InputError, "10000001 rows of 12 .* √steps"),
        (lambda: rollout.states(inputs={"push": 1e200}), SolveError, "after step 0 of 3"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            wrong()
