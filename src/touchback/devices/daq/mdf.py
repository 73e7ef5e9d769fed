"""Measurements in MDF4 files, the format of measuring in cars (ASAM), by asammdf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np

from touchback.devices.daq.layout import BlockChannel, BlockLayout
from touchback.errors import InputError
from touchback.recording import Run, unknown_name
from touchback.regular_file import check_output, open_regular


class _Channel(Protocol):
    timestamps: np.ndarray
    samples: np.ndarray


class _File(Protocol):
    """What is used of an open file; asammdf is an extra."""

    channels_db: Mapping[str, Sequence[tuple[int, int]]]

    def get(self, name: str) -> _Channel: ...


_MOST = 100_000_000  # blocks: a day and more at 1 kHz
_LARGEST = 1 << 38  # bytes: of days of measuring
_MAGIC = b"MDF ", b"UnFi"  # that nobody finished
_GAP = 3.0  # of a channel's usual interval: something is missing


def blocks_of_mdf(layout: BlockLayout, path: str | Path) -> np.ndarray:
    """Blocks of the channels of that name, from the first instant at which all of them are known to
    the last. Channels of a file have times of their own: each number of a block is the newest that
    was measured by then."""
    mdf = _mdf()
    with open_regular(path, _LARGEST) as stream:
        if stream.read(4) not in _MAGIC:
            raise InputError(
                f"{str(path)!r} can't be read as MDF: it doesn't begin as such a file does."
            )
    try:
        file = mdf.MDF(str(path))
    except Exception as error:  # of many kinds: struct's, zlib's, its own
        raise InputError(f"{str(path)!r} can't be read as MDF: {error}.") from None
    with file:
        series = {channel.name: _series(file, channel.name, path) for channel in layout.channels}
    begin = max(times[0] for times, _ in series.values())
    end = min(times[-1] for times, _ in series.values())
    slack = 1e-6 * layout.period  # times in files are rounded
    count = int((end - begin + slack) / layout.period) + 1
    if not 0 < count <= _MOST:
        raise InputError(
            f"{str(path)!r}: all channels are there from {begin:g} to {end:g} s, which are {count} "
            f"blocks of {layout.period:g} s; give a file with 1 to {_MOST}."
        )
    blocks = np.zeros(count, dtype=layout.dtype)
    for channel in layout.channels:
        instants = (
            begin
            + slack
            + layout.period * np.arange(len(blocks))[:, None]
            + _spread(channel, layout.period)
        )
        times, values = series[channel.name]
        numbers = values[np.searchsorted(times, instants, side="right") - 1]
        info = np.iinfo(channel.type) if np.dtype(channel.type).kind in "iu" else None
        if info is not None and not np.all((numbers >= info.min) & (numbers <= info.max)):
            raise InputError(
                f"Channel '{channel.name}' is {channel.type}, but the file has "
                f"{numbers.min():g} to {numbers.max():g} there."
            )
        broken = numbers[numbers != np.floor(numbers)]
        if info is not None and len(broken):
            raise InputError(
                f"Channel '{channel.name}' is {channel.type}, but the file has {broken[0]:g} "
                "there; give it a type of float."
            )
        blocks[channel.name] = numbers if channel.samples > 1 else numbers[:, 0]
    return blocks


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


def _series(file: _File, name: str, path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    places = file.channels_db.get(name, ())
    if not places:
        names = sorted(file.channels_db)
        raise unknown_name(f"channel of {str(path)!r}", name, names)
    if len(places) > 1:
        raise InputError(
            f"{str(path)!r} has {len(places)} channels '{name}'; keep one of them, as "
            "`MDF.filter` does."
        )
    signal = file.get(name)
    times, values = np.asarray(signal.timestamps), np.asarray(signal.samples)
    if values.dtype.kind not in "iufb" or values.ndim != 1 or not len(times):
        raise InputError(f"{str(path)!r}: channel '{name}' has no numbers.")
    steps = np.diff(times)
    if not (np.isfinite(times).all() and np.all(steps >= 0.0)):
        at = int(np.argmin(np.append(True, steps >= 0.0) & np.isfinite(times)))
        raise InputError(
            f"{str(path)!r}: channel '{name}' has sample {at} at {times[at]:g} s, not after "
            "the one before; mend the file."
        )
    if len(steps) and steps.max() > _GAP * np.median(steps):
        at = int(np.argmax(steps))
        raise InputError(
            f"{str(path)!r}: channel '{name}' has nothing from {times[at]:g} to "
            f"{times[at + 1]:g} s, {np.median(steps):g} s being usual; cut the file there."
        )
    return times, values


def _spread(channel: BlockChannel, period: float) -> np.ndarray:
    return channel.skew + period / channel.samples * np.arange(channel.samples)


def _mdf() -> ModuleType:
    try:
        import asammdf
    except ImportError:
        raise InputError(
            "MDF files need asammdf; install it with `pip install touchback[mdf]`."
        ) from None
    found: ModuleType = asammdf
    return found
