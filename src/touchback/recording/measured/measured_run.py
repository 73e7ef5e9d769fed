"""A file of another program as a run, read as far as it is asked for; which reader a file needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from touchback.errors import InputError
from touchback.recording.mcap_records import MAGIC as MCAP_MAGIC
from touchback.recording.measured import csv_series, mcap_series, mdf_series, parquet_series
from touchback.recording.measured.measured_series import NS, FileChannel, Series
from touchback.recording.run import Run
from touchback.recording.run_data import Floats
from touchback.safe_files import open_regular

_LARGEST = 1 << 38  # bytes; each format has its own limit


class Reader(NamedTuple):
    """What is known of a kind of file: names of its channels with their units, the instants of the
    one with the most numbers [ns], and the numbers of some over the instants of each."""

    channels: Callable[[Path], dict[str, str]]
    times: Callable[[Path], np.ndarray]
    series: Callable[[Path, Sequence[str], FileChannel | None], dict[str, Series]]


CSV = Reader(csv_series.channels_csv, csv_series.times_csv, csv_series.read_csv)
MDF = Reader(mdf_series.channels_mdf, mdf_series.times_mdf, mdf_series.read_mdf)
MCAP = Reader(mcap_series.channels_mcap, mcap_series.times_mcap, mcap_series.read_mcap)
PARQUET = Reader(
    parquet_series.channels_parquet, parquet_series.times_parquet, parquet_series.read_parquet
)
_BY_ENDING = {".mdf": MDF, ".mf3": MDF, ".mf4": MDF, ".mcap": MCAP, ".parquet": PARQUET}


def reader_of(path: str | os.PathLike[str]) -> Reader:
    """Some call their MDF files .dat, their tables .txt: how a file begins counts. Of one that
    begins as none does, its ending says who refuses it."""
    with open_regular(path, _LARGEST) as stream:
        start = stream.read(len(MCAP_MAGIC))
    if start[:4] in mdf_series.MAGIC:
        return MDF
    if start[:4] == parquet_series.MAGIC:
        return PARQUET
    if start == MCAP_MAGIC:
        return MCAP
    return _BY_ENDING.get(Path(path).suffix.lower(), CSV)


_GAP = 3.0  # of a channel's usual interval: nothing was measured meanwhile


class MeasuredSignals(Mapping[str, Floats]):
    """Channels of a file at common instants [ns], each read when it is first asked for."""

    def __init__(
        self, path: Path, reader: Reader, names: Mapping[str, str], instants: np.ndarray
    ) -> None:
        self._path, self._reader, self._names, self._instants = path, reader, names, instants
        self._read: dict[str, Floats] = {}

    def __getitem__(self, name: str) -> Floats:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._read:
            series = self._reader.series(self._path, [name], None)[name]
            self._read[name] = sample_and_hold(series.times, series.values, self._instants)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def sample_and_hold(times: np.ndarray, values: Floats, instants: np.ndarray) -> Floats:
    """The newest number at each instant; NaN before the first, and where it is older than three of
    the channel's usual intervals."""
    newest = np.searchsorted(times, instants, side="right") - 1
    usual = float(np.median(np.diff(times))) if len(times) > 1 else np.inf
    known = (newest >= 0) & (instants - times[newest] <= _GAP * usual)
    return np.where(known, values[newest], np.nan)


def measured_file(path: Path) -> Run:
    """A run of what another program measured."""
    try:
        return _measured(path, reader_of(path))
    except InputError as error:
        if not path.exists():
            raise
        raise InputError(
            f"{path.name} is not a run saved by Touchback, and can't be read as another's: {error}"
        ) from None


def _measured(path: Path, reader: Reader) -> Run:
    """A file's channels over seconds since the first instant of the one with the most numbers, as
    the file has them, in its units."""
    channels, instants = reader.channels(path), reader.times(path)
    if not len(instants) or not channels:
        raise InputError(f"{path.name} has nothing that was measured.")
    run = Run(
        (instants - instants[0]) / NS, {}, {}, {"model": path.stem, "began": int(instants[0])}
    )
    run.signals = MeasuredSignals(path, reader, channels, instants)
    run.units = dict(channels)
    return run
