"""The registers of a function while it is written, and the slots of values that had to leave them.

The value that is needed furthest ahead makes room (Belady 1966). Values with a home in memory are
dropped and read again; others are stored to a slot of work memory the first time they have to go.
A slot is free again after the last use of its value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.codegen.abi import WORK, Place
from touchback.codegen.assembler import Assembler
from touchback.codegen.schedule import NEVER

FREE = -1  # the key of a register without a value, or with one that must stay for the moment


@dataclass
class Memory:
    """Where values live in memory besides registers, and where results have to go."""

    home: list[Place | None]  # per node
    stores: dict[int, list[tuple[Place, bool]]]  # computed node → places, and whether negated
    copies: list[tuple[int, Place, bool]]  # nodes with a home that are outputs themselves
    gathered: list[list[tuple[int, Place]]]  # per batch: angles with a home to copy into its table
    tables: list[tuple[int, int]]  # per batch: byte offset in work and number of blocks
    slots_from: int  # byte offset in work of the first spill slot
    piece: int  # doubles of work that are taken at a time: a vector, or one number of each lane
    pieces: int = 0  # taken
    wide: Sequence[bool] = ()  # per node, where vectors are among single numbers


class Registers:
    """Which value is in which register.

    Operands of the operation at hand are safe from eviction without further ado: no value is needed
    sooner than they are.
    """

    def __init__(self, nodes: int, memory: Memory, asm: Assembler) -> None:
        self.memory, self.asm = memory, asm
        count = 1 + max(asm.registers)
        self.free = list(reversed(asm.registers))
        self.key = [FREE] * count  # per register: when its value is needed next
        self.holder = [-1] * count  # per register: its latest node
        self.of = [-1] * nodes  # per node: its register
        self._slots: dict[int, Place] = {}
        self._free_slots: dict[bool, list[Place]] = {False: [], True: []}  # by whether wide

    def take(self) -> int:
        """A register, emptied if need be; the caller says what is in it now."""
        if self.free:
            return self.free.pop()
        r = self.key.index(max(self.key))
        node = self.holder[r]
        if self.memory.home[node] is None:
            self._spill(node, r)
        self.of[node] = -1
        return r

    def put(self, node: int, r: int, needed: int) -> None:
        """Says that a register holds a value that is needed next at a position."""
        self.of[node], self.holder[r], self.key[r] = r, node, needed

    def release(self, node: int, r: int) -> None:
        """Forgets a value that is not used again; r is −1 if it is in memory only."""
        if r >= 0:
            self.of[node] = -1
            self.key[r] = FREE
            self.free.append(r)
        if node in self._slots:
            slot = self._slots.pop(node)
            self._free_slots[slot.wide].append(slot)
            self.memory.home[node] = None

    def new_slot(self, wide: bool = False) -> Place:
        free = self._free_slots[wide]
        if not free:
            start = self.memory.slots_from + 8 * self.memory.piece * self.memory.pieces
            self.memory.pieces += 1
            step = self.memory.piece if wide else self.asm.lanes
            places = [Place(WORK, start + 8 * k, wide) for k in range(0, self.memory.piece, step)]
            free.extend(reversed(places))
        return free.pop()

    def give_slot(self, node: int, slot: Place) -> None:
        """Says that a value is in a slot, until it is released."""
        self._slots[node] = slot
        self.memory.home[node] = slot

    def home(self, node: int) -> Place:
        place = self.memory.home[node]
        if place is None:
            raise AssertionError(f"node {node} is neither in a register nor in memory")
        return place

    def _spill(self, node: int, r: int) -> None:
        slot = self.new_slot(bool(self.memory.wide) and self.memory.wide[node])
        self.asm.store(r, slot)
        self.give_slot(node, slot)

    def fetch(self, op: int, operands: tuple[int, ...], after: tuple[int, ...]) -> Place | None:
        """Brings operands into registers; `after` says when each is needed again.

        One operand may stay in memory if the target can read it there and it is not worth a
        register: then its place is returned.
        """
        foldable = self.asm.folds[op]
        folded = None
        for k, node in enumerate(operands):
            if self.of[node] >= 0:
                continue
            place = self.home(node)
            if (
                folded is None
                and foldable >> k & 1
                and operands.count(node) == 1
                and (after[k] == NEVER or (not self.free and after[k] >= max(self.key)))
                and self.asm.folds_from(place)
            ):
                folded = place
                continue
            r = self.take()
            if node:
                self.asm.load(r, place)
            else:
                self.asm.zero(r)
            self.put(node, r, FREE)
        return folded

    def destination(self, op: int, operands: tuple[int, ...], after: tuple[int, ...]) -> int:
        """A register for the result of an operation that limits which operands may share it."""
        held = [self.of[node] for node in operands]
        d = -1
        for k in range(len(operands) - 1, -1, -1):
            allowed = self.asm.shareable[op] >> k & 1 and held.count(held[k]) == 1
            if allowed and after[k] == NEVER:
                d = held[k]
                self.of[operands[k]] = held[k] = -1
                break
        if d < 0:
            d = self.take()
        for node, r, needed in zip(operands, held, after):
            if needed == NEVER:
                self.release(node, r)
            elif r >= 0:
                self.key[r] = needed
        return d

    def save(self, preserved: frozenset[int], dying: tuple[int, ...] = ()) -> None:
        """Stores what a call would destroy and is needed after it."""
        for r in self.asm.registers:
            if self.key[r] != FREE and r not in preserved:
                node = self.holder[r]
                if node not in dying and self.memory.home[node] is None:
                    self._spill(node, r)

    def clear(self, preserved: frozenset[int]) -> None:
        """Forgets what was in the registers that a call has destroyed."""
        for r in self.asm.registers:
            if self.key[r] != FREE and r not in preserved:
                self.of[self.holder[r]] = -1
                self.key[r] = FREE
                self.free.append(r)
