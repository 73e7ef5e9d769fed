"""Machine code as a listing that people can read; `objdump` gives the same instructions."""

from touchback.codegen.aarch64_listing import list_aarch64
from touchback.codegen.machine import MachineCode
from touchback.codegen.x86_64_listing import list_x86_64

_LISTERS = {"aarch64": list_aarch64, "x86_64": list_x86_64, "x86_64_v4": list_x86_64}


def disassemble(code: MachineCode) -> str:
    """One line per instruction, with its offset from the start of the code."""
    lister = _LISTERS[code.target]
    lines = [f"{offset:8x}:  {text}" for offset, text in lister(code.code, code.entry)]
    head = f"; {code.target}, {code.lanes} lane{'s' if code.lanes > 1 else ''}: "
    head += f"{code.instructions} instructions, {code.entry} bytes of constants, "
    return "\n".join((f"{head}{code.work_size} doubles of work memory", *lines, ""))
