"""Limits of joints are parameters: stops follow them, while a run goes on too."""

import numpy as np
import pytest
from scipy.optimize import brentq

import touchback as tb
from touchback.model.io import model_from_text, to_text
from touchback.model.joint_limits import limit_numbers

MASS, LENGTH, G = 2.0, 0.6, 9.81
J = MASS * LENGTH**2 / 3  # of a uniform rod about its end


def rod(gravity: float = G, **options: object) -> tb.Model:
    """A uniform rod on a hinge about y that hangs at 0 rad."""
    m = tb.Model("rod", gravity=(0, 0, -gravity))
    own = MASS * LENGTH**2 / 12
    body = m.body("rod", MASS, (0, 0, -LENGTH / 2), (own, own, 0.0))
    m.joint("hinge", tb.Revolute("y"), m.ground, body, **{"limits": (-0.3, 0.2), **options})  # type: ignore[arg-type]
    return m


def test_limits_that_are_numbers_become_parameters_with_their_unit() -> None:
    m = rod()
    assert {name: (p.default, p.unit) for name, p in m.parameters.items()} == {
        "hinge low": (-0.3, "rad"),
        "hinge high": (0.2, "rad"),
    }
    system = m.compile()
    assert system.parameters == {"hinge low": -0.3, "hinge high": 0.2}
    m.body("slider", mass=1.0)
    m.joint("table", tb.Planar("z"), m.ground, "slider", limits=[(-1, 1), (0, 2), (-3, 3)])
    assert {"table.x low", "table.y high", "table.turn high"} <= set(m.parameters)
    assert [m.parameters[f"table.{x} low"].unit for x in ("x", "turn")] == ["m", "rad"]


def test_limits_that_are_expressions_keep_their_own_parameters() -> None:
    m = tb.Model("door", gravity=(0, 0, 0))
    reach = m.parameter("reach", 0.4, "rad", min=0.0, max=3.0)
    m.body("door", inertia=(1, 1, 1))
    m.joint("hinge", tb.Revolute("z"), m.ground, "door", limits=(-reach / 2, reach), stop=(50, 0))
    assert list(m.parameters) == ["reach"]
    assert limit_numbers(m) == {"hinge": (-0.2, 0.4)}
    system = m.compile()
    assert system.joint_efforts([0.5], [0.0]) == pytest.approx([-50 * 0.1])
    system["reach"] = 0.2
    assert system.joint_efforts([0.5], [0.0]) == pytest.approx([-50 * 0.3])
    assert system.joint_efforts([-0.4], [0.0]) == pytest.approx([50 * 0.3])


def test_where_nothing_stops_a_joint_its_limits_are_no_parameters() -> None:
    assert rod(stop=False).parameters == {}
    assert limit_numbers(rod(stop=False)) == {"hinge": (-0.3, 0.2)}


def bounce(damping_ratio: float, high: float) -> float:
    """The speed at which a rod without weight leaves its stop, of that at which it came."""
    k = 800.0
    m = rod(0.0, stop=(k, 2 * damping_ratio * np.sqrt(k * J)), velocity=3.0)
    run = tb.simulate(
        m.compile(), duration=0.5, rtol=1e-10, atol=1e-12, parameters={"hinge high": high}
    )
    leaves = np.flatnonzero((run["hinge"] < high) & (run["hinge rate"] < 0.0))[0]
    return float(-run["hinge rate"][leaves] / 3.0)


@pytest.mark.parametrize("high", [0.2, 0.7])
def test_a_stop_without_damping_gives_all_speed_back(high: float) -> None:
    assert bounce(0.0, high) == pytest.approx(1.0, rel=1e-7)


@pytest.mark.parametrize("ratio", [0.1, 0.5])
def test_a_stop_with_damping_gives_back_what_a_damped_half_swing_leaves(ratio: float) -> None:
    """A spring and damper that only push let go when their force vanishes (Schwager, Pöschel
    2007): e = exp(−ζ/s · atan2(2 ζ s, 2 ζ² − 1)), s = √(1 − ζ²)."""
    s = np.sqrt(1 - ratio**2)
    expected = np.exp(-ratio / s * np.arctan2(2 * ratio * s, 2 * ratio**2 - 1))
    assert bounce(ratio, 0.2) == pytest.approx(expected, rel=1e-6)


def test_a_pendulum_that_bounces_keeps_its_energy_unless_the_stop_has_damping() -> None:
    lost = []
    for damping in (0.0, 4.0):
        m = rod(stop=(2000.0, damping), position=-0.25)
        system = m.compile()
        run = tb.simulate(system, duration=2.0, rtol=1e-10, atol=1e-12)
        assert run["hinge"].max() > 0.2  # it reached the stop
        energy = [sum(system.energy([q], [v])) for q, v in
                  zip(run["hinge"], run["hinge rate"], strict=True)]  # fmt: skip
        lost.append(energy[0] - min(energy))
    assert lost[0] == pytest.approx(0.0, abs=1e-8)
    assert lost[1] > 0.01


def rest_at(high: float, k: float) -> float:
    """Where stiffness × depth is the moment: k (q − high) = M − m g l/2 sin q."""
    return float(
        brentq(lambda q: k * (q - high) - 9.0 + MASS * G * LENGTH / 2 * np.sin(q), high, high + 1)
    )


def pushed() -> tb.Model:
    """The rod with a damped joint that 9 N m push onto its upper stop."""
    m = rod(stop=(400.0, 8.0), damping=1.0)
    m.force("push", tb.JointEffort("hinge", 9.0))
    return m


def test_a_live_run_moves_a_stop_and_what_leans_on_it_follows() -> None:
    with tb.live(pushed().compile(), rate=1000, speed=None) as live:
        live.run(4.0)
        assert live.read("hinge") == pytest.approx(rest_at(0.2, 400.0), abs=1e-6)
        live["hinge high"] = 0.5
        live.run(4.0)
        assert live.read("hinge") == pytest.approx(rest_at(0.5, 400.0), abs=1e-6)
    (change,) = live.report().parameter_changes
    depth = rest_at(0.2, 400.0) - 0.2
    assert change["energy"] == pytest.approx(-0.5 * 400.0 * depth**2, rel=1e-4)


def test_a_lower_limit_above_the_upper_one_is_refused_by_systems_runs_and_live_runs() -> None:
    system = pushed().compile()
    said = (
        r"Limits of 'hinge': the lower one would be 0.25, above the upper "
        r"one, 0.2; move the other one first, or this one less."
    )
    with pytest.raises(tb.InputError, match=said):
        system["hinge low"] = 0.25
    with pytest.raises(tb.InputError, match=said):
        tb.simulate(system, duration=0.1, parameters={"hinge low": 0.25})
    tb.simulate(system, duration=0.01, parameters={"hinge low": 0.25, "hinge high": 0.3})
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.01)
        with pytest.raises(tb.InputError, match=said):
            live["hinge low"] = 0.25
        assert live["hinge low"] == -0.3
        live["hinge high"] = 0.3
        live["hinge low"] = 0.25
        live.run(0.01)
    assert system.parameters == {"hinge low": -0.3, "hinge high": 0.2}


def test_so_is_that_of_one_copy_by_its_name_and_others_keep_theirs() -> None:
    row = tb.copies(pushed().compile(), ["left", "right"])
    row["left/hinge high"] = 0.3
    row["left/hinge low"] = 0.25
    with pytest.raises(tb.InputError, match=r"Limits of 'right/hinge': .* 0\.25, above .* 0\.2;"):
        row["right/hinge low"] = 0.25
    assert row["right/hinge low"] == -0.3


def test_a_part_s_limits_are_its_own_or_bound_or_shared() -> None:
    m = tb.Model("two")
    widest = m.parameter("widest", 0.9, "rad")
    m.add(rod(), name="left", bind={"hinge high": widest})
    m.add(rod(), name="right", share=["hinge low"])
    system = m.compile()
    assert set(system.parameters) == {
        "widest", "left/hinge low", "hinge low", "right/hinge high",
    }  # fmt: skip
    with pytest.raises(tb.InputError, match="'left/hinge'"):
        system["widest"] = -0.5


def test_a_file_holds_limits_with_their_parameters() -> None:
    m = rod(stop=(800.0, 4.0))
    m.sensor("room", tb.Signal(m.signal("hinge high") - m.coordinate("hinge"), "rad"))
    again = model_from_text(to_text(m))
    assert again.parameters == m.parameters
    assert to_text(again) == to_text(m)
    by_hand = model_from_text(
        """
        touchback: 1
        name: rod
        bodies: {rod: {mass: 1, inertia: [1, 1, 1]}}
        joints:
          hinge: {kind: revolute, axis: y, parent: ground, child: rod, limits: [-1, 2]}
        sensors:
          room: {kind: signal, expression: "'hinge high' - 'q:hinge'"}
        """
    )
    assert limit_numbers(by_hand) == {"hinge": (-1.0, 2.0)}
    assert by_hand.compile().parameters == {"hinge low": -1.0, "hinge high": 2.0}


def test_both_ends_move_at_once_in_a_run_that_closes_its_loops() -> None:
    """Beyond where the other one was: a pair of coupled blocks begins between its new stops, and
    rests there, whichever end is named first; the system itself stays as it was."""
    m = tb.Model("pair", gravity=(0, 0, 0))
    for name in ("x", "y"):
        limits = {"limits": [(0.0, 1.0)]} if name == "x" else {}
        joint = tb.Prismatic("x")
        m.joint(name, joint, m.ground, m.body(name, mass=1.0), position=2.5, **limits)
    m.constrain("together", m.coordinate("x") - m.coordinate("y"), unit="m")
    system = m.compile()
    for ends in ({"x low": 2.0, "x high": 3.0}, {"x high": -2.0, "x low": -3.0}):
        moved = system.independent_copy(ends)
        assert {name: moved[name] for name in ends} == ends
    run = tb.simulate(system, None, 0.1, parameters={"x low": 2.0, "x high": 3.0})
    assert np.abs(run["x"] - 2.5).max() < 1e-12
    assert system["x low"] == 0.0 and system["x high"] == 1.0
    with pytest.raises(tb.InputError, match="Limits of 'x': the lower one would be 4"):
        system.independent_copy({"x low": 4.0, "x high": 3.0})
