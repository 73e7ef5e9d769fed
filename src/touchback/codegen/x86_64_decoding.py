"""Bytes of x86-64 code taken one after the other, and their operands as text."""

WHOLE = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{k}" for k in range(8, 16)))
HALF = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", *(f"r{k}d" for k in range(8, 16)))


class Reader:
    """Bytes taken one after the other."""

    def __init__(self, code: bytes, position: int) -> None:
        self.code, self.position = code, position

    def byte(self) -> int:
        self.position += 1
        return self.code[self.position - 1]

    def signed(self, size: int) -> int:
        start, self.position = self.position, self.position + size
        return int.from_bytes(self.code[start : self.position], "little", signed=True)


def as_hex(value: int) -> str:
    return f"{value:#x}" if value >= 0 else f"-{-value:#x}"


def operand(
    reader: Reader, extend: int, names: tuple[str, ...], size: str, unit: int = 1
) -> tuple[int, str]:
    """(low bits of the register field, text of the register or memory operand) of a ModRM byte; an
    offset of one byte counts units of so many."""
    modrm = reader.byte()
    mode, field, low = modrm >> 6, modrm >> 3 & 7, modrm & 7
    if mode == 3:
        return field, names[low | extend]
    if mode == 0 and low == 5:
        offset = reader.signed(4)
        return field, f"{size}[rip{'+' if offset >= 0 else ''}{as_hex(offset)}]"
    if low == 4:
        reader.byte()
    offset = (0, 1, 4)[mode] and reader.signed((0, 1, 4)[mode])
    offset *= unit if mode == 1 else 1
    sign = "+" if offset >= 0 else ""
    shown = f"{sign}{as_hex(offset)}" if mode else ""
    return field, f"{size}[{WHOLE[low | extend & 8]}{shown}]"
