"""The x86-64 instructions that we use: AVX, AVX2 and FMA, and a few for pointers and control.

Those on numbers also have what `x86_64_evex` needs to write them for AVX-512.

Encodings from the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
"""

import struct
from typing import NamedTuple

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 = range(12)

EQ_OQ, NEQ_UQ, LT_OQ, LE_OQ = 0x00, 0x04, 0x11, 0x12  # predicates of VCMP; only NEQ is true of NaN
ROUND_DOWN = 0x09


class Coded(NamedTuple):
    """An instruction, all registers 0, as whole numbers of little-endian bytes.

    `long` has the VEX prefix of three bytes. `short` has that of two, which can't reach registers
    8 to 15 as last operand; it is 0 where the instruction does not have it. `evex` is the encoding
    of AVX-512, the only one of instructions on eight doubles.
    """

    long: int
    short: int
    evex: int
    size: int  # bytes of its operand in memory


_W, _WIDE = 0x80, 0x04  # W bit; L bit: 256 bits
_66, _F2 = 1, 3
_REGISTERS = 0xC0  # mode of the ModRM byte; memory without, with one and with four bytes of offset:
_NO_OFFSET, _SHORT_OFFSET, _LONG_OFFSET = 0x00, 0x40, 0x80
_LENGTH = {8: 0, 16: 0, 32: 1, 64: 2}  # of vectors, by the size of operands


def encoding(group: int, tail: int, opcode: int, size: int = 8) -> Coded:
    """An instruction by its opcode map, its bits W, L and pp, its opcode and its operands' size."""
    second = tail | 0x78  # the bits of the second operand are stored inverted
    long = 0xC4 | (0xE0 | group) << 8 | second << 16 | opcode << 24 | _REGISTERS << 32
    short = 0xC5 | (0x80 | second) << 8 | opcode << 16 | _REGISTERS << 24
    of_doubles, length = _W | 0x7C | tail & 3, _LENGTH[size] << 5 | 0x08
    evex = 0x62 | (0xF0 | group) << 8 | of_doubles << 16 | length << 24
    evex |= opcode << 32 | _REGISTERS << 40
    if size == 64:
        return Coded(0, 0, evex, size)
    return Coded(long, short if group == 1 and tail < _W else 0, evex, size)


# What a register number changes in the bits above, as destination, second and last operand.
_D_LONG = [(r >> 3) << 15 | (r & 7) << 35 for r in range(16)]
_V_LONG = [r << 19 for r in range(16)]
_M_LONG = [(r >> 3) << 13 | (r & 7) << 32 for r in range(16)]
_D_SHORT = [(r >> 3) << 15 | (r & 7) << 27 for r in range(16)]
_V_SHORT = [r << 11 for r in range(16)]
_M_SHORT = [r << 24 for r in range(8)]


Forms = tuple[Coded, Coded, Coded]  # for one double, four and eight


def _forms(group: int, one: int, many: int, opcodes: tuple[int, int], first: int = 8) -> Forms:
    alone, together = opcodes
    return (
        encoding(group, one, alone, first),
        encoding(group, many | _WIDE, together, 32),
        encoding(group, many, together, 64),
    )


def _arithmetic(opcode: int) -> Forms:
    return _forms(1, _F2, _66, (opcode, opcode))


def _logic(opcode: int) -> Forms:
    return _forms(1, _66, _66, (opcode, opcode), first=16)


def _fused(opcode: int) -> Forms:
    return _forms(2, _W | _66, _W | _66, (opcode + 1, opcode))


VADD, VMUL, VSUB = _arithmetic(0x58), _arithmetic(0x59), _arithmetic(0x5C)
VMIN, VDIV, VMAX = _arithmetic(0x5D), _arithmetic(0x5E), _arithmetic(0x5F)
VSQRT, VCMP = _arithmetic(0x51), _arithmetic(0xC2)
VMOV_LOAD, VMOV_STORE = _arithmetic(0x10), _arithmetic(0x11)
VMOV, VAND, VXOR = _logic(0x28), _logic(0x54), _logic(0x57)
# One double to all lanes, from memory; there is no such load of one lane.
VBROADCAST = VMOV_LOAD[0], *(form._replace(size=8) for form in _forms(2, 0, _66, (0, 0x19))[1:])
# Numbers brought together: two, four of two pairs, eight of two of four; the last from memory.
VUNPCKL, VMOVH = encoding(1, _66, 0x14, 16), encoding(1, _66, 0x16)
VINSERT = {
    2: encoding(3, _66 | _WIDE, 0x18, 32)._replace(size=16),
    4: encoding(3, _66, 0x1A, 64)._replace(size=32),
}
VROUND = _forms(3, _66, _66, (0x0B, 0x09))
VBLENDV = encoding(3, _66, 0x4B, 16), encoding(3, _66 | _WIDE, 0x4B, 32)
# digits: 231 is d = v·m + d, 213 is d = v·d + m, 132 is d = d·m + v
VFMADD = {"231": _fused(0xB8), "213": _fused(0xA8), "132": _fused(0x98)}
VFNMADD = {"231": _fused(0xBC), "213": _fused(0xAC), "132": _fused(0x9C)}
VFMSUB = {"231": _fused(0xBA), "213": _fused(0xAA), "132": _fused(0x9A)}
VPSLLQ = _forms(1, _66, _66, (0x73, 0x73))  # by a constant: /6

VUCOMI = encoding(1, _66, 0x2E)
VMOVMSK = encoding(1, _66 | _WIDE, 0x50)
VPCMPEQD = encoding(1, _66 | _WIDE, 0x76)
VZEROUPPER = b"\xc5\xf8\x77"
RET = b"\xc3"


def vex(instruction: Coded, d: int, v: int, m: int) -> bytes:
    """An instruction on registers: destination, second and last operand in the manual's order."""
    if m < 8 and instruction.short:
        bits = instruction.short ^ _D_SHORT[d] ^ _V_SHORT[v] ^ _M_SHORT[m]
        return bits.to_bytes(4, "little")
    return (instruction.long ^ _D_LONG[d] ^ _V_LONG[v] ^ _M_LONG[m]).to_bytes(5, "little")


def vex_memory(instruction: Coded, d: int, v: int, base: int, offset: int) -> bytes:
    """The same with the last operand in memory at [base + offset]; the base is not rsp or rbp."""
    if base < 8 and instruction.short:
        bits, size = instruction.short ^ _D_SHORT[d] ^ _V_SHORT[v] ^ _M_SHORT[base], 4
    else:
        bits, size = instruction.long ^ _D_LONG[d] ^ _V_LONG[v] ^ _M_LONG[base], 5
    at = 8 * size
    if -128 <= offset < 128:
        if offset == 0:
            return (bits ^ (_REGISTERS ^ _NO_OFFSET) << at - 8).to_bytes(size, "little")
        bits ^= (_REGISTERS ^ _SHORT_OFFSET) << at - 8
        return (bits | (offset & 0xFF) << at).to_bytes(size + 1, "little")
    bits ^= (_REGISTERS ^ _LONG_OFFSET) << at - 8
    return (bits | (offset & 0xFFFFFFFF) << at).to_bytes(size + 4, "little")


def memory_operand(register: int, base: int, offset: int) -> bytes:
    """ModRM, SIB where the stack pointer asks for one, and displacement."""
    low = (register & 7) << 3 | base & 7
    sib = b"\x24" if base & 7 == RSP else b""
    if offset == 0 and base & 7 != RBP:
        return bytes((_NO_OFFSET | low,)) + sib
    if -128 <= offset < 128:
        return bytes((_SHORT_OFFSET | low,)) + sib + bytes((offset & 255,))
    return bytes((_LONG_OFFSET | low,)) + sib + struct.pack("<i", offset)


def _rex(register: int, base: int) -> int:
    return 0x48 | (4 if register & 8 else 0) | (1 if base & 8 else 0)


def move(d: int, s: int) -> bytes:
    """d = s, 64 bits."""
    return bytes((_rex(s, d), 0x89, 0xC0 | (s & 7) << 3 | d & 7))


def load(d: int, base: int, offset: int) -> bytes:
    """d = [base + offset], 64 bits."""
    return bytes((_rex(d, base), 0x8B)) + memory_operand(d, base, offset)


def store(s: int, base: int, offset: int) -> bytes:
    """[base + offset] = s, 64 bits."""
    return bytes((_rex(s, base), 0x89)) + memory_operand(s, base, offset)


def address(d: int, base: int, offset: int) -> bytes:
    """d = base + offset."""
    return bytes((_rex(d, base), 0x8D)) + memory_operand(d, base, offset)


def relative_address(d: int, offset: int) -> bytes:
    """d = address of the next instruction + offset; always 7 bytes."""
    return bytes((_rex(d, 0), 0x8D, 0x05 | (d & 7) << 3)) + struct.pack("<i", offset)


def constant(d: int, value: int) -> bytes:
    """d = a whole number of 32 bits."""
    return (b"\x41" if d & 8 else b"") + bytes((0xB8 | d & 7,)) + struct.pack("<I", value)


def add(d: int, value: int) -> bytes:
    """d += value, −128 … 127."""
    return bytes((_rex(0, d), 0x83, 0xC0 | d & 7, value & 255))


def round_down_to(d: int, alignment: int) -> bytes:
    """d &= −alignment."""
    return bytes((_rex(0, d), 0x83, 0xE0 | d & 7, -alignment & 255))


def compare(d: int, value: int) -> bytes:
    """Flags of the low 32 bits of d against −128 … 127."""
    return (b"\x41" if d & 8 else b"") + bytes((0x83, 0xF8 | d & 7, value & 255))


def decrement(d: int) -> bytes:
    return bytes((_rex(0, d), 0xFF, 0xC8 | d & 7))


def push(d: int) -> bytes:
    return (b"\x41" if d & 8 else b"") + bytes((0x50 | d & 7,))


def pop(d: int) -> bytes:
    return (b"\x41" if d & 8 else b"") + bytes((0x58 | d & 7,))


def call_at(base: int, offset: int) -> bytes:
    """Calls the function whose address is at [base + offset]."""
    return (b"\x41" if base & 8 else b"") + b"\xff" + memory_operand(2, base, offset)


def relative_call(distance: int) -> bytes:
    """Calls what is so far from the next instruction."""
    return b"\xe8" + struct.pack("<i", distance)


def jump_if_equal(distance: int) -> bytes:
    """Skips so many bytes, at most 127."""
    return bytes((0x74, distance))


def jump_if_carry(distance: int) -> bytes:
    """Skips so many bytes, at most 127."""
    return bytes((0x72, distance))


def jump_if_not_below(distance: int) -> bytes:
    """Skips so many bytes; an unordered comparison counts as below."""
    return b"\x0f\x83" + struct.pack("<i", distance)


def jump_back_if_not_zero(distance: int) -> bytes:
    """Goes back so many bytes from the start of this instruction; always 6 bytes."""
    return b"\x0f\x85" + struct.pack("<i", -distance - 6)
