"""Stiff models: problems of the literature, springs so stiff that they are rigid, other solvers."""

import numpy as np
import pytest

import touchback as tb
from random_mechanisms import random_mechanism
from stiff_problems import ROBERTSON_AT_1E11, VAN_DER_POL_AT_2, robertson, van_der_pol

LENGTH = 0.7


def sprung_pendulum(stiffness: float, live: bool = False) -> tb.Model:
    """A point on a spring of the pendulum's length, damped along the spring."""
    m = tb.Model("sprung pendulum")
    arm, bob = m.body("arm"), m.body("bob", mass=1.0)
    damping = 2.0 * np.sqrt(stiffness)
    spring = m.parameter("stiffness", 1.0) if live else stiffness
    m.joint("angle", tb.Revolute("y"), m.ground, arm)
    m.joint("stretch", tb.Prismatic("z"), arm.at(0, 0, -LENGTH), bob,
            spring=spring, damping=damping)  # fmt: skip
    return m


def end_of(system: tb.System, duration: float, x0: object = None, **options: object) -> np.ndarray:
    run = tb.simulate(system, x0, duration, progress=False, **options)  # type: ignore[arg-type]
    return np.array([run[name][-1] for name in system.state_names])


def test_van_der_pols_oscillator_follows_the_test_set() -> None:
    system = van_der_pol().compile()
    x = end_of(system, 2.0, method="radau5", rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(x, VAN_DER_POL_AT_2, rtol=1e-8)


def test_robertsons_reactions_follow_the_test_set_over_eleven_decades() -> None:
    system = robertson().compile()
    run = tb.simulate(
        system, None, 1e11, method="radau5", rtol=1e-9, atol=1e-20, output_step=1e11, progress=False
    )
    x = [run[name][-1] for name in system.state_names]
    np.testing.assert_allclose(x, ROBERTSON_AT_1E11, rtol=1e-7)
    assert run.metadata["statistics"]["accepted"] < 2000


@pytest.mark.parametrize("peer", ["Radau", "BDF"])
def test_radau5_agrees_with_scipy_on_a_stiff_mechanism(peer: str) -> None:
    system = sprung_pendulum(1e6).compile()
    x0 = [1.0, 0.0, 0.0, 0.0]
    ours = end_of(system, 0.5, x0, method="radau5", rtol=1e-10, atol=1e-12)
    theirs = end_of(system, 0.5, x0, method=peer, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-8)


def test_a_pendulum_on_a_very_stiff_spring_is_a_pendulum() -> None:
    """The spring gives way by about m (g + l ω²)/k, some 3e-9 m here, and the motion by as much."""
    stiff = sprung_pendulum(1e10).compile()
    rigid = tb.Model("pendulum")
    rigid.joint(
        "angle", tb.Revolute("y"), rigid.ground, rigid.body("bob", mass=1.0, com=(0, 0, -LENGTH))
    )
    run = tb.simulate(
        stiff, [1.0, 0.0, 0.0, 0.0], 2.0, method="radau5", rtol=1e-9, atol=1e-12, progress=False
    )
    reference = tb.simulate(
        rigid.compile(), [1.0, 0.0], 2.0, rtol=1e-11, atol=1e-13, progress=False
    )
    np.testing.assert_allclose(run["angle"][-1], reference["angle"][-1], atol=1e-7)
    # The spring's time is 1e-5 s: dopri5 would need more than 2e5 steps.
    assert run.metadata["statistics"]["accepted"] < 2000


def test_live_parameters_reach_the_jacobian() -> None:
    """Newton's method needs no more iterations with them than with numbers in their place."""
    options = {"method": "trapezoidal", "step": 1e-3, "progress": False}
    x0 = [1.0, 0.0, 0.0, 0.0]
    fixed = tb.simulate(sprung_pendulum(1e6).compile(), x0, 0.2, **options)  # type: ignore[arg-type]
    live = sprung_pendulum(1e6, live=True).compile()
    changed = tb.simulate(live, x0, 0.2, parameters={"stiffness": 1e6}, **options)  # type: ignore[arg-type]
    counts = [run.metadata["statistics"]["iterations"] for run in (fixed, changed)]
    assert counts[0] == counts[1]
    np.testing.assert_allclose(fixed["angle"], changed["angle"], atol=1e-9)


@pytest.mark.parametrize(("method", "order"), [("implicit-euler", 1), ("trapezoidal", 2)])
def test_implicit_rules_reach_the_same_motion(method: str, order: int) -> None:
    system = sprung_pendulum(1e6).compile()
    x0 = [1.0, 0.0, 0.0, 0.0]
    exact = end_of(system, 0.4, x0, method="radau5", rtol=1e-10, atol=1e-12)
    errors = [
        abs(end_of(system, 0.4, x0, method=method, step=step)[0] - exact[0])
        for step in (2e-3, 1e-3)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("seed", range(3))
def test_the_jacobian_of_a_rate_is_its_derivative(seed: int) -> None:
    """Free and spherical joints too: central differences of the compiled rate."""
    system = random_mechanism(seed).model().compile()
    nq, nv, _ = system.sizes
    start = system.initial_state()
    rng = np.random.default_rng(seed)
    x = start.x + 0.1 * rng.standard_normal(len(start.x))

    def rate(at: np.ndarray) -> np.ndarray:
        return system.state_rate(at[:nq], at[nq : nq + nv], z=at[nq + nv :])

    function, block = system.rate_jacobian()
    assert function is not None
    from touchback.native import evaluate_rows

    u = np.append(0.0, system.input_defaults)
    J = evaluate_rows(
        function.address, x[None, :], u[None, :], block, len(x) ** 2, function.work_size,
        function.context_address,
    ).reshape(len(x), len(x))  # fmt: skip
    h = 1e-6
    expected = np.array([(rate(x + h * e) - rate(x - h * e)) / (2 * h) for e in np.eye(len(x))]).T
    np.testing.assert_allclose(J, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_a_closed_loop_runs_with_radau5_as_with_dopri5() -> None:
    m = tb.Model("crank-rocker")
    links = {"crank": 0.1, "coupler": 0.4, "rocker": 0.3}
    bodies = {
        name: m.body(
            name, mass=1.0, com=(size / 2, 0, 0), inertia=(1e-4, size**2 / 12, size**2 / 12)
        )
        for name, size in links.items()
    }
    m.joint("crank", tb.Revolute("y"), m.ground, bodies["crank"], position=0.3)
    m.joint(
        "coupler", tb.Revolute("y"), bodies["crank"].at(0.1, 0, 0), bodies["coupler"], position=-1.2
    )
    m.joint("rocker", tb.Revolute("y"), m.ground.at(0.35, 0, 0), bodies["rocker"], position=-1.5)
    m.close(
        "pin",
        tb.PointInPlane("xz"),
        bodies["coupler"].at(0.4, 0, 0),
        bodies["rocker"].at(0.3, 0, 0),
    )
    system = m.compile()
    x0 = system.assemble(crank=0.3, rates={"crank": 10.0})
    ends = [
        end_of(system, 0.5, x0, method=method, rtol=1e-9, atol=1e-11)
        for method in ("dopri5", "radau5")
    ]
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)


@pytest.mark.parametrize("method", ["radau5", "implicit-euler", "Radau"])
def test_a_body_falls_from_rest_through_air(method: str) -> None:
    """Speed vₜ tanh(g t/vₜ), with vₜ² = 2 m g/(ρ c A): |u| u is smooth at rest."""
    m = tb.Model("fall")
    ball = m.body("ball", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("flight", tb.Free(), m.ground, ball)
    m.force("air", tb.Drag(ball, area=0.1, coefficient=0.8, density=1.2))
    run = tb.simulate(m.compile(), None, 2.0, method=method, progress=False)
    limit = np.sqrt(2 * 0.5 * 9.81 / (1.2 * 0.8 * 0.1))
    expected = -limit * np.tanh(9.81 * run.time / limit)
    error = 1e-2 if method == "implicit-euler" else 1e-6  # whose steps are of order 1
    np.testing.assert_allclose(run["flight.vz"], expected, atol=error)
    if method == "radau5":
        assert run.metadata["statistics"]["accepted"] < 60


def test_a_step_that_newton_cannot_solve_says_so() -> None:
    m = tb.Model("blow-up")
    m.state("z", 1.0, rate=lambda z: z * z)
    with pytest.raises(tb.SolveError, match=r"Newton's method found no solution.*shorter step"):
        tb.simulate(m.compile(), None, 1.0, method="implicit-euler", step=0.3, progress=False)
