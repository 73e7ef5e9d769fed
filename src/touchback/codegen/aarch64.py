"""AArch64: how each operation is written with the instructions of `aarch64_isa`, in one or two
lanes.

Registers x0 … x5 hold the arguments and x6 the constant pool through the whole function; x9 … x17
are scratch.

Sines and cosines are a loop over vectors of two angles, and its cold path. The operations and their
order are those of `symbolic/sincos.py`. They form one long chain, so two vectors take turns,
instruction by instruction. Most constants are loaded each time: the load units have nothing else to
do, while copies would take turns with the arithmetic.
"""

from __future__ import annotations

import struct
from itertools import chain
from typing import Self

from touchback.codegen import aarch64_isa as isa
from touchback.codegen.assembler import ANY, Assembler
from touchback.codegen.calling_convention import (
    CONTEXT_SLOT,
    CTX,
    FIRST_TABLE_SLOT,
    POOL,
    WORK,
    Place,
)
from touchback.codegen.constant_pool import SIGN_MASK, Pool
from touchback.codegen.machine_operations import (
    MACHINE_ARITY,
    MASK_EQ,
    MASK_LE,
    MASK_LT,
    PAIR,
    SELECT_BY_MASK,
    SPREAD,
)
from touchback.symbolic import ops

_SCRATCH = 9


_PRESERVED = range(8, 16)  # of d8 … d15 a function must give back the low halves


_FRAME = 144  # x29, x30; x0 … x6; padding; d8 … d15


_ARGUMENTS_AT, _VECTORS_AT = 16, 80


_SCALAR = {
    ops.ADD: isa.FADD, ops.SUB: isa.FSUB, ops.MUL: isa.FMUL, ops.DIV: isa.FDIV,
    ops.FMA: isa.FMADD, ops.FNMA: isa.FMSUB, ops.FMS: isa.FNMSUB,
    ops.NEG: isa.FNEG, ops.SQRT: isa.FSQRT, ops.ABS: isa.FABS, ops.FLOOR: isa.FRINTM,
}  # fmt: skip


_VECTOR = {
    ops.ADD: isa.FADD_2D, ops.SUB: isa.FSUB_2D, ops.MUL: isa.FMUL_2D, ops.DIV: isa.FDIV_2D,
    ops.NEG: isa.FNEG_2D, ops.SQRT: isa.FSQRT_2D, ops.ABS: isa.FABS_2D, ops.FLOOR: isa.FRINTM_2D,
    SPREAD: isa.DUP_2D, PAIR: isa.ZIP1_2D,
}  # fmt: skip


_SCALAR_COMPARISON = {  # of b with a
    ops.LT: isa.FCMGT, ops.LE: isa.FCMGE, ops.EQ: isa.FCMEQ,
    MASK_LT: isa.FCMGT, MASK_LE: isa.FCMGE, MASK_EQ: isa.FCMEQ,
}  # fmt: skip


_VECTOR_COMPARISON = {
    ops.LT: isa.FCMGT_2D, ops.LE: isa.FCMGE_2D, ops.EQ: isa.FCMEQ_2D,
    MASK_LT: isa.FCMGT_2D, MASK_LE: isa.FCMGE_2D, MASK_EQ: isa.FCMEQ_2D,
}  # fmt: skip


class AArch64(Assembler):
    """One function in AArch64 instructions."""

    name = "aarch64"
    registers = (*range(8), *range(16, 32), *range(8, 16))
    widths = (1, 2)
    window = 48  # measured on Neoverse N1: 3 to 8 % faster, flat from 40 to 64

    def __init__(self, lanes: int, pool: Pool, calls: bool) -> None:
        super().__init__(lanes, pool, calls)
        self.words: list[int] = []
        self.cold_jumps: list[int] = []  # words that branch to the cold path of sincos
        vector = lanes == 2
        self.preserved = frozenset() if vector else frozenset(_PRESERVED)
        self.shareable = [ANY] * len(MACHINE_ARITY)
        self.folds = [0] * len(MACHINE_ARITY)
        self.shareable[SELECT_BY_MASK] = 1
        if vector:
            for op in (ops.FMA, ops.FNMA, ops.FMS):
                self.shareable[op] = 4
            for op in (ops.MIN, ops.MAX):
                self.shareable[op] = 0
            self.shareable[ops.SELECT] = 1
        simple = _VECTOR if vector else _SCALAR
        self._simple = [simple.get(op, 0) for op in range(len(MACHINE_ARITY))]
        self._comparison = _VECTOR_COMPARISON if vector else _SCALAR_COMPARISON
        self._load, self._store, self._shift = (
            (isa.LDR_Q, isa.STR_Q, 4) if vector else (isa.LDR_D, isa.STR_D, 3)
        )

    def write_into(self, other: Self) -> None:
        self.words = other.words

    # ---- memory ----------------------------------------------------------------------------------

    def _access(self, bits: int, shift: int, register: int, place: Place) -> None:
        base, offset, _ = place
        if offset < 4096 << shift:
            self.words.append(bits | offset >> shift << 10 | base << 5 | register)
            return
        self.words.append(isa.add_high(_SCRATCH, base, offset))
        self.words.append(bits | (offset & 4095) >> shift << 10 | _SCRATCH << 5 | register)

    def load(self, d: int, place: Place) -> None:
        self._access(self._load, self._shift, d, place)

    def store(self, s: int, place: Place) -> None:
        self._access(self._store, self._shift, s, place)

    def load_one(self, d: int, place: Place) -> None:
        self._access(isa.LDR_D, 3, d, place)

    def store_one(self, s: int, place: Place) -> None:
        self._access(isa.STR_D, 3, s, place)

    def load_vector(self, d: int, place: Place) -> None:
        """d = two doubles, whatever the number of lanes."""
        self._access(isa.LDR_Q, 4, d, place)

    def copy_vector(self, source: Place, target: Place) -> None:
        base, offset, _ = source
        if offset % 16:  # the offset of the instruction counts whole vectors
            self.words.append(isa.add_high(_SCRATCH, base, offset))
            self.words.append(isa.ADD_IMM | (offset & 4095) << 10 | _SCRATCH << 5 | _SCRATCH)
            self.words.append(isa.LDR_Q | _SCRATCH << 5)
        else:
            self._access(isa.LDR_Q, 4, 0, source)
        self._access(isa.STR_Q, 4, 0, target)

    def zero(self, d: int) -> None:
        self.words.append((isa.MOVI_ZERO if self.lanes == 1 else isa.MOVI_ZERO_2D) | d)

    # ---- operations ------------------------------------------------------------------------------

    def move(self, d: int, s: int) -> None:
        self.words.append(
            isa.FMOV | s << 5 | d if self.lanes == 1 else isa.ORR_16B | s << 16 | s << 5 | d
        )

    def negate(self, d: int, s: int) -> None:
        self.words.append(self._simple[ops.NEG] | s << 5 | d)

    def apply(self, op: int, d: int, a: int, b: int, c: int) -> None:
        bits = self._simple[op]
        if bits:
            self.words.append(bits | b << 16 | c << 10 | a << 5 | d)
        elif op in self._comparison:
            self.words.append(self._comparison[op] | a << 16 | b << 5 | d)
            if op < MASK_LT:  # a true comparison is −1 as a whole number
                self.words.append((isa.SCVTF if self.lanes == 1 else isa.SCVTF_2D) | d << 5 | d)
                self.words.append(self._simple[ops.ABS] | d << 5 | d)
        elif op == SELECT_BY_MASK:
            if d != a:
                self.words.append(isa.ORR_16B | a << 16 | a << 5 | d)
            self.words.append(isa.BSL_16B | c << 16 | b << 5 | d)
        elif self.lanes == 1:
            self._apply_scalar(op, d, a, b, c)
        else:
            self._apply_vector(op, d, a, b, c)

    def apply_folded(self, op: int, d: int, a: int, b: int, c: int, place: Place) -> None:
        raise AssertionError("AArch64 reads operands from registers only")

    def _apply_scalar(self, op: int, d: int, a: int, b: int, c: int) -> None:
        word = self.words.append
        if op == ops.SELECT:
            word(isa.FCMP_ZERO | a << 5)
            word(isa.FCSEL | c << 16 | isa.NE << 12 | b << 5 | d)
        else:
            word(isa.FCMP | b << 16 | a << 5)
            word(isa.FCSEL | b << 16 | (isa.MI if op == ops.MIN else isa.GT) << 12 | a << 5 | d)

    def _apply_vector(self, op: int, d: int, a: int, b: int, c: int) -> None:
        word = self.words.append
        if op == ops.FMS:
            word(isa.FNEG_2D | c << 5 | d)
            word(isa.FMLA_2D | b << 16 | a << 5 | d)
        elif op == ops.FMA or op == ops.FNMA:
            if d != c:
                self.move(d, c)
            word((isa.FMLA_2D if op == ops.FMA else isa.FMLS_2D) | b << 16 | a << 5 | d)
        elif op == ops.SELECT:
            word(isa.FCMEQ_ZERO_2D | a << 5 | d)
            word(isa.BSL_16B | b << 16 | c << 5 | d)
        else:
            low, high = (a, b) if op == ops.MIN else (b, a)
            word(isa.FCMGT_2D | low << 16 | high << 5 | d)
            word(isa.BSL_16B | b << 16 | a << 5 | d)

    # ---- calls -----------------------------------------------------------------------------------

    def call(self, op: int, lookup: int, want: int) -> None:
        if op == ops.LOOKUP1 or op == ops.LOOKUP2:
            self._load_integer(0, Place(CTX, FIRST_TABLE_SLOT + 8 * lookup))
            self.words.append(isa.MOVZ | want << 5 | 1)
        self._load_integer(16, Place(CTX, CONTEXT_SLOT[op]))
        self.words.append(isa.BLR | 16 << 5)
        self._restore_arguments()

    def _load_integer(self, x: int, place: Place) -> None:
        self._access(isa.LDR_X, 3, x, place)

    def _restore_arguments(self) -> None:
        for x in (0, 2, 4):
            self.words.append(isa.pair(isa.LDP_X, x, x + 1, isa.SP, _ARGUMENTS_AT + 8 * x))
        self._access(isa.LDR_X, 3, POOL, Place(isa.SP, _ARGUMENTS_AT + 8 * POOL))

    def sincos(self, offset: int, blocks: int) -> None:
        self.cold_jumps.append(write_sincos(self, offset, blocks))

    # ---- the whole function ----------------------------------------------------------------------

    def finish(self) -> tuple[bytes, int]:
        saved = [d for d in range(8, 16, 2) if d in self.touched or d + 1 in self.touched]
        self.words.extend(self._epilogue(saved))
        if self.cold_jumps:
            cold = write_cold_path(self)
            for jump in self.cold_jumps:
                self.words[jump] = isa.B | (cold - jump) & 0x3FFFFFF
        entry = len(self.pool.data)
        words = self._prologue(saved, entry) + self.words
        self.instructions = len(words)
        return self.pool.data + struct.pack(f"<{len(words)}I", *words), entry

    def _prologue(self, saved: list[int], entry: int) -> list[int]:
        words: list[int] = []
        if self.calls or saved:
            words.append(isa.SUB_IMM | _FRAME << 10 | isa.SP << 5 | isa.SP)
        for d in saved:
            words.append(isa.pair(isa.STP_D, d, d + 1, isa.SP, _VECTORS_AT + 8 * (d - 8)))
        if self.calls:
            words.append(isa.pair(isa.STP_X, 29, 30, isa.SP, 0))
            words.append(isa.ADD_IMM | isa.SP << 5 | 29)
        words.append(isa.adrp(POOL, -((entry + 4 * len(words)) >> 12)))
        if self.calls:
            for x in (0, 2, 4):
                words.append(isa.pair(isa.STP_X, x, x + 1, isa.SP, _ARGUMENTS_AT + 8 * x))
            words.append(isa.STR_X | (_ARGUMENTS_AT + 8 * POOL) >> 3 << 10 | isa.SP << 5 | POOL)
        return words

    def _epilogue(self, saved: list[int]) -> list[int]:
        words = [isa.pair(isa.LDP_D, d, d + 1, isa.SP, _VECTORS_AT + 8 * (d - 8)) for d in saved]
        if self.calls:
            words.append(isa.pair(isa.LDP_X, 29, 30, isa.SP, 0))
        if self.calls or saved:
            words.append(isa.ADD_IMM | _FRAME << 10 | isa.SP << 5 | isa.SP)
        words.append(isa.RET)
        return words


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
