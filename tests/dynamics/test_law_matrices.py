"""Laws made of the mechanism's own matrices: against Pinocchio, and against the error dynamics that
they are made for, in closed form."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import touchback as tb
from random_mechanisms import Mechanism, examples, mechanisms, scale

JOINTS = [f"joint {i}" for i in range(1, 8)]
MOTORS = [f"torque {i}" for i in range(1, 8)]
HAND = tb.Frame("link 7", (0, 0, 0.15))
DAMPING = 0.5  # in the joints of that arm [N m s/rad]
W = 4.0  # error dynamics wanted: ë + 2 W ė + W² e = 0 [rad/s]
START = {"joint 2": 0.7, "joint 4": -1.2, "joint 6": 0.9}


def motion(m: tb.Model) -> tuple[np.ndarray, np.ndarray]:
    """q and v of the arm as expressions."""
    return np.array([m.coordinate(x) for x in JOINTS]), np.array([m.rate(x) for x in JOINTS])


def computed_torque() -> tb.Model:
    """Each joint goes to zero as if it were alone."""
    m = tb.gallery.make("seven-joint-arm")
    q, v = motion(m)
    M, c = m.sensor("M", tb.MassMatrix()), m.sensor("c", tb.BiasEffort())
    m.control("law", lambda: M @ (-2 * W * v - W**2 * q) + c + DAMPING * v, of=[], to=MOTORS)
    return m


def operational_space(goal: np.ndarray) -> tb.Model:
    """The hand goes to a goal as if it were a point by itself; joints are damped where the hand
    doesn't feel it (Khatib 1987)."""
    m = tb.gallery.make("seven-joint-arm")
    _, v = motion(m)
    M, c = m.sensor("M", tb.MassMatrix()), m.sensor("c", tb.BiasEffort())
    J, drift = m.sensor("J", tb.Jacobian(HAND))[3:], m.sensor("d", tb.BiasAcceleration(HAND))[3:]
    hand = np.array([m.signal(f"hand.{axis}") for axis in "xyz"])
    carried = tb.solve_symmetric(M, J.T)  # M⁻¹ Jᵀ

    def law() -> np.ndarray:
        asked = -2 * W * (J @ v) - W**2 * (hand - goal) - drift
        idle = -3.0 * (M @ v)
        force = tb.solve_symmetric(J @ carried, asked - carried.T @ idle)
        return np.asarray(J.T @ force + idle + c + DAMPING * v)

    m.control("law", law, of=[], to=MOTORS)
    return m


@pytest.fixture(scope="module")
def arm() -> tb.System:
    return computed_torque().compile()


def decay(t: np.ndarray, e: float) -> np.ndarray:
    """e(t) from rest: ë + 2 W ė + W² e = 0."""
    return e * (1 + W * t) * np.exp(-W * t)


def test_matrices_in_laws_equal_pinocchios() -> None:
    pin = pytest.importorskip("pinocchio")
    from pinocchio_peer import build

    @examples(4)
    @given(mechanisms())
    def agree(mechanism: Mechanism) -> None:
        model, last = mechanism.model(), len(mechanism.joints) - 1
        kinds = {
            "M": tb.MassMatrix(), "c": tb.BiasEffort(), "g": tb.GravityEffort(),
            "J": tb.Jacobian(f"b{last}"), "d": tb.BiasAcceleration(f"b{last}"),
        }  # fmt: skip
        found = [model.sensor(name, kind) for name, kind in kinds.items()]
        if found[0].size == 0:
            return
        model.report(*kinds)
        system = model.compile()
        peer = build(mechanism, system)
        q, v, _ = mechanism.state(system)
        model_p, at = peer.model, peer.v_of
        placed = pin.Frame("b", peer.joint_of[last], pin.SE3(peer.home[last]), pin.FrameType.BODY)
        frame = model_p.addFrame(placed)
        data = model_p.createData()
        M = np.triu(np.array(pin.crba(model_p, data, peer.q(q))).reshape(len(v), len(v)))
        M = (M + np.triu(M, 1).T)[np.ix_(at, at)]
        pin.forwardKinematics(model_p, data, peer.q(q), peer.v(v), peer.v(0 * v))
        world = pin.LOCAL_WORLD_ALIGNED
        drift = pin.getFrameClassicalAcceleration(model_p, data, frame, world)
        J = pin.computeFrameJacobian(model_p, data, peer.q(q), frame, world)[:, at]
        theirs = {
            "M": M[np.tril_indices(len(v))],
            "c": pin.nonLinearEffects(model_p, data, peer.q(q), peer.v(v))[at],
            "g": pin.computeGeneralizedGravity(model_p, data, peer.q(q))[at],
            "J": np.r_[J[3:], J[:3]].ravel(),
            "d": np.r_[drift.angular, drift.linear],
        }
        ours = system.sensors(q, v)
        for name, numbers in theirs.items():
            shown = [ours[x] for x in system.output_names if x.startswith(f"{name}.")]
            assert np.abs(shown - numbers).max() <= 1e-12 * scale(numbers), name

    agree()


def test_computed_torque_leaves_the_error_dynamics_that_it_was_made_for(arm: tb.System) -> None:
    run = tb.simulate(arm, arm.assemble(START), 1.5, rtol=1e-10)
    for joint in JOINTS:
        wanted = decay(run.time, START.get(joint, 0.0))
        assert run[joint] == pytest.approx(wanted, abs=1e-8), joint


def test_derivatives_see_through_the_law(arm: tb.System) -> None:
    """The closed loop is linear though the arm isn't: its slopes are those that were chosen."""
    one, none = np.eye(7), np.zeros((7, 7))
    A = np.block([[none, one], [-(W**2) * one, -2 * W * one]])
    start = arm.assemble(START, {"joint 3": 2.0})
    np.testing.assert_allclose(tb.linearise(arm, start).A, A, atol=1e-11)
    h, steps = 0.02, 5
    step = sum(np.linalg.matrix_power(h * A, n) / f for n, f in enumerate((1, 1, 2, 6, 24)))
    slopes = tb.rollout(arm, steps, step=h).jacobian(start).x0
    np.testing.assert_allclose(slopes, np.linalg.matrix_power(step, steps), atol=1e-11)


def test_a_hand_in_operational_space_moves_as_a_point_by_itself() -> None:
    goal = np.array([0.3, 0.1, 0.6])
    system = operational_space(goal).compile()
    run = tb.simulate(system, system.assemble(START), 1.5, rtol=1e-10)
    for axis, to in zip("xyz", goal, strict=True):
        gone = run[f"hand.{axis}"]
        assert gone == pytest.approx(to + decay(run.time, gone[0] - to), abs=1e-8), axis


def test_such_laws_run_live_and_in_batches_as_alone_and_as_c(arm: tb.System) -> None:
    start = arm.assemble(START)
    alone = tb.simulate(arm, start, 0.1, method="rk4", step=1e-3)
    with tb.live(arm, start, rate=1000, speed=None, method="rk4") as live:
        live.run(0.1)
        assert [live.read(x) for x in JOINTS] == [alone[x][-1] for x in JOINTS]
    ran = arm.batch(2).run(np.stack([start.x] * 2), 0.1, method="rk4", step=1e-3, record=JOINTS)
    assert [ran[x][1, -1] for x in JOINTS] == [alone[x][-1] for x in JOINTS]
    v = np.linspace(-1, 1, 7)
    in_c = computed_torque().compile(backend="c")
    assert list(in_c.forward_dynamics(start.q, v)) == list(arm.forward_dynamics(start.q, v))


def test_such_laws_come_along_with_parts_and_in_files(tmp_path: Path) -> None:
    path, both = tmp_path / "arm.yaml", tb.Model("two arms")
    both.add(computed_torque(), name="left")
    both.add(computed_torque(), name="right", at=both.ground.at(1, 0, 0, turn=("x", 0.5)))
    both.save(path)
    q, v = np.linspace(-1.5, 1, 14), np.linspace(-1, 2, 14)
    assert tb.read(path).compile().forward_dynamics(q, v) == pytest.approx(-2 * W * v - W**2 * q)


def test_what_acts_is_no_part_of_the_bias_but_carried_fluid_is() -> None:
    """Of bodies in water without drag, c − g is what speed adds to the system's own bias."""
    m = tb.Model("swimmer")
    water = m.fluid("water", 1000.0)
    bob = m.body("bob", 2.0, (0.1, 0.02, -0.3), (0.02, 0.03, 0.04))
    m.joint("hinge", tb.Universal("x", "y"), m.ground, bob, spring=(3.0, 2.0))
    m.force("water", tb.Immersed(bob, tb.Ellipsoid((0.1, 0.05, 0.08)), water))
    m.sensor("c", tb.BiasEffort()), m.sensor("g", tb.GravityEffort())
    m.report("c", "g")
    system, q, v = m.compile(), [0.4, -0.7], [1.3, 2.1]
    shown = system.sensors(q, v)
    moving = np.array([shown[f"c.{i}"] - shown[f"g.{i}"] for i in (1, 2)])
    assert moving == pytest.approx(system.bias(q, v) - system.bias(q, [0.0, 0.0]), abs=1e-12)
    assert np.abs(moving).min() > 0.1


def test_of_a_loop_the_matrix_is_that_of_its_tree() -> None:
    m = tb.gallery.make("crank-rocker")
    m.sensor("M", tb.MassMatrix())
    m.report("M")
    system = m.compile()
    at, n = system.assemble(), system.sizes[1]
    shown = list(system.sensors(at.q, at.v).values())
    assert shown == pytest.approx(system.mass_matrix(at.q)[np.tril_indices(n)], abs=1e-15)


TIED = """<mujoco><compiler angle="radian"/><worldbody><body name="a">
  <joint name="a" axis="0 1 0" stiffness="7" springref="0.3" damping="2"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
  <body name="b" pos=".3 0 0" gravcomp="0.6"><joint name="b" axis="0 1 0"/>
   <geom type="capsule" fromto="0 0 0 .2 0 .1" size=".02" mass="1.5"/>
   <body name="c" pos=".2 0 .1"><joint name="c" axis="1 1 0"/>
    <geom type="capsule" fromto="0 0 0 .2 .1 0" size=".02" mass=".7"/></body></body></body>
  <body name="d" pos="0 .5 0"><joint name="d" type="slide" axis="0 0 1" stiffness="50"/>
   <geom type="sphere" size=".05" mass="2"/></body></worldbody>
  <equality><joint joint1="b" joint2="a" polycoef="0.1 0.5 0.3 -.2 0"/>
   <joint joint1="d" joint2="c" polycoef="0 .2 0 0 0"/></equality>
  <actuator><motor name="ma" joint="a"/><motor name="mc" joint="c"/></actuator></mujoco>"""


def test_what_motors_hold_and_move_is_what_mujocos_forces_do_along_its_equalities() -> None:
    """J maps the rates of a and c, which have motors, to all: Jᵀ of bias less springs and lifted
    weight, and Jᵀ M J. Rows that might repeat others cost 1e-7 of accuracy."""
    mujoco = pytest.importorskip("mujoco")
    motors, model = ("a", "c"), tb.read_mjcf(TIED)
    model.sensor("held", tb.HoldingEffort(joints=motors))
    model.sensor("moved", tb.MassMatrix(joints=motors, reflected=True))
    model.report("held", "moved")
    system, theirs = model.compile(), mujoco.MjModel.from_xml_string(TIED)
    data = mujoco.MjData(theirs)
    for a, c in np.random.default_rng(1).uniform(-1.0, 1.0, (20, 2)):
        q = np.array([a, 0.1 + 0.5 * a + 0.3 * a**2 - 0.2 * a**3, c, 0.2 * c])
        J = np.array([[1, 0], [0.5 + 0.6 * a - 0.6 * a**2, 0], [0, 1], [0, 0.2]])
        data.qpos[:] = q
        mujoco.mj_forward(theirs, data)
        M = np.array([[1.0] * 4] * 4)
        for i, unit in enumerate(np.eye(4)):
            mujoco.mj_mulM(theirs, data, M[i], unit)
        shown = np.array(list(system.sensors(q, np.zeros(4)).values()))
        held = J.T @ (data.qfrc_bias - data.qfrc_passive)
        assert np.abs(shown[:2] - held).max() < 1e-6 * np.abs(data.qfrc_bias).max()
        moved = (J.T @ M @ J)[np.tril_indices(2)]
        assert np.abs(shown[2:] - moved).max() < 1e-6 * np.abs(moved).max()


def test_a_crank_holds_a_four_bar_by_virtual_work() -> None:
    """What it needs is the slope of the potential energy by its angle, with the loop closed; the
    loop in space repeats some of its equations."""
    m = tb.gallery.make("crank-rocker")
    crank = next(iter(m.joints))
    m.sensor("held", tb.HoldingEffort(joints=(crank,)))
    m.sensor("stored", tb.Energy("potential"))
    m.report("held", "stored")
    system, h = m.compile(), 1e-4

    def shown(angle: float) -> dict[str, float]:
        at = system.assemble({crank: angle})
        return system.sensors(at.q, 0.0 * at.v)

    begin = dict(zip(system.coordinates, system.assemble().q, strict=True))[crank]
    for turn in np.linspace(0.0, 1.0, 5):
        below, here, above = (shown(begin + turn + d) for d in (-h, 0.0, h))
        slope = (above["stored"] - below["stored"]) / (2.0 * h)
        assert abs(slope) > 1e-3
        assert here["held.1"] == pytest.approx(slope, rel=1e-5)


def test_what_depends_on_inputs_or_touches_is_not_held() -> None:
    """A spring between bodies is, at its length; a motor, a hand that pulls and a floor aren't."""
    m = tb.Model("arm", gravity=(0, 0, 0))
    arm = m.body("arm", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    m.joint("hinge", tb.Revolute("y"), m.ground, arm, limits=(-0.1, 0.1), stop=(100.0, 1.0))
    tip = arm.at(1, 0, 0)
    m.force("motor", tb.JointEffort("hinge", 3.0 + m.input("torque", unit="N m")))
    m.force("spring", tb.SpringDamper(m.ground.at(1, 0, 2), tip, 30.0, 4.0, length=1.0))
    m.force("floor", tb.contact.SphereOnPlane(tip, m.ground, 0.5, 1e4, law="spring-damper"))
    m.sensor("held", tb.HoldingEffort())
    m.report("held")
    shown = m.compile().sensors([0.0], [2.0])
    assert shown["held.1"] == pytest.approx(30.0, abs=1e-9)  # 30 N pull the tip up, about −y


def test_small_matrices_of_numbers_and_expressions_are_solved() -> None:
    draw = np.random.default_rng(3)
    A = draw.normal(size=(4, 4))
    A, b = A @ A.T + np.eye(4), draw.normal(size=(4, 2))
    np.testing.assert_allclose(tb.solve_symmetric(A, b), np.linalg.solve(A, b), rtol=1e-12)
    np.testing.assert_allclose(tb.solve_symmetric(A, b[:, 0]), np.linalg.solve(A, b[:, 0]))
    with pytest.raises(tb.InputError, match=r"got \(4, 4\) and \(3,\)"):
        tb.solve_symmetric(A, b[:3, 0])
