"""Robots that hold their pose: gravity compensation and position control of their joints, which a
page switches and commands."""

from collections.abc import Sequence

import numpy as np
import pytest

import touchback as tb
from manipulated import Asked, Start
from touchback import workbench
from touchback.realtime.control import Exposed
from touchback.workbench.manipulate import model_for_page
from touchback.workbench.manipulate.joint_hold import held_joints

LINK = """<link name="link{i}"><inertial><origin xyz="0 0 {half}"/><mass value="{mass}"/>
  <inertia ixx="{I}" iyy="{I}" izz="{thin}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="joint{i}" type="revolute"><parent link="link{before}"/>
  <child link="link{i}"/><origin xyz="0 0 {at}"/><axis xyz="{axis}"/>
  <limit lower="-2" upper="2" effort="{effort}" velocity="{velocity}"/>{dynamics}</joint>"""


def arm(
    masses: Sequence[float] = (1.0, 1.0, 1.0), length: float = 0.3, effort: float = 0.0,
    velocity: float = 0.0, dynamics: str = "", last: str = "",
) -> tb.Model:  # fmt: skip
    """An arm of slender links that stands upright, about x, y and z in turn."""
    parts = ['<link name="link0"/>']
    for i, mass in enumerate(masses, 1):
        moment = mass * length**2 / 12.0
        parts += [
            LINK.format(i=i, half=length / 2, mass=mass, I=moment, thin=0.02 * moment),
            JOINT.format(
                i=i, before=i - 1, at=length if i > 1 else 0.0, axis=("1 0 0", "0 1 0")[i % 2],
                effort=effort, velocity=velocity,
                dynamics=dynamics + (last if i == len(masses) else ""),
            ),
        ]  # fmt: skip
    return tb.read_urdf(f'<robot name="arm">{"".join(parts)}</robot>')


def started(start: Start, model: tb.Model, exposed: Exposed | None = None) -> Asked:
    return start(model_for_page(model), exposed=exposed, hand=False)


def positions(run: Asked) -> np.ndarray:
    now = run.live.snapshot()
    return np.array([now[name] for name in held_joints(run.live.system.model)])


def command(run: Asked, *degrees: float) -> None:
    names = held_joints(run.live.system.model).values()
    for name, value in zip(names, degrees, strict=True):
        run.ask(do="set", name=name, value=value)


def test_a_panda_on_a_page_does_not_sag(start: Start) -> None:
    """Less than 1e-3 rad in 2 s of a clocked run, as on the page, with its own efforts."""
    pytest.importorskip("pinocchio")
    from pinocchio_truth import read_quietly, robot_files

    (path,) = (path for path in robot_files() if path.name == "panda.urdf")
    model = model_for_page(read_quietly(path))
    run = start(model, hand=False, speed=1.0)
    begun = positions(run)
    run.live.run(2.0)
    assert np.abs(positions(run) - begun).max() < 1e-3


@pytest.mark.parametrize("mass", [0.01, 1.0, 100.0])
def test_an_arm_holds_its_pose_whatever_it_weighs(start: Start, mass: float) -> None:
    """Links of 10 g (10 cm long) to 100 kg (1 m), leaning over: gravity compensation is exact, so
    2 s leave rounding. No gain is tuned: M divides out of the equations of motion."""
    run = started(start, arm([mass] * 3, 0.1 if mass < 1.0 else 1.0))
    command(run, 40.0, 50.0, -30.0)
    run.live.run(3.0)
    there = positions(run)
    assert there == pytest.approx(np.radians([40.0, 50.0, -30.0]), abs=1e-6)
    run.live.run(2.0)
    assert np.abs(positions(run) - there).max() < 1e-9


def test_a_joint_goes_to_its_command_without_overshoot(start: Start) -> None:
    """q̈ + 2 ω q̇ + ω² (q − q*) = 0 with ω = 30 rad/s leaves (1 + ωt) exp(−ωt) of a step: 19.9 % at
    0.1 s, and never goes beyond. A step of 1° stays below the speed."""
    run = started(start, arm())
    command(run, 0.0, 1.0, 0.0)
    run.live.run(0.1)
    left = 1.0 - np.degrees(positions(run)[1])
    assert left == pytest.approx((1.0 + 3.0) * np.exp(-3.0), abs=1e-3)
    assert np.abs(np.degrees(positions(run)[[0, 2]])).max() < 1e-3  # the others don't notice
    for _ in range(10):
        run.live.run(0.05)
        assert positions(run)[1] <= np.radians(1.0) + 1e-12


def test_efforts_and_speeds_stay_within_what_the_file_rates(start: Start) -> None:
    """Straight out, 2 kg weigh 5.9 N m at the second joint."""
    for effort, held in ((12.0, True), (5.0, False)):
        model = arm(effort=effort, velocity=0.5)
        shown = model_for_page(model)
        shown.sensor("torque", tb.Signal(shown.signal("joint2 hold")))
        run = start(shown, hand=False)
        command(run, 0.0, 90.0, 0.0)
        torques, speeds = [], []
        for _ in range(100):
            run.live.run(0.05)
            now = run.live.snapshot()
            torques.append(abs(now["torque"]))
            speeds.append(abs(now["joint2 rate"]))
        assert max(torques) <= effort + 1e-9
        assert (abs(positions(run)[1] - np.pi / 2) < 1e-3) == held
        if held:
            assert max(speeds) < 0.5 * 1.02


def test_joints_that_their_weight_overloads_are_named(start: Start) -> None:
    """The lever's 0.65 kg lean out by 0.24 m."""
    assert started(start, tb.read_mjcf(SERVO)).manipulators.hold.overloaded == []
    weak = SERVO.replace("-30 30", "-1 1")
    (said,) = started(start, tb.read_mjcf(weak)).manipulators.hold.overloaded
    assert said.startswith("'hinge' sinks: to stay takes 1.5") and "rates it for 1 N m" in said


def test_friction_that_a_step_cannot_follow_does_not_shake_the_robot(start: Start) -> None:
    """1 N m over 1 mm/s on links of 20 g: a slope of 1000 N m s on 2e-5 kg m², which takes steps of
    20 ns. Such files are common."""
    rough = '<dynamics damping="1" friction="1"/>'
    run = started(start, arm([0.02] * 3, 0.1, dynamics=rough))
    command(run, 20.0, -60.0, 40.0)
    run.live.run(4.0)
    assert run.live.faults == ()
    assert np.degrees(positions(run)) == pytest.approx([20.0, -60.0, 40.0], abs=0.01)


def test_without_holding_gravity_alone_is_carried_or_nothing(start: Start) -> None:
    run = started(start, arm())
    command(run, 0.0, 45.0, 0.0)
    run.live.run(3.0)
    there = positions(run)
    run.ask(do="hold", mode="gravity compensation")
    command(run, 0.0, 0.0, 0.0)  # nobody listens
    run.live.run(1.0)
    assert positions(run) == pytest.approx(there, abs=1e-6)
    run.ask(do="hold", mode="free")
    run.live.run(0.3)
    assert positions(run)[1] > there[1] + 0.05  # it falls


def test_to_hold_begins_where_the_robot_is(start: Start) -> None:
    run = started(start, arm())
    command(run, 0.0, 5.0, 0.0)
    run.live.run(1.0)
    run.ask(do="hold", mode="free")
    run.live.run(0.3)
    run.ask(do="hold", mode="hold")
    fallen = positions(run)
    assert fallen[1] > np.radians(5.0) + 0.02
    run.live.run(2.0)
    swung = np.abs(positions(run) - fallen).max()  # what its speed took it along
    assert swung < 0.2
    names = held_joints(run.live.system.model).values()
    assert [run.live[name] for name in names] == pytest.approx(np.degrees(fallen), abs=1e-6)


def test_joints_begin_within_their_limits(start: Start) -> None:
    """Zero is beyond them in many files: a Panda's elbow bends by at least 4°."""
    text = (
        '<robot name="r"><link name="a"/>'
        + LINK.format(i=1, half=0.1, mass=1, I=0.01, thin=0.001)
        + '<joint name="elbow" type="revolute"><parent link="a"/><child link="link1"/>'
        '<axis xyz="0 1 0"/><limit lower="-3" upper="-1" effort="0" velocity="0"/></joint></robot>'
    )
    run = started(start, tb.read_urdf(text))
    run.live.run(0.5)
    assert positions(run) == pytest.approx([-1.02], abs=1e-9)  # 1 % of the range within
    known = run.live.system.model.inputs["elbow command"]
    assert (known.unit, known.min, known.max) == (
        "deg", pytest.approx(np.degrees(-3.0)), pytest.approx(np.degrees(-1.0)),
    )  # fmt: skip


def test_joints_that_mimic_another_follow_its_command(start: Start) -> None:
    mimic = '<mimic joint="joint2" multiplier="-2" offset="0.1"/>'
    run = started(start, arm(last=mimic))
    assert list(held_joints(run.live.system.model)) == ["joint1", "joint2"]
    command(run, 0.0, 20.0)
    run.live.run(3.0)
    now = run.live.snapshot()
    assert now["joint3"] == pytest.approx(-2.0 * np.radians(20.0) + 0.1, abs=1e-6)


KEYS = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0" range="-90 90"/>
  <geom type="capsule" fromto="0 0 0 .5 0 0" size=".02"/></body></worldbody>
  <keyframe><key name="home" qpos="0.3"/><key name="up" qpos="-1.2"/></keyframe></mujoco>"""


def test_keyframes_are_poses_to_go_to(start: Start) -> None:
    """The robot begins in "home"; a paused one is put there at once."""
    run = started(start, tb.read_mjcf(KEYS))
    assert run.manipulators.hold.keyframes == ["home", "up"]
    run.live.run(0.5)
    assert positions(run) == pytest.approx([0.3], abs=1e-9)
    run.ask(do="keyframe", name="up")
    run.live.run(3.0)
    assert positions(run) == pytest.approx([-1.2], abs=1e-6)
    run.ask(do="reset")
    run.live.run(1.0)
    assert positions(run) == pytest.approx([0.3], abs=1e-6)  # commands go back as well
    assert "up" in run.refused(do="keyframe", name="down")


SERVO = KEYS.replace(
    "<keyframe>",
    """<actuator><position name="servo" joint="hinge" kp="500" kv="20" ctrlrange="-2 2"
    forcerange="-30 30"/></actuator><keyframe>""",
)


def test_motors_of_the_file_act_only_while_nothing_is_held(start: Start) -> None:
    """A servo whose command is zero would pull the joint there; its range bounds what holds."""
    model = tb.read_mjcf(SERVO)
    assert model.imported["ratings"] == {"hinge": {"effort": 30.0}}
    run = started(start, model)
    run.live.run(1.0)
    assert positions(run) == pytest.approx([0.3], abs=1e-9)
    run.ask(do="hold", mode="free")
    run.live.run(3.0)
    assert abs(positions(run)[0]) < 0.1  # but for the weight, 1.5 N m on 500 N m/rad
    run.ask(do="set", name="servo", value=-1.0)
    run.live.run(3.0)
    assert positions(run) == pytest.approx([-1.0], abs=0.1)


def test_a_robot_that_is_posed_while_it_rests_stays_there(start: Start) -> None:
    run = start(model_for_page(arm()), hand=False, speed=1.0)
    run.ask(do="pause")
    run.ask(do="pose", body="link3", point=[0, 0, 0.3], to=[0.5, 0.2, 0.4])
    posed = positions(run)
    assert np.abs(posed).max() > 0.3
    run.ask(do="go")
    run.live.run(0.5)
    assert positions(run) == pytest.approx(posed, abs=1e-6)


def test_a_joint_can_be_welded_while_the_others_are_held(start: Start) -> None:
    run = start(model_for_page(arm()), hand=False, speed=1.0)
    command(run, 10.0, 30.0, 20.0)
    run.live.run(1.5)
    run.ask(do="edit", change="weld", joint="joint2")
    run.live.run(0.3)
    assert list(held_joints(run.live.system.model)) == ["joint1", "joint3"]
    assert np.degrees(positions(run)) == pytest.approx([10.0, 20.0], abs=1e-3)
    run.ask(do="undo")
    run.live.run(1.0)
    assert np.degrees(positions(run)) == pytest.approx([10.0, 30.0, 20.0], abs=0.01)


def test_pages_command_only_what_is_exposed(start: Start) -> None:
    run = started(start, arm(), Exposed(inputs=["joint1 command"], parameters=False))
    run.ask(do="set", name="joint1 command", value=5.0)
    assert "isn't among the inputs" in run.refused(do="set", name="joint2 command", value=5.0)
    assert "isn't among the parameters" in run.refused(do="hold", mode="free")
    assert "outside its range" in run.refused(do="set", name="joint1 command", value=1e3)
    assert run.refused(do="hold", mode="fly")


def test_only_robots_from_files_without_a_controller_are_held(start: Start) -> None:
    plain = tb.Model("swing")
    body = plain.body("seat", 1.0, (0, 0, -1), (0.1, 0.1, 0.1))
    plain.joint("rope", tb.Revolute("y"), plain.ground, body)
    controlled = arm()
    controlled.force("motor", tb.JointEffort("joint1", controlled.input("torque", unit="N m")))
    controlled.control("mine", lambda q: -q, of=["q:joint1"], to="torque")
    for model in (plain, controlled, arm()):
        shown = model_for_page(model, hold=model.name != "arm" or model is controlled)
        assert held_joints(shown) == {}
    run = start(plain)
    assert "no controller holds its joints" in run.refused(do="hold", mode="hold")


def test_a_system_that_is_opened_on_a_page_holds_from_the_state_it_starts_in() -> None:
    system = arm().compile()
    with workbench.open(system, x0=system.assemble(joint2=0.7)) as page:
        page.live.run(0.3)
        assert page.live.read("joint2") == pytest.approx(0.7, abs=1e-3)
    with workbench.open(system, x0=system.assemble(joint2=0.7), hold=False) as page:
        page.live.run(0.5)
        assert page.live.read("joint2") > 0.8


def test_motors_hold_what_springs_lifts_and_equalities_put_on_them(start: Start) -> None:
    """A finger that another one leads by an equality weighs three times as much as that; its body
    is lifted in part, and a spring of 20 N m/rad pulls. The command is met and led exactly, as
    2 q̈ ω … knows the inertia of both: (1 + ωt) exp(−ωt) of a step of 1° is left."""
    finger = '<geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass="{}"/></body>'
    text = (
        '<mujoco><worldbody><body name="a"><joint name="a" axis="0 1 0" stiffness="20"/>'
        + finger.format(0.5)
        + '<body name="b" pos="0 .3 0" gravcomp=".4"><joint name="b" axis="0 1 0"/>'
        + finger.format(1.5)
        + '<body name="c" pos="0 .6 0"><joint name="c" axis="0 1 0"/>'
        + finger.format(0.1)
        + '</worldbody><equality><joint joint1="b" joint2="a" polycoef="0 2 0 0 0"/></equality>'
        '<actuator><motor name="m" joint="a"/></actuator></mujoco>'
    )
    run = started(start, tb.read_mjcf(text))
    assert run.manipulators.hold.overloaded == ["Free to move while all motors stand still: 'c'."]
    run.live.run(1.0)
    assert positions(run) == pytest.approx([0.0], abs=1e-6)
    command(run, 1.0)
    run.live.run(0.1)
    left = 1.0 - np.degrees(positions(run)[0])
    assert left == pytest.approx((1.0 + 3.0) * np.exp(-3.0), abs=2e-3)
    command(run, 30.0)
    run.live.run(3.0)
    assert np.degrees(positions(run)) == pytest.approx([30.0], abs=1e-4)
    assert run.live.snapshot()["b"] == pytest.approx(np.radians(60.0), abs=1e-4)
    run.ask(do="hold", mode="gravity compensation")
    run.live.run(1.0)
    assert np.degrees(positions(run)) == pytest.approx([30.0], abs=1e-3)


FOUR_BAR = """<mujoco><worldbody><body name="crank"><joint name="crank" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".5"/>
  <body name="rod" pos=".2 0 0"><joint name="rod" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".02" mass="1"/></body></body>
  <body name="rocker" pos="0 0 -.4"><joint name="rocker" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass="3"/></body></worldbody><equality>
  <connect body1="rod" body2="rocker" anchor="0 0 -.4"/></equality><actuator>
  <motor name="m" joint="crank" forcerange="-{0} {0}"/></actuator></mujoco>"""


def test_the_motor_of_a_loop_holds_all_of_its_links(start: Start) -> None:
    """A parallelogram that lies takes 9.81 m/s² (.5 · .1 + 1 · .2 + 3 · .1) m = 5.4 N m of its
    crank, of which the open tree has 2.5."""
    run = started(start, tb.read_mjcf(FOUR_BAR.format(20)))
    assert run.manipulators.hold.overloaded == []
    run.live.run(1.0)
    assert positions(run) == pytest.approx([0.0], abs=1e-5)
    command(run, 30.0)
    run.live.run(3.0)
    assert np.degrees(positions(run)) == pytest.approx([30.0], abs=1e-3)
    (said,) = started(start, tb.read_mjcf(FOUR_BAR.format(4))).manipulators.hold.overloaded
    assert said.startswith("'crank' sinks: to stay takes 5.4 N m, and the file rates it for 4 N m")


LEG = """<body name="thigh{i}" pos="{x} {y} 0"><joint name="hip{i}" axis="0 1 0" range="-90 90"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".02" contype="0" conaffinity="0"/>
  <body name="shank{i}" pos="0 0 -.2"><joint name="knee{i}" axis="0 1 0" range="-150 150"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.18" size=".015" contype="0" conaffinity="0"/>
  <geom type="sphere" pos="0 0 -.2" size=".02"/></body></body>"""
WALKER = """<mujoco><compiler autolimits="true"/><worldbody><geom type="plane" size="2 2 .1"/>
  <body name="trunk" pos="0 0 .42"><freejoint/><geom type="box" size=".2 .1 .04" mass="6"/>{}</body>
  </worldbody></mujoco>""".format(
    "".join(
        LEG.format(i=i, x=x, y=y)
        for i, (x, y) in enumerate([(0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1)])
    )
)


def test_a_robot_on_legs_stands_on_the_floor_of_its_file(start: Start) -> None:
    """Live runs don't solve rigid contacts; soft ones, each of which would hold the whole weight at
    5 mm, let four feet sink by 1.3 mm. Bent knees bear 2 kg each, 2 N m, which M doesn't know."""
    run = start(model_for_page(tb.read_mjcf(WALKER)), hand=False)
    for i in range(4):
        run.ask(do="set", name=f"hip{i} command", value=30.0)
        run.ask(do="set", name=f"knee{i} command", value=-60.0)
    run.live.run(4.0)
    now = run.live.snapshot()
    assert run.live.faults == ()
    free = next(n for n in run.live.system.coordinates if n.endswith(".z"))
    upright = now[free.replace(".z", ".qw")]
    assert abs(upright) > 0.99
    assert now[free] == pytest.approx(0.02 + 0.4 * np.cos(np.radians(30.0)), abs=0.02)
