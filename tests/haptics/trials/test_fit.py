"""Thresholds from answers: against SciPy, closed forms and people whose threshold is known."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from touchback.errors import InputError
from touchback.haptics.trials import (
    Constant,
    Counts,
    Design,
    FeelingSubject,
    ForcedChoice,
    Psychometric,
    SimulatedSubject,
    fit_threshold,
)
from touchback.haptics.trials.forced_choice import report_lines
from touchback.haptics.trials.psychometric_functions import BELIEF, MOST_LAPSES, STEEPNESS, USUAL

LEVELS = (10.0, 16.0, 25.0, 40.0, 63.0, 100.0, 160.0)
SEEN = Counts(
    np.array(LEVELS), np.full(7, 30.0), np.array([16.0, 15.0, 20.0, 24.0, 27.0, 29.0, 29.0])
)


def minus_log_likelihood(t, s, lapse, counts=SEEN):
    """Written out by itself: a Weibull function of two intervals, with the weak belief."""
    f = 1.0 - 0.5 ** ((counts.levels / 10.0**t) ** np.exp(s))
    p = 0.5 + (0.5 - lapse) * f
    logs = counts.right * np.log(p) + (counts.asked - counts.right) * np.log(1.0 - p)
    return -logs.sum() + 0.5 * ((s - np.log(USUAL["weibull"])) / BELIEF) ** 2


def lowest(fixed=None):
    """The best by SciPy, with a threshold that may be fixed."""
    ends = (0.5, 2.7) if fixed is None else (fixed, fixed)
    found = minimize(
        lambda x: minus_log_likelihood(*x), [np.clip(1.5, *ends), 0.7, 0.02], method="L-BFGS-B",
        bounds=[ends, (-1.2, 3.0), (0.0, MOST_LAPSES)],
    )  # fmt: skip
    return found


def test_the_most_likely_person_is_scipy_s():
    fit, other = fit_threshold(SEEN, 0.5), lowest()
    assert np.log10(fit.threshold) == pytest.approx(other.x[0], abs=2e-3)
    assert np.log(fit.best.steepness) == pytest.approx(other.x[1], abs=2e-2)
    best = minus_log_likelihood(np.log10(fit.threshold), np.log(fit.best.steepness), fit.best.lapse)
    assert best == pytest.approx(other.fun, abs=1e-4)


def test_the_ends_of_the_interval_are_where_the_profile_falls_by_half_of_f():
    fit, best = fit_threshold(SEEN, 0.5), lowest().fun
    for end in (fit.low, fit.high):
        fallen = 2.0 * (lowest(float(np.log10(end))).fun - best)
        assert fallen == pytest.approx(6.608, abs=0.02)  # F(1, 7 levels - 2) at 95 %, from tables
    assert fit.low < fit.threshold < fit.high


def test_shapes_have_their_threshold_half_way_and_give_levels_back():
    for shape in USUAL:
        person = Psychometric(40.0, 3.0, guess=1 / 3, lapse=0.04, shape=shape)
        assert person.right(40.0) == pytest.approx(1 / 3 + (1 - 1 / 3 - 0.04) / 2)
        assert person.level(float(person.right(55.0))) == pytest.approx(55.0)
        assert person.right(0.0) == pytest.approx(1 / 3) and person.right(1e9) <= 0.96
    assert Psychometric(40.0, 3.0, shape="normal").right(80.0) == pytest.approx(
        0.5 + 0.5 * norm.cdf(3.0 * np.log10(2.0))
    )


@pytest.mark.parametrize(
    ("least", "experiments"), [(19, 20), pytest.param(95, 100, marks=pytest.mark.soak)]
)
def test_a_person_whose_threshold_is_known_is_found_in_95_of_100_experiments(least, experiments):
    design = Design(Constant(LEVELS, 20), "stiffness", 400.0)
    person = Psychometric(40.0, 2.0, 0.5, lapse=0.02)
    people = [SimulatedSubject(person, seed) for seed in range(experiments)]
    fits = [design.fit(each.run(design, seed)) for seed, each in enumerate(people)]
    assert sum(fit.holds(40.0) for fit in fits) >= least
    found = np.array([fit.threshold for fit in fits])
    # the standard error of the median is 2.5 % of 100
    assert np.median(found) == pytest.approx(40.0, rel=0.6 / experiments**0.5)
    assert (
        np.median([fit.high / fit.low for fit in fits if fit.low > 0.0]) < 3.5
    )  # and not by width


def test_one_who_only_guesses_has_no_threshold_and_that_is_said():
    flat = Counts(np.array(LEVELS), np.full(7, 20.0), np.full(7, 10.0))
    fit = fit_threshold(flat, 0.5)
    assert fit.high == np.inf and fit.beyond == 1
    sure = Counts(np.array(LEVELS), np.full(7, 20.0), np.full(7, 20.0))
    fit = fit_threshold(sure, 0.5)
    assert fit.low == 0.0 and fit.beyond == -1
    assert fit_threshold(SEEN, 0.5).beyond == 0


@pytest.mark.parametrize(("threshold", "words"), [(1e-3, "lapses: below"), (1e6, "lapses: above")])
def test_a_threshold_beyond_the_levels_is_told_by_the_end_that_is_known(tmp_path, threshold, words):
    session = ForcedChoice(
        tmp_path / "t.jsonl", Design(Constant((10.0, 20.0), 30), "mass", base=0.0), seed=1
    )
    subject = SimulatedSubject(Psychometric(threshold))
    while session.current_trial is not None:
        session.answer(subject.choose(session.current_trial))
    said = report_lines(session, session.result())[1]
    assert words in said and said.endswith("levels")


@pytest.mark.parametrize(
    "right", [(479.0, 563.0, 710.0, 795.0, 794.0), (411.0, 483.0, 564.0, 755.0, 794.0)]
)
def test_thousands_of_answers_have_the_interval_of_their_likelihood(right):
    """The profile by a grid of 400 × 121 steepnesses and shares of lapses."""
    levels, asked, right = np.geomspace(25.0, 400.0, 5), np.full(5, 800.0), np.array(right)
    s, lapses = np.linspace(*np.log(STEEPNESS), 400)[:, None], np.linspace(0.0, MOST_LAPSES, 121)
    belief = -0.5 * ((s - np.log(USUAL["weibull"])) / BELIEF) ** 2

    def profile(t):
        powers = np.exp(s) * np.log(levels / t)[:, None, None]
        p = 0.5 + (0.5 - lapses) * (1.0 - 0.5 ** np.exp(np.clip(powers, -300.0, 3.0)))
        logs = np.tensordot(right, np.log(p), 1) + np.tensordot(asked - right, np.log1p(-p), 1)
        return float((logs + belief).max())

    fit = fit_threshold(Counts(levels, asked, right), 0.5)
    for end in (fit.low, fit.high):
        fallen = 2.0 * (profile(fit.threshold) - profile(end))
        assert fallen == pytest.approx(10.128, abs=0.2)  # F(1, 5 levels - 2) at 95 %, from tables


def test_an_end_is_told_wherever_the_answers_tell_it():
    """Answers that hardly rise: the likelihood at the end, by SciPy's search for the best steepness
    and lapses there, is what F(1, 5) at 95 % leaves of the best, 0.5 · 6.608 below."""
    levels = np.array([25.0, 40.0, 63.0, 100.0, 160.0, 250.0, 400.0])
    right = np.array([11.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0])

    def loss(logs, lapse):
        threshold, steepness = np.exp(logs)
        p = Psychometric(threshold, steepness, 0.5, lapse).right(levels)
        belief = 0.5 * ((logs[1] - np.log(USUAL["weibull"])) / BELIEF) ** 2
        return belief - right @ np.log(p) - (20.0 - right) @ np.log(1.0 - p)

    def least(threshold):
        return minimize(
            lambda x: loss((np.log(threshold), x[0]), x[1]), (0.5, 0.03),
            bounds=[np.log(STEEPNESS), (0.0, MOST_LAPSES)],
        ).fun  # fmt: skip

    fit = fit_threshold(Counts(levels, np.full(7, 20.0), right), 0.5)
    due = least(fit.threshold) + 0.5 * 6.608
    assert np.isfinite(fit.high) and least(fit.high) == pytest.approx(due, abs=0.01)
    assert fit.low > 0.0 and least(fit.low) == pytest.approx(due, abs=0.01)


def test_a_subject_that_feels_with_noise_is_right_as_signal_detection_says():
    subject = FeelingSubject(noise=0.2, seed=3)
    assert subject.right(0.3) == pytest.approx(norm.cdf(0.3 / 0.2 / np.sqrt(2.0)), abs=1e-9)
    assert subject.right(0.0, 3) == pytest.approx(1 / 3, abs=1e-9)
    named = [subject.choose([1.0, 1.3, 1.0], n) == 2 for n in range(2000)]
    due = subject.right(0.3, 3)
    assert np.mean(named) == pytest.approx(due, abs=4.0 * np.sqrt(due * (1.0 - due) / 2000))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: fit_threshold(Counts.of([(1.0, True)] * 5), 0.5), "5 answers tell no threshold"),
        (lambda: fit_threshold(SEEN, 0.5, "gumbel"), "no psychometric shape 'gumbel'"),
        (lambda: fit_threshold(SEEN, 0.5, share=1.0), "above 0 and below 1"),
        (lambda: fit_threshold(SEEN, 0.5, confidence=0.0), "a confidence of 0"),
        (lambda: Counts.of([(-1.0, True)]), "all are above zero"),
        (lambda: Counts(np.ones(1), np.zeros(1), np.zeros(1)), "leave levels without any out"),
        (lambda: Psychometric(0.0), "both are above zero"),
        (lambda: Psychometric(1.0, guess=0.5, lapse=0.5), "sum is below 1"),
        (lambda: Psychometric(1.0).level(0.4), "right at no level"),
        (lambda: FeelingSubject(0.0), "a noise of 0.0"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        wrong()
