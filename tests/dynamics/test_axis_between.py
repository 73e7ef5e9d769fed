"""Motion along and about an axis of a frame that moves, and efforts there: virtual work, and
reciprocity; rotations as SciPy reads them."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

import touchback as tb
from random_mechanisms import Mechanism, examples, mechanisms

AXIS = (1.0, 2.0, -2.0)
UNIT = np.array(AXIS) / 3.0
BASE, TIP = tb.Frame("b0", (0.1, 0.2, 0.3), (("x", 0.4),)), tb.Frame("b3", (-0.2, 0.1, 0.0))


def with_axes(model: tb.Model) -> tb.System:
    """An axis of b0 along which, and one about which, b3 is read and pushed by inputs."""
    for name, turning in (("slide", False), ("turn", True)):
        model.sensor(name, tb.AxisMotion(TIP, BASE, AXIS, turning))
        effort = model.input(name + " effort")
        model.force(name, tb.AxisEffort(TIP, BASE, effort, AXIS, turning))
    return model.compile()


def rates(system: tb.System, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    seen = system.sensors(q, v)
    return np.array([seen["slide.rate"], seen["turn.rate"]])


@examples(3)
@given(mechanisms(size=4, root="free", leaf="free"))
def test_the_power_of_an_effort_is_the_effort_times_the_rate_that_is_read(
    mechanism: Mechanism,
) -> None:
    """Virtual work: what an effort of 1 gives to each coordinate is what the rate takes of it."""
    system = with_axes(mechanism.model())
    q, v, _ = mechanism.state(system)
    J = np.column_stack([rates(system, q, unit) for unit in np.eye(len(v))])
    np.testing.assert_allclose(rates(system, q, v), J @ v, atol=1e-9 * (1 + np.abs(v).max()))
    M, still = system.mass_matrix(q), system.forward_dynamics(q, v)
    responses = []
    for k, name in enumerate(("slide effort", "turn effort")):
        moved = system.forward_dynamics(q, v, u={name: 1.0}) - still
        responses.append(moved)
        size = 1 + np.abs(M).max() * np.abs(moved).max()
        np.testing.assert_allclose(M @ moved, J[k], atol=1e-8 * size)
    # reciprocity: the one answers to the other as the other to the one
    across = J[1] @ responses[0], J[0] @ responses[1]
    assert across[0] == pytest.approx(across[1], rel=1e-6, abs=1e-9 * np.abs(responses).max())


@examples(3)
@given(mechanisms(size=4, root="free", leaf="free"))
def test_positions_are_read_as_scipy_reads_them_and_change_at_their_rates(
    mechanism: Mechanism,
) -> None:
    """The angle is that of SciPy's quaternion without its parts across the axis."""
    system = with_axes(mechanism.model())
    q, v, _ = mechanism.state(system)
    (A, a), (B, b) = system.pose(BASE, q), system.pose(TIP, q)
    x, y, z, w = Rotation.from_matrix(A.T @ B).as_quat()
    angle = 2.0 * np.arctan2(np.array([x, y, z]) @ UNIT, w)
    seen = system.sensors(q, v)
    assert seen["slide.position"] == pytest.approx(UNIT @ A.T @ (b - a), abs=1e-9)
    apart = np.exp(1j * seen["turn.position"]) - np.exp(1j * angle)  # −π and π are the same
    assert abs(apart) < 1e-9 and abs(seen["turn.position"]) <= np.pi
    q_dot, step = system.state_rate(q, v)[: len(q)], 1e-5
    after, before = (system.sensors(q + s * q_dot, v) for s in (step, -step))
    for name in ("slide", "turn"):
        moved = after[f"{name}.position"] - before[f"{name}.position"]
        moved = (moved + np.pi) % (2 * np.pi) - np.pi if name == "turn" else moved
        rate, size = seen[f"{name}.rate"], 1 + np.abs(q_dot).max() ** 3
        assert moved / (2 * step) == pytest.approx(rate, abs=1e-6 * size)


def test_a_gimbal_s_inner_angle_is_read_about_its_own_axis_wherever_that_has_gone() -> None:
    m = tb.Model("gimbal", gravity=(0, 0, 0))
    parent = m.ground
    for name, axis in (("yaw", "z"), ("pitch", "y"), ("roll", "x")):
        body = m.body(name, inertia=(0.01, 0.01, 0.01))
        m.joint(name, tb.Revolute(axis), parent, body)
        parent = body
    m.sensor("roll", tb.AxisMotion("roll", "pitch", "x", turning=True))
    m.force("roll", tb.AxisEffort("roll", "pitch", m.input("torque"), "x", turning=True))
    m.force("wanted", tb.JointEffort("roll", m.input("effort")))
    system = m.compile()
    q, v = np.array([0.7, -1.2, 2.5]), np.array([3.0, -2.0, 0.4])
    seen = system.sensors(q, v)
    assert seen["roll.position"] == pytest.approx(2.5, abs=1e-12)
    assert seen["roll.rate"] == pytest.approx(0.4, abs=1e-12)
    by_axis = system.forward_dynamics(q, v, u={"torque": 1.3})
    np.testing.assert_allclose(by_axis, system.forward_dynamics(q, v, u={"effort": 1.3}), rtol=1e-9)


def test_what_two_free_bodies_do_to_each_other_along_an_axis_moves_neither_centre() -> None:
    """Efforts are pairs: momentum and angular momentum stay, whatever the axis does."""
    m = tb.Model("two", gravity=(0, 0, 0))
    for k in range(2):
        body = m.body(f"b{3 * k}", mass=1.0 + k, com=(0.1, 0, 0.05), inertia=(0.1, 0.2, 0.15))
        m.joint(f"flight {k}", tb.Free(), m.ground, body)
    system = with_axes(m)
    start = system.assemble({"flight 1.y": 0.4}, rates={"flight 0.wx": 2.0, "flight 1.wy": -1.0})
    pushed = {"slide effort": 3.0, "turn effort": 0.2}
    run = tb.simulate(system, start, 0.5, inputs=pushed, rtol=1e-10, atol=1e-12)
    nq, _ = system.sizes[:2]
    first, last = (np.array([run[name][k] for name in system.state_names]) for k in (0, -1))
    before, after = system.momentum(first[:nq], first[nq:]), system.momentum(last[:nq], last[nq:])
    np.testing.assert_allclose(np.array(after), np.array(before), atol=1e-8)
    assert np.abs(last - first).max() > 0.1


def test_a_spring_on_an_angle_gives_back_what_it_takes_while_everything_else_turns() -> None:
    m = tb.Model("spring", gravity=(0, 0, 0))
    body = m.body("top", inertia=(0.1, 0.2, 0.15), mass=1.0)
    m.joint("top", tb.Spherical(), m.ground, body)
    angle, _ = m.sensor("twist", tb.AxisMotion(body, m.ground, AXIS, turning=True))
    m.force("spring", tb.AxisEffort(body, m.ground, -3.0 * angle, AXIS, turning=True))
    m.sensor("stored", tb.Signal(1.5 * angle**2))
    m.sensor("moving", tb.Energy("kinetic"))
    system = m.compile()
    start = system.assemble(rates={"top.wx": 1.0, "top.wy": 1.5, "top.wz": -0.8})
    run = tb.simulate(system, start, 3.0, rtol=1e-10, atol=1e-12)
    total = run["stored"] + run["moving"]
    np.testing.assert_allclose(total, total[0], rtol=1e-7)
    assert run["stored"].max() > 0.2 * total[0]


@pytest.mark.parametrize("kind", [tb.AxisMotion, tb.AxisEffort])
def test_an_axis_without_a_direction_is_refused(kind) -> None:
    more = (1.0,) if kind is tb.AxisEffort else ()
    with pytest.raises(tb.ModelError, match=f"{kind.__name__}: its axis must be"):
        kind(TIP, BASE, *more, (0.0, 0.0, 0.0))
