"""From a program to machine code: memory laid out, registers allocated, instructions written.

Where the values of a function are in memory, and where its results go.
"""

from dataclasses import dataclass

from touchback.codegen.aarch64 import AArch64
from touchback.codegen.assembler import Assembler, Mixed
from touchback.codegen.calling_convention import BASE_OF_ARRAY, CALLED, OUT, WORK, Place
from touchback.codegen.constant_pool import Pool
from touchback.codegen.instruction_schedule import IN_MEMORY, Batch, Schedule, schedule
from touchback.codegen.kinematic_branch_simd import PackedProgram, pack_program
from touchback.codegen.machine_operations import LANE, WIDE
from touchback.codegen.register_allocation import Memory, allocate
from touchback.codegen.x86_64 import X86_64, X86_64V4
from touchback.errors import CompileError
from touchback.symbolic import SIN, Program

TARGETS: dict[str, type[Assembler]] = {
    target.name: target for target in (AArch64, X86_64, X86_64V4)
}


@dataclass(frozen=True)
class MachineCode:
    """A function as bytes that run at any page-aligned address: constants first, then the entry
    point.
    """

    code: bytes
    entry: int  # byte offset of the function
    work_size: int  # doubles of scratch memory that it needs
    instructions: int
    target: str
    lanes: int


def emit(program: Program, target: str, lanes: int = 1) -> MachineCode:
    """Machine code of a program for "aarch64", "x86_64" (with AVX2) or "x86_64_v4" (AVX-512).

    `lanes` is 1, or the number of doubles in a vector register (2; 4; 4 and 8): then every array
    holds that many instances, element i of lane l at [i * lanes + l].
    """
    if target not in TARGETS:
        raise CompileError(f"There is no emitter for {target!r}; there are {', '.join(TARGETS)}.")
    kind = TARGETS[target]
    if lanes not in kind.widths:
        widths = ", ".join(map(str, kind.widths[:-1])) + f" or {kind.widths[-1]}"
        raise CompileError(f"{target} computes {widths} lanes, not {lanes}.")
    together = pack_program(program, kind.widths) if lanes == 1 else None
    if together is not None:
        return _emitted(together, kind, 1, together.width)
    return _emitted(program, kind, lanes, kind.width_for(lanes))


def _emitted(program: Program, kind: type[Assembler], lanes: int, width: int) -> MachineCode:
    """The code of a program; `width`: doubles in the vector registers that it uses."""
    plan = schedule(program, kind.window)
    constants = [(i, value) for i, value in program.values.items() if plan.live[i]]
    shared = lanes > 1 and len(constants) >= kind.shares_from
    calls = not CALLED.isdisjoint(program.op)
    if isinstance(program, PackedProgram):
        pool = Pool(constants, lanes, width, shared, program.columns.items())
        asm: Assembler = Mixed(kind, pool, calls, width)
        plan.op = [op + WIDE * wide for op, wide in zip(plan.op, program.wide, strict=True)]
    else:
        pool = Pool(constants, lanes, width, shared)
        asm = kind(lanes, pool, calls)
    memory = lay_out(program, plan, pool, lanes, width)
    allocate(program, plan, memory, asm)
    code, entry = asm.finish()
    work_size = memory.slots_from // 8 + memory.pieces * memory.piece
    return MachineCode(code, entry, work_size, asm.instructions, kind.name, lanes)


def lay_out(program: Program, plan: Schedule, pool: Pool, lanes: int, width: int) -> Memory:
    """Homes of inputs, constants, sines and cosines, and the destinations of results; `width`:
    doubles in vector registers."""
    return _Layout(program, pool, lanes, width).memory_for(plan)


class _Layout:
    def __init__(self, program: Program, pool: Pool, lanes: int, width: int) -> None:
        self.program, self.lanes, self.width = program, lanes, width
        self.wide = program.wide if isinstance(program, PackedProgram) else []
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
