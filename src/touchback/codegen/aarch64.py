"""AArch64: how each operation is written with the instructions of `aarch64_isa`, in one or two
lanes.

Registers x0 … x5 keep the arguments and x6 the constant pool through the whole function; x9 … x17
are scratch.
"""

import struct
from typing import Self

from touchback.codegen import aarch64_isa as isa
from touchback.codegen.aarch64_sincos import write_cold_path, write_sincos
from touchback.codegen.abi import CONTEXT_SLOT, CTX, FIRST_TABLE_SLOT, POOL, Place
from touchback.codegen.assembler import ANY, Assembler
from touchback.codegen.conditions import (
    MACHINE_ARITY,
    MASK_EQ,
    MASK_LE,
    MASK_LT,
    PAIR,
    SELECT_BY_MASK,
    SPREAD,
)
from touchback.codegen.pool import Pool
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
