"""The deadbeat floor is, outside the floor, the continuous floor."""

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy.integrate import solve_ivp

from studies.wall.findings import deadbeat_is_exact
from touchback.haptics.wall import (
    ContinuousBall,
    Device,
    DifferenceSensing,
    Finger,
    Plant,
    State,
    Target,
    WallController,
    ball,
    bounces,
    distance_outside,
    simulate,
)
from touchback.haptics.wall.laws import Deadbeat, HalfSample, PolePlacement


@pytest.mark.parametrize("count", [150, pytest.param(1000, marks=pytest.mark.soak)])
def test_many_bounces_keep_energy_and_place(count: int) -> None:
    findings = list(deadbeat_is_exact(count))
    assert [found.what for found in findings if not found.holds] == []
    (stiff,) = [found.what for found in findings if "stiff floor: energy" in found.what]
    assert int(stiff.split()[-6]) > count / 5  # contacts of fewer than two samples, counted apart


def test_the_continuous_ball_is_that_of_an_ode_solver() -> None:
    m, b, K, g = 1.0, 0.3, 40.0, 2.0
    plant, wall, start = Plant(Device(m), bias=-m * g), Target(K, b), State(0.5, 0.0)

    def rate(t: float, x: np.ndarray) -> list[float]:
        push = -K * x[0] - b * x[1] if x[0] < 0.0 else 0.0
        return [x[1], push / m - g]

    run = solve_ivp(rate, (0.0, 5.0), start, max_step=1e-3, rtol=1e-10, atol=1e-12)
    found = [ContinuousBall.of(plant, wall, start).state(t).y for t in run.t[::200]]
    # The solver steps over the jump of the damper's force: 1e-3 s of it at b v m/s².
    assert found == pytest.approx(run.y[0][::200], abs=1e-3)


@settings(max_examples=25)
@example(0.34765625, 51.0, 0.25, 3.0, False, False)  # leaves and lands again between two samples
@given(
    st.floats(0.02, 0.35), st.floats(1.0, 60.0), st.floats(0.2, 2.0), st.floats(0.3, 3.0),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_any_ball_keeps_its_energy_however_it_is_sampled(
    T: float, K: float, height: float, g: float, placed: bool, throughout: bool
) -> None:
    plant, wall, start = ball(1.0, g), Target(K), State(height, 0.0)
    law = Deadbeat(throughout, PolePlacement() if placed else HalfSample())
    controller = WallController(law, plant, wall, T)
    trace = simulate(plant, controller, start, T, 1500)
    found = bounces(trace)
    if found.count:
        assert found.energy == pytest.approx(np.full(found.count, g * height), rel=1e-9)
        # Rounding in the energy becomes rounding in the time of flight, bounce after bounce.
        assert distance_outside(trace, wall).max() < 1e-6 * height


def test_a_bounce_with_a_finger_ends_where_the_continuous_one_does() -> None:
    plant, wall, T = Plant(Device(0.3, 1.0), Finger(), bias=-1.0), Target(5000.0, 2.0), 1e-3
    start = State(2e-3, -0.3)
    controller = WallController(Deadbeat(), plant, wall, T)
    trace = simulate(plant, controller, start, T, 60)
    assert bounces(trace).count == 1
    assert distance_outside(trace, wall).max() < 1e-14


def test_without_the_compensation_it_ends_elsewhere() -> None:
    plant, wall, T = Plant(Device(0.3, 1.0), Finger(), bias=-1.0), Target(5000.0, 2.0), 1e-3
    trace = simulate(
        plant, WallController(PolePlacement(), plant, wall, T), State(2e-3, -0.3), T, 60
    )
    assert distance_outside(trace, wall).max() > 1e-7


def test_throughout_every_second_sample_inside_is_on_the_continuous_contact() -> None:
    plant, wall, T = ball(), Target(1.0), 0.2
    controller = WallController(Deadbeat(throughout=True), plant, wall, T)
    trace = simulate(plant, controller, State(1.0, 0.0), T, 25)
    first = int(np.flatnonzero(trace.y < 0.0)[0])
    continuous = ContinuousBall.of(plant, wall, State(1.0, 0.0))
    for sample in range(first + 2, first + 16, 2):
        expected = continuous.state(sample * T)
        assert (trace.y[sample], trace.v[sample]) == pytest.approx(expected, abs=1e-13)


def test_contacts_of_fewer_than_two_samples_are_counted() -> None:
    plant, wall, T = ball(), Target(4000.0), 0.04
    controller = WallController(Deadbeat(), plant, wall, T)
    trace = simulate(plant, controller, State(1.0, 0.0), T, 2000)
    # A contact of about π/√4000 = 0.05 s holds one or two samples at 0.04 s.
    found = bounces(trace)
    continuous = ContinuousBall.of(plant, wall, State(1.0, 0.0))
    contacts = [continuous.contact(number) for number in range(found.count)]
    assert {each.samples_inside(T) for each in contacts if each} == {1, 2}
    assert found.energy == pytest.approx(np.ones(found.count), abs=1e-10)


def test_differentiated_velocity_spoils_the_compensation() -> None:
    plant, wall, T = ball(), Target(1.0), 0.2
    controller = WallController(Deadbeat(inner=HalfSample()), plant, wall, T)
    trace = simulate(plant, controller, State(1.0, 0.0), T, 300, sensing=DifferenceSensing())
    assert np.abs(bounces(trace).energy - 1.0).max() > 1e-3
