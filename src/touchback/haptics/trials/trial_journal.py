"""The file of a session: lines of JSON, the plan first, then an answer a line, each on disk before
anything goes on. One program at a time writes it; what a crash cut off is left out when it is read
again, and what somebody edited is refused, with its line."""

from __future__ import annotations

import json
import os
import random
import secrets
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TypeVar
from weakref import WeakValueDictionary

import msgspec

from touchback.errors import NO_JSON, InputError
from touchback.json_validation import checked
from touchback.safe_files import open_regular, read_regular

VERSION = 2


_LARGEST = 1 << 24  # bytes


_BACK = "put it back from a copy, or take it and all lines after it out: those before it are kept"


Plan = TypeVar("Plan")


Line = TypeVar("Line")


class _Lock:
    """A file that no other program may open as a session. The system takes the lock off a program
    that dies, however it does."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._file = file
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # not on every platform; there only a foreign line tells of the other
            return
        except OSError:
            file.close()
            raise InputError(
                f"{path.name} is in use by another program; end that one, or choose another file."
            ) from None

    def __del__(self) -> None:
        self._file.close()


_HELD: WeakValueDictionary[tuple[int, int], _Lock] = WeakValueDictionary()


class Journal:
    """An open file, held until nobody needs it any more."""

    def __init__(self, path: Path) -> None:
        self.path = path
        file = open_regular(path, _LARGEST)
        self._where = _place(os.fstat(file.fileno()))
        held = _HELD.get(self._where)  # a program may open its own file twice
        if held is None:
            held = _HELD[self._where] = _Lock(path, file)
        else:
            file.close()
        self._lock = held
        self._end = 0

    @classmethod
    def begun(cls, path: Path, plan: Mapping[str, object]) -> Journal:
        """A new file with its plan: there is all of it or none, whatever happens meanwhile."""
        beside = path.with_name(f".{path.stem[:40]}.{secrets.token_hex(4)}.part")
        try:
            with beside.open("xb", buffering=0) as file:
                _write(file, {"version": VERSION, **plan})
            try:
                os.link(beside, path)
            except FileExistsError:
                raise InputError(
                    f"{path.name} was begun by another program just now; choose another file."
                ) from None
            except OSError:  # a disk without links
                os.rename(beside, path)
        finally:
            beside.unlink(missing_ok=True)
        self = cls(path)
        self._end = path.stat().st_size
        return self

    def append(self, line: Mapping[str, object]) -> None:
        """One more line; it is on disk when this returns. Refused when anything else has written
        to the file, of which nothing is touched."""
        try:
            with self.path.open("r+b", buffering=0) as file:
                found = os.fstat(file.fileno())
                if _place(found) != self._where or found.st_size != self._end:
                    raise InputError(
                        f"{self.path.name} was changed by something else while the session ran: it "
                        f"has {found.st_size} bytes, not {self._end}. This answer isn't kept; "
                        "start again, and the session goes on after what is there."
                    )
                self._end = _write(file, line)
        except FileNotFoundError:
            raise InputError(
                f"{self.path.name} is gone: it was moved or deleted while the session ran. Put it "
                "back; this answer isn't kept."
            ) from None

    def read(self, kind: str, plan: type[Plan], line: type[Line]) -> tuple[Plan, list[Line]]:
        """The plan of a kind of session and the lines after it. A last line that a crash cut off is
        taken off the file."""
        name = self.path.name
        content = read_regular(self.path, _LARGEST)
        rows = content.split(b"\n")
        cut = rows.pop()
        if _whole(cut):  # an editor left the last line's end out
            rows.append(cut)
            cut = b""
        first = _plan_line(name, rows, cut)
        if (other := first.get("kind", kind)) != kind:
            raise InputError(
                f"{name} holds another session, of {other!r}, not of {kind!r}; choose another file."
            )
        found = checked(first, plan, f"{name}, line 1, its plan,")
        lines = [_answer_line(name, i, row, line) for i, row in enumerate(rows[1:], 2)]
        self._mend(content, cut)
        return found, lines

    def _mend(self, content: bytes, cut: bytes) -> None:
        if cut:
            os.truncate(self.path, len(content) - len(cut))
        elif not content.endswith(b"\n"):
            with self.path.open("ab") as file:
                file.write(b"\n")
        self._end = self.path.stat().st_size


def held_to(name: str, number: int, found: Mapping[str, object], due: Mapping[str, object]) -> None:
    """Refuses the answer to a trial, from 1, that isn't what the plan says of it."""
    for key, value in due.items():
        if found[key] != value:
            raise InputError(
                f"{name}, line {number + 1}: its {key} is {found[key]!r}, and by the plan that of "
                f"trial {number} is {value!r}: the line, or the plan, was edited; {_BACK}."
            )


def one_of(name: str, number: int, answer: object, choices: Collection[object]) -> None:
    """Refuses the answer to a trial, from 1, that nobody could have given."""
    if answer not in choices:
        words = ", ".join(map(str, choices))
        raise InputError(
            f"{name}, line {number + 1}: its answer is {answer!r}, and it was one of {words}: the "
            f"line was edited; {_BACK}."
        )


def too_many(name: str, count: int) -> InputError:
    """For a file with more answers than trials."""
    return InputError(
        f"{name}, line {count + 2}: the plan has {count} trials, and this is one answer more; take "
        "this line and those after it out."
    )


def check_folder(path: Path) -> None:
    """Refuses a file in a folder that isn't there."""
    if not path.parent.is_dir():
        raise InputError(f"Trials: there is no folder {str(path.parent)!r}.")


def _place(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _write(file: BinaryIO, line: Mapping[str, object]) -> int:
    """All of the line or, where the disk is full, nothing of it, so that the next can follow;
    gives where it ends."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"
    before = file.seek(0, os.SEEK_END)
    try:
        rest = memoryview(text.encode())
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except OSError:
        file.truncate(before)
        raise
    return file.tell()


def _whole(row: bytes) -> bool:
    """Whether a line without an end is a whole one: what was cut off never is."""
    try:
        return isinstance(msgspec.json.decode(row), dict)
    except NO_JSON:
        return False


def _plan_line(name: str, rows: list[bytes], cut: bytes) -> Mapping[str, object]:
    row = rows[0] if rows else cut
    if not row.strip():
        rest = f"{len(rows) - 1} lines follow" if len(rows) > 1 else "and nothing follows"
        mend = "put it back from a copy" if len(rows) > 1 else "delete the file"
        raise InputError(
            f"{name}, line 1: blank where the plan is to be, {rest}; {mend}, or choose another."
        )
    try:
        first = msgspec.json.decode(row)
        version = first["version"]
    except (*NO_JSON, KeyError, TypeError) as error:
        if not row.lstrip().startswith(b'{"version"'):
            raise InputError(f"{name} is no file of trials; choose another.") from None
        mend = "put it back from a copy" if len(rows) > 1 else "delete the file: no answer is in it"
        raise InputError(
            f"{name}, line 1: the plan was cut off or edited ({error}); {mend}, or choose another."
        ) from None
    if version != VERSION:
        raise InputError(
            f"{name}: version {version} of trials, and this one reads {VERSION}; choose another "
            "file."
        )
    return dict(first)


def _answer_line(name: str, number: int, row: bytes, kind: type[Line]) -> Line:
    if not row.strip():
        raise InputError(f"{name}, line {number}: blank; take it out.")
    try:
        found = msgspec.json.decode(row)
    except NO_JSON as error:
        raise InputError(f"{name}, line {number}: no JSON ({error}); {_BACK}.") from None
    try:
        return checked(found, kind, f"{name}, line {number}, an answer,")
    except InputError as error:
        raise InputError(f"{str(error).rstrip('.')}; {_BACK}.") from None


_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


@lru_cache(8)
def fresh_labels(count: int, seed: int | None) -> tuple[str, ...]:
    """A name for each of so many trials, such as "K3": each comes once, so that none reminds of
    what was felt under it before, and their order tells nothing."""
    numbers = range(1, 2 + 2 * count // len(_LETTERS))
    names = [f"{letter}{number}" for number in numbers for letter in _LETTERS]
    return tuple(random.Random(f"labels {seed}").sample(names, count))
