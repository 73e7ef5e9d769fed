"""Icons: newtons, newton metres and motions that arrive at the mechanism, and what they measure."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from manipulated import MASS, Asked, G, Start, arm, floating, four_bar

T = 1e-3


def put(run: Asked, **icon: object) -> dict[str, object]:
    """An icon, taken over by the next tick of an unclocked run."""
    told = run.ask(do="icon", **icon)
    run.live.run(T)
    return told


def test_the_newtons_of_a_force_icon_arrive_at_the_body(start: Start) -> None:
    """x = ½ F t²/m, exactly for RK4."""
    run = start(floating())
    put(run, name="push", kind="force", on="block", value=[3.0, 0, 0])
    assert run.live.structures[-1].state == "taken"
    x, v = run.live.read("free.x"), run.live.read("free.vx")
    assert v == pytest.approx(3.0 / MASS * T, rel=1e-12)
    run.live.run(0.2)
    assert run.live.read("free.x") == pytest.approx(
        x + 0.2 * v + 0.5 * 3.0 / MASS * 0.2**2, rel=1e-12
    )


def test_a_force_icon_beside_the_centre_of_mass_turns_the_body(start: Start) -> None:
    run = start(floating())
    put(run, name="push", kind="force", on="block", at=[0, 0.3, 0], value=[2.0, 0, 0])
    assert run.live.read("free.wz") == pytest.approx(-0.3 * 2.0 / 0.25 * T, rel=1e-6)


def test_other_numbers_and_places_of_an_icon_need_no_other_structure(start: Start) -> None:
    run = start(floating())
    put(run, name="push", kind="force", on="block", value=[3.0, 0, 0])
    put(run, name="push", kind="force", on="block", value=[0, -1.0, 0], at=[0.1, 0, 0])
    assert len(run.live.structures) == 1
    assert run.live.read("free.vx") == pytest.approx(3.0 / MASS * T, rel=1e-6)
    assert run.live.read("free.vy") == pytest.approx(-1.0 / MASS * T, rel=1e-6)
    assert run.live.read("free.wz") == pytest.approx(-0.1 / 0.25 * T, rel=1e-6)
    (icon,) = run.manipulators.icons.describe()
    assert icon["value"] == [0, -1.0, 0] and icon["at"] == [0.1, 0, 0]


def test_a_force_along_the_bodys_axes_turns_with_it(start: Start) -> None:
    """A body that spins about z under a force along its own x: v̇ stays along its x, so that in
    its own axes v̇ = F/m − ω × v."""
    m = floating()
    x0 = m.compile().assemble(rates={"free.wz": 2.0})
    run = start(m, x0)
    put(run, name="jet", kind="force", on="block", value=[1.0, 0, 0], frame="body")
    run.live.run(0.3 - T)
    u = 1.0 / MASS * np.array([np.sin(2 * 0.3), np.cos(2 * 0.3) - 1.0]) / 2.0
    assert run.live.read("free.vx") == pytest.approx(u[0], rel=1e-8)
    assert run.live.read("free.vy") == pytest.approx(u[1], rel=1e-8)


def test_the_newton_metres_of_a_torque_icon_arrive_at_the_body(start: Start) -> None:
    run = start(floating())
    put(run, name="twist", kind="torque", on="block", value=[0, 0, 0.5])
    assert run.live.read("free.wz") == pytest.approx(0.5 / 0.25 * T, rel=1e-12)
    assert run.live.read("free.vx") == 0.0


def test_a_motion_icon_takes_the_joint_to_its_rate_and_tells_the_effort(start: Start) -> None:
    """Against gravity: τ = −m g l sin θ when the rate is steady."""
    m = tb.Model("pendulum")
    body = m.body("bob", MASS, com=(0, 0, -0.5), inertia=(0.01, 0.02, 0.01))
    m.joint("hinge", tb.Revolute("y"), m.ground, body)
    run = start(m)
    run.live.run(0.1)
    put(run, name="turn", kind="motion", on="hinge", value=1.5)
    run.live.run(1.5)
    assert run.live.read("hinge rate") == pytest.approx(1.5, abs=1e-9)
    theta = run.live.read("hinge")
    assert run.live.read("turn effort") == pytest.approx(
        MASS * G * 0.5 * np.sin(theta), rel=1e-4, abs=1e-3
    )


def test_a_motion_begins_from_where_the_joint_is_and_as_fast_as_it_goes(start: Start) -> None:
    """No jump in position or velocity, no energy lost, however long it took to prepare."""
    m = four_bar()
    run = start(m, m.compile().assemble(rates={"crank": 3.0}))
    run.live.run(0.05)
    before = run.live.snapshot()
    put(run, name="turn", kind="motion", on="crank", value=3.0)
    change = run.live.structures[-1]
    assert change.moved < 1e-14
    assert change.energy_lost == pytest.approx(0.0, abs=1e-12)
    assert run.live.read("crank") == pytest.approx(before["crank"] + before["crank rate"] * T,
                                                   abs=1e-4)  # fmt: skip
    run.live.run(1.5)
    assert run.live.read("crank rate") == pytest.approx(3.0, abs=1e-9)


def test_a_motion_to_a_position_ramps_there_without_a_teleport(start: Start) -> None:
    run = start(arm())
    put(run, name="go", kind="motion", on="hinge", value=0.8, of="position")
    for t in (0.1, 0.2, 0.4):  # critically damped with 10 rad/s
        run.live.run(t - run.live.read("time"))
        way = 0.8 * (1.0 - (1.0 + 10.0 * t) * np.exp(-10.0 * t))
        assert run.live.read("hinge") == pytest.approx(way, abs=1e-6)
    run.live.run(2.6)
    assert run.live.read("hinge") == pytest.approx(0.8, abs=1e-9)
    put(run, name="go", kind="motion", on="hinge", value=0.5, of="rate")
    run.live.run(1.2)
    assert run.live.read("hinge rate") == pytest.approx(0.5, abs=1e-9)
    assert len(run.live.structures) == 1


def test_an_icon_that_is_removed_acts_no_more(start: Start) -> None:
    run = start(floating())
    put(run, name="push", kind="force", on="block", value=[3.0, 0, 0])
    run.ask(do="remove", icon="push")
    run.live.run(T)
    v = run.live.read("free.vx")
    run.live.run(0.1)
    assert run.live.read("free.vx") == v
    assert "push x" not in run.live.system.input_names
    assert run.manipulators.icons.describe() == []
    assert "'push'" in run.refused(do="remove", icon="push")


def test_an_icon_with_other_axes_is_put_anew(start: Start) -> None:
    run = start(floating(), speed=1.0)
    for frame in ("world", "body"):
        told = run.ask(do="icon", name="push", kind="force", on="block", value=[1, 0, 0],
                       frame=frame)  # fmt: skip
        assert told["state"] == "taken" and told["freedoms_after"] == 6
    assert run.live.system.model.forces["push"].axes == "body"


def test_an_icon_that_gets_other_axes_never_stops_pushing(start: Start, tmp_path: Path) -> None:
    """v = F t/m over both structures: one tick changes, and none goes without the force."""
    run = start(floating(), record=tmp_path / "run.mcap")
    for frame in ("world", "body"):
        put(run, name="push", kind="force", on="block", value=[3.0, 0, 0], frame=frame)
        run.live.run(0.05)
    assert [each.state for each in run.live.structures] == ["taken", "taken"]
    run.live.stop()
    v = tb.open(tmp_path / "run.mcap")["free.vx"]
    steps = np.diff(v[v > 0.0])
    assert len(steps) > 100 and steps == pytest.approx(3.0 / MASS * T, rel=1e-9)


def test_an_icon_on_another_body_has_its_new_numbers_at_the_tick_that_moves_it(
    start: Start,
) -> None:
    m = floating()
    m.joint("other", tb.Free(), m.ground, m.body("other", MASS, inertia=(0.1, 0.2, 0.25)))
    run = start(m)
    put(run, name="push", kind="force", on="block", value=[3.0, 0, 0])
    put(run, name="push", kind="force", on="other", value=[0, 5.0, 0])
    assert run.live.read("other.vy") == pytest.approx(5.0 / MASS * T, rel=1e-9)
    assert run.live.read("other.vx") == 0.0
    assert run.live.read("free.vx") == pytest.approx(3.0 / MASS * T, rel=1e-9)


def test_an_icon_that_is_refused_elsewhere_stays_where_it_was(start: Start) -> None:
    run = start(arm())
    put(run, name="turn", kind="motion", on="hinge", value=1.0)
    before = run.manipulators.icons.describe()
    words = run.refused(do="icon", name="turn", kind="force", on="armm", value=[1.0, 0, 0])
    assert "did you mean 'arm'" in words
    words = run.refused(do="icon", name="turn", kind="motion", on="hinge", value=1e300)
    assert "at most" in words
    assert run.manipulators.icons.describe() == before and "turn" in run.manipulators.icons.icons
    run.ask(do="icon", name="turn", kind="motion", on="hinge", value=2.0)


def test_icons_that_can_not_work_are_refused_in_words(start: Start) -> None:
    run = start(floating())
    base = {"do": "icon", "name": "push", "value": [1, 0, 0]}
    assert "did you mean 'block'" in run.refused(**base, kind="force", on="blok")
    assert "three components" in run.refused(do="icon", name="a", kind="force", on="block", value=1)
    assert "has no plain coordinate" in run.refused(
        do="icon", name="a", kind="motion", on="free", value=1
    )
    assert "one number" in run.refused(**base, kind="motion", on="free")
    assert "at most" in run.refused(
        do="icon", name="a", kind="force", on="block", value=[1e300, 0, 0]
    )
    assert "already" in run.refused(
        do="icon", name="hand", kind="force", on="block", value=[1, 0, 0]
    )
    assert not run.live.structures


def test_what_icons_did_replays_to_the_same_bits(start: Start, tmp_path: Path) -> None:
    run = start(four_bar(), record=tmp_path / "run.mcap")
    put(run, name="push", kind="force", on="rocker", at=[0.1, 0, 0], value=[0, 0, 5.0])
    run.live.run(0.05)
    put(run, name="push", kind="force", on="rocker", at=[0.2, 0, 0], value=[1.0, 0, 0])
    run.live.run(0.05)
    put(run, name="turn", kind="motion", on="crank", value=2.0)
    run.live.run(0.05)
    run.ask(do="remove", icon="push")
    run.live.run(0.05)
    run.live.stop()
    again = tb.replay(tmp_path / "run.mcap")
    assert again.same and [len(part) for part in again.parts] == [0, 102, 51, 50]
