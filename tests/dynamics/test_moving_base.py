"""A moving ground, against the same motion done by driven joints, by fictitious forces, and by
another engine."""

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb

G = 9.81
SENSORS = ("place", "speed", "push", "spin", "up", "energy")


def arm(m: tb.Model, where: object) -> None:
    """Two bodies in general position, with sensors of all that the ground's motion shows in."""
    body = m.body("arm", 1.2, (0.3, 0.1, -0.2), (0.02, 0.03, 0.04))
    tip = m.body("tip", 0.4, (0.1, 0, 0.2), (0.01, 0.01, 0.01))
    m.joint("shoulder", tb.Revolute((0.2, 1.0, 0.3)), where, body, position=0.7, velocity=1.1)
    m.joint("slide", tb.Prismatic((1.0, 0.4, 0.0)), body.at(0.5, 0, 0), tip, spring=30.0)
    m.force("strut", tb.SpringDamper(where, tip.at(0.1, 0, 0), stiffness=9, damping=0.3, length=1))
    for name, kind in zip(SENSORS, (tb.Position, tb.Velocity, tb.Acceleration, tb.AngularVelocity)):
        m.sensor(name, kind(tip.at(0.0, 0.1, 0.0)))
    m.sensor("up", tb.Direction(tip, "z"))
    m.sensor("energy", tb.Energy())


def motion(t: object) -> tuple[list[object], list[object]]:
    """Position, and angles of turns about z, x and y."""
    return (
        [0.3 * tb.sin(2 * t), 0.2 * t**2, 0.1 * tb.cos(3 * t)],  # type: ignore[operator]
        [0.4 * t, 0.3 * tb.sin(2.5 * t), 0.2 * tb.cos(t)],  # type: ignore[operator]
    )


def on_a_moving_ground() -> tb.Model:
    m = tb.Model("moving ground", gravity=(0.5, 0.3, -G))
    place, angles = motion(m.time)
    m.move_base(position=place, turn=list(zip("zxy", angles)))
    arm(m, m.ground.at(0.4, 0.1, 0, turn=("x", 0.3)))
    return m


def on_driven_joints() -> tb.Model:
    m = tb.Model("driven joints", gravity=(0.5, 0.3, -G))
    carrier: object = m.ground
    place, angles = motion(m.time)
    kinds = [*map(tb.Prismatic, "xyz"), *map(tb.Revolute, "zxy")]
    for i, (kind, path) in enumerate(zip(kinds, (*place, *angles))):
        body = m.body(f"carrier {i}")
        m.joint(f"carrier {i}", kind, carrier, body)
        m.drive(f"carrier {i}", path)
        carrier = body
    arm(m, tb.Frame("carrier 5", (0.4, 0.1, 0), (("x", 0.3),)))
    return m


def test_a_moving_ground_equals_driven_joints_in_motion_and_every_sensor() -> None:
    runs = [
        tb.simulate(system, system.assemble(), 1.0, rtol=1e-9, atol=1e-11, output_step=0.1)
        for system in (on_a_moving_ground().compile(), on_driven_joints().compile())
    ]
    names = [name for name in runs[0].names if name.partition(".")[0] in (*SENSORS, "shoulder")]
    assert len(names) == 17
    for name in names:
        np.testing.assert_allclose(runs[0][name], runs[1][name], rtol=1e-6, atol=1e-6, err_msg=name)


def derivatives(path: Callable[[float], np.ndarray], t: float) -> tuple[np.ndarray, np.ndarray]:
    """First and second, by differences of order 6."""
    h, n = 3e-3, np.arange(-3, 4)
    values = np.array([path(t + k * h) for k in n])
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60 / h
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / 180 / h**2
    return np.tensordot(first, values, 1), np.tensordot(second, values, 1)


def test_a_moving_ground_needs_the_efforts_that_pinocchio_finds_for_a_floating_base() -> None:
    """The base's pose from SciPy, its rates by differences: rnea(q, v, a) of the joints beyond."""
    t, q, v, a = 0.8, [0.7, -0.2], [1.1, 0.6], [0.3, -0.9]
    m = tb.Model("moving ground", gravity=(0.5, 0.3, -G))
    place, angles = motion(m.time)
    m.move_base(position=place, turn=list(zip("zxy", angles)))
    first = m.body("first", 1.2, (0.3, 0.1, -0.2), (0.02, 0.03, 0.04))
    second = m.body("second", 0.4, (0.1, 0, 0.2), (0.01, 0.015, 0.02))
    m.joint("first", tb.Revolute("y"), m.ground.at(0.4, 0.1, 0), first)
    m.joint("second", tb.Prismatic("x"), first.at(0.5, 0, 0), second)
    found = m.compile().inverse_dynamics(q, v, a, t=t)

    def p(t: float) -> np.ndarray:
        return np.array([0.3 * np.sin(2 * t), 0.2 * t**2, 0.1 * np.cos(3 * t)])

    def R(t: float) -> np.ndarray:
        return Rotation.from_euler(
            "ZXY", [0.4 * t, 0.3 * np.sin(2.5 * t), 0.2 * np.cos(t)]
        ).as_matrix()

    model = pin.Model()
    model.gravity.linear = np.array([0.5, 0.3, -G])
    base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    one = model.addJoint(base, pin.JointModelRY(), pin.SE3(np.eye(3), np.array([0.4, 0.1, 0])), "1")
    two = model.addJoint(one, pin.JointModelPX(), pin.SE3(np.eye(3), np.array([0.5, 0, 0])), "2")
    for joint, mass, com, inertia in (
        (one, 1.2, (0.3, 0.1, -0.2), (0.02, 0.03, 0.04)),
        (two, 0.4, (0.1, 0, 0.2), (0.01, 0.015, 0.02)),
    ):
        own = pin.Inertia(mass, np.array(com), np.diag(inertia))
        model.appendBodyToJoint(joint, own, pin.SE3.Identity())
    p_rate, p_curvature = derivatives(p, t)
    R_rate, R_curvature = derivatives(R, t)
    turn = R(t).T @ R_rate
    omega = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
    turn = R(t).T @ R_curvature - turn @ turn  # of the rate of R ω̃
    alpha = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
    linear = R(t).T @ p_rate  # components along the base's axes, and their rates
    linear_rate = R(t).T @ p_curvature - np.cross(omega, linear)
    expected = pin.rnea(
        model, model.createData(), np.r_[p(t), Rotation.from_matrix(R(t)).as_quat(), q],
        np.r_[linear, omega, v], np.r_[linear_rate, alpha, a],
    )  # fmt: skip
    np.testing.assert_allclose(found, expected[6:], rtol=1e-9)


def test_a_bob_on_a_rolling_ship_stays_plumb() -> None:
    """Hung at the axis of roll without friction: it keeps its angle in the world, q = −φ."""
    m = tb.Model("ship", gravity=(0, 0, -G))
    bob = m.body("bob", 1.0, (0, 0, -0.5))
    m.joint("hinge", tb.Revolute("x"), m.ground, bob, velocity=-0.3)
    m.move_base(turn=("x", 0.3 * tb.sin(m.time)))
    m.sensor("bob", tb.Position(bob.at(0, 0, -0.5)))
    m.sensor("energy", tb.Energy())
    run = tb.simulate(m.compile(), duration=5.0, rtol=1e-11, atol=1e-13, progress=False)
    np.testing.assert_allclose(run["hinge"], -0.3 * np.sin(run.time), atol=1e-9)
    np.testing.assert_allclose(run["bob.y"], 0.0, atol=1e-9)
    np.testing.assert_allclose(run["energy"], -0.5 * G, rtol=1e-12)


def test_a_pendulum_in_a_lift_and_in_a_train_feels_their_accelerations() -> None:
    """q̈ = −((g + a_z) sin q + a_x cos q)/l; by the position alone."""
    lift, brake, length, q = 2.5, -1.5, 0.4, 0.6
    m = tb.Model("train in a lift", gravity=(0, 0, -G))
    bob = m.body("bob", 0.7, (0, 0, -length))
    m.joint("hinge", tb.Revolute("-y"), m.ground, bob)
    m.move_base(position=(0.5 * brake * m.time**2, 0, 0.5 * lift * m.time**2 + 3 * m.time))
    found = m.compile().forward_dynamics([q], [0.4], t=0.9)
    expected = -((G + lift) * np.sin(q) + brake * np.cos(q)) / length
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_a_platform_known_by_its_acceleration_moves_by_states() -> None:
    """The same, with the acceleration an input: two states integrate it."""
    m = tb.Model("platform", gravity=(0, 0, -G))
    push = m.input("push", unit="m/s²")
    speed = m.state("speed", 0.0, push)
    place = m.state("place", 0.0, speed)
    bob = m.body("bob", 0.7, (0, 0, -0.4))
    m.joint("hinge", tb.Revolute("-y"), m.ground, bob)
    m.move_base(position=(place, 0, 0))
    m.sensor("bob", tb.Position(bob))
    system = m.compile()
    found = system.forward_dynamics([0.6], [0.4], u={"push": 1.5})
    np.testing.assert_allclose(found, -(G * np.sin(0.6) + 1.5 * np.cos(0.6)) / 0.4, rtol=1e-13)
    run = tb.simulate(system, duration=1.0, inputs={"push": 1.5}, rtol=1e-10, progress=False)
    np.testing.assert_allclose(run["bob.x"], 0.75 * run.time**2, atol=1e-9)


def test_a_mass_in_a_centrifuge_feels_centrifugal_and_coriolis_forces() -> None:
    """ẍ = ω² x + 2 ω ẏ + α y, ÿ = ω² y − 2 ω ẋ − α x in the turning frame."""
    omega, alpha = 2.0, 0.5
    m = tb.Model("centrifuge", gravity=(0, 0, -G))
    puck = m.body("puck", 0.7)
    m.joint("xy", tb.Planar("z"), m.ground, puck, armature=(0, 0, 1.0))
    m.move_base(turn=("z", omega * m.time + 0.5 * alpha * m.time**2))
    x, y, vx, vy = 0.3, -0.5, 1.1, 0.4
    a = m.compile().forward_dynamics([x, y, 0.0], [vx, vy, 0.0])
    expected = [
        omega**2 * x + 2 * omega * vy + alpha * y,
        omega**2 * y - 2 * omega * vx - alpha * x,
    ]
    np.testing.assert_allclose(a[:2], expected, rtol=1e-13)


def test_foucaults_pendulum_turns_its_plane_with_the_sine_of_the_latitude() -> None:
    """The plane of swing turns by −Ω sin λ (small swings; Ω raised so that 20 s suffice). Gravity
    points to the axis of the world, so it turns with the ground here."""
    rate, latitude, length = 0.05, 0.85, 9.81
    m = tb.Model("foucault")
    down, turned = np.pi / 2 - latitude, rate * m.time
    up = (np.sin(down) * tb.cos(turned), np.sin(down) * tb.sin(turned), np.cos(down))
    m.gravity = tuple(-G * x for x in up)
    bob = m.body("bob", 1.0, (0, 0, -length))
    m.joint("wire", tb.Universal("x", "y"), m.ground, bob)
    m.move_base(turn=[("z", turned), ("y", down)])  # ground axes: x south, y east, z up
    system = m.compile()
    start = system.assemble(**{"wire.second": 0.01})
    run = tb.simulate(system, start, duration=8 * np.pi, rtol=1e-10, atol=1e-13, progress=False,
                      output_step=2 * np.pi / 200)  # fmt: skip
    # ω₀ = 1 rad/s: fit z = x + i y = e^{-iΩ't} (A cos t + B sin t) + constant
    t, first, second = np.asarray(run.time), run["wire.first"], run["wire.second"]
    z = length * (-np.sin(second) + 1j * np.sin(first) * np.cos(second))

    def misfit(turn: float) -> float:
        turned = np.exp(-1j * turn * t)
        basis = np.column_stack([turned * np.cos(t), turned * np.sin(t), np.ones_like(t)])
        return float(np.linalg.norm(z - basis @ np.linalg.lstsq(basis, z, rcond=None)[0]))

    turns = np.linspace(0.0, 2 * rate * np.sin(latitude), 401)
    best = turns[np.argmin([misfit(turn) for turn in turns])]
    assert best == pytest.approx(rate * np.sin(latitude), rel=0.02)


def test_velocities_and_accelerations_of_frames_are_the_rates_of_their_places() -> None:
    system = on_a_moving_ground().compile()
    t, frame = 0.7, tb.Frame("tip", (0.1, 0.2, 0.3))
    q, v, a = np.array([0.4, 0.1]), np.array([1.2, -0.5]), np.array([0.7, 2.0])

    def place(s: float) -> np.ndarray:
        R, p = system.pose(frame, q + v * (s - t) + a * (s - t) ** 2 / 2, s)
        return np.column_stack([R, p])

    rate, curvature = derivatives(place, t)
    velocity = system.velocity(frame, q, v, t)
    np.testing.assert_allclose(velocity[3:], rate[:, 3], rtol=1e-9)
    turning = rate[:, :3] @ place(t)[:, :3].T
    np.testing.assert_allclose(
        velocity[:3], [turning[2, 1], turning[0, 2], turning[1, 0]], rtol=1e-9
    )
    acceleration = system.acceleration(frame, q, v, a, t=t)
    np.testing.assert_allclose(acceleration[3:], curvature[:, 3], rtol=1e-8)
    np.testing.assert_allclose(
        system.velocity("ground", q, v, t)[3:],
        [0.6 * np.cos(2 * t), 0.4 * t, -0.3 * np.sin(3 * t)], rtol=1e-13,
    )  # fmt: skip


def test_what_is_fixed_to_the_ground_counts_in_energy_and_where_it_moves_in_momentum() -> None:
    m = tb.Model("crate", gravity=(0, 0, -G))
    crate = m.body("crate", 2.0, (0, 0, 0.5), (0.1, 0.2, 0.3))
    m.joint("lashing", tb.Fixed(), m.ground.at(0, 0, 1), crate)
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("puck", 1.0))
    assert m.compile().energy([0.2], [3.0]) == pytest.approx((4.5, 2 * G * 1.5))
    assert m.compile().centre_of_mass([0.2]) == pytest.approx([0.2, 0, 0])
    m.move_base(position=(0, 0, 2 * m.time), turn=("z", 3 * m.time))
    still = m.compile().energy([0.0], [0.0], t=1.0)
    assert still == pytest.approx((0.5 * 3 * 4 + 0.5 * 0.3 * 9, 2 * G * 3.5 + G * 2))
    momentum = m.compile().momentum([0.0], [0.0], t=1.0)
    assert momentum == pytest.approx(np.array([[0, 0, 6.0], [0, 0, 0.9]]))


@pytest.mark.parametrize("word", ["velocity", "acceleration", "angular_velocity"])
def test_rates_of_the_motion_are_not_asked_for(word: str) -> None:
    with pytest.raises(tb.ModelError, match=f"no option '{word}'; give the motion itself"):
        tb.Model("old").move_base(**{word: (1.0, 0, 0)})


@pytest.mark.parametrize("what", ["input", "coordinate", "sensor", "memory"])
def test_a_motion_without_known_rates_is_refused(what: str) -> None:
    m = tb.Model("unknown", gravity=(0, 0, 0))
    body = m.body("body", 1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body)
    given = {
        "input": lambda: m.input("it"),
        "coordinate": lambda: m.coordinate("slide"),
        "sensor": lambda: m.sensor("it", tb.Signal(m.time)),
        "memory": lambda: m.memory("it", 0.0, m.time),
    }[what]()
    m.move_base(position=(0, 0, given))
    with pytest.raises(tb.ModelError, match=r"Moving base: its motion uses '(it|q:slide)'"):
        m.compile()
