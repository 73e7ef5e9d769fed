"""The file of a session: lines of JSON, the plan first, then an answer a line, each on disk before
anything goes on. What a crash cut off is left out when it is read again."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from touchback.errors import InputError
from touchback.recording.plain_data import checked
from touchback.regular_file import read_regular

VERSION = 2
_LARGEST = 1 << 24  # bytes

Plan = TypeVar("Plan")
Line = TypeVar("Line")


def begin(path: Path, plan: Mapping[str, object]) -> None:
    """A new file with its plan, which may not be there yet."""
    _write(path, {"version": VERSION, **plan}, "x")


def append(path: Path, line: Mapping[str, object]) -> None:
    """One more line; it is on disk when this returns."""
    _write(path, line, "a")


def _write(path: Path, line: Mapping[str, object], mode: str) -> None:
    """All of the line or, where the disk is full, nothing of it, so that the next can follow."""
    text = json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"
    with path.open(mode + "b", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(text.encode())
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(before)
            raise


def check_folder(path: Path) -> None:
    """Refuses a file in a folder that isn't there."""
    if not path.parent.is_dir():
        raise InputError(f"Trials: there is no folder {str(path.parent)!r}.")


def read(path: Path, plan: type[Plan], line: type[Line]) -> tuple[Plan, list[Line]]:
    """The plan and the lines after it. A last line that a crash cut off is taken off the file."""
    content = read_regular(path, _LARGEST)
    whole = content[: content.rfind(b"\n") + 1]
    try:
        first, *others = [msgspec.json.decode(one) for one in whole.splitlines()]
        version = first["version"]
    except (ValueError, KeyError, TypeError, msgspec.MsgspecError):
        raise InputError(f"{path.name} is no file of trials; choose another.") from None
    if version != VERSION:
        raise InputError(
            f"{path.name}: version {version} of trials, and this one reads {VERSION}; choose "
            "another file."
        )
    found = checked(first, plan, f"{path.name}: its first line")
    lines = [checked(each, line, f"{path.name}: an answer") for each in others]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    return found, lines
