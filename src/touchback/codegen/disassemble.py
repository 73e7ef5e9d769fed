"""Machine code as a listing that people can read; `objdump` gives the same instructions.

AArch64 code as text, in the notation of the architecture manual: the instructions that we write.

A row gives the bits of an instruction, the mask of what is fixed in them, and its text, in which
{d}, {n}, {m}, {a} are the register fields and other names are worked out by `_fields`.

Instructions on vector registers and masks as text, in Intel's notation.

x86-64 code as text, in Intel's notation: the instructions that we write and no others.
"""

from collections.abc import Iterator
from typing import NamedTuple

from touchback.codegen import aarch64_isa as isa
from touchback.codegen.emit_machine_code import MachineCode

WHOLE = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{k}" for k in range(8, 16)))
HALF = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", *(f"r{k}d" for k in range(8, 16)))


class Reader:
    """Bytes taken one after the other."""

    def __init__(self, code: bytes, position: int) -> None:
        self.code, self.position = code, position

    def byte(self) -> int:
        self.position += 1
        return self.code[self.position - 1]

    def signed(self, size: int) -> int:
        start, self.position = self.position, self.position + size
        return int.from_bytes(self.code[start : self.position], "little", signed=True)


def as_hex(value: int) -> str:
    return f"{value:#x}" if value >= 0 else f"-{-value:#x}"


def operand(
    reader: Reader, extend: int, names: tuple[str, ...], size: str, unit: int = 1
) -> tuple[int, str]:
    """(low bits of the register field, text of the register or memory operand) of a ModRM byte; an
    offset of one byte counts units of so many."""
    modrm = reader.byte()
    mode, field, low = modrm >> 6, modrm >> 3 & 7, modrm & 7
    if mode == 3:
        return field, names[low | extend]
    if mode == 0 and low == 5:
        offset = reader.signed(4)
        return field, f"{size}[rip{'+' if offset >= 0 else ''}{as_hex(offset)}]"
    if low == 4:
        reader.byte()
    offset = (0, 1, 4)[mode] and reader.signed((0, 1, 4)[mode])
    offset *= unit if mode == 1 else 1
    sign = "+" if offset >= 0 else ""
    shown = f"{sign}{as_hex(offset)}" if mode else ""
    return field, f"{size}[{WHOLE[low | extend & 8]}{shown}]"


_ONE, _TWO, _THREE = 0xFFFFFC00, 0xFFE0FC00, 0xFFE08000  # with two, three, four register fields


_OFFSET, _PAIR, _CONDITION = 0xFFC00000, 0xFFC00000, 0xFFE00C00


def _unary(bits: int, name: str, kind: str = "d") -> tuple[int, int, str]:
    if kind == "d":
        return bits, _ONE, f"{name} d{{d}}, d{{n}}"
    return bits, _ONE, f"{name} v{{d}}.{kind}, v{{n}}.{kind}"


def _binary(bits: int, name: str, kind: str = "d") -> tuple[int, int, str]:
    if kind == "d":
        return bits, _TWO, f"{name} d{{d}}, d{{n}}, d{{m}}"
    return bits, _TWO, f"{name} v{{d}}.{kind}, v{{n}}.{kind}, v{{m}}.{kind}"


def _fused(bits: int, name: str) -> tuple[int, int, str]:
    return bits, _THREE, f"{name} d{{d}}, d{{n}}, d{{m}}, d{{a}}"


_ROWS: tuple[tuple[int, int, str], ...] = (
    _binary(isa.FADD, "fadd"),
    _binary(isa.FSUB, "fsub"),
    _binary(isa.FMUL, "fmul"),
    _binary(isa.FDIV, "fdiv"),
    _fused(isa.FMADD, "fmadd"),
    _fused(isa.FMSUB, "fmsub"),
    _fused(isa.FNMSUB, "fnmsub"),
    _unary(isa.FNEG, "fneg"),
    _unary(isa.FABS, "fabs"),
    _unary(isa.FSQRT, "fsqrt"),
    _unary(isa.FRINTM, "frintm"),
    _unary(isa.FMOV, "fmov"),
    _unary(isa.SCVTF, "scvtf"),
    (isa.FCMP, 0xFFE0FC1F, "fcmp d{n}, d{m}"),
    (isa.FCMP_ZERO, 0xFFFFFC1F, "fcmp d{n}, #0.0"),
    (isa.FCSEL, _CONDITION, "fcsel d{d}, d{n}, d{m}, {condition}"),
    _binary(isa.FCMGT, "fcmgt"),
    _binary(isa.FCMGE, "fcmge"),
    _binary(isa.FCMEQ, "fcmeq"),
    (isa.MOVI_ZERO, 0xFFFFFFE0, "movi d{d}, #0x0"),
    _binary(isa.FADD_2D, "fadd", "2d"),
    _binary(isa.FSUB_2D, "fsub", "2d"),
    _binary(isa.FMUL_2D, "fmul", "2d"),
    _binary(isa.FDIV_2D, "fdiv", "2d"),
    _binary(isa.FMLA_2D, "fmla", "2d"),
    _binary(isa.FMLS_2D, "fmls", "2d"),
    _unary(isa.FNEG_2D, "fneg", "2d"),
    _unary(isa.FABS_2D, "fabs", "2d"),
    _unary(isa.FSQRT_2D, "fsqrt", "2d"),
    _unary(isa.FRINTM_2D, "frintm", "2d"),
    _unary(isa.SCVTF_2D, "scvtf", "2d"),
    _binary(isa.FCMGT_2D, "fcmgt", "2d"),
    _binary(isa.FCMGE_2D, "fcmge", "2d"),
    _binary(isa.FCMEQ_2D, "fcmeq", "2d"),
    _binary(isa.FACGE_2D, "facge", "2d"),
    (isa.FCMEQ_ZERO_2D, _ONE, "fcmeq v{d}.2d, v{n}.2d, #0.0"),
    (isa.CMLT_ZERO_2D, _ONE, "cmlt v{d}.2d, v{n}.2d, #0"),
    _binary(isa.BSL_16B, "bsl", "16b"),
    _binary(isa.ORR_16B, "orr", "16b"),
    _binary(isa.AND_16B, "and", "16b"),
    _binary(isa.EOR_16B, "eor", "16b"),
    (isa.DUP_2D, _ONE, "dup v{d}.2d, v{n}.d[0]"),
    _binary(isa.ZIP1_2D, "zip1", "2d"),
    (isa.SHL_2D, 0xFFC0FC00, "shl v{d}.2d, v{n}.2d, #{shift}"),
    (isa.UMINV_4S, _ONE, "uminv s{d}, v{n}.4s"),
    (isa.MOVI_ZERO_2D, 0xFFFFFFE0, "movi v{d}.2d, #0x0"),
    (isa.MOVI_ONES_2D, 0xFFFFFFE0, "movi v{d}.2d, #0xffffffffffffffff"),
    (isa.LDR_D, _OFFSET, "ldr d{d}, [{base}{at8}]"),
    (isa.STR_D, _OFFSET, "str d{d}, [{base}{at8}]"),
    (isa.LDR_Q, _OFFSET, "ldr q{d}, [{base}{at16}]"),
    (isa.STR_Q, _OFFSET, "str q{d}, [{base}{at16}]"),
    (isa.LDR_X, _OFFSET, "ldr x{d}, [{base}{at8}]"),
    (isa.STR_X, _OFFSET, "str x{d}, [{base}{at8}]"),
    (isa.STP_X, _PAIR, "stp x{d}, x{a}, [{base}{pair_at}]"),
    (isa.LDP_X, _PAIR, "ldp x{d}, x{a}, [{base}{pair_at}]"),
    (isa.STP_D, _PAIR, "stp d{d}, d{a}, [{base}{pair_at}]"),
    (isa.LDP_D, _PAIR, "ldp d{d}, d{a}, [{base}{pair_at}]"),
    (isa.ADD_IMM, _OFFSET, "add {target}, {base}, #{immediate}"),
    (isa.ADD_IMM_LSL12, _OFFSET, "add {target}, {base}, #{immediate}, lsl #12"),
    (isa.SUB_IMM, _OFFSET, "sub {target}, {base}, #{immediate}"),
    (isa.SUBS_IMM, _OFFSET, "subs {target}, {base}, #{immediate}"),
    (isa.MOVZ, 0xFFE00000, "movz x{d}, #{halfword}"),
    (isa.MOVK_LSL16, 0xFFE00000, "movk x{d}, #{halfword}, lsl #16"),
    (isa.FMOV_W_S, _ONE, "fmov w{d}, s{n}"),
    (isa.ADR, 0x9F000000, "adr x{d}, {near}"),
    (isa.ADRP, 0x9F000000, "adrp x{d}, {page}"),
    (isa.B, 0xFC000000, "b {far}"),
    (isa.B_COND, 0xFF000010, "b.{branch_condition} {conditional}"),
    (isa.CBNZ_W, 0xFF000000, "cbnz w{d}, {conditional}"),
    (isa.BLR, 0xFFFFFC1F, "blr x{n}"),
    (isa.BR, 0xFFFFFC1F, "br x{n}"),
    (isa.RET, 0xFFFFFFFF, "ret"),
)


_MASKS = tuple(sorted({mask for _, mask, _ in _ROWS}, key=int.bit_count, reverse=True))


_TEXTS = {(bits, mask): text for bits, mask, text in _ROWS}


_CONDITIONS = {isa.EQ: "eq", isa.NE: "ne", isa.MI: "mi", isa.LS: "ls", isa.GT: "gt"}


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _register(number: int) -> str:
    return "sp" if number == isa.SP else f"x{number}"


def _at(offset: int) -> str:
    return f", #{offset}" if offset else ""


def _fields(word: int, address: int) -> dict[str, object]:
    immediate = word >> 10 & 0xFFF
    distance = _signed((word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3, 21)
    return {
        "d": word & 31,
        "n": word >> 5 & 31,
        "m": word >> 16 & 31,
        "a": word >> 10 & 31,
        "target": _register(word & 31),
        "base": _register(word >> 5 & 31),
        "immediate": hex(immediate),
        "at8": _at(8 * immediate),
        "at16": _at(16 * immediate),
        "pair_at": _at(8 * _signed(word >> 15 & 127, 7)),
        "halfword": hex(word >> 5 & 0xFFFF),
        "shift": word >> 16 & 63,
        "condition": _CONDITIONS.get(word >> 12 & 15),
        "branch_condition": _CONDITIONS.get(word & 15),
        "conditional": hex(address + 4 * _signed(word >> 5 & 0x7FFFF, 19)),
        "far": hex(address + 4 * _signed(word & 0x3FFFFFF, 26)),
        "near": hex(address + distance),
        "page": hex((address & ~4095) + 4096 * distance),
    }


def list_aarch64(code: bytes, entry: int) -> Iterator[tuple[int, str]]:
    """(offset, text) of each instruction from the entry on."""
    for offset in range(entry, len(code), 4):
        word = int.from_bytes(code[offset : offset + 4], "little")
        for mask in _MASKS:
            text = _TEXTS.get((word & mask, mask))
            if text is not None:
                yield offset, text.format(**_fields(word, offset))
                break
        else:
            yield offset, f".word {word:#010x}"


_ARITHMETIC = {
    0x51: "vsqrt", 0x58: "vadd", 0x59: "vmul", 0x5C: "vsub", 0x5D: "vmin", 0x5E: "vdiv",
    0x5F: "vmax", 0xC2: "vcmp",
}  # fmt: skip


_LOGIC = {0x14: "vunpcklpd", 0x16: "vmovhpd", 0x54: "vandpd", 0x57: "vxorpd", 0x76: "vpcmpeqd"}


_FUSED = {0x8: "vfmadd", 0xA: "vfmsub", 0xC: "vfnmadd"}


_ORDERS = {0x9: "132", 0xA: "213", 0xB: "231"}


_PREDICATES = {0x00: "eq", 0x04: "neq", 0x11: "lt_oq", 0x12: "le_oq"}


_BY_MASK = {0x38: "vpmovm2q", 0x39: "vpmovq2m", 0x65: "vblendmpd"}


_SPREAD = 0x19


_INSERTS = {0x18: ("vinsertf128", "vinsertf64x2"), 0x1A: ("", "vinsertf64x4")}


_KINDS = ("xmm", "ymm", "zmm")


_VECTOR_MASKS = tuple(f"k{k}" for k in range(8))


class _Prefix(NamedTuple):
    """What comes before the opcode."""

    group: int
    pp: int
    length: int
    v: int
    extend: int  # bits 3 and 4 of the last operand's register, and of the first one's
    field_extend: int
    mask: str  # what the destination is followed by
    evex: bool
    shared: bool = False  # one double of memory for all lanes


def with_vex(reader: Reader, first: int) -> str:
    """An instruction whose prefix begins with 0xC4 or 0xC5."""
    if first == 0xC5:
        second = reader.byte()
        group, extend, field_extend = 1, 0, 0 if second & 0x80 else 8
    else:
        prefix, second = reader.byte(), reader.byte()
        group = prefix & 31
        extend, field_extend = 0 if prefix & 0x20 else 8, 0 if prefix & 0x80 else 8
    v, length, pp = ~(second >> 3) & 15, second >> 2 & 1, second & 3
    return _text(reader, _Prefix(group, pp, length, v, extend, field_extend, "", False))


def with_evex(reader: Reader) -> str:
    """An instruction of AVX-512, after the 0x62 that it begins with."""
    first, second, third = ~reader.byte(), reader.byte(), reader.byte()
    extend = (first >> 5 & 1) << 3 | (first >> 6 & 1) << 4
    field_extend = (first >> 7 & 1) << 3 | (first >> 4 & 1) << 4
    v = ~(second >> 3) & 15 | (~third >> 3 & 1) << 4
    mask = f"{{k{third & 7}}}" if third & 7 else ""
    mask += "{z}" if third & 0x80 else ""
    length, shared = third >> 5 & 3, bool(third & 0x10)
    return _text(
        reader, _Prefix(~first & 7, second & 3, length, v, extend, field_extend, mask, True, shared)
    )


def _text(reader: Reader, prefix: _Prefix) -> str:
    opcode = reader.byte()
    group, evex = prefix.group, prefix.evex
    if group == 1 and opcode == 0x77:
        return "vzeroupper"
    if group == 1 and opcode in (0x46, 0x98):
        return _of_masks(reader, opcode, prefix)
    kind = _KINDS[prefix.length]
    names = tuple(f"{kind}{k}" for k in range(32))
    scalar = prefix.pp == 3 or (group == 3 and opcode == 0x0B) or (group == 1 and opcode == 0x2E)
    scalar = scalar or (group == 2 and bool(opcode & 1) and opcode not in (*_BY_MASK, _SPREAD))
    of_one = scalar or prefix.shared or (group, opcode) in ((1, 0x16), (2, _SPREAD))
    length = prefix.length - (group == 3 and opcode in _INSERTS)  # of the last operand
    length = 0 if group == 2 and opcode == _SPREAD else length
    size = f"{'Q' if of_one else _KINDS[length].upper()}WORD {'BCST' if prefix.shared else 'PTR'} "
    unit = 1 if not evex else 8 if of_one else 16 << length
    if group == 2 and opcode == 0x38:
        field, last = operand(reader, 0, _VECTOR_MASKS, size)
    else:
        last_names = tuple(f"{_KINDS[length]}{k}" for k in range(32))
        field, last = operand(reader, prefix.extend, last_names, size, unit)
    field |= prefix.field_extend
    d, middle = names[field] + prefix.mask, names[prefix.v]
    suffix = "sd" if scalar else "pd"
    if group == 2:
        return _of_second_group(opcode, suffix, (field, d, middle, last))
    if group == 3:
        return _of_third_group(opcode, suffix, (d, middle, last), names, reader.byte(), evex)
    if opcode == 0xC2:
        d = _VECTOR_MASKS[field] + prefix.mask if evex else d
        return f"vcmp{_PREDICATES[reader.byte()]}{suffix} {d},{middle},{last}"
    if opcode == 0x73:
        return f"vpsllq {middle},{last},{reader.byte():#x}"
    if opcode == 0x50:
        return f"vmovmskpd {HALF[field]},{last}"
    return _of_first_group(opcode, suffix, (d, middle, last))


def _of_masks(reader: Reader, opcode: int, prefix: _Prefix) -> str:
    field, last = operand(reader, 0, _VECTOR_MASKS, "")
    if opcode == 0x46:
        return f"kxnorw {_VECTOR_MASKS[field]},{_VECTOR_MASKS[prefix.v]},{last}"
    return f"kortestb {_VECTOR_MASKS[field]},{last}"


def _of_first_group(opcode: int, suffix: str, operands: tuple[str, str, str]) -> str:
    d, middle, last = operands
    if opcode in _LOGIC:
        return f"{_LOGIC[opcode]} {d},{middle},{last}"
    if opcode == 0x51 and suffix == "pd":
        return f"vsqrtpd {d},{last}"
    if opcode in _ARITHMETIC:
        return f"{_ARITHMETIC[opcode]}{suffix} {d},{middle},{last}"
    if opcode in (0x10, 0x11):
        operands_ = f"{d},{last}" if opcode == 0x10 else f"{last},{d}"
        return f"{'vmovsd' if suffix == 'sd' else 'vmovupd'} {operands_}"
    return f"{ {0x28: 'vmovapd', 0x2E: 'vucomisd'}[opcode] } {d},{last}"


def _of_second_group(opcode: int, suffix: str, operands: tuple[int, str, str, str]) -> str:
    field, d, middle, last = operands
    if opcode == _SPREAD:
        return f"vbroadcastsd {d},{last}"
    if opcode == 0x39:
        return f"vpmovq2m {_VECTOR_MASKS[field]},{last}"
    if opcode in _BY_MASK:
        between = f"{middle}," if opcode == 0x65 else ""
        return f"{_BY_MASK[opcode]} {d},{between}{last}"
    return f"{_FUSED[opcode & 0xE]}{_ORDERS[opcode >> 4]}{suffix} {d},{middle},{last}"


def _of_third_group(
    opcode: int,
    suffix: str,
    operands: tuple[str, str, str],
    names: tuple[str, ...],
    constant: int,
    evex: bool,
) -> str:
    d, middle, last = operands
    if opcode == 0x4B:
        return f"vblendvpd {d},{middle},{last},{names[constant >> 4]}"
    if opcode in _INSERTS:
        return f"{_INSERTS[opcode][evex]} {d},{middle},{last},{constant:#x}"
    if opcode == 0x25:
        return f"vpternlogq {d},{middle},{last},{constant:#x}"
    name = "vrndscale" if evex else "vround"
    between = f"{middle}," if suffix == "sd" else ""
    return f"{name}{suffix} {d},{between}{last},{constant:#x}"


_BARE = {0xC3: "ret"}


_JUMPS, _FAR_JUMPS = {0x72: "jb", 0x74: "je"}, {0x83: "jae", 0x85: "jne"}


def list_x86_64(code: bytes, entry: int) -> Iterator[tuple[int, str]]:
    """(offset, text) of each instruction from the entry on."""
    reader = Reader(code, entry)
    while reader.position < len(code):
        offset = reader.position
        first = reader.byte()
        if first in (0xC4, 0xC5):
            yield offset, with_vex(reader, first)
        elif first == 0x62:
            yield offset, with_evex(reader)
        else:
            yield offset, _plain(reader, first)


def _plain(reader: Reader, first: int) -> str:
    rex = first if 0x40 <= first < 0x50 else 0
    opcode = reader.byte() if rex else first
    extend, field_extend = 8 if rex & 1 else 0, 8 if rex & 4 else 0
    names = WHOLE if rex & 8 else HALF
    if opcode in _BARE:
        return _BARE[opcode]
    if opcode & 0xF0 == 0x50:
        return f"{'push' if opcode < 0x58 else 'pop'} {WHOLE[opcode & 7 | extend]}"
    if opcode & 0xF8 == 0xB8:
        return f"mov {HALF[opcode & 7 | extend]},{reader.signed(4) & 0xFFFFFFFF:#x}"
    if opcode in _JUMPS:
        distance = reader.signed(1)
        return f"{_JUMPS[opcode]} {reader.position + distance:#x}"
    if opcode == 0xE8:
        distance = reader.signed(4)
        return f"call {reader.position + distance:#x}"
    if opcode == 0x0F:
        jump, distance = _FAR_JUMPS[reader.byte()], reader.signed(4)
        return f"{jump} {reader.position + distance:#x}"
    size = "" if opcode == 0x8D else "QWORD PTR "
    field, last = operand(reader, extend, names, size)
    if opcode == 0x83:
        constant = reader.signed(1)
        shown = as_hex(constant & (0xFFFFFFFFFFFFFFFF if rex & 8 else 0xFFFFFFFF))
        return f"{ {0: 'add', 4: 'and', 7: 'cmp'}[field] } {last},{shown}"
    if opcode == 0xFF:
        return f"{'dec' if field == 1 else 'call'} {last}"
    register = names[field | field_extend]
    if opcode == 0x89:
        return f"mov {last},{register}"
    return f"{'lea' if opcode == 0x8D else 'mov'} {register},{last}"


_LISTERS = {"aarch64": list_aarch64, "x86_64": list_x86_64, "x86_64_v4": list_x86_64}


def disassemble(code: MachineCode) -> str:
    """One line per instruction, with its offset from the start of the code."""
    lister = _LISTERS[code.target]
    lines = [f"{offset:8x}:  {text}" for offset, text in lister(code.code, code.entry)]
    head = f"; {code.target}, {code.lanes} lane{'s' if code.lanes > 1 else ''}: "
    head += f"{code.instructions} instructions, {code.entry} bytes of constants, "
    return "\n".join((f"{head}{code.work_size} doubles of work memory", *lines, ""))
