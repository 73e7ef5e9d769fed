"""One arena for everything a tick touches: mapped once, touched, and locked where permitted."""

import contextlib
import ctypes
import mmap
import os
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from touchback.errors import SolveError
from touchback.native.shared_library import LIB, RED_ZONE, Floats, forbidden

_PAGE = mmap.PAGESIZE
_LINE = 64

# What a fork does to pages, of madvise, which Python doesn't name.
_WIPE_ON_FORK, _KEEP_ON_FORK = 18, 19


def private_map(size: int) -> mmap.mmap:
    """Memory of this process alone: a child that is forked finds zeros. (Were its pages copied when
    written to, as is usual, the parent's next ticks would have to wait for that.)"""
    if not sys.platform.startswith("linux"):
        return mmap.mmap(-1, size)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    _advise(memory, _WIPE_ON_FORK)
    return memory


def keep_in_children(memory: mmap.mmap) -> None:
    """Lets children have copies, once no tick writes any more."""
    if sys.platform.startswith("linux"):
        _advise(memory, _KEEP_ON_FORK)


def _advise(memory: mmap.mmap, advice: int) -> None:
    with contextlib.suppress(OSError):  # kernels before 4.14: pages are copied
        memory.madvise(advice)


class Arena:
    """Memory of our own, carved into cache-line-aligned pieces.

    `lock_error` is 0 when its pages are locked in memory, otherwise the errno that says why not.
    """

    def __init__(self, size: int) -> None:
        self.size = -(-size // _PAGE) * _PAGE
        self._map = private_map(self.size)
        self._bytes = np.frombuffer(self._map, dtype=np.uint8)
        self._bytes[:] = 0  # touches every page
        self.address: int = self._bytes.ctypes.data
        self.lock_error: int = LIB.tb_memory_lock(self.address, self.size)
        self._used = 0
        if RED_ZONE:
            self._bytes = forbidden(self._bytes)

    def carve(self, size: int) -> int:
        """The address of so many bytes."""
        start = self._used
        self._used += self.need(size)
        if self._used > self.size:
            raise SolveError(f"The arena of {self.size} bytes is too small: a mistake of ours.")
        LIB.tb_allow(self.address + start, size)
        return self.address + start

    def floats(self, count: int) -> Floats:
        """So many zeros."""
        start = self.carve(8 * count) - self.address
        return self._bytes[start : start + 8 * count].view(np.float64)

    def struct(self, name: str) -> ctypes.Structure:
        """A struct of the library, all zeros."""
        made = LIB.struct(name)
        return made.from_address(self.carve(ctypes.sizeof(made)))

    def structs(self, name: str, count: int) -> "ctypes.Array[ctypes.Structure]":
        """So many of them."""
        made = LIB.struct(name) * count
        return made.from_address(self.carve(max(ctypes.sizeof(made), 1)))

    def keep_in_children(self) -> None:
        """Lets children have copies, once no tick writes any more."""
        keep_in_children(self._map)

    @staticmethod
    def need(*sizes: int) -> int:
        """Bytes that pieces of these sizes take."""
        return sum(-(-size // _LINE) * _LINE + RED_ZONE for size in sizes)


def struct_bytes(name: str, count: int = 1) -> int:
    """What `structs` takes."""
    return max(ctypes.sizeof(LIB.struct(name)) * count, 1)


class LockedArrays:
    """Pages of the arrays among some things, which a tick works on though they lie elsewhere;
    locked as long as this object is. `error` is 0 or the errno that says why not.

    Arrays share pages, and one call unlocks what many have locked: so pages are counted.
    """

    def __init__(self, owners: Iterable[object]) -> None:
        arrays = [each for each in owners if isinstance(each, np.ndarray) and each.nbytes]
        self.pages = sorted({page for array in arrays for page in _pages(array)})
        with _counting:
            _holders.update(self.pages)
            errors = [int(LIB.tb_memory_lock(start, size)) for start, size in _spans(self.pages)]
        self.error = next(filter(None, errors), 0)
        # holds the arrays: their pages are no one else's before they are unlocked
        weakref.finalize(self, _unlock, self.pages, arrays).atexit = False


_holders: Counter[int] = Counter()  # of each locked page
_counting = threading.RLock()  # a collection, and with it an unlocking, may happen within


def _in_child() -> None:
    """A thread that the child doesn't have may have held it."""
    global _counting
    _counting = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def _pages(array: NDArray[np.generic]) -> range:
    start = array.ctypes.data
    return range(start // _PAGE * _PAGE, start + array.nbytes, _PAGE)


def _spans(pages: list[int]) -> Iterator[tuple[int, int]]:
    """Start and size of pages in order that follow each other: one call locks them all."""
    for _, run in groupby(enumerate(pages), lambda item: item[1] - item[0] * _PAGE):
        places = [page for _, page in run]
        yield places[0], len(places) * _PAGE


def _unlock(pages: list[int], arrays: list[NDArray[np.generic]]) -> None:
    with _counting:
        _holders.subtract(pages)
        free = [page for page in pages if not _holders[page]]
        for page in free:
            del _holders[page]
        for start, size in _spans(free):
            LIB.tb_memory_unlock(start, size)
    arrays.clear()
