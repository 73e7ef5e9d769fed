"""Forced choice as pages ask for it: touch after touch, felt before it is answered, and blind."""

import json
from pathlib import Path

import pytest

from far_ends import patient_line
from touchback.haptics.trials import Constant, Design, FeelingSubject, ForcedChoice
from touchback.instruments.keyboard.key_device import FRONT
from touchback.instruments.keyboard.key_mechanisms import MIDDLE
from touchback.instruments.keyboard.perception_trial_key import TrialKey
from touchback.workbench.play.trial_pages import ForcedChoicePage
from waiting import until

BASE, LEVELS, NOISE = 800.0, (100.0, 1600.0), 200.0  # N/m
WALL = "wall-standard", "wall stiffness"


def design(intervals: int) -> Design:
    return Design(Constant(LEVELS, 5), WALL[1], BASE, intervals, "Which was stiffer?", "N/m")


def asked(board: ForcedChoicePage, do: str, **fields: object) -> dict[str, object]:
    return board.commands.handle(json.dumps({"do": do, **fields}).encode(), "a test").as_dict()


def press(board: ForcedChoicePage) -> float:
    """A touch; gives the stiffness that its force and depth at rest tell [N/m]. The wall throws the
    key up to its stop, from which it bounces to anywhere above the wall; the finger meets it within
    the first 20 ms or never again. So the model's time is waited for, not a depth that the key has
    for a few milliseconds."""
    assert asked(board, "press", note=60, depth=0.016)["ok"]
    board.live.run(0.25)
    until(lambda: board._felt)  # a busy machine may have dropped rows of the way down
    now = board.live.snapshot()
    assert asked(board, "press", note=60, depth=0.0)["ok"]
    board.live.run(0.25)
    assert board.live.read("finger force") == 0.0
    return float(now["finger force"] / (FRONT * now["key"] - MIDDLE))


def test_a_subject_goes_through_three_touches_a_trial_and_gets_its_threshold(
    tmp_path: Path,
) -> None:
    subject = FeelingSubject(NOISE, seed=2)
    session = ForcedChoice(tmp_path / "t.jsonl", design(3), seed=1)
    while (
        len(session.answers) < 8 and session.current_trial is not None
    ):  # before it was broken off
        session.answer(subject.choose(session.current_trial.order, session.current_trial.number))
    key = TrialKey(*WALL, by_hand=True, speed=3.0)
    told: list[tuple[str, object]] = []
    with ForcedChoicePage(session, key) as board:
        board.tell = lambda kind, facts: told.append((kind, facts))
        early = asked(board, "reply", text="2", trial=len(session.answers) + 1)
        assert "Touch 1 of 3 is at hand" in early["error"]
        assert "Touch 1 wasn't felt yet" in asked(board, "onward")["error"]
        assert "no signals are read" in asked(board, "read", names=["finger force"])["error"]
        assert asked(board, "what")["parameters"] == asked(board, "what")["inputs"] == []
        assert not asked(board, "set", name="wall stiffness", value=1.0)["ok"]
        facts = asked(board, "trial")
        while not facts["done"]:
            posed = session.current_trial
            felt = []
            for touch in range(3):
                assert facts["touch"] == touch + 1 and facts["label"] == posed.label
                hidden = {"threshold", "level", "order", "odd", "table"} & set(facts)
                assert hidden == set()
                felt.append(press(board))
                if touch < 2:
                    facts = asked(board, "onward")
            assert felt == pytest.approx(posed.order, rel=0.05)
            facts = asked(
                board,
                "reply",
                text=str(subject.choose(felt, posed.number)),
                trial=len(session.answers) + 1,
            )
            assert facts["ok"], facts
        late = asked(board, "reply", text="1", trial=len(session.answers) + 1)
        assert "are answered" in late["error"]
    fit = session.result()
    found = facts["threshold"]
    assert found["level"] == fit.threshold and found["said"][0].endswith("answers were right.")
    assert all(one.right for one in session.answers if one.level == 1600.0)  # eight deviations
    assert told[-1] == ("trial", {k: v for k, v in facts.items() if k not in ("id", "ok")})
    assert len(list(session.forces.iterdir())) == 2


def test_a_key_on_a_wire_is_pressed_there_and_asked_about_on_the_page(tmp_path: Path) -> None:
    session = ForcedChoice(tmp_path / "t.jsonl", design(2), seed=3)
    with (
        patient_line() as far,
        ForcedChoicePage(session, TrialKey(*WALL, far.path)) as board,
    ):
        assert "on a wire" in asked(board, "press", note=60, depth=0.01)["error"]
        for then in ({"do": "onward"}, {"do": "reply", "text": "1", "trial": 1}):
            far.positions[0] = (MIDDLE + 1e-3) / FRONT
            until(lambda: board._felt)
            assert "mm down: let go" in asked(board, **then)["error"]
            far.positions[0] = 0.0
            until(lambda then=then: asked(board, **then)["ok"])
    assert session.answers[0].answer == 1 and len(session.answers[0].spans) == 2


def test_a_trial_whose_line_fell_silent_is_posed_again_and_counts_once_the_line_is_back(
    tmp_path: Path,
) -> None:
    """The key's last known depth is down, though it was let go: nobody is asked for that."""
    session = ForcedChoice(tmp_path / "t.jsonl", design(2), seed=3)
    with (
        patient_line(max_age=1.0) as far,
        ForcedChoicePage(session, TrialKey(*WALL, far.path)) as board,
    ):

        def touch(then: dict[str, object]) -> None:
            far.positions[0] = (MIDDLE + 1e-3) / FRONT
            until(lambda: board._felt)
            far.positions[0] = 0.0
            until(lambda: asked(board, **then)["ok"])

        touch({"do": "onward"})
        far.positions[0] = (MIDDLE + 1e-3) / FRONT
        until(lambda: board._felt)
        far.silent, far.positions[0] = True, 0.0
        until(lambda: board.live.faults)
        assert "The motor let go for" in asked(board, "reply", text="1", trial=1)["error"]
        assert asked(board, "trial")["touch"] == 1 and session.answers == []
        shown = []
        board.shown = shown.append
        until(lambda: len(shown) > 3)  # the depth of before is no touch
        assert "No position comes from the key: repair its line" in asked(board, "onward")["error"]
        far.silent = False
        until(lambda: not board.live.faults)
        touch({"do": "onward"})
        touch({"do": "reply", "text": "1", "trial": 1})
    assert [one.answer for one in session.answers] == [1]
    assert len(session.answers[0].spans) == 2


def test_a_key_that_was_stopped_goes_on_and_its_trial_is_felt_again(tmp_path: Path) -> None:
    def felt(do: str, said: str = "not refused", **fields: object) -> None:
        press(board)
        assert said in str(asked(board, do, **fields).get("error", "not refused"))

    def stopped() -> None:
        assert asked(board, "stop")["ok"]
        until(lambda: board.live.faults)  # a stop waits for its tick

    def gone_on() -> None:
        assert asked(board, "resume")["ok"]
        until(lambda: not board.live.faults)

    session = ForcedChoice(tmp_path / "t.jsonl", design(2), seed=3)
    with ForcedChoicePage(session, TrialKey(*WALL, by_hand=True, speed=3.0)) as board:
        felt("onward")
        press(board)
        stopped()
        felt_again = asked(board, "reply", text="1", trial=1)
        gone_on()
        assert "The key doesn't go: stopped" in felt_again["error"]
        assert asked(board, "trial")["touch"] == 1 and session.answers == []
        assert not asked(board, "reset")["ok"]  # nothing else of the transport is for a hand
        felt("onward")
        stopped()
        gone_on()
        felt("reply", "was stopped in this trial", text="1", trial=1)
        felt("onward")
        felt("reply", text="1", trial=1)
    assert len(session.answers) == 1
