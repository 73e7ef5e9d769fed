"""Of a file that isn't there nobody asks to install a library first."""

import sys
from collections.abc import Callable

import pytest

import touchback as tb
from touchback.devices.daq.can_board import read_dbc
from touchback.errors import TouchbackError


@pytest.mark.parametrize(
    ("read", "file", "library"),
    [
        (tb.read, "a.usda", "pxr"),
        (tb.read, "a.usd", "pxr"),
        (tb.read_usd, "a.usdc", "pxr"),
        (tb.open, "a.parquet", "pyarrow.parquet"),
        (tb.open, "a.mf4", "asammdf"),
        (tb.Fmu, "a.fmu", "fmpy"),
        (read_dbc, "a.dbc", "cantools"),
    ],
)
def test_a_missing_file_is_told_before_the_library_that_would_read_it(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], object], file: str, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(TouchbackError, match=f"There is no file '{file}'"):
        read(file)
