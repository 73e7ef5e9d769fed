"""Forces one by one, each against what it is by definition."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb

G = 9.81
Q = np.array([0.3, -0.2, 0.5, *Rotation.from_rotvec([0.4, -0.7, 0.2]).as_quat()[[3, 0, 1, 2]]])
V = np.array([0.4, -0.1, 0.7, 0.9, -0.5, 0.3])
R = Rotation.from_rotvec([0.4, -0.7, 0.2]).as_matrix()


def floating(gravity: tuple[float, float, float] = (0, 0, 0)) -> tuple[tb.Model, tb.model.Body]:
    """A free body with its centre of mass at its origin."""
    m = tb.Model("floating", gravity=gravity)
    body = m.body("body", 2.0, inertia=(0.1, 0.2, 0.25))
    m.joint("free", tb.Free(), m.ground, body)
    return m, body


def generalised(m: tb.Model, q: np.ndarray = Q, v: np.ndarray = V) -> np.ndarray:
    """What the forces add to the right-hand side: bias without them less bias with them."""
    bare = tb.Model("bare", gravity=m.gravity)
    bare.bodies.update(m.bodies)
    bare.joints.update(m.joints)
    return bare.compile().bias(q, v) - m.compile().bias(q, v)


def test_a_force_in_world_axes_acts_where_it_is_put() -> None:
    m, body = floating()
    arm, force, torque = np.array([0.1, 0.2, -0.3]), np.array([1, -2, 3.0]), np.array([0.5, 0, 1])
    m.force("push", tb.Wrench(body.at(*arm), force=tuple(force), torque=tuple(torque)))
    found = generalised(m)  # along body axes, as the velocities are
    np.testing.assert_allclose(found[:3], R.T @ force, atol=1e-13)
    np.testing.assert_allclose(found[3:], np.cross(arm, R.T @ force) + R.T @ torque, atol=1e-13)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_a_force_at_a_point_given_by_inputs_is_one_at_a_frame_there(axes: str) -> None:
    arm, force, torque = (0.1, 0.2, -0.3), (1.0, -2.0, 3.0), (0.5, 0.0, 1.0)
    m, body = floating()
    point = tuple(m.input(f"at {axis}", default=x) for axis, x in zip("xyz", arm))
    turn = ("z", 0.5)
    m.force("push", tb.Wrench(body.at(0, 0, 0, turn=turn), force, torque, axes, point))
    there, body = floating()
    turned = Rotation.from_euler("Z", 0.5).apply(arm)
    there.force("push", tb.Wrench(body.at(*turned, turn=turn), force, torque, axes))
    np.testing.assert_allclose(generalised(m), generalised(there), atol=1e-13)


def holding(grip: float, target: tuple[float, float, float], bound: float = 1e6) -> tb.Model:
    """A free body that a hand may hold by its second frame."""
    m, body = floating()
    frames = (body.at(0.3, 0, 0), body.at(0, 0, 0, turn=("x", 0.3)))
    m.force("hand", tb.Hand(frames, m.input("grip", default=grip), target, (0.1, 0.2, -0.3), 200.0,
                            7.0, bound))  # fmt: skip
    return m


def test_a_hand_pulls_by_a_spring_and_a_damper_at_the_point_that_it_holds() -> None:
    target = (0.5, 0.1, -0.2)
    found = generalised(holding(2.0, target))
    arm = Rotation.from_rotvec([0.3, 0, 0]).apply([0.1, 0.2, -0.3])  # along body axes
    x, x_rate = Q[:3] + R @ arm, R @ (V[:3] + np.cross(V[3:], arm))
    force = R.T @ (200.0 * (np.array(target) - x) - 7.0 * x_rate)
    np.testing.assert_allclose(found, np.r_[force, np.cross(arm, force)], atol=1e-12)


def test_a_hand_that_holds_nothing_does_nothing_wherever_it_is() -> None:
    assert not generalised(holding(0.0, (1e6, 0.0, 0.0))).any()


def test_a_hand_pulls_no_more_than_its_bound_and_in_the_same_direction() -> None:
    free, bounded = (generalised(holding(2.0, (3.0, 1.0, -2.0), bound)) for bound in (1e6, 5.0))
    assert np.linalg.norm(free[:3]) > 100.0
    np.testing.assert_allclose(bounded, free * 5.0 / np.linalg.norm(free[:3]), rtol=1e-12)


def test_a_force_in_body_axes_turns_with_its_frame() -> None:
    m, body = floating()
    force, torque = np.array([1, -2, 3.0]), np.array([0.5, 0, 1])
    at = body.at(0.1, 0.2, -0.3, turn=("z", 0.5))
    m.force("jet", tb.Wrench(at, force=tuple(force), torque=tuple(torque), axes="body"))
    turn = Rotation.from_euler("Z", 0.5).as_matrix()
    expected = np.r_[turn @ force, np.cross([0.1, 0.2, -0.3], turn @ force) + turn @ torque]
    np.testing.assert_allclose(generalised(m), expected, atol=1e-13)


def test_a_spring_damper_pulls_along_its_line() -> None:
    m, body = floating()
    a, b = np.array([1.0, 2.0, 0.5]), np.array([0.1, 0.2, -0.3])
    spring = tb.SpringDamper(m.ground.at(*a), body.at(*b), stiffness=120.0, damping=7.0, length=0.8)
    m.force("spring", spring)
    line = Q[:3] + R @ b - a
    length = np.linalg.norm(line)
    rate = line @ (R @ (V[:3] + np.cross(V[3:], b))) / length
    pull = -(120.0 * (length - 0.8) + 7.0 * rate) * (R.T @ line) / length
    np.testing.assert_allclose(generalised(m), np.r_[pull, np.cross(b, pull)], rtol=1e-12)


def test_a_spring_of_no_length_does_nothing_rather_than_divide_by_zero() -> None:
    m = tb.Model("coincident", gravity=(0, 0, 0))
    body = m.body("body", 1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body)
    m.force("spring", tb.SpringDamper(m.ground, body, stiffness=10.0, length=0.3))
    assert m.compile().forward_dynamics([0.0], [1.0])[0] == 0.0


def test_a_link_force_follows_any_python_law() -> None:
    m, body = floating()
    m.force(
        "tendon",
        tb.LinkForce(m.ground.at(1, 0, 0), body, lambda length, rate: 5 * length**3 + tb.sin(rate)),
    )
    line = Q[:3] - [1.0, 0.0, 0.0]
    length = np.linalg.norm(line)
    rate = line @ (R @ V[:3]) / length
    pull = -(5 * length**3 + np.sin(rate)) * R.T @ line / length
    np.testing.assert_allclose(generalised(m)[:3], pull, rtol=1e-12)


def hinged(**options: object) -> tb.Model:
    m = tb.Model("hinged", gravity=(0, 0, 0))
    body = m.body("body", 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("hinge", tb.Revolute("z"), m.ground, body, **options)
    return m


def effort(m: tb.Model, q: float, v: float) -> float:
    return float(m.compile().joint_efforts([q], [v])[0])


def test_a_torsion_spring_pulls_back_to_its_rest_and_is_preloaded() -> None:
    m = hinged()
    m.force("spring", tb.TorsionSpring("hinge", stiffness=3, damping=0.5, rest=0.2, preload=0.7))
    assert effort(m, 0.9, -2.0) == pytest.approx(-3 * 0.7 + 0.5 * 2.0 + 0.7, rel=1e-14)


def test_a_joint_effort_may_be_a_number_an_input_or_a_law() -> None:
    m = hinged()
    torque = m.input("torque", default=2.0)
    m.force("number", tb.JointEffort("hinge", 0.25))
    m.force("input", tb.JointEffort("hinge", torque))
    m.force("law", tb.JointEffort("hinge", lambda q, v: -3 * q**3 - v * abs(v)))
    system = m.compile()
    law = -3 * 0.5**3 - 1.5 * 1.5
    assert system.joint_efforts([0.5], [1.5])[0] == pytest.approx(2.25 + law)
    given = system.joint_efforts([0.5], [1.5], u={"torque": -1.0})[0]
    assert given == pytest.approx(-0.75 + law)


def test_a_joint_has_springs_damping_friction_and_stops_of_its_own() -> None:
    assert effort(hinged(spring=4.0, rest=0.1), 0.6, 1.0) == pytest.approx(-2.0)
    assert effort(hinged(damping=0.3), 0.6, 2.0) == pytest.approx(-0.6)
    rough = hinged(friction=0.5, friction_speed=0.01)
    assert effort(rough, 0.0, 10.0) == pytest.approx(-0.5, rel=1e-6)
    assert effort(rough, 0.0, -10.0) == pytest.approx(0.5, rel=1e-6)
    assert effort(rough, 0.0, 0.01) == pytest.approx(-0.5 / np.sqrt(2), rel=1e-12)


@pytest.mark.parametrize(
    ("q", "v", "expected"),
    [
        (0.5, 9.0, 0.0),  # within
        (1.2, 0.0, -1000 * 0.2),  # pressed in
        (1.2, 5.0, -1000 * 0.2 - 10 * 5.0),  # going in
        (1.2, -30.0, 0.0),  # leaving fast: a stop never pulls
        (-1.2, 0.0, 1000 * 0.2),
        (-1.2, -5.0, 1000 * 0.2 + 10 * 5.0),
        (-1.2, 30.0, 0.0),
    ],
)
def test_a_stop_pushes_back_beyond_its_limit_and_never_pulls(
    q: float, v: float, expected: float
) -> None:
    m = hinged(limits=(-1.0, 1.0), stop=(1000.0, 10.0))
    assert effort(m, q, v) == pytest.approx(expected, rel=1e-12)


def two_floating() -> tuple[tb.Model, Callable[[str], object]]:
    m = tb.Model("two", gravity=(0, 0, 0))
    for name in ("a", "b"):
        body = m.body(name, 1.5, (0.1, 0, 0.2), (0.1, 0.2, 0.25))
        m.joint(name, tb.Free(), m.ground, body)
    return m, lambda name: tb.Frame(name, (0.2, -0.1, 0.3), (("x", 0.4),))


@pytest.mark.parametrize("kind", ["spring", "bushing"])
def test_action_equals_reaction_also_in_moments(kind: str) -> None:
    """Two free bodies joined by a force alone keep linear and angular momentum."""
    m, at = two_floating()
    a, b = at("a"), at("b")
    if kind == "spring":
        m.force("spring", tb.SpringDamper(a, b, stiffness=50, damping=3, length=0.2))
    else:
        m.force(
            "bushing",
            tb.Bushing(
                a, b, stiffness=(100, 200, 300), damping=(1, 2, 3), torsion=(5, 6, 7),
                torsion_damping=(0.1, 0.2, 0.3),
            ),
        )  # fmt: skip
    system = m.compile()
    rng = np.random.default_rng(1)
    q, v = rng.standard_normal(14), rng.standard_normal(12)
    x_dot = system.state_rate(q, v)
    step = 1e-6
    before = system.momentum(q - step * x_dot[:14], v - step * x_dot[14:])
    after = system.momentum(q + step * x_dot[:14], v + step * x_dot[14:])
    assert np.abs(x_dot[14:]).max() > 1.0
    # central differences: error step² times third derivatives, and rounding 1e-16/step
    np.testing.assert_allclose((after - before) / (2 * step), 0.0, atol=1e-7)


def test_a_bushing_is_a_matrix_of_stiffness_for_small_displacements() -> None:
    m = tb.Model("bushing", gravity=(0, 0, 0))
    body = m.body("body", 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("free", tb.Free(), m.ground, body)
    stiffness, torsion = (100.0, 200.0, 300.0), (5.0, 6.0, 7.0)
    m.force("bush", tb.Bushing(m.ground, body, stiffness=stiffness, torsion=torsion))
    system = m.compile()
    small = 1e-6
    for i in range(6):
        q = np.array([0, 0, 0, 1, 0, 0, 0.0])
        q[i if i < 3 else i + 1] = small if i < 3 else small / 2  # quaternion: half the angle
        found = -system.bias(q, np.zeros(6)) / small
        expected = np.zeros(6)
        expected[i] = -(stiffness + torsion)[i]
        np.testing.assert_allclose(found, expected, atol=1e-3)


def test_a_bushing_damps_relative_motion() -> None:
    m = tb.Model("bushing", gravity=(0, 0, 0))
    body = m.body("body", 1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("free", tb.Free(), m.ground, body)
    m.force("bush", tb.Bushing(m.ground, body, damping=(1, 2, 3), torsion_damping=(4, 5, 6)))
    v = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    bias = m.compile().bias([0, 0, 0, 1, 0, 0, 0], v)
    inertial = np.r_[np.cross(v[3:], v[:3]), 0, 0, 0]
    np.testing.assert_allclose(bias - inertial, v * [1, 2, 3, 4, 5, 6], atol=1e-13)


def test_a_float_is_in_equilibrium_when_it_displaces_its_weight() -> None:
    """A buoy of cross-section A sinks to the draught m/(ρ A), and bobs at √(ρ g A / m)."""
    mass, area, density = 3.0, 0.02, 1025.0
    m = tb.Model("buoy", gravity=(0, 0, -G))
    buoy = m.body("buoy", mass)
    m.joint("heave", tb.Prismatic("z"), m.ground, buoy)
    draught = tb.maximum(-m.coordinate("heave"), 0.0)
    m.force("float", tb.Buoyancy(buoy, volume=area * draught, density=density))
    system = m.compile()
    rest = -mass / (density * area)
    assert abs(system.forward_dynamics([rest], [0.0])[0]) < 1e-12
    lift = system.forward_dynamics([rest - 1e-3], [0.0])[0]
    assert lift == pytest.approx(1e-3 * density * G * area / mass, rel=1e-10)


def test_a_falling_body_reaches_its_terminal_velocity() -> None:
    """v∞ = √(2 m g / (ρ c A)), and v(t) = v∞ tanh(g t / v∞) on the way."""
    mass, area, coefficient, density = 0.2, 0.01, 0.47, 1.2
    m = tb.Model("parachutist", gravity=(0, 0, -G))
    ball = m.body("ball", mass)
    m.joint("fall", tb.Prismatic("-z"), m.ground, ball)
    m.force("drag", tb.Drag(ball, area=area, coefficient=coefficient, density=density))
    system = m.compile()
    terminal = np.sqrt(2 * mass * G / (density * coefficient * area))
    assert abs(system.forward_dynamics([0.0], [terminal])[0]) < 1e-13
    run = tb.simulate(system, duration=3.0, rtol=1e-11, atol=1e-12, progress=False)
    assert run["fall rate"][-1] == pytest.approx(terminal * np.tanh(3 * G / terminal), rel=1e-9)


def test_drag_sees_the_velocity_relative_to_the_flow() -> None:
    m, body = floating()
    m.force("drag", tb.Drag(body, area=0.3, coefficient=0.8, density=1.1, flow=(3, -1, 0.5)))
    u = R @ V[:3] - [3, -1, 0.5]
    expected = -0.5 * 1.1 * 0.8 * 0.3 * np.linalg.norm(u) * (R.T @ u)
    np.testing.assert_allclose(generalised(m)[:3], expected, rtol=1e-12)
    still = np.r_[R.T @ [3, -1, 0.5], 0, 0, 0]
    np.testing.assert_allclose(generalised(m, Q, still), 0.0, atol=1e-13)
