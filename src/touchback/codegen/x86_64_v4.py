"""x86-64 with AVX-512 (the architecture level x86-64-v4): 32 registers, and up to eight lanes.

Instructions on low registers stay those of AVX2, which are shorter. Comparisons give masks in
registers k; they become numbers, or vectors of ones and zeros, and live where numbers do.
"""

from touchback.codegen import x86_64_evex as evex
from touchback.codegen import x86_64_isa as isa
from touchback.codegen.abi import SHARED, Place
from touchback.codegen.assembler import ANY
from touchback.codegen.conditions import MASK_LT, SELECT_BY_MASK
from touchback.codegen.pool import Pool
from touchback.codegen.x86_64 import PREDICATE, X86_64
from touchback.symbolic import ops

_TRUE = 1  # the register k of conditions
_EIGHT = 2  # the form of instructions on eight doubles
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
        if self.form < _EIGHT and (d | a | b) < 16:
            super().compare(op, d, a, b)
        else:
            predicate = bytes((PREDICATE[op],))
            self.chunks.append(evex.evex(isa.VCMP[self.form], _TRUE, a, b) + predicate)
            self._spread(op, d)

    def compare_folded(self, op: int, d: int, a: int, place: Place) -> None:
        if self.form < _EIGHT and (d | a) < 16 and place.base != SHARED:
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
        elif op == SELECT_BY_MASK and (self.form == _EIGHT or (d | a | b | c) >= 16):
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
