"""The AArch64 instructions that we use: their bits with all registers 0 (Arm Architecture Reference
Manual, C6, C7).
"""

from touchback.errors import CompileError

SP = 31
EQ, NE, MI, LS, GT = (
    0,
    1,
    4,
    9,
    12,
)  # conditions; after a floating-point comparison MI is "less", LS "less or equal"

# One double: rd | rn << 5 | rm << 16 | ra << 10.
FADD, FSUB, FMUL, FDIV = 0x1E602800, 0x1E603800, 0x1E600800, 0x1E601800
FMADD, FMSUB, FNMSUB = 0x1F400000, 0x1F408000, 0x1F608000  # ra + rn rm, ra − rn rm, rn rm − ra
FNEG, FABS, FSQRT, FRINTM, FMOV = 0x1E614000, 0x1E60C000, 0x1E61C000, 0x1E654000, 0x1E604000
FCMP, FCMP_ZERO, FCSEL = 0x1E602000, 0x1E602008, 0x1E600C00  # FCSEL: condition << 12
FCMGT, FCMGE, FCMEQ, SCVTF = 0x7EE0E400, 0x7E60E400, 0x5E60E400, 0x5E61D800
MOVI_ZERO = 0x2F00E400

# Two doubles.
FADD_2D, FSUB_2D, FMUL_2D, FDIV_2D = 0x4E60D400, 0x4EE0D400, 0x6E60DC00, 0x6E60FC00
FMLA_2D, FMLS_2D = 0x4E60CC00, 0x4EE0CC00
FNEG_2D, FABS_2D, FSQRT_2D, FRINTM_2D = 0x6EE0F800, 0x4EE0F800, 0x6EE1F800, 0x4E619800
FCMGT_2D, FCMGE_2D, FCMEQ_2D, FCMEQ_ZERO_2D = 0x6EE0E400, 0x6E60E400, 0x4E60E400, 0x4EE0D800
SCVTF_2D, FACGE_2D, CMLT_ZERO_2D = 0x4E61D800, 0x6E60EC00, 0x4EE0A800
BSL_16B, ORR_16B, AND_16B, EOR_16B = 0x6E601C00, 0x4EA01C00, 0x4E201C00, 0x6E201C00
DUP_2D, ZIP1_2D = 0x4E080400, 0x4EC03800  # the low number twice; the low ones of two
SHL_2D = 0x4F405400  # shift << 16
UMINV_4S = 0x6EB1A800
MOVI_ZERO_2D, MOVI_ONES_2D = 0x6F00E400, 0x6F07E7E0

# Memory: rt | rn << 5 | (offset / size) << 10.
LDR_D, STR_D, LDR_Q, STR_Q, LDR_X, STR_X = (
    0xFD400000, 0xFD000000, 0x3DC00000, 0x3D800000, 0xF9400000, 0xF9000000,
)  # fmt: skip
STP_X, LDP_X, STP_D, LDP_D = 0xA9000000, 0xA9400000, 0x6D000000, 0x6D400000

# Whole numbers and control.
ADD_IMM, ADD_IMM_LSL12, SUB_IMM, SUBS_IMM = 0x91000000, 0x91400000, 0xD1000000, 0xF1000000
MOVZ, MOVK_LSL16 = 0xD2800000, 0xF2A00000
FMOV_W_S = 0x1E260000
ADR, ADRP = 0x10000000, 0x90000000
B, B_COND, CBNZ_W, BLR, BR, RET = (
    0x14000000,
    0x54000000,
    0x35000000,
    0xD63F0000,
    0xD61F0000,
    0xD65F03C0,
)


def pair(bits: int, first: int, second: int, base: int, offset: int) -> int:
    """A load or store of two 8-byte registers."""
    return bits | (offset >> 3 & 127) << 15 | second << 10 | base << 5 | first


def add_high(register: int, base: int, offset: int) -> int:
    """register = base + offset, less the low 12 bits of the offset."""
    if offset >= 1 << 24:
        raise CompileError(
            f"An array of this program reaches {offset / 2**20:.0f} MiB, more than the 16 MiB "
            "that its addresses can hold; split the program."
        )
    return ADD_IMM_LSL12 | offset >> 12 << 10 | base << 5 | register


def adrp(register: int, pages: int) -> int:
    """Address of a 4 KiB page, relative to the page of this instruction."""
    return ADRP | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5 | register


def adr(register: int, offset: int) -> int:
    """Address relative to this instruction."""
    return ADR | (offset & 3) << 29 | (offset >> 2 & 0x7FFFF) << 5 | register


def branch_if(condition: int, words: int) -> int:
    """A conditional branch over so many words."""
    return B_COND | (words & 0x7FFFF) << 5 | condition
