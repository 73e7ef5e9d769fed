"""Tables in Parquet files, by pyarrow: only the columns that are asked for are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.recording.measured.csv_series import TIMES
from touchback.recording.measured.measured_series import FileChannel, Series, nanoseconds, series_of
from touchback.safe_files import open_regular
from touchback.unit_spellings import unit_of

MAGIC = b"PAR1"
_LARGEST = 1 << 38  # bytes, of which columns are read
_MOST = 100_000_000  # numbers of a column: 0.8 GB, whatever runs of equal ones take in the file
_ABOUT = b"touchback"


def about_of(path: Path) -> str | None:
    """The description of a run, where the file is one of ours."""
    metadata = _opened(path).schema_arrow.metadata or {}
    try:
        return metadata[_ABOUT].decode() if _ABOUT in metadata else None
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name}: its description is damaged: {error}.") from None


def columns_of(path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Columns as doubles; what isn't there is NaN."""
    file = _opened(path)
    known = [field.name for field in file.schema_arrow]
    for name in names:
        if name not in known:
            raise unknown_name(f"column in {path.name}", name, known)
    found = {}
    for name in names:
        _check_column(path, file, name)
        try:
            column = file.read([name]).column(name)
        except Exception as error:  # of its own kinds
            raise InputError(f"{path.name}: column '{name}' can't be read: {error}.") from None
        try:
            moments = "timestamp" in str(column.type)
            kind = np.dtype("datetime64[ns]") if moments else np.dtype(float)
            found[name] = np.asarray(column.to_numpy()).astype(kind)
        except (ValueError, TypeError) as error:
            raise InputError(f"{path.name}: column '{name}' has no numbers ({error}).") from None
    return found


def _check_column(path: Path, file: Any, name: str) -> None:
    """Refuses, before it is read, what has no numbers, or more than memory takes."""
    from pyarrow import types

    kind = file.schema_arrow.field(name).type
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if not (types.is_primitive(kind) or types.is_decimal(kind)):
        raise InputError(f"{path.name}: column '{name}' has no numbers ({kind}).")
    about = file.metadata
    count = sum(about.row_group(i).num_rows for i in range(about.num_row_groups))
    if count > _MOST:
        raise InputError(
            f"{path.name}: column '{name}' has {count} numbers; at most {_MOST} are read. Part the "
            "file, or keep every tenth row."
        )


def channels_parquet(path: Path) -> dict[str, str]:
    """Names of the columns of numbers beside the time."""
    time, numbers = _time_of(path), ("int", "uint", "float", "double", "bool", "halffloat")
    fields = _opened(path).schema_arrow
    return {f.name: "" for f in fields if str(f.type).startswith(numbers) and f.name != time}


def times_parquet(path: Path, time: FileChannel | None = None) -> np.ndarray:
    """When its rows were measured [ns]."""
    name = _time_of(path) if time is None else time.name
    values = columns_of(path, [name])[name]
    if values.dtype.kind == "M":
        return values.astype(np.int64)
    unit = unit_of(time.unit) if time is not None and time.unit else None
    return nanoseconds(f"{path.name}: the time '{name}'", values * (unit.factor if unit else 1.0))


def read_parquet(path: Path, names: Sequence[str], time: FileChannel | None) -> dict[str, Series]:
    """Columns over the column of time: `time`, or the one that is called so."""
    times, found = times_parquet(path, time), columns_of(path, names)
    return {
        name: series_of(f"{path.name}: column '{name}'", times, values, "")
        for name, values in found.items()
    }


def _time_of(path: Path) -> str:
    names = [field.name for field in _opened(path).schema_arrow]
    for pattern in TIMES:
        for name in names:
            if pattern.match(name):
                return name
    raise InputError(
        f"{path.name}: no column is called time; it has "
        + ", ".join(f"'{name}'" for name in names[:12]) + "."
    )  # fmt: skip


def _opened(path: Path) -> Any:
    open_regular(path, _LARGEST).close()
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError(
            f"{path.name}: Parquet files need pyarrow; install it with `pip install "
            "touchback[parquet]`."
        ) from None
    try:
        file = ParquetFile(path)
        _ = file.schema_arrow  # which is read when it is asked for
        return file
    except Exception as error:  # of its own kinds
        raise InputError(f"{path.name} can't be read as Parquet: {error}.") from None
