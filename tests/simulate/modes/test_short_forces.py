"""Transitions between modes by what lasts shorter than a step: forces of inputs, and indicators
that leave their side and come back."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import touchback as tb

G = 9.81
PEAK = 30.0  # N, on 1 kg


@pytest.fixture(scope="module")
def resting():
    """A mass that lies on a floor, which only pushes."""
    m = tb.Model("resting", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("body", mass=1.0))
    m.force("pull", tb.JointEffort("height", m.input("pull", unit="N")))
    m.constrain("floor", m.coordinate("height"), unit="m")
    held = m.sensor("load", tb.Multiplier("floor"))
    m.mode("lies", active=["floor"])
    m.mode("flies")
    m.transition("lifts", "lies", "flies", when=held)
    m.transition(
        "lands", "flies", "lies", when=m.coordinate("height"), impact=["floor"], restitution=0.0
    )
    return m.compile()


def triangle(begin, width):
    return begin + width * np.array([0.0, 0.5, 1.0]), np.array([0.0, PEAK, 0.0])


FORMS = {
    "samples": lambda times, values: (times, values),
    "function": lambda times, values: lambda t: float(np.interp(t, times, values)),
    "knots": lambda times, values: tb.TimeFunction(
        lambda t: float(np.interp(t, times, values)), knots=times
    ),
}


@settings(max_examples=8)
@given(
    begin=st.floats(0.1, 1.5), width=st.floats(1e-2, 0.2), form=st.sampled_from(sorted(FORMS)),
    method=st.sampled_from(["dopri5", "radau5"]),
)  # fmt: skip
def test_a_short_pull_lifts_what_rests_when_it_outweighs_it(resting, begin, width, form, method):
    times, values = triangle(begin, width)
    run = tb.simulate(
        resting, duration=2.0, method=method, inputs={"pull": FORMS[form](times, values)},
        progress=False,
    )  # fmt: skip
    lift = run.transitions[0]
    at = begin + 0.5 * width * G / PEAK
    assert lift.cause == "lifts" and abs(lift.time - at) < 1e-8
    assert run["load"].min() > -1e-6
    # between leaving and the end of the pull the speed grows by the impulse of what is over
    end = times[-1]
    pulled = 0.5 * PEAK * width - 0.5 * G * (at - begin)
    flown = run.time[(run.time > end) & (run["height"] > 1e-6)]
    if len(flown):
        place = np.searchsorted(run.time, flown[0])
        speed = pulled - G * (run.time[place] - at)
        assert abs(run["height rate"][place] - speed) < 1e-5


@pytest.fixture(scope="module")
def passing():
    """A point that moves at 1 m/s, and a mode that ends next to a place."""
    m = tb.Model("passing", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("body", mass=1.0), velocity=1.0)
    place, reach = m.parameter("place", 2.0), m.parameter("reach", 0.01, min=0.0)
    off = m.coordinate("x") - place
    m.mode("far")
    m.mode("near")
    m.transition("meets", "far", "near", when=off * off - reach * reach)
    return m.compile()


@settings(max_examples=20)
@given(
    place=st.floats(1.0, 4.0), reach=st.floats(6e-3, 0.1),
    method=st.sampled_from(["dopri5", "radau5"]),
)  # fmt: skip
def test_indicators_are_looked_at_wherever_the_run_is_recorded(passing, place, reach, method):
    """Steps are as long as the run, and the indicator is below zero for two recorded instants of
    5 ms or more."""
    run = tb.simulate(
        passing, duration=5.0, method=method, parameters={"place": place, "reach": reach},
        progress=False,
    )  # fmt: skip
    (met,) = run.transitions
    assert abs(met.time - (place - reach)) < 1e-9


def test_events_there_and_back_are_found_at_recorded_instants():
    m = tb.Model("point", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("body", mass=1.0), velocity=1.0)
    off = m.coordinate("x") - 2.0123
    run = tb.simulate(
        m.compile(), duration=5.0, events=[tb.Event("near", off * off - 1e-4)], progress=False
    )
    found = [event.time for event in run.events]
    assert np.abs(np.array(found) - [2.0023, 2.0223]).max() < 1e-9
