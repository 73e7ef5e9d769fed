"""The file of a session: held to its plan, written by one program at a time, and never worse for
what happened to it."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from touchback.errors import InputError
from touchback.haptics.trials import Constant, Design, ForcedChoice, Trials, trial_journal

DESIGN = Design(Constant((20.0, 40.0), 6), "stiffness", 400.0, unit="N/m")
VOICES = ["piano", "organ"]


def chosen(folder: Path, answers: int = 0) -> ForcedChoice:
    session = ForcedChoice(folder / "t.jsonl", DESIGN, seed=1)
    while len(session.answers) < answers and session.current_trial is not None:
        session.answer(session.current_trial.odd)
    return session


def named(folder: Path, answers: int = 0) -> Trials:
    session = Trials(folder / "t.jsonl", VOICES, "What was it?", seed=1)
    while len(session.answers) < answers:
        session.answer("piano")
    return session


def edit(path: Path, line: int, **fields: object) -> None:
    """Changes a line of a file, from 1, as an editor does."""
    lines = path.read_text().splitlines()
    lines[line - 1] = json.dumps({**json.loads(lines[line - 1]), **fields})
    path.write_text("\n".join(lines) + "\n")


def refused(again: Callable[[Path], object], path: Path, said: str) -> None:
    """And what is in the file stays there."""
    before = path.read_bytes()
    with pytest.raises(InputError, match=said):
        again(path.parent)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"level": 41.0}, "line 3: its level is 41.0, and by the plan that of trial 2 is"),
        ({"odd": 3}, "line 3: its odd is 3"),
        ({"label": "Z99"}, "line 3: its label is 'Z99'"),
        ({"number": 7}, "line 3: its number is 7"),
        ({"order": [400.0, 400.0]}, "line 3: its order is"),
        ({"right": False}, "line 3: its right is False, and by the plan"),
        ({"answer": 5}, "line 3: its answer is 5, and it was one of 1, 2"),
        ({"level": "much"}, "line 3, an answer, is damaged: Expected `float`"),
    ],
)
def test_an_answer_that_was_edited_is_refused_with_its_line(
    tmp_path: Path, fields: dict[str, object], said: str
) -> None:
    path = chosen(tmp_path, 3).path
    edit(path, 3, **fields)
    refused(chosen, path, f"t.jsonl, {said}.*take it and all lines after it out")


@pytest.mark.parametrize("row", [b'{"number": "\xff"}', b"[" * 100_000, b"9" * 5000, b"\x00"])
def test_a_line_that_is_no_text_or_no_json_is_refused_with_its_number(
    tmp_path: Path, row: bytes
) -> None:
    path = chosen(tmp_path, 2).path
    path.write_bytes(path.read_bytes() + row + b"\n")
    refused(chosen, path, "t.jsonl, line 4: no JSON .*take it and all lines after it out")


def test_a_line_that_is_missing_moved_or_one_too_many_is_refused(tmp_path: Path) -> None:
    path = chosen(tmp_path, 12).path
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2] + lines[3:]))
    refused(chosen, path, "t.jsonl, line 3: its number is 3, and by the plan that of trial 2 is 2")
    path.write_text("".join(lines[:1] + lines[2:3] + lines[1:2] + lines[3:]))
    refused(chosen, path, "t.jsonl, line 2: its number is 2")
    path.write_text("".join([*lines, lines[-1]]))
    refused(chosen, path, "t.jsonl, line 14: the plan has 12 trials, and this is one answer more")
    path.write_text("".join(lines))
    assert chosen(tmp_path).done


def test_a_plan_that_was_edited_is_refused(tmp_path: Path) -> None:
    path = chosen(tmp_path, 3).path
    edit(path, 1, seed=2)
    refused(chosen, path, "t.jsonl, line 2: its .* the line, or the plan, was edited")
    path.unlink()
    path = named(tmp_path, 2).path
    whole = json.loads(path.read_text().splitlines()[0])
    edit(path, 1, order=["piano"] * 6)
    refused(named, path, "t.jsonl, line 1: its order of 6 trials")
    edit(path, 1, order=whole["order"], labels=["B1"] * 6)
    refused(named, path, "t.jsonl, line 1: its order of 6 trials with 6 labels")
    edit(path, 1, labels=whole["labels"][::-1])
    refused(named, path, "t.jsonl, line 2: its label is")
    edit(path, 1, labels=whole["labels"])
    edit(path, 3, answer="spinet")
    refused(named, path, "t.jsonl, line 3: its answer is 'spinet', and it was one of piano, organ")
    edit(path, 3, answer="organ", condition="harp")
    refused(named, path, "t.jsonl, line 3: its condition is 'harp'")


def test_a_plan_that_is_blank_or_cut_off_is_told_from_a_file_of_something_else(
    tmp_path: Path,
) -> None:
    path = chosen(tmp_path, 2).path
    plan, *answers = path.read_bytes().splitlines(keepends=True)
    for content, said in {
        b"": "line 1: blank where the plan is to be, and nothing follows; delete the file",
        b"\n" + b"".join(answers): "line 1: blank .* 2 lines follow; put it back from a copy",
        plan[:40]: "line 1: the plan was cut off or edited .*; delete the file: no answer is in it",
        plan[:40] + b"\n" + b"".join(answers): "line 1: the plan was cut off .*; put it back from",
        plan + b"\n" + answers[0]: "line 2: blank; take it out",
        plan + answers[0][:30] + b"\n" + answers[1]: "line 2: no JSON",
        b"shopping\n": "t.jsonl is no file of trials",
    }.items():
        path.write_bytes(content)
        refused(chosen, path, said)


def test_a_last_line_whose_end_an_editor_left_out_is_kept(tmp_path: Path) -> None:
    path = chosen(tmp_path, 3).path
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    again = chosen(tmp_path, 4)
    assert len(again.answers) == 4 and len(path.read_text().splitlines()) == 5


def killed(work: Callable[[], object]) -> None:
    """Does something in a process that is killed in the middle of a write."""

    def half(file: BinaryIO, line: object) -> int:
        file.seek(0, os.SEEK_END)
        file.write(json.dumps(line).encode()[:50])
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    child = os.fork()
    if child == 0:
        trial_journal._write = half  # type: ignore[assignment]
        work()
        os._exit(1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def test_a_session_killed_in_the_middle_of_a_line_goes_on_with_that_trial(tmp_path: Path) -> None:
    killed(lambda: chosen(tmp_path))  # in its plan: there is no file yet
    assert not (tmp_path / "t.jsonl").exists()
    before = chosen(tmp_path, 4).answers
    killed(lambda: chosen(tmp_path, 5))
    assert not (tmp_path / "t.jsonl").read_bytes().endswith(b"\n")
    again = chosen(tmp_path)
    assert (
        again.answers == before
        and again.current_trial is not None
        and again.current_trial.number == 5
    )
    chosen(tmp_path, 12)
    assert chosen(tmp_path).done


def test_two_programs_do_not_write_one_file(tmp_path: Path) -> None:
    chosen(tmp_path, 1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # another program, in the middle of its session
        session = chosen(tmp_path, 2)
        os.write(writing, b"!")
        while session:
            signal.pause()
    try:
        os.read(reading, 1)
        refused(chosen, tmp_path / "t.jsonl", "t.jsonl is in use by another program; end that one")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)
    assert len(chosen(tmp_path, 3).answers) == 3  # the dead hold nothing


def test_what_something_else_wrote_meanwhile_stays_and_is_told(tmp_path: Path) -> None:
    first, second = chosen(tmp_path, 1), chosen(tmp_path)
    second.answer(1)
    before = first.path.read_bytes()
    with pytest.raises(InputError, match=r"t\.jsonl was changed by something else .* start again"):
        first.answer(1)
    assert first.path.read_bytes() == before and len(first.answers) == 1
    assert second.answer(1).number == 3
    first.path.rename(tmp_path / "elsewhere.jsonl")
    with pytest.raises(InputError, match=r"t\.jsonl is gone: it was moved"):
        second.answer(1)
    assert not first.path.exists()
