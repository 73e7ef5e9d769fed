"""Registers for straight-line code in one pass: the value that is needed furthest ahead makes room
(Belady 1966).

Values with a home in memory (inputs, constants, sines and cosines) are dropped and read again;
others are stored to a slot of work memory the first time they have to go. A slot is free again
after the last use of its value.
"""

from dataclasses import dataclass, field

from touchback.codegen.abi import CALLED, WORK, Place
from touchback.codegen.assembler import ANY, Assembler
from touchback.codegen.conditions import MACHINE_ARITY
from touchback.codegen.schedule import NEVER, Schedule
from touchback.symbolic.program import Program

_LOCKED = -1  # the key of a register that is free, or that the operation at hand needs


@dataclass
class Memory:
    """Where values live in memory besides registers, and where results have to go."""

    home: list[Place | None]  # per node
    stores: dict[int, list[tuple[Place, bool]]]  # computed node → places, and whether negated
    copies: list[tuple[int, Place, bool]]  # nodes with a home that are outputs themselves
    gathered: list[list[tuple[int, Place]]]  # per batch: angles with a home to copy into its table
    tables: list[tuple[int, int]]  # per batch: byte offset in work and number of blocks
    slots_from: int  # byte offset in work of the first spill slot
    slot_count: int = field(default=0)


def allocate(program: Program, plan: Schedule, memory: Memory, asm: Assembler) -> None:
    """Writes the whole body of a function; counts the spill slots in `memory`."""
    _Allocation(program, plan, memory, asm).run()


class _Allocation:
    def __init__(self, program: Program, plan: Schedule, memory: Memory, asm: Assembler) -> None:
        self.program, self.plan, self.memory, self.asm = program, plan, memory, asm
        count = 1 + max(asm.registers)
        self.free = [r for r in reversed(asm.registers)]
        self.key = [
            _LOCKED
        ] * count  # per register: when its value is needed next, the largest goes first
        self.holder = [-1] * count  # per register: its latest node
        self.register = [-1] * len(program.op)  # per node: its register
        self.slots: dict[int, Place] = {}
        self.free_slots: list[Place] = []

    def run(self) -> None:
        start = 0
        for index, batch in enumerate(self.plan.batches):
            self._compute(start, batch.position)
            self._turn(index)
            start = batch.position
        self._compute(start, len(self.plan.order))
        for node, place, negative in self.memory.copies:
            self._store(self._in_register(node), place, negative, last=False)
        self.asm.touched.update(r for r, node in enumerate(self.holder) if node >= 0)

    # ---- the hot loop ----------------------------------------------------------------------------

    def _compute(self, start: int, stop: int) -> None:
        plan = self.plan
        program, arities = self.program, MACHINE_ARITY
        op_of, a_of, b_of, c_of = plan.op, program.a, program.b, program.c
        register, key, holder, free = self.register, self.key, self.holder, self.free
        stores = self.memory.stores
        apply, shareable, first_use = self.asm.apply, self.asm.shareable, plan.first_use
        take, fetch, release = self._take, self._fetch, self._release
        rows = zip(
            plan.order[start:stop], plan.next_a[start:stop], plan.next_b[start:stop],
            plan.next_c[start:stop], strict=True,
        )  # fmt: skip
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
                folded = fetch(op, (a, b, c)[:arity], (next_a, next_b, next_c))
                ra = register[a]
                rb = register[b] if arity > 1 else 0
                rc = register[c] if arity > 2 else 0
            if shareable[op] == ANY:
                if ra >= 0:
                    if next_a == NEVER:
                        release(a, ra)
                    else:
                        key[ra] = next_a
                if arity > 1:
                    if rb >= 0:
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
                d = self._constrained(op, (a, b, c)[:arity], (next_a, next_b, next_c))
            if folded is None:
                apply(op, d, ra, rb, rc)
            else:
                self.asm.apply_folded(op, d, ra, rb, rc, folded)
                # Its slot is read here, so it may not serve another value any sooner.
                operand, after = ((a, next_a), (b, next_b), (c, next_c))[(ra, rb, rc).index(-1)]
                if after == NEVER:
                    release(operand, -1)
            register[node] = d
            holder[d] = node
            following = key[d] = first_use[node]
            if node in stores:
                self._store_result(node, d, following == NEVER)
            if following == NEVER:
                release(node, d)

    # ---- registers -------------------------------------------------------------------------------

    def _take(self) -> int:
        """A register, emptied if need be."""
        if self.free:
            return self.free.pop()
        key = self.key
        r = key.index(max(key))
        node = self.holder[r]
        if self.memory.home[node] is None:
            self._spill(node, r)
        self.register[node] = -1
        return r

    def _release(self, node: int, r: int) -> None:
        """Forgets a value that is not used again."""
        if r >= 0:
            self.register[node] = -1
            self.key[r] = _LOCKED
            self.free.append(r)
        if node in self.slots:
            self.free_slots.append(self.slots.pop(node))
            self.memory.home[node] = None

    def _new_slot(self) -> Place:
        if self.free_slots:
            return self.free_slots.pop()
        offset = self.memory.slots_from + 8 * self.asm.lanes * self.memory.slot_count
        self.memory.slot_count += 1
        return Place(WORK, offset)

    def _spill(self, node: int, r: int) -> None:
        slot = self._new_slot()
        self.asm.store(r, slot)
        self.slots[node] = slot
        self.memory.home[node] = slot

    def _fetch(
        self, op: int, operands: tuple[int, ...], following: tuple[int, ...]
    ) -> Place | None:
        """Brings operands into registers; one of them may stay in memory if the target can read it
        there.
        """
        register, key, holder, home = self.register, self.key, self.holder, self.memory.home
        foldable = self.asm.folds[op]
        folded = None
        for k, node in enumerate(operands):
            if register[node] >= 0:
                continue
            place = home[node]
            if place is None:
                raise AssertionError(f"node {node} is neither in a register nor in memory")
            if (
                folded is None
                and foldable >> k & 1
                and operands.count(node) == 1
                and (following[k] == NEVER or (not self.free and following[k] >= max(key)))
            ):
                folded = place
                continue
            r = self._take()
            if node:
                self.asm.load(r, place)
            else:
                self.asm.zero(r)
            register[node] = r
            holder[r] = node
            key[r] = _LOCKED
        return folded

    def _constrained(self, op: int, operands: tuple[int, ...], following: tuple[int, ...]) -> int:
        """A destination for an operation that limits which operands may share its register."""
        register, key = self.register, self.key
        held = [register[node] for node in operands]
        d = -1
        for k in range(len(operands) - 1, -1, -1):
            allowed = self.asm.shareable[op] >> k & 1 and held[k] >= 0 and held.count(held[k]) == 1
            if allowed and following[k] == NEVER:
                d = held[k]
                register[operands[k]] = -1
                held[k] = -1
                break
        if d < 0:
            d = self._take()
        for node, r, after in zip(operands, held, following, strict=False):
            if after == NEVER:
                self._release(node, r)
            elif r >= 0:
                key[r] = after
        return d

    def _in_register(self, node: int) -> int:
        """The register of a value with a home, after the last operation."""
        r = self.register[node]
        if r < 0:
            r = self._take()
            self._load_home(r, node)
            self.register[node], self.holder[r], self.key[r] = r, node, NEVER
        return r

    def _load_home(self, r: int, node: int) -> None:
        place = self.memory.home[node]
        if place is None:
            raise AssertionError(f"node {node} has no place in memory")
        self.asm.load(r, place)

    # ---- results ---------------------------------------------------------------------------------

    def _store_result(self, node: int, d: int, last: bool) -> None:
        places = sorted(self.memory.stores[node], key=lambda store: store[1])
        for place, negative in places:
            self._store(d, place, negative, last and (place, negative) == places[-1])

    def _store(self, r: int, place: Place, negative: bool, last: bool) -> None:
        if not negative:
            self.asm.store(r, place)
        elif last:
            self.asm.negate(r, r)
            self.asm.store(r, place)
        else:
            kept, self.key[r] = self.key[r], _LOCKED
            other = self._take()
            self.key[r] = kept
            self.asm.negate(other, r)
            self.asm.store(other, place)
            self.holder[other], self.key[other] = 0, _LOCKED
            self.free.append(other)

    # ---- calls and batches -----------------------------------------------------------------------

    def _flush(self, preserved: frozenset[int], dying: tuple[int, ...] = ()) -> None:
        """Stores what a call would destroy and is still needed."""
        for r in self.asm.registers:
            if self.key[r] != _LOCKED and r not in preserved:
                node = self.holder[r]
                if node not in dying and self.memory.home[node] is None:
                    self._spill(node, r)

    def _empty(self, preserved: frozenset[int]) -> None:
        """Forgets what was in the registers that a call has destroyed."""
        for r in self.asm.registers:
            if self.key[r] != _LOCKED and r not in preserved:
                self.register[self.holder[r]] = -1
                self.key[r] = _LOCKED
                self.free.append(r)

    def _turn(self, index: int) -> None:
        """One batch of sines and cosines: their angles into the table, then the loop."""
        self._flush(frozenset())
        self._empty(frozenset())
        for node, place in self.memory.gathered[index]:
            self._load_home(0, node)
            self.asm.store(0, place)
        self.asm.sincos(*self.memory.tables[index])

    def _call(self, node: int, following: tuple[int, ...]) -> None:
        program, asm = self.program, self.asm
        operands = (program.a[node], program.b[node])[: len(following)]
        dying = tuple(o for o, after in zip(operands, following, strict=True) if after == NEVER)
        op = program.op[node]
        index = program.c[node]
        want = int(program.lookups[index].want) if index < len(program.lookups) else 0
        if asm.lanes == 1:
            self._flush(asm.preserved, dying)
            self._pass_arguments(operands)
            asm.call(op, index, want)
        else:
            self._flush(frozenset())
            result = self._new_slot()
            for lane in range(asm.lanes):
                for k, operand in enumerate(operands):
                    base, offset = self._home(operand)
                    asm.load_one(k, Place(base, offset + 8 * lane))
                asm.call(op, index, want)
                asm.store_one(0, Place(result.base, result.offset + 8 * lane))
        self._empty(asm.preserved)
        for operand, after in zip(operands, following, strict=True):
            r = self.register[operand]
            if after == NEVER:
                self._release(operand, r)
            elif r >= 0:
                self.key[r] = after
        d = 0
        if asm.lanes == 1:
            self.free.remove(0)
        else:
            d = self._take()
            asm.load(d, result)
            self.slots[node] = result
            self.memory.home[node] = result
        after_call = self.plan.first_use[node]
        self.register[node], self.holder[d], self.key[d] = d, node, after_call
        if node in self.memory.stores:
            self._store_result(node, d, after_call == NEVER)
        if after_call == NEVER:
            self._release(node, d)

    def _home(self, node: int) -> Place:
        place = self.memory.home[node]
        if place is None:
            raise AssertionError(f"node {node} has no place in memory")
        return place

    def _pass_arguments(self, operands: tuple[int, ...]) -> None:
        """Operands into registers 0 and 1, without one overwriting the other."""
        held = [self.register[operand] for operand in operands]
        if held == [1, 0]:
            scratch = 2
            self.asm.move(scratch, 0)
            self.asm.move(0, 1)
            self.asm.move(1, scratch)
            return
        order = (1, 0) if len(held) == 2 and held[1] == 0 else (0, 1)
        in_registers = [k for k in order if k < len(held) and held[k] >= 0]
        for k in in_registers:
            if held[k] != k:
                self.asm.move(k, held[k])
        for k, operand in enumerate(operands):
            if held[k] < 0:
                self._load_home(k, operand)
