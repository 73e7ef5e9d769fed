"""What an encoder's counts tell, and how stiff walls may be that know no more."""

import math

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

from touchback.errors import InputError
from touchback.haptics.wall import (
    Bench,
    Device,
    DifferenceSensing,
    Encoder,
    Finger,
    Motor,
    ObserverSensing,
    Plant,
    Sensing,
    State,
    Target,
    WindowSensing,
    deviation,
    is_passive,
    kind,
    largest_passive_stiffness,
    simulate,
)
from touchback.haptics.wall.encoder_sensing import Motion, Observer, _edges

SIZE = 4.15e-6  # m a count
T = 1e-3
FREE = Plant(Device(0.3))


class Listening:
    """A controller that never pushes and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[State] = []

    def force(self, sample: int, state: State) -> float:
        self.told.append(state)
        return 0.0


def told(sensing: Sensing, plant: Plant, start: State, samples: int) -> np.ndarray:
    """(y, v) by sample, as known; then as true."""
    listening = Listening()
    trace = simulate(plant, listening, start, T, samples, sensing=sensing)
    return np.array([listening.told, np.column_stack([trace.y, trace.v])[:-1]])


def test_an_encoder_tells_the_nearest_whole_count() -> None:
    read = Encoder(SIZE).reader()
    for y in np.random.default_rng(2).uniform(-1e-3, 1e-3, 200):
        assert abs(read(y) - y) <= 0.5 * SIZE * (1 + 1e-9)
        assert read(y) / SIZE == pytest.approx(round(read(y) / SIZE), abs=1e-9)


def test_differences_err_by_at_most_a_count_a_period() -> None:
    known, true = told(DifferenceSensing(Encoder(SIZE)), FREE, State(0.0, 7.3e-3), 200)
    assert np.abs(known[1:, 1] - true[1:, 1]).max() <= SIZE / T
    assert np.abs(known[1:, 1] - true[1:, 1]).max() > 0.5 * SIZE / T


def test_a_window_of_n_samples_at_constant_speed_errs_by_a_count_over_n() -> None:
    """Two counts' rounding over a window of sixteen periods (Janabi-Sharifi et al. 2000)."""
    known, true = told(WindowSensing(Encoder(SIZE), longest=16), FREE, State(0.0, 7.3e-3), 200)
    assert np.abs(known[16:, 1] - true[16:, 1]).max() <= SIZE / (16 * T) * (1 + 1e-6)


def test_a_window_shortens_where_the_motion_bends() -> None:
    """A swing of 1.6 m/s²: sixteen periods would lag by 8 ms, 13 mm/s; a line that stays within a
    count lasts n periods with a (nT)²/8 ≤ Δ, 4.5 of them, and lags by half: 3.6 mm/s."""
    known, true = told(
        WindowSensing(Encoder(SIZE)), Plant(Device(0.3), Finger()), State(2e-3, 0.0), 100
    )
    assert np.abs(known[20:, 1] - true[20:, 1]).max() < 8e-3


def test_the_observer_ends_at_the_steady_filter_of_scipy() -> None:
    """The spread before a correction solves the discrete Riccati equation."""
    plant, rate, variance = Plant(Device(0.3, 1.0), Finger()), 25.0, SIZE**2 / 12
    observer = Observer(plant, State(0.0, 0.0), variance, rate)
    for _ in range(3000):
        observer.correct(0.0, variance)
        observer.advance(T, 0.0)
    flow, parts = plant.motion.flow(T), 2000
    step = np.array([[flow.yy, flow.yv, flow.yf], [flow.vy, flow.vv, flow.vf], [0, 0, 1]])
    noise = np.zeros((3, 3))
    for each in (plant.motion.flow((k + 0.5) * T / parts) for k in range(parts)):
        effect = np.array([each.yf, each.vf, 1.0])
        noise += rate**2 * T / parts * np.outer(effect, effect)
    seen = np.array([[1.0, 0.0, 0.0]])
    due = solve_discrete_are(step.T, seen.T, noise, np.array([[variance]]))
    # Riccati's equation is of numbers from 1e-12 to 1: its solution has six good digits.
    np.testing.assert_allclose(observer._spread, due, rtol=1e-5)


@pytest.mark.parametrize("stamped", [False, True])
def test_an_observer_knows_velocities_better_than_differences(stamped: bool) -> None:
    plant = Plant(Device(0.3, 1.0), Finger())
    start = State(2e-3, 0.0)
    errors = []
    for sensing in (DifferenceSensing(Encoder(SIZE)), ObserverSensing(Encoder(SIZE), 3.0, stamped)):
        known, true = told(sensing, plant, start, 300)
        errors.append(np.sqrt(np.mean((known[20:, 1] - true[20:, 1]) ** 2)))
    assert errors[1] < 0.4 * errors[0]


def test_an_observer_stays_within_the_count() -> None:
    known, true = told(
        ObserverSensing(Encoder(SIZE)), Plant(Device(0.3), Finger()), State(1e-3, 0.1), 300
    )
    assert np.abs(known[:, 0] - true[:, 0]).max() <= SIZE * (1 + 1e-9)


@pytest.mark.parametrize("speed", [3.1e-3, -3.1e-3, 0.11])
def test_edges_lie_where_the_count_changes(speed: float) -> None:
    motion = Motion(State(speed * T, speed), 0.0, lambda t: State(speed * t, speed))
    found = list(_edges(motion, T, SIZE))
    due = math.floor(abs(speed) * T / SIZE + 0.5)
    assert found and len(found) == due
    for instant, edge in found:
        assert speed * instant == pytest.approx(edge, abs=1e-12)
        assert abs(edge / SIZE % 1.0) == pytest.approx(0.5, abs=1e-6)


def test_a_motor_gives_no_more_than_it_can_in_steps_times_its_constant() -> None:
    motor = Motor(limit=2.0, gain=0.9, step=0.25)
    assert [motor.force(f) for f in (-9.0, 0.1, 0.2, 1.1, 5.0)] == pytest.approx(
        [-1.8, 0.0, 0.225, 0.9, 1.8]
    )
    wall = kind("standard").build(FREE, Target(5000.0), T)
    trace = simulate(FREE, wall, State(1e-3, -0.3), T, 60, motor=Motor(limit=2.0))
    assert trace.wall_force.max() == 2.0


def test_counts_invert_the_ranking_of_the_walls() -> None:
    """At 1 kHz with counts of 4.15 µm and differences, 20 337 and 5 482 N/m were found by an
    independent trial in searches of two per cent, where exact sensing gives 46 005 and 435 823."""
    counts = Bench(sensing=DifferenceSensing(Encoder(SIZE)))
    found = {
        name: largest_passive_stiffness(kind(name), 1000.0, counts, precision=0.02)
        for name in ("half-sample", "deadbeat throughout")
    }
    assert found["half-sample"] == pytest.approx(20337, rel=0.02)
    assert found["deadbeat throughout"] == pytest.approx(5482, rel=0.02)


def test_an_observer_gives_stiffness_back() -> None:
    counted, observed = (
        Bench(sensing=each(Encoder(SIZE))) for each in (DifferenceSensing, ObserverSensing)
    )
    assert not is_passive(kind("z-plane"), 24000.0, 1000.0, counted)
    assert is_passive(kind("z-plane"), 24000.0, 1000.0, observed)


def test_a_deadbeat_wall_reads_the_hands_force_and_hardly_needs_its_finger() -> None:
    wall, loose = kind("deadbeat throughout"), Bench(assumed_finger=Finger(0.01, 2.0, 120.0))
    knowing = deviation(wall, 5000.0, 1000.0)
    assert 1.1 * knowing < deviation(wall, 5000.0, 1000.0, loose) < 1.5 * knowing


def test_the_deviation_of_a_fine_wall_is_small_and_of_a_chattering_one_large() -> None:
    assert deviation(kind("deadbeat"), 2000.0, 1000.0) < 0.01
    assert deviation(kind("standard"), 20000.0, 1000.0) > 1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda: Encoder(-1e-6),
        lambda: Encoder(math.nan),
        lambda: Encoder(noise=math.inf),
        lambda: Motor(limit=0.0),
        lambda: Motor(gain=math.nan),
        lambda: Motor(step=-1.0),
    ],
)
def test_what_no_device_has_is_refused(make: object) -> None:
    with pytest.raises(InputError, match="must be"):
        make()  # type: ignore[operator]
