"""Large functions kept on disk between runs, as the shared objects of `elf.py`.

The folder is $TOUCHBACK_CACHE, else $XDG_CACHE_HOME/touchback, else ~/.cache/touchback; an empty
TOUCHBACK_CACHE, or "off", turns the cache off. The key of a file covers everything that its code
depends on, so files never have to be invalidated; one that is damaged is written anew.
"""

import functools
import hashlib
import os
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
        return read_elf(file.read_bytes(), name)
    except (OSError, CompileError):
        code = emit(program, target, lanes)
        _keep(file, write_elf(code, name))
        return code


def _key(program: Program, name: str, target: str, lanes: int) -> str:
    """A hash of the program and of everything else that its machine code depends on."""
    rows = (program.op, program.a, program.b, program.c, program.outputs)
    parts = [np.array(row, np.int64).tobytes() for row in rows]
    parts.append(np.array(list(program.values), np.int64).tobytes())
    parts.append(np.array(list(program.values.values()), np.float64).tobytes())
    places = [(i, ARRAYS.index(array), index) for i, (array, index) in program.inputs.items()]
    parts.append(np.array(places, np.int64).tobytes())
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
