"""Blocks of MDF files, each of which names the next: a circle of them would be followed for ever.

As ASAM MDF 3.3 and 4.1 have them. Each of these blocks is named by one other; what leads nowhere is
left to the reader."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from touchback.errors import InputError

_HEADER = 64  # where the first block is
_NEW = {  # which links of a block, of version 4, lead on; data lists may be a channel's, too
    b"##HD": range(5), b"##DG": range(3), b"##CG": range(2), b"##CN": range(6), b"##CA": range(1),
    b"##FH": range(1), b"##AT": range(1), b"##EV": range(1), b"##CH": range(2), b"##HL": range(1),
    b"##DL": range(1),
}  # fmt: skip
_LISTS = (b"##DL", b"##HL")
_FIRST = {  # what the first links lead to: readers follow them without a look at names
    b"##HD": (b"##DG",), b"##DG": (b"##DG", b"##CG"), b"##CG": (b"##CG", b"##CN"),
    b"##CN": (b"##CN",),
}  # fmt: skip
_OLD = {  # the same of versions 2 and 3, whose links, four bytes long, begin after four
    b"HD": (b"DG",), b"DG": (b"DG", b"CG"), b"CG": (b"CG", b"CN"), b"CN": (b"CN",),
}  # fmt: skip


def check_chains(path: Path) -> None:
    """Refuses a file whose blocks lead in a circle, or to blocks of other kinds."""
    with path.open("rb") as file:
        links, seen, waiting = _links_of(file), set[int](), [_HEADER]
        while waiting:
            place = waiting.pop()
            if place in seen:
                raise InputError(f"{path.name} is damaged: its blocks lead in a circle.")
            seen.add(place)
            waiting += links(file, place)


def _links_of(file: BinaryIO) -> Callable[[BinaryIO, int], Iterator[int]]:
    """By the first block, which readers go by where it and the version don't agree."""
    version, first = _at(file, 8, 1), _at(file, _HEADER, 4)
    if version in b"4 \0" and first == b"##HD":
        return _new_links
    if version in b"23 \0" and first[:2] == b"HD":
        return _old_links
    raise InputError(
        f"{Path(file.name).name} can't be read as MDF: its first block is not that of its version."
    )


def _at(file: BinaryIO, place: int, count: int) -> bytes:
    """So many bytes, or none where the file ends before."""
    if place + count > os.fstat(file.fileno()).st_size:  # also where no file could have a place
        return b""
    file.seek(place)
    return file.read(count)


def _new_links(file: BinaryIO, place: int) -> Iterator[int]:
    head = _at(file, place, 24)
    wanted = _NEW.get(head[:4], range(0))
    count = min(len(wanted), int.from_bytes(head[16:24], "little"))
    found = _at(file, place + 24, 8 * count)
    for i in range(len(found) // 8):
        link = int.from_bytes(found[8 * i : 8 * i + 8], "little")
        its = _at(file, link, 4) if link else b""
        if link and i < len(first := _FIRST.get(head[:4], ())):
            _check_kind(file, its, first[i])
        if its in _NEW and (its in _LISTS or not (head[:4] == b"##CN" and i > 1)):
            yield link


def _old_links(file: BinaryIO, place: int) -> Iterator[int]:
    for i, kind in enumerate(_OLD[_at(file, place, 2)]):
        link = int.from_bytes(_at(file, place + 4 + 4 * i, 4), "little")
        if link:
            _check_kind(file, _at(file, link, 2), kind)
            yield link


def _check_kind(file: BinaryIO, its: bytes, kind: bytes) -> None:
    if its != kind:
        name = Path(file.name).name
        raise InputError(f"{name} is damaged: a link to a {kind.decode()} leads elsewhere.")
