"""Sines and cosines on AArch64: a loop over vectors of two angles, and its cold path.

The operations and their order are those of `symbolic/sincos.py`. Constants that an FMLA accumulates
into are loaded each time: the load units have nothing else to do, while copies would take turns
with the arithmetic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.codegen import aarch64_isa as isa
from touchback.codegen.abi import CONTEXT_SLOT, CTX, POOL, WORK
from touchback.codegen.pool import SIGN_MASK
from touchback.symbolic import ops

if TYPE_CHECKING:
    from touchback.codegen.aarch64 import AArch64

_POINTER, _COUNT, _RETURN = (
    9,
    10,
    11,
)  # general registers: table, blocks left, where the cold path returns
_BLOCK = 48  # bytes: two angles, their sines, their cosines
_SINES, _COSINES = 16, 32
# vector registers; none of d8 … d15, so that nothing has to be saved
_X, _SHIFTED, _K, _Z, _PS, _PC, _T, _U = range(8)
_TWO_OVER_PI, _MAGIC, _PI0, _PI1, _PI2, _HALF, _LIMIT, _SIGN, _S5, _C5, _IN_RANGE = range(16, 27)
_NEXT_PS, _NEXT_PC, _SIN, _COS, _ODD = range(27, 32)

_KEPT = {
    "2/pi": _TWO_OVER_PI, "magic": _MAGIC, "pi0": _PI0, "pi1": _PI1, "pi2": _PI2, "-1/2": _HALF,
    "limit": _LIMIT, SIGN_MASK: _SIGN, "s5": _S5, "c5": _C5,
}  # fmt: skip


def _three(bits: int, d: int, n: int, m: int) -> int:
    return bits | m << 16 | n << 5 | d


def write_sincos(asm: AArch64, offset: int, blocks: int) -> int:
    """Writes the loop over a table in work memory; gives the index of the word that must jump to
    the cold path.
    """
    words = asm.words
    for name, register in _KEPT.items():
        asm.load_vector(register, asm.pool.vector[name])
    words.append(isa.MOVI_ONES_2D | _IN_RANGE)
    _point_to_table(words, offset, blocks)
    start = len(words)
    _write_block(asm)
    if blocks > 1:
        words.append(isa.SUBS_IMM | 1 << 10 | _COUNT << 5 | _COUNT)
        words.append(isa.branch_if(isa.NE, start - len(words)))
    words.append(isa.UMINV_4S | _IN_RANGE << 5 | _T)
    words.append(isa.FMOV_W_S | _T << 5 | _POINTER)
    skipped = 7
    words.append(isa.CBNZ_W | skipped << 5 | _POINTER)
    before = len(words)
    words.append(isa.adr(_RETURN, 4 * (skipped - 1)))
    _point_to_table(words, offset, blocks)
    words.append(isa.B)
    if len(words) - before != skipped - 1:
        raise AssertionError("the way around the cold path has the wrong length")
    return len(words) - 1


def _point_to_table(words: list[int], offset: int, blocks: int) -> None:
    words.append(isa.add_high(_POINTER, WORK, offset))
    words.append(isa.ADD_IMM | (offset & 4095) << 10 | _POINTER << 5 | _POINTER)
    words.append(isa.MOVZ | (blocks & 0xFFFF) << 5 | _COUNT)
    words.append(isa.MOVK_LSL16 | blocks >> 16 << 5 | _COUNT)


def _write_block(asm: AArch64) -> None:
    word, pool = asm.words.append, asm.pool.vector

    def add_product(d: int, addend: str, n: int, m: int) -> None:
        asm.load_vector(d, pool[addend])
        word(_three(isa.FMLA_2D, d, n, m))

    word(isa.LDR_Q | _POINTER << 5 | _X)
    add_product(_SHIFTED, "magic", _X, _TWO_OVER_PI)
    word(_three(isa.FACGE_2D, _T, _LIMIT, _X))
    word(_three(isa.AND_16B, _IN_RANGE, _IN_RANGE, _T))
    word(_three(isa.FSUB_2D, _K, _SHIFTED, _MAGIC))
    for part in (_PI0, _PI1, _PI2):
        word(_three(isa.FMLS_2D, _X, _K, part))
    word(_three(isa.FMUL_2D, _Z, _X, _X))
    sine, cosine = (_S5, _NEXT_PS, _PS), (_C5, _NEXT_PC, _PC)
    for degree in range(4, -1, -1):
        add_product(sine[1], f"s{degree}", sine[0], _Z)
        add_product(cosine[1], f"c{degree}", cosine[0], _Z)
        sine = (sine[1], _PS if sine[1] == _NEXT_PS else _NEXT_PS, 0)
        cosine = (cosine[1], _PC if cosine[1] == _NEXT_PC else _NEXT_PC, 0)
    word(_three(isa.FMUL_2D, _T, _X, _Z))
    word(_three(isa.FMLA_2D, _X, _T, sine[0]))  # sin r
    add_product(_U, "one", _HALF, _Z)
    word(_three(isa.FMUL_2D, _Z, _Z, _Z))
    word(_three(isa.FMLA_2D, _U, _Z, cosine[0]))  # cos r
    # The low bits of `shifted` are those of k: bit 0 swaps, bit 1 signs the sine, bit 0 ^ bit 1 the
    # cosine.
    word(isa.SHL_2D | 63 << 16 | _SHIFTED << 5 | _ODD)
    word(isa.SHL_2D | 62 << 16 | _SHIFTED << 5 | _K)
    word(isa.CMLT_ZERO_2D | _ODD << 5 | _SIN)
    word(isa.CMLT_ZERO_2D | _ODD << 5 | _COS)
    word(_three(isa.EOR_16B, _ODD, _ODD, _K))
    word(_three(isa.BSL_16B, _SIN, _U, _X))
    word(_three(isa.BSL_16B, _COS, _X, _U))
    word(_three(isa.AND_16B, _K, _K, _SIGN))
    word(_three(isa.AND_16B, _ODD, _ODD, _SIGN))
    word(_three(isa.EOR_16B, _SIN, _SIN, _K))
    word(_three(isa.EOR_16B, _COS, _COS, _ODD))
    word(isa.STR_Q | _SINES >> 4 << 10 | _POINTER << 5 | _SIN)
    word(isa.STR_Q | _COSINES >> 4 << 10 | _POINTER << 5 | _COS)
    word(isa.ADD_IMM | _BLOCK << 10 | _POINTER << 5 | _POINTER)


def write_cold_path(asm: AArch64) -> int:
    """Writes the routine for tables with an angle out of range: those angles go to the C library,
    one by one.

    It gets the table, its blocks and the return address in x9, x10, x11 and keeps x0 … x6.
    """
    words = asm.words
    start = len(words)
    frame, table_at = 96, 80
    words.append(isa.SUB_IMM | frame << 10 | isa.SP << 5 | isa.SP)
    words.append(isa.pair(isa.STP_X, 29, 30, isa.SP, 0))
    words.append(isa.ADD_IMM | isa.SP << 5 | 29)
    kept = ((0, 1), (2, 3), (4, 5), (6, _RETURN))
    for index, (first, second) in enumerate(kept):
        words.append(isa.pair(isa.STP_X, first, second, isa.SP, 16 + 16 * index))
    words.append(isa.pair(isa.STP_X, _POINTER, _COUNT, isa.SP, table_at))
    block = len(words)
    for lane in range(2):
        words.append(isa.LDR_D | lane << 10 | _POINTER << 5)
        words.append(isa.FABS | 0 << 5 | 1)
        asm.load_one(2, asm.pool.vector["limit"])
        words.append(isa.FCMP | 2 << 16 | 1 << 5)
        skip = len(words)
        words.append(0)
        for op, results in ((ops.SIN, _SINES), (ops.COS, _COSINES)):
            words.append(isa.LDR_D | lane << 10 | _POINTER << 5)
            words.append(isa.LDR_X | CONTEXT_SLOT[op] >> 3 << 10 | CTX << 5 | 16)
            words.append(isa.BLR | 16 << 5)
            words.append(isa.pair(isa.LDP_X, 4, CTX, isa.SP, 48))
            words.append(isa.pair(isa.LDP_X, POOL, _RETURN, isa.SP, 64))
            words.append(isa.pair(isa.LDP_X, _POINTER, _COUNT, isa.SP, table_at))
            words.append(isa.STR_D | (results + 8 * lane) >> 3 << 10 | _POINTER << 5)
        words[skip] = isa.branch_if(isa.LS, len(words) - skip)
    words.append(isa.ADD_IMM | _BLOCK << 10 | _POINTER << 5 | _POINTER)
    words.append(isa.SUBS_IMM | 1 << 10 | _COUNT << 5 | _COUNT)
    words.append(isa.pair(isa.STP_X, _POINTER, _COUNT, isa.SP, table_at))
    words.append(isa.branch_if(isa.NE, block - len(words)))
    for index, (first, second) in enumerate(kept):
        words.append(isa.pair(isa.LDP_X, first, second, isa.SP, 16 + 16 * index))
    words.append(isa.pair(isa.LDP_X, 29, 30, isa.SP, 0))
    words.append(isa.ADD_IMM | frame << 10 | isa.SP << 5 | isa.SP)
    words.append(isa.BR | _RETURN << 5)
    return start
