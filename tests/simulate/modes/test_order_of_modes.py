"""Modes follow each other as the mechanism decides: cascades, chattering, parts, tracking."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from models_with_modes import G, bouncing_ball, pegged_pendulum
from touchback.simulate.run_failure import RunFailed

METHODS = ("dopri5", "rk4")


def bolted_gate() -> tb.Model:
    """A gate that slides along x, and a bolt that lets it go at a time."""
    m = tb.Model("gate", gravity=(0, 0, 0))
    m.joint("gate", tb.Prismatic("x"), m.ground, m.body("gate", mass=5.0))
    m.constrain("bolt", m.coordinate("gate"))
    m.mode("shut", active=["bolt"])
    m.mode("open")
    m.transition("unbolt", "shut", "open", when=m.parameter("at", 1.0) - m.time)
    return m


@pytest.mark.parametrize("method", METHODS)
def test_transitions_follow_each_other_at_one_instant(method: str) -> None:
    """At 0.3 s the first falls due; the others are due by then, and follow at once."""
    m = tb.Model("cascade")
    level = m.state("level", 0.0, rate=1.0)
    m.state("count", 0.0)
    for name in ("a", "b", "c", "d"):
        m.mode(name)
    step = {"count": m.signal("count") + 1.0}
    m.transition("first", "a", "b", when=0.3 - level, reset=step)
    m.transition("second", "b", "c", when=0.2 - level, reset=step)
    m.transition("third", "c", "d", when=0.1 - level, reset=step)
    run = tb.simulate(m.compile(), None, 1.0, method=method)
    assert [each.cause for each in run.transitions] == ["first", "second", "third"]
    np.testing.assert_allclose([each.time for each in run.transitions], 0.3, atol=1e-12)
    assert run["count"][-1] == 3.0 and run["mode"][-1] == 3.0


@pytest.mark.parametrize("method", METHODS)
def test_what_the_user_does_decides_the_order(method: str) -> None:
    """The same door, pushed to the one side or to the other."""
    m = tb.Model("door", gravity=(0, 0, 0))
    m.joint("door", tb.Prismatic("x"), m.ground, m.body("door", mass=1.0))
    push = m.input("push", unit="N")
    m.force("push", tb.JointEffort("door", push))
    x = m.coordinate("door")
    for name in ("between", "left", "right"):
        m.mode(name)
    m.transition("go left", "between", "left", when=x + 0.1)
    m.transition("go right", "between", "right", when=x - 0.1, direction=+1)
    m.transition("from left", "left", "between", when=x + 0.1, direction=+1)
    m.transition("from right", "right", "between", when=x - 0.1)
    system = m.compile()
    for force, side in ((1.0, "right"), (-1.0, "left")):
        inputs = {"push": ([0.0, 0.7, 0.71, 3.0], np.array([1.0, 1.0, -1.0, -1.0]) * force)}
        run = tb.simulate(system, None, 3.0, method=method, inputs=inputs)
        other = {"left": "right", "right": "left"}[side]
        expected = [side, "between", other]
        assert [each.target for each in run.transitions] == expected


def test_an_input_that_jumps_past_a_threshold_is_seen_at_once() -> None:
    m = tb.Model("switch")
    level = m.input("level", default=1.0)
    m.state("charge", 0.0, rate=1.0)
    m.mode("on")
    m.mode("off")
    m.transition("drop", "on", "off", when=level - 0.5)
    m.transition("rise", "off", "on", when=level - 0.5, direction=+1)
    with tb.live(m.compile(), rate=1000, speed=None, record=True) as live:
        live.run(0.01)
        assert live.read("mode") == 0.0
        live["level"] = 0.0
        live.run(0.001)
        assert live.read("mode") == 1.0
        live["level"] = 1.0
        live.run(0.001)
        assert live.read("mode") == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_that_may_rest_does_so_at_zenos_point(method: str) -> None:
    """The bounces of e = 0.9 add up: √(2 h/g) (1 + 2 e/(1 − e))."""
    run = tb.simulate(bouncing_ball(0.9, rest=True).compile(), None, 10.0, method=method)
    zeno = np.sqrt(2 / G) * (1 + 2 * 0.9 / 0.1)
    last = run.transitions[-1]
    assert (last.source, last.target) == ("flight", "rest")
    assert last.time == pytest.approx(zeno, abs=2e-5)
    resting = run.time > zeno
    assert (run["mode"][resting] == 1.0).all()
    np.testing.assert_allclose(run["floor force"][resting], G, rtol=1e-12)
    np.testing.assert_allclose(run["height"][resting], 0.0, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_bounces_without_end_are_named_and_the_run_is_kept(method: str) -> None:
    with pytest.raises(RunFailed, match=r"mode 'flight' is left and entered again 64 times") as e:
        tb.simulate(bouncing_ball(0.9).compile(), None, 10.0, method=method)
    assert "`rest` mode" in str(e.value) and "'bounce'" in str(e.value)
    run = e.value.run
    assert run.time[-1] == pytest.approx(np.sqrt(2 / G) * 19, abs=5e-3)
    assert len(run.transitions) > 100


@pytest.mark.parametrize("method", METHODS)
def test_modes_that_alternate_are_named(method: str) -> None:
    """A heater without hysteresis."""
    m = tb.Model("heater")
    m.mode("heating")
    m.mode("cooling")
    warmth = m.state("warmth", 0.0, rate=1.0 - 2.0 * m.signal("mode"))
    m.transition("warm", "heating", "cooling", when=0.5 - warmth)
    m.transition("cold", "cooling", "heating", when=warmth - 0.5)
    with pytest.raises(RunFailed, match=r"modes 'cooling' and 'heating' alternate 64 times") as e:
        tb.simulate(m.compile(), None, 2.0, method=method)
    assert e.value.run.time[-1] == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("method", METHODS)
def test_what_switches_fast_by_nature_is_not_chattering(method: str) -> None:
    """A relay with hysteresis and a time constant of 1 µs: half periods of ln 3 of them."""
    m = tb.Model("relay")
    m.mode("up")
    m.mode("down")
    level = m.state("level", 0.0, rate=lambda x: 1e6 * (1.0 - 2.0 * m.signal("mode") - x))
    m.transition("high", "up", "down", when=level - 0.5, direction=+1)
    m.transition("low", "down", "up", when=level + 0.5)
    run = tb.simulate(
        m.compile(), None, 3e-4, method=method, step=1e-7 if method == "rk4" else None
    )
    expected = 1e-6 * (np.log(2.0) + np.log(3.0) * np.arange(273))
    assert len(run.transitions) == 273
    np.testing.assert_allclose([each.time for each in run.transitions], expected, atol=5e-10)


@pytest.mark.parametrize("method", METHODS)
def test_parts_have_modes_of_their_own(method: str) -> None:
    m = tb.Model("two balls", gravity=(0, 0, -G))
    for name, e in (("left", 0.9), ("right", 0.5)):
        m.add(bouncing_ball(e), name=name)
    system = m.compile()
    assert system.modes == {"left/mode": ("left/flight",), "right/mode": ("right/flight",)}
    run = tb.simulate(system, None, 1.2, method=method)
    alone = {
        name: tb.simulate(bouncing_ball(e).compile(), None, 1.2, method=method)
        for name, e in (("left", 0.9), ("right", 0.5))
    }
    for name, other in alone.items():
        times = [each.time for each in run.transitions if each.cause == f"{name}/bounce"]
        np.testing.assert_allclose(times, [each.time for each in other.transitions], atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_a_model_may_lead_its_parts_from_mode_to_mode(method: str, tmp_path: Path) -> None:
    """The right bolt opens half a metre after the left gate, which neither gate knows of."""
    m = tb.Model("gates")
    for name in ("left", "right"):
        m.add(bolted_gate(), name=name)
    push = m.input("push", unit="N", default=10.0)
    m.force("push", tb.JointEffort("left/gate", push))
    far = m.coordinate("left/gate") - 0.5
    m.transition("open the other", "right/shut", "right/open", when=far, direction=+1)
    m.save(tmp_path / "gates.yaml")
    for model in (m, tb.read(tmp_path / "gates.yaml")):
        parameters = {"left/at": 0.2, "right/at": 9.0}
        run = tb.simulate(model.compile(), None, 1.0, method=method, parameters=parameters)
        opened = {each.cause: each.time for each in run.transitions}
        assert list(opened) == ["left/unbolt", "open the other"]
        assert opened["open the other"] == pytest.approx(0.2 + np.sqrt(2 * 0.5 / 2.0), abs=1e-9)
        assert run["right/mode"][-1] == run["left/mode"][-1] == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_an_idle_coordinate_tracks_and_nothing_else_feels_it(method: str) -> None:
    """A marker on a rail follows the tip of a pendulum until it is let go."""
    m = tb.Model("marker", gravity=(0, 0, -G))
    bar = m.body("bar", mass=1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1))
    m.joint("bar", tb.Revolute("y"), m.ground, bar, position=0.5)
    m.joint("marker", tb.Prismatic("x"), m.ground, m.body("marker", mass=3.0))
    tip = m.sensor("tip", tb.Position(bar.at(0, 0, -1.0)))
    m.mode("follow", tracking={"marker": tip[0]})
    m.mode("free")
    m.transition("let go", "follow", "free", when=0.8 - m.time)
    system = m.compile()
    run = tb.simulate(system, system.assemble(bar=0.5), 1.2, method=method, rtol=1e-10, atol=1e-12)
    following = run["mode"] == 0.0
    np.testing.assert_allclose(run["marker"][following], run["tip.x"][following], atol=1e-11)
    free = ~following
    np.testing.assert_allclose(run["marker rate"][free], run["marker rate"][free][0], atol=1e-12)
    alone = tb.Model("bar", gravity=(0, 0, -G))
    bar = alone.body("bar", mass=1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1))
    alone.joint("bar", tb.Revolute("y"), alone.ground, bar, position=0.5)
    plain = tb.simulate(alone.compile(), None, 1.2, method=method, rtol=1e-10, atol=1e-12)
    assert run["bar"][-1] == pytest.approx(plain["bar"][-1], abs=1e-8)


def test_a_parameter_decides_whether_a_mode_occurs() -> None:
    m = tb.Model("threshold", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("stone", mass=1.0))
    limit = m.parameter("limit", 0.5)
    m.mode("high")
    m.mode("low")
    m.transition("pass", "high", "low", when=m.coordinate("height") + limit)
    system = m.compile()
    for value, passed in ((0.5, True), (10.0, False)):
        run = tb.simulate(system, None, 0.5, parameters={"limit": value})
        assert bool(run.transitions) is passed
    assert run["mode"][-1] == 0.0


def test_events_are_found_beside_transitions() -> None:
    system = pegged_pendulum().compile()
    start = system.assemble(mode="long", **{"bob.x": -0.6, "bob.z": -0.8})
    low = tb.Event("low", lambda t, x: x[0] + 0.95, direction=-1)
    named = tb.Event("left", "bob.x", direction=-1)
    run = tb.simulate(system, start, 3.0, events=[low, named])
    assert len(run.transitions) == 3
    assert [event.name for event in run.events].count("left") == 1
    assert [event.name for event in run.events].count("low") >= 3
    assert run.events[1].state["bob.z"] < -0.9
    stop = tb.Event("stop", lambda t, x: x[0] + 0.9, direction=-1, terminal=True)
    assert tb.simulate(system, start, 3.0, events=[stop]).time[-1] < 0.6


@pytest.mark.parametrize("method", METHODS)
def test_a_contact_that_lets_go_gently_is_not_met_again_at_once(method: str) -> None:
    """The force that holds a cart against a stop fades to nothing and turns: at that instant its
    gap, speed and acceleration are all zero."""
    m = tb.Model("cart", gravity=(0, 0, 0))
    pull = m.input("pull", unit="N")
    m.joint("cart", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0), position=0.01)
    m.force("pull", tb.JointEffort("cart", pull))
    x = m.coordinate("cart")
    m.constrain("stop", x - 0.01)
    hold = -m.sensor("stop force", tb.Multiplier("stop"))
    m.mode("held", active=["stop"])
    m.mode("free")
    m.transition("let go", "held", "free", when=hold)
    m.transition("meet", "free", "held", when=0.01 - x)
    inputs = {"pull": ([0.0, 1.0, 1.3, 3.0], [1.0, -1.0, 1.0, 1.0])}
    run = tb.simulate(m.compile(), None, 3.0, method=method, inputs=inputs)
    assert [each.target for each in run.transitions] == ["free", "held"]
    assert run.transitions[0].time == pytest.approx(0.5, abs=1e-6)
    assert run["cart"].max() < 0.01 + 1e-9


def test_constraints_that_are_open_when_their_mode_begins_are_named() -> None:
    m = tb.Model("catch", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("stone", mass=1.0))
    m.constrain("shelf", m.coordinate("height") + 1.0)
    m.mode("fall")
    m.mode("lie", active=["shelf"])
    m.transition("catch", "fall", "lie", when=0.1 - m.time)
    system = m.compile()
    for method in METHODS:
        with pytest.raises(RunFailed, match=r"mode 'lie' can't begin: its constraints are open by"):
            tb.simulate(system, None, 1.0, method=method)


@pytest.mark.parametrize("method", ["dopri5", "radau5", "rk4", "euler"])
def test_a_cause_that_is_no_number_is_named(method: str) -> None:
    """A stone falls through the floor of its own square root, at √(2 · 0.3/g)."""
    m = tb.Model("stone", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("stone", mass=1.0), position=0.3)
    m.mode("above")
    m.mode("below")
    m.transition("pass", "above", "below", when=tb.sqrt(m.coordinate("height")) + 0.1)
    said = r"`when` of transition 'pass' isn't a number in mode 'above'.*mend its expression"
    with pytest.raises(RunFailed, match=said) as e:
        tb.simulate(m.compile(), None, 1.0, method=method, output_step=1e-3)
    assert e.value.run.time[-1] == pytest.approx(np.sqrt(0.6 / G), abs=1.1e-3)
    assert e.value.run.transitions == [] and e.value.run["mode"][-1] == 0.0
