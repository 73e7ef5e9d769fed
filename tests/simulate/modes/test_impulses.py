"""Impulses where constraints begin or contacts are struck, against direct linear algebra."""

import numpy as np
import pytest

import touchback as tb
from models_with_modes import G, bead_on_dome, striking_rods


def saddle(M: np.ndarray, J: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Δv and Λ of M Δv = Jᵀ Λ, J Δv = right."""
    n, m = len(M), len(J)
    whole = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    solved = np.linalg.solve(whole, np.concatenate([np.zeros(n), right]))
    return solved[:n], solved[n:]


def chain_that_closes() -> tb.Model:
    """Three bars from one pivot; the tip gets caught at the other."""
    m = tb.Model("chain", gravity=(0, 0, -G))
    previous: object = m.ground
    for name, angle in (("in", -1.4), ("coupler", 1.3), ("out", 1.6)):
        m.body(name, mass=1.0, com=(0.5, 0.0, 0.0), inertia=(0.0, 0.1, 0.1))
        m.joint(name, tb.Revolute("y"), previous, name, position=angle)
        previous = tb.Frame(name, (1.0, 0.0, 0.0))
    m.close("pin", tb.PointInPlane("xz"), previous, m.ground.at(1.0, 0.0, 0.0))
    m.mode("open")
    m.mode("closed", active=["pin"])
    m.transition("catch", "open", "closed", when=-1.0 - m.time)  # it has passed before the start
    m.sensor("energy", tb.Energy())
    return m


@pytest.mark.parametrize("method", ["dopri5", "rk4"])
def test_a_chain_that_closes_takes_the_impulses_of_its_pin(method: str) -> None:
    system = chain_that_closes().compile()
    q = system.assemble(mode="closed").q
    v = np.array([1.0, -2.0, 0.5])
    start = np.concatenate([q, v, [0.0]])
    J = system.jacobian(tb.Frame("out", (1.0, 0.0, 0.0)), q)[[3, 5]]
    M = system.mass_matrix(q)
    jump, _ = saddle(M, J, -J @ v)
    run = tb.simulate(system, start, 0.01, method=method, step=1e-5, output_step=1e-3)
    (caught,) = run.transitions
    assert caught.time == 0.0
    lost = 0.5 * (v + jump) @ M @ (v + jump) - 0.5 * v @ M @ v
    assert caught.energy == pytest.approx(lost, rel=1e-10) and lost < -0.1
    kinetic_and_potential = sum(system.energy(q, v)) + lost
    np.testing.assert_allclose(run["energy"][1:], kinetic_and_potential, rtol=1e-9)
    if method == "dopri5":
        names = [f"{name} rate" for name in system.velocities]
        np.testing.assert_allclose([run[name][0] for name in names], v + jump, atol=1e-12)


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_contacts_that_are_struck_together_rebound_by_their_law(law: str) -> None:
    """Newton: each J v⁺ = −e J v⁻. Poisson: impulses that stop all contacts, then e of each."""
    model = striking_rods(law)
    system = model.compile()
    run = tb.simulate(system, None, 0.1, rtol=1e-11, atol=1e-13)
    (strike,) = run.transitions
    at = int(np.searchsorted(run.time, strike.time))
    q = np.array([run[name][at] for name in system.coordinates])
    before, after = (
        np.array([run[f"{name} rate"][i] for name in system.velocities]) for i in (at, at + 1)
    )
    frames = tb.Frame("upper", (0, 0, -1.0)), tb.Frame("lower", (0, 0, -0.6))
    J = np.stack([system.jacobian(frame, q)[3] for frame in frames])
    M, e = system.mass_matrix(q), np.array([0.6, 0.3])
    if law == "newton":
        jump, _ = saddle(M, J, -(1.0 + e) * (J @ before))
        np.testing.assert_allclose(J @ after, -e * (J @ before), atol=1e-11)
    else:
        stop, impulses = saddle(M, J, -J @ before)
        jump = stop + np.linalg.solve(M, J.T @ (e * impulses))
    np.testing.assert_allclose(after - before, jump, atol=1e-10)
    change = 0.5 * after @ M @ after - 0.5 * before @ M @ before
    assert strike.energy == pytest.approx(change, rel=1e-8)


def test_the_two_laws_differ_where_contacts_feel_each_other() -> None:
    energies = {}
    for law in ("newton", "poisson"):
        run = tb.simulate(striking_rods(law).compile(), None, 0.1)
        energies[law] = run.transitions[0].energy
    assert abs(energies["newton"] - energies["poisson"]) > 0.01


@pytest.mark.parametrize("method", ["dopri5", "radau5", "rk4", "euler"])
def test_a_bead_leaves_its_dome_where_it_presses_no_more(method: str) -> None:
    """m g cos θ = m v²/R and energy give cos θ = 2/3 + v₀²/(3 g R)."""
    system = bead_on_dome(0.2).compile()
    step = 1e-5 if method == "euler" else 1e-3
    run = tb.simulate(
        system, None, 1.5, method=method, step=step, rtol=1e-11, atol=1e-13, output_step=1e-3
    )
    (left,) = run.transitions
    before = np.flatnonzero(run["mode"] == 0.0)[-1]
    flying = run["mode"] == 1.0
    height = run["bead.z"][before] if method in ("dopri5", "radau5") else None
    if height is not None:
        assert height == pytest.approx(2 / 3 + 0.04 / (3 * G), abs=1e-9)
        assert left.energy == 0.0
    speed = np.hypot(run["bead.z rate"], run["bead.x rate"])
    cosine = speed**2 / G  # on the dome's edge of the contact
    assert cosine[before] == pytest.approx(2 / 3, abs=0.01)
    assert (run["felt"][~flying] > -1e-6).all() and (run["felt"][flying] == 0.0).all()
    assert (run["press"][flying] == 0.0).all()
