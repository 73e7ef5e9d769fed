"""One arena for everything a tick touches: mapped once, touched, and locked where permitted."""

import ctypes
import mmap
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from touchback.errors import SolveError
from touchback.native.library import LIB, Floats

_PAGE = mmap.PAGESIZE
_LINE = 64

_P, _I = ctypes.c_void_p, ctypes.c_int64
LIB.tb_memory_lock.argtypes = [_P, _I]
LIB.tb_memory_unlock.argtypes = [_P, _I]


class Arena:
    """Memory of our own, carved into cache-line-aligned pieces.

    `lock_error` is 0 when its pages are locked in memory, otherwise the errno that says why not.
    """

    def __init__(self, size: int) -> None:
        self.size = -(-size // _PAGE) * _PAGE
        self._map = mmap.mmap(-1, self.size)
        self._bytes = np.frombuffer(self._map, dtype=np.uint8)
        self._bytes[:] = 0  # touches every page
        self.address: int = self._bytes.ctypes.data
        self.lock_error: int = LIB.tb_memory_lock(self.address, self.size)
        self._used = 0

    def carve(self, size: int) -> int:
        """The address of so many bytes."""
        start = self._used
        self._used += -(-size // _LINE) * _LINE
        if self._used > self.size:
            raise SolveError(f"The arena of {self.size} bytes is too small: a mistake of ours.")
        return self.address + start

    def floats(self, count: int) -> Floats:
        """So many zeros."""
        start = self.carve(8 * count) - self.address
        return self._bytes[start : start + 8 * count].view(np.float64)

    @staticmethod
    def need(*sizes: int) -> int:
        """Bytes that pieces of these sizes take."""
        return sum(-(-size // _LINE) * _LINE for size in sizes)


def lock_arrays(owners: Iterable[object]) -> int:
    """Locks the pages of the arrays among these, which a tick works on though they lie elsewhere;
    returns 0 or the errno that says why not. They stay locked as long as they are."""
    error = 0
    for array in owners:
        if isinstance(array, np.ndarray) and array.nbytes:
            error = _lock(array) or error
    return error


def _lock(array: NDArray[np.generic]) -> int:
    start = array.ctypes.data // _PAGE * _PAGE
    end = -(-(array.ctypes.data + array.nbytes) // _PAGE) * _PAGE
    return int(LIB.tb_memory_lock(start, end - start))
