"""Textbook mechanisms whose equations can be written down by hand."""

import numpy as np
import pytest

import touchback as tb

G = 9.81


def pendulum(length: float = 0.7, mass: float = 1.3) -> tb.System:
    m = tb.Model("pendulum", gravity=(0, 0, -G))
    bob = m.body("bob", mass)
    m.joint("swing", tb.Revolute("y"), m.ground, bob.at(0, 0, length))
    return m.compile()


def test_a_pendulum_swings_back_with_g_over_l() -> None:
    """θ̈ = −(g/l) sin θ."""
    system = pendulum(0.7)
    for angle in (-2.0, 0.1, 1.5):
        a = system.forward_dynamics([angle], [3.0])
        assert a[0] == pytest.approx(-G / 0.7 * np.sin(angle), rel=1e-13)


def test_a_double_pendulum_has_the_textbook_matrices() -> None:
    """Spong, Hutchinson, Vidyasagar, Robot Modeling and Control (2006), §7.3.2: the planar elbow.

    Both joints about y, so that q turns x down towards −z: gravity terms carry minus signs."""
    m1, m2, l1, r1, r2, I1, I2 = 1.1, 0.7, 0.5, 0.21, 0.33, 0.02, 0.03
    m = tb.Model("elbow", gravity=(0, 0, -G))
    one = m.body("one", m1, (r1, 0, 0), (0.01, I1, I1))
    two = m.body("two", m2, (r2, 0, 0), (0.01, I2, I2))
    m.joint("q1", tb.Revolute("y"), m.ground, one)
    m.joint("q2", tb.Revolute("y"), one.at(l1, 0, 0), two)
    system = m.compile()
    q1, q2, v1, v2 = 0.4, -1.1, 1.7, -0.6
    c2, s2 = np.cos(q2), np.sin(q2)
    d12 = m2 * (r2**2 + l1 * r2 * c2) + I2
    d11 = m1 * r1**2 + m2 * (l1**2 + r2**2 + 2 * l1 * r2 * c2) + I1 + I2
    M = np.array([[d11, d12], [d12, m2 * r2**2 + I2]])
    h = -m2 * l1 * r2 * s2
    C = np.array([[h * v2, h * (v1 + v2)], [-h * v1, 0.0]])
    g2 = -m2 * r2 * G * np.cos(q1 + q2)
    gravity = np.array([-(m1 * r1 + m2 * l1) * G * np.cos(q1) + g2, g2])
    np.testing.assert_allclose(system.mass_matrix([q1, q2]), M, rtol=1e-13)
    bias = C @ [v1, v2] + gravity
    np.testing.assert_allclose(system.bias([q1, q2], [v1, v2]), bias, rtol=1e-13)


def test_a_cart_pole_accelerates_as_derived_by_lagrange() -> None:
    """(M + m) ẍ + m l (θ̈ cos θ − θ̇² sin θ) = F,  l θ̈ + ẍ cos θ = g sin θ (θ from upright)."""
    M, mass, length, push = 2.0, 0.3, 0.6, 4.0
    m = tb.Model("cart-pole", gravity=(0, 0, -G))
    cart, bob = m.body("cart", M), m.body("bob", mass)
    m.joint("x", tb.Prismatic("x"), m.ground, cart)
    m.joint("theta", tb.Revolute("y"), cart, bob.at(0, 0, -length))
    m.force("push", tb.JointEffort("x", push))
    theta, rate = 0.4, 1.9
    s, c = np.sin(theta), np.cos(theta)
    matrix = np.array([[M + mass, mass * length * c], [c, length]])
    expected = np.linalg.solve(matrix, [push + mass * length * rate**2 * s, G * s])
    found = m.compile().forward_dynamics([0.7, theta], [0.2, rate])
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_a_heavy_symmetric_top_precesses_steadily() -> None:
    """Goldstein, Classical Mechanics §5.7: Ω² A cos θ − Ω C ω₃ + m g l = 0 keeps θ constant.

    A about the fixed point, C about the axis, ω₃ the total spin about the axis."""
    mass, length, A0, C, theta, spin = 0.5, 0.1, 4e-4, 6e-4, 0.6, 300.0
    A = A0 + mass * length**2
    m = tb.Model("top", gravity=(0, 0, -G))
    top = m.body("top", mass, (0, 0, length), (A0, A0, C))
    m.joint("tip", tb.Spherical(), m.ground, top)
    system = m.compile()
    roots = np.roots([A * np.cos(theta), -C * spin, mass * G * length])
    for precession in roots.real:
        # body turned by θ about x; world vertical in the body: (0, sin θ, cos θ)
        q = [np.cos(theta / 2), np.sin(theta / 2), 0.0, 0.0]
        w = np.array([0.0, precession * np.sin(theta), spin])
        a = system.forward_dynamics(q, w)
        # steady precession: ω turns with the vertical, ω̇ (world) = Ω z × ω
        up = np.array([0.0, np.sin(theta), np.cos(theta)])
        np.testing.assert_allclose(a, np.cross(precession * up, w), rtol=1e-11, atol=1e-10)


def test_a_free_body_keeps_energy_and_angular_momentum() -> None:
    """Euler's top: T and |L| are integrals, though the middle axis makes it tumble."""
    m = tb.Model("tumbler", gravity=(0, 0, 0))
    body = m.body("body", 1.2, (0, 0, 0), (0.1, 0.2, 0.25))
    m.joint("fly", tb.Free(), m.ground, body, velocity=(0, 0, 0, 0.01, 4.0, 0.01))
    m.sensor("energy", tb.Energy())
    system = m.compile()
    run = tb.simulate(system, duration=10, rtol=1e-12, atol=1e-13, progress=False)
    x0, x1 = system.initial_state(), run_state(system, run, -1)
    L0, L1 = system.momentum(x0.q, x0.v)[1], system.momentum(*x1)[1]
    np.testing.assert_allclose(L1, L0, atol=1e-9 * np.linalg.norm(L0))
    assert np.ptp(run["energy"]) <= 1e-10 * run["energy"][0]
    assert np.ptp(run["fly.wy"]) > 6.0  # it did tumble


def run_state(system: tb.System, run: tb.Run, i: int) -> tuple[np.ndarray, np.ndarray]:
    x = np.array([run[name][i] for name in system.state_names])
    return x[: system.sizes[0]], x[system.sizes[0] : system.sizes[0] + system.sizes[1]]


def test_a_thrown_body_follows_a_parabola_while_it_spins() -> None:
    """The centre of mass is at p + v t + g t²/2, whatever the spin about a vertical axis."""
    m = tb.Model("projectile", gravity=(0, 0, -G))
    stone = m.body("stone", 0.4, (0, 0, 0), (0.01, 0.01, 0.02))
    m.joint("fly", tb.Free(), m.ground, stone, velocity=(3.0, 1.0, 5.0, 0, 0, 7.0))
    m.sensor("place", tb.Position(stone))
    run = tb.simulate(m.compile(), duration=2.0, rtol=1e-11, atol=1e-12, progress=False)
    end = [run[f"place.{axis}"][-1] for axis in "xyz"]
    np.testing.assert_allclose(end, [6.0, 2.0, 10.0 - 2 * G], atol=1e-8)


def test_a_nut_runs_down_a_screw_on_an_incline() -> None:
    """One freedom: (J + m p²) q̈ = m p g sin α, advance p q (p the pitch in metres per radian)."""
    mass, J, pitch, slope = 0.8, 0.002, 0.05, 0.5
    m = tb.Model("screw", gravity=(0, 0, -G))
    nut = m.body("nut", mass, (0, 0, 0), (J, 0.001, 0.0015))
    down = m.ground.at(0, 0, 0, turn=("y", slope))  # x points down the slope
    m.joint("screw", tb.Screw("x", pitch), down, nut)
    expected = mass * pitch * G * np.sin(slope) / (J + mass * pitch**2)
    assert m.compile().forward_dynamics([0.3], [2.0])[0] == pytest.approx(expected, rel=1e-13)


def test_a_spring_pendulum_bounces_and_swings_at_its_two_frequencies() -> None:
    """About rest the elastic pendulum has ω² = k/m (bounce) and g/l (swing), l stretched."""
    mass, stiffness, natural = 0.5, 40.0, 0.6
    m = tb.Model("elastic pendulum", gravity=(0, 0, -G))
    arm, bob = m.body("arm"), m.body("bob", mass)
    m.joint("swing", tb.Revolute("y"), m.ground, arm)
    m.joint("stretch", tb.Prismatic("-z"), arm, bob)
    m.force("spring", tb.SpringDamper(m.ground, bob, stiffness=stiffness, length=natural))
    system = m.compile()
    rest = natural + mass * G / stiffness
    step = 1e-6

    def accelerations(swing: float, stretch: float) -> np.ndarray:
        return system.forward_dynamics([swing, rest + stretch], [0.0, 0.0])

    assert np.abs(accelerations(0.0, 0.0)).max() < 1e-13
    swing = -(accelerations(step, 0.0) - accelerations(-step, 0.0))[0] / (2 * step)
    bounce = -(accelerations(0.0, step) - accelerations(0.0, -step))[1] / (2 * step)
    assert swing == pytest.approx(G / rest, rel=1e-9)
    assert bounce == pytest.approx(stiffness / mass, rel=1e-8)


@pytest.mark.parametrize("bend", [0.2, 0.7])
def test_a_cardan_joint_transmits_speed_by_the_known_ratio(bend: float) -> None:
    """ω_out/ω_in = cos β / (1 − sin²β cos²α) for shafts at an angle β.

    α is the angle of the input's pin a from the plane of the shafts: the output's pin is along
    axis × a, at the angle φ = atan2(cos β cos α, −sin α) about its shaft; differentiate. The
    cross's angles follow from the output's axis, both velocities from the Jacobian."""
    m = tb.Model("cardan")
    fork, out = m.body("fork"), m.body("out", 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("input", tb.Revolute("z"), m.ground, fork)
    m.joint("cross", tb.Universal("x", "y"), fork, out)
    system = m.compile()
    axis = np.array([np.sin(bend), 0.0, np.cos(bend)])
    for turn in (0.0, 0.4, 1.3, 2.5):
        c, s = np.cos(turn), np.sin(turn)
        x, y, z = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ axis
        q = [turn, np.arctan2(-y, z), np.arcsin(x)]
        R, _ = system.pose(out, q)
        np.testing.assert_allclose(R[:, 2], axis, atol=1e-14)
        J = system.jacobian(out, q)[:3]
        # ω_out = speed · axis with input rate one
        A = np.column_stack([-J[:, 1], -J[:, 2], axis])
        speed = np.linalg.solve(A, J[:, 0])[2]
        ratio = np.cos(bend) / (1 - np.sin(bend) ** 2 * np.cos(turn) ** 2)
        assert speed == pytest.approx(ratio, rel=1e-12)
