"""Each law does what its design promises, checked on matrices rather than on itself."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from studies.wall.findings import held_floors_are_irregular, standard_climbs
from touchback.errors import InputError
from touchback.haptics.wall import (
    ContinuousBall,
    DelayPrediction,
    Device,
    DifferenceSensing,
    Finger,
    Oscillator,
    Plant,
    State,
    Target,
    WallController,
    ball,
    bounces,
    place_poles,
    simulate,
)
from touchback.haptics.wall.laws import HalfSample, PolePlacement, Standard


def sampled(oscillator: Oscillator, period: float) -> tuple[np.ndarray, np.ndarray]:
    flow = oscillator.flow(period)
    return np.array([[flow.yy, flow.yv], [flow.vy, flow.vv]]), np.array([flow.yf, flow.vf])


@given(
    st.floats(0.05, 2.0), st.floats(0.0, 10.0), st.floats(0.0, 500.0),
    st.floats(100.0, 1e4), st.floats(0.0, 20.0), st.floats(2.5e-4, 4e-3),
)  # fmt: skip
def test_placed_poles_are_those_of_the_continuous_contact(
    m: float, b: float, k: float, K: float, B: float, T: float
) -> None:
    plant, target = Oscillator(m, b, k), Oscillator(m, b + B, k + K)
    gains = place_poles(plant, target, T)
    phi, gamma = sampled(plant, T)
    found = np.sort_complex(np.linalg.eigvals(phi - np.outer(gamma, gains)))
    continuous = np.linalg.eigvals([[0.0, 1.0], [-(k + K) / m, -(b + B) / m]])
    expected = np.sort_complex(np.exp(continuous * T))
    # Near a double pole eigenvalues are as good as the root of rounding.
    assert found == pytest.approx(expected, abs=3e-7)


def test_undamped_poles_lie_at_plus_minus_omega_t() -> None:
    phi, gamma = sampled(Oscillator(1.0), 0.2)
    gains = place_poles(Oscillator(1.0), Oscillator(1.0, 0.0, 1.0), 0.2)
    poles = np.linalg.eigvals(phi - np.outer(gamma, gains))
    assert np.abs(poles) == pytest.approx([1.0, 1.0], rel=1e-13)
    assert np.abs(np.angle(poles)) == pytest.approx([0.2, 0.2], rel=1e-12)


def test_a_wall_faster_than_the_sampling_is_refused() -> None:
    with pytest.raises(InputError, match="half a turn"):
        place_poles(Oscillator(1.0), Oscillator(1.0, 0.0, 1e4), 0.04)


@pytest.mark.parametrize("mass", [0.05, 2.0])
def test_the_refusal_names_the_largest_stiffness_that_sampling_allows(mass: float) -> None:
    """m (π/T)², half a turn of an undamped contact in a sample; just less than it is taken."""
    T = 0.04
    largest = mass * (math.pi / T) ** 2
    with pytest.raises(InputError, match=r"ask for less than (\S+) N/m") as refused:
        place_poles(Oscillator(mass), Oscillator(mass, 0.0, 1.001 * largest), T)
    named = float(str(refused.value).split("less than ")[1].split()[0])
    assert named == pytest.approx(largest, rel=1e-5)  # six digits are told
    assert np.isfinite(place_poles(Oscillator(mass), Oscillator(mass, 0.0, 0.999 * named), T)).all()


def test_the_prediction_is_table_5_4_with_its_cosine_mended() -> None:
    g, K, T, y, v = 1.0, 4.0, 0.3, -0.2, -0.7
    w = math.sqrt(K)
    predicted = (y + g / K) * math.cos(w * T / 2) + v / w * math.sin(w * T / 2) - g / K
    wall = WallController(HalfSample(), ball(1.0, g), Target(K), T)
    assert wall.force(0, State(y, v)) == pytest.approx(-K * predicted, rel=1e-14)


def test_no_wall_acts_outside() -> None:
    plant, target = Plant(Device(0.3, 1.0), Finger(), bias=-1.0), Target(5000.0, 2.0)
    for law in (Standard(), HalfSample(), PolePlacement()):
        wall = WallController(law, plant, target, 1e-3)
        assert wall.force(0, State(1e-4, -0.5)) == 0.0


def test_a_placed_wall_holds_the_finger_where_the_continuous_wall_does() -> None:
    plant, target = Plant(Device(0.3, 1.0), Finger(), bias=-2.0), Target(5000.0)
    wall = WallController(PolePlacement(), plant, target, 1e-3)
    trace = simulate(plant, wall, State(-1e-4, 0.0), 1e-3, 5000)
    assert trace.y[-1] == pytest.approx(-2.0 / 5257.0, rel=1e-9)


def test_a_damped_wall_pushes_against_the_velocity_too() -> None:
    wall = WallController(Standard(), ball(), Target(100.0, 3.0), 1e-3)
    assert wall.force(0, State(-0.01, -0.5)) == pytest.approx(2.5)


def test_a_slowly_sampled_standard_floor_makes_the_ball_climb() -> None:
    assert standard_climbs().holds


def test_prediction_and_placement_leave_an_irregular_height() -> None:
    assert [found.holds for found in held_floors_are_irregular()] == [True, True]


def test_fast_sampling_makes_every_floor_the_continuous_one() -> None:
    plant, target, start = ball(), Target(50.0), State(0.3, 0.0)
    expected = ContinuousBall.of(plant, target, start).contact(0)
    assert expected is not None
    trace = simulate(plant, WallController(Standard(), plant, target, 1e-5), start, 1e-5, 140_000)
    # The held force lags by half a sample: a relative gain of energy of about π ω T / 2.
    gain = bounces(trace).energy[0] / plant.motion.energy(start, plant.force) - 1.0
    assert gain == pytest.approx(math.pi * math.sqrt(50.0) * 1e-5 / 2, rel=0.4)


def test_differentiated_velocity_is_the_backward_difference() -> None:
    seen: list[State] = []

    class Listening:
        def force(self, sample: int, state: State) -> float:
            seen.append(state)
            return 0.0

    trace = simulate(ball(), Listening(), State(1.0, 0.5), 0.1, 5, sensing=DifferenceSensing())
    assert [state.v for state in seen[1:]] == pytest.approx(np.diff(trace.y[:5]) / 0.1)


def test_a_delay_applies_each_force_late() -> None:
    class Ones:
        def force(self, sample: int, state: State) -> float:
            return 1.0

    plant = Plant(Device(1.0))
    trace = simulate(plant, Ones(), State(0.0, 0.0), 0.1, 1, delay=0.04)
    assert (trace.y[1], trace.v[1]) == pytest.approx((0.5 * 0.06**2, 0.06), rel=1e-14)


def test_looking_ahead_cancels_a_delay() -> None:
    plant, target, T = Plant(Device(0.3, 1.0), Finger(), bias=-1.0), Target(3000.0), 2e-3
    prompt = WallController(PolePlacement(), plant, target, T)
    late = DelayPrediction(prompt, plant.motion, plant.force, T)
    start = State(1e-3, -0.1)
    a = simulate(plant, prompt, start, T, 300)
    b = simulate(plant, late, start, T, 300, delay=T)
    # A whole sample late is the same loop, if the first force was known: it was zero outside.
    assert b.y == pytest.approx(a.y, abs=1e-15)
    assert np.abs(simulate(plant, prompt, start, T, 300, delay=T).y - a.y).max() > 1e-5


def test_a_delay_longer_than_the_period_is_refused() -> None:
    wall = WallController(Standard(), ball(), Target(1.0), 0.1)
    with pytest.raises(InputError, match="doesn't fit a period"):
        simulate(ball(), wall, State(1.0, 0.0), 0.1, 3, delay=0.2)


def test_volition_must_last_as_long_as_the_run() -> None:
    wall = WallController(Standard(), ball(), Target(1.0), 0.1)
    with pytest.raises(InputError, match="4 samples"):
        simulate(ball(), wall, State(1.0, 0.0), 0.1, 4, volition=[0.0])
