"""Closed loops of MJCF: equalities move here as MuJoCo's own mass matrix, Jacobian and forces say,
and run beside MuJoCo's."""

import numpy as np
import pytest

import touchback as tb
from mjcf_texts import FOUR_BAR, LOOPS, TIE, robot
from mujoco_truth import mujoco, tied_difference
from touchback.interop import read_mjcf


@pytest.mark.parametrize("what", LOOPS)
def test_a_loop_accelerates_as_mujocos_own_equations_say(what: str) -> None:
    system = read_mjcf(LOOPS[what], contacts=False).compile()
    other = mujoco.MjModel.from_xml_string(LOOPS[what])
    assert tied_difference(system, other) < 1e-6  # J̇ by differences


def test_an_equality_that_rests_ties_nothing() -> None:
    text = robot(tail='<equality><joint joint1="j" active="false"/></equality>')
    assert read_mjcf(text).compile().active == ()
    assert not read_mjcf(LOOPS["a connected point"], constraints=False).closures


def test_a_four_bar_swings_beside_mujocos() -> None:
    """MuJoCo's constraint gives way; with a time constant of 2 ms it stays within a millimetre."""
    text = FOUR_BAR.format(TIE.format('solref=".002 1" solimp=".99 .999 1e-4"'))
    system = read_mjcf(text, contacts=False).compile()
    run = tb.simulate(system, duration=1.0, rtol=1e-9)
    other = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(other)
    while data.time < 1.0 - 1e-9:
        mujoco.mj_step(other, data)
    ours = np.array([run[name][-1] for name in ("crank", "rod", "rocker")])
    swept = np.ptp(run["crank"])
    assert swept > 0.5  # rad: it has moved
    assert np.abs(ours - data.qpos).max() < 5e-3 * swept


def test_a_hanging_line_runs_beside_mujocos() -> None:
    """A spring of a tendon through two sites: no constraint, so both integrate the same equations;
    MuJoCo's fourth-order steps of 0.5 ms leave 1e-9."""
    inside = (
        '<joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>'
        '<site name="tip" pos=".4 .1 0"/>'
    )
    text = robot(
        inside,
        '<option integrator="RK4" timestep="5e-4"/>',
        tail='<tendon><spatial name="line" stiffness="30" damping=".5"><site site="post"/>'
        '<site site="tip"/></spatial></tendon>',
        world='<site name="post" pos="1 0 0"/>',
    )
    model = read_mjcf(text, contacts=False)
    run = tb.simulate(model.compile(), duration=1.0, rtol=1e-11)
    other = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(other)
    while data.time < 1.0 - 1e-9:
        mujoco.mj_step(other, data)
    assert np.allclose([run["turn"][-1], run["j"][-1]], data.qpos, rtol=0.0, atol=1e-7)
