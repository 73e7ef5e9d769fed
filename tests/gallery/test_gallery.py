"""The ready mechanisms move as closed forms and independent equations say."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import touchback as tb
from touchback import gallery
from touchback.gallery import buoy, gyroscopes, pendulum, robot_arms
from touchback.interop.import_formats import read
from touchback.model.io import to_text

G = 9.81


@pytest.mark.parametrize("name", gallery.names())
def test_every_experiment_runs_and_has_the_signals_it_plots(name: str) -> None:
    entry = gallery.entry(name)
    run = entry.experiment.run(entry.make().compile())
    assert run.time[-1] == entry.experiment.duration
    assert all(np.isfinite(run[signal]).all() for signal in entry.experiment.signals)
    assert entry.experiment.signals and entry.about


@pytest.mark.parametrize("name", gallery.names())
def test_every_mechanism_explains_itself_in_three_sentences(name: str) -> None:
    """What it is, what happens and why, what to try; names in quotes are of its own signals."""
    entry = gallery.entry(name)
    assert len(entry.sentences) == 3
    for sentence in entry.sentences:
        assert re.fullmatch(r"[A-Z][^.!?]{20,170}\.", sentence), sentence
    model = entry.make()
    known = [*model.parameters, *model.inputs]
    for quoted in re.findall(r'"([^"]+)"', " ".join(entry.sentences)):
        assert any(own == quoted or own.startswith(f"{quoted} ") for own in known), quoted


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(tb.InputError, match="did you mean 'pendulum'"):
        gallery.make("pendulm")


def test_a_chain_without_links_is_refused() -> None:
    with pytest.raises(tb.InputError, match="at least one link, got 0"):
        gallery.make("hanging-chain", links=0)


def test_the_pendulum_swings_as_jacobis_elliptic_sine() -> None:
    entry = gallery.entry("pendulum")
    run = entry.experiment.run(entry.make().compile())
    k = np.sin(0.5)  # of half the amplitude of 1 rad
    t_quarter = ellipk(k**2) / np.sqrt(G)
    sn = ellipj(np.sqrt(G) * (run.time + t_quarter), k**2)[0]
    # 1e-8 relative tolerance over 5 periods leaves some 1e-6
    np.testing.assert_allclose(run["pivot"], 2 * np.arcsin(k * sn), atol=1e-5)


def test_the_pendulum_in_its_file_is_the_same_model() -> None:
    assert to_text(read(pendulum.FILE)) == to_text(gallery.make("pendulum"))


@pytest.mark.parametrize("name", ["double-pendulum", "spinning-top", "gyroscope", "hanging-chain"])
def test_mechanisms_without_losses_keep_their_energy(name: str) -> None:
    entry = gallery.entry(name)
    run = entry.experiment.run(entry.make().compile())
    assert np.ptp(run["energy"]) < 1e-5


def test_the_double_pendulum_agrees_with_the_textbook_lagrangian() -> None:
    """Two uniform rods, absolute angles a and b: M(a − b) and gravity from the Lagrangian."""
    (l1, m1), (l2, m2) = (1.0, 1.0), (0.8, 0.7)
    a, relative, da, drelative = 0.7, -1.1, 0.4, 1.3
    b, db = a + relative, da + drelative
    coupling = m2 * l1 * l2 / 2
    M = np.array(
        [
            [(m1 / 3 + m2) * l1**2, coupling * np.cos(a - b)],
            [coupling * np.cos(a - b), m2 * l2**2 / 3],
        ]
    )
    force = np.array(
        [
            -coupling * np.sin(a - b) * db**2 - (m1 / 2 + m2) * G * l1 * np.sin(a),
            coupling * np.sin(a - b) * da**2 - m2 / 2 * G * l2 * np.sin(b),
        ]
    )
    dda, ddb = np.linalg.solve(M, force)
    system = gallery.make("double-pendulum").compile()
    found = system.forward_dynamics([a, relative], [da, drelative])
    np.testing.assert_allclose(found, [dda, ddb - dda], rtol=1e-12)


def test_the_feedback_balances_the_pole_and_brings_the_cart_home() -> None:
    entry = gallery.entry("cart-pole")
    run = entry.experiment.run(entry.make().compile())
    assert abs(run["pole"][-1]) < 1e-3 and abs(run["cart"][-1]) < 1e-2
    fallen = entry.make().compile()
    fallen["angle gain"] = 0.0
    start = entry.experiment.start(fallen)
    assert np.abs(tb.simulate(fallen, start, 2.0)["pole"]).max() > np.pi / 2


def test_a_fast_top_precesses_at_the_textbook_rate() -> None:
    """Steady precession of a fast top: Ω ≈ m g l / (I₃ ω₃), here within its next-order term."""
    entry = gallery.entry("spinning-top")
    system = entry.make().compile()
    spin = 2000.0
    start = entry.experiment.start(system)
    start.v[2] = spin
    run = tb.simulate(system, start, 1.0)
    azimuth = np.unwrap(np.arctan2(run["axis.y"], run["axis.x"]))
    rate = (azimuth[-1] - azimuth[0]) / run.duration
    expected = 0.5 * G * 0.08 / (6e-4 * spin)
    assert rate == pytest.approx(expected, rel=0.02)  # ends within one nutation of the mean
    assert spin > gyroscopes.SPIN


def test_the_racket_turns_over_at_eulers_period() -> None:
    """Free rotation (Landau and Lifshitz, Mechanics, § 37): ω₂ repeats after 4 K(m)/n."""
    entry = gallery.entry("gyroscope")
    system = entry.make().compile()
    start = entry.experiment.start(system)
    run = tb.simulate(system, start, 20.0, rtol=1e-11, output_step=1e-3)
    I1, I2, I3 = 3e-4, 1.5e-3, 1.8e-3
    w1, w2 = 0.01, 6.0
    twice_energy, momentum = I1 * w1**2 + I2 * w2**2, (I1 * w1) ** 2 + (I2 * w2) ** 2
    # Here M² < 2 E I₂: the roles of I₁ and I₃ are exchanged in the book's formulas.
    assert momentum < twice_energy * I2
    swing = (I2 - I1) * (twice_energy * I3 - momentum)
    n = np.sqrt(swing / (I1 * I2 * I3))
    m = (I3 - I2) * (momentum - twice_energy * I1) / swing
    half_period = 2 * ellipk(m) / n
    middle = run["flight.wy"]
    falls = run.time[1:][(middle[:-1] > 0) != (middle[1:] > 0)]
    np.testing.assert_allclose(np.diff(falls), half_period, atol=2e-3)  # two samples


def test_the_motor_arm_agrees_with_its_three_equations() -> None:
    k, gear = robot_arms.CONSTANT, robot_arms.GEAR
    moment = robot_arms.MASS * robot_arms.LENGTH**2 / 3 + gear**2 * robot_arms.ROTOR

    def rates(t: float, x: np.ndarray) -> list[float]:
        angle, speed, current = x
        weight = robot_arms.MASS * G * robot_arms.LENGTH / 2 * np.sin(angle)
        torque = gear * k * current - robot_arms.DAMPING * speed - weight
        voltage = 1.0 - robot_arms.RESISTANCE * current - gear * k * speed
        return [speed, torque / moment, voltage / robot_arms.INDUCTANCE]

    entry = gallery.entry("motor-arm")
    run = entry.experiment.run(entry.make().compile())
    other = solve_ivp(rates, (0, 2), [0, 0, 0], "LSODA", run.time, rtol=1e-10, atol=1e-12)
    for name, values in zip(("shoulder", "shoulder rate", "current"), other.y):
        np.testing.assert_allclose(run[name], values, atol=1e-6)


def test_a_still_buoy_leans_as_its_forces_say() -> None:
    """At rest tan(lean) = drag / (buoyancy − weight), and the rope carries their resultant. Of an
    ellipsoid (2 + 3d − d³)/4 are wet, d = depth/|A up|."""
    entry = gallery.entry("buoy")
    run = entry.experiment.run(entry.make().compile())
    bottom, top = ([run[f"float {end}.{x}"][-1] for x in "xyz"] for end in ("position", "top"))
    axis = (np.array(top) - bottom) / (2 * buoy.HALVES[2])
    a, _, c = buoy.HALVES
    reach = np.sqrt(a**2 * (1 - axis[2] ** 2) + c**2 * axis[2] ** 2)  # |A up| of a round one
    d = (buoy.DEPTH - run["float centre.z"][-1]) / reach
    wet = (2 + 3 * d - d**3) / 4
    assert 0.7 < wet < 0.9
    drag = 0.5 * buoy.WATER * buoy.DRAG_AREA * 0.8**2 * wet
    lift = (buoy.WATER * 4 / 3 * np.pi * a * a * c * wet - buoy.MASS) * G
    assert bottom[0] / bottom[2] == pytest.approx(drag / lift, rel=1e-3)
    assert run["tension"][-1] == pytest.approx(np.hypot(drag, lift), rel=1e-3)


def test_the_seven_joint_arm_obeys_newton_and_euler_both_ways() -> None:
    system = gallery.make("seven-joint-arm").compile()
    rng = np.random.default_rng(7)
    q, v, a = rng.normal(size=(3, 7))
    tau = system.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(system.forward_dynamics(q, v, tau), a, rtol=1e-9, atol=1e-9)
