"""Where the values of a function are in memory, and where its results go."""

from touchback.codegen.abi import BASE_OF_ARRAY, OUT, WORK, Place
from touchback.codegen.conditions import LANE
from touchback.codegen.packed import Packed
from touchback.codegen.pool import Pool
from touchback.codegen.registers import Memory
from touchback.codegen.schedule import IN_MEMORY, Batch, Schedule
from touchback.symbolic.ops import SIN
from touchback.symbolic.program import Program


def lay_out(program: Program, plan: Schedule, pool: Pool, lanes: int, width: int) -> Memory:
    """Homes of inputs, constants, sines and cosines, and the destinations of results; `width`:
    doubles in vector registers."""
    return _Layout(program, pool, lanes, width).memory_for(plan)


class _Layout:
    def __init__(self, program: Program, pool: Pool, lanes: int, width: int) -> None:
        self.program, self.lanes, self.width = program, lanes, width
        self.wide = program.wide if isinstance(program, Packed) else []
        self.home: list[Place | None] = [None] * len(program.op)
        for node, place in pool.place.items():
            self.home[node] = place
        for node, (array, index) in program.inputs.items():
            self.home[node] = Place(BASE_OF_ARRAY[array], index * 8 * lanes)
        piece = width if self.wide else lanes
        self.memory = Memory(self.home, {}, [], [], [], 0, piece, 0, self.wide)
        self.sine: dict[int, Place] = {}
        self.cosine: dict[int, Place] = {}

    def memory_for(self, plan: Schedule) -> Memory:
        program = self.program
        for batch in plan.batches:
            self._add_table(batch)
        for node in plan.turning:
            of = self.sine if program.op[node] == SIN else self.cosine
            self.home[node] = of[program.a[node]]
        for node, op in enumerate(program.op):
            if op == LANE and plan.live[node]:
                self.home[node] = self._kept(program.a[node]).of_lane(program.c[node])
        for index, output in enumerate(program.outputs):
            node = abs(output)
            place = Place(OUT, index * 8 * self.lanes)
            if program.op[node] in IN_MEMORY:
                self.memory.copies.append((node, place, output < 0))
            else:
                self._store(node, place, output < 0)
        return self.memory

    def _store(self, node: int, place: Place, negative: bool = False) -> None:
        self.memory.stores.setdefault(node, []).append((place, negative))

    def _kept(self, vector: int) -> Place:
        """Where a vector stays whose lanes are read one by one."""
        known = self.home[vector]
        if known is None:
            known = self.home[vector] = Place(WORK, self.memory.slots_from, wide=True)
            self._store(vector, known)
            self.memory.slots_from += 8 * self.width
        return known

    def _add_table(self, batch: Batch) -> None:
        """The table of a batch is a sequence of blocks: a vector of angles, one of their sines, one
        of their cosines. Vectors among single angles have blocks of their own."""
        vectors = [x for x in batch.angles if self.wide and self.wide[x]]
        singles = [x for x in batch.angles if not (self.wide and self.wide[x])]
        per_block = self.width // self.lanes
        start, size = self.memory.slots_from, 24 * self.width
        count = -(-len(singles) // per_block)
        gathered: list[tuple[int, Place]] = []
        for j in range(count * per_block):
            angle = singles[min(j, len(singles) - 1)]  # the last one fills the last block
            place = Place(WORK, start + j // per_block * size + j % per_block * 8)
            self._add_angle(angle, place, gathered)
        for j, angle in enumerate(vectors, count):
            self._add_angle(angle, Place(WORK, start + j * size, wide=True), gathered)
        self.memory.gathered.append(gathered)
        self.memory.tables.append((start, count + len(vectors)))
        self.memory.slots_from += (count + len(vectors)) * size

    def _add_angle(self, angle: int, place: Place, gathered: list[tuple[int, Place]]) -> None:
        if self.program.op[angle] in IN_MEMORY:
            gathered.append((angle, place))
        else:
            self._store(angle, place)
            self.home[angle] = place
        if angle not in self.sine:
            step = 8 * self.width
            self.sine[angle] = place._replace(offset=place.offset + step)
            self.cosine[angle] = place._replace(offset=place.offset + 2 * step)
