"""`touchback trial`: hidden voices, kept answers."""

import json
from pathlib import Path

from command import Done, touchback


def trial(*arguments: str, answers: str, cwd: Path) -> Done:
    return touchback("trial", *arguments, answers=answers, cwd=cwd)


VOICES = ("--voice", "organ", "--voice", "wall", "--repeats", "2")


def test_answers_are_kept_and_a_session_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    first = trial("t.jsonl", *VOICES, answers="soft\nhard\n", cwd=tmp_path)
    assert first.returncode != 0  # the input ended before the session did
    assert "organ" not in first.stdout and "wall" not in first.stdout
    second = trial("t.jsonl", *VOICES, answers="soft\nhard\n", cwd=tmp_path)
    assert second.returncode == 0, second.stderr
    assert "trial 3 of 4" in second.stdout and "trial 1 of 4" not in second.stdout
    assert "organ:" in second.stdout and "wall:" in second.stdout
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert [json.loads(line)["answer"] for line in lines[1:]] == ["soft", "hard"] * 2


def test_a_voice_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = trial("t.jsonl", "--voice", "organ", "--voice", "orgn", answers="a\nb\n", cwd=tmp_path)
    assert done.returncode != 0 and "no voice 'orgn'" in done.stderr
    assert not (tmp_path / "t.jsonl").exists()
