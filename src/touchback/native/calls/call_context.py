"""Contexts: the table of C functions and lookup tables that a generated function may call."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import Record
from touchback.native.shared_library import LIB, address_of, as_floats

FUNCTION_SLOTS = (
    "asin", "acos", "exp", "log", "atan2", "pow", "sin", "cos", "lookup1", "lookup2",
    "sinh", "cosh", "tanh",
)  # fmt: skip
FIRST_TABLE_OFFSET = 8 * len(FUNCTION_SLOTS)


class TableData(Protocol):
    """A lookup table: breakpoints and values (see symbolic/lookup_table.py)."""

    @property
    def x(self) -> Sequence[float]: ...
    @property
    def y(self) -> Sequence[float]: ...
    @property
    def values(self) -> Sequence[float]: ...


class LookupData(Protocol):
    """One use of a table: the table and what is wanted of it, as a whole number."""

    @property
    def table(self) -> TableData: ...
    @property
    def want(self) -> int: ...


class NativeTable:
    """A table in C's memory."""

    def __init__(self, x: ArrayLike, values: ArrayLike, y: ArrayLike = ()) -> None:
        self.record = Record("tb_table", nx=np.size(x), ny=np.size(y))
        for name, numbers in (("x", x), ("y", y), ("values", values)):
            self.record.point(name, as_floats(numbers))
        self.address = self.record.address


class Context:
    """A context with one table slot for each lookup; owns all memory behind `address`."""

    def __init__(self, lookups: Sequence[LookupData] = ()) -> None:
        made: dict[int, NativeTable] = {}
        for lookup in lookups:
            table = lookup.table
            if id(table) not in made:
                made[id(table)] = NativeTable(table.x, table.values, table.y)
        self._tables = list(made.values())
        self._slots = np.zeros(len(FUNCTION_SLOTS) + len(lookups), dtype=np.int64)
        self.address: int = address_of(self._slots)
        LIB.tb_context_fill(self.address)
        for i, lookup in enumerate(lookups):
            self._slots[len(FUNCTION_SLOTS) + i] = made[id(lookup.table)].address

    @property
    def tables_address(self) -> int:
        """Where the table slots start."""
        return self.address + FIRST_TABLE_OFFSET
