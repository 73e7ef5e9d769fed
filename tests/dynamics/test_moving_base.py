"""A moving ground, against the same motion done by driven joints or by fictitious forces."""

import numpy as np
import pytest

import touchback as tb

G = 9.81


def test_a_turning_ground_equals_a_driven_turntable() -> None:
    """Arm on a turntable: the base's ω, ω̇ and acceleration as extra driven coordinates."""
    arm_data = dict(mass=1.2, com=(0.3, 0.1, -0.2), inertia=(0.02, 0.03, 0.04))

    def arm(m: tb.Model, where: object) -> None:
        body = m.body("arm", **arm_data)
        tip = m.body("tip", 0.4, (0.1, 0, 0.2), (0.01, 0.01, 0.01))
        m.joint("shoulder", tb.Revolute((0.2, 1.0, 0.3)), where, body)
        m.joint("slide", tb.Prismatic((1.0, 0.4, 0.0)), body.at(0.5, 0, 0), tip)

    omega, alpha, lift = 1.7, -0.6, 2.3
    moving = tb.Model("moving base", gravity=(0, 0, -G))
    moving.move_base(
        angular_velocity=(0, 0, omega),
        angular_acceleration=(0, 0, alpha),
        acceleration=(0, 0, lift),
    )
    arm(moving, moving.ground.at(0.4, 0, 0))
    driven = tb.Model("turntable", gravity=(0, 0, -G))
    table = driven.body("table", 1.0, inertia=(1, 1, 1))
    driven.joint("table", tb.Cylindrical("z"), driven.ground, table)
    arm(driven, table.at(0.4, 0, 0))
    q, v, a = [0.7, -0.2], [1.1, 0.6], [0.3, -0.9]
    found = moving.compile().inverse_dynamics(q, v, a)
    table_motion = ([0, 0], [0, omega], [lift, alpha])
    full = driven.compile().inverse_dynamics(
        *(np.r_[t, x] for t, x in zip(table_motion, (q, v, a)))
    )
    np.testing.assert_allclose(found, full[2:], rtol=1e-12)


def test_a_mass_in_a_centrifuge_feels_centrifugal_and_coriolis_forces() -> None:
    """ẍ = ω² x + 2 ω ẏ + α y, ÿ = ω² y − 2 ω ẋ − α x in the turning frame."""
    omega, alpha = 2.0, 0.5
    m = tb.Model("centrifuge", gravity=(0, 0, -G))
    puck = m.body("puck", 0.7)
    m.joint("xy", tb.Planar("z"), m.ground, puck, armature=(0, 0, 1.0))
    m.move_base(angular_velocity=(0, 0, omega), angular_acceleration=(0, 0, alpha))
    x, y, vx, vy = 0.3, -0.5, 1.1, 0.4
    a = m.compile().forward_dynamics([x, y, 0.0], [vx, vy, 0.0])
    expected = [
        omega**2 * x + 2 * omega * vy + alpha * y,
        omega**2 * y - 2 * omega * vx - alpha * x,
    ]
    np.testing.assert_allclose(a[:2], expected, rtol=1e-13)


def test_foucaults_pendulum_turns_its_plane_with_the_sine_of_the_latitude() -> None:
    """The plane of swing turns by −Ω sin λ (small swings; Ω raised so that 20 s suffice)."""
    rate, latitude, length = 0.05, 0.85, 9.81
    m = tb.Model("foucault", gravity=(0, 0, -G))
    bob = m.body("bob", 1.0, (0, 0, -length))
    m.joint("wire", tb.Universal("x", "y"), m.ground, bob)
    # ground axes: x south, y east, z up
    m.move_base(angular_velocity=(-rate * np.cos(latitude), 0, rate * np.sin(latitude)))
    m.sensor("bob", tb.Position(bob.at(0, 0, -length)))
    system = m.compile()
    # centrifugal force of the base's own rotation shifts the rest position: swing about that
    start = system.assemble(**{"wire.second": 0.01})
    run = tb.simulate(system, start, duration=8 * np.pi, rtol=1e-10, atol=1e-13, progress=False,
                      output_step=2 * np.pi / 200)  # fmt: skip
    # ω₀ = 1 rad/s: fit z = x + i y = e^{-iΩ't} (A cos t + B sin t) + constant
    t = np.asarray(run.time)
    z = np.asarray(run["bob.x"]) + 1j * np.asarray(run["bob.y"])

    def misfit(turn: float) -> float:
        turned = np.exp(-1j * turn * t)
        basis = np.column_stack([turned * np.cos(t), turned * np.sin(t), np.ones_like(t)])
        return float(np.linalg.norm(z - basis @ np.linalg.lstsq(basis, z, rcond=None)[0]))

    turns = np.linspace(0.0, 2 * rate * np.sin(latitude), 401)
    best = turns[np.argmin([misfit(turn) for turn in turns])]
    assert best == pytest.approx(rate * np.sin(latitude), rel=0.02)


def test_a_sensor_on_a_moving_base_shows_velocity_in_the_inertial_frame() -> None:
    m = tb.Model("lift", gravity=(0, 0, -G))
    body = m.body("body", 1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body)
    m.move_base(velocity=(0, 0, 2.0), angular_velocity=(0, 0, 3.0))
    m.sensor("velocity", tb.Velocity(body))
    shown = m.compile().sensors([0.5], [1.0])
    assert [shown[f"velocity.{axis}"] for axis in "xyz"] == pytest.approx([1.0, 1.5, 2.0])
