"""Kinematic dragging: a point goes where it is wanted, everything follows, loops stay closed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares

import touchback as tb
from manipulated import Asked, Start, chain, four_bar
from touchback import gallery
from touchback.workbench.manipulate.pose_dragging import bounds, reach
from touchback.workbench.manipulate.state_snapshot import StateSnapshot, take_snapshot


def at_start(system: tb.System) -> StateSnapshot:
    x = system.assemble()
    inputs = np.array(system.input_defaults, dtype=float)
    return StateSnapshot(system, 0.0, x.q, x.v, x.z, inputs, dict(system.parameters))


def error(run: Asked) -> float:
    now = take_snapshot(run.live)
    return float(np.abs(now.system.constraint_error(now.q)).max())


def test_a_point_is_dragged_along_its_circle_with_the_loop_closed(start: Start) -> None:
    run = start(four_bar(), speed=1.0)
    run.live.pause()
    pivot = np.array([0.5, 0, 0])
    begin = take_snapshot(run.live).point("rocker", np.array([0.3, 0, 0]))
    for turn in (-0.1, -0.2, -0.3):
        c, s = np.cos(turn), np.sin(turn)
        to = pivot + np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ (begin - pivot)
        told = run.ask(do="pose", body="rocker", point=[0.3, 0, 0], to=to.tolist())
        assert told["distance"] < 1e-9 and told["gap"] < 1e-9
        assert error(run) < 1e-9
        assert take_snapshot(run.live).point("rocker", np.array([0.3, 0, 0])) == pytest.approx(
            to, abs=1e-9
        )


@pytest.mark.parametrize(
    ("scale", "place"), [(1e6, (0, 0, 0)), (2e-5, (0, 0, 0)), (1.0, (1e6, 0, -2e6))]
)
def test_a_mechanism_of_any_size_and_anywhere_is_dragged(
    scale: float, place: tuple[float, float, float]
) -> None:
    """From 10 µm to 500 km: along the rocker's circle to 1e-9 of its size (of 1e6 m of place a
    double leaves 1e-10 m), as far as beyond its reach nowhere, with the loop closed."""
    now = at_start(four_bar(scale, place=place).compile())
    at, pivot = np.array([0.3 * scale, 0, 0]), np.array([0.5 * scale, 0, 0]) + place
    begin = now.point("rocker", at) - pivot
    for turn in (-0.1, -0.2, -0.3):
        c, s = np.cos(turn), np.sin(turn)
        to = pivot + np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ begin
        found = reach(now, "rocker", at, to)
        assert found.distance < 1e-9 * scale
        assert np.abs(now.system.constraint_error(found.q)).max() < 1e-8 * scale
    assert reach(now, "rocker", at, pivot + 5.0 * begin).distance == pytest.approx(1.2 * scale)


def test_a_slider_is_dragged_as_far_as_it_is_wanted() -> None:
    m = tb.Model("rail")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", 1.0, inertia=(0.1, 0.1, 0.1)))
    now = at_start(m.compile())
    for far in (0.1, 100.0, -3e5):
        assert reach(now, "cart", np.zeros(3), np.array([far, 0, 0])).q == pytest.approx([far])


def test_the_run_goes_on_from_the_pose_at_rest(start: Start) -> None:
    m = four_bar()
    run = start(m, m.compile().assemble(rates={"crank": 4.0}), speed=1.0)
    run.live.run(0.05)
    run.live.pause()
    now = take_snapshot(run.live)
    to = now.point("coupler", np.array([0.2, 0, 0])) + [0.01, 0, 0.01]
    run.ask(do="pose", body="coupler", point=[0.2, 0, 0], to=to.tolist())
    posed = take_snapshot(run.live)
    assert np.abs(posed.v).max() == 0.0
    tick = run.live.ticks
    run.live.step(5)
    now = take_snapshot(run.live)
    assert run.live.ticks >= tick + 5 and not run.live.faults
    assert np.abs(now.q - posed.q).max() < 0.01 and np.abs(now.v).max() > 0.0  # it begins to fall
    assert error(run) < 1e-9


def test_where_a_point_can_not_go_it_comes_as_near_as_the_mechanism_lets_it() -> None:
    """The nearest point of a double pendulum's ring to a place inside of it: in line with the
    pivot, at |l1 − l2|."""
    system = gallery.make("double-pendulum").compile()
    lower = system.model.joints["lower"].parent.at[2]
    now = at_start(system)
    target = np.array([0.2, 0.0, -0.5])
    found = reach(now, "lower", np.array([0, 0, -0.3]), target)
    nearest = target / np.linalg.norm(target) * (abs(lower) - 0.3)
    assert found.point == pytest.approx(nearest, abs=2e-3)
    assert found.distance == pytest.approx(np.linalg.norm(target - nearest), abs=1e-5)


def test_joint_limits_are_respected() -> None:
    m = tb.Model("limited", gravity=(0, 0, 0))
    body = m.body("arm", 1.0, com=(0.3, 0, 0), inertia=(0.01, 0.01, 0.01))
    hand = m.body("tip", 0.2, com=(0.1, 0, 0), inertia=(0.001, 0.001, 0.001))
    m.joint("shoulder", tb.Revolute("y"), m.ground, body, limits=(-0.4, 0.4))
    m.joint("wrist", tb.Revolute("y"), body.at(0.6, 0, 0), hand)
    now = at_start(m.compile())
    found = reach(now, "tip", np.array([0.2, 0, 0]), np.array([0.2, 0.0, 0.6]))
    assert found.q[0] == pytest.approx(-0.4, abs=1e-9)
    bent = 0.6 * np.array([np.cos(0.4), 0, np.sin(0.4)])
    way = np.array([0.2, 0.0, 0.6]) - bent
    assert found.point == pytest.approx(bent + 0.2 * way / np.linalg.norm(way), abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_within_limits_a_point_comes_as_near_as_bounded_least_squares_from_there(seed: int) -> None:
    """Arms with four hinges in random directions and narrow limits, beyond and within which targets
    lie: scipy's trust region finds nothing nearer from where a point was brought, and to be asked
    again doesn't either. Steps end where they gain less than 1e-8 of the size, 0.3 m."""
    draw = np.random.default_rng(seed)
    m, carrier, n = tb.Model("arm"), None, 4
    for i in range(n):
        link = m.body(f"link {i}", 1.0, (0, 0, 0.15), (0.01, 0.01, 0.01))
        low, high = -draw.uniform(0.05, 2.0), draw.uniform(0.05, 2.0)
        axis = "xyz"[draw.integers(3)]
        at = m.ground if carrier is None else carrier.at(0.05, 0, 0.3)
        m.joint(f"hinge {i}", tb.Revolute(axis), at, link, limits=(low, high))
        carrier = link
    system, at = m.compile(), np.array([0.05, 0, 0.3])
    now, body = at_start(system), f"link {n - 1}"
    low, high = bounds(now)
    for target in draw.uniform(-1.5, 1.5, (4, 3)):

        def off(q: np.ndarray, target: np.ndarray = target) -> np.ndarray:
            return replace(now, q=q).point(body, at) - target

        found = reach(now, body, at, target)
        assert (found.q >= low - 1e-8).all() and (found.q <= high + 1e-8).all()
        begin = np.clip(found.q, low + 1e-9, high - 1e-9)
        best = least_squares(off, begin, bounds=(low, high), xtol=1e-12, ftol=1e-12)
        assert found.distance < np.linalg.norm(best.fun) + 1e-6
        again = reach(replace(now, q=found.q), body, at, target)
        assert again.distance == pytest.approx(found.distance, abs=1e-6)


def test_of_many_ways_the_one_that_moves_least_mass_is_taken() -> None:
    """Two sliders in line, a heavy one that carries a light one: the way is shared 1 : m₁₂/m₂ … all
    of it by the light one, up to the small weight of displacements."""
    m = tb.Model("sliders", gravity=(0, 0, 0))
    heavy, light = m.body("heavy", 100.0), m.body("light", 0.1)
    m.joint("first", tb.Prismatic("x"), m.ground, heavy)
    m.joint("second", tb.Prismatic("x"), heavy, light)
    found = reach(at_start(m.compile()), "light", np.zeros(3), np.array([0.2, 0, 0]))
    assert found.q == pytest.approx([0.0, 0.2], abs=1e-6)


@pytest.mark.parametrize(
    ("name", "body"),
    [("stewart-platform", "plate"), ("slider-crank", "rod"), ("crank-rocker", "coupler")],
)
def test_closed_mechanisms_of_the_gallery_follow_with_their_loops_closed(
    name: str, body: str
) -> None:
    system = gallery.make(name).compile()
    now, at = at_start(system), np.array([0.1, 0.0, 0.05])
    target = now.point(body, at) + [0.01, 0.0, 0.02]
    found = reach(now, body, at, target)
    assert np.abs(system.constraint_error(found.q)).max() < 1e-9
    assert found.distance < 0.9 * np.linalg.norm([0.01, 0.02])


def test_a_chain_in_space_reaches_a_place_exactly() -> None:
    now = at_start(chain(6).compile())
    target = now.point("link 5", np.zeros(3)) + [-0.2, 0.1, 0.1]
    assert reach(now, "link 5", np.zeros(3), target).distance < 1e-9


def test_a_run_that_goes_on_is_not_posed(start: Start) -> None:
    run = start(four_bar(), speed=1.0)
    said = run.refused(do="pose", body="rocker", to=[0, 0, 0])
    assert "`pause` the run first" in said
    assert "did you mean 'rocker'" in run.refused(do="pose", body="roker", to=[0, 0, 0])


def test_poses_replay_to_the_same_bits(start: Start, tmp_path: Path) -> None:
    run = start(four_bar(), speed=1.0, record=tmp_path / "run.mcap")
    run.live.run(0.02)
    run.live.pause()
    to = take_snapshot(run.live).point("rocker", np.array([0.3, 0, 0])) + [0.02, 0, 0]
    run.ask(do="pose", body="rocker", point=[0.3, 0, 0], to=to.tolist())
    run.live.go()
    run.live.run(0.05)
    run.live.stop()
    assert tb.replay(tmp_path / "run.mcap").same
