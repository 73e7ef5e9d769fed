"""Sines and cosines on AArch64: a loop over vectors of two angles, and its cold path.

The operations and their order are those of `symbolic/sincos.py`. They form one long chain, so two
vectors take turns, instruction by instruction. Most constants are loaded each time: the load units
have nothing else to do, while copies would take turns with the arithmetic.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from touchback.codegen import aarch64_isa as isa
from touchback.codegen.abi import CONTEXT_SLOT, CTX, POOL, WORK
from touchback.codegen.pool import SIGN_MASK, Pool
from touchback.symbolic import ops

if TYPE_CHECKING:
    from touchback.codegen.aarch64 import AArch64

_POINTER, _COUNT, _RETURN = (
    9,
    10,
    11,
)  # general registers: table, rounds left, where the cold path returns
_BLOCK = 48  # bytes: two angles, their sines, their cosines
_SINES, _COSINES = 16, 32
# vector registers; none of d8 … d15, so that nothing has to be saved
_BANKS = (0, 1, 2, 3, 4, 5, 6, 7, 16), range(17, 26)
_PI0, _PI1, _PI2, _LIMIT, _SIGN, _IN_RANGE = range(26, 32)

_KEPT = {"pi0": _PI0, "pi1": _PI1, "pi2": _PI2, "limit": _LIMIT, SIGN_MASK: _SIGN}


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
    pairs, single = divmod(blocks, 2)
    _point_to_table(words, offset, pairs)
    if single:
        words.extend(_block(asm.pool, 0, 0))
        words.append(isa.ADD_IMM | _BLOCK << 10 | _POINTER << 5 | _POINTER)
    if pairs:
        start = len(words)
        words.extend(chain(*zip(_block(asm.pool, 0, 0), _block(asm.pool, 1, _BLOCK))))
        words.append(isa.ADD_IMM | 2 * _BLOCK << 10 | _POINTER << 5 | _POINTER)
    if pairs > 1:
        words.append(isa.SUBS_IMM | 1 << 10 | _COUNT << 5 | _COUNT)
        words.append(isa.branch_if(isa.NE, start - len(words)))
    scratch = _BANKS[0][0]
    words.append(isa.UMINV_4S | _IN_RANGE << 5 | scratch)
    words.append(isa.FMOV_W_S | scratch << 5 | _POINTER)
    skipped = 7
    words.append(isa.CBNZ_W | skipped << 5 | _POINTER)
    before = len(words)
    words.append(isa.adr(_RETURN, 4 * (skipped - 1)))
    _point_to_table(words, offset, blocks)
    words.append(isa.B)
    if len(words) - before != skipped - 1:
        raise AssertionError("the way around the cold path has the wrong length")
    return len(words) - 1


def _point_to_table(words: list[int], offset: int, count: int) -> None:
    words.append(isa.add_high(_POINTER, WORK, offset))
    words.append(isa.ADD_IMM | (offset & 4095) << 10 | _POINTER << 5 | _POINTER)
    words.append(isa.MOVZ | (count & 0xFFFF) << 5 | _COUNT)
    words.append(isa.MOVK_LSL16 | count >> 16 << 5 | _COUNT)


def _block(pool: Pool, bank: int, at: int) -> list[int]:
    """The instructions for the block `at` bytes from the pointer, in one bank of registers."""
    words: list[int] = []
    word = words.append
    x, shifted, k, z, ps, pc, next_ps, next_pc, t = _BANKS[bank]

    def load(d: int, name: str) -> None:
        word(isa.LDR_Q | pool.vector[name].offset >> 4 << 10 | POOL << 5 | d)

    def add_product(d: int, addend: str, n: int, m: int) -> None:
        load(d, addend)
        word(_three(isa.FMLA_2D, d, n, m))

    word(isa.LDR_Q | at >> 4 << 10 | _POINTER << 5 | x)
    load(t, "2/pi")
    add_product(shifted, "magic", x, t)
    word(_three(isa.FACGE_2D, t, _LIMIT, x))
    word(_three(isa.AND_16B, _IN_RANGE, _IN_RANGE, t))
    load(t, "magic")
    word(_three(isa.FSUB_2D, k, shifted, t))
    for part in (_PI0, _PI1, _PI2):
        word(_three(isa.FMLS_2D, x, k, part))
    word(_three(isa.FMUL_2D, z, x, x))
    load(ps, "s5")
    load(pc, "c5")
    for degree in range(4, -1, -1):
        add_product(next_ps, f"s{degree}", ps, z)
        add_product(next_pc, f"c{degree}", pc, z)
        ps, next_ps, pc, next_pc = next_ps, ps, next_pc, pc
    sine, cosine, spare, other = x, next_pc, next_ps, t
    word(_three(isa.FMUL_2D, t, x, z))
    word(_three(isa.FMLA_2D, sine, t, ps))  # sin r
    load(spare, "-1/2")
    add_product(cosine, "one", spare, z)
    word(_three(isa.FMUL_2D, z, z, z))
    word(_three(isa.FMLA_2D, cosine, z, pc))  # cos r
    # The low bits of `shifted` are those of k: bit 0 swaps, bit 1 signs the sine, bit 0 ^ bit 1 the
    # cosine.
    odd, sin, cos = other, spare, ps
    word(isa.SHL_2D | 63 << 16 | shifted << 5 | odd)
    word(isa.SHL_2D | 62 << 16 | shifted << 5 | k)
    word(isa.CMLT_ZERO_2D | odd << 5 | sin)
    word(isa.CMLT_ZERO_2D | odd << 5 | cos)
    word(_three(isa.EOR_16B, odd, odd, k))
    word(_three(isa.BSL_16B, sin, cosine, sine))
    word(_three(isa.BSL_16B, cos, sine, cosine))
    word(_three(isa.AND_16B, k, k, _SIGN))
    word(_three(isa.AND_16B, odd, odd, _SIGN))
    word(_three(isa.EOR_16B, sin, sin, k))
    word(_three(isa.EOR_16B, cos, cos, odd))
    word(isa.STR_Q | at + _SINES >> 4 << 10 | _POINTER << 5 | sin)
    word(isa.STR_Q | at + _COSINES >> 4 << 10 | _POINTER << 5 | cos)
    return words


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
