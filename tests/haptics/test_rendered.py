"""The wall that is pushed live is the wall of the laboratory, to rounding."""

import numpy as np
import pytest

import touchback as tb
from touchback.haptics.wall import Finger, Plant, State, Target, hand_work, kind, simulate
from touchback.haptics.wall.passivity import BENCH_DAMPING, BENCH_DEVICE
from touchback.haptics.wall.rendered import RENDERED, law_of, rendered_wall
from touchback.recording import Run
from touchback.system import System

RATE, TICKS = 1000.0, 300


@pytest.fixture(scope="module")
def wall() -> System:
    return rendered_wall(RATE).compile()


def pushed(wall: System, name: str, stiffness: float) -> Run:
    """From 10 mm outside, by a finger that wishes to be 20 mm inside."""
    law = law_of(name, stiffness, RATE)
    start = wall.assemble({"handle": 0.01})
    given = {**law.parameters(), "follows": 0.0}
    with tb.live(
        wall, start, rate=RATE, substeps=8, speed=None, record=True, parameters=given
    ) as live:
        live["hand"] = -0.02
        live.run(TICKS / RATE)
    return live.recorded()


@pytest.mark.parametrize("name", RENDERED)
def test_each_wall_moves_the_handle_as_in_the_laboratory(wall: System, name: str) -> None:
    run = pushed(wall, name, 5000.0)
    plant = Plant(BENCH_DEVICE, Finger(), anchor=-0.02)
    target = Target(5000.0, BENCH_DAMPING if kind(name).damped else 0.0)
    controller = kind(name).build(plant, target, 1.0 / RATE)
    sensing = kind(name).sensing
    lab = simulate(plant, controller, State(0.01, 0.0), 1.0 / RATE, TICKS, sensing=sensing)
    # Runge–Kutta in eight steps a tick on a smooth arc of 10 ms; a chattering wall takes it along
    np.testing.assert_allclose(run["handle"], lab.y[1:], atol=1e-11)
    np.testing.assert_allclose(run["wall force"][:-1], lab.wall_force[:-1], atol=1e-6)


def test_the_energy_that_a_wall_gave_is_what_device_and_hand_got(wall: System) -> None:
    """The hand's work by the laboratory's books, less what the device took, is the wall's."""
    run = pushed(wall, "standard", 5000.0)
    plant = Plant(BENCH_DEVICE, Finger(), anchor=-0.02)
    lab = simulate(
        plant, kind("standard").build(plant, Target(5000.0), 1e-3), State(0.01, 0.0), 1e-3, TICKS
    )
    gave = np.cumsum(lab.wall_force * np.diff(lab.y))
    np.testing.assert_allclose(run["wall gave"], gave, atol=1e-10)
    work = hand_work(lab)
    kinetic = 0.5 * BENCH_DEVICE.mass * lab.v**2
    lost = np.diff(work)[1:] + np.diff(gave) - np.diff(kinetic)[1:]
    assert lost.min() > -1e-12  # the device's damping only takes


def test_a_stiff_standard_wall_gives_energy_and_half_a_sample_ahead_hardly_any(
    wall: System,
) -> None:
    standard, ahead = (
        pushed(wall, name, 5000.0)["wall gave"].max() for name in ("standard", "half-sample")
    )
    assert standard > 0.01
    assert ahead < 0.05 * standard


def test_a_wall_with_memory_is_refused_by_name() -> None:
    with pytest.raises(tb.InputError, match="'deadbeat' remembers its contact"):
        law_of("deadbeat", 1000.0, RATE)
