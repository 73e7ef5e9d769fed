"""Measurements in MDF files, the format of measuring in cars (ASAM), by asammdf: versions 2–4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from touchback.errors import InputError, TouchbackError
from touchback.recording.measured.mdf_chains import check_chains
from touchback.recording.measured.series import FileChannel, Series, nanoseconds, series_of
from touchback.recording.names import unknown_name
from touchback.recording.run import Run
from touchback.regular_file import check_output, open_regular

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


def save_mdf(run: Run, path: str | Path) -> None:
    """Keeps a run's signals as an MDF4 file, with their units."""
    check_output(path, (".mf4",), "MDF")
    mdf = _mdf()
    with mdf.MDF(version="4.10") as file:
        file.append([
            mdf.Signal(samples=np.asarray(run[name], dtype=float), timestamps=run.time, name=name,
                       unit=run.units.get(name, ""))
            for name in run.names
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
