"""What acts on a body in all, by sensors, against closed forms and Newton's and Euler's laws."""

import numpy as np
import pytest

import touchback as tb
from touchback.errors import ModelError

G = 9.81


def measured(system: tb.System, *state: object) -> dict[str, np.ndarray]:
    shown = system.sensors(*state)
    names = dict.fromkeys(name.partition(".")[0] for name in shown)
    return {name: np.array([shown[f"{name}.{axis}"] for axis in "xyz"]) for name in names}


def test_a_pendulum_feels_what_its_swing_needs() -> None:
    """About +y: α = −g/l sin θ; the bob at l (−sin θ, 0, −cos θ) has a = α × r + ω × (ω × r)."""
    m, length, mass = tb.Model("pendulum"), 0.8, 2.5
    bob = m.body("bob", mass=mass, com=(0, 0, -length))
    m.joint("pivot", tb.Revolute("y"), m.ground, bob)
    m.sensor("alpha", tb.AngularAcceleration(bob))
    m.sensor("force", tb.TotalForce(bob))
    m.sensor("torque", tb.TotalTorque(bob))
    system = m.compile()
    theta, omega = 0.7, 1.9
    found = measured(system, [theta], [omega])
    alpha = -G / length * np.sin(theta)
    r = length * np.array([-np.sin(theta), 0.0, -np.cos(theta)])
    turn, spin = np.array([0.0, alpha, 0.0]), np.array([0.0, omega, 0.0])
    expected = mass * (np.cross(turn, r) + np.cross(spin, np.cross(spin, r)))
    assert found["alpha"] == pytest.approx(turn, rel=1e-12)
    assert found["force"] == pytest.approx(expected, rel=1e-12)
    assert found["torque"] == pytest.approx(0.0, abs=1e-12)  # of a point mass


def test_a_thrown_body_feels_its_weight_and_what_is_screwed_on_it() -> None:
    """Free flight: m g and, whatever the spin, the torque that is applied; in world axes."""
    m = tb.Model("thrown")
    inertia = np.array([[0.3, 0.02, -0.01], [0.02, 0.5, 0.03], [-0.01, 0.03, 0.4]])
    body = m.body("body", mass=3.0, com=(0.1, -0.2, 0.3), inertia=inertia)
    m.joint("flight", tb.Free(), m.ground, body)
    m.sensor("force", tb.TotalForce(body.at(1, 2, 3)))
    m.sensor("torque", tb.TotalTorque(body.at(1, 2, 3)))
    twist = m.input("twist")
    m.force("screw", tb.Wrench(body.at(0.1, -0.2, 0.3), torque=(0.0, twist, 2.0)))
    system = m.compile()
    chance = np.random.default_rng(4)
    for _ in range(20):
        q = chance.normal(size=7)
        q[3:] /= np.linalg.norm(q[3:])
        found = measured(system, q, chance.normal(size=6), [0.5])
        assert found["force"] == pytest.approx([0.0, 0.0, -3.0 * G], abs=1e-10)
        assert found["torque"] == pytest.approx([0.0, 0.5, 2.0], abs=1e-10)


def test_the_ground_has_none() -> None:
    with pytest.raises(ModelError, match="TotalForce: what acts on the ground moves nothing"):
        tb.TotalForce(tb.Model("empty").ground)
