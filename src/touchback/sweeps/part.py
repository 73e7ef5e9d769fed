"""What ended runs of a sweep gave: for some runs in a row one file, to which a line of JSON is
added as each run begins and as it ends. A line ends with the checksum (CRC-32) of what is before
it: another digit would be another number, which nobody would notice.

Whoever computes them holds the file's lock. The system takes it off a process that dies, however it
does; so a run is begun by one process at a time, whoever asks for it, and one that has ended is
never begun again.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from touchback.errors import NO_JSON, InputError
from touchback.numbers import is_real
from touchback.regular_file import read_regular

_LARGEST = 1 << 30  # bytes
Outcome: TypeAlias = "dict[str, float] | str"  # numbers by name, or why there are none


@dataclass
class Read:
    """What a part says: what runs gave, and how often each was begun by which call."""

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    begun: Counter[tuple[int, str]] = field(default_factory=Counter)


def read(path: Path, runs: range) -> Read:
    """What is in a part, of these runs; none is empty. A last line that was cut off is left out."""
    found = Read()
    if not path.exists():
        return found
    content = read_regular(path, _LARGEST)
    for number, row in enumerate(content.split(b"\n")[:-1], 1):
        try:
            index, kind, what = _understood(json.loads(_intact(row)), runs)
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


def line_of(index: int, kind: str, what: str | Mapping[str, float]) -> bytes:
    """A line: [run, kind, what, checksum]."""
    content = json.dumps([index, kind, what]).encode()
    return b'%s, "%08x"]\n' % (content[:-1], zlib.crc32(content))


def _intact(row: bytes) -> bytes:
    """A line without its checksum; a ValueError where that is another line's, or none."""
    content, _, said = row.rpartition(b", ")
    content += b"]"
    if said != b'"%08x"]' % zlib.crc32(content):
        raise ValueError("its checksum isn't that of what it says: it was damaged or edited")
    return content


def _understood(row: object, runs: range) -> tuple[int, str, Any]:
    """A line's fields; a ValueError where nobody wrote them so."""
    fields: Any = row if isinstance(row, list) and len(row) == 3 else [None] * 3
    index, kind, what = fields
    if type(index) is not int or index not in runs:
        raise ValueError(f"it is to be of one of runs {runs.start} to {runs.stop - 1}")
    numbers = isinstance(what, dict) and all(map(is_real, what.values()))
    if not (numbers if kind == "ended" else kind in ("begun", "failed") and isinstance(what, str)):
        raise ValueError("it is to tell of a run that begun, ended with numbers, or failed")
    return index, kind, what


class Part(Read):
    """A part whose lock is held."""

    def __init__(self, path: Path, file: int, runs: range) -> None:
        said = read(path, runs)
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
        rest = memoryview(line_of(index, kind, what))
        while rest:
            rest = rest[os.write(self._file, rest) :]


@contextmanager
def held(path: Path, runs: range) -> Iterator[Part]:
    """A part to add to, when nobody else does any more; its lines outlive a power cut
    afterwards."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        lock(file)
        yield Part(path, file, runs)
        os.fsync(file)
    finally:
        os.close(file)


def lock(file: int) -> None:
    """Waits until nobody else holds it; whoever closes the file, or dies, gives it back."""
    try:
        import fcntl  # not on every platform; there one call at a time may compute a sweep
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)
