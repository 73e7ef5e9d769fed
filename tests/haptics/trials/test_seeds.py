"""A seed decides all that is hidden in a session: the same one gives the same, another another."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from command import touchback
from touchback.haptics.trials import (
    Constant,
    Design,
    FeelingSubject,
    ForcedChoice,
    ForcedChoiceAnswer,
    Psychometric,
    SimulatedSubject,
    Staircase,
    Trials,
)

LEVELS = Constant((20.0, 40.0, 80.0), 10)
TRACKS = Staircase(80.0, reversals=4, tracks=3)
FELT = (1.0, 1.0, 1.1)  # N


def identified(folder: Path, seed: int) -> tuple[list[str], ...]:
    """The hidden order and the labels of a session, as its file keeps them."""
    Trials(folder / "t.jsonl", ["piano", "harpsichord", "organ"], "?", repeats=5, seed=seed)
    plan = json.loads((folder / "t.jsonl").read_text())
    return plan["order"], plan["labels"]


def posed(folder: Path, seed: int, method: Constant | Staircase) -> list[tuple[object, ...]]:
    """What a session poses to somebody who always says 1, from the file that it keeps."""
    session = ForcedChoice(folder / "t.jsonl", Design(method, "stiffness", 400.0), seed=seed)
    while session.current_trial is not None and len(session.answers) < 30:
        session.answer(1)
    return [(one.label, one.level, one.track, one.odd) for one in session.answers]


def answered(folder: Path, seed: int) -> list[ForcedChoiceAnswer]:
    design = Design(LEVELS, "stiffness", 400.0)
    return SimulatedSubject(Psychometric(40.0), seed).run(design, 7)


def felt(folder: Path, seed: int) -> list[int]:
    return [FeelingSubject(0.5, seed).choose(FELT, number) for number in range(30)]


def commanded(folder: Path, seed: int) -> list[str]:
    """Of `touchback trial` with voices."""
    words = ("--voice", "organ", "--voice", "wall", "--repeats", "6", "--seed", str(seed))
    touchback("trial", "t.jsonl", *words, answers="organ\n", cwd=folder)
    plan = json.loads((folder / "t.jsonl").read_text().splitlines()[0])
    return [*plan["order"], *plan["labels"]]


SEEDED: dict[str, Callable[[Path, int], object]] = {
    "voices": identified, "levels": lambda folder, seed: posed(folder, seed, LEVELS),
    "tracks": lambda folder, seed: posed(folder, seed, TRACKS), "subject": answered,
    "feeling subject": felt, "command": commanded,
}  # fmt: skip


@pytest.mark.parametrize("kind", SEEDED)
def test_the_same_seed_hides_the_same_and_others_hide_something_else(
    kind: str, tmp_path: Path
) -> None:
    found = []
    for i, seed in enumerate((11, 11, 12, 0)):
        folder = tmp_path / str(i)
        folder.mkdir()
        found.append(SEEDED[kind](folder, seed))
    assert found[0] == found[1]
    assert found[0] != found[2] != found[3] != found[0]


@pytest.mark.parametrize("part", range(4), ids=["label", "level", "track", "odd"])
def test_every_hidden_part_of_a_forced_choice_follows_its_seed(part: int, tmp_path: Path) -> None:
    """Not just one of them, from which the others could be told."""
    method = TRACKS if part == 2 else LEVELS  # one track has no choice
    found = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        found.append([one[part] for one in posed(folder, seed, method)])
    assert found[0] != found[1]


def test_without_a_seed_no_two_sessions_are_alike(tmp_path: Path) -> None:
    """2⁻³² of them may be."""
    orders = []
    for name in "ab":
        Trials(tmp_path / name, ["x", "y", "z"], "?", repeats=30)
        orders.append(json.loads((tmp_path / name).read_text())["order"])
    assert orders[0] != orders[1]
    choices = [ForcedChoice(tmp_path / name, Design(LEVELS, "k", 4.0)) for name in "cd"]
    assert choices[0].seed != choices[1].seed
