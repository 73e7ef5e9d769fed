"""Large functions kept on disk between runs, as the shared objects of `elf.py`.

The folder is $TOUCHBACK_CACHE, else $XDG_CACHE_HOME/touchback, else ~/.cache/touchback; an empty
TOUCHBACK_CACHE, or "off", turns the cache off. The key of a file covers everything that its code
depends on, so files never have to be invalidated. The file holds its key: one that is damaged, or
was kept under another key, is written anew.

What is read here is executed. So the folder and the file must belong to the user, be writable by
nobody else and be no links; otherwise they are passed over with a warning, and the code is emitted
anew.

Files of the code cache: read only if nobody else can have written them, written at once or not at
all, and deleted when they are old or too many.

Folder and files are opened first and then checked, and names are looked up in the open folder, so
that neither can be exchanged in between. Several processes may read, write and delete at once: a
reader has all bytes of a file before it uses any, and a file that is gone is emitted anew.
"""

import functools
import hashlib
import os
import re
import secrets
import stat
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from touchback.codegen.calling_convention import ABI_VERSION
from touchback.codegen.elf import read_elf, write_elf
from touchback.codegen.emit_machine_code import MachineCode, emit
from touchback.codegen.host_cpu import cpu_features
from touchback.errors import CompileError
from touchback.symbolic import ARRAYS, Program, ops, sincos

WORTHWHILE = 2000  # operations: below that, emitting takes about as long as reading a file


def cache_folder() -> Path | None:
    """Where files are kept, None when the cache is off."""
    chosen = os.environ.get("TOUCHBACK_CACHE")
    if chosen is not None:
        return None if chosen in ("", "off") else Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "touchback"


def emit_cached(program: Program, name: str, target: str, lanes: int) -> MachineCode:
    """What `emit` gives, read from the cache if it is there, and kept in it if worthwhile."""
    folder = cache_folder()
    if folder is None or len(program.op) < WORTHWHILE:
        return emit(program, target, lanes)
    key = _key(program, name, target, lanes)
    file = folder / f"{key}.so"
    try:
        return read_elf(read_own(file), name, key)
    except UntrustedCacheError as doubt:
        warnings.warn(str(doubt), RuntimeWarning, stacklevel=4)
        if doubt.folder:
            return emit(program, target, lanes)
    except (OSError, CompileError):
        pass
    code = emit(program, target, lanes)
    _keep(file, write_elf(code, name, key))
    return code


def _key(program: Program, name: str, target: str, lanes: int) -> str:
    """A hash of the program and of everything else that its machine code depends on."""
    rows = (program.op, program.a, program.b, program.c, program.outputs)
    parts = [np.array(row, np.int64).tobytes() for row in rows]
    parts.append(np.array(list(program.values), np.int64).tobytes())
    parts.append(np.array(list(program.values.values()), np.float64).tobytes())
    places = [(i, ARRAYS.index(array), index) for i, (array, index) in program.inputs.items()]
    parts.append(np.array(places, np.int64).tobytes())
    alike = [(node, *part) for node, part in program.alike.items()]
    parts.append(np.array(alike, np.int64).tobytes())
    parts.append(bytes(int(lookup.want) for lookup in program.lookups))
    about = (name, target, lanes, ABI_VERSION, *sorted(cpu_features()), _emitter_version())
    parts.append(repr(about).encode())
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


@functools.cache
def _emitter_version() -> str:
    """A hash of the source of the emitters: no number that somebody could forget to raise."""
    digest = hashlib.sha256()
    taken = (Path(ops.__file__), Path(sincos.__file__))
    for file in (*sorted(Path(__file__).parent.glob("*.py")), *taken):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _keep(file: Path, data: bytes) -> None:
    """Writes a file, or warns why it can't be written."""
    try:
        write_own(file, data)
    except UntrustedCacheError as doubt:  # the folder has changed since it was read
        warnings.warn(str(doubt), RuntimeWarning, stacklevel=5)
    except OSError as error:
        warnings.warn(
            f"Machine code is not kept in {file.parent} ({error.strerror}); set TOUCHBACK_CACHE to "
            'a folder that can be written, or to "off".',
            RuntimeWarning,
            stacklevel=5,
        )


LARGEST = 256 * 2**20  # bytes that all files take together; the longest unused are deleted


OLDEST = 90 * 86400.0  # seconds: a file that was not used for so long is deleted


_USED_AGAIN = 86400.0  # seconds: a use is noted at most once in this time


_LEFT_BEHIND = 3600.0  # seconds: a part that is as old was left by a process that ended


_OURS = re.compile(r"[0-9a-f]{64}\.(?:so|[0-9a-f]{8}\.part)")


class UntrustedCacheError(Exception):
    """Somebody else could have written it: the folder, or only a file in it."""

    def __init__(self, message: str, folder: bool) -> None:
        super().__init__(message)
        self.folder = folder


def read_own(file: Path) -> bytes:
    """The bytes of a file that nobody else can have written."""
    with _own_folder(file.parent) as folder:
        if stat.S_ISLNK(os.stat(file.name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise _stranger(file, "it is a link")
        descriptor = os.open(file.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    with open(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if (wrong := _not_ours(status)) is not None:
            raise _stranger(file, wrong)
        if not stat.S_ISREG(status.st_mode):
            raise _stranger(file, "it is no regular file")
        if time.time() - status.st_mtime > _USED_AGAIN:
            with suppress(OSError):  # where nothing can be written, nothing is deleted either
                os.utime(descriptor)
        return stream.read(LARGEST)


def write_own(file: Path, data: bytes) -> None:
    """Writes a file at once or not at all, whoever else writes it at the same time, and deletes
    what is too old or too much beside it."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _own_folder(file.parent) as folder:
        part = f"{file.stem}.{secrets.token_hex(4)}.part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        descriptor = os.open(part, flags, 0o600, dir_fd=folder)
        try:
            with open(descriptor, "wb") as stream:
                stream.write(data)
            os.replace(part, file.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            _delete(part, folder)
            raise
        _evict(folder, file.name)


def _evict(folder: int, newest: str) -> None:
    """Deletes files of ours that were not used for long, then the longest unused until the others
    fit; never the newest, and nothing that isn't ours."""
    found = sorted(_files(folder, time.time()))
    total = sum(size for _, size, _ in found)
    for age, size, name in reversed(found):
        whole = name.endswith(".so")
        if name != newest and (age > OLDEST or (total > LARGEST if whole else age > _LEFT_BEHIND)):
            _delete(name, folder)
            total -= size


def _files(folder: int, now: float) -> Iterator[tuple[float, int, str]]:
    """Seconds since the last use, size and name of each; one from the future, by a clock that was
    wrong, is as old as it is ahead."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # another process deleted it
                    status = entry.stat(follow_symlinks=False)
                    yield abs(now - status.st_mtime), status.st_size, entry.name


def _delete(name: str, folder: int) -> None:
    with suppress(OSError):  # another process was faster, or nothing can be written any more
        os.unlink(name, dir_fd=folder)


@contextmanager
def _own_folder(folder: Path) -> Iterator[int]:
    """A descriptor of a folder that nobody else can have written, and that is no link."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        if folder.is_symlink():
            raise _unused(folder, "it is a link, and who made it chose where it leads") from None
        raise
    try:
        if (wrong := _not_ours(os.fstat(descriptor))) is not None:
            raise _unused(folder, wrong)
        yield descriptor
    finally:
        os.close(descriptor)


def _unused(folder: Path, wrong: str) -> UntrustedCacheError:
    return UntrustedCacheError(
        f"The cache of machine code {folder} is not used: {wrong}, and what is in it would be "
        "executed. Take it (`chown $USER`, `chmod go-w`) or set TOUCHBACK_CACHE to a folder of "
        'your own, no link, or to "off".',
        folder=True,
    )


def _stranger(file: Path, wrong: str) -> UntrustedCacheError:
    return UntrustedCacheError(
        f"The machine code {file} is not executed: {wrong}. It is emitted and written anew; if "
        "this comes again, delete the file and find out who puts it there.",
        folder=False,
    )


def _not_ours(status: os.stat_result) -> str | None:
    """Who else could have written a file or folder, None when nobody could."""
    if status.st_uid != os.geteuid():
        return f"it belongs to user {status.st_uid}, not to you ({os.geteuid()})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write it (mode {stat.S_IMODE(status.st_mode):o})"
    return None
