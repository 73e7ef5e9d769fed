"""x86-64: how each operation is written with the instructions of `x86_64_isa`.

One lane uses the low halves of the xmm registers, four lanes the ymm registers. Pointers are moved
so that the bases in frequent use make short instructions: work in rax, the pool in rcx, out in r8.

Sines and cosines on x86-64: a loop over vectors of four or eight angles, and its cold path.

The operations and their order are those of `symbolic/sincos.py`.

x86-64 with AVX-512 (the architecture level x86-64-v4): 32 registers, and up to eight lanes.

Instructions on low registers stay those of AVX2, which are shorter. Comparisons give masks in
registers k; they become numbers, or vectors of ones and zeros, and live where numbers do.
"""

from __future__ import annotations

from typing import ClassVar, Self

from touchback.codegen import x86_64_evex as evex, x86_64_evex as masks, x86_64_isa as isa
from touchback.codegen.assembler import ANY, Assembler
from touchback.codegen.calling_convention import (
    CONTEXT_SLOT,
    CTX,
    FIRST_TABLE_SLOT,
    POOL,
    SHARED,
    WORK,
    Place,
)
from touchback.codegen.constant_pool import ABS_MASK, SIGN_MASK, Pool
from touchback.codegen.machine_operations import (
    JOIN,
    MACHINE_ARITY,
    MASK_EQ,
    MASK_LE,
    MASK_LT,
    PAIR,
    SELECT_BY_MASK,
    SPREAD,
    WIDER_JOIN,
)
from touchback.symbolic import ops

BASES = (isa.RDI, isa.RSI, isa.RDX, isa.R8, isa.RAX, isa.R9, isa.RCX)  # of X … POOL


_POOL_BIAS = 128  # the pool's register points so far into its numbers: more fit into a byte


_FRAME = 8 * len(BASES)  # also what makes the stack aligned for calls


_TWO_OPERANDS = {
    ops.ADD: isa.VADD, ops.SUB: isa.VSUB, ops.MUL: isa.VMUL, ops.DIV: isa.VDIV,
    ops.MIN: isa.VMIN, ops.MAX: isa.VMAX,
}  # fmt: skip


_FUSED = {ops.FMA: isa.VFMADD, ops.FNMA: isa.VFNMADD, ops.FMS: isa.VFMSUB}


PREDICATE = {
    ops.LT: isa.LT_OQ, ops.LE: isa.LE_OQ, ops.EQ: isa.EQ_OQ,
    MASK_LT: isa.LT_OQ, MASK_LE: isa.LE_OQ, MASK_EQ: isa.EQ_OQ,
}  # fmt: skip


_INSERTS = {JOIN: isa.VINSERT[2], WIDER_JOIN: isa.VINSERT[4]}


_UPPER = 1  # the half that is inserted


_FIRST, _SECOND, _EITHER, _EVERY = 1, 2, 3, 7


class X86_64(Assembler):
    """One function in x86-64 instructions; needs AVX2 and FMA."""

    name = "x86_64"
    registers = tuple(range(16))
    widths: ClassVar[tuple[int, ...]] = (1, 4)
    shares_from = 1000  # which four lanes would fill the nearest cache with; but none can be folded
    window = 1  # sixteen registers: what overtakes is spilled, and these cores look far ahead

    def __init__(self, lanes: int, pool: Pool, calls: bool) -> None:
        super().__init__(lanes, pool, calls)
        self.chunks: list[bytes] = []  # one instruction each
        self.cold_calls: list[int] = []  # which of them call the cold path of sincos
        self.preserved = frozenset()
        self._pool_bias = pool.numbers_at + _POOL_BIAS
        self.encode, self.encode_memory = isa.vex, isa.vex_memory
        self.shareable = [ANY] * len(MACHINE_ARITY)
        self.shareable[ops.SELECT] = _FIRST
        self.folds = [0] * len(MACHINE_ARITY)
        for op in (ops.ADD, ops.MUL, ops.EQ, MASK_EQ):
            self.folds[op] = _EITHER
        for op in (ops.SUB, ops.DIV, ops.MIN, ops.MAX, ops.LT, ops.LE, MASK_LT, MASK_LE):
            self.folds[op] = _SECOND
        for op in (PAIR, *_INSERTS):
            self.folds[op] = _SECOND
        self.folds[SPREAD] = _FIRST
        for op in _FUSED:
            self.folds[op] = _EVERY
        self.form = form = self.widths.index(lanes)  # of instructions
        self.vector_form = max(form, 1)
        self._fused = {
            op: (orders["231"][form], orders["213"][form], orders["132"][form])
            for op, orders in _FUSED.items()
        }
        self._two_operands = [
            _TWO_OPERANDS[op][form] if op in _TWO_OPERANDS else None
            for op in range(len(MACHINE_ARITY))
        ]

    def write_into(self, other: Self) -> None:
        self.chunks = other.chunks

    # ---- memory ----------------------------------------------------------------------------------

    def memory(self, instruction: isa.Coded, d: int, v: int, place: Place) -> None:
        """An instruction whose last operand is in memory."""
        self.chunks.append(self.encode_memory(instruction, d, v, *self.address(place)))

    def address(self, place: Place) -> tuple[int, int]:
        """The register and the offset from it."""
        base, offset, _ = place
        if base < POOL:
            return BASES[base], offset
        return BASES[POOL], offset - self._pool_bias

    def load(self, d: int, place: Place) -> None:
        forms = isa.VBROADCAST if place.base == SHARED else isa.VMOV_LOAD
        self.chunks.append(self.encode_memory(forms[self.form], d, 0, *self.address(place)))

    def folds_from(self, place: Place) -> bool:
        return place.base != SHARED

    def store(self, s: int, place: Place) -> None:
        self.memory(isa.VMOV_STORE[self.form], s, 0, place)

    def load_one(self, d: int, place: Place) -> None:
        self.memory(isa.VMOV_LOAD[0], d, 0, place)

    def store_one(self, s: int, place: Place) -> None:
        self.memory(isa.VMOV_STORE[0], s, 0, place)

    def copy_vector(self, source: Place, target: Place) -> None:
        self.memory(isa.VMOV_LOAD[self.vector_form], 0, 0, source)
        self.memory(isa.VMOV_STORE[self.vector_form], 0, 0, target)

    def zero(self, d: int) -> None:
        self.chunks.append(self.encode(isa.VXOR[0], d, d, d))

    # ---- operations ------------------------------------------------------------------------------

    def move(self, d: int, s: int) -> None:
        self.chunks.append(self.encode(isa.VMOV[self.form], d, 0, s))

    def negate(self, d: int, s: int) -> None:
        self.memory(isa.VXOR[self.form], d, s, self.pool.vector[SIGN_MASK])

    def apply(self, op: int, d: int, a: int, b: int, c: int) -> None:
        instruction = self._two_operands[op]
        if instruction is not None:
            self.chunks.append(self.encode(instruction, d, a, b))
        elif op in _FUSED:
            self._fuse(op, d, a, b, c)
        elif op in PREDICATE:
            self.compare(op, d, a, b)
        else:
            self.apply_rare(op, d, a, b, c)

    def apply_folded(self, op: int, d: int, a: int, b: int, c: int, place: Place) -> None:
        instruction = self._two_operands[op]
        if instruction is not None:
            self.memory(instruction, d, max(a, b), place)
        elif op in _FUSED:
            self._fuse_folded(op, d, a, b, c, place)
        elif op == SPREAD:
            self.memory(isa.VBROADCAST[self.form], d, 0, place)
        elif op == PAIR:
            self.memory(isa.VMOVH, d, a, place)
        elif op in _INSERTS:
            self.memory(_INSERTS[op], d, a, place)
            self.chunks[-1] += bytes((_UPPER,))
        else:
            self.compare_folded(op, d, max(a, b), place)

    def compare(self, op: int, d: int, a: int, b: int) -> None:
        """d = 1 or all ones where a and b compare so, else 0."""
        self.chunks.append(isa.vex(isa.VCMP[self.form], d, a, b) + bytes((PREDICATE[op],)))
        self._one_where_true(op, d)

    def compare_folded(self, op: int, d: int, a: int, place: Place) -> None:
        """The same with b in memory."""
        compared = isa.vex_memory(isa.VCMP[self.form], d, a, *self.address(place))
        self.chunks.append(compared + bytes((PREDICATE[op],)))
        self._one_where_true(op, d)

    def _one_where_true(self, op: int, d: int) -> None:
        if op < MASK_LT:
            self.memory(isa.VAND[self.form], d, d, self.pool.vector["one"])

    def apply_rare(self, op: int, d: int, a: int, b: int, c: int) -> None:
        """Operations of one operand, and selections."""
        form, vector = self.form, self.pool.vector
        unused = a if form == 0 else 0  # one lane copies its upper half from there
        if op == ops.NEG:
            self.negate(d, a)
        elif op == ops.ABS:
            self.memory(isa.VAND[form], d, a, vector[ABS_MASK])
        elif op == ops.SQRT:
            self.chunks.append(self.encode(isa.VSQRT[form], d, unused, a))
        elif op == ops.FLOOR:
            rounded = self.encode(isa.VROUND[form], d, unused, a)
            self.chunks.append(rounded + bytes((isa.ROUND_DOWN,)))
        elif op == ops.SELECT:
            self.memory(isa.VCMP[form], d, a, vector["zero"])
            self.chunks[-1] += bytes((isa.NEQ_UQ,))
            self.chunks.append(isa.vex(isa.VBLENDV[form], d, c, b) + bytes((d << 4,)))
        elif op == SELECT_BY_MASK:
            self.chunks.append(isa.vex(isa.VBLENDV[form], d, c, b) + bytes((a << 4,)))
        elif op == SPREAD:
            self.chunks.append(self.encode(isa.VBROADCAST[form], d, 0, a))
        elif op == PAIR:
            self.chunks.append(self.encode(isa.VUNPCKL, d, a, b))
        elif op in _INSERTS:
            self.chunks.append(self.encode(_INSERTS[op], d, a, b) + bytes((_UPPER,)))
        else:
            raise AssertionError(f"{ops.NAME[op]} is not an instruction")

    def _fuse(self, op: int, d: int, a: int, b: int, c: int) -> None:
        """The destination may be any operand: the three orders of the instruction see to that."""
        add_to, times_to, _ = self._fused[op]
        if d == c:
            self.chunks.append(self.encode(add_to, d, a, b))
        elif d == a:
            self.chunks.append(self.encode(times_to, d, b, c))
        elif d == b:
            self.chunks.append(self.encode(times_to, d, a, c))
        else:
            self.move(d, c)
            self.chunks.append(self.encode(add_to, d, a, b))

    def _fuse_folded(self, op: int, d: int, a: int, b: int, c: int, place: Place) -> None:
        add_to, times_to, times_memory = self._fused[op]
        factor = max(a, b)
        if c < 0 and d in (a, b):
            self.memory(times_to, d, b if d == a else a, place)
        elif c < 0:
            self.load(d, place)
            self.chunks.append(self.encode(add_to, d, a, b))
        elif d == c:
            self.memory(add_to, d, factor, place)
        elif d == factor:
            self.memory(times_memory, d, c, place)
        else:
            self.move(d, c)
            self.memory(add_to, d, factor, place)

    # ---- calls -----------------------------------------------------------------------------------

    def call(self, op: int, lookup: int, want: int) -> None:
        word = self.chunks.append
        if self.lanes > 1:
            word(isa.VZEROUPPER)
        if op == ops.LOOKUP1 or op == ops.LOOKUP2:
            word(isa.load(isa.RDI, BASES[CTX], FIRST_TABLE_SLOT + 8 * lookup))
            word(isa.constant(isa.RSI, want))
        word(isa.call_at(BASES[CTX], CONTEXT_SLOT[op]))
        for index, register in enumerate(BASES):
            word(isa.load(register, isa.RSP, 8 * index))

    def sincos(self, offset: int, blocks: int) -> None:
        self.cold_calls.append(write_sincos(self, offset, blocks))

    # ---- the whole function ----------------------------------------------------------------------

    def finish(self) -> tuple[bytes, int]:
        if self.calls:
            self.chunks.append(isa.add(isa.RSP, _FRAME))
        if self.lanes > 1:
            self.chunks.append(isa.VZEROUPPER)
        self.chunks.append(isa.RET)
        if self.cold_calls:
            cold = len(self.chunks)
            write_cold_path(self)
            for index in self.cold_calls:
                distance = sum(map(len, self.chunks[index + 1 : cold]))
                self.chunks[index] = isa.relative_call(distance)
        entry = len(self.pool.data)
        chunks = self._prologue(entry) + self.chunks
        self.instructions = len(chunks)
        return self.pool.data + b"".join(chunks), entry

    def _prologue(self, entry: int) -> list[bytes]:
        chunks = [isa.move(isa.RAX, isa.R8), isa.move(isa.R8, isa.RCX)]
        after = sum(map(len, chunks)) + len(isa.relative_address(isa.RCX, 0))
        chunks.append(isa.relative_address(isa.RCX, self._pool_bias - entry - after))
        if self.calls:
            chunks.append(isa.add(isa.RSP, -_FRAME))
            for index, register in enumerate(BASES):
                chunks.append(isa.store(register, isa.RSP, 8 * index))
        return chunks


_POINTER, _COUNT = isa.R10, isa.R11


_ALL_IN_RANGE = 0b1111


_EIGHT = 2  # the form of an instruction for eight doubles


_K_IN_RANGE, _K_SWAPPED = 1, 2  # masks of eight


_X, _SHIFTED, _K, _Z, _PS, _PC, _T, _U = range(8)


_TWO_OVER_PI, _MAGIC, _PI0, _PI1, _PI2, _HALF, _SIGN, _IN_RANGE = range(8, 16)


_KEPT = {
    "2/pi": _TWO_OVER_PI, "magic": _MAGIC, "pi0": _PI0, "pi1": _PI1, "pi2": _PI2, "-1/2": _HALF,
    SIGN_MASK: _SIGN,
}  # fmt: skip


def write_sincos(asm: X86_64, offset: int, blocks: int) -> int:
    """Writes the loop over a table in work memory; gives the index of the call to the cold path."""
    from touchback.codegen.x86_64 import BASES

    chunks, form = asm.chunks, asm.vector_form
    for name, register in _KEPT.items():
        asm.memory(isa.VMOV_LOAD[form], register, 0, asm.pool.vector[name])
    if form == _EIGHT:
        chunks.append(isa.vex(masks.KXNOR, _K_IN_RANGE, _K_IN_RANGE, _K_IN_RANGE))
    else:
        chunks.append(isa.vex(isa.VPCMPEQD, _IN_RANGE, _IN_RANGE, _IN_RANGE))
    to_table = [isa.address(_POINTER, BASES[WORK], offset), isa.constant(_COUNT, blocks)]
    chunks.extend(to_table)
    start = len(chunks)
    _write_block(asm)
    if blocks > 1:
        chunks.append(isa.decrement(_COUNT))
        chunks.append(isa.jump_back_if_not_zero(sum(map(len, chunks[start:]))))
    cold = [*to_table, isa.relative_call(0)]
    distance = sum(map(len, cold))
    if form == _EIGHT:
        chunks.append(isa.VZEROUPPER)
        chunks.append(isa.vex(masks.KORTEST, _K_IN_RANGE, 0, _K_IN_RANGE))
        chunks.append(isa.jump_if_carry(distance))
    else:
        chunks.append(isa.vex(isa.VMOVMSK, _POINTER, 0, _IN_RANGE))
        chunks.append(isa.VZEROUPPER)
        chunks.append(isa.compare(_POINTER, _ALL_IN_RANGE))
        chunks.append(isa.jump_if_equal(distance))
    chunks.extend(cold)
    return len(chunks) - 1


def _write_block(asm: X86_64) -> None:
    chunks, pool, form = asm.chunks, asm.pool.vector, asm.vector_form
    encode, size = asm.encode, isa.VMOV[form].size

    def word(forms: isa.Forms, d: int, v: int, m: int) -> None:
        chunks.append(encode(forms[form], d, v, m))

    def with_constant(forms: isa.Forms, d: int, v: int, name: str) -> None:
        asm.memory(forms[form], d, v, pool[name])

    def shift_left(d: int, s: int, bits: int) -> None:
        chunks.append(encode(isa.VPSLLQ[form], 6, d, s) + bytes((bits,)))

    chunks.append(asm.encode_memory(isa.VMOV_LOAD[form], _X, 0, _POINTER, 0))
    word(isa.VMOV, _SHIFTED, 0, _MAGIC)
    word(isa.VFMADD["231"], _SHIFTED, _X, _TWO_OVER_PI)
    with_constant(isa.VAND, _T, _X, ABS_MASK)
    _note_range(asm)
    word(isa.VSUB, _K, _SHIFTED, _MAGIC)
    for part in (_PI0, _PI1, _PI2):
        word(isa.VFNMADD["231"], _X, _K, part)
    word(isa.VMUL, _Z, _X, _X)
    with_constant(isa.VMOV_LOAD, _PS, 0, "s5")
    with_constant(isa.VMOV_LOAD, _PC, 0, "c5")
    for degree in range(4, -1, -1):
        with_constant(isa.VFMADD["213"], _PS, _Z, f"s{degree}")
        with_constant(isa.VFMADD["213"], _PC, _Z, f"c{degree}")
    word(isa.VMUL, _T, _X, _Z)
    word(isa.VFMADD["231"], _X, _T, _PS)  # sin r
    with_constant(isa.VMOV_LOAD, _U, 0, "one")
    word(isa.VFMADD["231"], _U, _Z, _HALF)
    word(isa.VMUL, _Z, _Z, _Z)
    word(isa.VFMADD["231"], _U, _Z, _PC)  # cos r
    # The low bits of `shifted` are those of k: bit 0 swaps, bit 1 signs the sine, their
    # difference the cosine.
    shift_left(_K, _SHIFTED, 62)
    shift_left(_SHIFTED, _SHIFTED, 63)
    _swap(asm)
    word(isa.VXOR, _SHIFTED, _SHIFTED, _K)
    word(isa.VAND, _K, _K, _SIGN)
    word(isa.VAND, _SHIFTED, _SHIFTED, _SIGN)
    word(isa.VXOR, _T, _T, _K)
    word(isa.VXOR, _PS, _PS, _SHIFTED)
    chunks.append(asm.encode_memory(isa.VMOV_STORE[form], _T, 0, _POINTER, size))
    chunks.append(asm.encode_memory(isa.VMOV_STORE[form], _PS, 0, _POINTER, 2 * size))
    chunks.append(isa.address(_POINTER, _POINTER, 3 * size))


def _note_range(asm: X86_64) -> None:
    """Whether the magnitudes in `_T` are within the limit, and those before them were."""
    form, limit = asm.vector_form, asm.pool.vector["limit"]
    if form == _EIGHT:
        asm.memory(isa.VCMP[form], _K_IN_RANGE, _T, limit)
        asm.chunks[-1] = masks.within(asm.chunks[-1], _K_IN_RANGE) + bytes((isa.LE_OQ,))
        return
    compared = isa.vex_memory(
        isa.VCMP[form], _T, _T, *asm.address(limit)
    )  # EVEX would give a mask k
    asm.chunks.append(compared + bytes((isa.LE_OQ,)))
    asm.chunks.append(isa.vex(isa.VAND[form], _IN_RANGE, _IN_RANGE, _T))


def _swap(asm: X86_64) -> None:
    """Sines and cosines as `_T` and `_PS`; the sign bit of `_SHIFTED` says whether they change
    places."""
    chunks, form = asm.chunks, asm.vector_form
    if form == _EIGHT:
        blend = masks.BLEND_BY_MASK[form]
        chunks.append(masks.evex(masks.SIGNS[form], _K_SWAPPED, 0, _SHIFTED))
        chunks.append(masks.evex(blend, _T, _X, _U, _K_SWAPPED))
        chunks.append(masks.evex(blend, _PS, _U, _X, _K_SWAPPED))
        return
    where = bytes((_SHIFTED << 4,))
    chunks.append(isa.vex(isa.VBLENDV[form], _T, _X, _U) + where)
    chunks.append(isa.vex(isa.VBLENDV[form], _PS, _U, _X) + where)


def write_cold_path(asm: X86_64) -> None:
    """Writes the routine for tables with an angle out of range: the C library takes those angles.

    It gets the table and its blocks in r10 and r11 and keeps the pointers of the function.
    """
    from touchback.codegen.x86_64 import BASES

    chunks, pool, size = asm.chunks, asm.pool.vector, isa.VMOV[asm.vector_form].size
    kept = (*BASES, _POINTER, _COUNT)
    pointer_at, count_at = 8 * len(BASES), 8 * len(BASES) + 8
    restored = [isa.load(register, isa.RSP, 8 * k) for k, register in enumerate(kept)]
    chunks.append(isa.push(isa.RBP))
    chunks.append(isa.move(isa.RBP, isa.RSP))
    chunks.append(isa.add(isa.RSP, -8 * len(kept)))
    chunks.append(isa.round_down_to(isa.RSP, 16))
    chunks.extend(isa.store(register, isa.RSP, 8 * k) for k, register in enumerate(kept))
    start = len(chunks)
    for lane in range(size // 8):
        chunks.append(isa.vex_memory(isa.VMOV_LOAD[0], 0, 0, _POINTER, 8 * lane))
        asm.memory(isa.VAND[0], 1, 0, pool[ABS_MASK])
        asm.memory(isa.VMOV_LOAD[0], 2, 0, pool["limit"])
        chunks.append(isa.vex(isa.VUCOMI, 2, 0, 1))
        calls: list[bytes] = []
        for op, results in ((ops.SIN, size), (ops.COS, 2 * size)):
            calls.append(isa.vex_memory(isa.VMOV_LOAD[0], 0, 0, _POINTER, 8 * lane))
            calls.append(isa.call_at(BASES[CTX], CONTEXT_SLOT[op]))
            calls.extend(restored)
            result = isa.vex_memory(isa.VMOV_STORE[0], 0, 0, _POINTER, results + 8 * lane)
            calls.append(result)
        chunks.append(isa.jump_if_not_below(sum(map(len, calls))))
        chunks.extend(calls)
    chunks.append(isa.address(_POINTER, _POINTER, 3 * size))
    chunks.append(isa.store(_POINTER, isa.RSP, pointer_at))
    chunks.append(isa.decrement(_COUNT))
    chunks.append(isa.store(_COUNT, isa.RSP, count_at))
    chunks.append(isa.jump_back_if_not_zero(sum(map(len, chunks[start:]))))
    chunks.extend(restored)
    chunks.append(isa.move(isa.RSP, isa.RBP))
    chunks.append(isa.pop(isa.RBP))
    chunks.append(isa.RET)


_TRUE = 1  # the register k of conditions


_EIGHT_LANES = 2  # the form of instructions on eight doubles


# Tables of VPTERNLOG for "b where a is set, else c", by which of them is the destination.
_A_CHOOSES, _B_STAYS, _C_STAYS = 0xCA, 0xE2, 0xB8


class X86_64V4(X86_64):
    """One function in x86-64 instructions; needs AVX-512 F, DQ and VL."""

    name = "x86_64_v4"
    registers = tuple(range(32))
    widths = (1, 4, 8)
    shares_from = 0  # any instruction can spread a number that it reads
    window = 64  # measured on Cascade Lake: 5 to 14 % faster, flat from 48 on

    def __init__(self, lanes: int, pool: Pool, calls: bool) -> None:
        super().__init__(lanes, pool, calls)
        self.encode, self.encode_memory = evex.shortest, evex.shortest_memory
        self.shareable[ops.SELECT] = ANY

    def folds_from(self, place: Place) -> bool:
        return True

    def memory(self, instruction: isa.Coded, d: int, v: int, place: Place) -> None:
        if place.base == SHARED:
            self.chunks.append(
                evex.evex_memory(instruction, d, v, *self.address(place), shared=True)
            )
        else:
            super().memory(instruction, d, v, place)

    def compare(self, op: int, d: int, a: int, b: int) -> None:
        if self.form < _EIGHT_LANES and (d | a | b) < 16:
            super().compare(op, d, a, b)
        else:
            predicate = bytes((PREDICATE[op],))
            self.chunks.append(evex.evex(isa.VCMP[self.form], _TRUE, a, b) + predicate)
            self._spread(op, d)

    def compare_folded(self, op: int, d: int, a: int, place: Place) -> None:
        if self.form < _EIGHT_LANES and (d | a) < 16 and place.base != SHARED:
            super().compare_folded(op, d, a, place)
        else:
            self._test(a, place, PREDICATE[op])
            self._spread(op, d)

    def _test(self, a: int, place: Place, predicate: int) -> None:
        """The mask of conditions from a register and memory."""
        compared = evex.evex_memory(
            isa.VCMP[self.form], _TRUE, a, *self.address(place), place.base == SHARED
        )
        self.chunks.append(compared + bytes((predicate,)))

    def _spread(self, op: int, d: int) -> None:
        """The mask as ones where it is set, 1.0 or all bits."""
        if op < MASK_LT:
            one = self.address(self.pool.vector["one"])
            loaded = evex.evex_memory(isa.VMOV_LOAD[self.form], d, 0, *one)
            self.chunks.append(evex.within(loaded, _TRUE | evex.ZEROED))
        else:
            self.chunks.append(evex.evex(evex.SPREAD_MASK[self.form], d, 0, _TRUE))

    def apply_rare(self, op: int, d: int, a: int, b: int, c: int) -> None:
        if op == ops.SELECT:
            self._test(a, self.pool.vector["zero"], isa.NEQ_UQ)
            self.chunks.append(evex.evex(evex.BLEND_BY_MASK[self.form], d, c, b, _TRUE))
        elif op == SELECT_BY_MASK and (self.form == _EIGHT_LANES or (d | a | b | c) >= 16):
            self._select(d, a, b, c)
        else:
            super().apply_rare(op, d, a, b, c)

    def _select(self, d: int, a: int, b: int, c: int) -> None:
        """b where the bits of a are set, else c: the destination may be any of them."""
        if d == b:
            operands, table = (a, c), _B_STAYS
        elif d == c:
            operands, table = (a, b), _C_STAYS
        else:
            if d != a:
                self.move(d, a)
            operands, table = (b, c), _A_CHOOSES
        self.chunks.append(evex.evex(evex.TERNARY[self.form], d, *operands) + bytes((table,)))
