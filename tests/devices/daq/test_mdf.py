"""Measurements in MDF files: played as a board, and runs kept as such files."""

import numpy as np
import pytest
from asammdf import MDF, Signal

import touchback as tb
from ramps import FAST, SLOW, check_ramps, played
from touchback.devices.daq import Daq, FileBoard, save_mdf
from touchback.errors import InputError
from waiting import until


def written(path, *groups, version: str = "4.10") -> str:
    """A file that asammdf writes: channels of a group share their times."""
    with MDF(version=version) as file:
        for times, channels in groups:
            file.append([
                Signal(np.asarray(values), np.asarray(times, float), name=name, **how)
                for name, (values, how) in channels.items()
            ])  # fmt: skip
        found = file.save(path, overwrite=True)
    return str(found)


@pytest.mark.parametrize("version", ["4.10", "3.30"])
def test_groups_of_different_rates_are_played_in_physical_numbers_with_their_own_times(
    tmp_path, version: str
) -> None:
    """As tools for cars write them: raw numbers with a linear conversion, units, one group for each
    raster."""
    counts = np.arange(len(FAST), dtype=np.uint16)
    # 1 count is 0.1 km/h, from −40 km/h on; FAST is 10 ms, so that is 10 km/h a second
    fast = {"VehSpd": (counts + 400, {"conversion": {"a": 0.1, "b": -40.0}, "unit": "km/h"})}
    fast |= {"Pedal": (0.3 * FAST, {"unit": "%"}), "flag": (counts > 30, {})}
    slow = {"Press": (2.0 * SLOW, {"unit": "bar"})}
    path = written(tmp_path / "car.dat", (FAST, fast), (SLOW, slow), version=version)
    blocks = played(path, {"speed": "VehSpd", "pedal": "Pedal", "brake": "Press", "flag": "flag"})
    begin = SLOW[0]  # when all are known
    check_ramps(blocks, begin, speed=10 / 3.6, pedal=0.003, brake=2e5)
    # Everything that was measured from then on, each number for the first time when it is new.
    for name, times in (("speed", FAST[begin < FAST]), ("brake", SLOW)):
        at = np.unique(np.round(begin + blocks[f"{name} at"], 6))
        np.testing.assert_allclose(at[at >= begin], times, atol=1e-6)
    assert set(blocks["flag"]) == {0.0, 1.0}
    assert "pedal behind" not in blocks  # as old as the speed


def test_a_channel_that_several_groups_have_is_named_by_its_group(tmp_path) -> None:
    both = [(FAST, {"speed": (k * FAST, {})}) for k in (1.0, 2.0)]
    path = written(tmp_path / "a.mf4", *both)
    with pytest.raises(InputError, match=r"no channel in a\.mf4 'speed': .*'1/speed' or '0/speed'"):
        FileBoard(path, ["speed"])
    check_ramps(played(path, {"speed": "1/speed"}), 0.0, speed=2.0)


def test_numbers_that_stand_for_words_are_played_as_numbers(tmp_path) -> None:
    gears = {"val_0": 0, "text_0": b"P", "val_1": 1, "text_1": b"D", "default": b"?"}
    gear = {"gear": ((FAST > 0.2).astype(np.uint8), {"conversion": gears})}
    path = written(tmp_path / "a.mf4", (FAST, gear))
    assert list(played(path, ["gear"])["gear"]) == [float(t > 0.2) for t in FAST]


def test_files_that_have_not_what_is_asked_for_are_refused(tmp_path) -> None:
    good = written(tmp_path / "a.mf4", (FAST, {"pressure": (FAST, {})}))
    with pytest.raises(InputError, match=r"no channel in a\.mf4 'presure': .*'pressure'"):
        FileBoard(good, ["presure"])
    with pytest.raises(InputError, match="times of their own; leave out time="):
        FileBoard(good, ["pressure"], time="pressure")
    (tmp_path / "d.mf4").write_bytes(b"MDF    no measurement")
    with pytest.raises(InputError, match=r"d\.mf4 can't be read as MDF"):
        FileBoard(tmp_path / "d.mf4", ["pressure"])
    with pytest.raises(InputError, match="There is no file"):
        FileBoard(tmp_path / "e.mf4", ["pressure"])


@pytest.mark.parametrize(
    ("times", "wrong"),
    [
        (np.where(np.arange(20) == 7, np.nan, np.arange(20)), "sample 7 at nan s"),
        (np.where(np.arange(20) == 7, 5.5, np.arange(20)), "sample 7 at 5.5 s, not after"),
        (1000.0 + np.arange(20), "'angle' ends at 19 s, before 'pressure' begins at 1000 s"),
        (1e12 * np.arange(20), "sample 1 at 1e\\+12 s"),
    ],
)
def test_times_that_would_be_wrong_are_refused(tmp_path, times, wrong: str) -> None:
    """Times that aren't or go back, channels that never meet, and ages of the world."""
    other = (np.arange(20), {"angle": (np.arange(20), {})})
    path = written(tmp_path / "a.mf4", (times, {"pressure": (np.arange(20), {})}), other)
    with pytest.raises(InputError, match=wrong):
        FileBoard(path, ["pressure", "angle"])


def test_a_run_is_kept_with_its_units_and_read_by_others_and_played_again(tmp_path) -> None:
    run = tb.Run(FAST, {"speed": 36.0 * FAST, "count": np.sqrt(FAST)}, {"speed": "km/h"})
    save_mdf(run, tmp_path / "run.mf4")
    with MDF(tmp_path / "run.mf4") as file:  # by their own reader
        speed = file.get("speed")
        assert file.version.startswith("4.")
    assert speed.unit == "km/h"
    np.testing.assert_allclose(speed.samples, run["speed"])
    np.testing.assert_allclose(speed.timestamps, FAST)
    with FileBoard(tmp_path / "run.mf4", ["speed", "count"], speed=1e4) as board, Daq(board) as daq:
        until(lambda: not daq.running)
        np.testing.assert_array_equal(daq.blocks()["count"], run["count"])


@pytest.mark.parametrize(("name", "wrong"), [("no/a.mf4", "no folder"), ("a.csv", "ends in .mf4")])
def test_a_run_is_kept_where_it_was_asked_for_or_refused(tmp_path, name: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        save_mdf(tb.Run(np.arange(3.0), {"a": np.arange(3.0)}), tmp_path / name)
    assert not list(tmp_path.iterdir())
