"""What ended runs of a sweep gave: for some runs in a row one file, to which a line of JSON is
added as each run begins and as it ends.

Whoever computes them holds the file's lock. The system takes it off a process that dies, however it
does; so a run is begun by one process at a time, whoever asks for it, and one that has ended is
never begun again.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from touchback.errors import NO_JSON, InputError

Outcome: TypeAlias = "dict[str, float] | str"  # numbers by name, or why there are none


@dataclass
class Read:
    """What a part says: what runs gave, and how often each was begun by which call."""

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    begun: Counter[tuple[int, str]] = field(default_factory=Counter)


def read(path: Path) -> Read:
    """What is in a part; none is empty. A last line that was cut off is left out."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Read()
    found = Read()
    for number, row in enumerate(content.split(b"\n")[:-1], 1):
        try:
            index, kind, what = json.loads(row)
        except (*NO_JSON, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: no line of a sweep ({error}). Delete this file: its runs "
                "are computed again."
            ) from None
        if kind == "begun":
            found.begun[index, what] += 1
        else:
            found.outcomes[index] = what
    return found


class Part(Read):
    """A part whose lock is held."""

    def __init__(self, path: Path, file: int) -> None:
        said = read(path)
        super().__init__(said.outcomes, said.begun)
        self._file = file
        os.ftruncate(file, path.read_bytes().rfind(b"\n") + 1)  # of a line that was cut off

    def begin(self, index: int, call: str) -> None:
        """A run begins."""
        self.begun[index, call] += 1
        self._append(index, "begun", call)

    def end(self, index: int, outcome: Outcome) -> None:
        """A run has ended; it is in the file, whatever happens to this process, when this
        returns."""
        self.outcomes[index] = outcome
        self._append(index, "failed" if isinstance(outcome, str) else "ended", outcome)

    def _append(self, index: int, kind: str, what: str | Mapping[str, float]) -> None:
        rest = memoryview(json.dumps([index, kind, what]).encode() + b"\n")
        while rest:
            rest = rest[os.write(self._file, rest) :]


@contextmanager
def held(path: Path) -> Iterator[Part]:
    """A part to add to, when nobody else does any more; its lines outlive a power cut
    afterwards."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        _lock(file)
        yield Part(path, file)
        os.fsync(file)
    finally:
        os.close(file)


def _lock(file: int) -> None:
    try:
        import fcntl  # not on every platform; there one call at a time may compute a sweep
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)
