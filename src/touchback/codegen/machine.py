"""From a program to machine code: memory laid out, registers allocated, instructions written."""

from dataclasses import dataclass

from touchback.codegen.aarch64 import AArch64
from touchback.codegen.abi import CALLED
from touchback.codegen.allocate import allocate
from touchback.codegen.assembler import Assembler
from touchback.codegen.conditions import WIDE
from touchback.codegen.memory_layout import lay_out
from touchback.codegen.mixed import Mixed
from touchback.codegen.packed import Packed, packed
from touchback.codegen.pool import Pool
from touchback.codegen.schedule import schedule
from touchback.codegen.x86_64 import X86_64
from touchback.codegen.x86_64_v4 import X86_64V4
from touchback.errors import CompileError
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
    together = packed(program, kind.widths) if lanes == 1 else None
    if together is not None:
        return _emitted(together, kind, 1, together.width)
    return _emitted(program, kind, lanes, kind.width_for(lanes))


def _emitted(program: Program, kind: type[Assembler], lanes: int, width: int) -> MachineCode:
    """The code of a program; `width`: doubles in the vector registers that it uses."""
    plan = schedule(program, kind.window)
    constants = [(i, value) for i, value in program.values.items() if plan.live[i]]
    shared = lanes > 1 and len(constants) >= kind.shares_from
    calls = not CALLED.isdisjoint(program.op)
    if isinstance(program, Packed):
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
