"""Times of runs: spans, grids of instants, knots, and what an input is over them."""

from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.native import RADAU, Knots
from touchback.simulate import adaptive_step_limits, time_span
from touchback.simulate.adaptive_step_limits import TooManyKnots, _between, _knots, _sectioned
from touchback.simulate.constraint_switching import _last_before, _returns, _timed, _waiting
from touchback.simulate.drive_jumps import RateJump
from touchback.simulate.input_sampling_check import Impulse, InputTrace, _integrals, _refined
from touchback.simulate.input_signals import Inputs, TimeFunction
from touchback.simulate.run_stepper import Segment
from touchback.simulate.solvers import METHODS, integrators
from touchback.simulate.time_span import Span, Trajectory, output_times, whole_multiple

# ---- spans ---------------------------------------------------------------------------------------


def test_the_rest_of_a_span_is_recorded_on_the_grid_of_the_whole() -> None:
    whole = Span(2.0, 1.0)
    assert whole.end == 3.0
    rest = whole.rest_from(2.25)
    assert (rest.start, rest.duration, rest.end) == (2.25, 0.75, 3.0)
    np.testing.assert_allclose(rest.output_times(0.1), np.arange(3, 10) * 0.1 + 2.0, rtol=1e-15)
    last = rest.rest_from(2.5)
    assert last.whole is whole
    np.testing.assert_allclose(last.output_times(0.1), np.arange(6, 10) * 0.1 + 2.0, rtol=1e-15)
    assert 2.5 not in last.output_times(0.25)  # what begins there has it already


def test_an_instant_beside_the_end_by_rounding_is_the_end() -> None:
    span = Span(0.0, 0.3)  # 3 × 0.1 is 0.30000000000000004
    assert span.output_times(0.1).tolist() == [0.1, 0.2, 0.3]
    assert Span(1.0, 0.3).output_times(0.1)[-1] == 1.3
    assert len(Span(0.0, 1.0).output_times(None)) == 1000
    assert Span(0.0, 1.0).output_times(0.4).tolist() == [0.4, 0.8]
    almost = Span(0.0, 1.0 - 1e-8)  # a tenth of a millionth less: another instant
    assert len(almost.output_times(0.1)) == 9


def test_multiples_up_to_a_duration() -> None:
    assert output_times(1.0, 0.25).tolist() == [0.25, 0.5, 0.75, 1.0]
    assert output_times(0.2, 0.3).size == 0
    assert whole_multiple(0.3, 0.1) == 3
    assert whole_multiple(0.1, 0.1) == 1
    assert whole_multiple(0.05, 0.1) is None and whole_multiple(0.25, 0.1) is None
    assert whole_multiple(3.0 + 2e-9, 1.0) == 3  # within 3e-9
    assert whole_multiple(3.0 + 4e-9, 1.0) is None


def test_too_many_numbers_are_counted_to_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_span, "MOST_NUMBERS", 100)
    time_span.refuse_rows(10.0, 1.0, 10)
    with pytest.raises(tb.InputError, match=r"gives 11 rows of 10 numbers.*every 1\.1 s or more"):
        time_span.refuse_rows(11.0, 1.0, 10)
    time_span.check_stored_size("It", 20, 5, "Less.")
    with pytest.raises(tb.InputError, match=r"It: 21 rows of 5 numbers take 8\.4e-07 GB.*Less\."):
        time_span.check_stored_size("It", 21, 5, "Less.")
    time_span.refuse_steps(1.0, 0.25, 4)
    with pytest.raises(tb.InputError, match=r"4 steps of at most 0\.25 s, but step_limit is 3"):
        time_span.refuse_steps(1.0, 0.25, 3)


def test_a_trajectory_is_thinned_to_the_nearest_instants() -> None:
    times = np.arange(11.0) * np.float64(0.1)
    found = Trajectory(times.copy(), times[:, None] ** 2)
    found.thin(Span(0.0, 1.0), 0.2)
    np.testing.assert_allclose(found.times, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    np.testing.assert_allclose(found.states[:, 0], found.times**2)
    beside = np.array([0.0, 0.1, 0.2 - 1e-8, 0.3, 0.4 + 1e-8, 0.5, 0.55])
    found = Trajectory(beside.copy(), beside[:, None].copy())
    found.thin(Span(0.0, 0.55), 0.2)
    assert found.times.tolist() == [0.0, 0.2 - 1e-8, 0.4 + 1e-8, 0.55]  # with the end
    found = Trajectory(times[:3].copy(), times[:3, None].copy())
    found.thin(Span(0.0, 0.2), 0.1)  # nothing to leave out
    assert found.times.tolist() == times[:3].tolist()
    found = Trajectory(np.array([0.0, 0.1, 0.2, 0.35, 0.4, 0.5]), np.zeros((6, 1)))
    with pytest.raises(tb.InputError, match=r"output_step 0\.15 s: .* nothing at t = 0\.15 s"):
        found.thin(Span(0.0, 0.5), 0.15)


# ---- what methods see of inputs ------------------------------------------------------------------

ORDERS = {"dopri5": 5, "radau5": 5, "rk4": 4, "euler": 1, "implicit-euler": 1}


@pytest.mark.parametrize("word", integrators())
def test_nodes_and_weights_of_a_method_integrate_polynomials_of_its_order(word: str) -> None:
    nodes, weights = (np.asarray(each) for each in integrators()[word].quadrature)
    order = ORDERS.get(word, 2)
    for power in range(order):
        assert weights @ nodes**power == pytest.approx(1.0 / (power + 1), abs=1e-14)
    assert abs(weights @ nodes**order - 1.0 / (order + 1)) > 1e-6  # and no better
    ends = {"euler": [0.0], "implicit-euler": [1.0]}
    if word in ends:
        assert nodes.tolist() == ends[word]
    assert RADAU[0][-1] == 1.0


def test_integrals_of_a_broken_line_are_exact() -> None:
    times, values = np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, -4.0])
    whole, squares, spread, largest = _integrals(times, values)
    assert whole == pytest.approx(1.0 - 2.0)
    assert squares == pytest.approx(4.0 / 3.0 + 2.0 * (4.0 - 8.0 + 16.0) / 3.0)
    mean = -1.0 / 3.0
    each = [abs(value - mean) for value in values]
    assert spread == pytest.approx(0.5 * (each[0] + each[1]) + (each[1] + each[2]))
    assert largest == 4.0


def test_what_steps_saw_is_summed_up_over_all_of_them() -> None:
    inputs = Inputs(np.zeros(3), {1: (np.array([0.0, 1.0]), np.array([0.0, 2.0]))}, {2: np.cos})
    trace = InputTrace(inputs)
    ends = np.array([0.25, 0.5, 1.0])
    trace.add(np.array([0.0, 0.25, 0.5]), ends, METHODS["rk4"].quadrature, ends)  # type: ignore[attr-defined]
    assert trace.until == 1.0
    found = trace._sum_up()
    np.testing.assert_allclose(found[1], [1.0, 4.0 / 3.0], rtol=1e-14)  # Simpson's rule
    # Simpson's error is h⁵/2880 · u'''' in each step: below 2e-5 here
    np.testing.assert_allclose(found[2], [np.sin(1), 0.5 + 0.25 * np.sin(2)], atol=1e-4)
    trace = InputTrace(inputs)
    trace.add(np.array([0.0]), np.array([1.0]), ([0.0, 1.0], [0.5, 0.5]), np.array([0.5]))
    np.testing.assert_allclose(trace._sum_up()[1], [0.5, 0.5])  # nothing is read after 0.5 s
    trace = InputTrace(inputs)
    trace.add_ends(np.linspace(0.0, 1.0, 9))
    np.testing.assert_allclose(trace._sum_up()[1], [1.0, 4.0 / 3.0], rtol=1e-12)
    assert trace.until == 1.0
    trace = InputTrace(inputs)
    trace.add_rows(np.array([[0.0, 1.0, 2.0], [0.0, 3.0, 5.0]]), 0.5, 1.0)
    np.testing.assert_allclose(trace._sum_up()[1], [2.0, 5.0])
    np.testing.assert_allclose(trace._sum_up()[2], [3.5, 14.5])
    still = InputTrace(Inputs(np.zeros(2)))
    still.add(np.array([0.0]), np.array([1.0]), ([0.0], [1.0]), np.array([1.0]))
    assert still.until == -np.inf and still._sum_up() == {}


def test_an_impulse_is_told_beyond_a_hundredth_of_its_spread() -> None:
    rk4, dopri5 = METHODS["rk4"], METHODS["dopri5"]

    def remark(seen: float, squares: float = 8.0, doubt: float = 0.0, unit: str = "N") -> str:
        told = Impulse("push", unit, 10.0, 8.0, 4.0, 2.0, doubt, seen, squares).remark(rk4)
        return told or ""

    assert remark(10.039) == remark(9.961) == ""
    told = remark(10.041)
    assert "saw an impulse of 10.041 N s, and it has 10 N s;" in told
    assert "or a method whose steps adapt" in told
    assert remark(9.959) and remark(10.05, doubt=0.02) == ""
    assert "of 11 s, and it has 10 s;" in remark(11.0, unit="")
    assert remark(10.0, 8.079) == remark(10.0, 8.09, doubt=0.01) == ""
    assert "∫ u² dt = 8.081, and it has 8, with" in remark(10.0, 8.081)
    given = Impulse("push", "N", 10.0, 8.0, 4.0, 2.0, 0.0, 11.0, 8.0)
    assert "tb.TimeFunction" in str(given.remark(dopri5))
    assert given.as_data() == {"given": 10.0, "seen": 11.0}


def test_a_function_is_looked_at_where_it_changes_most() -> None:
    def step(t: float) -> float:
        return 3.0 if t >= 1.0 / 3.0 else 1.0

    times, values, doubt = _refined(step, np.linspace(0.0, 1.0, 11))
    assert values.tolist() == [step(t) for t in times]
    assert len(times) > 11 and times[0] == 0.0 and times[-1] == 1.0
    whole = _integrals(times, values)[0]
    assert abs(whole - (3.0 - 2.0 / 3.0)) <= doubt <= 0.5e-4 * 3.0
    near = np.sort(np.abs(times - 1.0 / 3.0))
    assert near[0] < 1e-3  # there, and nowhere else
    assert np.count_nonzero(np.abs(times - 1.0 / 3.0) > 0.1) <= 10

    def raising(t: float) -> float:
        if t > 0.5:
            raise ValueError("no more")
        return 1.0 if t < 0.25 else np.nan

    times, values, doubt = _refined(raising, np.linspace(0.0, 1.0, 5))
    assert set(values.tolist()) == {0.0, 1.0}
    assert _integrals(times, values)[0] == pytest.approx(0.25, abs=doubt + 1e-12)
    coarse = _refined(lambda t: t, np.array([0.0, 1.0]))
    # ½ Σ |Δu| Δt of n even parts is 1/(2 n), and what is enough is 1e-4 of ∫ |u|
    assert coarse[2] == pytest.approx(0.5 / (len(coarse[0]) - 1), rel=0.5)


def test_segments_say_where_they_are_and_what_their_steps_saw() -> None:
    inputs = Inputs(np.zeros(2), functions={1: lambda t: t})
    trace = InputTrace(inputs, longest=0.2)
    shown: list[float] = []

    class Shown:
        def update(self, part: float) -> None:
            shown.append(part)

    class Posed:
        knots = Knots([0.5], [0.25])

    segment = Segment(Posed(), [], np.zeros(0), Span(2.0, 4.0), Shown(), trace=trace)  # type: ignore[arg-type]
    assert segment.longest == 0.2
    segment.show(3.0)
    assert shown == [0.25]
    segment.sees(np.array([0.5, 1.0]), ([1.0], [1.0]), 0.0)
    # the step to the knot reads no later than 0.25, the next one its end
    np.testing.assert_allclose(trace._sum_up()[1][0], 0.5 * 0.25 + 0.5 * 1.0)


def test_inputs_know_their_knots_and_longest_steps() -> None:
    line = (np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 0.0]))
    given = Inputs(np.zeros(4), {1: line}, {2: TimeFunction(abs, knots=[0.5, 0.5, -1.0])})
    assert given.knots_within(Span(0.0, 2.5)).tolist() == [0.5, 1.0, 2.0]
    assert given.knots_within(Span(0.0, 2.0)).tolist() == [0.5, 1.0, 2.0]
    assert given.knots_within(Span(0.5, 1.4)).tolist() == [1.0]
    assert given.known_places == {0, 1, 3}
    assert given.longest_step(0.1) == np.inf
    more = Inputs(np.zeros(3), functions={1: TimeFunction(abs, sampling=0.3), 2: abs})
    assert more.longest_step(0.5) == 0.3 and more.longest_step(0.1) == 0.1
    both = Inputs(np.zeros(2), functions={1: TimeFunction(abs, knots=[1.0], sampling=0.3)})
    assert both.longest_step(0.1) == 0.3
    rows = given.known_over(np.array([0.5, 1.5]), 6)
    assert rows.shape == (2, 6) and rows[:, 0].tolist() == [0.5, 1.5]
    assert rows[:, 1].tolist() == [0.5, 0.5] and not rows[:, 2:].any()


# ---- knots ---------------------------------------------------------------------------------------


def test_knots_that_rounding_parts_are_one_and_the_start_has_none() -> None:
    eps = np.finfo(float).eps
    at = np.array([1.0 + eps, 1.5, 1.5 + 2 * eps, 1.5 + 1e-9, 2.0])
    found = _knots(Span(1.0, 1.0), at)  # what is nearer than 4 ε of 2 s is one
    assert found.at.tolist() == [1.5 + 2 * eps, 1.5 + 1e-9, 2.0]
    assert found.before.tolist() == [np.nextafter(t, 0.0) for t in (1.5, 1.5 + 1e-9, 2.0)]
    assert found.earliest == 1.0 + eps
    assert _knots(Span(0.0, 1.0), np.array([0.5])).earliest == -np.inf


def test_knots_are_taken_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive_step_limits, "MOST", 3)
    assert len(_knots(Span(0.0, 1.0), np.array([0.1, 0.2, 0.3])).at) == 3
    with pytest.raises(TooManyKnots, match=r"4 samples and switches in 1 s .* at most 3 are taken"):
        _knots(Span(0.0, 1.0), np.array([0.1, 0.2, 0.3, 0.4]))


def test_two_million_knots_are_the_most() -> None:
    at = np.arange(1.0, 2_000_001.0)
    assert len(_knots(Span(0.0, 3e6), at).at) == 2_000_000
    with pytest.raises(TooManyKnots, match="2000001 samples and switches"):
        _knots(Span(0.0, 3e6), np.append(at, 2.5e6))


def test_times_between_two_are_even_then_by_the_numbers_that_there_are() -> None:
    low, high = np.array([0.0, 1.0, -1.0]), np.array([1.0, 1.0 + 2.0**-50, 1.0])
    found = _between(low, high, 1e-12, 4)
    assert found[:, 0].tolist() == [0.25, 0.5, 0.75]
    assert found[:, 1].tolist() == [1.0 + k * 2.0**-52 for k in (1, 2, 3)]
    assert found[:, 2].tolist() == [-0.5, 0.0, 0.5]
    least = np.nextafter(0.0, 1.0)
    tiny = _between(np.array([-1e-20, 0.0, -1e-20]), np.array([1e-20, 1e-20, 0.0]), 1.0, 2)
    assert tiny.tolist() == [[0.0, least, -least]]
    negative = _between(np.array([-1.0]), np.array([-1.0 + 2.0**-51]), 1e-12, 4)
    assert (negative <= -1.0 + 2.0**-51).all() and (negative >= -1.0).all()


def test_where_codes_change_is_found_to_the_last_bit() -> None:
    changes = np.array([0.1, 0.7])

    def codes(times: np.ndarray) -> np.ndarray:
        return (times[:, None] >= changes).astype(float)

    low, high, of = np.zeros(2), np.ones(2), np.arange(2)
    found = _sectioned(low, high, np.zeros(2), np.ones(2), of, codes, 4 * np.finfo(float).eps)
    assert sorted(found.tolist()) == changes.tolist()
    nowhere = _sectioned(low, high, np.zeros(2), np.full(2, np.nan), of, codes, 1e-15)
    assert nowhere.size == 0


# ---- parts of runs -------------------------------------------------------------------------------


def test_parts_of_a_run_end_where_rates_jump_and_return_to_the_grid() -> None:
    span = Span(1.0, 2.0)
    early, late = RateJump(1.25, 1.24, ("a",), 1.0), RateJump(3.0, 2.99, ("b",), 2.0)
    assert _last_before(span, [early]) == 3.0 and _last_before(span, [early, late]) == 2.99
    assert _returns(span, [early], [0.25]) == []
    assert _returns(span, [early], [0.2]) == [pytest.approx(1.4)]
    assert _returns(span, [RateJump(2.95, 2.94, (), 1.0)], [0.2]) == []  # at the end: none
    switch = tb.Switch(1.3)
    order = _waiting([(1.3, switch)], span, [early, late], {0.2})
    assert [(round(at, 9), what) for at, what in order] == [
        (1.24, early), (1.3, switch), (1.4, None),
    ]  # fmt: skip


def test_samples_spread_over_a_run_keep_their_times() -> None:
    timed = _timed({"a": [0.0, 1.0, 4.0], "b": 2.0, "c": abs}, 3.0)
    pair: Any = timed["a"]
    times, values = pair
    assert times.tolist() == [0.0, 1.5, 3.0] and values.tolist() == [0.0, 1.0, 4.0]
    assert timed["b"] == 2.0 and timed["c"] is abs
    assert _timed(None, 1.0) == {}
