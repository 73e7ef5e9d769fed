"""Counts as intervals, and a wall whose energy is held to a spring's."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import truncnorm

import touchback as tb
from touchback.errors import InputError
from touchback.haptics.displays import ChosenWall
from touchback.haptics.wall import Encoder
from touchback.haptics.wall.laws import (
    CountIntervalEstimator,
    Differences,
    EnergyBalanced,
    HalfSample,
    Motion,
    Standard,
    WallSample,
)
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, Press
from touchback.haptics.wall.wall_sweep import PressSetup, PressSimulation, press_walls
from touchback.numbers import Scalar
from touchback.symbolic.math_functions import floor

SIZE = 4.15e-6
PLANT = Motion(0.32, 4.75, 257.0)


@pytest.mark.parametrize("mean", [-0.9, -0.3, 0.0, 0.45, 0.8])
@pytest.mark.parametrize("deviation", [0.3, 1.0])
def test_a_count_moves_a_belief_to_the_mean_of_its_part_in_the_interval(
    mean: float, deviation: float
) -> None:
    """By SciPy's truncated normal distribution, within what 2e-4 in the normal one make where a
    tenth of it is in the interval; what is correlated with the position moves along.
    Over a nanosecond nothing else moves."""
    spread = (deviation * SIZE) ** 2
    memory = (mean * SIZE, 0.0, 0.0, 0.0, spread, 2.0 * spread, *(0.0,) * 8, 1.0)
    told = WallSample(0.0, 0.0, 0.0, PLANT, 0.0, 1e4, 0.0, 1e-9)
    after = np.array(CountIntervalEstimator(SIZE).step(memory, told)[0], float)
    cut = truncnorm((-0.5 - mean) / deviation, (0.5 - mean) / deviation, mean, deviation)
    assert after[0] / SIZE == pytest.approx(cut.mean(), abs=4e-3 * deviation)
    assert after[1] == pytest.approx(2.0 * (after[0] - mean * SIZE), rel=1e-3, abs=1e-12)
    left = max(cut.var() / deviation**2, 0.7)  # no interval takes more of it
    assert after[4] / spread == pytest.approx(left, abs=5e-3)


def test_stamped_counts_tell_place_and_speed_of_a_slow_press() -> None:
    """Half a count a sample at most. Counts alone leave SIZE/√12 = 0.29 counts in doubt, and
    differences of them SIZE/(T √6) = 1.7 mm/s."""
    setting = PressSetup(encoder=Encoder(SIZE), sense=CountIntervalEstimator(SIZE), stamps=True)
    press, period = Press(1.0, 0.12, 2e-5), 1e-3
    pressing = PressSimulation(HalfSample(), setting, period)
    state: list[float] = [press.gap, *pressing.start[1:]]
    errors = []
    for push in press.force(period, 140):
        truth = np.array(state[:2])
        state = list(pressing.step(state, 20e3, press.gap, float(push), 0.0))
        errors.append(np.array(state[10:12]) - truth)
    place, speed = np.sqrt(np.mean(np.square(errors), axis=0))
    assert place < 0.2 * SIZE and speed < 0.35 * SIZE / (np.sqrt(6.0) * period)


def taken(law: Standard | EnergyBalanced, stiffness: float, period: float) -> float:
    """By a wall that is entered and left along half a sine of 10 counts in 60 ms."""
    deep, rate = 10.0 * SIZE, np.pi / 0.06
    times = np.arange(-1, 0.06 / period + 1) * period + 1e-9
    y, v = -deep * np.sin(rate * times), -deep * rate * np.cos(rate * times)
    memory: Sequence[Scalar] = law.start
    force: Scalar = 0.0
    energy = 0.0
    for number in range(len(y)):
        if number:
            energy -= float(force) * (y[number] - y[number - 1])
        told = WallSample(y[number], v[number], force, PLANT, 0.0, stiffness, 0.0, period)
        memory, force = law.step(memory, told)
    return float(energy)


def test_a_balanced_wall_takes_back_what_the_hold_gives() -> None:
    """A spring that is held gives K T/2 ∫ v² dt, here K T/2 · (ω A)² · 30 ms; its books keep it
    near what a spring takes on the way in and out, which is nothing."""
    K, period = 8e3, 5e-4
    given = 0.5 * K * period * (np.pi / 0.06 * 10.0 * SIZE) ** 2 * 0.03
    assert taken(Standard(), K, period) == pytest.approx(-given, rel=0.05)
    kept = taken(EnergyBalanced(Standard(), SIZE), K, period)
    assert 0.0 <= kept < 0.3 * given


def test_balanced_walls_are_passive_and_walls_where_published_ones_are_not() -> None:
    """At 1 kHz, from 18 to 30 kN/m, within half a penetration of a continuous wall."""
    stiffnesses = np.linspace(18e3, 30e3, 9)
    own = PressSetup(encoder=Encoder(SIZE), sense=CountIntervalEstimator(SIZE), stamps=True)
    counted = PressSetup(encoder=Encoder(SIZE), sense=Differences())
    balanced = press_walls(
        EnergyBalanced(HalfSample(), SIZE), stiffnesses, 1000.0, own, follow=True
    )
    plain = press_walls(HalfSample(), stiffnesses, 1000.0, counted)
    assert balanced.passive.all() and (balanced.deviation < 0.5).all()
    assert not plain.passive.all()


def test_the_balanced_wall_is_chosen_live_with_counting_before_it() -> None:
    """A handle pressed by 2 N on 10 kN/m comes to rest 0.2 mm deep."""
    m = tb.Model("counted", gravity=(0, 0, 0))
    body = m.body("handle", mass=BENCH_DEVICE.mass)
    m.joint("handle", tb.Prismatic("x"), m.ground, body, damping=40.0)
    m.force("hand", tb.JointEffort("handle", m.input("push", unit="N")))
    y = m.coordinate("handle")
    count = SIZE * floor(y / SIZE + 0.5)
    display = ChosenWall(stiffness=10e3, device=BENCH_DEVICE, resolution=SIZE)
    display.fresh(m, "wall", count, 0.0, 1000.0)
    m.force("motor", tb.JointEffort("handle", m.signal("wall force")))
    system = m.compile()
    with tb.live(system, system.assemble({"handle": 1e-4}), rate=1000.0, speed=None) as live:
        live.choose("wall sense", "counting")
        live.choose("wall", "balanced")
        live["push"] = -2.0
        live.run(0.6)
        assert live.read("handle") == pytest.approx(-2.0 / 10e3, abs=2.0 * SIZE)


@pytest.mark.parametrize(
    "make",
    [
        lambda: CountIntervalEstimator(0.0),
        lambda: CountIntervalEstimator(1e-6, noise=-1.0),
        lambda: CountIntervalEstimator(1e-6, wander=0.0),
        lambda: EnergyBalanced(Standard(), 0.0),
        lambda: EnergyBalanced(Standard(), 1e-6, margin=-1.0),
    ],
)
def test_counts_of_no_size_are_refused(make: object) -> None:
    with pytest.raises(InputError, match=r"CountIntervalEstimator|EnergyBalanced"):
        make()  # type: ignore[operator]
