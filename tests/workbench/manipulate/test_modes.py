"""Manipulators on a mechanism with modes: Gillespie's hammer, which rides on its key or flies."""

from pathlib import Path

import pytest

import touchback as tb
from manipulated import Asked, Start
from touchback import gallery
from touchback.gallery.bouncing_hammer import GRAVITY, HAMMER, KEY
from touchback.realtime import fork

T = 1e-3
COUPLED, FLIGHT = 0.0, 1.0
PUSH = {"name": "push", "kind": "force", "on": "hammer", "value": [0, 0, 0.5]}


def struck(start: Start, mode: float, record: bool | Path = False) -> Asked:
    """The hammer on its way up: pressed by the key, or in flight after the key was let go."""
    run = start(gallery.make("bouncing-hammer"), record=record)
    run.live["key force"] = 2.0
    run.live.run(0.03)
    if mode == FLIGHT:
        run.live["key force"] = 0.0
        run.live.run(0.02)
    assert run.live.read("mode") == mode
    return run


def momentum(run: Asked) -> float:
    """Of hammer and key, upwards [kg m/s]."""
    return HAMMER * run.live.read("hammer rate") + KEY * run.live.read("key rate")


def test_the_newtons_of_a_force_icon_arrive_at_a_hammer_in_flight(start: Start) -> None:
    """Nothing but its weight and the icon acts on it: v̇ = (F − W)/m, exactly for RK4."""
    run = struck(start, FLIGHT)
    before = run.live.read("hammer rate")
    run.ask(do="icon", **PUSH)
    run.live.run(0.02)
    assert run.live.structures[-1].state == "taken"
    assert run.live.read("mode") == FLIGHT
    gained = (0.5 / HAMMER - GRAVITY) * 0.02
    assert run.live.read("hammer rate") - before == pytest.approx(gained, rel=1e-11)


def test_the_newtons_of_a_force_icon_arrive_at_a_hammer_that_rides_on_its_key(
    start: Start,
) -> None:
    """The felt between them does nothing to the momentum of both, and the key is off its stop."""
    run = struck(start, COUPLED)
    assert 0.0 < run.live.read("key") < 9e-3
    before = momentum(run)
    run.ask(do="icon", **PUSH | {"value": [0, 0, -0.3]})
    run.live.run(5 * T)
    assert run.live.read("mode") == COUPLED and run.live.read("felt force") > 0.3
    gained = (2.0 - 0.3 - HAMMER * GRAVITY) * 5 * T
    assert momentum(run) - before == pytest.approx(gained, rel=1e-11)


@pytest.mark.parametrize("mode", [COUPLED, FLIGHT])
def test_an_icon_without_newtons_costs_no_energy_and_leaves_the_mode(
    start: Start, mode: float
) -> None:
    run = struck(start, mode)
    run.ask(do="icon", **PUSH | {"value": [0, 0, 0]})
    run.live.run(T)
    change = run.live.structures[-1]
    assert change.state == "taken" and change.moved == 0.0
    assert change.energy_before is not None and change.energy_before > 1e-4
    assert change.energy_lost == pytest.approx(0.0, abs=1e-15)
    assert run.live.read("mode") == mode


def test_a_motion_icon_drives_the_key_under_a_hammer_that_flies(start: Start) -> None:
    """The key goes on at the commanded rate, while nothing happens to the hammer in the air."""
    run = struck(start, FLIGHT)
    hammer = run.live.read("hammer rate")
    run.ask(do="icon", name="lift", kind="motion", on="key", value=-0.02)
    run.live.run(0.02)
    assert run.live.read("mode") == FLIGHT
    assert run.live.read("hammer rate") - hammer == pytest.approx(-GRAVITY * 0.02, rel=1e-11)
    run.live.run(0.4)
    assert run.live.read("key rate") == pytest.approx(-0.02, abs=1e-4)  # eight ramps later


def test_a_welded_key_keeps_its_place_and_the_hammer_still_lands_on_it(start: Start) -> None:
    """Its kinetic energy is lost; the hammer, which flies, keeps its own."""
    run = struck(start, FLIGHT)
    key, rate, hammer = (run.live.read(name) for name in ("key", "key rate", "hammer rate"))
    told = run.ask(do="edit", change="weld", joint="key")
    assert told["freedoms_before"] == 2
    run.live.run(T)
    change = run.live.structures[-1]
    assert change.frozen == {"key": key} and run.live["key"] == key  # a parameter from then on
    assert change.energy_lost == pytest.approx(0.5 * KEY * rate**2, rel=1e-9)
    assert run.live.read("hammer rate") == pytest.approx(hammer - GRAVITY * T, rel=1e-11)
    modes = []
    for _ in range(600):
        run.live.run(T)
        modes.append(run.live.read("mode"))
        assert run.live.read("hammer") > key - 5e-3
    assert COUPLED in modes


def test_an_edit_of_modes_is_taken_back_replayed_and_forked(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    run = struck(start, FLIGHT, path)
    run.ask(do="icon", **PUSH)
    run.live.run(0.03)
    run.ask(do="edit", change="friction", joint="key", value=0.1)
    run.live.run(0.03)
    run.ask(do="undo")
    run.live.run(0.03)
    run.ask(do="remove", icon="push")
    run.live.run(0.2)
    run.live.stop()
    again = tb.replay(path)
    assert again.same and len(again.parts) == 5
    for time in (0.06, 0.09, 0.12, 0.2):
        found = fork(path, time, speed=None)
        assert found.same and found.compared, found.why
