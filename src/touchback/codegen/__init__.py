"""From programs to code that runs: machine code of our own, C and others."""

from touchback.codegen.abi import ABI_VERSION
from touchback.codegen.compiled import (
    Backend,
    Compiled,
    compile_program,
    native_lanes,
    native_widths,
)
from touchback.codegen.disassemble import disassemble
from touchback.codegen.elf import read_elf, write_elf
from touchback.codegen.machine import MachineCode, emit

__all__ = [
    "ABI_VERSION",
    "Backend",
    "Compiled",
    "MachineCode",
    "compile_program",
    "disassemble",
    "emit",
    "native_lanes",
    "native_widths",
    "read_elf",
    "write_elf",
]
