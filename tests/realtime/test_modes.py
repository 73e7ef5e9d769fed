"""Mechanisms with modes against a clock."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from models_with_modes import block_on_belt, bouncing_ball, pegged_pendulum
from touchback.symbolic.math_functions import select


@pytest.mark.parametrize("make", [lambda: bouncing_ball(0.8, rest=True), block_on_belt])
def test_a_live_run_is_the_offline_run_with_fixed_steps(make: object) -> None:
    system = make().compile()  # type: ignore[operator]
    with tb.live(system, rate=1000, speed=None, record=True) as live:
        live.run(3.0)
    kept = live.recorded()
    offline = tb.simulate(system, None, 3.0, method="rk4", step=1e-3)
    for name in (*system.state_names, *system.output_names):
        assert np.array_equal(kept[name], offline[name][1:]), name
    assert len(offline.transitions) > 2


def test_a_recording_replays_its_modes_bit_for_bit(tmp_path: Path) -> None:
    system = bouncing_ball(0.8, rest=True).compile()
    path = tmp_path / "run.mcap"
    with tb.live(system, rate=500, speed=None, record=path) as live:
        live.run(5.0)
        assert live.read("mode") == 1.0
    again = tb.replay(path)
    assert again.same
    assert set(again.states[:, -1]) == {0.0, 1.0}


def test_substeps_and_live_parameters_go_with_modes() -> None:
    m = tb.Model("drop")
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=1.0)
    e = m.parameter("restitution", 1.0, min=0.0, max=1.0)
    height = m.coordinate("height")
    m.constrain("floor", height)
    m.sensor("energy", tb.Energy())
    m.mode("flight")
    m.transition("bounce", "flight", "flight", when=height, impact=["floor"], restitution=e)
    with tb.live(m.compile(), rate=1000, speed=None, substeps=2, record=True) as live:
        live.run(1.0)
        before = live.read("energy")
        live["restitution"] = 0.5
        live.run(1.0)  # two bounces
        after = live.read("energy")
    assert before == pytest.approx(9.81, rel=1e-9)
    assert after == pytest.approx(9.81 / 16, rel=1e-9)


def test_after_a_bad_number_the_mode_is_the_last_good_one() -> None:
    """The mode is a part of the state, so that it goes back with it."""
    m = tb.Model("fragile", gravity=(0, 0, 0))
    push = m.input("push")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0), velocity=1.0)
    m.force("push", tb.JointEffort("x", 1.0 / push - 1.0))
    m.mode("near")
    m.mode("far")
    m.transition("pass", "near", "far", when=0.0105 - m.coordinate("x"))
    system = m.compile()
    with tb.live(system, rate=1000, speed=None, record=True) as live:
        live["push"] = 1.0
        live.run(0.01)
        live["push"] = 0.0  # within the tick in which the mode would change
        live.run(0.002)
        assert "bad number" in " ".join(live.faults) or live.faults
        assert live.read("mode") == 0.0
        live["push"] = 1.0
        live.resume()
        live.run(0.005)
        assert live.read("mode") == 1.0


def test_modes_need_a_step_that_knows_them() -> None:
    system = pegged_pendulum().compile()
    with pytest.raises(tb.InputError, match="'rk4' or 'euler'"):
        tb.live(system, rate=1000, speed=None, method="implicit-euler")


def test_the_report_counts_steps_in_which_modes_chatter() -> None:
    """A heater without hysteresis: from 0.5 s on its modes alternate without end, in every step; a
    ball that may come to rest is no such crowd."""
    m = tb.Model("heater")
    m.mode("heating")
    m.mode("cooling")
    warmth = m.state("warmth", 0.0, rate=1.0 - 2.0 * m.signal("mode"))
    m.transition("warm", "heating", "cooling", when=0.5 - warmth)
    m.transition("cold", "cooling", "heating", when=warmth - 0.5)
    with tb.live(m.compile(), rate=1000, speed=None, substeps=2) as live:
        live.run(0.4)
        assert live.report().counts["chattering"] == 0
        live.run(0.6)
        report = live.report()
    assert report.as_dict()["chattering"] == 2 * 500
    assert "chattering 1000" in str(report)
    with tb.live(bouncing_ball(0.8, rest=True).compile(), rate=1000, speed=None) as live:
        live.run(6.0)
        assert live.report().counts["chattering"] == 0


def test_a_force_that_vanishes_in_a_jump_is_found_with_few_tries() -> None:
    """Halving to the last bit would take fifty steps of the method, more than a tick has: live, the
    instant of a jump is known to 2⁻¹² of a step, and so is the way gone since then."""
    m = tb.Model("block that is let go", gravity=(0, 0, 0))
    m.body("block", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, "block")
    m.force("pull", tb.JointEffort("x", 2.0))
    m.constrain("held", m.coordinate("x"), unit="m")
    m.mode("held", active=["held"])
    m.mode("free")
    m.transition("let go", "held", "free", when=select(m.time < 0.0123, 1.0, -1.0))
    with tb.live(m.compile(), rate=1000, speed=None) as live:
        live.run(0.1)
        gone = live["x"]
    assert gone == pytest.approx((0.1 - 0.0123) ** 2, abs=2 * 0.1 * 1e-3 * 2.0**-11)
