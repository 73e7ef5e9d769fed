"""`touchback trial`: hidden voices, kept answers."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command import Done, touchback
from touchback.recording import open_run


def trial(*arguments: str, answers: str, cwd: Path) -> Done:
    return touchback("trial", *arguments, answers=answers, cwd=cwd)


VOICES = ("--voice", "organ", "--voice", "wall", "--repeats", "2")


def test_answers_are_kept_and_a_session_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    first = trial("t.jsonl", *VOICES, answers="organ\nsoft\nwall\n", cwd=tmp_path)
    assert first.returncode != 0  # the input ended before the session did
    assert "What was it? (organ/wall)" in first.stdout
    assert "Answer with one of organ, wall." in first.stdout  # "soft" is none of them
    assert all("wall" in line for line in first.stdout.splitlines() if "organ" in line)
    second = trial("t.jsonl", *VOICES, answers="organ\nwall\n", cwd=tmp_path)
    assert second.returncode == 0, second.stderr
    assert "trial 3 of 4" in second.stdout and "trial 1 of 4" not in second.stdout
    assert "organ:" in second.stdout and "wall:" in second.stdout
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()[1:]]
    assert [line["answer"] for line in lines] == ["organ", "wall"] * 2
    right = sum(line["answer"] == line["condition"] for line in lines)
    assert f"{right} of 4 were named rightly" in second.stdout


def test_what_belongs_to_forced_choice_is_refused_without_it(tmp_path: Path) -> None:
    for words in (("--plot", "t.png"), ("--levels", "1,2"), ("--page",), ("--intervals", "3")):
        done = trial("t.jsonl", *VOICES, *words, answers="", cwd=tmp_path)
        assert done.returncode != 0 and f"{words[0]} goes with --vary" in done.stderr
    assert not (tmp_path / "t.jsonl").exists()


def test_a_simulated_subject_names_voices_as_well_as_its_noise_lets_it(tmp_path: Path) -> None:
    """It feels forces with noise: little of it, and all are named rightly; much, and it guesses."""
    words = (*VOICES[:4], "--repeats", "8", "--seed", "5", "--subject")
    sharp = trial("sharp.jsonl", *words, "0.01", answers="", cwd=tmp_path)
    assert sharp.returncode == 0, sharp.stderr
    assert "16 of 16 were named rightly" in sharp.stdout
    dull = trial("dull.jsonl", *words, "1000", answers="", cwd=tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "dull.jsonl").read_text().splitlines()[1:]]
    right = sum(line["answer"] == line["condition"] for line in lines)
    assert 2 < right < 14, dull.stdout  # 16 tosses of a coin: beyond in 0.4 % of all seeds
    refused = trial("nobody.jsonl", *words, "0", answers="", cwd=tmp_path)
    assert refused.returncode != 0 and "--subject" in refused.stderr
    assert not (tmp_path / "nobody.jsonl").exists()


def test_a_voice_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = trial("t.jsonl", "--voice", "organ", "--voice", "orgn", answers="a\nb\n", cwd=tmp_path)
    assert done.returncode != 0 and "no voice 'orgn'" in done.stderr
    assert not (tmp_path / "t.jsonl").exists()


WALL = (
    "--voice", "wall-standard", "--vary", "wall stiffness", "--base", "1000", "--levels", "60,500",
    "--repeats", "6", "--seed", "4",
)  # fmt: skip


def test_forced_choice_ends_with_a_threshold_and_keeps_every_force(tmp_path: Path) -> None:
    words = ("t.jsonl", *WALL, "--subject", "150", "--plot", "t.png")
    done = trial(*words, answers="", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "threshold of 'wall stiffness' over 1000 N/m" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()[1:]]
    assert len(lines) == 12 and (tmp_path / "t.png").stat().st_size > 5000
    for line in lines:
        run = open_run(tmp_path / line["recording"])
        greatest = [
            run["finger force"][(run.time >= begin) & (run.time <= end)].max()
            for begin, end in line["spans"]
        ]
        assert greatest.index(max(greatest)) + 1 == line["odd"]  # the stiffer wall pushed more


def test_a_person_answers_by_number_and_the_order_stays_hidden(tmp_path: Path) -> None:
    done = trial("t.jsonl", *WALL, answers="both\n2\n1\n", cwd=tmp_path)
    assert done.returncode != 0  # the input ended before the session did
    assert "Which was more? (1/2)" in done.stdout and "Answer with one of 1, 2." in done.stdout
    assert "1060" not in done.stdout and "1500" not in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()[1:]]
    assert [line["answer"] for line in lines] == [2, 1]


def test_a_session_killed_in_the_middle_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    words = ["trial", "t.jsonl", *WALL, "--subject", "150"]
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "touchback.cli", *words], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        kept = 0
        assert process.stdout is not None
        while kept < 3:
            kept += "kept" in process.stdout.readline()
        process.kill()
    before = (tmp_path / "t.jsonl").read_text().splitlines()[1:]
    assert len(before) >= 3
    for line in before:
        assert len(open_run(tmp_path / json.loads(line)["recording"]).time) > 500
    again = touchback(*words, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"{len(before)} answers are kept; the session goes on" in again.stdout
    assert "12 answers are kept; the session is over" in touchback(*words, cwd=tmp_path).stdout
    killed = (tmp_path / "t.jsonl").read_text().splitlines()[1:]
    assert killed[: len(before)] == before and len(killed) == 12
    whole = trial("w.jsonl", *WALL, "--subject", "150", answers="", cwd=tmp_path)
    assert whole.returncode == 0
    told = [
        [(line["label"], line["order"], line["answer"]) for line in map(json.loads, lines)]
        for lines in (killed, (tmp_path / "w.jsonl").read_text().splitlines()[1:])
    ]
    assert told[0] == told[1]  # as if nothing had happened


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "the one or the other"),
        (("--levels", "1,x"), "numbers with commas"),
        (("--levels", "1,2", "--start", "3"), "the one or the other"),
        (("--start", "-3"), "starts at -3"),
        (("--start", "1", "--base", "-1"), "'wall stiffness' would be -1"),
        (("--start", "1", "--device", "usb"), "give serial:PATH"),
        (("--start", "1", "--device", "serial:/nowhere"), "/nowhere"),
        (("--start", "1", "--voice", "wall"), "one --voice, not 2"),
        (("--start", "1", "--subject", "0"), "both are above zero"),
        (("--start", "1", "--subject", "9", "--page"), "--page asks a person"),
        (("--start", "1", "--repeats", "9"), "--repeats goes with --levels"),
        (("--levels", "1,2", "--down", "3"), "--down goes with --start"),
        (("--start", "1", "--seconds", "1"), "--seconds goes with --device"),
        (("--levels", "1,2"), "6 trials tell no threshold"),
        (("--levels", "20,1e9", "--repeats", "9"), "'wall stiffness' would be 1e+09"),
        (("--start", "1e9"), "above the largest level"),
    ],
)
def test_what_makes_no_session_is_said_and_begins_none(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    chosen = ("--voice", "wall-standard", "--vary", "wall stiffness")
    done = trial("t.jsonl", *chosen, *words, answers="", cwd=tmp_path)
    assert done.returncode != 0 and said in done.stderr
    assert not (tmp_path / "t.jsonl").exists()


@pytest.mark.parametrize("name", ["model.yaml", "answers", "answers.json"])
@pytest.mark.parametrize("words", [VOICES, ("--voice", "organ", "--vary", "wall stiffness")])
def test_the_file_of_a_session_ends_in_jsonl(
    name: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    """Who gives a model there is told what FILE is, and nothing is written."""
    done = trial(name, *words, answers="", cwd=tmp_path)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert f"{name}: FILE is where answers are written, lines of JSON, as answers.jsonl" in said
    assert not list(tmp_path.iterdir())
