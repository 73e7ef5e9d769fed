"""Measurements in MDF files, the format of measuring in cars (ASAM), by asammdf: versions 2–4."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, Protocol

import numpy as np

from touchback.errors import InputError, TouchbackError
from touchback.names import unknown_name
from touchback.recording.measured.measured_series import FileChannel, Series, nanoseconds, series_of
from touchback.recording.run_data import RunData
from touchback.safe_files import check_output, open_regular

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


# Blocks of MDF files, each of which names the next: a circle of them would be followed for ever.
#
# As ASAM MDF 3.3 and 4.1 have them. Each of these blocks is named by one other; what leads nowhere
# is left to the reader.
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


_LARGEST = 1 << 38  # bytes: of days of measuring
_UNFOLDED, _ROOM = 1100, 1 << 27  # as far as deflate goes, and what any file may claim [bytes]
_MOST_ROWS = 100_000_000
MAGIC = b"MDF ", b"UnFi"  # that nobody finished


class _Channel(Protocol):
    timestamps: np.ndarray
    samples: np.ndarray
    unit: str


class _File(Protocol):
    """What is used of an open file; asammdf is an extra."""

    channels_db: Mapping[str, Sequence[tuple[int, int]]]
    masters_db: Mapping[int, int]
    groups: Sequence[Any]

    def get(self, *, group: int, index: int, raw: bool = False) -> _Channel: ...
    def get_channel_unit(self, *, group: int, index: int) -> str: ...
    def get_master(self, index: int) -> np.ndarray: ...
    def close(self) -> None: ...


def read_mdf(path: Path, names: Sequence[str], time: FileChannel | None) -> dict[str, Series]:
    """Channels by their names, as physical numbers over the times of their own groups. Of those
    that several groups have, "2/speed" is that of group 2."""
    if time is not None:
        raise InputError(f"{path.name}: groups of MDF have times of their own; leave out time=.")
    with _opened(path) as file:
        return {name: _series(file, name, path.name) for name in names}


def channels_mdf(path: Path) -> dict[str, str]:
    """Names and units of the channels beside the times of groups."""
    with _opened(path) as file:
        return {
            name: str(file.get_channel_unit(group=group, index=index) or "")
            for name, (group, index) in _places(file).items()
            if file.masters_db.get(group) != index
        }


def times_mdf(path: Path) -> np.ndarray:
    """When the group with the most numbers was measured [ns]."""
    with _opened(path) as file:
        masters = [np.asarray(file.get_master(group)) for group in file.masters_db]
    if not masters:
        raise InputError(f"{path.name} has no group with a time.")
    return nanoseconds(f"{path.name}: its time", max(masters, key=len))


@contextmanager
def _opened(path: Path) -> Iterator[_File]:
    with open_regular(path, _LARGEST) as stream:
        if stream.read(4) not in MAGIC:
            raise InputError(f"{path.name} can't be read as MDF: it doesn't begin as one does.")
    mdf = _mdf()
    check_chains(path)
    try:
        file: _File = mdf.MDF(str(path))
    except Exception as error:  # of many kinds: struct's, zlib's, its own
        raise InputError(f"{path.name} can't be read as MDF: {error}.") from None
    try:
        _check_claims(file, path)
        yield file
    except TouchbackError:
        raise
    except Exception as error:  # blocks are read when they are asked for
        raise InputError(f"{path.name} is damaged: {error}.") from None
    finally:
        with suppress(Exception):
            file.close()


def _check_claims(file: _File, path: Path) -> None:
    """Refuses groups of more rows, or longer ones, than the file can have, for which room would be
    made before they are looked for; and channels beyond their rows, which asammdf's C code reads
    all the same."""
    most = max(_ROOM, _UNFOLDED * path.stat().st_size)
    for number, group in enumerate(file.groups):
        about = group.channel_group
        rows = int(about.cycles_nr)
        width = int(about.samples_byte_nr) + int(getattr(about, "invalidation_bytes_nr", 0))
        if rows > _MOST_ROWS or max(rows, 1) * width > most:
            raise InputError(
                f"{path.name} is damaged, or too large: group {number} claims {rows} rows of "
                f"{width} bytes."
            )
        for channel in group.channels:
            if _end(channel) > 8 * width:
                raise InputError(
                    f"{path.name} is damaged: channel '{channel.name}' lies beyond the rows of "
                    f"group {number}, of {width} bytes."
                )


def _end(channel: Any) -> int:
    """Where a channel ends in a row [bits], in files of version 4, or 2 and 3."""
    if hasattr(channel, "byte_offset"):
        return int(8 * channel.byte_offset + channel.bit_offset + channel.bit_count)
    start = 8 * int(channel.additional_byte_offset) + int(channel.start_offset)
    return start + int(channel.bit_count)


def write_mdf(run: RunData, path: str | Path) -> None:
    """Writes a run's signals as an MDF4 file, with their units."""
    check_output(path, (".mf4",), "MDF")
    mdf = _mdf()
    with mdf.MDF(version="4.10") as file:
        file.append([
            mdf.Signal(samples=np.asarray(values, dtype=float), timestamps=run.time, name=name,
                       unit=run.units.get(name, ""))
            for name, values in run.signals.items()
        ], comment="touchback")  # fmt: skip
        file.save(str(path), overwrite=True)


def _series(file: _File, name: str, where: str) -> Series:
    group, index = _place(file, name, where)
    label = f"{where}: channel '{name}'"
    try:
        signal = file.get(group=group, index=index)
        if signal.samples.dtype.kind not in "iufb":  # its numbers stand for words
            signal = file.get(group=group, index=index, raw=True)
    except Exception as error:  # whatever a damaged file runs it into
        raise InputError(f"{label} can't be read: {error}.") from None
    values = np.asarray(signal.samples)
    if values.dtype.kind not in "iufb" or values.ndim != 1 or not len(values):
        raise InputError(f"{label} has no numbers; choose another channel.")
    times = nanoseconds(label, np.asarray(signal.timestamps))
    return series_of(label, times, values, str(signal.unit or ""))


def _place(file: _File, name: str, where: str) -> tuple[int, int]:
    """The group of a channel and its place there."""
    known = _places(file)
    if name not in known:
        raise unknown_name(f"channel in {where}", name, sorted(known))
    return known[name]


def _places(file: _File) -> dict[str, tuple[int, int]]:
    """Groups and places of all channels, by the names that they have here."""
    return {
        each if len(places) == 1 else f"{group}/{each}": (group, index)
        for each, places in file.channels_db.items()
        for group, index in places
    }


def _mdf() -> ModuleType:
    try:
        import asammdf
    except ImportError:
        raise InputError(
            "MDF files need asammdf; install it with `pip install touchback[mdf]`."
        ) from None
    found: ModuleType = asammdf
    return found
