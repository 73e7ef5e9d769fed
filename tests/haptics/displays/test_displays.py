"""Displays against closed forms: stability edges, driving-point impedances, measured tables."""

import numpy as np
import pytest

import touchback as tb
from touchback.errors import InputError, SolveError
from touchback.haptics.displays import (
    AdmittanceDisplay,
    ImpedanceControl,
    ImpedanceDisplay,
    identify_impedance,
)

T = 1e-3


def device(mass=0.1, damping=1.0):
    m = tb.Model("device", gravity=(0, 0, 0))
    m.joint("handle", tb.Prismatic("x"), m.ground, m.body("handle", mass=mass), damping=damping)
    return m


def tick_matrix(system, rate):
    """The state's transition over one tick of a linear model, column by column."""
    n = len(system.state_names)
    columns = []
    for start in np.eye(n):
        run = tb.simulate(system, start, 1 / rate, rate=rate, step=1 / rate / 8, method="rk4")
        columns.append([run[name][-1] for name in system.state_names])
    return np.array(columns).T


@pytest.mark.parametrize(
    ("mass", "damping", "period", "edge"),
    # exact edge K = (b²/m)(1 − e^−τ)/(1 − (1 + τ)e^−τ), τ = bT/m (reference table "Haptics")
    [(0.1, 1.0, 1e-3, 2003.34), (0.1, 1.0, 2.5e-4, 8003.33), (0.2, 2.0, 1e-3, 4006.68),
     (0.01, 5.0, 1e-3, 10905.0)],
)  # fmt: skip
def test_a_sampled_spring_is_stable_up_to_the_exact_edge(mass, damping, period, edge):
    for factor, stable in ((0.999, True), (1.001, False)):
        m = device(mass, damping)
        control = ImpedanceControl(stiffness=edge * factor)
        command = control.add(m, "wall", m.coordinate("handle"), m.rate("handle"))
        m.force("motor", tb.JointEffort("handle", command))
        radius = np.abs(np.linalg.eigvals(tick_matrix(m.compile(), 1 / period))).max()
        assert (radius < 1.0) == stable


def test_a_delay_of_a_tick_costs_most_of_the_stability():
    m = device()
    command = ImpedanceControl(1500.0).add(
        m, "wall", m.coordinate("handle"), m.rate("handle"), delay=1
    )
    m.force("motor", tb.JointEffort("handle", command))
    assert np.abs(np.linalg.eigvals(tick_matrix(m.compile(), 1000.0))).max() > 1.0
    # with one tick of delay the exact discrete characteristic polynomial z(z² + …) has its edge
    # near 2b/(3T) for small τ (Colgate & Schenkel's group delay of T + T/2)
    m = device()
    command = ImpedanceControl(600.0).add(
        m, "wall", m.coordinate("handle"), m.rate("handle"), delay=1
    )
    m.force("motor", tb.JointEffort("handle", command))
    assert np.abs(np.linalg.eigvals(tick_matrix(m.compile(), 1000.0))).max() < 1.0


def shaken(display_period, frequency, K=400.0, mass=0.5):
    """Amplitude and phase of the force of a displayed sprung mass on a handle that is driven."""
    m = tb.Model("sprung mass", gravity=(0, 0, 0))
    m.joint("handle", tb.Prismatic("x"), m.ground, m.body("handle", mass=0.1))
    m.joint("virtual", tb.Prismatic("x"), m.ground, m.body("virtual", mass=mass))
    m.drive("handle", tb.Sine(1e-3, frequency))
    display = ImpedanceDisplay(stiffness=K, damping=1.0)
    display.add(m, "display", m.coordinate("handle"), m.rate("handle"), "virtual")
    periods = max(round(8 * frequency), 8) / frequency
    run = tb.simulate(
        m.compile(), duration=round(periods / display_period) * display_period, method="rk4",
        rate=1 / display_period, step=display_period / 4, output_step=display_period,
    )  # fmt: skip
    last = run.time > run.time[-1] - 4 / frequency
    wave = np.exp(-2j * np.pi * frequency * run.time[last])
    return 2 * np.mean(run["display.command"][last] * wave) * 1j / 1e-3


@pytest.mark.parametrize("frequency", [2.0, 8.0])
def test_a_displayed_sprung_mass_has_the_impedance_of_the_real_one(frequency):
    K, B, mass, s = 400.0, 1.0, 0.5, 2j * np.pi * frequency
    coupling = K + B * s
    exact = -coupling * mass * s**2 / (mass * s**2 + coupling)  # force on the handle per metre
    errors = [abs(shaken(T, frequency) / exact - 1) for T in (4e-3, 1e-3)]
    assert errors[1] < 0.1
    assert errors[1] < 0.5 * errors[0]  # a delay of some ticks: first order in the period


def test_an_admittance_display_makes_a_light_handle_feel_like_a_heavy_mass():
    m = tb.Model("heavy", gravity=(0, 0, 0))
    m.joint("handle", tb.Prismatic("x"), m.ground, m.body("handle", mass=0.1), damping=0.5)
    m.joint("virtual", tb.Prismatic("x"), m.ground, m.body("virtual", mass=2.0))
    hand = m.input("hand", unit="N")
    m.force("hand", tb.JointEffort("handle", hand))
    command = AdmittanceDisplay(proportional=2000.0, derivative=25.0, integral=100.0).add(
        m, "display", hand, m.coordinate("handle"), m.rate("handle"), "virtual", T
    )
    m.force("motor", tb.JointEffort("handle", command))
    run = tb.simulate(
        m.compile(), duration=0.5, rate=1 / T, step=T / 4, output_step=T, inputs={"hand": 3.0}
    )
    # x = F t²/(2 m); the inner servo stays behind by about F (1 − m_h/m)/K
    assert run["handle"][-1] == pytest.approx(3.0 * 0.5**2 / (2 * 2.0), rel=0.02)


def test_tables_measured_with_the_device_give_the_force_of_what_was_measured():
    def law(x, v, a):  # a key with a let-off bump, friction and a mass that changes
        bump = 2.0 * np.exp(-(((x - 8e-3) / 0.8e-3) ** 2))
        return 0.5 + bump + 0.2 * np.tanh(v / 5e-3) + (0.2 + 5.0 * x) * a

    t = np.arange(0.0, 20.0, 1e-3)
    x = 5e-3 + 1e-3 * np.sin(2 * np.pi * np.outer(t, [0.31, 0.83, 1.7, 3.1, 5.3])).sum(axis=1)
    v, a = np.gradient(x, t), np.gradient(np.gradient(x, t), t)
    tables = identify_impedance(
        x, v, a, law(x, v, a), np.linspace(0, 0.01, 41), np.linspace(-0.08, 0.08, 33)
    )
    assert tables.residual < 0.1
    here = 8e-3
    assert tables.force(here, 0.02, 1.0) - tables.force(here, 0.02, 0.0) == pytest.approx(
        0.2 + 5.0 * here, rel=0.1
    )
    assert tables.force(here, 0.02) == pytest.approx(law(here, 0.02, 0.0), rel=0.1)
    m = device()
    tables.add(m, "felt", m.coordinate("handle"), m.rate("handle"))
    run = tb.simulate(
        m.compile(), m.compile().assemble(handle=here, rates={"handle": 0.02}), 2 * T,
        rate=1 / T, step=T,
    )  # fmt: skip
    assert -run["felt"][1] == pytest.approx(float(tables.force(here, 0.02)), rel=1e-12)


def test_what_cannot_be_displayed_is_said():
    m = device()
    with pytest.raises(InputError, match="whole ticks"):
        ImpedanceControl(1.0).add(m, "wall", m.coordinate("handle"), 0.0, delay=-1)
    with pytest.raises(InputError, match="one length"):
        identify_impedance([0.0], [0.0, 1.0], [0.0], [0.0], [0, 1], [0, 1])
    with pytest.raises(InputError, match="positions must increase"):
        identify_impedance(*np.zeros((4, 9)), [1, 0], [0, 1])
    with pytest.raises(SolveError, match="hardly a sample"):
        identify_impedance(*np.zeros((4, 2)), [0, 1], [0, 1])


@pytest.mark.parametrize("delay", [0, 2])
@pytest.mark.parametrize(
    "display", [ImpedanceDisplay(400.0, 1.0), AdmittanceDisplay(400.0, 1.0)], ids=["in", "out"]
)
def test_a_delay_in_ticks_is_that_of_the_command(display, delay):
    m = device()
    m.joint("virtual", tb.Prismatic("x"), m.ground, m.body("virtual", mass=0.5))
    where = m.coordinate("handle"), m.rate("handle"), "virtual"
    if isinstance(display, ImpedanceDisplay):
        display.add(m, "display", *where, delay=delay)
    else:
        display.add(m, "display", 0.0, *where, T, delay=delay)
    start = m.compile().assemble(handle=0.01)
    run = tb.simulate(m.compile(), start, 6 * T, rate=1 / T, step=T)
    assert np.flatnonzero(run["display.command"])[0] == 1 + delay


def test_the_integral_of_a_servo_takes_away_what_a_load_leaves():
    for integral, left in ((0.0, 5.0 / 2000.0), (2e4, 0.0)):
        m = device()
        m.force("load", tb.JointEffort("handle", -5.0))
        m.joint("virtual", tb.Prismatic("x"), m.ground, m.body("virtual", mass=1.0))
        display = AdmittanceDisplay(2000.0, 30.0, integral)
        where = m.coordinate("handle"), m.rate("handle"), "virtual"
        m.force("motor", tb.JointEffort("handle", display.add(m, "display", 0.0, *where, T)))
        run = tb.simulate(m.compile(), duration=1.5, rate=1 / T, step=T)
        assert run["handle"][-1] == pytest.approx(-left, abs=2e-5)
