"""Forced choice: hidden, kept, and gone on with."""

import json

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.haptics.trials import (
    Constant,
    Curve,
    Design,
    ForcedChoice,
    Psychometric,
    SimulatedSubject,
    Staircase,
    Trials,
)

DESIGN = Design(Constant((20.0, 40.0, 80.0), 10), "stiffness", 400.0, unit="N/m")


def test_the_odd_touch_comes_in_every_interval_and_is_larger_by_the_level(tmp_path):
    for intervals in (2, 3):
        design = Design(Constant((20.0, 40.0, 80.0), 100), "stiffness", 400.0, intervals)
        given = SimulatedSubject(Psychometric(30.0), 0).run(design, 7)
        for one in given:
            assert one.order[one.odd - 1] == 400.0 + one.level
            assert sorted(one.order)[:-1] == [400.0] * (intervals - 1)
        shares = np.bincount([one.odd for one in given], minlength=4)[1 : intervals + 1] / 300
        assert shares == pytest.approx(np.full(intervals, 1 / intervals), abs=0.09)  # 3 errors
        assert len({one.label for one in given}) == 300
        levels = [one.level for one in given]
        assert sorted(levels) == [20.0] * 100 + [40.0] * 100 + [80.0] * 100
        assert levels != sorted(levels)


@pytest.mark.parametrize("method", [DESIGN.method, Staircase(80.0, reversals=4)])
def test_a_session_that_was_broken_off_after_every_answer_is_as_one_that_was_not(tmp_path, method):
    design = Design(method, "stiffness", 400.0, 3, unit="N/m")
    subject = SimulatedSubject(Psychometric(30.0, guess=1 / 3), 2)
    whole = subject.run(design, 11)
    session = ForcedChoice(tmp_path / "t.jsonl", design, seed=11)
    while session.current_trial is not None:
        session.answer(subject.choose(session.current_trial))
        with session.path.open("ab") as file:
            file.write('{"number": 2, "lä'.encode()[:-1])  # the machine died here
        session = ForcedChoice(tmp_path / "t.jsonl", design)
    assert session.answers == whole
    assert len(session.path.read_text().splitlines()) == len(whole) + 1


def test_order_answer_and_where_forces_are_stand_in_the_file(tmp_path):
    session = ForcedChoice(tmp_path / "t.jsonl", DESIGN, seed=1)
    posed = session.current_trial
    session.answer(posed.odd, 1.5, [(0.5, 1.0), (1.0, 1.5)])
    plan, line = map(json.loads, session.path.read_text().splitlines())
    assert (plan["varied"], plan["base"], plan["seed"]) == ("stiffness", 400.0, 1)
    assert line["order"] == list(posed.order) and line["right"] is True
    assert line["recording"] == "t.forces/0001.mcap" and line["spans"] == [[0.5, 1.0], [1.0, 1.5]]


def test_the_threshold_is_told_at_the_end_only(tmp_path):
    session = ForcedChoice(tmp_path / "t.jsonl", DESIGN, seed=1)
    with pytest.raises(InputError, match="would end the blindness"):
        session.result()
    subject = SimulatedSubject(Psychometric(30.0), 1)
    while session.current_trial is not None:
        session.answer(subject.choose(session.current_trial))
    fit = session.result()
    assert fit.holds(30.0) and fit.counts.asked.sum() == 30
    with pytest.raises(InputError, match="all 30 trials are answered"):
        session.answer(1)


@pytest.mark.parametrize("guess", [1 / 2, 1 / 3])
def test_the_curve_of_a_fit_goes_beyond_all_levels_and_is_half_way_at_the_threshold(guess):
    """ψ = γ + (1 − γ − λ) (1 − 2^−(x/α)^β) of a Weibull whose threshold α stands for one half."""
    design = Design(DESIGN.method, "stiffness", 400.0, round(1 / guess), unit="N/m")
    fit = design.fit(SimulatedSubject(Psychometric(30.0, guess=guess), 1).run(design, 3))
    curve, best = Curve.of(fit), fit.best
    assert curve.levels[0] < 20.0 and curve.levels[-1] > 80.0
    assert (np.diff(curve.levels) > 0.0).all() and (np.diff(curve.right) >= 0.0).all()
    grown = 1.0 - 2.0 ** -((curve.levels / best.threshold) ** best.steepness)
    expected = guess + (1.0 - guess - best.lapse) * grown
    assert curve.right == pytest.approx(expected, rel=1e-12)
    assert np.interp(best.threshold, curve.levels, curve.right) == pytest.approx(
        0.5 * (1.0 + guess - best.lapse), abs=1e-3
    )  # linear between 300 levels


def test_what_is_no_session_or_answer_is_said(tmp_path):
    session = ForcedChoice(tmp_path / "t.jsonl", DESIGN, seed=1)
    for wrong in (0, 3, 1.5):
        with pytest.raises(InputError, match="one of the intervals 1 to 2"):
            session.answer(wrong)
    other = Design(DESIGN.method, "stiffness", 500.0, unit="N/m")
    with pytest.raises(InputError, match=r"its base is 400\.0, not 500\.0"):
        ForcedChoice(tmp_path / "t.jsonl", other)
    Trials(tmp_path / "named.jsonl", ["a", "b"], "?")
    with pytest.raises(
        InputError,
        match=r"named\.jsonl holds another .* of 'identification', not",
    ):
        ForcedChoice(tmp_path / "named.jsonl", DESIGN)
    (tmp_path / "old.jsonl").write_text('{"version": 1}\n')
    with pytest.raises(InputError, match="version 1 of trials"):
        ForcedChoice(tmp_path / "old.jsonl", DESIGN)
    (tmp_path / "notes.jsonl").write_text("notes\n")
    with pytest.raises(InputError, match="no file of trials"):
        ForcedChoice(tmp_path / "notes.jsonl", DESIGN)
