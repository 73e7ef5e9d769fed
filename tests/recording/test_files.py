"""Saved runs read back bit for bit, with all that they say about themselves."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from touchback.errors import InputError
from touchback.recording import Run, open_run

SUFFIXES = [".csv", ".npz", ".mcap"]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1, max_size=12)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    count = draw(st.integers(0, 5))
    column = arrays(np.float64, count, elements=st.floats(allow_nan=False))
    signals = draw(st.dictionaries(TEXT, column, max_size=4))
    units = {name: draw(st.sampled_from(["", "m", "N m"])) for name in signals}
    metadata = draw(st.dictionaries(TEXT, st.none() | TEXT | st.integers() | st.lists(TEXT)))
    return Run(draw(column), signals, units, metadata)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(run=runs())
def test_any_run_reads_back_bit_for_bit(
    run: Run, suffix: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("runs") / f"run{suffix}"
    run.save(path)
    again = open_run(path)
    assert again.names == run.names
    assert again.units == run.units
    assert again.metadata == run.metadata
    assert again.time.tobytes() == run.time.tobytes()
    for name in run.names:
        assert again[name].tobytes() == run[name].tobytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nan_and_infinities_survive(suffix: str, tmp_path: Path) -> None:
    values = [np.nan, np.inf, -np.inf, -0.0, 5e-324]
    Run(range(5), {"a": values}).save(tmp_path / f"r{suffix}")
    np.testing.assert_array_equal(open_run(tmp_path / f"r{suffix}")["a"], values)


def test_numpy_numbers_in_the_metadata_become_plain_ones(tmp_path: Path) -> None:
    metadata = {"steps": np.int64(3), "x": np.array([1.5, np.inf]), "nested": {"a": (1, 2)}}
    Run([0.0], {}, metadata=metadata).save(tmp_path / "r.csv")
    assert open_run(tmp_path / "r.csv").metadata == {
        "steps": 3,
        "x": [1.5, "inf"],
        "nested": {"a": [1, 2]},
    }


def test_metadata_that_is_not_plain_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plain data, but holds .* of type object"):
        Run([0.0], {}, metadata={"x": object()}).save(tmp_path / "r.csv")


def test_an_unknown_suffix_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run\.xlsx: runs are saved as \.csv, \.npz, \.mcap"):
        Run([0.0], {}).save(tmp_path / "run.xlsx")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"no file 'nowhere\.csv'"):
        open_run("nowhere.csv")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_is_not_a_run_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"other{suffix}"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="is not a run saved by Touchback"):
        open_run(path)


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    Run([0.0, 1.0], {"a": [1.0, 2.0]}).save(path)
    path.write_text(path.read_text().replace("1.0,2.0", "1.0,two"))
    with pytest.raises(InputError, match=r"r\.csv, line 4: .*'two'"):
        open_run(path)
    path.write_text(path.read_text().replace("1.0,two", "1.0"))
    with pytest.raises(InputError, match=r"r\.csv, line 4: 1 cells where the header has 2"):
        open_run(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_metadata_of_older_files_have_their_names_of_now(suffix: str, tmp_path: Path) -> None:
    books = {"work": {"motor": 3.0}, "stored": {"kinetic": 2.0}, "dissipated": {}, "impacts": {}}
    old = {"model": "rig", "books": books, "remarks": ["it slipped"], "repeat": "tb.simulate(…)"}
    Run([0.0, 1.0], {"a": [2.0, 3.0]}, metadata=old).save(tmp_path / f"old{suffix}")
    run = open_run(tmp_path / f"old{suffix}")
    assert run.metadata == {
        "model": "rig", "energy_balance": books, "diagnostics": ["it slipped"],
        "repro_call": "tb.simulate(…)",
    }  # fmt: skip
    assert run.energy_balance.residual == 1.0 and "reproduce: tb.simulate(…)" in str(run)


def test_an_archive_of_more_than_4_gib_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """The file has a hole of that size, which takes no room on a disk."""
    with (tmp_path / "large.npz").open("wb") as file:
        file.truncate((4 << 30) + 1)
    with pytest.raises(InputError, match=r"large\.npz has 4294967297 bytes; at most 4294967296"):
        open_run(tmp_path / "large.npz")
