"""A struct of the C library, filled by name, with the memory that it points to."""

import ctypes
from collections.abc import Iterable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.native.shared_library import (
    ALIGNMENT,
    LIB,
    RED_ZONE,
    Floats,
    address_of,
    aligned_zeros,
)

Indices = NDArray[np.int32]
Owned = TypeVar("Owned", bound=NDArray[np.generic])


class FunctionData(Protocol):
    """A function of the one calling convention: where it is, and what it must be given."""

    @property
    def address(self) -> int: ...
    @property
    def work_size(self) -> int: ...
    @property
    def context_address(self) -> int: ...


class Record:
    """A struct by the name that headers give it, or one that exists already, and what it points to:
    `owned` lives as long as the record.

    Arrays have the names of the fields that point to them."""

    def __init__(self, kind: str | ctypes.Structure, **values: float | None) -> None:
        self.struct = LIB.struct(kind)() if isinstance(kind, str) else kind
        self.address = ctypes.addressof(self.struct)
        self.owned: list[object] = []
        for name, value in values.items():
            setattr(self.struct, name, value)

    def point(self, name: str, array: Owned) -> Owned:
        """Lets a field point to an array."""
        self.owned.append(array)
        setattr(self.struct, name, address_of(array))
        return array

    def floats(self, name: str, count: int) -> Floats:
        """So many zeros, aligned."""
        return self.point(name, aligned_zeros(max(count, 1))[:count])

    def ints(self, name: str, values: ArrayLike) -> Indices:
        """These numbers as C's int."""
        return self.point(name, np.array(values, dtype=np.int32).reshape(-1))

    def arrays(
        self, described: Iterable[tuple[str, str, int]]
    ) -> tuple[dict[str, Floats], dict[str, Indices]]:
        """Arrays of zeros, each (C type, name, count), in one block of memory, each at a multiple
        of 64 bytes: how they lie beside each other, and so the time of a step, is no accident."""
        floats: dict[str, Floats] = {}
        ints: dict[str, Indices] = {}
        listed = list(described)
        widths = {"double": 8, "int": 4}
        sizes = [-(-max(widths[kind] * count, 1) // ALIGNMENT) for kind, _, count in listed]
        if RED_ZONE:  # each with forbidden memory around it
            parts = [aligned_zeros(size * ALIGNMENT // 8) for size in sizes]
        else:
            block = aligned_zeros(sum(sizes) * ALIGNMENT // 8)
            parts = np.split(block, np.cumsum(sizes)[:-1] * ALIGNMENT // 8)
        for (kind, name, count), part in zip(listed, parts, strict=True):
            if kind == "double":
                floats[name] = self.point(name, part[:count])
            else:
                ints[name] = self.point(name, part.view(np.int32)[:count])
        return floats, ints

    def call(self, name: str, function: FunctionData | None) -> None:
        """Lets a tb_callable be that function, with work memory of its own; None: nothing."""
        if function is not None:
            work = aligned_zeros(function.work_size)
            self.owned += [function, work]
            target = getattr(self.struct, name)
            target.call, target.context = function.address, function.context_address
            target.work = address_of(work)

    def records(self, name: str, count: str, kind: str, records: "list[Record]") -> None:
        """Lets a field point to copies of these, and `count` say how many; they stay alive."""
        array = (LIB.struct(kind) * len(records))(*(record.struct for record in records))
        self.owned += [array, *(each for record in records for each in record.owned)]
        setattr(self.struct, name, ctypes.addressof(array))
        setattr(self.struct, count, len(records))

    def numbers(self, *names: str) -> dict[str, int]:
        """Some of its counts."""
        return {name: int(getattr(self.struct, name)) for name in names}
