"""Machine code as an ordinary ELF shared object: for the cache, and for objdump, gdb and perf.

Three segments: headers and symbol table (read only), constants and code (read and execute), the
dynamic section (writable, because some loaders relocate it in place). A note keeps what a
`MachineCode` holds besides its bytes, the key that it was kept under, and a checksum of all.
Layout after the System V ABI, chapters 4 and 5.
"""

import hashlib
import struct
from typing import NamedTuple

from touchback.codegen.emit_machine_code import MachineCode
from touchback.errors import CompileError

_MACHINE = {"aarch64": 183, "x86_64": 62, "x86_64_v4": 62}
_PAGE, _LARGEST_PAGE = 0x1000, 0x10000
_CODE_AT = _LARGEST_PAGE + _PAGE  # address; its offset in the file is one page
_R, _W, _X = 4, 2, 1
_LOAD, _DYNAMIC, _NOTE, _GNU_STACK = 1, 2, 4, 0x6474E551
_OWNER, _NOTE_TYPE = b"Touchback\0", 1
_FACTS = struct.Struct("<QQQQ16s32s32s")
"""Entry, work size, instructions, lanes, target, hash of the key, checksum."""
_HEADER, _SEGMENT, _SEGMENTS, _SECTION, _SYMBOL = 64, 56, 6, 64, 24
_CODE_SEGMENT, _NOTE_SEGMENT = 1, 4


class _Section(NamedTuple):
    """A row of the section table."""

    name: bytes
    kind: int
    flags: int  # 1 writable, 2 in memory, 4 executable
    address: int
    offset: int
    size: int
    link: int = 0
    info: int = 0
    alignment: int = 1
    entry_size: int = 0


def write_elf(code: MachineCode, name: str, key: str = "") -> bytes:
    """The bytes of a shared object that exports the function under this name; it is bound to the
    key, without which `read_elf` refuses it."""
    size, text_size = len(code.code), len(code.code) - code.entry
    strings = b"\0" + name.encode() + b"\0"
    note = _note(code, name, key)
    hash_table = struct.pack("<5I", 1, 2, 1, 0, 0)  # one bucket, two symbols
    symbol = struct.pack("<IBBHQQ", 1, 0x12, 0, 6, _CODE_AT + code.entry, text_size)
    symbols = bytes(_SYMBOL) + symbol

    note_at = _HEADER + _SEGMENTS * _SEGMENT
    hash_at = note_at + len(note)
    symbols_at = _aligned(hash_at + len(hash_table), 8)
    strings_at = symbols_at + len(symbols)
    start_size = strings_at + len(strings)
    if start_size > _PAGE:
        raise CompileError(f"'{name[:40]}…' is too long for a symbol: {len(name)} letters.")
    tags = ((4, hash_at), (5, strings_at), (6, symbols_at), (10, len(strings)), (11, _SYMBOL))
    dynamic = b"".join(struct.pack("<QQ", *tag) for tag in (*tags, (0, 0)))
    dynamic_at = _aligned(_PAGE + size, 16)
    dynamic_address = _aligned(_CODE_AT + size, _LARGEST_PAGE) + dynamic_at % _LARGEST_PAGE

    sections = [
        _Section(b"", 0, 0, 0, 0, 0, alignment=0),
        _Section(b".note.touchback", 7, 2, note_at, note_at, len(note), alignment=4),
        _Section(b".hash", 5, 2, hash_at, hash_at, len(hash_table), 3, 0, 4, 4),
        _Section(b".dynsym", 11, 2, symbols_at, symbols_at, len(symbols), 4, 1, 8, _SYMBOL),
        _Section(b".dynstr", 3, 2, strings_at, strings_at, len(strings)),
        _Section(b".rodata", 1, 2, _CODE_AT, _PAGE, code.entry, alignment=64),
        _Section(
            b".text", 1, 6, _CODE_AT + code.entry, _PAGE + code.entry, text_size, alignment=64
        ),
        _Section(b".dynamic", 6, 3, dynamic_address, dynamic_at, len(dynamic), 4, 0, 8, 16),
    ]
    names_at = dynamic_at + len(dynamic)
    names = b"\0".join(section.name for section in sections) + b"\0.shstrtab\0"
    sections.append(_Section(b".shstrtab", 3, 0, 0, names_at, len(names)))
    sections_at = _aligned(names_at + len(names), 8)

    header = struct.pack(
        "<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 3, _MACHINE[code.target], 1, 0, _HEADER,
        sections_at, 0, _HEADER, _SEGMENT, _SEGMENTS, _SECTION, len(sections), len(sections) - 1,
    )  # fmt: skip
    segments = (
        _segment(_LOAD, _R, 0, 0, start_size, _LARGEST_PAGE),
        _segment(_LOAD, _R | _X, _PAGE, _CODE_AT, size, _LARGEST_PAGE),
        _segment(_LOAD, _R | _W, dynamic_at, dynamic_address, len(dynamic), _LARGEST_PAGE),
        _segment(_DYNAMIC, _R | _W, dynamic_at, dynamic_address, len(dynamic), 8),
        _segment(_NOTE, _R, note_at, note_at, len(note), 4),
        _segment(_GNU_STACK, _R | _W, 0, 0, 0, 16),
    )
    parts = {
        0: header + b"".join(segments) + note + hash_table,
        symbols_at: symbols + strings,
        _PAGE: code.code,
        dynamic_at: dynamic + names,
    }
    return _laid_out(parts, sections_at) + _section_table(sections, names)


def _laid_out(parts: dict[int, bytes], size: int) -> bytes:
    """Parts at their offsets, with zeros between them."""
    file = bytearray(size)
    for offset, part in parts.items():
        file[offset : offset + len(part)] = part
    return bytes(file)


def _section_table(sections: list[_Section], names: bytes) -> bytes:
    places = [names.index(each.name + b"\0") if each.name else 0 for each in sections]
    rows = zip(places, sections, strict=True)
    return b"".join(struct.pack("<IIQQQQIIQQ", place, *each[1:]) for place, each in rows)


def read_elf(data: bytes, name: str, key: str = "") -> MachineCode:
    """The machine code in a file of `write_elf`; an error if a single bit of it has changed, or if
    it was written under another name or key."""
    try:
        code = _parse(data)
        intact = write_elf(code, name, key) == data
    except (struct.error, KeyError):
        intact = False
    if not intact:
        raise CompileError(
            f"{name}: the shared object is damaged, not one of Touchback's, or another function's."
        )
    return code


def _parse(data: bytes) -> MachineCode:
    offset, size = struct.unpack_from("<8xQ16xQ", data, _HEADER + _CODE_SEGMENT * _SEGMENT)
    (note_end,) = struct.unpack_from("<32xQ", data, _HEADER + _NOTE_SEGMENT * _SEGMENT)
    facts_at = _HEADER + _SEGMENTS * _SEGMENT + note_end - _FACTS.size
    entry, work_size, instructions, lanes, name, _, _ = _FACTS.unpack_from(data, facts_at)
    content, target = data[offset : offset + size], name.rstrip(b"\0").decode("latin-1")
    return MachineCode(content, entry, work_size, instructions, target, lanes)


def _note(code: MachineCode, name: str, key: str) -> bytes:
    said = f"{name} {code.target} {code.lanes} {code.entry} {code.work_size} {code.instructions} "
    bound = hashlib.sha256(key.encode()).digest()
    checksum = hashlib.sha256(said.encode() + bound + code.code).digest()
    numbers = code.entry, code.work_size, code.instructions, code.lanes
    facts = _FACTS.pack(*numbers, code.target.encode(), bound, checksum)
    owner = _OWNER + bytes(-len(_OWNER) % 4)
    return struct.pack("<III", len(_OWNER), len(facts), _NOTE_TYPE) + owner + facts


def _segment(kind: int, flags: int, offset: int, address: int, size: int, alignment: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, size, size, alignment)


def _aligned(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment
