"""Measurements in MDF4 files as blocks of a board."""

import numpy as np
import pytest
from asammdf import MDF, Signal

import touchback as tb
from touchback.devices.daq import (
    BlockChannel,
    BlockLayout,
    Daq,
    PlayedBoard,
    blocks_of_mdf,
    run_of_blocks,
    save_mdf,
)
from touchback.errors import InputError
from waiting import until

MIXED = BlockLayout(
    1e-2, [BlockChannel("pressure", "int32"), BlockChannel("angle", "float64", samples=5)]
)


def written(path, **channels) -> str:
    """A file that asammdf writes: each channel in a group of its own, with its own times."""
    with MDF(version="4.10") as file:
        for name, (times, values) in channels.items():
            file.append([Signal(np.asarray(values), np.asarray(times, float), name=name)])
        file.save(path, overwrite=True)
    return str(path)


def test_channels_of_different_rates_become_blocks_of_what_was_newest(tmp_path) -> None:
    slow, fast = 0.013 + 1e-2 * np.arange(40), 2e-3 * np.arange(300)
    path = written(
        tmp_path / "car.mf4", pressure=(slow, np.arange(40)), angle=(fast, np.sin(9.0 * fast))
    )
    blocks = blocks_of_mdf(MIXED, path)
    np.testing.assert_array_equal(blocks["pressure"], np.arange(40))  # from the first that all have
    instants = 0.013 + 1e-2 * np.arange(40)[:, None] + 2e-3 * np.arange(5)
    newest = np.floor(instants / 2e-3 + 1e-6) * 2e-3
    np.testing.assert_allclose(blocks["angle"], np.sin(9.0 * newest), atol=1e-12)


def test_what_was_drained_goes_into_a_file_and_is_played_again(tmp_path) -> None:
    layout = BlockLayout(1e-3, [BlockChannel("count", "int32"), BlockChannel("value", "float64")])
    made = np.zeros(30, dtype=layout.dtype)
    made["count"], made["value"] = np.arange(30), np.sqrt(np.arange(30))
    with PlayedBoard(layout, made) as board, Daq(board) as daq:
        until(lambda: not daq.running)
        run = run_of_blocks(layout, daq.blocks())
    save_mdf(run, tmp_path / "kept.mf4")
    again = blocks_of_mdf(layout, tmp_path / "kept.mf4")
    assert again.tobytes() == made.tobytes()
    with MDF(tmp_path / "kept.mf4") as file:  # by their own reader
        assert file.version.startswith("4.")
        assert file.get("arrival").unit == "s"


def test_files_that_have_not_what_is_asked_for_are_refused(tmp_path) -> None:
    t = 1e-2 * np.arange(20)
    good = written(tmp_path / "a.mf4", pressure=(t, np.arange(20)))
    with pytest.raises(InputError, match="pressure"):
        blocks_of_mdf(BlockLayout(1e-2, [BlockChannel("presure", "int32")]), good)
    one = BlockLayout(1e-2, [BlockChannel("pressure", "uint8")])
    wide = written(tmp_path / "b.mf4", pressure=(t, 20 * np.arange(20)))
    with pytest.raises(InputError, match="uint8, but the file has 0 to 380"):
        blocks_of_mdf(one, wide)
    holes = written(tmp_path / "c.mf4", pressure=(np.delete(t, range(5, 12)), np.arange(13)))
    with pytest.raises(InputError, match=r"nothing from 0\.04 to 0\.12 s"):
        blocks_of_mdf(one, holes)
    (tmp_path / "d.mf4").write_bytes(b"not a measurement")
    with pytest.raises(InputError, match="can't be read as MDF"):
        blocks_of_mdf(one, tmp_path / "d.mf4")
    with pytest.raises(InputError, match="There is no file"):
        blocks_of_mdf(one, tmp_path / "e.mf4")
    with MDF(version="4.10") as file:
        for _ in range(2):
            file.append([Signal(np.arange(20), t, name="pressure")])
        file.save(tmp_path / "f.mf4")
    with pytest.raises(InputError, match="2 channels 'pressure'"):
        blocks_of_mdf(one, tmp_path / "f.mf4")


def test_a_run_of_the_simulator_can_be_read_by_others(tmp_path) -> None:
    run = tb.Run([0.0, 0.1], {"speed": [1.0, 2.0]}, {"speed": "m/s"})
    save_mdf(run, tmp_path / "run.mf4")
    with MDF(tmp_path / "run.mf4") as file:
        speed = file.get("speed")
    assert speed.unit == "m/s" and list(speed.samples) == [1.0, 2.0]
    np.testing.assert_allclose(speed.timestamps, [0.0, 0.1])


@pytest.mark.parametrize(
    ("times", "values", "wrong"),
    [
        (np.arange(20), 0.7 + np.arange(20), "int32, but the file has 0.7 there"),
        (np.where(np.arange(20) == 7, np.nan, np.arange(20)), np.arange(20), "sample 7 at nan s"),
        (np.where(np.arange(20) == 7, 5.5, np.arange(20)), np.arange(20), "sample 7 at 5.5 s"),
        (1000.0 + np.arange(20), np.arange(20), "from 1000 to 19 s"),
        (np.array([0.0, 1e12]), np.array([0, 1]), "1000000000001 blocks"),
    ],
)
def test_numbers_and_times_that_would_be_wrong_in_blocks_are_refused(
    tmp_path, times, values, wrong: str
) -> None:
    """Parts of whole numbers, times that aren't or go back, channels that never meet, endless."""
    other = times if len(times) == 2 else np.arange(20.0)
    path = written(
        tmp_path / "a.mf4", pressure=(times, values), angle=(other, np.arange(len(other)))
    )
    layout = BlockLayout(1.0, [BlockChannel(name, "int32") for name in ("pressure", "angle")])
    with pytest.raises(InputError, match=wrong):
        blocks_of_mdf(layout, path)


@pytest.mark.parametrize(("name", "wrong"), [("no/a.mf4", "no folder"), ("a.csv", "ends in .mf4")])
def test_a_run_is_kept_where_it_was_asked_for_or_refused(tmp_path, name: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        save_mdf(tb.Run(np.arange(3.0), {"a": np.arange(3.0)}), tmp_path / name)
    assert not list(tmp_path.iterdir())
