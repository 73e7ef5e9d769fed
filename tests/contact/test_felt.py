"""Laws of compliant contacts: hysteresis, memory, and what they do to energy."""

import numpy as np
import pytest
from scipy.integrate import quad, trapezoid

import touchback as tb

RADIUS = 0.01


def pressed(
    law: tb.contact.ContactLaw, mass: float = 0.01, speed: float = 0.0, **options: object
) -> tb.Model:
    """A ball that moves along z only and touches the ground at z = RADIUS."""
    m = tb.Model("hammer", gravity=(0, 0, 0))
    head = m.body("head", mass)
    m.joint("z", tb.Prismatic("z"), m.ground, head, position=RADIUS, velocity=-speed)
    line = tb.contact.Line(m.ground.at(-1, 0, 0), 2)
    m.force(
        "felt", tb.contact.ProfileContact(tb.contact.Circle(head, RADIUS), line, law, **options)
    )
    m.sensor("force", tb.ContactForce("felt"))
    m.sensor("gap", tb.Gap("felt"))
    m.sensor("energy", tb.Energy())
    return m


def test_memory_is_the_convolution_that_stulov_writes() -> None:
    """F = f₀ [ξᵖ − (ε/τ₀) ∫ ξᵖ(s) e^((s−t)/τ₀) ds] for a driven compression, by quadrature."""
    f0, p, epsilon, tau, A, T = 2e9, 2.3, 0.4, 7e-4, 6e-4, 3e-3
    m = pressed(tb.contact.Felt(f0, p, memory=epsilon, memory_time=tau))
    depth = A * tb.sin(np.pi * m.time / T) ** 2
    m.drive("z", RADIUS - depth)
    run = tb.simulate(m.compile(), duration=2 * T, rtol=1e-11, atol=1e-13, progress=False)

    def xi_p(t: float) -> float:
        return float((A * np.sin(np.pi * t / T) ** 2) ** p)

    for i in np.linspace(1, len(run.time) - 1, 12).astype(int):
        t = float(run.time[i])
        past, _ = quad(lambda s, t=t: xi_p(s) * np.exp((s - t) / tau), 0, t, epsabs=0, epsrel=1e-11)
        exact = max(0.0, f0 * (xi_p(t) - epsilon / tau * past))
        assert run["force"][i] == pytest.approx(exact, abs=1e-7 * f0 * A**p)
    assert run["force"].min() == 0.0  # behind in memory, it lets go rather than pulls


def test_held_down_felt_relaxes_to_the_rest_of_its_force() -> None:
    """A step of ξ: F(t) = f₀ ξᵖ (1 − ε (1 − e^(−t/τ₀)))."""
    f0, p, epsilon, tau, xi = 1e9, 2.5, 0.35, 1e-3, 5e-4
    m = pressed(tb.contact.Felt(f0, p, memory=epsilon, memory_time=tau))
    m.drive("z", RADIUS - xi)
    run = tb.simulate(m.compile(), duration=4 * tau, rtol=1e-11, atol=1e-13, progress=False)
    exact = f0 * xi**p * (1 - epsilon * (1 - np.exp(-run.time / tau)))
    np.testing.assert_allclose(run["force"], exact, rtol=1e-8)


@pytest.mark.parametrize("exponent", [1.7, 2.5, 3.0])
def test_hysteresis_adds_the_rate_of_the_power(exponent: float) -> None:
    """F = Q₀ [ξᵖ + α d(ξᵖ)/dt], the rate by differences."""
    Q0, alpha, xi, rate, h = 3e8, 2e-4, 4e-4, 0.3, 1e-8
    system = pressed(tb.contact.Felt(Q0, exponent, hysteresis=alpha)).compile()
    slope = ((xi + h * rate) ** exponent - (xi - h * rate) ** exponent) / (2 * h)
    found = system.sensors([RADIUS - xi], [-rate])["force"]
    assert found == pytest.approx(Q0 * (xi**exponent + alpha * slope), rel=1e-7)


LAWS = {
    "spring": tb.contact.UnilateralSpring(2e4, 3.0),
    "hunt-crossley": tb.contact.HuntCrossley(1e6, 0.4),
    "felt": tb.contact.Felt(1e9, 2.5),
    "hysteresis": tb.contact.Felt(1e9, 2.5, hysteresis=1e-4),
    "memory": tb.contact.Felt(1e9, 2.3, memory=0.5, memory_time=4e-4),
    "both": tb.contact.Felt(1e9, 3.0, hysteresis=5e-5, memory=0.3, memory_time=1e-3),
    "crush": tb.contact.Crush(2e4, 0.4, length=5e-4, core=4e4, lag=1e-4),
}


@pytest.mark.parametrize("law", LAWS)
def test_no_law_pulls_or_acts_from_afar(law: str) -> None:
    system = pressed(LAWS[law]).compile()
    rng = np.random.default_rng(3)
    z = system.initial_state().z + 5.0  # a memory of some newtons, where there is one
    for gap, rate in zip(rng.uniform(-1e-3, 1e-3, 40), rng.normal(0, 3, 40), strict=True):
        force = system.sensors([RADIUS + gap], [rate], z=z)["force"]
        assert force == 0.0 if gap >= 0 else force >= 0.0
        assert system.forward_dynamics([RADIUS + gap], [rate], z=z)[0] * 0.01 == pytest.approx(
            force
        )


@pytest.mark.parametrize("law", LAWS)
def test_an_impact_never_gains_energy_at_any_moment(law: str) -> None:
    m = pressed(LAWS[law], speed=1.5)
    run = tb.simulate(m.compile(), duration=8e-3, rtol=1e-11, atol=1e-13, progress=False)
    energy, start = run["energy"], 0.5 * 0.01 * 1.5**2
    assert run["gap"].min() < -1e-4 and run["gap"][-1] > 0  # it came and went
    assert np.diff(energy).max() <= 1e-9 * start
    lost = start - energy[-1]
    assert lost == pytest.approx(0, abs=1e-8 * start) if law == "felt" else lost > 0.02 * start


@pytest.mark.parametrize("law", ["hunt-crossley", "felt", "memory", "crush"])
def test_energy_books_find_every_joule(law: str) -> None:
    system = pressed(LAWS[law], speed=1.5).compile()
    run = tb.simulate(
        system, duration=8e-3, rtol=1e-10, atol=1e-12, progress=False, energy_balance=True
    )
    start = 0.5 * 0.01 * 1.5**2
    assert abs(run.energy_balance.residual) < 1e-7 * start
    taken = start - run["energy"][-1]
    assert run.energy_balance.dissipated["felt"] == pytest.approx(taken, abs=1e-7 * start)


@pytest.mark.parametrize("law", ["hysteresis", "memory", "both", "crush"])
def test_a_cycle_encloses_what_it_takes(law: str) -> None:
    """∮ F dξ > 0 over a driven cycle: the loop of force over depth goes clockwise."""
    A, T = 6e-4, 3e-3
    m = pressed(LAWS[law])
    m.drive("z", RADIUS - A * tb.sin(np.pi * m.time / T) ** 2)
    run = tb.simulate(m.compile(), duration=T, rtol=1e-10, atol=1e-12, progress=False)
    loss = trapezoid(run["force"], -run["gap"])
    assert loss > 0.05 * run["force"].max() * A / 3


@pytest.mark.parametrize("law", LAWS)
def test_the_stored_energy_has_the_force_as_its_slope(law: str) -> None:
    """Of what is elastic: at rest, with the memory of the law fixed."""
    system = pressed(LAWS[law]).compile()
    h = 1e-9
    for xi, memory in ((2e-4, 0.1), (5e-4, 2.0), (8e-4, 6.0)):
        z = system.initial_state().z + memory
        up, down = (system.sensors([RADIUS - x], [0.0], z=z)["energy"] for x in (xi + h, xi - h))
        force = system.sensors([RADIUS - xi], [0.0], z=z)["force"]
        assert (up - down) / (2 * h) == pytest.approx(force, rel=1e-4)


def test_numbers_of_a_law_may_be_live() -> None:
    m = tb.Model("hammer", gravity=(0, 0, 0))
    head = m.body("head", 0.01)
    m.joint("z", tb.Prismatic("z"), m.ground, head, position=RADIUS - 5e-4)
    K, p = m.parameter("stiffness", 1e9), m.parameter("exponent", 2.5)
    m.force(
        "felt",
        tb.contact.ProfileContact(
            tb.contact.Circle(head, RADIUS), tb.contact.Line(m.ground), tb.contact.Felt(K, p)
        ),
    )
    m.sensor("force", tb.ContactForce("felt"))
    system = m.compile()
    assert system.sensors([RADIUS - 5e-4], [0.0])["force"] == pytest.approx(1e9 * 5e-4**2.5)
    system["stiffness"], system["exponent"] = 2e9, 2.2
    assert system.sensors([RADIUS - 5e-4], [0.0])["force"] == pytest.approx(2e9 * 5e-4**2.2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tb.contact.Felt(1e9, exponent=1.0), "felt stiffens"),
        (lambda: tb.contact.Felt(1e9, exponent="soft"), "exponent: a number or an expression"),
        (lambda: tb.contact.Felt(1e9, memory=1.0), "from 0 to below 1"),
        (lambda: tb.contact.Felt(-1.0), "its stiffness is -1.0; give a positive number"),
        (
            lambda: tb.contact.HuntCrossley(1e6, damping=-0.1),
            "its damping is -0.1; give a number from 0",
        ),
        (lambda: tb.contact.Crush(1e5, restitution=1.2), "more than 1 would give energy"),
        (lambda: tb.contact.UnilateralSpring("stiff"), "stiffness: a number or an expression"),
    ],
)
def test_numbers_that_no_law_has_are_refused(make: object, message: str) -> None:
    with pytest.raises(tb.ModelError, match=message):
        make()  # type: ignore[operator]
