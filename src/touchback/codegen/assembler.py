"""What the register allocator asks of a target: a description of its constraints and a way to write
instructions.

Vectors among single numbers in one function: two writers of the same target, one for each.
"""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar, Self

from touchback.codegen.calling_convention import Place
from touchback.codegen.constant_pool import Pool
from touchback.codegen.machine_operations import WIDE

ANY = 7  # the destination may share a register with any operand that is not needed afterwards


class Assembler(ABC):
    """Instructions of one function, written in order. Registers are numbers, memory is places.

    `shareable[op]` says which operands (bits 1, 2, 4 for a, b, c) may share their register with the
    destination; where it is not ANY, no other operand may. `folds[op]` says which operands may be
    read from memory; only operations with ANY fold.
    """

    name: ClassVar[str]
    registers: tuple[int, ...]  # in the order in which they are best used
    widths: ClassVar[tuple[int, ...]]  # lanes: 1, and doubles in vector registers, ascending
    shares_from: ClassVar[float] = inf  # constants from which lanes read one number of each
    window: ClassVar[int]  # operations among which the next one is chosen; 1 keeps their order
    preserved: frozenset[int]  # registers that keep their value across a call
    shareable: list[int]
    folds: list[int]

    def __init__(self, lanes: int, pool: Pool, calls: bool) -> None:
        self.lanes, self.vector_width = lanes, self.width_for(lanes)
        self.pool = pool
        self.calls = calls
        self.instructions = 0
        self.touched: set[int] = set()  # registers that the function may change

    @classmethod
    def width_for(cls, lanes: int) -> int:
        """Doubles in the vector registers of code for so many lanes."""
        return max(lanes, cls.widths[1])

    @abstractmethod
    def write_into(self, other: Self) -> None:
        """From here on instructions come after those of another writer of this target."""

    @abstractmethod
    def load(self, d: int, place: Place) -> None:
        """d = memory."""

    @abstractmethod
    def store(self, s: int, place: Place) -> None:
        """memory = s."""

    @abstractmethod
    def zero(self, d: int) -> None:
        """d = 0."""

    @abstractmethod
    def move(self, d: int, s: int) -> None:
        """d = s."""

    @abstractmethod
    def negate(self, d: int, s: int) -> None:
        """d = −s."""

    @abstractmethod
    def apply(self, op: int, d: int, a: int, b: int, c: int) -> None:
        """d = op(a, b, c), all in registers."""

    @abstractmethod
    def apply_folded(self, op: int, d: int, a: int, b: int, c: int, place: Place) -> None:
        """d = op(a, b, c), where the operand given as −1 is read from memory."""

    def folds_from(self, place: Place) -> bool:
        """Whether instructions other than loads can read an operand there."""
        return True

    @abstractmethod
    def call(self, op: int, lookup: int, want: int) -> None:
        """Register 0 = C function of registers 0 and 1; `lookup`, `want` matter to lookups only."""

    @abstractmethod
    def load_one(self, d: int, place: Place) -> None:
        """d = one double of memory, whatever the number of lanes."""

    @abstractmethod
    def store_one(self, s: int, place: Place) -> None:
        """One double of memory = s, whatever the number of lanes."""

    @abstractmethod
    def copy_vector(self, source: Place, target: Place) -> None:
        """A whole vector of memory to another place, whatever the number of lanes."""

    @abstractmethod
    def sincos(self, offset: int, blocks: int) -> None:
        """Sines and cosines of `blocks` vectors of angles in work memory: blocks of angles, sines,
        cosines.
        """

    @abstractmethod
    def finish(self) -> tuple[bytes, int]:
        """The code, pool first, and the offset of its entry."""


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
