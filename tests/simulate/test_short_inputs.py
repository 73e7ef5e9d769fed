"""Short inputs reach the motion, whatever the method: what a free mass of 1 kg gains in speed is
the impulse of what pushes it, which is known in closed form."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import touchback as tb
from touchback.native import Interpreter
from touchback.simulate import adaptive_step_limits
from touchback.simulate.adaptive_step_limits import step_limits
from touchback.simulate.input_signals import Inputs
from touchback.simulate.solvers import METHODS, Capability
from touchback.simulate.time_span import Span

DURATION = 5.0
ADAPTIVE = [word for word, solver in METHODS.items() if solver.adaptive and word != "event-driven"]
IN_C = ["dopri5", "radau5"]
CLOSE = 1e-7  # m/s: ten times what rtol = 1e-8 allows of a speed of 1 m/s


def free_mass(name="mass"):
    m = tb.Model(name, gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("body", mass=1.0))
    return m


@pytest.fixture(scope="module")
def pushed():
    m = free_mass()
    m.force("push", tb.JointEffort("x", m.input("force", unit="N")))
    return m.compile()


def law_of_time(name, *kinds):
    """A mass that is pushed by expressions of time, whose place and width are parameters."""
    m = free_mass(name)
    begin, width = m.parameter("begin", 2.0), m.parameter("width", 0.1, min=1e-9)
    size = m.parameter("size", 10.0)
    s = (m.time - begin) / width
    inside = tb.select(s < 0.0, 0.0, tb.select(s < 1.0, 1.0, 0.0))
    laws = {
        "square": inside,
        "triangle": 2.0 * tb.maximum(0.0, 0.5 - abs(s - 0.5)),
        "sine": inside * tb.sin(np.pi * s),
    }
    kind, push = m.parameter("kind", 0.0), 0.0
    for i, each in reversed(list(enumerate(kinds))):
        push = tb.select(kind < i + 0.5, laws[each], push)
    m.force("push", tb.JointEffort("x", size * push))
    return m.compile()


@pytest.fixture(scope="module")
def by_law():
    return law_of_time("by law", "square", "triangle", "sine")


@pytest.fixture(scope="module")
def by_lines():
    """Straight between its switches, so that steps between them are as long as they like."""
    return law_of_time("by lines", "square", "triangle")


def last_speed(system, method="dopri5", **options):
    run = tb.simulate(system, duration=DURATION, method=method, progress=False, **options)
    return run["x rate"][-1]


def triangle(begin, width, height=10.0):
    """Times and values, and the impulse."""
    times = begin + width * np.array([0.0, 0.5, 1.0])
    return (times, np.array([0.0, height, 0.0])), 0.5 * height * (times[2] - times[0])


PULSES = st.tuples(
    st.floats(0.01, DURATION - 1.0), st.floats(-8.0, 0.0).map(lambda digits: 10.0**digits)
)


@pytest.mark.parametrize("method", ADAPTIVE)
@pytest.mark.parametrize("width", [1e-5, 0.1])
def test_a_pulse_of_samples_gives_its_impulse_by_every_method(pushed, method, width):
    samples, impulse = triangle(2.0, width)
    height = 0.5 / impulse  # so that every one gives 0.5 m/s
    run = tb.simulate(
        pushed,
        duration=DURATION,
        method=method,
        inputs={"force": (samples[0], height * 10 * samples[1] / 10)},
        progress=False,
    )
    assert abs(run["x rate"][-1] - 0.5) < CLOSE
    told = run.metadata["input_impulses"]["force"]
    assert abs(told["seen"] - 0.5) < 1e-9 and abs(told["given"] - 0.5) < 1e-9
    assert run.metadata["knots"] == 3 and run.metadata["diagnostics"] == []


@settings(max_examples=25)
@given(pulse=PULSES, method=st.sampled_from(IN_C), wanted=st.floats(-2.0, 2.0))
def test_pulses_of_any_place_and_width_give_their_impulse(pushed, pulse, method, wanted):
    (times, values), impulse = triangle(*pulse)
    speed = last_speed(pushed, method, inputs={"force": (times, wanted / impulse * values)})
    # rounding of times moves the impulse by eps t / width of itself
    assert abs(speed - wanted) < CLOSE + 1e-14 * abs(wanted) / pulse[1]


@settings(max_examples=25)
@given(pulse=PULSES, method=st.sampled_from(IN_C), kind=st.integers(0, 2))
def test_laws_of_time_that_switch_give_their_impulse(by_law, pulse, method, kind):
    begin, width = pulse
    share = (1.0, 0.5, 2.0 / np.pi)[kind]
    wanted = 0.5
    given = {"begin": begin, "width": width, "size": wanted / (share * width), "kind": kind}
    speed = last_speed(by_law, method, parameters=given)
    assert abs(speed - wanted) < CLOSE + 1e-14 / width


@pytest.mark.parametrize("method", ADAPTIVE)
def test_a_law_that_jumps_gives_its_impulse_by_every_method(by_law, method):
    given = {"begin": 2.0, "width": 1e-3, "size": 500.0}
    assert abs(last_speed(by_law, method, parameters=given) - 0.5) < CLOSE


@pytest.mark.parametrize("method", IN_C)
def test_a_step_that_ends_at_a_jump_sees_nothing_of_what_comes_after(by_lines, method):
    """So that a constant force is integrated exactly on either side, without a rejected step."""
    run = tb.simulate(by_lines, duration=DURATION, method=method, progress=False)
    assert abs(run["x rate"][-1] - 1.0) < 1e-14
    assert run.metadata["statistics"]["rejected"] == 0
    assert run.metadata["statistics"]["accepted"] < 40


FORMS = {
    "plain": lambda f, knots: f,
    "with knots": lambda f, knots: tb.TimeFunction(f, knots=knots),
    "with a sampling": lambda f, knots: tb.TimeFunction(f, sampling=2e-3),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", ["dopri5", "radau5", "LSODA"])
def test_functions_of_time_are_seen_as_often_as_is_said(pushed, method, form):
    (times, values), impulse = triangle(2.0, 0.02, 50.0)
    function = FORMS[form](lambda t: float(np.interp(t, times, values)), times)
    run = tb.simulate(
        pushed, duration=DURATION, method=method, inputs={"force": function}, progress=False
    )
    exact = CLOSE if form == "with knots" else 1e-5  # kinks within steps: error control alone
    assert abs(run["x rate"][-1] - impulse) < exact
    longest = {"plain": DURATION / 1000, "with knots": None, "with a sampling": 2e-3}[form]
    assert run.metadata.get("longest_step") == longest
    if form == "with knots":
        assert run.metadata["knots"] == 3


def test_a_function_may_jump_at_its_knots(pushed):
    step = tb.TimeFunction(lambda t: 10.0 if 2.0 <= t < 2.0001 else 0.0, knots=[2.0, 2.0001])
    assert abs(last_speed(pushed, inputs={"force": step}) - 1e-3) < 1e-14


@pytest.mark.parametrize("method", ["dopri5", "radau5", "RK45", "LSODA", "rk4", "euler"])
def test_a_pulse_that_steps_pass_over_is_warned_of_with_its_number(pushed, method):
    """A sampling that is too long lets steps pass over 8 ms, and fixed steps see nothing between
    their nodes, which are half a step of 1 ms apart at least."""
    begin, end = (2.0301, 2.0304) if method in ("rk4", "euler") else (2.0301, 2.0381)
    height = 0.5 / (end - begin)
    pulse = tb.TimeFunction(lambda t: height if begin <= t < end else 0.0, sampling=1.0)
    if method in ("rk4", "euler"):
        pulse = tb.TimeFunction(pulse.function, knots=[begin, end])
    with pytest.warns(RuntimeWarning, match=r"saw an impulse of 0 N s, and it has 0\.(5|49)"):
        run = tb.simulate(
            pushed, duration=DURATION, method=method, progress=False, inputs={"force": pulse}
        )
    assert run["x rate"][-1] == 0.0
    assert abs(run.metadata["input_impulses"]["force"]["given"] - 0.5) < 1e-3
    assert len(run.metadata["diagnostics"]) == 1


def test_a_smooth_function_is_no_reason_to_warn(pushed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in (np.sin, lambda t: 3.0, lambda t: 100.0 + np.sin(40.0 * t)):
            run = tb.simulate(
                pushed, duration=DURATION, inputs={"force": tb.TimeFunction(function, knots=[])},
                progress=False,
            )  # fmt: skip
            told = run.metadata["input_impulses"]["force"]
            assert abs(told["seen"] - told["given"]) < 1e-4 * abs(told["given"])
            assert abs(run["x rate"][-1] - told["seen"]) < 1e-6


def test_samples_on_a_straight_line_end_no_steps(pushed):
    """Only kinks do: a ramp of a million samples takes as few steps as its two ends."""
    ends = tb.simulate(pushed, duration=DURATION, inputs={"force": [0.0, 3.0]}, progress=False)
    many = tb.simulate(
        pushed, duration=DURATION, inputs={"force": np.linspace(0.0, 3.0, 1_000_001)},
        progress=False,
    )  # fmt: skip
    assert many.metadata["statistics"]["accepted"] < ends.metadata["statistics"]["accepted"] + 5
    assert abs(many["x rate"][-1] - 7.5) < CLOSE


def test_dense_samples_cost_a_step_each_and_the_run_says_so(pushed):
    count = 20_001
    force = np.sin(np.linspace(0.0, 20.0, count))
    run = tb.simulate(pushed, duration=DURATION, inputs={"force": force}, progress=False)
    accepted = run.metadata["statistics"]["accepted"]
    assert count - 10 < run.metadata["knots"] <= count
    assert accepted < 1.05 * count
    assert "samples and switches ended a step each" in run.metadata["diagnostics"][0]
    times = np.linspace(0.0, DURATION, count)
    assert abs(run["x rate"][-1] - np.trapezoid(force, times)) < 1e-12


def test_knots_are_refused_beyond_what_a_run_takes(monkeypatch):
    monkeypatch.setattr(adaptive_step_limits, "MOST", 20_000)
    m = free_mass("clicks")
    m.force("push", tb.JointEffort("x", tb.floor(1e5 * m.time)))
    with pytest.raises(tb.InputError, match="end a step each, and at most 20000 are taken"):
        tb.simulate(m.compile(), duration=1.0, progress=False)


@pytest.mark.parametrize("method", IN_C)
def test_tables_of_time_end_steps_at_their_kinks(method):
    m = free_mass("table")
    table = m.table("pulse", [0.0, 2.0, 2.0005, 2.001, 3.0], [0.0, 0.0, 100.0, 0.0, 0.0])
    m.force("push", tb.JointEffort("x", tb.lookup(table, m.time)))
    assert abs(last_speed(m.compile(), method) - 0.05) < 1e-12


@pytest.mark.parametrize("method", IN_C)
def test_conditions_of_sampled_inputs_end_steps_where_they_switch(method):
    """A force of 40 N while the input is above 0.99: 10 ms of a triangle that lasts 1 s."""
    m = free_mass("threshold")
    u = m.input("u")
    m.force("push", tb.JointEffort("x", tb.select(u > 0.99, 40.0, 0.0)))
    run = tb.simulate(
        m.compile(), duration=DURATION, method=method, inputs={"u": ([2.0, 2.5, 3.0], [0, 1, 0])},
        progress=False,
    )  # fmt: skip
    assert abs(run["x rate"][-1] - 0.4) < 1e-12
    assert run.metadata["statistics"]["rejected"] == 0


@pytest.mark.parametrize("method", IN_C)
def test_square_waves_switch_where_their_sine_does(method):
    m = free_mass("wave")
    m.force(
        "push", tb.JointEffort("x", tb.select(tb.sin(2 * np.pi * 10.0 * m.time) > 0.0, 1.0, 0.0))
    )
    assert abs(last_speed(m.compile(), method) - DURATION / 2) < 1e-10


@pytest.mark.parametrize("begin", [-1.0, 0.0, 1e-300, 1e-5, 3.0])
def test_laws_switch_at_the_first_number_and_are_found_with_as_little_work_at_zero(
    monkeypatch, begin
):
    """Halves alone would come to 0 after a thousand powers of two; and functions share switches."""
    asked, run_rows = [], Interpreter.run_rows
    monkeypatch.setattr(Interpreter, "run_rows", lambda *given: asked.append(1) or run_rows(*given))
    for law, first in (
        (lambda t: tb.select(t < begin, 0.0, 1.0), begin),
        (lambda t: tb.select(t <= begin, 0.0, 1.0), np.nextafter(begin, np.inf)),
    ):
        m = free_mass("late")
        push = law(m.time)
        m.force("push", tb.JointEffort("x", push))
        m.sensor("pushed", tb.Signal(push, "N"))
        system = m.compile()
        asked.clear()
        knots = step_limits(Span(-2.0, 6.0), Inputs(np.zeros(1)), system.on_blocks({})).knots
        assert knots is not None and list(knots.at) == [first]
        assert len(asked) < 150


@pytest.mark.parametrize("method", IN_C)
def test_drives_end_steps_at_their_discontinuities(method):
    """A point that is driven by 1 mm within 1 ms shakes an oscillator (1 rad/s): the displacement
    of the base from t on is a step for it, which then moves as 1 − cos."""
    m = tb.Model("shaken", gravity=(0, 0, 0))
    base, body = m.body("base", mass=1.0), m.body("body", mass=1.0)
    m.joint("base", tb.Prismatic("x"), m.ground, base)
    m.joint("body", tb.Prismatic("x"), m.ground, body)
    m.force("spring", tb.SpringDamper(base, body.at(0, 0, 1), stiffness=1.0, length=1.0))
    m.drive("base", motion=tb.SmoothStep(0.0, 1e-3, begin=2.0, end=2.001))
    run = tb.simulate(m.compile(), duration=DURATION, method=method, progress=False)
    assert run.metadata["knots"] == 2
    late = run.time > 2.1
    assert np.ptp(run["base"][late]) < 1e-9 and abs(run["base"][-1] - 1e-3) < 1e-9


def test_runs_without_anything_that_changes_know_no_knots():
    run = tb.simulate(free_mass().compile(), duration=1.0, progress=False)
    assert "knots" not in run.metadata and "input_impulses" not in run.metadata


@pytest.mark.parametrize("books", [False, True])
@pytest.mark.parametrize("method", ["dopri5", "radau5", "RK45", "BDF"])
def test_the_energy_balance_closes_over_a_short_pulse(pushed, method, books):
    samples, impulse = triangle(2.0, 1e-3, 1000.0)
    run = tb.simulate(
        pushed, duration=DURATION, method=method, inputs={"force": samples}, energy_balance=books,
        progress=False,
    )  # fmt: skip
    assert abs(run["x rate"][-1] - impulse) < CLOSE
    if books:
        assert abs(sum(run.energy_balance.work.values()) - 0.5 * impulse**2) < 1e-7
        assert abs(run.energy_balance.residual) < 1e-7


def test_switches_of_constraints_count_knots_and_impulses_of_all_parts():
    m = free_mass("held")
    m.force("push", tb.JointEffort("x", m.input("force", unit="N")))
    other = m.body("other", mass=1.0)
    m.joint("y", tb.Prismatic("y"), m.ground, other)
    m.constrain("equal", position=m.coordinate("y") - m.coordinate("x"))
    samples, impulse = triangle(2.0, 1e-3, 1000.0)
    run = tb.simulate(
        m.compile(), duration=DURATION, inputs={"force": samples},
        events=[tb.Switch(1.0, deactivate=["equal"])], progress=False,
    )  # fmt: skip
    assert abs(run["x rate"][-1] - impulse) < CLOSE
    assert abs(run.metadata["input_impulses"]["force"]["seen"] - impulse) < 1e-9


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: tb.TimeFunction(3.0), "a function is expected"),
        (lambda: tb.TimeFunction(np.sin, knots=[np.nan]), "knots are several times"),
        (lambda: tb.TimeFunction(np.sin, sampling=-1.0), "sampling must be a positive number"),
        (lambda: tb.TimeFunction(lambda t, x: t), "its function takes 2 arguments"),
    ],
)
def test_what_is_no_function_of_time_is_refused(given, words):
    with pytest.raises(tb.InputError, match=words):
        given()


def test_all_that_adapts_is_tried_here():
    assert set(ADAPTIVE) >= {"dopri5", "radau5", "RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"}
    assert all(Capability.ADAPTIVE in METHODS[word].can for word in ADAPTIVE)


@pytest.mark.parametrize("sampling", [1e-12, 1e-300])
def test_a_sampling_that_no_run_would_end_with_is_refused(sampling: float) -> None:
    m = tb.Model("mass", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("mass", mass=1.0))
    m.force("push", tb.JointEffort("x", m.input("push", unit="N")))
    given = {"push": tb.TimeFunction(np.sin, sampling=sampling)}
    with pytest.raises(tb.InputError, match=r"sampling of 1e-.*steps.*knots"):
        tb.simulate(m.compile(), duration=0.01, inputs=given, progress=False)
