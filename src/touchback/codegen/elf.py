"""Machine code as an ordinary ELF shared object: for the cache, and for objdump, gdb and perf.

Three segments: headers and symbol table (read only), constants and code (read and execute), the
dynamic section (writable, because some loaders relocate it in place). A note keeps what a
`MachineCode` holds besides its bytes, with a checksum. Layout after the System V ABI, chapters 4
and 5.
"""

import hashlib
import struct

from touchback.codegen.machine import TARGETS, MachineCode
from touchback.errors import CompileError

_MACHINE = {"aarch64": 183, "x86_64": 62}
_PAGE, _LARGEST_PAGE = 0x1000, 0x10000
_CODE_AT = _LARGEST_PAGE + _PAGE  # address; its offset in the file is one page
_R, _W, _X = 4, 2, 1
_LOAD, _DYNAMIC, _NOTE, _GNU_STACK = 1, 2, 4, 0x6474E551
_OWNER = b"Touchback\0"
_NOTE_TYPE = 1
_FACTS = struct.Struct("<QQQQ32s")  # entry, work size, instructions, lanes, checksum
_HEADER, _SEGMENT, _SECTION, _SYMBOL = 64, 56, 64, 24


def write_elf(code: MachineCode, name: str) -> bytes:
    """The bytes of a shared object that exports the function under this name."""
    strings = b"\0" + name.encode() + b"\0"
    facts = _FACTS.pack(
        code.entry, code.work_size, code.instructions, code.lanes, _checksum(code, name)
    )
    hash_table = struct.pack("<5I", 1, 2, 1, 0, 0)
    symbols = bytes(_SYMBOL) + struct.pack(
        "<IBBHQQ", 1, 0x12, 0, 6, _CODE_AT + code.entry, len(code.code) - code.entry
    )
    segments = 6
    note_at = _HEADER + segments * _SEGMENT
    note = _note(facts)
    hash_at = note_at + len(note)
    symbols_at = _aligned(hash_at + len(hash_table), 8)
    strings_at = symbols_at + len(symbols)
    start_size = strings_at + len(strings)
    if start_size > _PAGE:
        raise CompileError(
            f"The name {name[:40]!r}… is too long for a symbol: {len(name)} letters."
        )
    dynamic_at = _aligned(_PAGE + len(code.code), 16)
    dynamic_address = (
        _aligned(_CODE_AT + len(code.code), _LARGEST_PAGE) + dynamic_at % _LARGEST_PAGE
    )
    dynamic = b"".join(
        struct.pack("<QQ", tag, value)
        for tag, value in (
            (4, hash_at),
            (5, strings_at),
            (6, symbols_at),
            (10, len(strings)),
            (11, _SYMBOL),
            (0, 0),
        )
    )
    names = b"\0.note.touchback\0.hash\0.dynsym\0.dynstr\0.rodata\0.text\0.dynamic\0.shstrtab\0"
    names_at = dynamic_at + len(dynamic)
    sections_at = _aligned(names_at + len(names), 8)
    rodata, text = (
        (_CODE_AT, _PAGE, code.entry),
        (
            _CODE_AT + code.entry,
            _PAGE + code.entry,
            len(code.code) - code.entry,
        ),
    )
    # name, type, flags (2 in memory, 1 writable, 4 executable), address, offset, size, link, info
    rows = (
        (b"", 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (b".note.touchback", 7, 2, note_at, note_at, len(note), 0, 0, 4, 0),
        (b".hash", 5, 2, hash_at, hash_at, len(hash_table), 3, 0, 4, 4),
        (b".dynsym", 11, 2, symbols_at, symbols_at, len(symbols), 4, 1, 8, _SYMBOL),
        (b".dynstr", 3, 2, strings_at, strings_at, len(strings), 0, 0, 1, 0),
        (b".rodata", 1, 2, *rodata, 0, 0, 64, 0),
        (b".text", 1, 6, *text, 0, 0, 64, 0),
        (b".dynamic", 6, 3, dynamic_address, dynamic_at, len(dynamic), 4, 0, 8, 16),
        (b".shstrtab", 3, 0, 0, names_at, len(names), 0, 0, 1, 0),
    )
    header = struct.pack(
        "<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 3, _MACHINE[code.target], 1, 0, _HEADER,
        sections_at, 0, _HEADER, _SEGMENT, segments, _SECTION, len(rows), len(rows) - 1,
    )  # fmt: skip
    start = b"".join(
        (
            header,
            _segment(_LOAD, _R, 0, 0, start_size, _LARGEST_PAGE),
            _segment(_LOAD, _R | _X, _PAGE, _CODE_AT, len(code.code), _LARGEST_PAGE),
            _segment(_LOAD, _R | _W, dynamic_at, dynamic_address, len(dynamic), _LARGEST_PAGE),
            _segment(_DYNAMIC, _R | _W, dynamic_at, dynamic_address, len(dynamic), 8),
            _segment(_NOTE, _R, note_at, note_at, len(note), 4),
            _segment(_GNU_STACK, _R | _W, 0, 0, 0, 16),
            note,
            hash_table,
        )
    )
    file = bytearray(sections_at)
    for offset, part in (
        (0, start),
        (symbols_at, symbols + strings),
        (_PAGE, code.code),
        (dynamic_at, dynamic + names),
    ):
        file[offset : offset + len(part)] = part
    for label, *numbers in rows:
        at = names.index(label + b"\0") if label else 0
        file += struct.pack("<IIQQQQIIQQ", at, *numbers)
    return bytes(file)


def read_elf(data: bytes, name: str) -> MachineCode:
    """The machine code in a file of `write_elf`; an error if a single byte of it has changed."""
    targets = {number: target for target, number in _MACHINE.items() if target in TARGETS}
    try:
        machine, segments_at = struct.unpack_from("<18xH12xQ", data)
        target = targets[machine]
        offset, size = struct.unpack_from("<8xQ16xQ", data, segments_at + _SEGMENT)
        note_at = struct.unpack_from("<8xQ", data, segments_at + 4 * _SEGMENT)[0]
        facts_at = note_at + len(_note(b""))
        entry, work_size, instructions, lanes, _ = _FACTS.unpack_from(data, facts_at)
    except (struct.error, KeyError) as error:
        raise CompileError(f"{name}: not a shared object of Touchback's.") from error
    code = MachineCode(data[offset : offset + size], entry, work_size, instructions, target, lanes)
    if write_elf(code, name) != data:
        raise CompileError(f"{name}: the shared object is damaged or incomplete.")
    return code


def _checksum(code: MachineCode, name: str) -> bytes:
    facts = f"{name} {code.target} {code.lanes} {code.entry} {code.work_size} {code.instructions} "
    return hashlib.sha256(facts.encode() + code.code).digest()


def _note(facts: bytes) -> bytes:
    owner = _OWNER + bytes(-len(_OWNER) % 4)
    return struct.pack("<III", len(_OWNER), len(facts), _NOTE_TYPE) + owner + facts


def _segment(kind: int, flags: int, offset: int, address: int, size: int, alignment: int) -> bytes:
    return struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, size, size, alignment)


def _aligned(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment
