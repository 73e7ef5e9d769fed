"""Instructions on vector registers and masks as text, in Intel's notation."""

from typing import NamedTuple

from touchback.codegen.x86_64_operands import HALF, Reader, operand

_ARITHMETIC = {
    0x51: "vsqrt", 0x58: "vadd", 0x59: "vmul", 0x5C: "vsub", 0x5D: "vmin", 0x5E: "vdiv",
    0x5F: "vmax", 0xC2: "vcmp",
}  # fmt: skip
_LOGIC = {0x14: "vunpcklpd", 0x16: "vmovhpd", 0x54: "vandpd", 0x57: "vxorpd", 0x76: "vpcmpeqd"}
_FUSED = {0x8: "vfmadd", 0xA: "vfmsub", 0xC: "vfnmadd"}
_ORDERS = {0x9: "132", 0xA: "213", 0xB: "231"}
_PREDICATES = {0x00: "eq", 0x04: "neq", 0x11: "lt_oq", 0x12: "le_oq"}
_BY_MASK = {0x38: "vpmovm2q", 0x39: "vpmovq2m", 0x65: "vblendmpd"}
_SPREAD = 0x19
_INSERTS = {0x18: ("vinsertf128", "vinsertf64x2"), 0x1A: ("", "vinsertf64x4")}
_KINDS = ("xmm", "ymm", "zmm")
_MASKS = tuple(f"k{k}" for k in range(8))


class _Prefix(NamedTuple):
    """What comes before the opcode."""

    group: int
    pp: int
    length: int
    v: int
    extend: int  # bits 3 and 4 of the last operand's register, and of the first one's
    field_extend: int
    mask: str  # what the destination is followed by
    evex: bool
    shared: bool = False  # one double of memory for all lanes


def with_vex(reader: Reader, first: int) -> str:
    """An instruction whose prefix begins with 0xC4 or 0xC5."""
    if first == 0xC5:
        second = reader.byte()
        group, extend, field_extend = 1, 0, 0 if second & 0x80 else 8
    else:
        prefix, second = reader.byte(), reader.byte()
        group = prefix & 31
        extend, field_extend = 0 if prefix & 0x20 else 8, 0 if prefix & 0x80 else 8
    v, length, pp = ~(second >> 3) & 15, second >> 2 & 1, second & 3
    return _text(reader, _Prefix(group, pp, length, v, extend, field_extend, "", False))


def with_evex(reader: Reader) -> str:
    """An instruction of AVX-512, after the 0x62 that it begins with."""
    first, second, third = ~reader.byte(), reader.byte(), reader.byte()
    extend = (first >> 5 & 1) << 3 | (first >> 6 & 1) << 4
    field_extend = (first >> 7 & 1) << 3 | (first >> 4 & 1) << 4
    v = ~(second >> 3) & 15 | (~third >> 3 & 1) << 4
    mask = f"{{k{third & 7}}}" if third & 7 else ""
    mask += "{z}" if third & 0x80 else ""
    length, shared = third >> 5 & 3, bool(third & 0x10)
    return _text(
        reader, _Prefix(~first & 7, second & 3, length, v, extend, field_extend, mask, True, shared)
    )


def _text(reader: Reader, prefix: _Prefix) -> str:
    opcode = reader.byte()
    group, evex = prefix.group, prefix.evex
    if group == 1 and opcode == 0x77:
        return "vzeroupper"
    if group == 1 and opcode in (0x46, 0x98):
        return _of_masks(reader, opcode, prefix)
    kind = _KINDS[prefix.length]
    names = tuple(f"{kind}{k}" for k in range(32))
    scalar = prefix.pp == 3 or (group == 3 and opcode == 0x0B) or (group == 1 and opcode == 0x2E)
    scalar = scalar or (group == 2 and bool(opcode & 1) and opcode not in (*_BY_MASK, _SPREAD))
    of_one = scalar or prefix.shared or (group, opcode) in ((1, 0x16), (2, _SPREAD))
    length = prefix.length - (group == 3 and opcode in _INSERTS)  # of the last operand
    length = 0 if group == 2 and opcode == _SPREAD else length
    size = f"{'Q' if of_one else _KINDS[length].upper()}WORD {'BCST' if prefix.shared else 'PTR'} "
    unit = 1 if not evex else 8 if of_one else 16 << length
    if group == 2 and opcode == 0x38:
        field, last = operand(reader, 0, _MASKS, size)
    else:
        last_names = tuple(f"{_KINDS[length]}{k}" for k in range(32))
        field, last = operand(reader, prefix.extend, last_names, size, unit)
    field |= prefix.field_extend
    d, middle = names[field] + prefix.mask, names[prefix.v]
    suffix = "sd" if scalar else "pd"
    if group == 2:
        return _of_second_group(opcode, suffix, (field, d, middle, last))
    if group == 3:
        return _of_third_group(opcode, suffix, (d, middle, last), names, reader.byte(), evex)
    if opcode == 0xC2:
        d = _MASKS[field] + prefix.mask if evex else d
        return f"vcmp{_PREDICATES[reader.byte()]}{suffix} {d},{middle},{last}"
    if opcode == 0x73:
        return f"vpsllq {middle},{last},{reader.byte():#x}"
    if opcode == 0x50:
        return f"vmovmskpd {HALF[field]},{last}"
    return _of_first_group(opcode, suffix, (d, middle, last))


def _of_masks(reader: Reader, opcode: int, prefix: _Prefix) -> str:
    field, last = operand(reader, 0, _MASKS, "")
    if opcode == 0x46:
        return f"kxnorw {_MASKS[field]},{_MASKS[prefix.v]},{last}"
    return f"kortestb {_MASKS[field]},{last}"


def _of_first_group(opcode: int, suffix: str, operands: tuple[str, str, str]) -> str:
    d, middle, last = operands
    if opcode in _LOGIC:
        return f"{_LOGIC[opcode]} {d},{middle},{last}"
    if opcode == 0x51 and suffix == "pd":
        return f"vsqrtpd {d},{last}"
    if opcode in _ARITHMETIC:
        return f"{_ARITHMETIC[opcode]}{suffix} {d},{middle},{last}"
    if opcode in (0x10, 0x11):
        operands_ = f"{d},{last}" if opcode == 0x10 else f"{last},{d}"
        return f"{'vmovsd' if suffix == 'sd' else 'vmovupd'} {operands_}"
    return f"{ {0x28: 'vmovapd', 0x2E: 'vucomisd'}[opcode] } {d},{last}"


def _of_second_group(opcode: int, suffix: str, operands: tuple[int, str, str, str]) -> str:
    field, d, middle, last = operands
    if opcode == _SPREAD:
        return f"vbroadcastsd {d},{last}"
    if opcode == 0x39:
        return f"vpmovq2m {_MASKS[field]},{last}"
    if opcode in _BY_MASK:
        between = f"{middle}," if opcode == 0x65 else ""
        return f"{_BY_MASK[opcode]} {d},{between}{last}"
    return f"{_FUSED[opcode & 0xE]}{_ORDERS[opcode >> 4]}{suffix} {d},{middle},{last}"


def _of_third_group(
    opcode: int,
    suffix: str,
    operands: tuple[str, str, str],
    names: tuple[str, ...],
    constant: int,
    evex: bool,
) -> str:
    d, middle, last = operands
    if opcode == 0x4B:
        return f"vblendvpd {d},{middle},{last},{names[constant >> 4]}"
    if opcode in _INSERTS:
        return f"{_INSERTS[opcode][evex]} {d},{middle},{last},{constant:#x}"
    if opcode == 0x25:
        return f"vpternlogq {d},{middle},{last},{constant:#x}"
    name = "vrndscale" if evex else "vround"
    between = f"{middle}," if suffix == "sd" else ""
    return f"{name}{suffix} {d},{between}{last},{constant:#x}"
