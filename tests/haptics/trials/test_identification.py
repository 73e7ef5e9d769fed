"""Blind trials: nothing shows the condition, nothing is lost."""

import errno
import json
import os
from collections import Counter

import pytest

from touchback.errors import InputError
from touchback.haptics.trials import Trials

TOUCHES = ["piano", "harpsichord", "organ"]


def session(path, **options):
    """With answers in one's own words."""
    return Trials(path / "trials.jsonl", TOUCHES, "What is it like?", choices=(), **options)


def test_every_condition_comes_as_often_as_asked_in_an_order_of_its_own(tmp_path):
    trials = session(tmp_path, repeats=4, seed=1)
    felt = []
    while not trials.done:
        felt.append(trials.hidden)
        trials.answer("yes")
    assert Counter(felt) == dict.fromkeys(TOUCHES, 4)
    assert felt != TOUCHES * 4


def test_each_trial_has_a_fresh_label_that_tells_nothing(tmp_path):
    trials, shown = session(tmp_path, repeats=20, seed=2), []
    while not trials.done:
        shown.append((trials.label, trials.hidden))
        trials.answer("same")
    labels = [label for label, _ in shown]
    assert len(set(labels)) == 60  # none comes twice, though each touch does
    assert not set(labels) & set(TOUCHES)
    letters = {touch: {label[0] for label, hidden in shown if hidden == touch} for touch in TOUCHES}
    assert set.intersection(*letters.values())  # no letter stands for a touch
    orders = set()
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        orders.add(session(folder, seed=seed).hidden)
    assert orders == set(TOUCHES)  # the first felt isn't always the same


def test_a_session_that_was_broken_off_goes_on(tmp_path):
    first = session(tmp_path, seed=3)
    first.answer("heavy", 1.5)
    with first.path.open("a") as file:
        file.write('{"number": 2, "la')  # the machine died here
    again = session(tmp_path)
    assert [given.answer for given in again.answers] == ["heavy"]
    again.answer("light")
    assert [given.answer for given in session(tmp_path).answers] == ["heavy", "light"]


def test_counts_are_shown_only_at_the_end(tmp_path):
    trials = session(tmp_path, repeats=2)
    with pytest.raises(InputError, match="6 trials are open"):
        trials.table()
    while not trials.done:
        trials.answer("heavy" if trials.hidden == "piano" else "light")
    assert trials.table() == {
        "piano": {"heavy": 2},
        "harpsichord": {"light": 2},
        "organ": {"light": 2},
    }
    with pytest.raises(InputError, match="all 6 trials are answered"):
        trials.answer("more")


def test_which_condition_it_was_is_judged_and_what_names_none_is_not_kept(tmp_path):
    trials = Trials(tmp_path / "t.jsonl", TOUCHES, "What was it?", repeats=2, seed=5)
    assert trials.choices == tuple(TOUCHES)
    for wrong in ("spinet", "", "Piano", "piano organ"):
        with pytest.raises(InputError, match=f"'{wrong}' is no answer; give one of piano, harp"):
            trials.answer(wrong)
    assert len(trials.path.read_text().splitlines()) == 1
    while not trials.done:
        trials.answer(" organ " if len(trials.answers) == 0 else trials.hidden)
    first = trials.answers[0]
    assert trials.right == (6 if first.condition == "organ" else 5)
    assert trials.table()["piano"].keys() <= {"piano", "organ"}


def test_answers_are_on_disk_line_by_line(tmp_path):
    trials = session(tmp_path, seed=4)
    condition = trials.hidden
    trials.answer("wie Wolle", 2.25)
    lines = [json.loads(line) for line in trials.path.read_text().splitlines()]
    assert lines[1] == {
        "number": 1, "label": lines[0]["labels"][0], "condition": condition,
        "answer": "wie Wolle", "seconds": 2.25,
    }  # fmt: skip


def test_an_answer_that_the_full_disk_did_not_take_leaves_nothing_behind(tmp_path, monkeypatch):
    trials = session(tmp_path, seed=4)
    trials.answer("light")
    before = trials.path.read_bytes()

    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            trials.answer("heavy")
    assert trials.path.read_bytes() == before
    trials.answer("heavy")
    assert trials.path.read_bytes().startswith(before)
    assert session(tmp_path, seed=4).label == trials.label


def test_what_is_no_session_is_said(tmp_path):
    (tmp_path / "trials.jsonl").write_text("notes\n")
    with pytest.raises(InputError, match="no file of trials"):
        session(tmp_path)
    (tmp_path / "trials.jsonl").unlink()
    session(tmp_path)
    with pytest.raises(InputError, match="another session"):
        session(tmp_path, repeats=9)
    with pytest.raises(InputError, match="each once"):
        Trials(tmp_path / "b", ["a", "a"], "?")
    for repeats in (0, 1.5):
        with pytest.raises(InputError, match=f"{repeats} repeats"):
            Trials(tmp_path / "b", ["a", "b"], "?", repeats=repeats)
    with pytest.raises(InputError, match="each once"):
        Trials(tmp_path / "b", "ab", "?")
    with pytest.raises(InputError, match="no folder"):
        Trials(tmp_path / "nowhere" / "b", ["a", "b"], "?")
