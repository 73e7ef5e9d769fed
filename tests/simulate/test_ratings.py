"""A run tells when it asks more of a joint than its file rates it for."""

import numpy as np
import pytest

import touchback as tb
from touchback.interop import read_urdf

ARM = """<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="0.5 0 0"/>
  <mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit lower="-9" upper="9" effort="{effort}" velocity="{velocity}"/></joint></robot>"""
J = 0.1 + 2 * 0.5**2  # kg m² about the joint's axis


def arm(effort: float, velocity: float) -> tb.Model:
    m = read_urdf(ARM.format(effort=effort, velocity=velocity))
    m.force("motor", tb.JointEffort("turn", m.input("torque") * m.parameter("gear", 2.0)))
    return m


def remarks(effort: float, velocity: float, **options: object) -> list[str]:
    """Of an arm that a torque of 2 × 3 N m turns for a second: 10 rad/s at the end."""
    system = arm(effort, velocity).compile()
    run = tb.simulate(system, duration=1.0, inputs={"torque": lambda t: 3.0}, **options)
    assert run["turn rate"][-1] == pytest.approx(6.0 / J * 1.0)
    return list(run.metadata.get("diagnostics", []))


def test_nothing_is_said_within_the_ratings_or_where_a_file_has_none() -> None:
    assert remarks(6.0, 10.5) == []
    assert remarks(0.0, 0.0) == []


def test_efforts_and_velocities_beyond_their_ratings_are_told_with_joint_and_time() -> None:
    said = remarks(5.0, 8.0)
    assert said == [
        "Joint 'turn' is rated for effort 5 N m, and has 6 N m at t = 0 s.",
        "Joint 'turn' is rated for velocity 8 rad/s, and has 10 rad/s at t = 1 s.",
    ]


def test_parameters_of_the_run_count() -> None:
    system = arm(5.0, 99.0).compile()
    run = tb.simulate(system, duration=0.1, inputs={"torque": 3.0}, parameters={"gear": 1.0})
    assert not run.metadata.get("diagnostics")


def test_a_part_keeps_its_ratings() -> None:
    m = tb.Model("two arms")
    for name in ("left", "right"):
        m.add(arm(5.0, 99.0), name=name)
    run = tb.simulate(m.compile(), duration=0.1, inputs={"left/torque": 3.0})
    (said,) = run.metadata["diagnostics"]
    assert "'left/turn'" in said


def test_the_effort_of_a_drive_counts() -> None:
    m = arm(5.0, 99.0)
    m.drive("turn", 5.0 * m.time**2)  # needs J · 10 rad/s² = 6 N m
    run = tb.simulate(m.compile(), duration=0.5)
    assert any("effort 5 N m, and has" in said for said in run.metadata["diagnostics"])


def test_inverse_dynamics_tells_it_too() -> None:
    system = arm(5.0, 8.0).compile()
    times = np.linspace(0.0, 1.0, 11)
    run = tb.inverse_dynamics(system, {"turn": lambda t: 5.0 * t**2}, times)
    assert [said.split(",")[0] for said in run.metadata["diagnostics"]] == [
        "Joint 'turn' is rated for effort 5 N m",
        "Joint 'turn' is rated for velocity 8 rad/s",
    ]
