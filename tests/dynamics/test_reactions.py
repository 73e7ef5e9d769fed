"""Reactions: what joints carry, in closed form and by each body's balance of momentum."""

import numpy as np
import pytest
from hypothesis import given

import touchback as tb
from random_mechanisms import Mechanism, examples, mechanisms, random_mechanism, scale

G = 9.81


def test_a_hanging_chain_carries_the_weight_below() -> None:
    m = tb.Model("chain", gravity=(0, 0, -G))
    above: object = m.ground
    for i in range(5):
        link = m.body(f"link {i}", 0.3 + 0.1 * i, (0, 0, -0.1), (1e-3, 1e-3, 1e-4))
        m.joint(f"pin {i}", tb.Revolute("y"), above, link)
        above = link.at(0, 0, -0.2)
    system = m.compile()
    for i in range(5):
        weight = G * sum(0.3 + 0.1 * k for k in range(i, 5))
        force = system.reaction(f"pin {i}", np.zeros(5), np.zeros(5))
        np.testing.assert_allclose(force, [0, 0, weight, 0, 0, 0], atol=1e-13)


def test_a_rotating_arm_pulls_with_m_r_omega_squared() -> None:
    m = tb.Model("arm", gravity=(0, 0, 0))
    arm = m.body("arm", 2.0, (0.4, 0, 0), (0.01, 0.02, 0.02))
    m.joint("hub", tb.Revolute("z"), m.ground, arm)
    reaction = m.compile().reaction("hub", [0.9], [5.0])
    # towards the hub, along the arm's own axes
    np.testing.assert_allclose(reaction, [-2.0 * 0.4 * 25.0, 0, 0, 0, 0, 0], atol=1e-13)


def test_a_cantilever_carries_weight_and_moment_at_its_wall() -> None:
    m = tb.Model("cantilever", gravity=(0, 0, -G))
    beam = m.body("beam", 3.0, (0.5, 0, 0), (0.01, 0.3, 0.3))
    load = m.body("load", 2.0)
    m.joint("wall", tb.Fixed(), m.ground.at(0.1, 0.2, 0.3), beam)
    m.joint("tip", tb.Fixed(), beam.at(1.0, 0, 0), load)
    slider = m.body("slider", 1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, slider)
    system = m.compile()
    wall = system.reaction("wall", [0.0], [0.0])
    # upward force of both weights; the moment lifts the tip: about −y
    moment = -(3.0 * 0.5 + 2.0 * 1.0) * G
    np.testing.assert_allclose(wall, [0, 0, 5.0 * G, 0, moment, 0], atol=1e-12)
    np.testing.assert_allclose(
        system.reaction("tip", [0.0], [0.0]), [0, 0, 2.0 * G, 0, 0, 0], atol=1e-12
    )


def test_a_free_joint_carries_nothing() -> None:
    m = tb.Model("free", gravity=(0, 0, -G))
    body = m.body("body", 2.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))
    m.joint("free", tb.Free(), m.ground, body)
    m.force("push", tb.Wrench(body.at(0.3, 0, 0), force=(1, 2, 3), torque=(0.1, 0.2, 0.3)))
    system = m.compile()
    q = [0.1, 0.2, 0.3, 0.5, -0.5, 0.5, 0.5]
    np.testing.assert_allclose(
        system.reaction("free", q, [1, 2, 3, 4, 5, 6.0]), np.zeros(6), atol=1e-12
    )


def test_a_smooth_joint_carries_no_effort_along_its_freedom() -> None:
    m = tb.Model("door", gravity=(0, 0, -G))
    door = m.body("door", 10.0, (0.4, 0.05, 0.1), (0.1, 0.5, 0.5))
    m.joint("hinge", tb.Revolute((0.3, 0.2, 1.0)), m.ground, door.at(0.1, 0, 0), damping=0.0)
    reaction = m.compile().reaction("hinge", [0.7], [2.0])
    axis = np.array([0.3, 0.2, 1.0])
    assert abs(reaction[3:] @ axis) < 1e-12
    assert np.linalg.norm(reaction[3:]) > 1.0


@examples(10)
@given(mechanisms(size=5))
def test_each_body_balances_its_rate_of_momentum(mechanism: Mechanism) -> None:
    """Σ reactions + applied + weight = d(momentum)/dt, from the motion of the body alone.

    Force and moment about each body's centre of mass, in world axes, with p_com, R, ω, ω̇ and the
    acceleration from kinematics: independent of how the reactions were found. The ground moves."""
    for joint in mechanism.joints:
        joint.armature = 0.0  # rotors are outside the bodies
    model = mechanism.model()
    applied, torque = mechanism.rng.standard_normal((2, 3)) * 5
    target = tb.Frame("b2", (0.1, -0.2, 0.3))
    model.force("push", tb.Wrench(target, force=tuple(applied), torque=tuple(torque)))
    t = model.time
    place, angles = (
        tuple(x + y * t + z * t**2 for x, y, z in each)
        for each in mechanism.rng.standard_normal((2, 3, 3))
    )
    model.move_base(place, list(zip("zxy", angles)))
    system = model.compile()
    q, v, a = mechanism.state(system)
    pushes = {f"j{i}": _world(mechanism, system, i, q, v, a) for i in range(5)}
    for i, joint in enumerate(mechanism.joints):
        centre = tb.Frame(f"b{i}", tuple(joint.com))
        R, p = system.pose(centre, q)
        w = system.velocity(centre, q, v)[:3]
        alpha, acceleration = np.split(system.acceleration(centre, q, v, a), 2)
        J = R @ joint.inertia @ R.T
        force = -joint.mass * (acceleration - mechanism.gravity)
        moment = -(J @ alpha + np.cross(w, J @ w))
        for k, other in enumerate(mechanism.joints):
            F, N, at = pushes[f"j{k}"]
            sign = 1.0 if k == i else -1.0 if other.parent == i else 0.0
            force = force + sign * F
            moment = moment + sign * (N + np.cross(at - p, F))
        if i == 2:
            force = force + applied
            moment = moment + torque + np.cross(system.pose(target, q)[1] - p, applied)
        size = scale(*(np.abs(x) for push in pushes.values() for x in push[:2]))
        assert np.abs(force).max() <= 1e-12 * size
        assert np.abs(moment).max() <= 1e-12 * size


def _world(
    mechanism: Mechanism,
    system: tb.System,
    i: int,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Reaction of joint i in world axes, and the point where it acts."""
    R, p = system.pose(mechanism.child_frame(i), q)
    reaction = system.reaction(f"j{i}", q, v, a)
    return R @ reaction[:3], R @ reaction[3:], p


@pytest.mark.parametrize("seed", range(3))
def test_a_reaction_sensor_shows_what_the_function_gives(seed: int) -> None:
    mechanism = random_mechanism(seed, kinds=("revolute", "fixed", "spherical", "prismatic"))
    model = mechanism.model()
    model.sensor("wall", tb.Reaction("j1"))
    model.sensor("tip", tb.Acceleration("b4"))
    system = model.compile()
    q, v, _ = mechanism.state(system)
    shown = system.sensors(q, v)
    found = [shown[f"wall.{name}"] for name in ("fx", "fy", "fz", "mx", "my", "mz")]
    np.testing.assert_allclose(found, system.reaction("j1", q, v), atol=1e-10)
    a = system.forward_dynamics(q, v)
    tip = [shown[f"tip.{axis}"] for axis in "xyz"]
    np.testing.assert_allclose(tip, system.acceleration("b4", q, v, a)[3:], atol=1e-10)
