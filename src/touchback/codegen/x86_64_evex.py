"""Instructions of AVX-512 (EVEX prefix): 32 registers, eight doubles, masks in registers k1 … k7.

An offset of one byte counts operands, not bytes: these instructions are often shorter than those
with a VEX prefix although their prefix is longer. Encodings from the Intel 64 and IA-32
Architectures Software Developer's Manual, volume 2, section 2.7.
"""

from touchback.codegen.x86_64_isa import Coded, encoding, vex, vex_memory

ZEROED = 0x80  # with a mask: what it leaves out becomes 0, not what it was

_66, _F3, _WIDE = 1, 2, 0x04

# What a register number changes in the bits of `Coded.evex`.
_D = [(r >> 3 & 1) << 15 | r >> 4 << 12 | (r & 7) << 43 for r in range(32)]
_V = [(r & 15) << 19 | r >> 4 << 27 for r in range(32)]
_M = [(r >> 3 & 1) << 13 | r >> 4 << 14 | (r & 7) << 40 for r in range(32)]
_BROADCAST = 28  # the bit of operands that are one double for all lanes
_MODE = 0xC0 << 40
_SHORT_OFFSET, _LONG_OFFSET = 0x40 << 40, 0x80 << 40


def _of_sizes(group: int, pp: int, opcode: int) -> tuple[Coded, Coded, Coded]:
    """In xmm, ymm and zmm registers."""
    one, four, eight = (encoding(group, pp, opcode, size) for size in (16, 32, 64))
    return one, four, eight


TERNARY = _of_sizes(3, _66, 0x25)  # each bit by a table of eight
SPREAD_MASK = _of_sizes(2, _F3, 0x38)  # VPMOVM2Q: a mask as all ones and all zeros
SIGNS = _of_sizes(2, _F3, 0x39)  # VPMOVQ2M: the sign bits as a mask
BLEND_BY_MASK = _of_sizes(2, _66, 0x65)  # m where the mask is set, else v
# Of registers k, with VEX prefixes: d = ~(v ^ m), and carry where all eight bits of m are set.
KXNOR, KORTEST = encoding(1, _WIDE, 0x46), encoding(1, _66, 0x98)


def evex(instruction: Coded, d: int, v: int, m: int, mask: int = 0) -> bytes:
    """An instruction on registers, or only on what a mask k has set."""
    return (instruction.evex ^ _D[d] ^ _V[v] ^ _M[m] | mask << 24).to_bytes(6, "little")


def evex_memory(
    instruction: Coded, d: int, v: int, base: int, offset: int, shared: bool = False
) -> bytes:
    """The same with the last operand in memory at [base + offset], or one double there for all
    lanes; the base is not rsp or rbp.
    """
    bits = instruction.evex ^ _D[d] ^ _V[v] ^ _M[base] ^ _MODE | shared << _BROADCAST
    if offset == 0:
        return bits.to_bytes(6, "little")
    count, rest = divmod(offset, 8 if shared else instruction.size)
    if rest == 0 and -128 <= count < 128:
        return (bits | _SHORT_OFFSET | (count & 0xFF) << 48).to_bytes(7, "little")
    return (bits | _LONG_OFFSET | (offset & 0xFFFFFFFF) << 48).to_bytes(10, "little")


def within(instruction: bytes, mask: int) -> bytes:
    """An instruction of this kind with a mask k that it had not."""
    return instruction[:3] + bytes((instruction[3] | mask,)) + instruction[4:]


def shortest(instruction: Coded, d: int, v: int, m: int) -> bytes:
    """An instruction on any registers, with a VEX prefix where that will do."""
    if (d | v | m) < 16 and instruction.long:
        return vex(instruction, d, v, m)
    return evex(instruction, d, v, m)


def shortest_memory(instruction: Coded, d: int, v: int, base: int, offset: int) -> bytes:
    """The same with the last operand in memory."""
    if (d | v) < 16 and instruction.long:
        count, rest = divmod(offset, instruction.size)
        if rest or not -128 <= count < 128 or -128 <= offset < 128:
            return vex_memory(instruction, d, v, base, offset)
    return evex_memory(instruction, d, v, base, offset)
