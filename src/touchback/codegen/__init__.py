"""From programs to code that runs: machine code of our own, C and others."""

from touchback.codegen.calling_convention import ABI_VERSION
from touchback.codegen.disassemble import disassemble
from touchback.codegen.elf import read_elf, write_elf
from touchback.codegen.emit_machine_code import MachineCode, emit
from touchback.codegen.printers.c import C99 as C99, print_c as print_c
from touchback.codegen.printers.compile_c import FLAGS as FLAGS, find_compiler as find_compiler
from touchback.codegen.printers.dialect import (
    Dialect as Dialect,
    Speller as Speller,
    statements as statements,
)
from touchback.codegen.printers.matlab import print_matlab as print_matlab
from touchback.codegen.printers.python import (
    PYTHON as PYTHON,
    expression as expression,
    helpers as helpers,
    print_python as print_python,
    table_texts as table_texts,
)
from touchback.codegen.program_compiler import (
    Backend,
    Compiled,
    compile_program,
    native_lanes,
    native_widths,
)

# What the rooms that print programs need of the tape.
from touchback.symbolic import Program as Program, fuse_sums as fuse_sums

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "printers.cuda",
    "printers.cuda_loops",
)

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
