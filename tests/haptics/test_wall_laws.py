"""Walls written over any scalar are those that branch, in closed form, to rounding."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from branching_walls import AdaptiveWall, FingerIdentifier, build_oracle
from touchback.errors import InputError
from touchback.haptics.displays import WALLS, wall_law
from touchback.haptics.wall import (
    Controller,
    Device,
    Encoder,
    Finger,
    ObserverSensing,
    Oscillator,
    Plant,
    State,
    Target,
    WallController,
    simulate,
)
from touchback.haptics.wall.laws import Adaptive, Deadbeat, KalmanEstimator, Law, Motion, WallSample
from touchback.haptics.wall.laws.branchless_oscillator import advance_period
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, Press
from touchback.haptics.wall.wall_plant import ContinuousBall
from touchback.numbers import Scalar

T = 1e-3
FINGER = Finger()
PLANT = Plant(BENCH_DEVICE, FINGER, anchor=2e-5)


class Stepped:
    """A law as a controller of the laboratory, given the plant as a series."""

    def __init__(self, law: Law, plant: Plant, wall: Target) -> None:
        motion = plant.motion
        self.law, self.wall, self.bias = law, wall, plant.force
        self.plant = Motion(motion.mass, motion.damping, motion.stiffness)
        self.memory, self.acting = law.start, 0.0

    def told(self, state: State) -> WallSample:
        y, v = state
        wall = self.wall
        return WallSample(
            y, v, self.acting, self.plant, self.bias, wall.stiffness, wall.damping, T
        )  # fmt: skip

    def force(self, sample: int, state: State) -> float:
        memory, force = self.law.step(self.memory, self.told(state))
        self.memory, self.acting = tuple(memory), float(force)
        return self.acting


def pressed(controller: Controller) -> np.ndarray:
    press = Press(1.0, 0.03, 2e-5)
    samples = round(1.5 * press.duration / T)
    push = press.force(T, samples)
    trace = simulate(PLANT, controller, State(press.gap, 0.0), T, samples, volition=push)
    return np.array(trace.y)


@pytest.mark.parametrize("damping", [0.0, 0.4, 40.0, 400.0])
@pytest.mark.parametrize("stiffness", [0.0, 257.0, 50e3])
def test_a_doubled_series_is_the_closed_form(damping: float, stiffness: float) -> None:
    due = Oscillator(0.32, damping, stiffness).flow(T)
    found = Motion(0.32, damping, stiffness).flow(T)
    np.testing.assert_allclose(found, due, rtol=1e-13, atol=1e-300)


def test_continuous_motion_crosses_the_wall_where_the_laboratory_finds_it() -> None:
    """Entries, exits, and both within a period."""
    free, target = PLANT.motion, Target(40e3)
    in_contact = target.in_contact(free)
    motions = [Motion(each.mass, each.damping, each.stiffness) for each in (free, in_contact)]
    crossings = 0
    for y, v, force in np.random.default_rng(3).uniform(
        (-2e-4, -0.4, -8.0), (2e-4, 0.4, 8.0), (400, 3)
    ):
        ball = ContinuousBall(free, in_contact, force, State(y, v))
        due = ball.state(T)
        within = [t for contact in ball.contacts for t in (contact.entry, contact.exit) if t < T]
        if (due.y < 0.0) == (y < 0.0) and len(within) > 1:
            continue  # a graze, which counts as none
        crossings += len([t for t in within if t > 0.0])
        found = advance_period(*motions, State(y, v), force, T)
        assert found.y == pytest.approx(due.y, abs=1e-13)
        assert found.v == pytest.approx(due.v, abs=1e-10)
    assert crossings > 50


def test_a_bounce_within_one_period_ends_where_the_laboratory_finds_it() -> None:
    """In and out again on a wall on which a contact lasts about two periods, under a force that
    alone would leave the mass inside. Four of Newton's steps leave 2e-18 m and 2e-14 m/s; less than
    a hundred times of that is rounding of other processors too."""
    free = PLANT.motion
    in_contact = Target(free.mass * (0.5 * np.pi / T) ** 2).in_contact(free)
    motions = [Motion(each.mass, each.damping, each.stiffness) for each in (free, in_contact)]
    bounces = 0
    for speed, entry, part in np.random.default_rng(3).uniform(
        (0.005, 0.0, 0.6), (0.1, 0.3, 1.1), (600, 3)
    ):
        y, force = entry * T * speed, part * 2.0 * free.mass * speed / T  # part 1: back after T
        ball = ContinuousBall(free, in_contact, force, State(y, -speed))
        due = ball.state(T)
        if due.y < 0.0 or not ball.contacts or free.after(State(y, -speed), T, force).y >= 0.0:
            continue  # still inside, never there, or a graze, which counts as none
        bounces += 1
        found = advance_period(*motions, State(y, -speed), force, T)
        assert found.y == pytest.approx(due.y, abs=1e-16)
        assert found.v == pytest.approx(due.v, abs=1e-12)
    assert bounces > 50


@pytest.mark.parametrize("name", [name for name in WALLS if name != "adaptive"])
@pytest.mark.parametrize("stiffness", [3000.0, 60e3])
def test_each_law_presses_as_its_controller(name: str, stiffness: float) -> None:
    target = Target(stiffness)
    law, oracle = wall_law(name, BENCH_DEVICE), build_oracle(name, PLANT, target, T)
    due = pressed(oracle)
    np.testing.assert_allclose(pressed(Stepped(law, PLANT, target)), due, atol=1e-13)
    closed = WallController(law, PLANT, target, T)
    np.testing.assert_allclose(pressed(closed), due, atol=1e-13)


@pytest.mark.parametrize("name", [name for name in WALLS if name not in ("standard", "adaptive")])
def test_each_law_is_its_controller_wherever_live_parameters_can_go(name: str) -> None:
    """Devices of 10 g to 1 kg; stiffness, damping and rate over all that `ChosenWall` offers, none
    included."""
    chance = np.random.default_rng(5)
    draws = chance.uniform((-2.0, 0.0, 1.0, -1.0, 2.0), (0.0, 0.5, 6.0, 4.0, 3.6), (40, 5))
    for number, draw in enumerate(draws):
        mass, K, B, rate = 10.0 ** draw[[0, 2, 3, 4]]
        K = 0.0 if number % 8 == 0 else K
        period, own = 1.0 / rate, draw[1] * mass * rate
        plant, motion = Plant(Device(mass, own)), Motion(mass, own, 0.0)
        told = WallSample(0.0, 0.0, 0.0, motion, 0.0, K, B, period).expressible()
        target = Target(told.stiffness, told.damping)
        lab = build_oracle(name, plant, target, period)
        stop = mass * rate * 0.05  # what stops 5 cm/s in a sample [N]
        run = simulate(
            plant, lab, State(0.04 * period, -0.05), period, 12, volition=np.full(12, -0.1 * stop)
        )
        law, acting, forces = wall_law(name, plant.device), 0.0, []
        memory: Sequence[Scalar] = law.start
        for y, v, due in zip(run.y, run.v, run.wall_force, strict=False):
            memory, force = law.step(memory, replace(told, y=y, v=v, acting=acting))
            forces.append(force)
            acting = float(due)
        scale = max(stop, np.abs(run.wall_force).max())
        np.testing.assert_allclose(forces, run.wall_force, rtol=0.0, atol=1e-9 * scale)


@pytest.mark.parametrize("stiffness", [0.0, 1e-300, 1e-12])
@pytest.mark.parametrize("name", WALLS)
def test_a_wall_of_no_stiffness_pushes_nothing_whatever_hand_is_known(
    name: str, stiffness: float
) -> None:
    """Half a newton of hand without a spring of its own, as an adaptive wall may find it: where it
    would rest isn't anywhere. A sampled wall may err by some millionths of the hand."""
    law = wall_law(name, Device(0.022, 0.06), Finger(0.0, 0.0, 0.0))
    told = WallSample(
        1.5e-4, -0.1, 0.0, Motion(0.022, 0.06, 0.0), -0.5, stiffness, 0.0, T
    ).expressible()
    memory: Sequence[Scalar] = law.start
    for _ in range(5):
        memory, force = law.step(memory, told)
        assert abs(float(force)) < 1e-5
        y, v = told.plant.flow(T)(State(told.y, told.v), told.bias)
        told = replace(told, y=y, v=v)
    assert told.y < 0.0


def test_an_adaptive_law_finds_the_grip_that_the_identifier_finds() -> None:
    """A tap under a constant force: the identifier knows of no other."""
    target, guess = Target(5000.0), Finger(0.01, 2.0, 120.0)
    plant, tap = Plant(BENCH_DEVICE, FINGER, bias=-1.0), State(2e-3, -0.3)
    identifier = FingerIdentifier(BENCH_DEVICE, T, guess)
    lab = AdaptiveWall(lambda found: build_oracle("deadbeat", found, target, T), identifier)
    law = Adaptive(Deadbeat(), BENCH_DEVICE, guess)
    own, closed = Stepped(law, plant, target), WallController(law, plant, target, T)
    runs = [simulate(plant, controller, tap, T, 60) for controller in (own, closed, lab)]
    np.testing.assert_allclose(runs[0].y, runs[2].y, atol=1e-9)
    np.testing.assert_allclose(runs[1].y, runs[2].y, atol=1e-9)
    grip = np.array(own.memory[3:6]) * (0.02, 3.75, 257.0)
    np.testing.assert_allclose(grip, (FINGER.mass, FINGER.damping, FINGER.stiffness), rtol=1e-3)


def test_a_grip_found_to_be_stopped_within_a_sample_is_taken_for_the_most_damped() -> None:
    """The forces are then the laboratory's for device and hand with 2 m/T together."""
    mass, period = 0.3, 1e-3
    plant = Plant(Device(mass, 2.0 * mass / period))
    lab = build_oracle("deadbeat", plant, Target(5000.0), period)
    push = np.full(12, -30.0)
    run = simulate(plant, lab, State(2e-5, -0.05), period, 12, volition=push)
    for found in (1e4, 1e8):  # N s/m, of 600 at most
        law = Adaptive(Deadbeat(), Device(mass, 4.0), Finger(0.0, found, 0.0))
        told = WallSample(0.0, 0.0, 0.0, Motion(mass, 4.0, 0.0), 0.0, 5000.0, 0.0, period)
        memory, acting, forces = law.start, 0.0, []
        for y, v, due in zip(run.y, run.v, run.wall_force, strict=False):
            memory, force = law.step(memory, replace(told, y=y, v=v, acting=acting))
            forces.append(force)
            acting = float(due)
        assert run.y[-2] < 0.0 and run.wall_force.max() > 0.0  # it is pressed in
        np.testing.assert_allclose(forces, run.wall_force, atol=1e-9 * run.wall_force.max())


def test_the_observer_that_runs_is_that_of_the_laboratory() -> None:
    """Both are told the same counts of a handle under a hand that comes and goes."""
    size = 4.15e-6
    samples = 60
    push = Press(2.0, 0.04, 0.0).force(T, samples)

    class Listening:
        """Two observers: the laboratory's, through `simulate`, and ours."""

        def __init__(self) -> None:
            self.observing = KalmanEstimator(size)
            self.memory: tuple[float, ...] = (1e-4, *self.observing.start[1:-1], 1.0)
            self.inner = Stepped(wall_law("half-sample", BENCH_DEVICE), PLANT, Target(5000.0))
            self.read = Encoder(size).reader()
            self.worst = 0.0

        def force(self, sample: int, state: State) -> float:
            self.seen = state
            return self.inner.force(sample, state)

    listening = Listening()
    trace = simulate(
        PLANT, listening, State(1e-4, 0.0), T, samples, volition=push,
        sensing=ObserverSensing(Encoder(size)),
    )  # fmt: skip
    told = Stepped(wall_law("half-sample", BENCH_DEVICE), PLANT, Target(5000.0))
    forces, memory = [0.0], listening.memory
    for y in trace.y[:-1]:
        told.acting = forces[-1]
        after, known = listening.observing.step(memory, told.told(State(listening.read(y), 0.0)))
        memory = tuple(after)
        forces.append(told.force(0, State(known.y, known.v)))
    np.testing.assert_allclose(forces[1:], trace.wall_force, atol=1e-9)
    assert np.abs(trace.wall_force).max() > 0.5


@pytest.mark.parametrize("slack", [0.0, 0.25, 0.5])
@pytest.mark.parametrize("off", [-0.5, -0.3, -0.1, 0.0, 0.2, 0.45])
def test_a_belief_is_moved_only_as_far_as_it_leaves_the_slack_around_the_count(
    off: float, slack: float
) -> None:
    """Off by counts from the count's middle, at rest, without a force. What is believed has the
    variance of what is read, so that the mean moves half-way (Kalman: P/(P + R) = 1/2) to the
    nearest place of the slack: nowhere from within."""
    size, count = 4e-6, 3e-5
    observing = KalmanEstimator(size, hand_rate=1e-12, slack=slack)
    believed = count + off * size
    memory = (believed, 0.0, 0.0, observing.variance, *[0.0] * 5, 1.0)
    told = WallSample(count, 0.0, 0.0, Motion(0.32, 0.0, 0.0), 0.0, 5000.0, 0.0, T)
    after, known = observing.step(memory, told)
    nearest = count + np.clip(off, -slack, slack) * size
    assert after[0] == pytest.approx(0.5 * (believed + nearest), rel=1e-12)
    assert after[3] == pytest.approx(0.5 * observing.variance, rel=1e-12)
    assert known.y == after[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: KalmanEstimator(0.0),
        lambda: KalmanEstimator(-1e-6),
        lambda: KalmanEstimator(1e-6, hand_rate=0),
    ],
)
def test_an_observer_of_nothing_is_refused(make: object) -> None:
    with pytest.raises(InputError, match="KalmanEstimator"):
        make()  # type: ignore[operator]


def test_a_compensating_wall_is_no_stiffer_than_a_contact_of_two_samples() -> None:
    plant = Motion(0.32, 4.75, 257.0)
    told = WallSample(-1e-5, 0.0, 0.0, plant, 0.0, 1e9, 0.0, T)
    most = told.expressible().stiffness
    assert np.pi * np.sqrt(0.32 / most) == pytest.approx(2.0 * T, rel=1e-12)


def test_a_compensating_wall_is_damped_no_more_than_turns_the_velocity_round() -> None:
    """The device's and the hand's own count; less than the bound is left as it is."""
    plant = Motion(0.32, 4.75, 257.0)
    told = WallSample(-1e-5, 0.0, 0.0, plant, 0.0, 1e3, 1e4, T)
    assert (told.expressible().damping + 4.75) * T / 0.32 == pytest.approx(2.0, rel=1e-12)
    assert replace(told, damping=600.0).expressible().damping == 600.0
    heavier = replace(told, plant=Motion(0.32, 1e4, 257.0))
    assert heavier.expressible().damping == 0.0


def test_an_unknown_wall_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'deadbeat'"):
        wall_law("deadbeet", Device())
