"""Blind trials of touch: conditions shuffled and hidden, answers on disk before the next is felt.

A session is a file of lines of JSON: first what was planned (with the hidden order), then one line
an answer. A session that is broken off goes on where it stopped."""

import random
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from touchback.errors import InputError
from touchback.haptics.trials import trial_journal
from touchback.haptics.trials.trial_journal import Journal, fresh_labels
from touchback.names import first_repeated
from touchback.numbers import shown
from touchback.safe_files import path_of

KIND = "identification"


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
    is shown by a fresh label (such as K3), which says nothing and never comes again. The person
    says which condition it was, or one of other `choices`; with none, `()`, what it was like."""

    def __init__(
        self,
        path: str | Path,
        conditions: Sequence[str],
        question: str,
        repeats: int = 3,
        seed: int | None = None,
        choices: Sequence[str] | None = None,
    ) -> None:
        self.path = path_of(path)
        trial_journal.check_folder(self.path)
        plan = _checked(conditions, question, repeats, choices)
        if self.path.exists():
            self._journal = Journal(self.path)
            self._plan, self.answers = self._journal.read(KIND, _Plan, Answer)
            given = {key: getattr(self._plan, key) for key in plan}
            if given != plan:
                raise InputError(
                    f"{self.path.name} holds another session ({given}); choose another file, or go "
                    "on with the same conditions, question, repeats and choices."
                )
            self._hold_to_plan()
        else:
            chosen = secrets.randbelow(1 << 32) if seed is None else seed
            order = list(conditions) * repeats
            random.Random(chosen).shuffle(order)
            labels = list(fresh_labels(len(order), chosen))
            self._plan = msgspec.convert({**plan, "order": order, "labels": labels}, _Plan)
            self.answers = []
            self._journal = Journal.begun(self.path, msgspec.to_builtins(self._plan))

    def _hold_to_plan(self) -> None:
        """Refuses a plan that poses other trials than it names, and answers to others."""
        plan, name = self._plan, self.path.name
        fresh = len(set(plan.labels)) == len(plan.labels) == len(plan.order)
        if sorted(plan.order) != sorted(plan.conditions * plan.repeats) or not fresh:
            raise InputError(
                f"{name}, line 1: its order of {len(plan.order)} trials with {len(plan.labels)} "
                f"labels isn't each of {len(plan.conditions)} conditions {plan.repeats} times "
                "under a label of its own: it was edited; put it back from a copy."
            )
        if len(self.answers) > len(plan.order):
            raise trial_journal.too_many(name, len(plan.order))
        for number, (label, condition, given) in enumerate(
            zip(plan.labels, plan.order, self.answers, strict=False), 1
        ):
            due = {"number": number, "label": label, "condition": condition}
            trial_journal.held_to(name, number, asdict(given), due)
            if plan.choices:
                trial_journal.one_of(name, number, given.answer, plan.choices)

    @property
    def choices(self) -> tuple[str, ...]:
        """What may be answered; any words where there are none."""
        return tuple(self._plan.choices)

    @property
    def question(self) -> str:
        return self._plan.question

    @property
    def count(self) -> int:
        """Trials in the whole session."""
        return len(self._plan.order)

    @property
    def done(self) -> bool:
        """Whether all trials are answered."""
        return len(self.answers) >= self.count

    @property
    def label(self) -> str:
        """What the next trial is called in front of the person."""
        self._check_open()
        return self._plan.labels[len(self.answers)]

    @property
    def hidden(self) -> str:
        """The condition of the next trial: for the machine, not for the person."""
        self._check_open()
        return self._plan.order[len(self.answers)]

    def _check_open(self) -> None:
        if self.done:
            raise InputError(f"{self.path.name}: all {self.count} trials are answered.")

    def answer(self, text: str, seconds: float = 0.0) -> Answer:
        """Keep the answer to the trial at hand, one of the choices; it is on disk when this
        returns."""
        self._check_open()
        said = text.strip()
        if (self.choices and said not in self.choices) or not said:
            words = f"one of {', '.join(self.choices)}" if self.choices else "some words"
            raise InputError(f"Trial {self.label}: {text!r} is no answer; give {words}.")
        given = Answer(len(self.answers) + 1, self.label, self.hidden, said, float(seconds))
        self._journal.append(asdict(given))
        self.answers.append(given)
        return given

    @property
    def right(self) -> int:
        """How many answers named the condition that was there."""
        return sum(given.answer == given.condition for given in self.answers)

    def table(self) -> dict[str, dict[str, int]]:
        """How often each answer was given to each condition; only when all trials are answered."""
        if not self.done:
            raise InputError(
                f"{self.path.name}: {self.count - len(self.answers)} trials are open; looking now "
                "would end the blindness."
            )
        counts: dict[str, dict[str, int]] = {name: {} for name in self._plan.conditions}
        for given in self.answers:
            row = counts[given.condition]
            row[given.answer] = row.get(given.answer, 0) + 1
        return counts


class _Plan(msgspec.Struct):
    """What the first line of a file holds."""

    kind: str
    conditions: list[str]
    question: str
    repeats: int
    choices: list[str]
    order: list[str]
    labels: list[str]


def _checked(
    conditions: Sequence[str], question: str, repeats: int, choices: Sequence[str] | None
) -> dict[str, object]:
    for names in (conditions, () if choices is None else choices):
        words = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
        if not words or first_repeated(names) is not None:
            raise InputError(f"Trials: {shown(names)} given; names are expected, each once.")
    if not 2 <= len(conditions) <= 26:
        raise InputError(f"Trials: conditions {list(conditions)}; give 2 to 26 names, each once.")
    if not isinstance(question, str):
        raise InputError(f"Trials: a question is a text, got {shown(question)}.")
    if not (isinstance(repeats, int) and repeats >= 1):
        raise InputError(f"Trials: {repeats} repeats; each condition is felt once at least.")
    return {
        "kind": KIND, "conditions": list(conditions), "question": question, "repeats": repeats,
        "choices": list(conditions if choices is None else choices),
    }  # fmt: skip
