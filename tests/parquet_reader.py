"""A reader of Parquet by the letter of its description (parquet.thrift, Encodings.md), apart from
what writes it: plain doubles that are always there, without compression."""

import struct
from pathlib import Path

import numpy as np

Fields = dict[int, "int | bytes | list | Fields"]  # type: ignore[type-arg]


class _Compact:
    """Thrift's compact protocol, from a place in some bytes on."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        found, shift = 0, 0
        while (byte := self.byte()) & 0x80:
            found |= (byte & 0x7F) << shift
            shift += 7
        return found | byte << shift

    def zigzag(self) -> int:
        number = self.varint()
        return number >> 1 if not number & 1 else -(number >> 1) - 1

    def value(self, kind: int) -> object:
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            return self.data[self.at - size : self.at]
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12, kind
        return self.struct()

    def struct(self) -> dict[int, object]:
        found: dict[int, object] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            found[number] = self.value(head & 15)
        return found


def read_parquet(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The columns, and the texts that stand in the metadata."""
    data = path.read_bytes()
    assert data[:4] == data[-4:] == b"PAR1"
    (size,) = struct.unpack("<I", data[-8:-4])
    footer = _Compact(data, len(data) - 8 - size)
    about: dict = footer.struct()  # type: ignore[type-arg]
    assert footer.at == len(data) - 8  # nothing is left over
    root, *leaves = about[2]
    assert root[5] == len(leaves) and all(leaf[1] == 5 and leaf[3] == 0 for leaf in leaves)
    parts: dict[str, list[np.ndarray]] = {leaf[4].decode(): [] for leaf in leaves}
    for group in about[4]:
        assert len(group[1]) == len(leaves)
        sizes = 0
        for leaf, chunk in zip(leaves, group[1]):
            column = chunk[3]
            assert column[3] == [leaf[4]] and column[1] == 5 and column[4] == 0
            page = _Compact(data, column[9])
            head: dict = page.struct()  # type: ignore[type-arg]
            assert head[1] == 0 and head[5][2] == 0 and head[5][1] == column[5] == group[3]
            assert head[2] == head[3] == 8 * group[3]
            assert column[6] == column[7] == page.at - column[9] + head[3]
            sizes += column[7]
            parts[leaf[4].decode()].append(np.frombuffer(data, "<f8", group[3], page.at))
        assert group[2] == sizes
    columns = {name: np.concatenate([*each, np.zeros(0)]) for name, each in parts.items()}
    assert all(len(each) == about[3] for each in columns.values())
    return columns, {each[1].decode(): each[2].decode() for each in about[5]}
