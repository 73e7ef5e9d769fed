"""Time stamps of counts inside the tick: a timer on the simulated encoder tells a display when and
where its count last changed."""

import numpy as np
import pytest

import touchback as tb
from touchback.haptics.displays import ChosenWall, timed_counts
from touchback.haptics.displays.sample_and_hold import sampled_at, since_sample
from touchback.haptics.wall import Encoder, Plant
from touchback.haptics.wall.laws import (
    CountIntervalEstimator,
    EnergyBalanced,
    HalfSample,
    Law,
    Motion,
    Sense,
    WallSample,
)
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, BENCH_FINGER
from touchback.haptics.wall.wall_sweep import PressSetup, PressSimulation
from touchback.model import Model
from touchback.recording import Run
from touchback.symbolic.math_functions import floor
from touchback.system import System

SIZE, RATE = 4.15e-6, 1000.0


def thrown(speed: float, push: float, ticks: int, every: float = RATE) -> Run:
    """A free kilogram from rest or thrown, with what a display of a rate is told at each tick."""
    m = Model("thrown", gravity=(0, 0, 0))
    m.joint("handle", tb.Prismatic("x"), m.ground, m.body("handle", mass=1.0))
    m.force("push", tb.JointEffort("handle", push))
    stamp = timed_counts(m, "timer", m.coordinate("handle"), m.rate("handle"), SIZE, RATE)
    rate = None if every == RATE else every
    told = since_sample(m, "told", stamp, sampled_at(m, "display", RATE, rate), RATE)
    assert told is not None
    for word, value in told._asdict().items():
        m.memory(f"seen {word}", update=value)
    system = m.compile()
    start = system.assemble(rates={"handle": speed})
    with tb.live(system, start, rate=RATE, substeps=4, speed=None, record=True) as live:
        live.run(ticks / RATE)
    return live.recorded()


@pytest.mark.parametrize(("speed", "push"), [(0.013, 0.0), (-0.0021, 0.0), (0.02, -0.7)])
def test_a_count_is_stamped_when_the_thrown_handle_passes_its_edge(
    speed: float, push: float
) -> None:
    """y = v t + f t²/2 is at the edge at the stamp's instant, to the rounding of a root, and no
    other edge lies between it and the tick; without a change of the count nothing is told."""
    run = thrown(speed, push, 60)
    # What a tick saw is in the row of its end, a tick later.
    now = np.arange(60) / RATE
    changed = run["seen changed"] > 0.0
    counts = np.floor((speed * now + 0.5 * push * now**2) / SIZE)
    assert np.array_equal(changed[1:], np.diff(counts) != 0.0) and not changed[0]
    assert changed.sum() > 5
    at = (now - run["seen ago"])[changed]
    edges = run["seen edge"][changed] / SIZE
    np.testing.assert_allclose((speed * at + 0.5 * push * at**2) / SIZE, edges, atol=1e-9)
    np.testing.assert_allclose(edges, np.round(edges), atol=1e-9)
    beyond = np.where(np.diff(counts, prepend=0.0)[changed] > 0.0, 0.0, 1.0)
    np.testing.assert_allclose(edges, counts[changed] + beyond, atol=1e-9)


def test_a_slow_display_is_told_the_last_change_since_its_own_sample() -> None:
    """At 250 Hz in ticks of 1 kHz, 0.103 counts a tick: a change every 2.4 samples."""
    speed = 0.103 * SIZE * RATE
    run = thrown(speed, 0.0, 81, every=250.0)
    samples = slice(0, 81, 4)
    now = np.arange(81)[samples] / RATE
    passed = np.floor(speed * now / SIZE)
    changed = run["seen changed"][samples] > 0.0
    assert np.array_equal(changed[1:], np.diff(passed) > 0.0)
    due = now[changed] - passed[changed] * SIZE / speed
    np.testing.assert_allclose(run["seen ago"][samples][changed], due, atol=1e-9)


def in_laboratory(law: Law, sense: Sense, stiffness: float, gap: float, push: float) -> np.ndarray:
    """The handle after each sample, on the battery's own wall."""
    setting = PressSetup(encoder=Encoder(SIZE), sense=sense, stamps=True)
    pressing = PressSimulation(law, setting, 1.0 / RATE)
    state: list[float] = [gap, *pressing.start[1:]]
    places = []
    for _ in range(200):
        state = list(pressing.step(state, stiffness, gap, push, 0.0))
        places.append(float(state[0]))
    return np.array(places)


@pytest.fixture(scope="module")
def handle() -> System:
    """The same handle under all walls, with counts that are stamped."""
    m = Model("handle", gravity=(0, 0, 0))
    motion = Plant(BENCH_DEVICE, BENCH_FINGER).motion
    m.joint(
        "handle", tb.Prismatic("x"), m.ground, m.body("handle", mass=motion.mass),
        damping=motion.damping, spring=motion.stiffness,
    )  # fmt: skip
    bias = m.input("pull", unit="N")
    m.force("hand", tb.JointEffort("handle", bias + m.input("push", unit="N")))
    y, v = m.coordinate("handle"), m.rate("handle")
    stamp = timed_counts(m, "timer", y, v, SIZE, RATE, edge=0.5 * SIZE)
    display = ChosenWall(20e3, device=BENCH_DEVICE, finger=BENCH_FINGER, resolution=SIZE)
    count = SIZE * floor(y / SIZE + 0.5)
    display.fresh(m, "wall", count, 0.0, RATE, bias=bias, stamp=stamp)
    m.force("wall", tb.JointEffort("handle", m.signal("wall force")))
    return m.compile()


def moved(handle: System, wall: str, gap: float, push: float) -> np.ndarray:
    """The handle after each tick, under a wall that is chosen."""
    with tb.live(
        handle, handle.assemble({"handle": gap}), rate=RATE, substeps=8, speed=None, record=True
    ) as live:
        live.choose("wall sense", "counting")
        live.choose("wall", wall)
        live["push"], live["pull"] = push, BENCH_FINGER.stiffness * gap
        live.run(0.2)
    return np.array(live.recorded()["handle"])


@pytest.mark.parametrize("wall", ["balanced", "half-sample"])
@pytest.mark.parametrize("gap", [2e-5, 3.3e-4])
def test_a_live_wall_that_is_told_stamps_moves_the_handle_as_in_the_laboratory(
    handle: System, wall: str, gap: float
) -> None:
    """Within a ten-thousandth of a count over 200 ticks of bouncing and resting: what a cubic and
    Runge–Kutta in eight steps make of the laboratory's exact motion."""
    law: Law = EnergyBalanced(HalfSample(), SIZE) if wall == "balanced" else HalfSample()
    due = in_laboratory(law, CountIntervalEstimator(SIZE), 20e3, gap, -1.5)
    np.testing.assert_allclose(moved(handle, wall, gap, -1.5), due, atol=1e-4 * SIZE)
    assert due.min() < -5.0 * SIZE


def test_books_that_are_opened_deep_in_a_wall_begin_near_a_spring_s() -> None:
    """A wall that is chosen, or made stiffer, in the midst of a contact has taken nothing of what
    its spring holds; it isn't to make up for that by rubbing until it is left."""
    law, depth = EnergyBalanced(HalfSample(), SIZE), 100.0 * SIZE
    told = WallSample(-depth, 0.0, 0.0, Motion(0.32, 4.75, 257.0), 0.0, 20e3, 0.0, 1.0 / RATE)
    taken = float(law.step(law.start, told)[0][2])
    assert taken == pytest.approx(20e3 * (0.5 * depth**2 - 299.8 * SIZE**2), rel=1e-12)
