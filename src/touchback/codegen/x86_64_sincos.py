"""Sines and cosines on x86-64: a loop over vectors of four or eight angles, and its cold path.

The operations and their order are those of `symbolic/sincos.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.codegen import x86_64_evex as masks
from touchback.codegen import x86_64_isa as isa
from touchback.codegen.abi import CONTEXT_SLOT, CTX, WORK
from touchback.codegen.pool import ABS_MASK, SIGN_MASK
from touchback.symbolic import ops

if TYPE_CHECKING:
    from touchback.codegen.x86_64 import X86_64

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
    cold = [*to_table, isa.call_from_here(0)]
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
