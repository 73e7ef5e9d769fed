"""Large functions kept on disk between runs, as the shared objects of `elf.py`.

The folder is $TOUCHBACK_CACHE, else $XDG_CACHE_HOME/touchback, else ~/.cache/touchback; an empty
TOUCHBACK_CACHE, or "off", turns the cache off. The key of a file covers everything that its code
depends on, so files never have to be invalidated; one that is damaged is written anew.

What is read here is executed. So the folder and the file must belong to the user and be writable by
nobody else; otherwise they are passed over with a warning, and the code is emitted anew.
"""

import functools
import hashlib
import os
import stat
import tempfile
import warnings
from pathlib import Path

import numpy as np

from touchback.codegen.abi import ABI_VERSION
from touchback.codegen.elf import read_elf, write_elf
from touchback.codegen.host import cpu_features
from touchback.codegen.machine import MachineCode, emit
from touchback.errors import CompileError
from touchback.symbolic import sincos
from touchback.symbolic.program import ARRAYS, Program

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
    file = folder / f"{_key(program, name, target, lanes)}.so"
    try:
        return read_elf(_read_own(file), name)
    except _Doubtful as doubt:
        warnings.warn(str(doubt), RuntimeWarning, stacklevel=4)
        if doubt.folder:
            return emit(program, target, lanes)
    except (OSError, CompileError):
        pass
    code = emit(program, target, lanes)
    _keep(file, write_elf(code, name))
    return code


class _Doubtful(Exception):
    """Somebody else could have written it: the folder, or only a file in it."""

    def __init__(self, message: str, folder: bool) -> None:
        super().__init__(message)
        self.folder = folder


def _read_own(file: Path) -> bytes:
    """The bytes of a file that nobody else can have written. Folder and file are opened first and
    then looked at, so that neither can be exchanged in between."""
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if (wrong := _not_ours(os.fstat(folder))) is not None:
            raise _Doubtful(
                f"The cache of machine code {file.parent} is not used: {wrong}, and what is in it "
                f"would be executed. Take it (`chown $USER`, `chmod go-w`) or set TOUCHBACK_CACHE "
                'to a folder of your own, or to "off".',
                folder=True,
            )
        if stat.S_ISLNK(os.stat(file.name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise _stranger(file, "it is a link")
        descriptor = os.open(file.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)
    with open(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if (wrong := _not_ours(status)) is not None:
            raise _stranger(file, wrong)
        if not stat.S_ISREG(status.st_mode):
            raise _stranger(file, "it is no regular file")
        return stream.read()


def _stranger(file: Path, wrong: str) -> _Doubtful:
    return _Doubtful(
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
    for file in (*sorted(Path(__file__).parent.glob("*.py")), Path(sincos.__file__)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _keep(file: Path, data: bytes) -> None:
    """Writes a file at once or not at all, whoever else writes it at the same time."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=file.parent, suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            os.replace(temporary, file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        warnings.warn(
            f"Machine code is not kept in {file.parent} ({error.strerror}); set TOUCHBACK_CACHE to "
            'a folder that can be written, or to "off".',
            RuntimeWarning,
            stacklevel=5,
        )
