"""AArch64 code as text, in the notation of the architecture manual: the instructions that we write.

A row gives the bits of an instruction, the mask of what is fixed in them, and its text, in which
{d}, {n}, {m}, {a} are the register fields and other names are worked out by `_fields`.
"""

from collections.abc import Iterator

from touchback.codegen import aarch64_isa as isa

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
