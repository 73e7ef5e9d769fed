"""Forks of mechanisms whose ticks hang on more than the state: closed loops, and modes."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipulated
import touchback as tb
from touchback import gallery
from touchback.errors import InputError
from touchback.realtime import fork, open_recording
from touchback.recording.live_recording import Recording
from touchback.recording.live_recording_metadata import memory_of, text_of
from touchback.system import System

FORMULATIONS = [
    "partitioning", "projection", "baumgarte", "multipliers", "augmented-lagrangian",
    "linear-implicit",
]  # fmt: skip


@pytest.fixture(scope="module")
def four_bar() -> System:
    """A crank that swings so far that other coordinates are chosen as dependent on the way."""
    return manipulated.four_bar().compile()


def record(system: System, path: Path, seconds: float = 1.2, **settings: Any) -> Recording:
    """So many seconds at 1 kHz."""
    with tb.live(system, rate=1000, speed=None, record=path, **settings) as live:
        live.run(seconds)
    return open_recording(path)


def instants(recording: Recording) -> list[float]:
    """The first and the last, those about what is noted at tick 1000, and some between."""
    last = float(recording.column("time")[-1])
    some = np.random.default_rng(5).uniform(0.0, last, 6).tolist()
    return [0.0, 0.001, 0.25, *(t for t in (0.999, 1.0, 1.001) if t < last), *some, last]


def assert_the_same(recording: Recording, system: System, times: list[float]) -> None:
    """With what was recorded, forks give what was recorded."""
    for time in times:
        found = fork(recording, time, speed=None, system=system)
        found.live.stop()
        assert found.same, f"{time} s: {found.why}"
        rest = int(recording.column("tick")[-1]) - found.tick
        assert found.compared == min(rest, 2000)


@pytest.mark.parametrize("constraints", FORMULATIONS)
def test_a_closed_loop_with_a_further_state_goes_on_bit_for_bit(
    constraints: str, tmp_path: Path
) -> None:
    """Two bars that hang, and the rod between them; what lags behind one pulls at the other."""
    m = tb.Model("lagging", gravity=(0, 0, -9.81))
    bars = [m.body(name, mass=1.0, com=(0.1, 0, 0), inertia=(1e-3,) * 3) for name in "ab"]
    for place, bar, name in zip((0.0, 0.4), bars, "ab", strict=True):
        m.joint(name, tb.Revolute("y"), m.ground.at(place, 0, 0), bar, position=1.2)
    m.close("rod", tb.Rod(0.4), *(bar.at(0.2, 0, 0) for bar in bars))
    lag = m.state("lag", 0.2)
    m.set_rate("lag", 20.0 * (m.coordinate("a") - lag))
    m.force("pull", tb.JointEffort("b", -2.0 * lag))
    system = m.compile()
    recording = record(system, tmp_path / "lagging.mcap", constraints=constraints)
    assert_the_same(recording, system, instants(recording))


@pytest.mark.parametrize("constraints", FORMULATIONS)
def test_a_closed_loop_goes_on_from_any_instant_bit_for_bit(
    four_bar: System, constraints: str, tmp_path: Path
) -> None:
    recording = record(four_bar, tmp_path / "bar.mcap", constraints=constraints)
    assert_the_same(recording, four_bar, instants(recording))


@pytest.mark.parametrize(
    "name", ["crank-rocker", "slider-crank", "stewart-platform", "bouncing-hammer", "four-bars"]
)
def test_so_does_every_mechanism_with_constraints(name: str, tmp_path: Path) -> None:
    system = gallery.entry(name).make().compile()
    recording = record(system, tmp_path / "run.mcap", 0.4)
    assert_the_same(recording, system, instants(recording)[::2])


def tied_arm() -> tb.Model:
    """An arm of seven joints whose hand a rod ties to the ground."""
    m = tb.Model("tied arm", gravity=(0, 0, -9.81))
    parent = m.ground.at(0, 0, 1.0)
    for k in range(7):
        body = m.body(f"link {k}", mass=1.0, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
        m.joint(f"joint {k}", tb.Revolute("yz"[k % 2]), parent, body, position=0.2)
        parent = body.at(0.2, 0, 0)
    m.close("rod", tb.Rod(1.5), m.ground.at(0.3, 0.2, -0.2), parent)
    return m


def test_so_does_an_arm_that_is_tied(tmp_path: Path) -> None:
    system = tied_arm().compile()
    recording = record(system, tmp_path / "arm.mcap", 0.5)
    assert_the_same(recording, system, instants(recording)[::2])


def test_a_forked_run_is_the_run_that_was_recorded_and_so_is_a_fork_of_it(
    four_bar: System, tmp_path: Path
) -> None:
    recording = record(four_bar, tmp_path / "bar.mcap")
    recorded, tick = recording.states, 317
    for generation in range(3):
        path = tmp_path / f"{generation}.mcap"
        found = fork(recording, tick / 1000, speed=None, record=path)
        with found.live as live:
            live.run(1.2 - tick / 1000)
        recording = open_recording(path)
        assert found.same and recording.states.tobytes() == recorded[tick:].tobytes()
        assert tb.replay(path, four_bar).same
        tick += 200


def test_so_does_a_mechanism_with_modes_before_and_after_it_bounced(tmp_path: Path) -> None:
    """Each set of constraints remembers for itself, also those that act only in impacts."""
    entry = gallery.entry("piano-modes")
    system = entry.make().compile()
    recording = record(system, tmp_path / "modes.mcap", 0.3, substeps=entry.experiment.substeps)
    assert not recording.column("flags").any()
    assert_the_same(recording, system, [0.0, 0.05, 0.1, 0.2, 0.3])


@pytest.fixture
def changed(four_bar: System, tmp_path: Path) -> Iterator[Recording]:
    """A four-bar that gets another pin, another method, a torque, and is put elsewhere."""
    path = tmp_path / "changed.mcap"
    with tb.live(four_bar, rate=1000, speed=None, record=path) as live:
        live.run(0.25)
        live["torque"] = 0.4
        live.run(0.05)
        live.swap(four_bar, constraints="projection")
        live.run(0.1)
        live.set_substeps(3)
        live.run(0.05)
        live.reset()
        live.run(0.15)
        live.swap(four_bar, constraints="partitioning")
        live.run(0.15)
    yield open_recording(path)


def test_swaps_resets_and_substeps_in_a_recording_are_gone_on_from(
    four_bar: System, changed: Recording
) -> None:
    assert len(changed.parts) == 3
    ends = [int(part.rows[-1, 0]) for part in changed.parts]
    for tick in (299, 300, 301, 302, 370, 450, 451, 599, 600, 601, 700, 750):
        found = fork(changed, tick / 1000, speed=None, system=four_bar)
        found.live.stop()
        assert found.same, f"{tick}: {found.why}"
        assert found.compared == next(end for end in ends if end >= tick) - tick


def test_so_are_ramps_of_what_constraints_hang_on(tmp_path: Path) -> None:
    m = tb.Model("lengthening", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.4, unit="m", min=0.3, max=0.5)
    first = m.body("first", mass=1.0, com=(0.1, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    second = m.body("second", mass=1.0, com=(0.1, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    m.joint("first", tb.Revolute("y"), m.ground, first, position=0.3)
    m.joint("second", tb.Revolute("y"), m.ground.at(0.4, 0, 0), second, position=0.3)
    m.close("rod", tb.Rod(length), first.at(0.2, 0, 0), second.at(0.2, 0, 0))
    system, path = m.compile(), tmp_path / "ramp.mcap"
    with tb.live(system, rate=1000, speed=None, record=path) as live:
        live.run(0.1)
        live.ramp("length", 0.45, 0.2)
        live.run(0.4)
    recording = open_recording(path)
    assert len(recording.parameters) > 50
    assert_the_same(recording, system, [0.05, 0.15, 0.2222, 0.3, 0.4])


# ---- where the recording tells it ---------------------------------------------------------------


def test_what_is_remembered_is_noted_every_thousand_ticks_so_that_few_are_run_again(
    four_bar: System, tmp_path: Path
) -> None:
    """Rows before the note are of no use then: they may as well be missing."""
    recording = record(four_bar, tmp_path / "bar.mcap", 2.5)
    assert [tick for tick in recording.memories if tick] == [1000, 2000]
    part = recording.parts[0]
    late = replace(recording, parts=[replace(part, rows=part.rows[200:])])
    assert_the_same(late, four_bar, [1.0, 1.3, 2.2])
    found = fork(late, 0.25, speed=None)
    found.live.stop()
    assert not found.same and "remembers beside its state is lost" in found.why


def test_recordings_without_such_notes_are_run_again_from_their_beginning(
    four_bar: System, tmp_path: Path
) -> None:
    """As those of before are."""
    recording = replace(record(four_bar, tmp_path / "bar.mcap"), memories={})
    assert_the_same(recording, four_bar, [0.25, 1.1])


def test_trees_remember_nothing(tmp_path: Path) -> None:
    system = gallery.entry("double-pendulum").make().compile()
    recording = record(system, tmp_path / "tree.mcap")
    assert not recording.memories
    assert fork(recording, 1.1, speed=None).live._loop.warm_start_size == 0


def forged(recording: Recording, place: int, number: float) -> Recording:
    """With another number in what was remembered after tick 1000."""
    start = recording.memories[1000]
    memory = memory_of(start)
    assert memory is not None
    memory[place] = number
    return replace(recording, memories={1000: {**start, "memory": text_of(memory)}})


@pytest.mark.parametrize("place", range(10))
@pytest.mark.parametrize("number", [-1.0, 0.5, 1e18, np.nan, np.inf])
def test_orders_and_ranks_that_no_run_has_written_are_refused(
    four_bar: System, place: int, number: float, noted: Recording
) -> None:
    """They are places in memory: two ranks and the most, two marks, two rows, three columns."""
    with pytest.raises(InputError, match="no order of its constraints and coordinates"):
        fork(forged(noted, place, number), 1.1, speed=None, system=four_bar)


@pytest.fixture(scope="module")
def noted(four_bar: System, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A recording with a note at tick 1000."""
    return record(four_bar, tmp_path_factory.mktemp("noted") / "bar.mcap")


def test_what_is_no_memory_at_all_is_refused_or_not_used(
    four_bar: System, noted: Recording
) -> None:
    start = noted.memories[1000]
    other = replace(noted, memories={1000: {**start, "memory": text_of(np.zeros(3))}})
    assert_the_same(other, four_bar, [1.1])  # of another version: from the beginning then
    broken = replace(noted, memories={1000: {**start, "memory": "?"}})
    with pytest.raises(InputError, match="remembered after tick 1000 is no row of numbers"):
        fork(broken, 1.1, speed=None, system=four_bar)
