"""Folders of generated text.

A folder has a list of what was generated into it (`.generated`: checksums and paths), so that the
next generation takes away what it no longer writes, and nothing else."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from touchback.errors import InputError
from touchback.numbers import LEAST, number_within
from touchback.safe_files import check_output, read_regular, write_atomically

_LIST = ".generated"


_LONGEST_NAME = 100  # letters, of what we write


_LARGEST = 100_000_000  # bytes of what was generated


def write_folder(where: Path, files: Mapping[str, str | bytes]) -> list[Path]:
    """Writes files by their paths in a folder, which is made where it isn't there, and gives these
    paths. Those of an earlier generation that aren't among them go, unless they were changed since;
    other files in it stay: where one has the name of a file to be written, nothing is."""
    if not os.path.isdir(where):
        if os.path.lexists(where):
            raise InputError(f"'{where}' is a file or leads nowhere; give the name of a folder.")
        check_output(where, label="Folder")
    contents = {
        name: content.encode() if isinstance(content, str) else content
        for name, content in files.items()
    }
    before = _generated(where)
    _refuse_others(where, contents, before)
    now = {name: _checksum(content) for name, content in contents.items()}
    os.makedirs(where, exist_ok=True)
    _list(where, {**before, **now})  # first: who is killed on the way may begin again
    for name, content in contents.items():
        path = where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        check_output(path)
        write_atomically(path, content)
    for name, checksum in before.items():
        if name not in contents:
            _remove(where, name, checksum)
    _list(where, now)
    return [where / name for name in contents]


def _list(where: Path, checksums: Mapping[str, str]) -> None:
    check_output(where / _LIST)
    lines = (f"{checksum}  {name}\n" for name, checksum in checksums.items())
    write_atomically(where / _LIST, "".join(lines))


def _generated(where: Path) -> dict[str, str]:
    """Checksums of what was generated last, by paths inside of the folder."""
    if not (where / _LIST).is_file():
        return {}
    text = read_regular(where / _LIST, _LARGEST).decode(errors="replace")
    rows = (line.partition("  ") for line in text.splitlines())
    return {name: checksum for checksum, _, name in rows if _inside(where, name)}


def _refuse_others(where: Path, contents: Mapping[str, bytes], before: Mapping[str, str]) -> None:
    """Raise where files that weren't generated have names that are to be written, and where links
    would lead what is written out of the folder."""
    for name in (_LIST, *contents):
        if not _inside(where, name):
            raise InputError(f"'{where / name}' leads out of its folder; take it away.")
    names = [name for name in contents if name not in before and (where / name).is_file()]
    others = [name for name in names if not _is_still(where / name, _checksum(contents[name]))]
    if others:
        listed = ", ".join(f"'{name}'" for name in others[:3])
        raise InputError(
            f"'{where}' has {listed}{' …' if others[3:] else ''}, which wasn't generated there and "
            "would be lost; give another folder, or move it away."
        )


def _inside(where: Path, name: str) -> bool:
    path = PurePosixPath(name)
    plain = bool(path.parts) and not path.is_absolute() and ".." not in path.parts
    if not plain or "\0" in name or max(map(len, path.parts)) > _LONGEST_NAME:
        return False
    return (where / name).resolve().is_relative_to(where.resolve())


def _remove(where: Path, name: str, checksum: str) -> None:
    """A file that is still as it was generated, and folders that are then empty."""
    path = where / name
    if path.is_symlink() or not path.is_file():
        return
    if not _is_still(path, checksum):
        return
    path.unlink()
    for folder in path.relative_to(where).parents:
        if folder.parts and not any((where / folder).iterdir()):
            (where / folder).rmdir()


def _is_still(path: Path, checksum: str) -> bool:
    return _checksum(read_regular(path, path.stat().st_size)) == checksum


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


_LONGEST = 1.0  # [s]


def checked_step(kind: str, step: float) -> float:
    """A step of what is generated [s]."""
    return number_within(f"{kind}: step is in seconds", step, LEAST, _LONGEST)
