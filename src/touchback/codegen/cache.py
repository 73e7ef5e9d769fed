"""Large functions kept on disk between runs, as the shared objects of `elf.py`.

The folder is $TOUCHBACK_CACHE, else $XDG_CACHE_HOME/touchback, else ~/.cache/touchback; an empty
TOUCHBACK_CACHE, or "off", turns the cache off. The key of a file covers everything that its code
depends on, so files never have to be invalidated. The file holds its key: one that is damaged, or
was kept under another key, is written anew.

What is read here is executed. So the folder and the file must belong to the user, be writable by
nobody else and be no links; otherwise they are passed over with a warning, and the code is emitted
anew (`cache_files.py`).
"""

import functools
import hashlib
import os
import warnings
from pathlib import Path

import numpy as np

from touchback.codegen.abi import ABI_VERSION
from touchback.codegen.cache_files import Doubtful, read_own, write_own
from touchback.codegen.elf import read_elf, write_elf
from touchback.codegen.host import cpu_features
from touchback.codegen.machine import MachineCode, emit
from touchback.errors import CompileError
from touchback.symbolic import ops, sincos
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
    key = _key(program, name, target, lanes)
    file = folder / f"{key}.so"
    try:
        return read_elf(read_own(file), name, key)
    except Doubtful as doubt:
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
    except Doubtful as doubt:  # the folder has changed since it was read
        warnings.warn(str(doubt), RuntimeWarning, stacklevel=5)
    except OSError as error:
        warnings.warn(
            f"Machine code is not kept in {file.parent} ({error.strerror}); set TOUCHBACK_CACHE to "
            'a folder that can be written, or to "off".',
            RuntimeWarning,
            stacklevel=5,
        )
