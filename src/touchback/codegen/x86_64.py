"""x86-64: how each operation is written with the instructions of `x86_64_isa`.

One lane uses the low halves of the xmm registers, four lanes the ymm registers. Pointers are moved
so that the bases in frequent use make short instructions: work in rax, the pool in rcx, out in r8.
"""

from typing import ClassVar, Self

from touchback.codegen import x86_64_isa as isa
from touchback.codegen.abi import CONTEXT_SLOT, CTX, FIRST_TABLE_SLOT, POOL, SHARED, Place
from touchback.codegen.assembler import ANY, Assembler
from touchback.codegen.conditions import (
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
from touchback.codegen.pool import ABS_MASK, SIGN_MASK, Pool
from touchback.codegen.x86_64_sincos import write_cold_path, write_sincos
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
                self.chunks[index] = isa.call_from_here(distance)
        entry = len(self.pool.data)
        chunks = self._prologue(entry) + self.chunks
        self.instructions = len(chunks)
        return self.pool.data + b"".join(chunks), entry

    def _prologue(self, entry: int) -> list[bytes]:
        chunks = [isa.move(isa.RAX, isa.R8), isa.move(isa.R8, isa.RCX)]
        after = sum(map(len, chunks)) + len(isa.address_from_here(isa.RCX, 0))
        chunks.append(isa.address_from_here(isa.RCX, self._pool_bias - entry - after))
        if self.calls:
            chunks.append(isa.add(isa.RSP, -_FRAME))
            for index, register in enumerate(BASES):
                chunks.append(isa.store(register, isa.RSP, 8 * index))
        return chunks
