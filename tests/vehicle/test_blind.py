"""Obstacles before somebody at a wheel, with casters that he isn't told."""

import numpy as np
import pytest

import touchback as tb
from touchback.recording import Run
from touchback.vehicle.manoeuvres.road_manoeuvres import gap
from touchback.vehicle.simulator import (
    CASTERS,
    ObstacleEncounter,
    ObstacleSession,
    SimulatorCar,
    meet_obstacles,
)


def road() -> tb.System:
    """A point that goes along x at 20 m/s, with what the choreography sets and looks at."""
    m = tb.Model("road")
    m.parameter("front caster", 0.1)
    m.input("obstacle", unit="m")
    way = m.state("way", unit="m")
    m.set_rate("way", 20.0)
    m.sensor("x", tb.Signal(way, "m"))
    m.sensor("speed", tb.Signal(20.0 + 0.0 * way, "m/s"))
    return m.compile()


def test_each_caster_comes_once_and_the_obstacle_two_seconds_ahead_of_the_car() -> None:
    orders = set()
    for seed in range(4):
        with tb.live(road(), rate=100, speed=None, record=True) as live:
            met = meet_obstacles(live, seed)
        orders.add(tuple(each.caster for each in met))
        assert sorted(each.caster for each in met) == sorted(CASTERS)
        apart = np.diff([each.appears for each in met])  # 5 s each, and time to go straight again
        assert (apart >= 12.0 - 1e-9).all() and (apart <= 15.0 + 0.02).all()
        run = live.recorded()
        for each in met:
            assert each.place == pytest.approx(20.0 * each.appears + 40.0)
            calm = each.appears - 0.5
            assert np.interp(calm, run.time, run["x"]) == pytest.approx(20.0 * calm)
        assert "parameters: taken 3" in str(live.report())
    assert len(orders) > 1  # nobody can know it


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_first_peak_is_on_the_side_to_which_he_turned(side: float) -> None:
    """The larger torque of the way back comes after it, and doesn't count."""
    time = np.arange(0.0, 5.0, 0.01)
    there, back = ((time - 1.6) / 0.2) ** 2, ((time - 3.0) / 0.3) ** 2
    angle = side * (0.5 * np.exp(-there) - np.exp(-back))
    signals = {"device wheel": angle, "steering torque": 4.0 * angle}
    found = ObstacleEncounter(1, 0.1, 50.0, 1.0).first_peak(Run(time, signals))
    assert found == pytest.approx((side * 2.0, side * 0.5), abs=1e-3)


def test_a_peak_after_he_turned_back_and_on_is_not_the_first() -> None:
    """Friction of the column changes sides as he does, by ± 0.5 N m here, so that the second peak
    may be the larger one."""
    time = np.arange(0.0, 5.0, 0.001)
    angle = np.interp(time, [1.0, 1.6, 1.7, 1.9, 2.5], [0.0, 0.6, 0.5, 0.55, 0.0])
    pulled = 4.0 * np.interp(time, [1.0, 1.9, 2.5], [0.0, 0.6, 0.0])  # the road's, later
    torque = pulled + 0.5 * np.sign(np.gradient(angle))
    signals = {"device wheel": angle, "steering torque": torque}
    found = ObstacleEncounter(1, 0.1, 50.0, 1.0).first_peak(Run(time, signals))
    assert found == pytest.approx((4.0 * 0.4 + 0.5, 0.6), abs=0.01) and torque.max() > 2.8


@pytest.mark.parametrize("late", [1.3, 2.5])
def test_the_first_peak_of_a_late_driver_is_the_one_that_is_drawn(late: float) -> None:
    """He begins to turn `late` after the appearance, which is at 1 s."""
    time = np.arange(0.0, 7.0, 0.01)
    angle = -0.5 * np.exp(-(((time - 1.0 - late - 0.4) / 0.2) ** 2))
    signals = {"device wheel": angle, "steering torque": 5.5 * angle}
    found = ObstacleEncounter(1, 0.1, 50.0, 1.0).first_peak(Run(time, signals))
    assert found == pytest.approx((-2.75, -0.5), abs=1e-2)


def test_who_never_turns_has_no_first_peak() -> None:
    time = np.arange(0.0, 7.0, 0.01)
    signals = {"device wheel": 0.01 * np.sin(time), "steering torque": 0.1 * np.sin(time)}
    found = ObstacleEncounter(1, 0.1, 50.0, 1.0).first_peak(Run(time, signals))
    assert np.isnan(found).all()


def test_the_gap_to_an_obstacle_is_that_of_outlines() -> None:
    """A car of 1.6 m beside one of 1 m: abreast at y = 2 m, 2 − 0.8 − 0.5 m; straight through it,
    below zero."""
    x = np.linspace(0.0, 100.0, 501)
    for y, left in ((2.0, 0.7), (-3.0, 1.7)):
        beside = {"x": x, "y": np.full_like(x, y), "yaw": np.zeros_like(x)}
        assert gap(Run(x, beside), SimulatorCar(), 50.0) == pytest.approx(left, abs=1e-9)
    through = {"x": x, "y": np.zeros_like(x), "yaw": np.zeros_like(x)}
    assert gap(Run(x, through), SimulatorCar(), 50.0) < -0.4


def test_a_person_sees_the_obstacle_where_it_is() -> None:
    system = tb.gallery.make("driving-simulator", person=True, pedals=True).compile()
    assert {"device wheel", "throttle", "brake"} <= {*system.input_names}
    q = system.assemble().q
    for place in (-100.0, 46.0):
        system["obstacle"] = place
        np.testing.assert_allclose(system.pose("obstacle", q)[1], (place, 0.0, 0.0), atol=1e-9)


class Interrupted:
    """A run at 20 m/s that somebody ends after so many calls of `run`."""

    def __init__(self, calls: int) -> None:
        self.left, self.set = calls, dict[str, float]()

    def __setitem__(self, name: str, value: float) -> None:
        self.set[name] = value

    def run(self, seconds: float) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1

    def snapshot(self) -> dict[str, float]:
        return {"x": 100.0, "speed": 20.0, "time": 5.0}


@pytest.mark.parametrize(("calls", "passed"), [(1, 0), (2, 1), (5, 2)])
def test_who_ends_a_trial_keeps_what_was_passed(calls: int, passed: int) -> None:
    """Two calls for each obstacle: until it appears, and until it is passed."""
    live, met = Interrupted(calls), list[ObstacleEncounter]()
    with pytest.raises(KeyboardInterrupt):
        meet_obstacles(live, 1, met)  # type: ignore[arg-type]
    assert [each.turn for each in met] == [1, 2][:passed]
    assert live.set["obstacle"] == 100.0 + 2.0 * 20.0  # two seconds ahead


def lane() -> tb.System:
    """A point at 20 m/s that goes aside as the wheel says, with all that encounters are told of."""
    m = tb.Model("lane")
    m.parameter("front caster", 0.1)
    m.parameter("obstacle", -100.0)
    wheel = m.input("device wheel", unit="rad")
    m.state("x", rate=20.0)
    m.state("y", rate=4.0 * wheel)
    for name, value in (
        ("speed", 20.0), ("yaw", 0.0), ("yaw rate", wheel), ("lateral", 2.0 * wheel),
        ("steering torque", 3.0 * wheel),
    ):  # fmt: skip
        m.sensor(name, tb.Signal(value + 0.0 * m.time))
    return m.compile()


def test_attempts_begin_anew_and_a_hidden_order_is_told_when_all_of_it_was_driven() -> None:
    """Straight on he hits it by half of its width, which is 1 m; with 0.4 rad from
    the start he is 1.6 m/s aside, more than 8 m after 5 s, and off a road of 11.5 m."""
    phases: list[str] = []
    with tb.live(lane(), rate=1000, speed=None) as live:
        session = ObstacleSession(live, 3, lambda: phases.append(session.phase))
        session.drive(CASTERS[1])
        live["device wheel"] = 0.4
        for _ in CASTERS[1:]:
            session.drive()
        hidden = session.facts()
        session.drive()
        told = session.facts()
        run = session.run
    assert phases == ["driving", "obstacle", "over"] * 4
    assert (hidden["hidden"], told["hidden"]) == (2, 0)
    assert [each["caster"] for each in hidden["attempts"]] == [CASTERS[1], None, None]
    assert sorted(each["caster"] for each in told["attempts"][1:]) == sorted(CASTERS)
    straight, aside = (each["figures"] for each in told["attempts"][:2])
    assert straight["gap"] == pytest.approx(-0.5, abs=1e-9) and straight["off road"] == 0.0
    assert straight["beyond"] > 1.0 and aside["beyond"] > 1.0
    assert straight["torque"] == 0.0 and straight["aside"] == 0.0
    assert aside["off road"] == 1.0 and aside["gap"] > 0.5
    assert (aside["torque"], aside["yaw rate"]) == pytest.approx((1.2, 0.4))
    assert aside["lateral"] == pytest.approx(0.8)
    for each in session.met:  # from the same start each time
        place = float(np.interp(each.appears, run.time, run["x"]))
        assert 2.0 * 20.0 <= place <= 5.1 * 20.0 and each.place == pytest.approx(place + 40.0)
    curves = told["attempts"][1]["curves"]
    assert np.interp(0.0, curves["time"], curves["x"]) == pytest.approx(-40.0, abs=0.5)
    assert len(set(map(len, curves.values()))) == 1 and np.diff(curves["time"]).min() > 0.0


def test_an_attempt_that_is_given_up_is_not_kept_and_its_caster_comes_again() -> None:
    """Whoever asks is in another thread; here it happens as soon as the attempt tells its phase."""
    with tb.live(lane(), rate=1000, speed=None) as live:
        session = ObstacleSession(live, 3)
        session.changed = lambda: session.give_up() if session.phase == "obstacle" else None
        session.drive()
        first = live["front caster"]
        assert session.phase == "ready" and session.facts()["attempts"] == []
        session.changed = lambda: None
        session.drive()
        assert live["front caster"] == first and len(session.met) == 1
        session.begin(0.1)  # the nearest that there is
        assert session._asked.get() == CASTERS[1]
