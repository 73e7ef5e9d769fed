"""Gillespie's two-mass piano: flight and landing by closed forms, and when the hammer leaves."""

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import bouncing_hammer as piano


@pytest.fixture(scope="module")
def system():
    return piano.make().compile()


def test_a_hammer_thrown_from_a_held_key_comes_back_by_the_closed_form():
    m = piano.make()
    m.drive("key", m.time * 0.0)  # the key is held at the top of its travel
    speed, omega = 0.3, np.sqrt(piano.STIFFNESS / piano.HAMMER)
    system = m.compile()
    start = system.assemble(rates={"hammer": speed}, guess={"hammer": 0.0})
    run = tb.simulate(system, start, 1.0, rtol=1e-11, atol=1e-13)
    flight = 2.0 * speed / piano.GRAVITY
    contact = (2.0 * np.pi - 2.0 * np.arctan2(omega * speed, piano.GRAVITY)) / omega
    # thrown from the rest length: it flies, lands with the same speed, and again
    expected = [0.0, flight, flight + contact, 2 * flight + contact, 2 * (flight + contact)]
    times = [found.time for found in run.transitions]
    np.testing.assert_allclose(times[: len(expected)], expected[: len(times)], atol=1e-8)
    assert [found.cause for found in run.transitions[:3]] == ["leaves", "lands", "leaves"]


@pytest.mark.parametrize(("seconds", "flies"), [(2.0, False), (0.1, True)])
def test_a_key_moved_gently_keeps_its_hammer_and_one_moved_fast_throws_it(seconds, flies):
    m = piano.make()
    m.drive("key", tb.SmoothStep(0.0, 0.9 * piano.DIP, 0.0, seconds)(m.time))
    run = tb.simulate(m.compile(), duration=seconds)
    assert bool(run.transitions) == flies
    assert run["felt force"].min() == (0.0 if flies else pytest.approx(0.39, abs=0.05))


def test_a_blow_lets_it_fly_and_a_harder_one_higher(system):
    heights = []
    for force in (1.5, 2.0, 3.0):
        run = tb.simulate(system, duration=0.8, inputs=piano.stroke(force).inputs)
        assert run.transitions[0].cause == "leaves"
        heights.append(run["hammer"].max())
    assert heights == sorted(heights)


def test_the_spring_never_pulls(system):
    run = piano.ENTRY.experiment.run(system)
    assert run["felt force"].min() > -1e-9


def test_without_stops_and_hand_energy_stays(system):
    start = system.assemble(key=4e-3, hammer=6e-3, rates={"hammer": -0.2})
    run = tb.simulate(system, start, 0.03, rtol=1e-11, atol=1e-13)
    assert len(run.transitions) >= 1
    gap = np.minimum(run["hammer"] - run["key"], 0.0)
    whole = (
        run["energy"] + piano.STIFFNESS * gap**2 / 2 + piano.HAMMER * piano.GRAVITY * run["hammer"]
    )
    inside = run["key"] > 0.0
    assert np.ptp(whole[inside]) < 1e-9
