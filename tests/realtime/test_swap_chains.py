"""Joints of any kinds follow each other in a running mechanism: nothing jumps, no energy comes."""

import itertools
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

import touchback as tb
from random_mechanisms import examples
from touchback.realtime.live_parameters import LiveParameters

RATE = 1000.0
T = 1.0 / RATE
AXIS = (0.3, -1.0, 0.5)
KINDS = (
    tb.Revolute("y"), tb.Revolute(AXIS), tb.Spherical(), tb.Prismatic("x"), tb.Cylindrical(AXIS),
    tb.Universal("x", "y"), tb.Planar("y"), tb.Screw("z", 0.05), tb.Free(), tb.Fixed(),
)  # fmt: skip
MOST = 100.0  # m/s²: no acceleration comes near it between the two samples of a tick
POINTS = ((0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 0.4, -0.3))


def swinging(kind: tb.JointKind, **options: object) -> tb.Model:
    """A body on the joint that changes, and one on that."""
    m = tb.Model("swinging", gravity=(0.4, -0.7, -9.0))
    arm = m.body("arm", 1.2, (0.2, 0.03, -0.1), (0.02, 0.03, 0.025))
    tip = m.body("tip", 0.4, (0.1, 0.0, 0.02), (0.003, 0.004, 0.005))
    m.joint("hinge", kind, m.ground.at(0.1, 0.2, 0.3, turn=("x", 0.5)),
            arm.at(0.05, 0.01, 0.0, turn=("y", 0.4)), **options)  # fmt: skip
    m.joint("elbow", tb.Revolute("z"), arm.at(0.4, 0, 0), tip)
    for name in ("arm", "tip"):
        for i, point in enumerate(POINTS):
            m.sensor(f"{name} {i}", tb.Position(tb.Frame(name, point)))
            m.sensor(f"{name} {i} speed", tb.Velocity(tb.Frame(name, point)))
    m.sensor("energy", tb.Energy())
    return m


def check(live: tb.Live) -> None:
    """No point moves further in a tick than its speed allows, and energy never rises."""
    run = live.recorded()
    for name, i in itertools.product(("arm", "tip"), range(len(POINTS))):
        place = np.column_stack([run[f"{name} {i}.{axis}"] for axis in "xyz"])
        speed = np.linalg.norm([run[f"{name} {i} speed.{axis}"] for axis in "xyz"], axis=0)
        way = np.linalg.norm(np.diff(place, axis=0), axis=1)
        fastest = np.maximum(speed[1:], speed[:-1])
        assert np.all(way <= fastest * T + MOST * T**2), f"{name} {i}: {(way - fastest * T).max()}"
    assert np.diff(run["energy"]).max() < 1e-6
    assert len(live.structures) > 3
    for change in live.structures:
        lost = change.energy_lost
        assert lost is not None and lost > -1e-9
        rows = run["energy"][change.tick - 2 : change.tick]  # type: ignore[operator]
        assert rows[0] - rows[1] == pytest.approx(lost, abs=1e-6)


def follow(kinds: Sequence[tb.JointKind], seed: int) -> None:
    """Runs a mechanism through these kinds of its joint, from random velocities."""
    first, *others = kinds
    system = swinging(first).compile()
    rng = np.random.default_rng(seed)
    start = system.initial_state().x.copy()
    nq = system.sizes[0]
    start[nq:] = rng.normal(size=len(start) - nq)
    with tb.live(system, start, rate=RATE, speed=None, record=True) as live:
        for kind in others:
            live.run(20 * T)
            live.swap(swinging(kind))
        live.run(20 * T)
        check(live)


@examples(4)
@given(st.lists(st.sampled_from(KINDS), min_size=5, max_size=6), st.integers(0, 10))
def test_joints_of_any_kinds_follow_each_other_without_a_jump(
    kinds: list[tb.JointKind], seed: int
) -> None:
    follow(kinds, seed)


TURN, SLIDE, HELIX = tb.Revolute(AXIS), tb.Prismatic("x"), tb.Screw("z", 0.05)


@pytest.mark.parametrize(
    ("kinds", "seed"),
    [
        ((TURN, HELIX, SLIDE, SLIDE, TURN), 9),
        ((tb.Planar("y"), tb.Universal("x", "y"), tb.Cylindrical(AXIS), tb.Planar("y"),
          tb.Spherical(), tb.Universal("x", "y")), 4),
    ],
)  # fmt: skip
def test_a_frozen_coordinate_may_have_the_name_that_another_had(
    kinds: Sequence[tb.JointKind], seed: int
) -> None:
    """The turn, frozen as "hinge before", moves again, and the slide freezes under that name. Such
    chains threw a body up to 88 mm; a search found them."""
    follow(kinds, seed)


def test_names_that_change_hands_are_told_and_replayed(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    system = swinging(tb.Revolute("y")).compile()
    start = system.assemble(hinge=0.7, rates={"hinge": 2.0, "elbow": -1.0})
    with tb.live(system, start, rate=RATE, speed=None, record=path) as live:
        for kind in (SLIDE, tb.Revolute("y"), SLIDE, tb.Revolute("y")):
            live.run(30 * T)
            moving, held = live["hinge"], live["hinge before"] if live.structures else 0.0
            live.swap(swinging(kind))
            assert live._pending.guess[0] == held  # type: ignore[union-attr]
            live.run(T)
            assert live.structures[-1].frozen == {"hinge before": moving}
            assert live["hinge before"] == moving
        assert live.report().parameter_changes == []  # nobody asked for any
    assert tb.replay(path).same


def test_what_is_asked_of_a_frozen_coordinate_while_its_name_changes_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Asked when a tick had taken the new structure over and the run didn't know yet."""
    known = LiveParameters.follow

    def late(self: LiveParameters, *taken: Any) -> Any:
        if "hinge" in self.values:
            self.change({"hinge": 0.9}, 0.0, np.array([]))
        return known(self, *taken)

    monkeypatch.setattr(LiveParameters, "follow", late)
    with tb.live(swinging(tb.Revolute("y")).compile(), rate=RATE, speed=None) as live:
        for kind in (tb.Fixed(), SLIDE):  # the turn is "hinge", then "hinge before"
            live.run(10 * T)
            live.swap(swinging(kind))
        live.run(10 * T)
        live.run(T)
        assert live["hinge before"] == 0.9
        assert live._loop.parameters.tolist() == [0.9]


def test_a_ball_between_two_hinges_of_one_axis_keeps_what_it_turned(tmp_path: Path) -> None:
    """Forth and back, also about an axis along which x and z turns coincide; replayed."""
    system = swinging(tb.Revolute("y")).compile()
    start = system.assemble(hinge=np.pi / 2, rates={"hinge": 2.0, "elbow": -1.0})
    path = tmp_path / "run.mcap"
    with tb.live(system, start, rate=RATE, speed=None, record=path) as live:
        ball, hinge = tb.Spherical(), tb.Revolute("y")
        for kind in (ball, hinge, tb.Free(), hinge, ball, hinge):
            live.run(30 * T)
            live.swap(swinging(kind))
        live.run(30 * T)
        known = live._joints["hinge"]  # type: ignore[index]
    assert len(known.chain) == 3  # a hinge, a ball and a flight, however often they come
    assert all(each.energy_lost > -1e-9 for each in live.structures)  # type: ignore[operator]
    assert tb.replay(path).same


def test_a_model_that_places_frozen_coordinates_may_have_another_kind_of_joint() -> None:
    """The run's own model, changed: the parameters that it has stay, what moves freezes too."""
    system = swinging(tb.Revolute("y")).compile()
    start = system.assemble(hinge=0.7, rates={"hinge": 2.0, "elbow": -1.0})
    with tb.live(system, start, rate=RATE, speed=None, record=True) as live:
        live.run(20 * T)
        live.swap(swinging(SLIDE))
        for kind in (tb.Revolute("z"), tb.Universal("x", "y"), tb.Planar("y"), tb.Spherical()):
            live.run(20 * T)
            other = copy(live.system.model)
            hinge = replace(other.joints["hinge"], kind=kind, position=(), velocity=())
            other.joints = {**other.joints, "hinge": hinge}
            live.swap(other)
            assert set(live.system.parameters) <= set(live._pending.system.parameters)  # type: ignore[union-attr]
        live.run(20 * T)
        check(live)


def test_motions_that_a_joint_never_had_begin_at_no_displacement() -> None:
    """Whatever initial position the new model gives them: the body is where it is."""
    with tb.live(swinging(tb.Prismatic("x")).compile(), rate=RATE, speed=None, record=True) as live:
        for kind in (tb.Planar("y"), tb.Universal("x", "y"), tb.Cylindrical("z"), tb.Spherical()):
            live.run(10 * T)
            given = (0.6, 0.8, 0.0, 0.0)[: kind.nq]
            live.swap(swinging(kind, position=given))
        live.run(10 * T)
        check(live)
