"""Controllers change at a tick: alternatives by choice, new laws by another structure."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb

T = 1e-3


def arm(stiffness: float = 8.0) -> tb.Model:
    m = tb.Model("arm", gravity=(0, 0, 0))
    m.joint(
        "arm", tb.Revolute("y"), m.ground, m.body("arm", 1.0, inertia=(1, 2.0, 1)), position=0.5
    )
    m.force("motor", tb.JointEffort("arm", m.input("torque", unit="N m")))
    m.control("pd", lambda q: -stiffness * q, of=["q:arm"], to="torque")
    m.control("idle", lambda: 0.0, of=[], to="torque", instead_of="pd")
    return m


def test_an_alternative_acts_from_the_next_tick_on(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(arm().compile(), rate=1 / T, speed=None, record=path) as live:
        live.run(100 * T)
        q, v = live.read("arm"), live.read("arm rate")
        live.choose("pd", "idle")
        live.run(100 * T)
        assert live.read("arm rate") == v  # nothing acts
        assert live.read("arm") == pytest.approx(q + v * 0.1, rel=1e-12)
        live.choose("pd", "pd")
        live.run(T)
        assert live.read("arm rate") == pytest.approx(
            v - 8.0 * live.read("arm") / 2.0 * T, rel=1e-4
        )
        with pytest.raises(tb.InputError, match="no alternative of 'pd'"):
            live.choose("pd", "gentle")
        with pytest.raises(tb.InputError, match="no control 'p'"):
            live.choose("p", "pd")
    assert live.report().parameter_energy == 0.0
    assert tb.replay(path).same


def test_a_new_law_comes_with_another_structure() -> None:
    with tb.live(arm().compile(), rate=1 / T, speed=None, record=True) as live:
        live.run(50 * T)
        live.choose("pd", "idle")
        live.run(T)
        change = live.swap(arm(stiffness=50.0))
        live.run(50 * T)
        assert live["pd choice"] == 1.0  # which law acts goes on by name, too
        live.choose("pd", "pd")
        live.run(100 * T)
    assert change.energy_lost == pytest.approx(0.0, abs=1e-12)
    rates = np.diff(live.recorded()["arm rate"]) / T
    angle = live.recorded()["arm"][1:]
    assert rates[:40] == pytest.approx(-4.0 * angle[:40], rel=1e-2)
    assert np.abs(rates[55:95]).max() < 1e-12
    assert rates[-90:] == pytest.approx(-25.0 * angle[-90:], rel=0.05)
