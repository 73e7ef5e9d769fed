"""Vectors among single numbers in one function: two writers of the same target, one for each."""

from typing import Self

from touchback.codegen.abi import Place
from touchback.codegen.assembler import Assembler
from touchback.codegen.conditions import WIDE
from touchback.codegen.pool import Pool


class Mixed(Assembler):
    """One function of single numbers, and of vectors: operations from WIDE on, and wide places."""

    def __init__(self, kind: type[Assembler], pool: Pool, calls: bool, width: int) -> None:
        self.one, self.many = kind(1, pool, calls), kind(width, pool, calls)
        self.one.write_into(self.many)
        self.lanes, self.vector_width = 1, width
        self.pool, self.calls, self.instructions = pool, calls, 0
        self.touched = self.many.touched
        self.registers = kind.registers
        self.preserved = frozenset()  # of whole vectors
        self.shareable = self.one.shareable + self.many.shareable
        self.folds = self.one.folds + self.many.folds

    def write_into(self, other: Self) -> None:
        self.many.write_into(other.many)
        self.one.write_into(other.one)

    def _for(self, place: Place) -> Assembler:
        return self.many if place.wide else self.one

    def load(self, d: int, place: Place) -> None:
        self._for(place).load(d, place)

    def store(self, s: int, place: Place) -> None:
        self._for(place).store(s, place)

    def folds_from(self, place: Place) -> bool:
        return self._for(place).folds_from(place)

    def apply(self, op: int, d: int, a: int, b: int, c: int) -> None:
        if op < WIDE:
            self.one.apply(op, d, a, b, c)
        else:
            self.many.apply(op - WIDE, d, a, b, c)

    def apply_folded(self, op: int, d: int, a: int, b: int, c: int, place: Place) -> None:
        if op < WIDE:
            self.one.apply_folded(op, d, a, b, c, place)
        else:
            self.many.apply_folded(op - WIDE, d, a, b, c, place)

    # ---- of single numbers: outputs, arguments of calls

    def zero(self, d: int) -> None:
        self.one.zero(d)

    def move(self, d: int, s: int) -> None:
        self.one.move(d, s)

    def negate(self, d: int, s: int) -> None:
        self.one.negate(d, s)

    def load_one(self, d: int, place: Place) -> None:
        self.one.load_one(d, place)

    def store_one(self, s: int, place: Place) -> None:
        self.one.store_one(s, place)

    # ---- of vectors

    def copy_vector(self, source: Place, target: Place) -> None:
        self.many.copy_vector(source, target)

    def call(self, op: int, lookup: int, want: int) -> None:
        self.many.call(op, lookup, want)

    def sincos(self, offset: int, blocks: int) -> None:
        self.many.sincos(offset, blocks)

    def finish(self) -> tuple[bytes, int]:
        code = self.many.finish()
        self.instructions = self.many.instructions
        return code
