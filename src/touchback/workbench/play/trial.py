"""The blind trial behind its page: a key whose voice only the server knows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from touchback.haptics.trials import Trials
from touchback.realtime.control.desk import OFTEN
from touchback.realtime.control.messages import Facts
from touchback.workbench.play import messages as asked
from touchback.workbench.play.blind import KEY, blind_desk
from touchback.workbench.play.piano import PianoBoard, Tell, nobody

VOICES = ("piano", "harpsichord", "organ", "wall")
QUESTION = "What was it?"
SHOWN = 3  # columns of a row that a blind person may see: time, depth, force


class TrialBoard:
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
        self._voices = tuple(voices)
        self.board = PianoBoard((KEY,), rate, self._hidden(), speed=speed)
        self.live = self.board.live
        self.tell: Tell = nobody
        self.shown: Callable[[np.ndarray], None] = lambda row: None
        self.board.shown = lambda row, keys, note: self.shown(row[:, :SHOWN])
        self._began = time.monotonic()
        self.desk = blind_desk(self.live)
        self.desk.add(asked.Press, self.board.press, OFTEN)
        self.desk.add(asked.Trial, self._where)
        self.desk.add(asked.Reply, self._reply)

    def __enter__(self) -> TrialBoard:
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

    def _reply(self, message: asked.Reply, client: str) -> Facts:
        self.trials.answer(message.text, time.monotonic() - self._began)
        self.board.choose(self._hidden())
        self._began = time.monotonic()
        facts = self._facts()
        self.tell("trial", facts)
        return facts

    def _facts(self) -> Facts:
        """Where the session stands: nothing in it tells what is hidden."""
        trials = self.trials
        told: dict[str, object] = {
            "note": KEY, "question": trials.question, "choices": self._voices,
            "answered": len(trials.answers), "count": trials.count, "done": trials.done,
        }  # fmt: skip
        if trials.done:
            kept = None if self._private else str(trials.path)
            return {**told, "table": trials.table(), "file": kept}
        return {**told, "label": trials.label}
