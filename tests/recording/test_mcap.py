"""Runs in MCAP files: other programs can read them, and damage or another kind is noticed."""

from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import Writer

import touchback as tb
from touchback.realtime import open_recording
from touchback.recording import Run
from touchback.recording.live_recording_metadata import change_of
from touchback.recording.mcap_writer import TableWriter


def small() -> Run:
    signals = {"a": [1.0, -0.0, 3.0], "time": [4.0, np.nan, 6.0]}  # a name that the table has too
    return Run([-0.5, 0.0, 1.5], signals, {"a": "m"}, {"model": "small", "events": []})


def same(a: Run, b: Run) -> bool:
    tables = [[run.time.tobytes(), *(run[name].tobytes() for name in run)] for run in (a, b)]
    return tables[0] == tables[1] and (a.units, a.metadata) == (b.units, b.metadata)


def test_a_simulated_run_comes_back_with_events_books_and_how_to_repeat_it(tmp_path: Path) -> None:
    ball = tb.Model("bouncing ball")
    ball.joint("height", tb.Prismatic("z"), ball.ground, ball.body("ball", mass=0.1), position=1.0)
    floor = tb.Event("floor", ball.coordinate("height"), restart=lambda t, x: [0.0, -0.8 * x[1]])
    run = tb.simulate(ball.compile(), duration=1.5, events=[floor], energy_balance=True)
    assert len(run.events) == 2
    run.save(tmp_path / "ball.mcap")
    again = tb.open(tmp_path / "ball.mcap")
    assert same(again, run)
    assert again.events == run.events
    assert again.energy_balance == run.energy_balance
    assert str(again) == str(run)


def test_changes_of_mode_come_back(tmp_path: Path) -> None:
    change = {"time": 0.5, "source": "open", "target": "closed", "cause": "meet", "energy": -0.1}
    run = Run([0.0, 1.0], {}, metadata={"transitions": [change]})
    run.save(tmp_path / "run.mcap")
    assert tb.open(tmp_path / "run.mcap").transitions == run.transitions


def test_a_long_run_is_many_messages_in_the_order_of_time_that_any_reader_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "touchback.recording.mcap_run_file._MESSAGE", 1 << 16
    )  # as if it were longer
    time = np.linspace(0.0, 10.0, 12_501)
    run = Run(time, {"wave": np.sin(time), "line": time})
    run.save(tmp_path / "long.mcap")
    assert same(tb.open(tmp_path / "long.mcap"), run)
    with (tmp_path / "long.mcap").open("rb") as file:
        messages = [
            (channel.topic, message.log_time, np.frombuffer(message.data, "<f8").reshape(-1, 3))
            for _, channel, message in make_reader(file).iter_messages(topics=["signals"])
        ]
    assert len(messages) == 5
    for topic, log_time, rows in messages:
        assert topic == "signals"
        assert log_time == int(1e9 * rows[0, 0])
    assert np.array_equal(np.concatenate([rows for *_, rows in messages])[:, 1], run["wave"])


def test_rows_share_messages_of_about_a_megabyte(tmp_path: Path) -> None:
    """Of 24 bytes each: 43690 fit into 2^20 bytes."""
    for count, messages in ((1, 1), (1000, 1), (43_690, 1), (43_691, 2)):
        time = np.arange(float(count))
        Run(time, {"a": time, "b": time}).save(tmp_path / "run.mcap")
        with (tmp_path / "run.mcap").open("rb") as file:
            found = list(make_reader(file).iter_messages(topics=["signals"]))
        assert len(found) == messages
        assert sum(len(each.data) for *_, each in found) == 24 * count


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b'{"version": "x", "tick": 0, "values": []}', b"\xff"]
)
def test_a_change_of_parameters_that_is_damaged_is_refused_by_its_place(text: bytes) -> None:
    with pytest.raises(tb.InputError, match=r"r\.mcap: change 2 of parameters is damaged: \S"):
        change_of(text, "r.mcap: change 2 of parameters")


def test_a_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.mcap"
    small().save(path)
    data = path.read_bytes()
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        with pytest.raises(tb.InputError, match=r"cut\.mcap is .*cut short"):
            tb.open(path)


def test_a_flipped_bit_is_noticed_or_harmless(tmp_path: Path) -> None:
    path = tmp_path / "flipped.mcap"
    run = small()
    run.save(path)
    data = path.read_bytes()
    refused = 0
    for place in range(0, len(data), 3):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        try:
            assert same(tb.open(path), run)
        except tb.InputError:
            refused += 1
    assert refused > len(data) / 3 * 0.6  # the rest repeats for other readers what the data say


def test_a_file_of_which_the_end_of_the_data_is_overwritten_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "endless.mcap"
    small().save(path)
    data = path.read_bytes()
    end = data.index(b"\x0f\x04\x00\x00\x00\x00\x00\x00\x00")  # its record and length
    path.write_bytes(data[:end] + b"\x7f" + data[end + 1 :])
    with pytest.raises(tb.InputError, match="cut short or damaged"):
        tb.open(path)


def test_other_mcap_files_are_refused_by_their_maker(tmp_path: Path) -> None:
    with (tmp_path / "bag.mcap").open("wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2", library="rosbag2")
        writer.finish()
    with pytest.raises(tb.InputError, match=r"not a run saved by Touchback, .* no messages"):
        tb.open(tmp_path / "bag.mcap")
    with pytest.raises(tb.InputError, match="profile 'ros2' by 'rosbag2', not one by Touchback"):
        open_recording(tmp_path / "bag.mcap")
    TableWriter(tmp_path / "ours.mcap", "touchback something", "{}").close()
    with pytest.raises(tb.InputError, match="not a run saved by Touchback, nor a recording"):
        tb.open(tmp_path / "ours.mcap")


def test_a_run_of_a_later_version_asks_for_an_upgrade(tmp_path: Path) -> None:
    about = '{"format": "touchback run", "version": 2}'
    TableWriter(tmp_path / "later.mcap", "touchback run", about).close()
    with pytest.raises(tb.InputError, match="has version 2, but this Touchback reads 1"):
        tb.open(tmp_path / "later.mcap")


def test_a_saved_run_is_no_recording_to_replay(tmp_path: Path) -> None:
    small().save(tmp_path / "run.mcap")
    with pytest.raises(tb.InputError, match="not a recording of a live run"):
        tb.replay(tmp_path / "run.mcap")
