"""Return maps against step-by-step runs and against their own closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from studies.wall.full_map import Exit, LateWall, largest_exit_speed, late_history
from studies.wall.worst_case import WorstCase, worst_history
from touchback.errors import InputError
from touchback.haptics.wall import Oscillator, State


def test_the_full_map_is_what_a_run_through_the_switches_does() -> None:
    T, g = 0.15, 1.0
    wall = LateWall(Oscillator(1.0, 0.05), Oscillator(1.0, 0.05, 30.0), -g, T)
    exits = wall.strikes(Exit(0.0, 1.2), 6)
    # The same system run sample by sample: the model changes only at samples, exact between.
    state, k, crossings = wall.touching.after(State(0.0, 1.2), T, -g), 1, []
    while len(crossings) < 5:
        model = wall.touching if state.y < 0.0 else wall.free
        after = model.after(state, T, -g)
        if state.y < 0.0 <= after.y:
            lasts = model.time_to_cross(state, -g)
            crossings.append((k * T + lasts, model.after(state, lasts, -g).v))
        state, k = after, k + 1
    found = [tuple(each) for each in exits[1:]]
    assert np.array(found) == pytest.approx(np.array(crossings), rel=1e-9)


def test_the_largest_speed_falls_to_the_first_with_the_period() -> None:
    free, touching = Oscillator(1.0), Oscillator(1.0, 0.0, 1.0)
    speeds = [
        np.mean([largest_exit_speed(LateWall(free, touching, -1.0, T * s), 1.0)
                 for s in np.linspace(0.9, 1.1, 15)])
        for T in (0.27, 0.09, 0.03)
    ]  # fmt: skip
    assert speeds[0] > speeds[1] > speeds[2] >= 1.0
    assert speeds[2] == pytest.approx(1.0, abs=0.01)


def test_switching_on_the_threshold_conserves_energy() -> None:
    wall = LateWall(Oscillator(1.0, 0.05), Oscillator(1.0, 0.05, 30.0), -1.0, 0.15)
    history = late_history(wall, State(1.0, 0.0), 14.0, 500, late=False)
    total = history["kinetic"] + history["potential"] + history["dissipated"]
    assert total == pytest.approx(np.full(500, 1.0), abs=1e-12)


def test_late_switching_makes_and_takes_energy_at_the_switches_only() -> None:
    wall = LateWall(Oscillator(1.0, 0.05), Oscillator(1.0, 0.05, 30.0), -1.0, 0.15)
    history = late_history(wall, State(1.0, 0.0), 14.0, 3000)
    jumps = np.diff(history["kinetic"] + history["potential"] + history["dissipated"])
    large = np.abs(jumps) > 1e-9
    assert (jumps[large] > 0).any() and (jumps[large] < 0).any()
    assert large.sum() < 12


periods = st.floats(0.002, 0.14)
stiff = st.floats(20.0, 400.0)


@given(periods, stiff, st.floats(0.0, 0.8))
def test_the_worst_case_ratio_is_that_of_the_exact_motion(T: float, K: float, b: float) -> None:
    case = WorstCase(1.0, 1.0, K, T)
    assert case.ratio(b) == pytest.approx(case.strike(1.0, b, 0.0), rel=1e-10)


@given(periods, stiff)
def test_without_damping_the_gain_is_the_energy_of_the_late_spring(T: float, K: float) -> None:
    # v₂² = v² cos² ω₁T + (K₂/K₁) v² sin² ω₁T: the depth reached in T, under the stiffer spring.
    gain = math.sqrt(math.cos(T) ** 2 + K * math.sin(T) ** 2)
    assert WorstCase(1.0, 1.0, K, T).ratio(0.0) == pytest.approx(gain, rel=1e-12)


@given(periods, stiff)
def test_the_balancing_damping_satisfies_the_mended_eq_6_57(T: float, K: float) -> None:
    case = WorstCase(1.0, 1.0, K, T)
    b = case.balancing_damping()
    sigma = b / 2.0
    w1, w2 = math.sqrt(1.0 - sigma**2), math.sqrt(K - sigma**2)
    t1, t2 = case.durations(b)
    swing = math.cos(w1 * t1) * math.cos(w2 * t2)
    swing -= w2 / w1 * math.sin(w1 * t1) * math.sin(w2 * t2)
    assert sigma == pytest.approx(math.log(swing) / (t1 + t2), rel=1e-8, abs=1e-12)


def test_balanced_strikes_repeat() -> None:
    case = WorstCase(1.0, 1.0, 100.0, 0.1)
    history = worst_history(case, 1.0, case.balancing_damping(), 4, 50)
    assert history["v"][[0, 99, 199, 299, 399]] == pytest.approx(np.ones(5), rel=1e-9)


def test_bias_asks_for_more_damping_and_tends_to_the_closed_form() -> None:
    case = WorstCase(1.0, 1.0, 100.0, 0.05)
    damping = [case.biased_damping(1.0, -g) for g in (1e-9, 0.2, 0.5)]
    assert damping[0] == pytest.approx(case.balancing_damping(), rel=1e-6)
    assert damping[0] < damping[1] < damping[2]


@pytest.mark.parametrize(
    ("soft", "stiff", "period", "complaint"),
    [(2.0, 1.0, 0.1, "must be stiffer"), (1.0, 9.0, 4.0, "longer than the free swing")],
)
def test_an_impossible_worst_case_is_refused(
    soft: float, stiff: float, period: float, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        WorstCase(1.0, soft, stiff, period)


def test_a_bias_away_from_the_wall_is_refused() -> None:
    with pytest.raises(InputError, match="towards the wall"):
        WorstCase(1.0, 1.0, 100.0, 0.1).biased_damping(1.0, 0.5)
