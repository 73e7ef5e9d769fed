"""Staircases settle where Levitt (1971) says."""

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.haptics.trials import Constant, Design, Psychometric, SimulatedSubject, Staircase


def stationary(staircase, person, far=60):
    """The share of right answers in the long run, from the chain of (place, streak) itself."""
    places, down = np.arange(-far, far + 1), staircase.down
    p = person.right(staircase.start * staircase.factor ** places.astype(float))
    count = len(places)
    chain = np.zeros((count * down, count * down))
    for i in range(count):
        for streak in range(down):
            here = i * down + streak
            on = (max(i - 1, 0) * down) if streak + 1 == down else here + 1
            chain[here, on] += p[i]
            chain[here, min(i + 1, count - 1) * down] += 1.0 - p[i]
    share = np.full(count * down, 1.0 / (count * down))
    for _ in range(14):
        chain = chain @ chain
    share = share @ chain
    return float(share.reshape(count, down).sum(axis=1) @ p)


@pytest.mark.parametrize(("down", "published"), [(1, 0.5), (2, 0.707), (3, 0.794)])
def test_small_steps_settle_at_the_published_shares(down, published):
    guess = 0.0 if down == 1 else 0.5  # half right is chance where there are two intervals
    person = Psychometric(40.0, 1.5, guess)
    fine = Staircase(40.0, down=down, factor=1.02, coarse=1)
    assert fine.settles == pytest.approx(published, abs=5e-4)
    assert stationary(fine, person, 120) == pytest.approx(published, abs=0.006)


def test_a_long_walk_is_right_as_often_as_its_chain():
    person = Psychometric(40.0, 2.0)
    staircase = Staircase(40.0, factor=1.2, coarse=1, reversals=1000, tracks=1, limit=1200)
    design = Design(staircase, "mass", 1.0)
    given = SimulatedSubject(person, 1).run(design, 1)
    assert len(given) == 1200
    due = stationary(staircase, person)
    assert np.mean([one.right for one in given]) == pytest.approx(due, abs=0.04)  # 3 errors
    turns = staircase.middle([(one.track, one.right) for one in given])
    assert turns == pytest.approx(person.level(staircase.settles), rel=0.1)


def test_steps_are_coarse_until_the_second_turn_and_then_fine():
    staircase = Staircase(100.0, down=2, factor=2.0, coarse=3, tracks=1)
    answers = [(0, right) for right in (True, True, False, True, True, True)]
    levels = [staircase.next(answers[:n], 0).level for n in range(7)]
    assert levels == [100.0, 100.0, 12.5, 100.0, 100.0, 50.0, 50.0]
    assert staircase.track_states(answers)[0].turns == [12.5, 100.0]


def test_tracks_run_side_by_side_and_end_by_themselves():
    design = Design(Staircase(100.0, tracks=3, reversals=6), "mass", 1.0)
    given = SimulatedSubject(Psychometric(40.0), 5).run(design, 5)
    tracks = [one.track for one in given]
    assert set(tracks) == {0, 1, 2}
    assert tracks != sorted(tracks)
    found = design.method.track_states([(one.track, one.right) for one in given])
    assert [len(track.turns) for track in found] == [6, 6, 6]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Staircase(0.0), "starts at 0"),
        (lambda: Staircase(1.0, factor=1.0), "factor of 1"),
        (lambda: Staircase(1.0, down=0), "down is 0"),
        (lambda: Staircase(1.0, reversals=3), "reversals is 3"),
        (lambda: Constant((1.0,)), "two or more"),
        (lambda: Constant((1.0, -1.0)), "above zero"),
        (lambda: Constant((1.0, 2.0), 0), "0 repeats"),
        (lambda: Design(Staircase(1.0), "mass", 1.0, intervals=4), "4 intervals; give 2 or 3"),
        (lambda: Design(Staircase(1.0), "mass", float("nan")), "give a number"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        wrong()


def test_wrong_answers_climb_to_the_largest_level_that_there_can_be_and_no_further():
    staircase = Staircase(0.9, largest=4.0, tracks=1)
    wrong = [(0, False)] * 40
    levels = [staircase.next(wrong[:n], seed=1).level for n in range(40)]
    assert max(levels) <= 4.0 < max(levels) * staircase.factor
    with pytest.raises(InputError, match="start lower"):
        Staircase(5.0, largest=4.0)
