"""What other programs measured opens as a run, each channel when it is asked for."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from asammdf import MDF, Signal
from mcap.writer import Writer
from mcap_ros2.writer import Writer as Ros2Writer

import touchback as tb
from touchback.recording.measured import mcap_series, parquet_series
from touchback.recording.measured.parquet_series import columns_of

TIMES = np.arange(100) / 100.0
SPEED = 3.0 + np.sin(TIMES)


def test_a_loggers_table_has_its_columns_and_units(tmp_path: Path) -> None:
    path = tmp_path / "drive.csv"
    lines = [f"{t:.2f};{3.6 * v:.6f};{w}" for t, v, w in zip(TIMES, SPEED, "ab" * 50)]
    path.write_text("\n".join(["time [s];speed [km/h];gear", *lines]) + "\n")
    run = tb.open(path)
    assert run.names == ["speed", "gear"]
    assert run.units["speed"] == "km/h"
    assert run.time == pytest.approx(TIMES, abs=1e-9)
    assert run["speed"] == pytest.approx(3.6 * SPEED, abs=1e-6)
    with pytest.raises(tb.InputError, match="column 'gear' has 'a', which is no number"):
        run["gear"]  # nobody had asked for it before


@pytest.mark.parametrize("place", [1, 6])
@pytest.mark.parametrize("moment", ["0.{}", "2026-05-01T12:00:0{}"])
def test_a_moment_that_can_not_be_read_is_told_by_its_sample(
    tmp_path: Path, moment: str, place: int
) -> None:
    cells = [moment.format(k) for k in range(8)]
    cells[place] = "soon"
    text = "".join(f"{cell};{k}.5;1.0\n" for k, cell in enumerate(cells))
    (tmp_path / "log.csv").write_text("time;speed [m/s];gear\n" + text)
    with pytest.raises(tb.InputError, match=f"time' has 'soon' at sample {place}; numbers are"):
        assert len(tb.open(tmp_path / "log.csv").time)


def test_a_table_of_pandas_has_its_columns(tmp_path: Path) -> None:
    holes = np.where(np.arange(100) % 10 == 5, np.nan, SPEED)
    table = pa.table({"t": TIMES, "speed": SPEED, "name": ["x"] * 100, "holes": holes})
    pq.write_table(table, tmp_path / "drive.parquet", compression="snappy")
    run = tb.open(tmp_path / "drive.parquet")
    assert run.names == ["speed", "holes"]
    assert np.array_equal(run["speed"], SPEED)
    assert run["holes"][15] == SPEED[14]  # the newest


def test_damaged_tables_are_refused_with_their_names(tmp_path: Path) -> None:
    tb.Run(TIMES, {"speed": SPEED}, {"speed": "m/s"}).save(tmp_path / "run.parquet")
    whole = (tmp_path / "run.parquet").read_bytes()
    files = {
        "page.parquet": whole[:4] + b"\x0f" * 20 + whole[24:],  # what tells of the first page
        "about.parquet": whole.replace(b"speed", b"sp\x84ed"),
        "wide.csv": b"t," + b",".join([b"a"] * 100_000) + b"\n0" + b",1" * 100_000,
    }
    for name, damaged in files.items():
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(tb.InputError, match=name):
            assert len(tb.open(tmp_path / name).time)


def test_a_table_that_would_unfold_to_more_than_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of equal numbers, and texts that stand once, take next to nothing in a file."""
    monkeypatch.setattr(parquet_series, "_MOST", 100_000)
    pq.write_table(pa.table({"t": np.zeros(100_001)}), tmp_path / "long.parquet")
    with pytest.raises(tb.InputError, match="'t' has 100001 numbers; at most 100000"):
        columns_of(tmp_path / "long.parquet", ["t"])
    texts = pa.table({"t": pa.array(["x" * 1000] * 1000)})
    pq.write_table(texts, tmp_path / "wide.parquet")
    with pytest.raises(tb.InputError, match=r"column 't' has no numbers \(string\)"):
        columns_of(tmp_path / "wide.parquet", ["t"])


@pytest.mark.parametrize(
    ("block", "place", "wrong", "told"),
    [
        (b"##CG", 80, b"\xff" * 6, "group 0 claims 281474976710655 rows of 16 bytes"),
        (b"##CG", 96, b"\xff" * 4, "group 0 claims 100 rows of 4294967295 bytes"),
        (b"##CN", 92, b"\xff\xff", "lies beyond the rows of group 0, of 16 bytes"),
        (b"##DZ", 60, bytes(20), "is damaged: "),
    ],
    ids=["rows", "length", "channel", "packed"],
)
def test_mdf_that_claims_what_it_has_not_is_refused(
    tmp_path: Path, block: bytes, place: int, wrong: bytes, told: str
) -> None:
    """By offsets of ASAM MDF 4.1: asammdf makes room for what is claimed, and its C code reads
    channels beyond their rows."""
    path = tmp_path / "drive.mf4"
    with MDF(version="4.10") as file:
        file.append([Signal(SPEED, TIMES, name="speed")])
        file.save(path, compression=2)
    content = bytearray(path.read_bytes())
    at = content.rindex(block) + place
    content[at : at + len(wrong)] = wrong
    path.write_bytes(content)
    with pytest.raises(tb.InputError, match=told):
        tb.open(path)


MDF_VERSIONS = pytest.mark.parametrize(
    ("version", "block", "link"), [("4.10", b"##CG", 24), ("3.30", b"CG", 4)]
)


@MDF_VERSIONS
def test_mdf_whose_blocks_lead_in_a_circle_is_refused(
    tmp_path: Path, version: str, block: bytes, link: int
) -> None:
    """A group that is the next of itself: asammdf would count groups for ever."""
    path = tmp_path / ("drive.mf4" if version == "4.10" else "drive.mdf")
    with MDF(version=version) as file:
        file.append([Signal(SPEED, TIMES, name="speed")])
        file.save(path)
    assert np.array_equal(tb.open(path)["speed"], SPEED)
    content = bytearray(path.read_bytes())
    at = content.rindex(block)
    content[at + link : at + link + 4] = at.to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(tb.InputError, match="its blocks lead in a circle"):
        tb.open(path)


@pytest.mark.parametrize("far", [1 << 40, (1 << 64) - 1])
def test_mdf_that_leads_beyond_any_file_is_refused(tmp_path: Path, far: int) -> None:
    path = tmp_path / "drive.mf4"
    with MDF(version="4.10") as file:
        file.append([Signal(SPEED, TIMES, name="speed")])
        file.save(path)
    content = bytearray(path.read_bytes())
    at = content.rindex(b"##CG") + 24  # the next group
    content[at : at + 8] = far.to_bytes(8, "little")
    path.write_bytes(content)
    with pytest.raises(tb.InputError, match=r"drive\.mf4"):
        tb.open(path)


@MDF_VERSIONS
def test_mdf_whose_groups_have_no_names_is_refused(
    tmp_path: Path, version: str, block: bytes, link: int
) -> None:
    """asammdf follows links without a look at names: in a circle of such blocks for ever."""
    path = tmp_path / "drive.mf4"
    with MDF(version=version) as file:
        file.append([Signal(SPEED, TIMES, name="speed")])
        path = file.save(path)
    content = bytearray(path.read_bytes())
    at = content.rindex(block)
    content[at : at + len(block)] = b"X" * len(block)
    content[at + link : at + link + 4] = at.to_bytes(4, "little")  # the next of itself
    path.write_bytes(content)
    with pytest.raises(tb.InputError, match=f"a link to a {block.decode()} leads elsewhere"):
        tb.open(path)


def test_mdf_whose_first_block_is_another_version_s_is_refused(tmp_path: Path) -> None:
    """asammdf counts groups by the first block and reads them by the version."""
    path = tmp_path / "drive.mf4"
    with MDF(version="4.10") as file:
        file.append([Signal(SPEED, TIMES, name="speed")])
        file.save(path)
    content = bytearray(path.read_bytes())
    content[8:12] = b"3.30"
    path.write_bytes(content)
    with pytest.raises(tb.InputError, match="its first block is not that of its version"):
        tb.open(path)


def test_rasters_of_mdf_meet_at_the_instants_of_the_fastest(tmp_path: Path) -> None:
    slow = TIMES[::10]
    with MDF(version="4.10") as file:
        file.append([Signal(SPEED, TIMES, name="speed", unit="m/s")])
        file.append([Signal(slow**2, slow + 0.001, name="heat", unit="degC")])
        file.save(tmp_path / "drive.mf4")
    run = tb.open(tmp_path / "drive.mf4")
    assert run.units == {"speed": "m/s", "heat": "degC"}
    assert np.array_equal(run["speed"], SPEED)
    assert np.isnan(run["heat"][0])  # not measured yet
    assert np.array_equal(run["heat"][1:], np.repeat(slow**2, 10)[:-1])


def test_a_run_as_mdf_is_read_back_with_its_units(tmp_path: Path) -> None:
    tb.Run(TIMES, {"speed": SPEED}, {"speed": "m/s"}).save(tmp_path / "run.mf4")
    again = tb.open(tmp_path / "run.mf4")
    assert again.time == pytest.approx(TIMES, abs=1e-9)
    assert (np.array_equal(again["speed"], SPEED), again.units["speed"]) == (True, "m/s")


def test_topics_of_other_makers_are_signals_of_their_fields(tmp_path: Path) -> None:
    with (tmp_path / "log.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        schema = writer.register_schema("car", "jsonschema", b"{}")
        channel = writer.register_channel("/car", "json", schema)
        for t, v in zip(TIMES, SPEED):
            data = json.dumps({"speed": v, "gear": 2}).encode()
            writer.add_message(channel, round(1e9 * (5 + t)), data, round(1e9 * (5 + t)))
        writer.finish()
    run = tb.open(tmp_path / "log.mcap")
    assert run.names == ["/car.speed", "/car.gear"]
    assert np.array_equal(run["/car.speed"], SPEED)
    assert (run.time[0], run.metadata["began"]) == (0.0, 5_000_000_000)


def log_of(path: Path, topics: dict[str, tuple[str, list[bytes]]]) -> None:
    """Topics with the encoding of their messages, one each 10 ms."""
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        for topic, (encoding, messages) in topics.items():
            schema = writer.register_schema(topic, "jsonschema", b"{}")
            channel = writer.register_channel(topic, encoding, schema)
            for k, data in enumerate(messages):
                writer.add_message(channel, 10_000_000 * k, data, 10_000_000 * k)
        writer.finish()


def test_members_of_lists_are_signals_by_their_numbers(tmp_path: Path) -> None:
    rows = [json.dumps({"wheels": [{"v": k}, {"v": 2 * k}], "q": [k, -k]}) for k in range(5)]
    log_of(tmp_path / "log.mcap", {"/car": ("json", [each.encode() for each in rows])})
    run = tb.open(tmp_path / "log.mcap")
    assert run.names == ["/car.wheels.0.v", "/car.wheels.1.v", "/car.q.0", "/car.q.1"]
    assert run["/car.wheels.1.v"].tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert run["/car.q.1"].tolist() == [0.0, -1.0, -2.0, -3.0, -4.0]


def test_messages_without_a_field_are_no_samples_of_it(tmp_path: Path) -> None:
    """A field that comes with every second message keeps its value in between."""
    rows = [{"speed": k} if k % 2 else {"speed": k, "gear": 10 + k} for k in range(6)]
    log_of(tmp_path / "log.mcap", {"/car": ("json", [json.dumps(each).encode() for each in rows])})
    run = tb.open(tmp_path / "log.mcap")
    assert run["/car.speed"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert run["/car.gear"].tolist() == [10.0, 10.0, 12.0, 12.0, 14.0, 14.0]


def test_topics_that_nobody_reads_are_in_the_way_of_those_alone_who_ask_for_them(
    tmp_path: Path,
) -> None:
    speeds = [json.dumps({"speed": k}).encode() for k in range(3)]
    log_of(tmp_path / "log.mcap", {"/odd": ("msgpack", [b"?"] * 3), "/car": ("json", speeds)})
    assert tb.open(tmp_path / "log.mcap")["/car.speed"].tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(tb.InputError, match=r"of '/odd' are 'msgpack'.*JSON, ROS 2"):
        mcap_series.read_mcap(tmp_path / "log.mcap", ["/odd.speed"], None)


def test_a_bag_of_ros_2_opens_by_the_fields_of_its_messages(tmp_path: Path) -> None:
    with (tmp_path / "bag.mcap").open("wb") as stream:
        writer = Ros2Writer(stream)
        schema = writer.register_msgdef(
            "geometry_msgs/msg/Vector3", "float64 x\nfloat64 y\nfloat64 z"
        )
        for t, v in zip(TIMES, SPEED):
            now = round(1e9 * t)
            writer.write_message("/force", schema, {"x": v, "y": 0.0, "z": -v}, now, now)
        writer.finish()
    run = tb.open(tmp_path / "bag.mcap")
    assert np.array_equal(run["/force.z"], -SPEED)
    run.save(tmp_path / "kept.mcap")  # as any other
    assert np.array_equal(tb.open(tmp_path / "kept.mcap")["/force.x"], SPEED)


def test_what_nobody_can_read_is_refused(tmp_path: Path) -> None:
    for name, content, words in (
        ("a.txt", b"hello", "no table of numbers"),
        ("a.mf4", b"MDF     rubbish", "as MDF"),
        ("b.mf4", b"rubbish", "as MDF"),
        ("a.parquet", b"PAR1", "Parquet"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(tb.InputError, match=f"(?s){name}.*{words}"):
            tb.open(tmp_path / name)
    with pytest.raises(tb.InputError, match="no file"):
        tb.open(tmp_path / "none.mf4")
