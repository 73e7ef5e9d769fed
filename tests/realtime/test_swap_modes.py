"""Mechanisms with modes become other ones while they run: each goes on in the mode it is in."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from models_with_modes import G, block_on_belt, bouncing_ball, clutch, pegged_pendulum
from touchback.realtime import fork

T = 1e-3


def resting_first(restitution: float = 0.8) -> tb.Model:
    """The ball with its modes in the other order, so that their numbers are others."""
    m = tb.Model("ball told the other way", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=1.0)
    height = m.coordinate("height")
    m.constrain("floor", height, unit="m")
    m.sensor("energy", tb.Energy())
    m.mode("rest", active=["floor"])
    m.mode("flight", initial=True)
    m.transition(
        "bounce", "flight", "flight", when=height, impact=["floor"], restitution=restitution,
        rest="rest",
    )  # fmt: skip
    return m


def swung(pendulum: tb.System) -> tb.State:
    """The pegged pendulum on its long string, 37° aside."""
    return pendulum.assemble({"bob.z": -0.8, "bob.x": -0.6}, mode="long")


@pytest.mark.parametrize(
    ("make", "time", "mode"),
    [
        (lambda: bouncing_ball(0.8, rest=True), 0.3, 0),
        (lambda: bouncing_ball(0.8, rest=True), 6.0, 1),
        (pegged_pendulum, 0.4, 0),
        (block_on_belt, 0.1, 0),
        (block_on_belt, 0.5, 1),
        (clutch, 0.6, 1),
    ],
)
def test_a_change_that_changes_nothing_is_none(make: object, time: float, mode: int) -> None:
    """Neither the mode nor the energy nor, but for rounding, what follows."""
    system = make().compile()  # type: ignore[operator]
    x0 = swung(system) if "pendulum" in system.name else None
    ends = []
    for again in (False, True):
        with tb.live(system, x0, rate=1000, speed=None, record=True) as live:
            live.run(time)
            assert live.read("mode") == mode
            if again:
                change = live.swap(make())  # type: ignore[operator]
            live.run(T)
            assert live.read("mode") == mode
            live.run(0.2)
            ends.append([live.read(name) for name in system.state_names])
    assert change.state == "taken" and change.moved < 1e-12
    assert change.energy_before is not None and change.energy_lost is not None
    assert abs(change.energy_lost) <= 1e-13 * max(1.0, abs(change.energy_before))
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


def test_a_mode_goes_on_by_its_name_whatever_its_number() -> None:
    with tb.live(bouncing_ball(0.8, rest=True).compile(), rate=1000, speed=None) as live:
        live.run(0.3)
        height, speed = live.read("height"), live.read("height rate")
        assert live.read("mode") == 0  # flight
        live.swap(resting_first())
        live.run(T)
        assert live.read("mode") == 1  # flight
        assert live.read("height") == pytest.approx(height + speed * T - G * T**2 / 2, abs=1e-14)
        live.run(6.0)
        assert live.read("mode") == 0 and live.read("height") == pytest.approx(0.0, abs=1e-12)
        live.swap(bouncing_ball(0.8, rest=True))
        live.run(0.1)
        assert live.read("mode") == 1  # rest
        assert live.read("height") == pytest.approx(0.0, abs=1e-12)
        assert live.read("floor force") == pytest.approx(G, rel=1e-12)


def test_a_structure_without_the_present_mode_is_refused_by_its_name() -> None:
    with tb.live(bouncing_ball(0.8, rest=True).compile(), rate=1000, speed=None) as live:
        live.run(6.0)
        with pytest.raises(tb.InputError, match=r"in mode 'rest', which .* it has 'flight'"):
            live.swap(bouncing_ball(0.8))
        live.run(T)
        assert live.read("mode") == 1 and not live.structures


def test_a_mode_that_came_meanwhile_and_is_missing_is_refused_at_the_tick() -> None:
    """The change was prepared in flight, and is due when the ball lies on the floor."""
    with tb.live(bouncing_ball(0.8, rest=True).compile(), rate=1000, speed=None) as live:
        live.run(0.1)
        change = live.swap(bouncing_ball(0.8), at=6.0)
        live.run(6.0)
        assert change.state == (
            "refused: the run was in mode 'rest' by then, which the new structure doesn't have"
        )
        assert live.read("height") == pytest.approx(0.0, abs=1e-12)
        assert live.report().counts["structures_refused"] == 1


def test_modes_that_are_new_begin_in_their_first_one_and_may_go_again() -> None:
    m = tb.Model("no floor", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=1.0)
    with tb.live(m.compile(), rate=1000, speed=None) as live:
        live.run(0.2)
        live.swap(bouncing_ball(1.0))
        live.run(0.4)  # the floor is met after 0.45 s
        assert live.read("mode") == 0
        assert live.read("height rate") > 0.0
        assert live.read("energy") == pytest.approx(G, rel=1e-9)
        live.swap(m)
        live.run(1.0)
        assert live.read("height") < 0.0


def test_constraints_of_the_present_mode_are_met_where_the_new_structure_has_them() -> None:
    """The string that the bob hangs on is 10 cm shorter: the bob comes nearer along it, and of its
    velocity stays what is square to the string."""

    def shorter(length: float) -> tb.Model:
        m = pegged_pendulum()
        m.closures["string"] = tb.model.closures.Closure(
            tb.Rod(length), m.closures["string"].a, m.closures["string"].b
        )
        return m

    system = pegged_pendulum().compile()
    with tb.live(system, swung(system), rate=1000, speed=None, record=True) as live:
        live.run(0.2)
        change = live.swap(shorter(0.9))
        live.run(T)
        place = np.array([live.read("bob.x"), live.read("bob.z")])
        motion = np.array([live.read("bob.x rate"), live.read("bob.z rate")])
    assert change.moved == pytest.approx(0.1, abs=0.06)  # the larger of two components
    assert np.linalg.norm(place) == pytest.approx(0.9, abs=1e-12)
    assert place @ motion == pytest.approx(0.0, abs=1e-12)


def test_changes_of_structure_replay_and_fork_with_their_modes_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(
        bouncing_ball(0.8, rest=True).compile(), rate=500, speed=None, record=path
    ) as live:
        live.run(1.0)
        live.swap(resting_first())
        live.run(6.0)
        live.swap(bouncing_ball(0.8, rest=True))
        live.run(0.5)
    again = tb.replay(path)
    assert again.same and len(again.parts) == 3
    assert [set(part[:, -1]) for part in again.parts] == [{0.0}, {0.0, 1.0}, {1.0}]
    for time, mode in ((0.5, 0.0), (1.2, 1.0), (6.9, 0.0), (7.2, 1.0)):
        found = fork(path, time, speed=None)
        assert found.same and found.compared, found.why
        with found.live as going:
            going.run(0.002)
            assert going.read("mode") == mode


def test_constraints_that_modes_switch_are_not_switched_by_hand() -> None:
    with (
        tb.live(pegged_pendulum().compile(), rate=1000, speed=None) as live,
        pytest.raises(tb.InputError, match="modes say which constraints act"),
    ):
        live.switch(deactivate=["string"])
