"""Emitted functions run in a process of their own, natively or under qemu, without any compiler.

A static ELF executable holds the functions, their inputs and a start routine that calls one after
the other and writes all results to its standard output. The context of the functions is hostile:
its functions do what the calling convention allows and no more, so that whatever was wrongly left
in a register is lost. After each call the registers that a function must preserve are recorded.
"""

import importlib
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np

from touchback.codegen import aarch64_isa as arm, emit, x86_64_evex as evex, x86_64_isa as intel
from touchback.codegen.calling_convention import CONTEXT_SLOT
from touchback.codegen.host_cpu import host_target
from touchback.symbolic import evaluate, ops
from touchback.symbolic.program import Program
from touchback.symbolic.sincos import LIMIT, sincos

definition = importlib.import_module("touchback.symbolic.evaluate")  # the module, not the function

ORIGIN, PAGE = 0x400000, 0x1000
SENTINEL = 0x3FF123456789ABCD  # in preserved registers; a double too
MACHINE = {"aarch64": 183, "x86_64": 62, "x86_64_v4": 62}
PRESERVED = {"aarch64": 8, "x86_64": 6, "x86_64_v4": 6}  # d8 … d15; rbx, rbp, r12 … r15

# What the hostile functions compute: simple enough to write by hand, different from each other.
SUBSTITUTES = {
    ops.ASIN: lambda a: a + a,
    ops.ACOS: lambda a: a * a,
    ops.EXP: lambda a: a + 1.0,
    ops.LOG: lambda a: a - 1.0,
    ops.SINH: lambda a: a - a * a,
    ops.COSH: lambda a: a + a * a,
    ops.TANH: lambda a: 1.0 - a,
    ops.ATAN2: lambda a, b: a - b,
    ops.POW: lambda a, b: a * b,
    ops.SIN: lambda a: a + a,
    ops.COS: lambda a: a * a,
}


@dataclass
class Case:
    """One call: a program and its inputs of shape (size, lanes)."""

    program: Program
    arrays: Sequence[np.ndarray]

    @property
    def lanes(self) -> int:
        return self.arrays[0].shape[1]


def emulator(target: str) -> list[str] | None:
    """The command that runs executables of a target, None if there is none."""
    if target == host_target()[0] or (target, host_target()[0]) == ("x86_64", "x86_64_v4"):
        return []
    for name in (f"qemu-{target}-static", f"qemu-{target}"):
        found = shutil.which(name)
        if found:
            return [found, "-cpu", "max"]
    return None


@contextmanager
def hostile_definitions() -> Iterator[None]:
    """`symbolic.evaluate` with the functions of the hostile context."""

    def turned(x: float) -> tuple[float, float]:
        inside = abs(x) <= LIMIT
        return sincos(x) if inside else (SUBSTITUTES[ops.SIN](x), SUBSTITUTES[ops.COS](x))

    functions = {op: function for op, function in SUBSTITUTES.items() if op < ops.LOOKUP1}
    functions[ops.SIN] = lambda a: turned(a)[0]
    functions[ops.COS] = lambda a: turned(a)[1]
    with (
        patch.dict(definition._FUNCTIONS, functions),
        patch.object(definition, "lookup1", lambda table, x, want: x + table.values[0] + want),
        patch.object(
            definition, "lookup2", lambda table, x, y, want: x - y + table.values[0] + want
        ),
    ):
        yield


def expected(case: Case) -> np.ndarray:
    """Outputs by plain evaluation with the hostile functions, shape (outputs, lanes)."""
    with hostile_definitions():
        lanes = [
            evaluate(
                case.program,
                {name: array[:, lane].tolist() for name, array in zip("xup", case.arrays)},
            )
            for lane in range(case.lanes)
        ]
    return np.array(lanes).T.reshape(-1, case.lanes)


def run(target: str, cases: Sequence[Case]) -> list[np.ndarray]:
    """Outputs of each case; fails if a preserved register was changed or the process died."""
    command = emulator(target)
    assert command is not None
    with tempfile.TemporaryDirectory() as folder:
        file, results = Path(folder, "cases"), Path(folder, "results")
        file.write_bytes(_executable(target, cases))
        file.chmod(0o700)
        with results.open("wb") as stream:
            ended = subprocess.run([*command, str(file)], stdout=stream, check=False, timeout=300)
        assert ended.returncode == 0, f"the process ended with {ended.returncode}"
        numbers = np.fromfile(results)
    outputs, position = [], 0
    for case in cases:
        size = len(case.program.outputs) * case.lanes
        outputs.append(numbers[position : position + size].reshape(-1, case.lanes))
        position += size
        kept = numbers[position : position + PRESERVED[target]].view(np.uint64)
        assert (kept == SENTINEL).all(), "a preserved register was changed"
        position += PRESERVED[target]
    assert position == len(numbers)
    return outputs


def _executable(target: str, cases: Sequence[Case]) -> bytes:
    """An ELF file: a read-only executable segment, and a writable one with all data."""
    write_start, functions = {
        "aarch64": (_start_on_arm, _functions_on_arm()),
        "x86_64": (_start_on_intel, _functions_on_intel(())),
        "x86_64_v4": (_start_on_intel, _functions_on_intel(range(16, 32))),
    }[target]
    image = bytearray(PAGE)  # headers, then pages of code, then pages of data
    addresses: dict[int, int] = {}
    for op, code in functions.items():
        addresses[op] = ORIGIN + len(image)
        image += code + bytes(-len(code) % 16)
    codes = [emit(case.program, target, case.lanes) for case in cases]
    entries = []
    for code in codes:
        image += bytes(-len(image) % PAGE)
        entries.append(ORIGIN + len(image) + code.entry)
        image += code.code
    image += bytes(-len(image) % 16)
    start = ORIGIN + len(image)
    code_size = len(image) + _start_size(target, len(cases))
    data = bytearray()
    data_origin = ORIGIN + -(-code_size // PAGE) * PAGE

    def place(content: bytes) -> int:
        data.extend(bytes(-len(data) % 64))
        data.extend(content)
        return data_origin + len(data) - len(content)

    calls = []
    for case, entry in zip(cases, entries, strict=True):
        values = [struct.pack("<d", use.table.values[0]) for use in case.program.lookups]
        slots = [addresses[op] for op in sorted(CONTEXT_SLOT, key=CONTEXT_SLOT.__getitem__)]
        slots += [place(value) for value in values]
        context = place(struct.pack(f"<{len(slots)}Q", *slots))
        arrays = [place(np.ascontiguousarray(array).tobytes()) for array in case.arrays]
        calls.append([entry, *arrays, 0, 0, context])
    work = place(bytes(8 * max(code.work_size for code in codes)))
    results = place(b"")
    size = 0
    for case, call in zip(cases, calls, strict=True):
        call[4:6] = results + size, work
        size += 8 * (len(case.program.outputs) * case.lanes + PRESERVED[target])
    data += bytes(size)
    counts = [8 * len(case.program.outputs) * case.lanes for case in cases]
    image += write_start(calls, counts, results, size)
    image += bytes(data_origin - ORIGIN - len(image)) + data
    code_end = data_origin - ORIGIN
    header = struct.pack(
        "<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 2, MACHINE[target], 1, start, 64,
        0, 0, 64, 56, 2, 0, 0, 0,
    )  # fmt: skip
    header += struct.pack("<IIQQQQQQ", 1, 5, 0, ORIGIN, ORIGIN, code_end, code_end, PAGE)
    header += struct.pack(
        "<IIQQQQQQ", 1, 6, code_end, data_origin, data_origin, len(data), len(data), PAGE
    )
    image[: len(header)] = header
    return bytes(image)


def _start_size(target: str, cases: int) -> int:
    blank = [[0] * 7] * cases
    write_start = _start_on_arm if target == "aarch64" else _start_on_intel
    return len(write_start(blank, [0] * cases, 0, 0))


# ---- AArch64 -------------------------------------------------------------------------------------


def _number(register: int, value: int) -> list[int]:
    words = [arm.MOVZ | (value & 0xFFFF) << 5 | register]
    for k in (1, 2, 3):
        halfword = value >> 16 * k & 0xFFFF
        words.append(0xF2800000 | k << 21 | halfword << 5 | register)
    return words


def _start_on_arm(calls: list[list[int]], counts: list[int], results: int, size: int) -> bytes:
    words: list[int] = []
    fmov_from_x9 = 0x9E670000 | 9 << 5
    for (entry, x, u, p, out, work, context), count in zip(calls, counts, strict=True):
        words += _number(9, SENTINEL)
        words += [fmov_from_x9 | d for d in range(8, 16)]
        for register, value in enumerate((x, u, p, out, work, context)):
            words += _number(register, value)
        words += [*_number(16, entry), arm.BLR | 16 << 5]
        words += _number(9, out + count)
        words += [arm.STR_D | k << 10 | 9 << 5 | 8 + k for k in range(8)]
    words += [*_number(0, 1), *_number(1, results), *_number(2, size), *_number(8, 64), 0xD4000001]
    words += [*_number(0, 0), *_number(8, 93), 0xD4000001]
    return struct.pack(f"<{len(words)}I", *words)


def _functions_on_arm() -> dict[int, bytes]:
    def three(bits: int, d: int, n: int, m: int) -> int:
        return bits | m << 16 | n << 5 | d

    one = 0x1E6E1000  # fmov d0, #1.0
    load_table = [arm.LDR_D | 0 << 5 | 2, 0x9E620000 | 1 << 5 | 3]  # d2 = *x0, d3 = (double) x1
    add_both = [three(arm.FADD, 0, 0, 2), three(arm.FADD, 0, 0, 3)]
    bodies = {
        ops.ASIN: [three(arm.FADD, 0, 0, 0)],
        ops.ACOS: [three(arm.FMUL, 0, 0, 0)],
        ops.EXP: [one | 1, three(arm.FADD, 0, 0, 1)],
        ops.LOG: [one | 1, three(arm.FSUB, 0, 0, 1)],
        ops.SINH: [three(arm.FMUL, 1, 0, 0), three(arm.FSUB, 0, 0, 1)],
        ops.COSH: [three(arm.FMUL, 1, 0, 0), three(arm.FADD, 0, 0, 1)],
        ops.TANH: [one | 1, three(arm.FSUB, 0, 1, 0)],
        ops.ATAN2: [three(arm.FSUB, 0, 0, 1)],
        ops.POW: [three(arm.FMUL, 0, 0, 1)],
        ops.SIN: [three(arm.FADD, 0, 0, 0)],
        ops.COS: [three(arm.FMUL, 0, 0, 0)],
        ops.LOOKUP1: [*load_table, *add_both],
        ops.LOOKUP2: [*load_table, three(arm.FSUB, 0, 0, 1), *add_both],
    }
    spoil = [arm.MOVI_ONES_2D | v for v in (*range(1, 8), *range(16, 32))]
    spoil += [arm.FMOV | d << 5 | d for d in range(8, 16)]  # their upper halves may go
    spoil += [arm.MOVZ | 0x7777 << 5 | x for x in range(18)]
    # A stack that is not aligned to 16 bytes faults here.
    touch_stack = [arm.pair(arm.STP_X, 0, 1, arm.SP, -16)]
    return {
        op: struct.pack(f"<{len(words)}I", *words)
        for op, body in bodies.items()
        for words in [[*touch_stack, *body, *spoil, arm.RET]]
    }


# ---- x86-64 --------------------------------------------------------------------------------------

_KEPT_ON_INTEL = (intel.RBX, intel.RBP, 12, 13, 14, 15)


def _number_on_intel(register: int, value: int) -> bytes:
    rex = 0x48 | (1 if register & 8 else 0)
    return bytes((rex, 0xB8 | register & 7)) + struct.pack("<Q", value)


def _start_on_intel(calls: list[list[int]], counts: list[int], results: int, size: int) -> bytes:
    code = bytearray()
    arguments = (intel.RDI, intel.RSI, intel.RDX, intel.RCX, intel.R8, intel.R9)
    for (entry, *pointers), count in zip(calls, counts, strict=True):
        for register in _KEPT_ON_INTEL:
            code += _number_on_intel(register, SENTINEL)
        for register, value in zip(arguments, pointers, strict=True):
            code += _number_on_intel(register, value)
        code += _number_on_intel(intel.RAX, entry) + b"\xff\xd0"
        code += _number_on_intel(intel.RAX, pointers[3] + count)
        for k, register in enumerate(_KEPT_ON_INTEL):
            code += intel.store(register, intel.RAX, 8 * k)
    for register, value in zip((intel.RDI, intel.RSI, intel.RDX), (1, results, size), strict=True):
        code += _number_on_intel(register, value)
    code += _number_on_intel(intel.RAX, 1) + b"\x0f\x05"
    code += _number_on_intel(intel.RDI, 0) + _number_on_intel(intel.RAX, 60) + b"\x0f\x05"
    return bytes(code)


def _functions_on_intel(high_registers: Sequence[int]) -> dict[int, bytes]:
    def two(forms: intel.Forms, d: int, v: int, m: int) -> bytes:
        return intel.vex(forms[0], d, v, m)

    to_double = intel.encoding(1, 0x83, 0x2A)
    one = intel.constant(intel.RAX, 1) + intel.vex(to_double, 1, 0, intel.RAX)
    load_table = intel.vex_memory(intel.VMOV_LOAD[0], 2, 0, intel.RDI, 0)
    load_table += intel.vex(to_double, 3, 3, intel.RSI)
    add_both = two(intel.VADD, 0, 0, 2) + two(intel.VADD, 0, 0, 3)
    bodies = {
        ops.ASIN: two(intel.VADD, 0, 0, 0),
        ops.ACOS: two(intel.VMUL, 0, 0, 0),
        ops.EXP: one + two(intel.VADD, 0, 0, 1),
        ops.LOG: one + two(intel.VSUB, 0, 0, 1),
        ops.SINH: two(intel.VMUL, 1, 0, 0) + two(intel.VSUB, 0, 0, 1),
        ops.COSH: two(intel.VMUL, 1, 0, 0) + two(intel.VADD, 0, 0, 1),
        ops.TANH: one + two(intel.VSUB, 0, 1, 0),
        ops.ATAN2: two(intel.VSUB, 0, 0, 1),
        ops.POW: two(intel.VMUL, 0, 0, 1),
        ops.SIN: two(intel.VADD, 0, 0, 0),
        ops.COS: two(intel.VMUL, 0, 0, 0),
        ops.LOOKUP1: load_table + add_both,
        ops.LOOKUP2: load_table + two(intel.VSUB, 0, 0, 1) + add_both,
    }
    spoil = b"".join(intel.vex(intel.VPCMPEQD, y, y, y) for y in range(1, 16))
    ones = bytes((0xFF,))  # what is set of any three bits: every bit
    spoil += b"".join(evex.evex(evex.TERNARY[2], z, z, z) + ones for z in high_registers)
    if high_registers:
        spoil += b"".join(intel.vex(evex.KXNOR, k, k, k) for k in range(1, 8))
    for register in (0, 1, 2, 6, 7, 8, 9, 10, 11):
        spoil += intel.constant(register, 0x77777777)
    # movaps [rsp-24], xmm15: faults unless the stack was aligned to 16 bytes at the call
    touch_stack = b"\x44\x0f\x29\x7c\x24\xe8"
    return {op: touch_stack + body + spoil + intel.RET for op, body in bodies.items()}
