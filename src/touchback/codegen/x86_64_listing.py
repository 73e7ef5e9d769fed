"""x86-64 code as text, in Intel's notation: the instructions that we write and no others."""

from collections.abc import Iterator

_WHOLE = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{k}" for k in range(8, 16)))
_HALF = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", *(f"r{k}d" for k in range(8, 16)))
_ARITHMETIC = {
    0x51: "vsqrt", 0x58: "vadd", 0x59: "vmul", 0x5C: "vsub", 0x5D: "vmin", 0x5E: "vdiv",
    0x5F: "vmax", 0xC2: "vcmp",
}  # fmt: skip
_LOGIC = {0x54: "vandpd", 0x57: "vxorpd", 0x76: "vpcmpeqd"}
_FUSED = {0x8: "vfmadd", 0xA: "vfmsub", 0xC: "vfnmadd"}
_ORDERS = {0x9: "132", 0xA: "213", 0xB: "231"}
_PREDICATES = {0x00: "eq", 0x04: "neq", 0x11: "lt_oq", 0x12: "le_oq"}
_BARE = {0xC3: "ret"}


class _Reader:
    """Bytes taken one after the other."""

    def __init__(self, code: bytes, position: int) -> None:
        self.code, self.position = code, position

    def byte(self) -> int:
        self.position += 1
        return self.code[self.position - 1]

    def signed(self, size: int) -> int:
        start, self.position = self.position, self.position + size
        return int.from_bytes(self.code[start : self.position], "little", signed=True)


def list_x86_64(code: bytes, entry: int) -> Iterator[tuple[int, str]]:
    """(offset, text) of each instruction from the entry on."""
    reader = _Reader(code, entry)
    while reader.position < len(code):
        offset = reader.position
        first = reader.byte()
        if first in (0xC4, 0xC5):
            yield offset, _vex(reader, first)
        else:
            yield offset, _plain(reader, first)


def _hex(value: int) -> str:
    return f"{value:#x}" if value >= 0 else f"-{-value:#x}"


def _operand(reader: _Reader, extend: int, names: tuple[str, ...], size: str) -> tuple[int, str]:
    """(low bits of the register field, text of the register or memory operand) of a ModRM byte."""
    modrm = reader.byte()
    mode, field, low = modrm >> 6, modrm >> 3 & 7, modrm & 7
    if mode == 3:
        return field, names[low | extend]
    if mode == 0 and low == 5:
        offset = reader.signed(4)
        return field, f"{size}[rip{'+' if offset >= 0 else ''}{_hex(offset)}]"
    if low == 4:
        reader.byte()
    offset = (0, 1, 4)[mode] and reader.signed((0, 1, 4)[mode])
    sign = "+" if offset >= 0 else ""
    shown = f"{sign}{_hex(offset)}" if mode else ""
    return field, f"{size}[{_WHOLE[low | extend]}{shown}]"


def _vex(reader: _Reader, first: int) -> str:
    if first == 0xC5:
        second = reader.byte()
        group, extend, field_extend = 1, 0, 0 if second & 0x80 else 8
    else:
        prefix, second = reader.byte(), reader.byte()
        group = prefix & 31
        extend, field_extend = 0 if prefix & 0x20 else 8, 0 if prefix & 0x80 else 8
    v, wide, pp = ~(second >> 3) & 15, second >> 2 & 1, second & 3
    opcode = reader.byte()
    if group == 1 and opcode == 0x77:
        return "vzeroupper"
    kind = "ymm" if wide else "xmm"
    names = tuple(f"{kind}{k}" for k in range(16))
    scalar = pp == 3 or (group == 2 and opcode & 1) or (group == 3 and opcode == 0x0B)
    scalar = scalar or (group == 1 and opcode == 0x2E)
    size = "QWORD PTR " if scalar else f"{kind.upper()}WORD PTR "
    field, last = _operand(reader, extend, names, size)
    d, middle = names[field | field_extend], names[v]
    suffix = "sd" if scalar else "pd"
    if group == 2:
        name = f"{_FUSED[opcode & 0xE]}{_ORDERS[opcode >> 4]}{suffix}"
        return f"{name} {d},{middle},{last}"
    if group == 3:
        constant = reader.byte()
        if opcode == 0x4B:
            return f"vblendvpd {d},{middle},{last},{names[constant >> 4]}"
        operands = f"{d},{middle},{last}" if scalar else f"{d},{last}"
        return f"vround{suffix} {operands},{constant:#x}"
    if opcode in _LOGIC:
        return f"{_LOGIC[opcode]} {d},{middle},{last}"
    if opcode == 0xC2:
        return f"vcmp{_PREDICATES[reader.byte()]}{suffix} {d},{middle},{last}"
    if opcode == 0x51 and not scalar:
        return f"vsqrtpd {d},{last}"
    if opcode in _ARITHMETIC:
        return f"{_ARITHMETIC[opcode]}{suffix} {d},{middle},{last}"
    if opcode in (0x10, 0x11):
        operands = f"{d},{last}" if opcode == 0x10 else f"{last},{d}"
        return f"{'vmovsd' if scalar else 'vmovupd'} {operands}"
    if opcode == 0x73:
        return f"vpsllq {middle},{last},{reader.byte():#x}"
    if opcode == 0x50:
        return f"vmovmskpd {_HALF[field | field_extend]},{last}"
    return f"{ {0x28: 'vmovapd', 0x2E: 'vucomisd'}[opcode] } {d},{last}"


def _plain(reader: _Reader, first: int) -> str:
    rex = first if 0x40 <= first < 0x50 else 0
    opcode = reader.byte() if rex else first
    extend, field_extend = 8 if rex & 1 else 0, 8 if rex & 4 else 0
    names = _WHOLE if rex & 8 else _HALF
    if opcode in _BARE:
        return _BARE[opcode]
    if opcode & 0xF0 == 0x50:
        return f"{'push' if opcode < 0x58 else 'pop'} {_WHOLE[opcode & 7 | extend]}"
    if opcode & 0xF8 == 0xB8:
        return f"mov {_HALF[opcode & 7 | extend]},{reader.signed(4) & 0xFFFFFFFF:#x}"
    if opcode in (0x73, 0x74):
        distance = reader.signed(1)
        return f"{'jae' if opcode == 0x73 else 'je'} {reader.position + distance:#x}"
    if opcode == 0xE8:
        distance = reader.signed(4)
        return f"call {reader.position + distance:#x}"
    if opcode == 0x0F:
        reader.byte()
        distance = reader.signed(4)
        return f"jne {reader.position + distance:#x}"
    size = "" if opcode == 0x8D else "QWORD PTR "
    field, last = _operand(reader, extend, names, size)
    if opcode == 0x83:
        constant = reader.signed(1)
        shown = _hex(constant & (0xFFFFFFFFFFFFFFFF if rex & 8 else 0xFFFFFFFF))
        return f"{ {0: 'add', 4: 'and', 7: 'cmp'}[field] } {last},{shown}"
    if opcode == 0xFF:
        return f"{'dec' if field == 1 else 'call'} {last}"
    register = names[field | field_extend]
    if opcode == 0x89:
        return f"mov {last},{register}"
    return f"{'lea' if opcode == 0x8D else 'mov'} {register},{last}"
