"""What a sweep's folder says of itself: which function at which points; another sweep is refused
there.

What ended runs of a sweep gave: for some runs in a row one file, to which a line of JSON is added
as each run begins and as it ends. A line ends with the checksum (CRC-32) of what is before it:
another digit would be another number, which nobody would notice.

Whoever computes them holds the file's lock. The system takes it off a process that dies, however it
does; so a run is begun by one process at a time, whoever asks for it, and one that has ended is
never begun again.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pickle
import secrets
import socket
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

from touchback.errors import NO_JSON, InputError
from touchback.numbers import is_real
from touchback.safe_files import read_regular, write_atomically
from touchback.sweeps.sweep_designs import Design

_LARGEST = 1 << 30  # bytes


Outcome: TypeAlias = "dict[str, float] | str"  # numbers by name, or why there are none


@dataclass
class Read:
    """What a part says: what runs gave, and how often each was begun by which call."""

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    begun: Counter[tuple[int, str]] = field(default_factory=Counter)


def read_part(path: Path, runs: range) -> Read:
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
        said = read_part(path, runs)
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
def hold_part(path: Path, runs: range) -> Iterator[Part]:
    """A part to add to, when nobody else does any more; its lines outlive a power cut
    afterwards."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        lock_file(file)
        yield Part(path, file, runs)
        os.fsync(file)
    finally:
        os.close(file)


def lock_file(file: int) -> None:
    """Waits until nobody else holds it; whoever closes the file, or dies, gives it back."""
    try:
        import fcntl  # not on every platform; there one call at a time may compute a sweep
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)


_FILE, _LOCK = "sweep.json", ".lock"


_VERSION = 2  # from which on lines of parts have checksums


_LARGEST_MANIFEST = 1 << 24  # bytes


_OTHER = "give another folder, or delete this one to compute it anew"


def open_folder(folder: Path, function: Callable[..., object], design: Design) -> str:
    """The sweep that a folder holds, begun when it holds none; refused when it is another one."""
    asked = {
        "version": _VERSION,
        "function": _name(function),
        "function's source": _source(function),
        **design.about(),
        "points": _digest(design.points().astype("<f8").tobytes()),
    }
    if not (folder / _FILE).exists():
        _begin(folder, asked)
    (folder / "parts").mkdir(exist_ok=True)
    found = _read(folder)
    for name in [*asked, *(set(found) - set(asked) - {"sweep"})]:
        there, here = found.get(name), asked.get(name)
        if there != here:
            raise InputError(
                f"'{folder}' holds another sweep: {name} is {_short(there)} there and "
                f"{_short(here)} here; {_OTHER}."
            )
    return str(found["sweep"])


def check_shared(folder: Path, sweep: str) -> None:
    """Refuses a folder that isn't the one of the sweep: another machine's of the same name."""
    if not (folder / _FILE).exists() or _read(folder)["sweep"] != sweep:
        raise InputError(
            f"Worker on {socket.gethostname()}: '{folder}' isn't the sweep's folder there. Give a "
            "folder that all workers share, under the same path."
        )


def _begin(folder: Path, asked: dict[str, object]) -> None:
    """Of those who begin it at once the first does."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            if (folder / _FILE).exists():
                return
            if any(not each.name.startswith(".") for each in folder.iterdir()):
                raise InputError(f"'{folder}' holds other things than a sweep; give a new folder.")
            about = {"sweep": secrets.token_hex(8), **asked}
            write_atomically(folder / _FILE, json.dumps(about, indent=1))
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{str(folder)!r} can't hold a sweep: {why}.") from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        lock_file(file)
        yield
    finally:
        os.close(file)


def _read(folder: Path) -> dict[str, object]:
    path = folder / _FILE
    try:
        found = json.loads(read_regular(path, _LARGEST_MANIFEST))
        if "sweep" in found:
            return dict(found)
    except (*NO_JSON, TypeError):
        pass
    raise InputError(f"{path} is damaged or no description of a sweep; {_OTHER}.")


def _name(function: Callable[..., object]) -> str:
    if isinstance(function, partial):
        return _name(function.func)
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _source(function: Callable[..., object]) -> str:
    """A digest of what is written of a function, and of what an object that is called holds."""
    plain = isinstance(function, FunctionType)
    try:
        text = inspect.getsource(function if plain else type(function)).encode()
    except (OSError, TypeError):  # written nowhere, or in C
        text = b""
    return _digest(text + (b"" if plain else pickle.dumps(function)))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _short(value: object) -> str:
    return repr(value) if value is not None else "missing"
