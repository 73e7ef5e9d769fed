"""The registers of a function while it is written, and the slots of values that had to leave them.

The value that is needed furthest ahead makes room (Belady 1966). Values with a home in memory are
dropped and read again; others are stored to a slot of work memory the first time they have to go. A
slot is free again after the last use of its value.

The body of a function in one pass over its schedule: registers for operands and results.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.codegen.assembler import ANY, Assembler
from touchback.codegen.calling_convention import CALLED, WORK, Place
from touchback.codegen.instruction_schedule import NEVER, Schedule
from touchback.codegen.machine_operations import MACHINE_ARITY
from touchback.symbolic import LOOKUP1, LOOKUP2, Program

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


_ARITY = MACHINE_ARITY * 2  # of operations, and of those on vectors among single numbers


def allocate(program: Program, plan: Schedule, memory: Memory, asm: Assembler) -> None:
    """Writes the body of a function; counts the spill slots in `memory`."""
    _Body(program, plan, memory, asm).write()


class _Body:
    def __init__(self, program: Program, plan: Schedule, memory: Memory, asm: Assembler) -> None:
        self.program, self.plan, self.memory, self.asm = program, plan, memory, asm
        self.registers = Registers(len(program.op), memory, asm)

    def write(self) -> None:
        start = 0
        for index, batch in enumerate(self.plan.batches):
            self._compute(start, batch.position)
            self._turn(index)
            start = batch.position
        self._compute(start, len(self.plan.order))
        self._copy_outputs()
        holder = self.registers.holder
        self.asm.touched.update(r for r, node in enumerate(holder) if node >= 0)

    def _compute(self, start: int, stop: int) -> None:
        """The operations between two batches: the one loop whose speed matters."""
        program, plan, stores, arities = self.program, self.plan, self.memory.stores, _ARITY
        op_of, a_of, b_of, c_of = plan.op, program.a, program.b, program.c
        register, key, holder = self.registers.of, self.registers.key, self.registers.holder
        free, take, release = self.registers.free, self.registers.take, self.registers.release
        apply, shareable, first_use = self.asm.apply, self.asm.shareable, plan.first_use
        columns = plan.order, plan.next_a, plan.next_b, plan.next_c
        rows = zip(*(column[start:stop] for column in columns))
        for node, next_a, next_b, next_c in rows:
            op = op_of[node]
            arity = arities[op]
            if op in CALLED:
                self._call(node, (next_a, next_b)[:arity])
                continue
            a, b, c = a_of[node], b_of[node], c_of[node]
            ra = register[a]
            rb = register[b] if arity > 1 else 0
            rc = register[c] if arity > 2 else 0
            folded = None
            if ra < 0 or rb < 0 or rc < 0:
                folded = self.registers.fetch(op, (a, b, c)[:arity], (next_a, next_b, next_c))
                ra = register[a]
                rb = register[b] if arity > 1 else 0
                rc = register[c] if arity > 2 else 0
            if shareable[op] == ANY:
                if ra >= 0:
                    if next_a == NEVER:
                        release(a, ra)
                    else:
                        key[ra] = next_a
                if arity > 1 and rb >= 0:
                    if next_b == NEVER:
                        release(b, rb)
                    else:
                        key[rb] = next_b
                if arity > 2 and rc >= 0:
                    if next_c == NEVER:
                        release(c, rc)
                    else:
                        key[rc] = next_c
                d = free.pop() if free else take()
            else:
                after = (next_a, next_b, next_c)
                d = self.registers.destination(op, (a, b, c)[:arity], after)
            if folded is None:
                apply(op, d, ra, rb, rc)
            else:
                self.asm.apply_folded(op, d, ra, rb, rc, folded)
                # Its slot is read here, so it may not serve another value any sooner.
                operand, needed = ((a, next_a), (b, next_b), (c, next_c))[(ra, rb, rc).index(-1)]
                if needed == NEVER:
                    release(operand, -1)
            register[node] = d
            holder[d] = node
            needed = key[d] = first_use[node]
            if node in stores:
                self._store_result(node, d, needed == NEVER)
            if needed == NEVER:
                release(node, d)

    # ---- results ---------------------------------------------------------------------------------

    def _store_result(self, node: int, d: int, last: bool) -> None:
        """A result to all its places, negated ones last; the last one may destroy the register."""
        places = sorted(self.memory.stores[node], key=lambda store: store[1])
        for k, (place, negative) in enumerate(places, 1):
            self._store(d, place, negative, last and k == len(places))
        place, negative = places[0]
        if self.memory.home[node] is None and not (last or negative or self._is_wide(node)):
            self.memory.home[node] = place  # read again from there, so that it needs no slot

    def _is_wide(self, node: int) -> bool:
        return bool(self.memory.wide) and self.memory.wide[node]

    def _store(self, r: int, place: Place, negative: bool, last: bool) -> None:
        if not negative:
            self.asm.store(r, place)
        elif last:
            self.asm.negate(r, r)
            self.asm.store(r, place)
        else:
            key = self.registers.key
            kept, key[r] = key[r], FREE  # the other register must not be this one
            other = self.registers.take()
            key[r] = kept
            self.asm.negate(other, r)
            self.asm.store(other, place)
            self.registers.holder[other], key[other] = 0, FREE
            self.registers.free.append(other)

    def _copy_outputs(self) -> None:
        """Inputs, constants, sines and cosines that are outputs themselves."""
        for node, place, negative in self.memory.copies:
            r = self.registers.of[node]
            if r < 0:
                r = self.registers.take()
                self.asm.load(r, self.registers.home(node))
                self.registers.put(node, r, NEVER)
            self._store(r, place, negative, last=False)

    # ---- sines, cosines and calls ----------------------------------------------------------------

    def _turn(self, index: int) -> None:
        """One batch of sines and cosines: their angles into the table, then the loop."""
        nothing: frozenset[int] = frozenset()
        self.registers.save(nothing)
        self.registers.clear(nothing)
        self._gather(self.memory.gathered[index])
        self.asm.sincos(*self.memory.tables[index])

    def _gather(self, angles: list[tuple[int, Place]]) -> None:
        """Angles that have a home elsewhere into their table, whole vectors where they lie so.

        The loop reads vectors: it would wait for single stores to reach the cache.
        """
        width = self.asm.vector_width // self.asm.lanes
        moves = [(self.registers.home(node), place) for node, place in angles]
        k = 0
        while k < len(moves):
            if width > 1 and _is_vector(moves[k : k + width], width):
                self.asm.copy_vector(*moves[k])
                k += width
            else:
                self.asm.load(0, moves[k][0])
                self.asm.store(0, moves[k][1])
                k += 1

    def _call(self, node: int, after: tuple[int, ...]) -> None:
        """A C function: what it may destroy is saved, its result comes in register 0."""
        program, asm, registers = self.program, self.asm, self.registers
        operands = (program.a[node], program.b[node])[: len(after)]
        if asm.lanes == 1:
            dying = tuple(o for o, needed in zip(operands, after) if needed == NEVER)
            registers.save(asm.preserved, dying)
            self._pass_arguments(operands)
            self._write_call(node)
        else:
            registers.save(frozenset())
            result = registers.new_slot()
            for lane in range(asm.lanes):
                for k, operand in enumerate(operands):
                    asm.load_one(k, registers.home(operand).of_lane(lane))
                self._write_call(node)
                asm.store_one(0, result.of_lane(lane))
        registers.clear(asm.preserved)
        for operand, needed in zip(operands, after):
            r = registers.of[operand]
            if needed == NEVER:
                registers.release(operand, r)
            elif r >= 0:
                registers.key[r] = needed
        if asm.lanes == 1:
            d = 0
            registers.free.remove(d)
        else:
            d = registers.take()
            asm.load(d, result)
            registers.give_slot(node, result)
        needed = self.plan.first_use[node]
        registers.put(node, d, needed)
        if node in self.memory.stores:
            self._store_result(node, d, needed == NEVER)
        if needed == NEVER:
            registers.release(node, d)

    def _write_call(self, node: int) -> None:
        """The call itself; lookups also pass a table and what is wanted of it."""
        op, index = self.program.op[node], self.program.c[node]
        is_lookup = op in (LOOKUP1, LOOKUP2)
        want = int(self.program.lookups[index].want) if is_lookup else 0
        self.asm.call(op, index, want)

    def _pass_arguments(self, operands: tuple[int, ...]) -> None:
        """Operands into registers 0 and 1, without one overwriting the other."""
        held = [self.registers.of[operand] for operand in operands]
        if held == [1, 0]:
            scratch = 2  # saved like the others
            self.asm.move(scratch, 0)
            self.asm.move(0, 1)
            self.asm.move(1, scratch)
            return
        order = (1, 0) if held[-1] == 0 and len(held) == 2 else range(len(held))
        for k in order:
            if held[k] >= 0 and held[k] != k:
                self.asm.move(k, held[k])
        for k, operand in enumerate(operands):
            if held[k] < 0:
                self.asm.load(k, self.registers.home(operand))


def _is_vector(moves: list[tuple[Place, Place]], width: int) -> bool:
    """Whether copies of single doubles amount to that of one vector."""
    (source, target), count = moves[0], len(moves)
    steps = [(Place(source.base, source.offset + 8 * k), Place(target.base, target.offset + 8 * k))
             for k in range(count)]  # fmt: skip
    return count == width and moves == steps
