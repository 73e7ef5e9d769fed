"""Runs as NumPy archives: a row of arrays and the description; never any pickled object."""

import math
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from touchback.errors import InputError
from touchback.recording.about import describe, understand
from touchback.recording.run import Run
from touchback.regular_file import open_regular, opened_zip

_LARGEST = 4 << 30  # bytes of a file
_LARGEST_UNPACKED = 1 << 28  # bytes of what is compressed in it; we don't compress
# What reading archives and headers of arrays that aren't whole, or not by NumPy, runs into.
_DAMAGE = (
    ValueError, KeyError, TypeError, SyntaxError, EOFError, OSError, RuntimeError, MemoryError,
    OverflowError, TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def save(run: Run, path: Path) -> None:
    about = np.frombuffer(describe(run).encode(), dtype=np.uint8)
    table = np.array([run[name] for name in run.names]).reshape(len(run.names), len(run))
    with path.open("wb") as file:
        np.savez(file, about=about, time=run.time, signals=table)


def load(path: Path) -> Run:
    with open_regular(path, _LARGEST) as stream:
        try:
            with opened_zip(stream, path.name, InputError) as archive:
                _check_sizes(archive, path.name)
                text = _array(archive, "about", "|u1").tobytes()
                time, table = _array(archive, "time", "<f8"), _array(archive, "signals", "<f8")
        except _DAMAGE as error:
            raise InputError(f"{path.name} is not a run saved by Touchback ({error}).") from None
    about = understand(text, path.name)
    if table.ndim != 2 or len(table) != len(about.names):
        raise InputError(
            f"{path.name} is damaged: it describes {len(about.names)} signals, its table has the "
            f"shape {table.shape}."
        )
    return Run(time, dict(zip(about.names, table)), about.units, about.metadata)


def _check_sizes(archive: zipfile.ZipFile, name: str) -> None:
    """Refuses what unpacks to too much: zipfile unpacks no more than an entry says of itself."""
    packed = [each for each in archive.infolist() if each.compress_type != zipfile.ZIP_STORED]
    size = sum(each.file_size for each in packed)
    if size > _LARGEST_UNPACKED:
        raise InputError(
            f"{name}: its compressed arrays unpack to {size} bytes; at most {_LARGEST_UNPACKED} "
            "are unpacked. If it is genuine, write it again with numpy.savez."
        )
    for each in packed:
        if each.compress_type != zipfile.ZIP_DEFLATED:
            raise ValueError(f"{each.filename} is compressed in another way than NumPy's")


def _array(archive: zipfile.ZipFile, name: str, kind: str) -> NDArray[np.generic]:
    """An array of the archive, made of the bytes that are there and not by what its header asks
    for."""
    with archive.open(f"{name}.npy") as member:
        read_header = {
            (1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0,
        }[npy.read_magic(member)]  # fmt: skip
        shape, fortran_order, dtype = read_header(member)
        data = member.read()
    if dtype.str != kind or len(data) != dtype.itemsize * math.prod(shape):
        raise ValueError(f"'{name}' has {len(data)} bytes for a shape of {shape}, {dtype.str}")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran_order else "C")
