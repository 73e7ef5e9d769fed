"""Frequencies, damping and shapes of modes against closed forms and energy."""

from typing import Any

import numpy as np
import pytest

import touchback as tb

G = 9.81


def test_a_double_pendulum_has_its_two_frequencies() -> None:
    """ω² = (2 ∓ √2) g/l for equal point masses and lengths, absolute angles 1 : ±√2."""
    m = tb.Model("double pendulum")
    upper, lower = (m.body(name, mass=1.0, com=(0, 0, -1.0)) for name in ("upper", "lower"))
    m.joint("upper", tb.Revolute("y"), m.ground, upper)
    m.joint("lower", tb.Revolute("y"), upper.at(0, 0, -1.0), lower)
    found = tb.vibrations(m.compile())
    wanted = np.sqrt((2 + np.sqrt(2) * np.array([-1, 1])) * G) / (2 * np.pi)
    assert np.allclose(found.frequencies, wanted, rtol=1e-9)
    for mode, absolute in zip(found, (np.sqrt(2), -np.sqrt(2))):
        ratio = mode.shape["lower"] / mode.shape["upper"]
        assert ratio == pytest.approx(absolute - 1.0, rel=1e-8)


def test_a_loop_swings_as_its_energy_says(four_bar: Any) -> None:
    """ω² = V″/m(θ) with T = m(θ) θ̇²/2, by differences of the energies of assembled states."""
    start = four_bar.assemble(crank=1.2, guess={"coupler": -2.0, "rocker": -1.7})
    rest = tb.equilibrium(four_bar, start, settle=True)
    guess = dict(zip(four_bar.coordinates, rest.state.q))
    angle = guess.pop("crank")

    def energies(crank: float) -> tuple[float, float]:
        state = four_bar.assemble(crank=crank, rates={"crank": 1.0}, guess=guess)
        return four_bar.energy(state.q, state.v)

    h = 1e-3
    kinetic, middle = energies(angle)
    bend = (energies(angle + h)[1] - 2 * middle + energies(angle - h)[1]) / h**2
    wanted = np.sqrt(bend / (2 * kinetic)) / (2 * np.pi)
    (mode,) = tb.vibrations(four_bar, rest)
    assert mode.frequency == pytest.approx(wanted, rel=1e-5)
    assert mode.damping == 0.0
    J = four_bar.terms(rest.state.q, np.zeros(3)).J
    shape = np.array([mode.shape[name] for name in four_bar.velocities])
    assert np.abs(J @ shape).max() < 1e-10


@pytest.mark.parametrize("omega", [1e-4, 1e4])  # a swing of hours, and of less than a millisecond
def test_what_is_told_from_zero_depends_on_no_unit_of_time(omega: float) -> None:
    """ω and ζ = 0.2 of one mass beside another that nothing holds, whose double zero stays one."""
    m = tb.Model("oscillator")
    m.joint("free", tb.Prismatic("y"), m.ground, m.body("a", mass=1.0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("b", mass=1.0), spring=omega**2,
            damping=0.4 * omega)  # fmt: skip
    system = m.compile()
    found = tb.vibrations(system, system.assemble())
    assert np.sum(found.eigenvalues == 0.0) == 2
    (swing,) = found.eigenvalues[found.eigenvalues.imag > 0.0]
    assert swing / omega == pytest.approx(-0.2 + 1j * np.sqrt(0.96), rel=1e-12)


def test_damping_is_a_ratio_of_the_critical() -> None:
    m = tb.Model("oscillator")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("b", mass=2.0), spring=50.0, damping=4.0)
    (mode,) = tb.vibrations(m.compile())
    assert mode.damping == pytest.approx(4.0 / (2 * np.sqrt(50.0 * 2.0)), rel=1e-12)
    assert mode.natural_frequency == pytest.approx(5.0 / (2 * np.pi), rel=1e-12)
    assert mode.eigenvalue == pytest.approx(-1.0 + 1j * np.sqrt(24.0), rel=1e-12)


@pytest.mark.parametrize(("spin", "asleep"), [(300.0, True), (100.0, False)])
def test_a_top_sleeps_when_it_spins_fast_enough(spin: float, asleep: bool) -> None:
    """ν = (I₃ Ω ± √(I₃² Ω² − 4 I₁ m g l)) / 2 I₁ in space, ν − Ω in axes that spin along."""
    mass, height, across, along = 0.5, 0.1, 1e-3, 5e-4
    m = tb.Model("top")
    top = m.body("top", mass=mass, com=(0, 0, height), inertia=(across, across, along))
    m.joint("tip", tb.Spherical(), m.ground, top)
    system = m.compile()
    found = tb.vibrations(system, system.assemble(rates={"tip.wz": spin}))
    about_tip = across + mass * height**2
    root = np.emath.sqrt((along * spin) ** 2 - 4 * about_tip * mass * G * height)
    for side in (1, -1):
        wanted = 1j * ((along * spin + side * root) / (2 * about_tip) - spin)
        assert np.abs(found.eigenvalues - wanted).min() < 1e-6 * abs(wanted)
    assert found.stable == asleep


def test_a_state_that_accelerates_is_refused(pendulum: Any) -> None:
    with pytest.raises(tb.InputError, match=r"'swing rate' is -6\.3.*equilibrium"):
        tb.vibrations(pendulum, pendulum.assemble(swing=1.0))


def test_the_table_and_the_plot_show_every_mode(cart_pole: Any, tmp_path: Any) -> None:
    found = tb.vibrations(cart_pole)
    assert not found.stable
    text = str(found)
    assert len(text.splitlines()) == 1 + len(found)
    assert "pole" in text
    found.plot(tmp_path / "modes.png")
    assert (tmp_path / "modes.png").stat().st_size > 1000
