"""Runs as Parquet hold the numbers bit for bit, whoever reads them."""

import json
from pathlib import Path

import numpy as np
import pytest

from parquet_reader import read_parquet
from touchback.recording import Run, open_run, parquet_run_file


def sample(count: int, signals: int = 3) -> Run:
    numbers = np.random.default_rng(1).standard_normal((signals, count))
    names = ["hand.x", "Kraft – N", "slide rate", *(f"s{k}" for k in range(signals - 3))]
    return Run(np.arange(count) / 500, dict(zip(names, numbers)), {"hand.x": "m"}, {"model": "arm"})


@pytest.mark.parametrize("count", [0, 1, 1000])
@pytest.mark.parametrize("signals", [3, 40])  # lists of more than 14 are told otherwise
def test_a_reader_by_the_letter_finds_every_bit(count: int, signals: int, tmp_path: Path) -> None:
    run = sample(count, signals)
    run.save(tmp_path / "run.parquet")
    columns, texts = read_parquet(tmp_path / "run.parquet")
    assert list(columns) == ["time", *run.names]
    assert columns["time"].tobytes() == run.time.tobytes()
    for name in run.names:
        assert columns[name].tobytes() == run[name].tobytes()
    about = json.loads(texts["touchback"])
    assert about["units"]["hand.x"] == "m" and about["metadata"] == {"model": "arm"}


def test_long_runs_are_groups_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_run_file, "_ROWS", 64)
    run = sample(1000)
    run.save(tmp_path / "run.parquet")
    columns, _ = read_parquet(tmp_path / "run.parquet")
    for name in run.names:
        assert columns[name].tobytes() == run[name].tobytes()


@pytest.mark.parametrize("library", ["pyarrow.parquet", "fastparquet"])
def test_other_libraries_find_every_bit(library: str, tmp_path: Path) -> None:
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    run = sample(1000, 20)
    run.save(tmp_path / "run.parquet")
    if library == "fastparquet":
        table = module.ParquetFile(str(tmp_path / "run.parquet")).to_pandas()
        columns = {name: table[name].to_numpy() for name in table.columns}
    else:
        table = module.read_table(tmp_path / "run.parquet")
        columns = {name: table.column(name).to_numpy() for name in table.column_names}
    assert list(columns) == ["time", *run.names]
    for name in run.names:
        assert columns[name].tobytes() == run[name].tobytes()


def test_a_signal_called_time_keeps_its_name(tmp_path: Path) -> None:
    Run([0.0, 0.5], {"time": [3.0, 4.0]}).save(tmp_path / "run.parquet")
    columns, _ = read_parquet(tmp_path / "run.parquet")
    assert columns["time"].tolist() == [3.0, 4.0] and columns["time [s]"].tolist() == [0.0, 0.5]


def test_a_run_opens_as_it_was(tmp_path: Path) -> None:
    run = sample(300)
    run.save(tmp_path / "run.parquet")
    again = open_run(tmp_path / "run.parquet")
    assert again.time.tobytes() == run.time.tobytes()
    assert all(again[name].tobytes() == run[name].tobytes() for name in run.names)
    assert (again.names, again.units, again.metadata) == (run.names, run.units, run.metadata)
