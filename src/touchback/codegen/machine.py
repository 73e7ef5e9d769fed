"""From a program to machine code: memory laid out, registers allocated, instructions written."""

from dataclasses import dataclass

from touchback.codegen.aarch64 import AArch64
from touchback.codegen.abi import BASE_OF_ARRAY, CALLED, OUT, WORK, Place
from touchback.codegen.allocate import allocate
from touchback.codegen.assembler import Assembler
from touchback.codegen.pool import Pool
from touchback.codegen.registers import Memory
from touchback.codegen.schedule import Schedule, schedule
from touchback.codegen.x86_64 import X86_64
from touchback.codegen.x86_64_v4 import X86_64V4
from touchback.errors import CompileError
from touchback.symbolic.ops import CONST, COS, INPUT, SIN
from touchback.symbolic.program import Program

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
    plan = schedule(program, kind.window)
    constants = [(i, value) for i, value in program.values.items() if plan.live[i]]
    shared = lanes > 1 and len(constants) >= kind.shares_from
    pool = Pool(constants, lanes, kind.width_for(lanes), shared)
    memory = _layout(program, plan, pool, lanes, kind.width_for(lanes))
    asm = kind(lanes, pool, calls=not CALLED.isdisjoint(program.op))
    allocate(program, plan, memory, asm)
    code, entry = asm.finish()
    work_size = memory.slots_from // 8 + memory.slot_count * lanes
    return MachineCode(code, entry, work_size, asm.instructions, target, lanes)


def _layout(program: Program, plan: Schedule, pool: Pool, lanes: int, width: int) -> Memory:
    """Homes of inputs, constants, sines and cosines, and the destinations of results.

    The table of a batch is a sequence of blocks: a vector of angles, one of their sines, one of
    their cosines.
    """
    size = 8 * lanes
    home: list[Place | None] = [None] * len(program.op)
    for node, place in pool.place.items():
        home[node] = place
    for node, (array, index) in program.inputs.items():
        home[node] = Place(BASE_OF_ARRAY[array], index * size)
    memory = Memory(home, stores={}, copies=[], gathered=[], tables=[], slots_from=0)
    sine: dict[int, Place] = {}
    cosine: dict[int, Place] = {}
    per_block = width // lanes
    for batch in plan.batches:
        start = memory.slots_from
        blocks = -(-len(batch.angles) // per_block)
        gathered: list[tuple[int, Place]] = []
        for j in range(blocks * per_block):
            angle = batch.angles[min(j, len(batch.angles) - 1)]  # the last one fills the last block
            offset = start + j // per_block * 24 * width + j % per_block * 8
            place = Place(WORK, offset)
            if program.op[angle] in (CONST, INPUT, SIN, COS):
                gathered.append((angle, place))
            else:
                memory.stores.setdefault(angle, []).append((place, False))
                home[angle] = place
            if j < len(batch.angles):
                sine[angle] = Place(WORK, offset + 8 * width)
                cosine[angle] = Place(WORK, offset + 16 * width)
        memory.gathered.append(gathered)
        memory.tables.append((start, blocks))
        memory.slots_from += blocks * 24 * width
    for node in plan.turning:
        home[node] = (sine if program.op[node] == SIN else cosine)[program.a[node]]
    for index, output in enumerate(program.outputs):
        node = abs(output)
        place = Place(OUT, index * size)
        if program.op[node] in (CONST, INPUT, SIN, COS):
            memory.copies.append((node, place, output < 0))
        else:
            memory.stores.setdefault(node, []).append((place, output < 0))
    return memory
