"""Loading the shared library, and memory as it wants it."""

import ctypes
import weakref
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from touchback.errors import CompileError

Floats = NDArray[np.float64]

ABI_VERSION = 1
ALIGNMENT = 64  # bytes: what the calling convention promises for work memory
LIBRARY_PATH = Path(__file__).with_name("libtouchback.so")


def load(path: Path) -> ctypes.CDLL:
    """The library at a path, checked to speak this version of the calling convention."""
    if not path.exists():
        raise CompileError(
            f"The C library {path.name} is missing beside {path.parent.name}/__init__.py; "
            "run `make` or `pip install -e .` in the source tree to build it."
        )
    try:
        library = ctypes.CDLL(str(path), use_errno=True)
    except OSError as error:
        raise CompileError(
            f"The C library {path} can't be loaded ({error}); build it on this machine with "
            "`make` or `pip install -e .`."
        ) from error
    version = library.tb_abi_version()
    if version != ABI_VERSION:
        raise CompileError(
            f"The C library {path} speaks version {version} of the calling convention, not "
            f"{ABI_VERSION}; rebuild it with `make` or `pip install -e .`."
        )
    return library


LIB = load(LIBRARY_PATH)
LIB.tb_red_zone.restype = ctypes.c_int64
for _function in (LIB.tb_forbid, LIB.tb_allow):
    _function.argtypes, _function.restype = [ctypes.c_void_p, ctypes.c_int64], None
RED_ZONE: int = LIB.tb_red_zone()  # bytes between pieces that the address sanitizer watches, or 0


def forbid(owner: NDArray[np.generic]) -> None:
    """Lets the address sanitizer report who touches this memory, until `LIB.tb_allow`, or until
    the array goes: whoever gets the memory then may."""
    LIB.tb_forbid(address_of(owner), owner.nbytes)
    weakref.finalize(owner, LIB.tb_allow, address_of(owner), owner.nbytes)


def aligned_zeros(count: int) -> Floats:
    """Zeros that start at a multiple of 64 bytes, for the work memory of functions."""
    raw = np.zeros(count + (ALIGNMENT + RED_ZONE) // 8, dtype=np.float64)
    skip = (-raw.ctypes.data % ALIGNMENT) // 8
    if RED_ZONE:
        forbid(raw)
        LIB.tb_allow(address_of(raw) + 8 * skip, 8 * count)
    return raw[skip : skip + count]


def address_of(array: NDArray[np.generic]) -> int:
    """Address of the first element; the caller keeps the array alive."""
    return array.ctypes.data


def as_floats(values: object) -> Floats:
    """The values as contiguous doubles, copied only when they aren't already."""
    return np.ascontiguousarray(values, dtype=np.float64)
