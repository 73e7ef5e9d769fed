"""Who reads a file of another program, by how it begins."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from touchback.recording.mcap_records import MAGIC as MCAP_MAGIC
from touchback.recording.measured import csv_series, mcap_series, mdf_series, parquet_series
from touchback.recording.measured.measured_series import FileChannel, Series
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
