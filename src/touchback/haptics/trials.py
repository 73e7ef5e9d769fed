"""Blind trials of touch: conditions shuffled and hidden, answers on disk before the next is felt.

A session is a file of lines of JSON: first what was planned (with the hidden order), then one line
an answer. A session that is broken off goes on where it stopped."""

import json
import os
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from touchback.errors import InputError
from touchback.recording.plain_data import checked
from touchback.regular_file import read_regular

VERSION = 1
_LARGEST = 1 << 24  # bytes


@dataclass(frozen=True)
class Answer:
    """What was answered to one trial: its number, the label that was shown, the condition behind
    it, and the seconds that it took."""

    number: int
    label: str
    condition: str
    answer: str
    seconds: float


class Trials:
    """A session: every condition `repeats` times, in an order that only the file knows. Each trial
    is shown by a label (A, B, …) that stands for one condition through the whole session."""

    def __init__(
        self,
        path: str | Path,
        conditions: Sequence[str],
        question: str,
        repeats: int = 3,
        seed: int | None = None,
    ) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise InputError(f"Trials: there is no folder {str(self.path.parent)!r}.")
        plan = _checked(conditions, question, repeats)
        if self.path.exists():
            self._plan, self.answers = _read(self.path)
            given = {key: self._plan[key] for key in plan}
            if given != plan:
                raise InputError(
                    f"{self.path.name} holds another session ({given}); choose another file, or go "
                    "on with the same conditions, question and repeats."
                )
        else:
            source = random.Random(seed)
            order = list(conditions) * repeats
            source.shuffle(order)
            hidden = list(conditions)
            source.shuffle(hidden)
            labels = {condition: chr(ord("A") + i) for i, condition in enumerate(hidden)}
            self._plan = {"version": VERSION, **plan, "order": order, "labels": labels}
            self.answers = []
            _append(self.path, self._plan, new=True)

    @property
    def question(self) -> str:
        return str(self._plan["question"])

    @property
    def count(self) -> int:
        """Trials in the whole session."""
        return len(self._plan["order"])

    @property
    def done(self) -> bool:
        """Whether all trials are answered."""
        return len(self.answers) >= self.count

    @property
    def label(self) -> str:
        """What the next trial is called in front of the person."""
        return str(self._plan["labels"][self.hidden])

    @property
    def hidden(self) -> str:
        """The condition of the next trial: for the machine, not for the person."""
        if self.done:
            raise InputError(f"{self.path.name}: all {self.count} trials are answered.")
        return str(self._plan["order"][len(self.answers)])

    def answer(self, text: str, seconds: float = 0.0) -> Answer:
        """Keep the answer to the trial at hand; it is on disk when this returns."""
        given = Answer(len(self.answers) + 1, self.label, self.hidden, text, float(seconds))
        _append(self.path, asdict(given))
        self.answers.append(given)
        return given

    def table(self) -> dict[str, dict[str, int]]:
        """How often each answer was given to each condition; only when all trials are answered."""
        if not self.done:
            raise InputError(
                f"{self.path.name}: {self.count - len(self.answers)} trials are open; looking now "
                "would end the blindness."
            )
        counts: dict[str, dict[str, int]] = {name: {} for name in self._plan["conditions"]}
        for given in self.answers:
            row = counts[given.condition]
            row[given.answer] = row.get(given.answer, 0) + 1
        return counts


class _Plan(msgspec.Struct):
    """What the first line of a file holds."""

    conditions: list[str]
    question: str
    repeats: int
    order: list[str]
    labels: dict[str, str]


def _checked(conditions: Sequence[str], question: str, repeats: int) -> dict[str, object]:
    words = not isinstance(conditions, str) and all(isinstance(name, str) for name in conditions)
    if not words or len(set(conditions)) != len(conditions) or not 2 <= len(conditions) <= 26:
        raise InputError(f"Trials: conditions {list(conditions)}; give 2 to 26 names, each once.")
    if not (isinstance(repeats, int) and repeats >= 1):
        raise InputError(f"Trials: {repeats} repeats; each condition is felt once at least.")
    return {"conditions": list(conditions), "question": question, "repeats": repeats}


def _append(path: Path, line: dict[str, object], new: bool = False) -> None:
    with path.open("x" if new else "a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> tuple[dict, list[Answer]]:
    """The plan and the answers; a last line that was cut off by a crash is left out."""
    content = read_regular(path, _LARGEST)
    try:
        lines = content.decode("utf-8").splitlines(keepends=True)
        plan, *answers = [json.loads(line) for line in lines if line.endswith("\n")]
        if plan["version"] != VERSION:
            raise InputError(f"{path.name}: version {plan['version']} of trials is not known.")
        checked(plan, _Plan, f"{path.name}: its first line")
        found = [checked(given, Answer, f"{path.name}: an answer") for given in answers]
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path.name} is no file of trials; choose another.") from None
    if lines and not lines[-1].endswith("\n"):
        path.write_text("".join(line for line in lines if line.endswith("\n")), encoding="utf-8")
    return plan, found
