"""Blind trials behind their pages: identification of a voice, and forced choice."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from touchback import Live
from touchback.errors import InputError
from touchback.haptics import Constant, Curve, Fit, ForcedChoice, Trials, report_lines
from touchback.instruments import TrialKey
from touchback.native import STALE
from touchback.realtime.control import CommandServer
from touchback.realtime.control.command_server import OFTEN
from touchback.realtime.control.control_messages import Facts, Read
from touchback.realtime.control.permissions import Exposed
from touchback.workbench.play import play_messages as asked
from touchback.workbench.play.piano_page import DEEPEST, PianoPage, Tell, nobody

FEEL = Exposed(inputs=False, parameters=False, hands=False, structure=False, transport=("resume",))


KEY = 60  # the note by which pages call the one key


def blind_command_server(live: Live) -> CommandServer:
    """A command server at which nothing can be set and no signal read: some of them (what a
    parameter's change gave in energy, the state of a voice in the background) would tell what is
    hidden. Anybody may stop the key, and let it go on."""
    commands = CommandServer(live, FEEL)
    commands.add(Read, _refuse_read)
    return commands


def _refuse_read(message: Read, client: str) -> Facts:
    raise InputError("In a blind trial no signals are read; depth and force come by themselves.")


VOICES = ("piano", "harpsichord", "organ", "wall")


QUESTION = "What was it?"


SHOWN = 3  # columns of a row that a blind person may see: time, depth, force


DEEP, FIRM = 2e-3, 0.05  # m, N: a key that is deeper and pushes more is being felt


def is_pressed(rows: np.ndarray, since: float = -np.inf) -> np.ndarray:
    """In which rows of time, depth and force the key is felt, from a time on."""
    felt: np.ndarray = (rows[:, 0] >= since) & (rows[:, 1] > DEEP) & (rows[:, 2] > FIRM)
    return felt


def check_felt(what: str, felt: bool, row: np.ndarray | None) -> None:
    """Refuses to go on from a touch that wasn't felt, or isn't over yet."""
    if not felt or row is None:
        raise InputError(f"{what} wasn't felt yet: press the key.")
    if is_pressed(row[None])[0]:
        raise InputError(f"The key is {1e3 * row[1]:.1f} mm down: let go of it first.")


def is_answered(asked_for: int, answered: int) -> bool:
    """Whether a reply is a late one to a trial that is answered; refuses one to a trial that isn't
    at hand yet."""
    if asked_for > answered + 1:
        raise InputError(
            f"Trial {asked_for} isn't at hand yet: {answered} are answered; answer {answered + 1}."
        )
    return asked_for <= answered


class IdentificationPage:
    """One key and a session of trials. Pages may press the key, see depth and force, and answer;
    which voice it is leaves the server only when all trials are answered. Answers are kept in the
    file of `path`; without one they are gone with the board."""

    def __init__(
        self,
        path: Path | None = None,
        voices: Sequence[str] = VOICES,
        question: str = QUESTION,
        repeats: int = 2,
        rate: float = 1000.0,
        speed: float | None = 1.0,
    ) -> None:
        # a folder that nobody else can enter, gone with the board or at the latest with the process
        self._private = None if path else TemporaryDirectory(prefix="touchback-")
        where = path or Path(self._private.name if self._private else "", "trial.jsonl")
        self.trials = Trials(where, voices, question, repeats)
        self._file, self._voices, self._repeats = where, tuple(voices), repeats
        self.board = PianoPage((KEY,), rate, self._hidden(), speed=speed)
        self.live = self.board.live
        self.tell: Tell = nobody
        self.shown: Callable[[np.ndarray], None] = lambda row: None
        self.board.shown = lambda row, keys, note: self._rows(row[:, :SHOWN])
        self._felt = False
        self._last: np.ndarray | None = None  # row of the key
        self._began, self._asked = 0.0, time.monotonic()
        self._going = threading.Lock()
        self.commands = blind_command_server(self.live)
        self.commands.add(asked.Press, self.board.press, OFTEN)
        self.commands.add(asked.Trial, self._where)
        self.commands.add(asked.Reply, self._reply)
        self.commands.add(asked.Again, self._again)

    def __enter__(self) -> IdentificationPage:
        self.board.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.board.__exit__(*error)
        finally:
            if self._private is not None:
                self._private.cleanup()

    def _hidden(self) -> str:
        return self._voices[0] if self.trials.done else self.trials.hidden

    def _where(self, message: asked.Trial, client: str) -> Facts:
        return self._facts()

    def _rows(self, rows: np.ndarray) -> None:
        self._felt = self._felt or bool(is_pressed(rows, self._began).any())
        self._last = rows[-1]
        self.shown(rows)

    def _pose(self) -> Facts:
        """The trial at hand is the key's from now on, and to be felt anew."""
        self.board.choose(self._hidden())
        self._began, self._felt = float(self.live.read("time")), False
        self._asked = time.monotonic()
        facts = self._facts()
        self.tell("trial", facts)
        return facts

    def _reply(self, message: asked.Reply, client: str) -> Facts:
        with self._going:
            trials = self.trials
            if is_answered(message.trial, len(trials.answers)):
                return self._facts()
            if not trials.done:
                check_felt(f"Trial {message.trial}", self._felt, self._last)
            trials.answer(message.text, time.monotonic() - self._asked)
            return self._pose()

    def _again(self, message: asked.Again, client: str) -> Facts:
        with self._going:
            self._begin_again()
            return self._pose()

    def _begin_again(self) -> None:
        """Answers of sessions before stay in their files, "trial.jsonl", "trial-2.jsonl" and so
        on."""
        before = self.trials
        if not before.done:
            raise InputError(
                f"{len(before.answers)} of {before.count} trials are answered: answer the others "
                "first."
            )
        numbered = (self._file.with_stem(f"{self._file.stem}-{i}") for i in itertools.count(2))
        file = next(each for each in numbered if not each.exists())
        self.trials = Trials(file, self._voices, before.question, self._repeats)

    def _facts(self) -> Facts:
        """Where the session stands: nothing in it tells what is hidden."""
        trials = self.trials
        told: dict[str, object] = {
            "note": KEY, "question": trials.question, "choices": self._voices,
            "answered": len(trials.answers), "count": trials.count, "done": trials.done,
            "firm": (DEEP, FIRM),
        }  # fmt: skip
        if trials.done:
            kept = None if self._private else str(trials.path)
            return {**told, "table": trials.table(), "file": kept}
        return {**told, "label": trials.label}


class ForcedChoicePage:
    """A key and a session of forced choice. Pages press it (unless it is on a wire), go on from
    touch to touch, and say which had more. What a touch has leaves the server as depth and force
    only, until all is answered."""

    def __init__(self, session: ForcedChoice, key: TrialKey) -> None:
        self.session, self.key, self.live = session, key, key.live
        self.tell: Tell = nobody
        self.shown: Callable[[np.ndarray], None] = lambda row: None
        self._touch, self._felt = 0, False
        self._spans: list[tuple[float, float]] = []
        self._began = self._asked = 0.0
        self._going = threading.Lock()
        self.commands = blind_command_server(self.live)
        self.commands.add(asked.Press, self._press, OFTEN)
        self.commands.add(asked.Trial, self._where)
        self.commands.add(asked.Onward, self._onward)
        self.commands.add(asked.Reply, self._reply)

    def __enter__(self) -> ForcedChoicePage:
        self.key.__enter__()
        self.live.tap(self._rows)
        self._pose()
        return self

    def __exit__(self, *error: object) -> None:
        self.key.__exit__(*error)

    def _pose(self) -> None:
        """Begins the trial at hand, if there is one, with its first touch."""
        posed = self.session.current_trial
        if posed is None:
            return
        self.session.forces.mkdir(exist_ok=True)
        self.key.begin(posed.order, self.session.recording)
        self._spans, self._touch = [], 0
        self._next(posed.order)

    def _next(self, order: tuple[float, ...]) -> None:
        """Every touch is given anew, the same ones too: nothing tells which is which."""
        self._began = self.key.give(order[self._touch])
        self._touch, self._felt, self._asked = self._touch + 1, False, time.monotonic()

    def _leave(self) -> None:
        """Ends a touch; refuses while it isn't over. While the line is silent nobody knows whether
        the key was let go: what was felt until then doesn't count, and is posed again."""
        if self.key.silent and (self._felt or self._touch > 1):
            self._end()
        if self.key.silent:
            raise InputError("No position comes from the key: repair its line, then press it.")
        now = [scale * float(self.live.read(name)) for name, scale in self.key.signals]
        row = np.array([self.live.read("time"), *now])
        check_felt(f"Touch {self._touch}", self._felt, row)
        self._spans.append((self._began, float(self.live.read("time"))))

    # ---- what is asked --------------------------------------------------------------------------

    def _press(self, message: asked.Press, client: str) -> Facts:
        if self.key.wired:
            raise InputError("The key is on a wire: press it there.")
        self.live["finger wish"] = min(message.depth, DEEPEST)
        return {"tick": self.live.ticks}

    def _where(self, message: asked.Trial, client: str) -> Facts:
        with self._going:
            return self._facts()

    def _onward(self, message: asked.Onward, client: str) -> Facts:
        with self._going:
            posed = self.session.current_trial
            if posed is None or self._touch >= len(posed.order):
                raise InputError("There is no other touch in this trial: answer.")
            self._leave()
            self._next(posed.order)
            return self._tell_facts()

    def _reply(self, message: asked.Reply, client: str) -> Facts:
        with self._going:
            if is_answered(message.trial, len(self.session.answers)):
                return self._facts()
            posed = self.session.current_trial
            choices = self._choices()
            if posed is not None and message.text not in choices:
                raise InputError(f"Answer with one of {', '.join(choices)}.")
            if posed is not None and self._touch < len(posed.order):
                raise InputError(
                    f"Touch {self._touch} of {len(posed.order)} is at hand: feel all, then answer."
                )
            if posed is not None:
                self._leave()
                self._end()
            self.session.answer(int(message.text), time.monotonic() - self._asked, self._spans)
            self._pose()
            return self._tell_facts()

    def _end(self) -> None:
        """Ends the trial at hand; one that doesn't count is posed again."""
        try:
            self.key.end()
        except InputError:
            self._pose()
            self._tell_facts()
            raise

    def _choices(self) -> list[str]:
        return [str(i + 1) for i in range(self.session.design.intervals)]

    # ---- what it tells --------------------------------------------------------------------------

    def _tell_facts(self) -> Facts:
        facts = self._facts()
        self.tell("trial", facts)
        return facts

    def _facts(self) -> Facts:
        """Where the session stands: nothing in it tells what is hidden."""
        session, design = self.session, self.session.design
        facts: dict[str, object] = {
            "note": KEY, "question": design.question, "choices": self._choices(),
            "touches": design.intervals, "answered": len(session.answers), "done": session.done,
            "count": design.method.most if isinstance(design.method, Constant) else None,
            "wired": self.key.wired, "firm": (DEEP, FIRM),
        }  # fmt: skip
        if session.current_trial is not None:
            return {**facts, "label": session.current_trial.label, "touch": self._touch}
        return {**facts, "threshold": self._threshold(session.result()), "file": str(session.path)}

    def _threshold(self, fit: Fit) -> Facts:
        """An end that the answers don't tell is null."""
        curve, counts, design = Curve.of(fit), fit.counts, self.session.design
        return {
            "said": report_lines(self.session, fit),
            "level": fit.threshold, "varied": design.varied,
            "base": design.base, "unit": design.unit, "guess": design.guess,
            "low": fit.low or None, "high": fit.high if np.isfinite(fit.high) else None,
            "confidence": fit.confidence, "levels": counts.levels.tolist(),
            "asked": counts.asked.tolist(), "right": (counts.right / counts.asked).tolist(),
            "curve": [curve.levels.tolist(), curve.right.tolist()],
        }  # fmt: skip

    def _rows(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        (depth, to_depth), (force, to_force) = self.key.signals
        names = [columns.index(name) for name in ("time", depth, force)]
        shown = rows[:, names] * (1.0, to_depth, to_force)
        known = rows[:, columns.index("flags")].astype(int) & STALE == 0  # else it is an old depth
        firm = is_pressed(shown, self._began) & known
        if self._touch == 1 and not self._felt:
            first = int(np.argmax(firm)) if firm.any() else len(rows)
            self.key.overlook(but=int(np.count_nonzero(~known[first:])))
        self._felt = self._felt or bool(firm.any())
        self.shown(shown)
