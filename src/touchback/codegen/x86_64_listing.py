"""x86-64 code as text, in Intel's notation: the instructions that we write and no others."""

from collections.abc import Iterator

from touchback.codegen.x86_64_operands import HALF, WHOLE, Reader, as_hex, operand
from touchback.codegen.x86_64_vector_listing import with_evex, with_vex

_BARE = {0xC3: "ret"}
_JUMPS, _FAR_JUMPS = {0x72: "jb", 0x74: "je"}, {0x83: "jae", 0x85: "jne"}


def list_x86_64(code: bytes, entry: int) -> Iterator[tuple[int, str]]:
    """(offset, text) of each instruction from the entry on."""
    reader = Reader(code, entry)
    while reader.position < len(code):
        offset = reader.position
        first = reader.byte()
        if first in (0xC4, 0xC5):
            yield offset, with_vex(reader, first)
        elif first == 0x62:
            yield offset, with_evex(reader)
        else:
            yield offset, _plain(reader, first)


def _plain(reader: Reader, first: int) -> str:
    rex = first if 0x40 <= first < 0x50 else 0
    opcode = reader.byte() if rex else first
    extend, field_extend = 8 if rex & 1 else 0, 8 if rex & 4 else 0
    names = WHOLE if rex & 8 else HALF
    if opcode in _BARE:
        return _BARE[opcode]
    if opcode & 0xF0 == 0x50:
        return f"{'push' if opcode < 0x58 else 'pop'} {WHOLE[opcode & 7 | extend]}"
    if opcode & 0xF8 == 0xB8:
        return f"mov {HALF[opcode & 7 | extend]},{reader.signed(4) & 0xFFFFFFFF:#x}"
    if opcode in _JUMPS:
        distance = reader.signed(1)
        return f"{_JUMPS[opcode]} {reader.position + distance:#x}"
    if opcode == 0xE8:
        distance = reader.signed(4)
        return f"call {reader.position + distance:#x}"
    if opcode == 0x0F:
        jump, distance = _FAR_JUMPS[reader.byte()], reader.signed(4)
        return f"{jump} {reader.position + distance:#x}"
    size = "" if opcode == 0x8D else "QWORD PTR "
    field, last = operand(reader, extend, names, size)
    if opcode == 0x83:
        constant = reader.signed(1)
        shown = as_hex(constant & (0xFFFFFFFFFFFFFFFF if rex & 8 else 0xFFFFFFFF))
        return f"{ {0: 'add', 4: 'and', 7: 'cmp'}[field] } {last},{shown}"
    if opcode == 0xFF:
        return f"{'dec' if field == 1 else 'call'} {last}"
    register = names[field | field_extend]
    if opcode == 0x89:
        return f"mov {last},{register}"
    return f"{'lea' if opcode == 0x8D else 'mov'} {register},{last}"
