"""Forks: a live run that goes on from any instant of a recording."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import manipulated
import touchback as tb
from touchback.errors import InputError
from touchback.realtime import fork, open_recording
from touchback.recording.live_recording import place_at
from touchback.system import System


@pytest.fixture(scope="module")
def arm() -> System:
    """An arm with a motor, a length that can change, and a wind that depends on the time."""
    m = tb.Model("arm", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.3, unit="m", min=0.1, max=1.0)
    body = m.body("arm", mass=1.0, com=(0, 0, -length), inertia=(0.01, 0.01, 0.001))
    m.joint("shoulder", tb.Revolute("y"), m.ground, body, position=0.4)
    wind = 0.3 * tb.sin(40.0 * m.time)
    m.force("motor", tb.JointEffort("shoulder", m.input("torque", unit="N m") + wind))
    return m.compile()


@pytest.fixture(scope="module")
def recorded(arm: System, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """0.3 s at 1 kHz: a torque from 0.1 s on, another length from 0.15 s on, two substeps from
    0.2 s on."""
    path = tmp_path_factory.mktemp("fork") / "arm.mcap"
    with tb.live(arm, rate=1000, speed=None, record=path) as live:
        live.run(0.1)
        live["torque"] = 4.0
        live.run(0.05)
        live["length"] = 0.39
        live.run(0.05)
        live.set_substeps(2)
        live.run(0.1)
    yield path


@pytest.mark.parametrize("time", [0.0, 0.05, 0.1, 0.1234, 0.15, 0.1999, 0.2, 0.25])
def test_with_the_recorded_inputs_a_fork_gives_the_recorded_bits(
    recorded: Path, time: float
) -> None:
    found = fork(recorded, time, speed=None)
    assert found.same, found.why
    assert found.compared == 300 - found.tick
    assert found.time == pytest.approx(found.tick / 1000, abs=1e-12)
    assert -1e-12 < time - found.time < 0.001  # the last at or before it


def test_a_fork_runs_on_from_the_recorded_state_with_its_inputs_and_parameters(
    recorded: Path, arm: System
) -> None:
    """Nothing was changed after 0.2 s, so that the fork of 0.22 s runs into the recording."""
    whole = open_recording(recorded)
    found = fork(recorded, 0.22, speed=None, record=True)
    with found.live as live:
        assert live["torque"] == 4.0 and live["length"] == 0.39
        live.run(0.08)
        again = live.recorded()
    np.testing.assert_array_equal(again["tick"], np.arange(221, 301))
    np.testing.assert_array_equal(again.time, whole.column("time")[220:])
    for state in arm.state_names:
        np.testing.assert_array_equal(again[state], whole.column(state)[220:])


def test_what_a_fork_does_differently_changes_what_becomes_of_it(recorded: Path) -> None:
    whole = open_recording(recorded)
    with fork(recorded, 0.22, speed=None, record=True).live as live:
        live["torque"] = -4.0
        live.run(0.08)
        again = live.recorded()
    assert abs(again["shoulder"][-1] - whole.column("shoulder")[-1]) > 1e-4


def test_a_forks_own_recording_replays_and_can_be_forked(recorded: Path, tmp_path: Path) -> None:
    with fork(recorded, 0.22, speed=None, record=tmp_path / "fork.mcap").live as live:
        live.run(0.05)
    assert tb.replay(tmp_path / "fork.mcap").same
    again = fork(tmp_path / "fork.mcap", 0.25, speed=None)
    assert again.tick == 250 and again.same


def test_a_fork_takes_the_structure_of_its_instant(tmp_path: Path) -> None:
    def bolt(kind: tb.Cylindrical | tb.Revolute) -> tb.Model:
        m = tb.Model("bolt", gravity=(0, 0, -9.81))
        body = m.body("bolt", mass=1.0, com=(0.1, 0, 0.02), inertia=(0.01, 0.01, 0.01))
        m.joint("hinge", kind, m.ground, body, velocity=(0.2, 1.0) if kind.nv == 2 else None)
        return m

    path = tmp_path / "bolt.mcap"
    with tb.live(bolt(tb.Cylindrical("x")).compile(), rate=1000, speed=None, record=path) as live:
        live.run(0.1)
        live.swap(bolt(tb.Revolute("x")))
        live.run(0.1)
    before, after = fork(path, 0.05, speed=None), fork(path, 0.15, speed=None)
    assert before.live.system.sizes[1] == 2 and after.live.system.sizes[1] == 1
    assert before.same and before.compared == 50
    assert after.same and after.compared == 50
    with after.live as live:
        live.run(0.05)
        assert live.read("hinge") == open_recording(path).parts[1].column("hinge")[-1]


def swapped_at_once(way: str, system: System, directory: Path) -> Path:
    """A recording of 0.3 s whose first structure has no tick; they begin at 0, 0.1 and 0.25 s."""
    path = directory / f"{way}.mcap"
    if way == "run":
        made = tb.live(system, rate=1000, speed=None, record=path)
    elif way == "fork":
        whole = swinging(directory / "whole.mcap")
        made = fork(whole, 0.25, speed=None, record=path).live
    else:
        made = tb.live(system, rate=1000, speed=None)
    with made as live:
        if way == "take":
            live.run(0.1)
            live.record(path)
        live.swap(system, constraints="projection")
        live.run(0.3)
    return path


@pytest.mark.parametrize(("way", "begun"), [("run", 0), ("take", 100), ("fork", 250)])
def test_a_recording_whose_first_structure_has_no_tick_is_forked_like_any_other(
    way: str, begun: int, tmp_path: Path
) -> None:
    path = swapped_at_once(way, manipulated.four_bar().compile(), tmp_path)
    whole = open_recording(path)
    assert [len(part.rows) for part in whole.parts] == [0, 300]
    for tick in (begun, begun + 1, begun + 10, begun + 299, begun + 300):
        found = fork(whole, tick / 1000, speed=None)
        assert found.same and found.tick == tick, found.why
        assert found.time == pytest.approx(tick / 1000, abs=1e-12)
        assert found.compared == (begun + 300 - tick if tick > begun else 0)
        with found.live as live:
            if tick == begun:  # of the structure that was there before the first tick
                continue
            live.run((begun + 300 - tick) / 1000)
            assert live.read("crank") == whole.parts[1].column("crank")[-1]
    if begun:
        with pytest.raises(InputError, match=f"begins at {begun / 1000:g} s; 0.05 s is before it"):
            fork(whole, 0.05)


def test_a_run_that_never_ticked_is_forked_from_what_it_began_with(
    arm: System, tmp_path: Path
) -> None:
    with tb.live(arm, rate=1000, speed=None, record=tmp_path / "none.mcap"):
        pass
    with fork(tmp_path / "none.mcap", 0.0, speed=None).live as live:
        live.run(0.001)
        assert live.read("shoulder") == pytest.approx(0.4, abs=1e-3)


def test_between_two_ticks_a_fork_begins_at_the_one_before_and_at_a_tick_there(
    tmp_path: Path,
) -> None:
    """Multiples of 0.05 s are rounded otherwise than sums of steps of 0.005 s."""
    m = tb.Model("slow", gravity=(0, 0, -9.81))
    body = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.joint("hinge", tb.Revolute("y"), m.ground, body, position=1.0)
    path = tmp_path / "slow.mcap"
    with tb.live(m.compile(), rate=20, speed=None, substeps=10, record=path) as live:
        live.run(1.0)
    whole = open_recording(path)
    asked = {0.52: 10, 0.53: 10, 0.549: 10, 0.55: 11, 0.574: 11, 0.576: 11, 0.049: 0}
    assert {time: fork(whole, time, speed=None).tick for time in asked} == asked
    assert [fork(whole, 0.05 * tick, speed=None).tick for tick in range(21)] == list(range(21))


def test_a_time_is_its_ticks_however_it_was_computed(recorded: Path) -> None:
    whole = open_recording(recorded)
    for tick in range(1, 301):
        for time in (tick * 0.001, tick / 1000, float(np.sum(np.full(tick, 0.001)))):
            assert place_at(whole, time) == (0, tick - 1)
        assert place_at(whole, tick * 0.001 - 1e-12) == (0, tick - 2)


def test_a_fork_says_that_it_goes_on_without_the_fault_that_held_the_run(tmp_path: Path) -> None:
    """The model's time stands meanwhile: it is the last of those ticks."""
    m = tb.Model("rooted", gravity=(0, 0, 0))
    body = m.body("cart", mass=1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body, velocity=1.0)
    m.force("pull", tb.JointEffort("slide", tb.sqrt(m.input("area", default=1.0))))
    path, part = tmp_path / "run.mcap", tmp_path / "part.mcap"
    with tb.live(m.compile(), rate=1000, speed=None, record=path) as live:
        live.run(0.05)
        live["area"] = -1.0
        live.run(0.05)
        take = live.record(part)
        live.run(0.01)
        live.end_record(take)
    before = fork(path, 0.04, speed=None)
    assert before.same and before.compared == 70
    for held, tick in (
        (fork(path, 0.05, speed=None), 110),
        (fork(part, 0.05, speed=None), 110),
    ):
        assert (held.tick, held.same, held.compared) == (tick, False, 0)
        assert f"At tick {tick} the recorded run was held by a fault (not finite)" in held.why
        with held.live as live:
            live["area"] = 1.0
            live.run(0.1)
            assert live.faults == ()
            assert live.read("slide") == pytest.approx(0.15 + 0.5 * 0.15**2, abs=1e-9)


def swinging(path: Path, seconds: float = 0.35) -> Path:
    """A four-bar whose run chooses other dependent coordinates between 0.2 s and 0.3 s."""
    system = manipulated.four_bar().compile()
    with tb.live(system, rate=1000, speed=None, record=path) as live:
        live.run(seconds)
    return path


def test_bits_that_no_replay_gives_are_said_to_be_of_another_machine(tmp_path: Path) -> None:
    recording = open_recording(swinging(tmp_path / "bar.mcap"))
    part = recording.parts[0]
    rows = part.rows.copy()
    rows[300, part.columns.index("crank")] += 1e-12
    recording = replace(recording, parts=[replace(part, rows=rows)])
    found = fork(recording, 0.25, speed=None)
    assert not found.same and "another version or machine recorded it" in found.why


def test_ticks_that_were_lost_are_named_and_not_compared(recorded: Path) -> None:
    whole = open_recording(recorded)
    part = whole.parts[0]
    part = replace(part, rows=np.delete(part.rows, slice(60, 70), axis=0))
    gappy = replace(whole, parts=[part])
    before, at_gap = (
        fork(gappy, 0.05, speed=None),
        fork(gappy, 0.06, speed=None),
    )
    assert before.same and before.compared == 10
    assert not at_gap.same and at_gap.compared == 0
    assert "Ticks 61 to 70 aren't in the recording" in at_gap.why


def test_a_time_outside_of_the_recording_is_refused_or_its_last_instant(recorded: Path) -> None:
    with pytest.raises(InputError, match=r"begins at 0 s; -1 s is before it"):
        fork(recorded, -1.0)
    assert fork(recorded, 99.0, speed=None).tick == 300
    with pytest.raises(InputError, match="a time of the recording"):
        fork(recorded, float("nan"))


@pytest.mark.parametrize("column", ["tick", "version", "substeps", "flags"])
def test_numbers_that_no_tick_has_written_are_refused(recorded: Path, column: str) -> None:
    whole = open_recording(recorded)
    part = whole.parts[0]
    rows = part.rows.copy()
    rows[100, part.columns.index(column)] = np.nan
    damaged = replace(whole, parts=[replace(part, rows=rows)])
    with pytest.raises(InputError, match=f"damaged: at tick .* '{column}' is nan"):
        fork(damaged, 0.101, speed=None)


def test_ticks_that_are_no_numbers_are_no_gaps(recorded: Path) -> None:
    whole = open_recording(recorded)
    rows = whole.rows.copy()
    rows[100, 0] = np.inf
    assert replace(whole, parts=[replace(whole.parts[0], rows=rows)]).lost == [(101, 101)]
