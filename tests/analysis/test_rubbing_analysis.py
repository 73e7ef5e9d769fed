"""Analyses of mechanisms whose constraints rub, pushing or pulling, against closed forms."""

import numpy as np
import pytest

import touchback as tb
from rubbing_models import hoop

G, MU = 9.81, 0.3
SIGNS = pytest.mark.parametrize("sign", [1.0, -1.0])


def bead(sign: float) -> tb.System:
    """A bead on a hoop of 1 m without weight, slowed as θ̈ = −μ θ̇²."""
    m = hoop(sign)
    m.sensor("force", tb.Multiplier("hoop"))
    return m.compile()


def block(sign: float, belt: float = 0.0, spring: float = 0.0) -> tb.System:
    """A block of 2 kg on a level floor."""
    m = tb.Model("block")
    m.body("carriage", mass=0.0)
    m.body("block", mass=2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, "carriage", spring=spring)
    m.joint("z", tb.Prismatic("z"), "carriage", "block")
    slides = m.rate("x") - belt
    m.constrain("floor", sign * m.coordinate("z"), friction=MU, slides=slides, slip_speed=1e-6)
    return m.compile()


@SIGNS
def test_a_linear_model_knows_the_friction_of_its_own_forces(sign: float) -> None:
    """y = sin θ at θ = 0: ÿ = −μ θ̇², ∂ÿ/∂y = −θ̇², ∂ÿ/∂ẏ = −2 μ θ̇."""
    system = bead(sign)
    linear = tb.linearise(system, system.assemble(rates={"y": 2.0}, x=1.0), keep=("y",))
    np.testing.assert_allclose(linear.rates, [2.0, -4.0 * MU], rtol=1e-9)
    np.testing.assert_allclose(linear.A, [[0.0, 1.0], [-4.0, -4.0 * MU]], rtol=1e-9, atol=1e-9)


@SIGNS
def test_the_sensitivity_to_the_coefficient_is_that_of_the_capstan(sign: float) -> None:
    """θ = ln(1 + μ v₀ t)/μ, and the force m θ̇²."""
    system = bead(sign)
    start = system.assemble(rates={"y": 2.0}, x=1.0)
    found = tb.sensitivity(system, start, 1.0, parameters=["mu"], outputs=["y", "force"])
    t = found.time
    grown = 1.0 + MU * 2.0 * t
    angle = np.log(grown) / MU
    by_mu = (2.0 * t / grown - angle) / MU
    np.testing.assert_allclose(found["y", "mu"], np.cos(angle) * by_mu, atol=1e-7)
    by_mu = -2.0 * 0.1 * 4.0 * 2.0 * t / grown**3  # of m v₀²/(1 + μ v₀ t)²
    np.testing.assert_allclose(found["force", "mu"], -sign * by_mu, atol=1e-7)


@SIGNS
def test_efforts_of_a_motion_overcome_friction(sign: float) -> None:
    """F = m ẍ + μ m g sign(ẋ), also where the block has no acceleration."""
    system, times = block(sign), np.linspace(0.0, 0.4, 8)
    run = tb.inverse_dynamics(system, {"x": tb.Sine(amplitude=0.1, frequency=1.0)}, times)
    turn = 2.0 * np.pi
    expected = -2.0 * 0.1 * turn**2 * np.sin(turn * times)
    expected += MU * 2.0 * G * np.sign(np.cos(turn * times))
    np.testing.assert_allclose(run["x effort"], expected, rtol=1e-9)
    np.testing.assert_allclose(run["floor multiplier"], sign * 2.0 * G, rtol=1e-12)
    assert run.metadata["largest residual"] < 1e-9


@SIGNS
def test_a_block_held_on_a_belt_rests_where_its_spring_bears_the_friction(sign: float) -> None:
    found = tb.equilibrium(block(sign, belt=1.0, spring=100.0))
    assert found.state.q[0] == pytest.approx(MU * 2.0 * G / 100.0, rel=1e-9)
    assert found.multipliers["floor"] == pytest.approx(sign * 2.0 * G)
