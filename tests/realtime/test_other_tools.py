"""Other tools read our recordings: here the `mcap` package, with JSON decoded by its schemas."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap.records import Schema

import touchback as tb
from command import touchback
from touchback.realtime import open_recording
from touchback.recording import Run
from touchback.recording.live_recording import Recorder
from touchback.recording.repair_recording import repair

SECOND = 1_000_000_000


def validator(schema: Schema) -> Any:
    """What checks messages by a JSON schema, which is checked itself."""
    text = json.loads(schema.data)
    kind = jsonschema.validators.validator_for(text)
    kind.check_schema(text)
    return kind(text)


def decoded(path: Path) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """What a tool that knows JSON and its schemas finds: times and messages by topic. Messages of
    other encodings it must leave alone, and none may be called JSON that isn't."""
    found: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    valid: dict[int, Any] = {}
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            if schema is not None and schema.encoding == "jsonschema":
                assert channel.message_encoding == "json"
            if channel.message_encoding == "json":
                content = json.loads(message.data)
                if schema is not None:
                    if schema.id not in valid:
                        valid[schema.id] = validator(schema)
                    valid[schema.id].validate(content)
                found.setdefault(channel.topic, []).append((message.log_time, content))
        counts = reader.get_summary().statistics.channel_message_counts
        assert sum(counts.values()) >= sum(map(len, found.values()))
    return found


@pytest.fixture
def recording(cart: tb.System, tmp_path: Path) -> Path:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live["force"] = 2.0
        live.run(0.02)
        live["mass"] = 3.0
        live.run(0.02)
    return path


def test_every_tick_is_a_message_with_all_columns_and_their_units(
    recording: Path, cart: tb.System
) -> None:
    run, messages = tb.open(recording), decoded(recording)["/ticks"]
    assert len(messages) == 40
    for k, (when, content) in enumerate(messages):
        assert when == int(SECOND * run.time[k])
        assert content.pop("time") == run.time[k]
        assert content == {name: run[name][k] for name in run.names}  # exactly: JSON has the digits
    with recording.open("rb") as file:
        schemas = make_reader(file).get_summary().schemas.values()
    (schema,) = [json.loads(each.data) for each in schemas if each.encoding == "jsonschema"]
    units = {name: each["description"] for name, each in schema["properties"].items()}
    assert units == {"time": "s", **run.units}


def test_messages_are_in_the_order_of_time(recording: Path) -> None:
    with recording.open("rb") as file:
        messages = make_reader(file).iter_messages(log_time_order=False)
        times = [message.log_time for _, _, message in messages]
    assert times == sorted(times)


def test_each_structure_has_a_topic(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    other = tb.Model("other")
    other.joint("swing", tb.Revolute("y"), other.ground, other.body("bob", mass=1.0, com=(1, 0, 0)))
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live.run(0.01)
        live.swap(other)
        live.run(0.01)
    found = decoded(path)
    assert [len(found[topic]) for topic in ("/ticks", "/ticks/1")] == [10, 10]
    assert "swing" in found["/ticks/1"][0][1]


def test_a_saved_run_is_read_as_well_and_what_json_cannot_say_is_left_out(tmp_path: Path) -> None:
    run = Run([0.0, 0.5, 1.0], {"a b": [1.0, np.nan, 0.1], "ü": [-np.inf, 2.0, 1e-300]}, {"ü": "m"})
    run.save(tmp_path / "run.mcap")
    assert decoded(tmp_path / "run.mcap")["/signals"] == [
        (0, {"time": 0.0, "a b": 1.0}),
        (SECOND // 2, {"time": 0.5, "ü": 2.0}),
        (SECOND, {"time": 1.0, "a b": 0.1, "ü": 1e-300}),
    ]


@pytest.mark.parametrize(
    ("rate", "columns", "every"), [(1000, 50, 1), (1000, 51, 2), (10_000, 25, 5)]
)
def test_a_run_of_many_numbers_a_second_has_every_few_ticks_for_others_and_all_bits_for_us(
    rate: float, columns: int, every: int, tmp_path: Path
) -> None:
    names = ["tick", "time", *(f"x{i}" for i in range(columns - 2))]
    ticks = np.arange(1.0, 101.0)
    rows = np.column_stack([ticks, ticks / rate, *[ticks] * (columns - 2)])
    recorder = Recorder(tmp_path / "run.mcap", {"rate": rate}, names)
    for start in range(0, 100, 7):
        recorder.write(rows[start : start + 7])
    recorder.close()
    found = [content["tick"] for _, content in decoded(tmp_path / "run.mcap")["/ticks"]]
    assert found == list(range(every, 101, every))
    with (tmp_path / "run.mcap").open("rb") as file:
        blocks = [m.data for *_, m in make_reader(file).iter_messages(topics=["ticks"])]
    assert b"".join(blocks) == rows.tobytes()


@pytest.fixture
def killed(recording: Path) -> Path:
    """As of a run that was killed while it wrote its last chunk."""
    data = recording.read_bytes()
    recording.write_bytes(data[: data.rindex(np.array([30.0, 0.03]).tobytes())])
    return recording


def test_a_killed_recording_opens_in_them_after_one_command(killed: Path) -> None:
    with pytest.raises(McapError):
        decoded(killed)
    before, bits = open_recording(killed), killed.read_bytes()
    done = touchback("repair", killed)
    assert done.returncode == 0, done.stderr
    repaired = killed.with_name("run-repaired.mcap")
    assert len(decoded(repaired)["/ticks"]) == len(before.rows) == 20
    after = open_recording(repaired)
    assert after.rows.tobytes() == before.rows.tobytes()
    assert after.parameters == before.parameters
    assert not after.complete  # it ends before the run did
    assert tb.replay(repaired).same
    assert killed.read_bytes() == bits


def test_a_whole_recording_needs_no_repair(recording: Path) -> None:
    done = touchback("repair", recording)
    assert done.returncode == 0 and "is whole" in done.stdout
    assert [path.name for path in recording.parent.iterdir()] == [recording.name]


def test_repair_writes_over_nothing_and_takes_nothing_else(killed: Path, tmp_path: Path) -> None:
    with pytest.raises(tb.InputError, match=r"There is a file .* already"):
        repair(killed, killed)
    (tmp_path / "noise.mcap").write_bytes(b"noise")
    with pytest.raises(tb.InputError, match="is no MCAP file"):
        repair(tmp_path / "noise.mcap", tmp_path / "out.mcap")
    assert not (tmp_path / "out.mcap").exists()
