"""Constraints whose forces rub: closed forms, books, modes, files."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import touchback as tb
from rubbing_models import hoop
from touchback.model.io import model_from_text, to_text
from touchback.symbolic.math_functions import cos, sin

G = 9.81


def block(mu: float, angle: float, belt: float = 0.0, slip_speed: float = 1e-3) -> tb.Model:
    """A block of 2 kg on a slope whose surface goes down by itself with the speed `belt` [m/s]."""
    m = tb.Model("block on a slope")
    m.body("carriage", mass=0.0)
    m.body("block", mass=2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, "carriage")
    m.joint("z", tb.Prismatic("z"), "carriage", "block")
    lean = m.parameter("angle", angle)
    x, z, vx, vz = m.coordinate("x"), m.coordinate("z"), m.rate("x"), m.rate("z")
    slides = vx * cos(lean) - vz * sin(lean) - belt
    height = x * sin(lean) + z * cos(lean)
    m.constrain("slope", height, unit="m", friction=mu, slides=slides, slip_speed=slip_speed)
    m.sensor("load", tb.Multiplier("slope"))
    return m


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("way", ["partitioning", "projection", "baumgarte", "multipliers"])
def test_a_bead_on_a_hoop_slows_by_e_to_the_minus_mu_theta(way: str, sign: float) -> None:
    """m v̇ = −μ m v²/r: v = v₀ e^(−μθ), the capstan's law, whether the hoop pushes or pulls."""
    system = hoop(sign).compile()
    start = system.assemble(rates={"y": 2.0}, x=1.0)
    run = tb.simulate(system, start, 2.0, constraints=way, rtol=1e-10, atol=1e-12, progress=False)
    speed = np.hypot(run["x rate"], run["y rate"])
    turned = np.unwrap(np.arctan2(run["y"], run["x"]))
    assert turned[-1] > 2.5
    np.testing.assert_allclose(speed, 2.0 * np.exp(-0.3 * turned), rtol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_stiff_friction_is_integrated_with_its_own_jacobian(sign: float) -> None:
    """A bead that comes to rest: explicit steps can't be longer than u₀ allows, Radau's can."""
    system = hoop(sign, slip_speed=1e-4).compile()
    start = system.assemble(rates={"y": 2.0}, x=1.0)
    run = tb.simulate(system, start, 2.0, method="radau5", progress=False)
    speed = np.hypot(run["x rate"], run["y rate"])
    turned = np.unwrap(np.arctan2(run["y"], run["x"]))
    np.testing.assert_allclose(speed, 2.0 * np.exp(-0.3 * turned), rtol=1e-6)


def test_a_block_slides_down_with_g_sine_minus_mu_cosine() -> None:
    angle, mu = 0.6, 0.4
    system = block(mu, angle, slip_speed=1e-7).compile()
    start = system.assemble(rates={"x": 0.5 * np.cos(angle)})
    run = tb.simulate(system, start, 1.0, rtol=1e-10, progress=False)
    speed = 0.5 + G * (np.sin(angle) - mu * np.cos(angle)) * run.time
    np.testing.assert_allclose(run["x rate"], speed * np.cos(angle), rtol=1e-8)
    np.testing.assert_allclose(run["load"], 2.0 * G * np.cos(angle), rtol=1e-12)


def test_a_block_on_a_slope_that_would_hold_it_creeps_as_its_slip_speed_says() -> None:
    """tan α = μ u/√(u² + u₀²) where forces balance: u = u₀ tan α/√(μ² − tan² α)."""
    angle, mu, slip_speed = 0.2, 0.4, 1e-3
    system = block(mu, angle, slip_speed=slip_speed).compile()
    run = tb.simulate(system, duration=0.1, progress=False)
    tangent = np.tan(angle)
    creep = slip_speed * tangent / np.sqrt(mu**2 - tangent**2)
    assert np.hypot(run["x rate"][-1], run["z rate"][-1]) == pytest.approx(creep, rel=1e-6)


def test_books_tell_what_friction_takes_and_what_a_belt_does() -> None:
    """On a level belt of 1 m/s a block gains m v²/2 and friction takes as much, until it goes along
    (to one part in 10⁶: friction is full above 1 µm/s)."""
    system = block(0.4, 0.0, belt=1.0, slip_speed=1e-6).compile()
    run = tb.simulate(system, duration=0.25, rtol=1e-10, energy_balance=True, progress=False)
    books = run.energy_balance
    speed = 0.4 * G * 0.25
    assert books.dissipated["slope friction"] == pytest.approx(
        2.0 * 0.4 * G * (0.25 - 0.5 * speed * 0.25), rel=1e-6
    )
    assert books.work["slope moving"] == pytest.approx(2.0 * 0.4 * G * 0.25, rel=1e-6)
    assert abs(books.residual) < 1e-8


@given(st.floats(-3.0, 3.0), st.floats(-2.0, 2.0), st.sampled_from([1.0, -1.0]))
def test_python_and_c_find_the_accelerations_of_a_bead_anywhere(
    angle: float, speed: float, sign: float
) -> None:
    """v²/r inwards and μ v²/r against the motion; a semi-implicit step h changes v by a h."""
    system = HOOPS[sign]
    out, along = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    drag = 0.3 * speed**2 * speed / np.hypot(speed, 1e-6)
    expected = -(speed**2) * out - drag * along
    start = tb.State(out, speed * along, np.zeros(0))
    np.testing.assert_allclose(system.forward_dynamics(start.q, start.v), expected, atol=1e-12)
    run = tb.simulate(
        system, start, 1e-6, method="euler", step=1e-6, constraints="multipliers", progress=False
    )
    after = np.array([run["x rate"][-1], run["y rate"][-1]])
    np.testing.assert_allclose((after - start.v) / 1e-6, expected, atol=1e-8)


HOOPS = {sign: hoop(sign).compile() for sign in (1.0, -1.0)}


def test_friction_is_written_to_files_and_read_again() -> None:
    m = block(0.4, 0.3)
    again = model_from_text(to_text(m))
    one, two = (each.compile() for each in (m, again))
    q, v = [0.1, 0.0], [0.3, -0.1]
    assert one.multipliers(q, v) == two.multipliers(q, v)


def test_a_block_in_a_mode_rubs_until_it_slides_off_and_where_it_lands_impulses_do_not() -> None:
    """A block slides over a table of 1 m with v² = v₀² − 2 μ g s, falls, and lands plastically on a
    floor 0.5 m below: its level speed outlives the blow, then friction takes it."""
    m = tb.Model("block on a table")
    m.body("carriage", mass=0.0)
    m.body("block", mass=2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, "carriage")
    m.joint("z", tb.Prismatic("z"), "carriage", "block")
    x, z = m.coordinate("x"), m.coordinate("z")
    for name, height in (("table", 0.0), ("floor", -0.5)):
        m.constrain(name, z - height, unit="m", friction=0.3, slides=m.rate("x"), slip_speed=1e-6)
    m.mode("on the table", active=["table"])
    m.mode("in the air")
    m.mode("on the floor", active=["floor"])
    m.transition("slides off", "on the table", "in the air", 1.0 - x)
    m.transition("lands", "in the air", "on the floor", z + 0.5)
    system = m.compile()
    start = system.initial_state()
    start.v[0] = 3.0
    run = tb.simulate(
        system, start, 1.0, rtol=1e-10, atol=1e-12, energy_balance=True, progress=False
    )
    off, lands = run.transitions
    left = np.sqrt(9.0 - 2 * 0.3 * G)
    assert off.time == pytest.approx((3.0 - left) / (0.3 * G), rel=1e-7)
    assert lands.time - off.time == pytest.approx(np.sqrt(2 * 0.5 / G), rel=1e-7)
    assert lands.energy == pytest.approx(-2.0 * G * 0.5, rel=1e-7)  # of the fall alone
    stop = left - 0.3 * G * (1.0 - lands.time)
    assert run["x rate"][-1] == pytest.approx(stop, rel=1e-6)
    assert run.energy_balance.dissipated["floor friction"] == pytest.approx(
        left**2 - stop**2, rel=1e-6
    )
    assert abs(run.energy_balance.residual) < 1e-7


def test_a_coefficient_of_zero_is_no_friction() -> None:
    """So that coefficients can be swept from zero on, and runs with rigid contacts take them."""
    system = block(0.0, 0.6).compile()
    start = system.assemble(rates={"x": 0.5 * np.cos(0.6)})
    run = tb.simulate(system, start, 1.0, rtol=1e-10, energy_balance=True, progress=False)
    speed = 0.5 + G * np.sin(0.6) * run.time
    np.testing.assert_allclose(run["x rate"], speed * np.cos(0.6), rtol=1e-9)
    assert "slope friction" not in run.energy_balance.dissipated
    far = tb.contact.SpherePlaneContact(
        tb.Frame("block"), tb.Frame("ground", (0.0, 0.0, -9.0)), radius=0.1
    )
    again = tb.simulate(system, start, contacts={"floor": far}, duration=1.0)
    assert again["x rate"][-1] == pytest.approx(run["x rate"][-1], rel=1e-6)
