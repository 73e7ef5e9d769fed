"""Newton's restitution with friction may give energy: runs say so."""

import numpy as np
import pytest

import touchback as tb
from rigid_drops import G, flat

ANGLE, E, HALF, INERTIA = 0.8, 0.9, 0.5, 1 / 12


def rod(**given: object) -> tb.Run:
    """A rod of 1 kg and 1 m whose tip hits the floor once, and sticks while it does."""
    drop = flat([(HALF, 0.0)], INERTIA, (HALF * np.sin(ANGLE), ANGLE), restitution=E, friction=0.5)
    drop.start.v[:] = -1.0, -0.5, 0.0  # z, x, turn
    return drop.run(0.01, **given)


def gain() -> float:
    """Of an impact after which the tip doesn't slip and leaves with −e u_n: with the mass G⁻¹ at
    the tip it is ½ (u⁺ + u⁻) G⁻¹ (u⁺ − u⁻)
    (Kane and Levinson 1985, Dynamics: Theory and Applications)."""
    W = np.array([[1, 0, -HALF * np.sin(ANGLE)], [0, 1, -HALF * np.cos(ANGLE)]])
    mobility = W @ np.diag([1, 1, 1 / INERTIA]) @ W.T
    before, after = np.array([-0.5, -1.0]), np.array([0.0, E])
    impulse = np.linalg.solve(mobility, after - before)
    assert abs(impulse[0]) < 0.5 * impulse[1]  # within the cone of friction: it does stick
    return 0.5 * float((before + after) @ impulse)


def test_a_rod_that_gains_energy_by_newtons_law_is_told_with_poissons_as_the_mend() -> None:
    run = rod(impacts="newton")
    assert gain() > 0.05
    lost = sum(run.energy_balance.impacts.values()) + sum(run.energy_balance.dissipated.values())
    assert lost == pytest.approx(-gain(), rel=1e-9)
    (remark,) = run.metadata["diagnostics"]
    assert remark == (
        f"At t = 0 s the impact of 'c0' raised the energy by {gain():.3g} J: "
        "Newton's restitution with friction can (Kane); take impacts='poisson'."
    )
    assert "moved apart" not in run.energy_balance.impacts


def test_steps_that_gain_energy_by_newtons_law_are_told_too() -> None:
    """Levers turn within a step: what it gives is right to the order of the step."""
    run = rod(method="moreau-jean", step=1e-5)
    (remark,) = run.metadata["diagnostics"]
    assert remark.startswith(f"At t = 1e-05 s the impact of 'c0' raised the energy by {gain():.2g}")
    assert remark.endswith("take method='event-driven' with impacts='poisson'.")
    central = flat([(0.0, -0.1)], 1.0, (0.2, 0.0), (1.0, 0.0), restitution=0.9)
    assert central.run(1.0, method="moreau-jean").metadata["diagnostics"] == []


def test_a_point_without_friction_is_not_said_to_gain_by_friction() -> None:
    """Its last bounces, slower than what gravity adds in a step, give some 1e-8 J."""
    m = tb.Model("ball")
    ball = m.body("ball", mass=1.0)
    m.joint("z", tb.Prismatic("z"), m.ground, ball, position=0.5)
    contacts = {"c": tb.contact.SpherePlaneContact(ball, m.ground, radius=0, restitution=0.5)}
    run = tb.simulate(m.compile(), duration=1.0, contacts=contacts, method="moreau-jean")
    (remark,) = run.metadata["diagnostics"]
    assert remark.endswith("no faster than what a step changes speeds by can; take a shorter step.")


def test_poissons_law_gives_the_rod_nothing_and_says_nothing() -> None:
    run = rod(impacts="poisson")
    assert run.metadata["diagnostics"] == []
    assert (
        sum(run.energy_balance.impacts.values()) + sum(run.energy_balance.dissipated.values()) > 0.0
    )


def test_gains_of_many_impacts_are_one_remark() -> None:
    drop = flat([(-0.1, -0.1), (0.1, -0.1)], 0.02 / 3, (0.12, 0.2), restitution=0.9, friction=0.3)
    run = drop.run(0.6)
    told = run.metadata["diagnostics"]
    energy = 0.5 * (run["body.x rate"] ** 2 + run["body.z rate"] ** 2) + G * run["body.z"]
    energy += 0.5 * 0.02 / 3 * run["body.turn rate"] ** 2
    assert np.diff(energy).max() > 1e-4
    assert 1 <= len(told) <= 3
    assert any("more until t = " in remark for remark in told)
