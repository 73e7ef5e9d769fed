"""MCAP files of other programs: messages in JSON, of ROS 2 and of protobuf, each written by its own
library, played as a board."""

import json
import math

import numpy as np
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import DoubleValue
from mcap.writer import CompressionType, Writer
from mcap_protobuf.writer import Writer as ProtobufWriter
from mcap_ros2.writer import Writer as RosWriter

from ramps import FAST, SLOW, check_ramps, played
from touchback.devices.daq import FileBoard, FileChannel
from touchback.errors import InputError

START = 1_777_636_800_000_000_000  # ns: 1 May 2026, 12:00 UTC
LATE = 7_000_000  # ns from a measurement to its message
IMU = """std_msgs/Header header
float64[3] rate
Pair[] wheels
string note
bool ok
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: car/Pair
float32 left
int16 right
"""


def moments(times: np.ndarray) -> list[int]:
    return [START + round(1e9 * t) for t in times]


def of_json(path, compression=CompressionType.ZSTD) -> str:
    """As Foxglove's tools write it; topics in chunks of their own, whatever their times."""
    with path.open("wb") as stream:
        writer = Writer(stream, compression=compression, chunk_size=1000)
        writer.start(profile="", library="another")
        schema = writer.register_schema("pedals", "jsonschema", b'{"type": "object"}')
        pedals = writer.register_channel("/pedals", "json", schema)
        wheel = writer.register_channel("/wheel.left", "json", 0)
        for ns, t in zip(moments(FAST), FAST):
            text = {"throttle": {"pos": 2.0 * t}, "on": bool(t > 0.1), "note": "x"}
            text |= {"rest": None} if t < 0.3 else {"rest": [1, t]}
            writer.add_message(pedals, ns + LATE, json.dumps(text).encode(), ns)
        for ns, t in zip(moments(SLOW), SLOW):
            stamp = {"sec": ns // 10**9, "nsec": ns % 10**9}
            text = {"timestamp": stamp, "angle": 90.0 * t}
            writer.add_message(wheel, ns + LATE, json.dumps(text).encode(), ns + LATE)
        writer.finish()
    return str(path)


def test_json_of_several_topics_is_played_by_when_it_was_measured(tmp_path) -> None:
    channels = {
        "throttle": "/pedals.throttle.pos", "rest": "/pedals.rest.1",
        "angle": FileChannel("/wheel.left.angle", unit="deg"), "on": "/pedals.on",
    }  # fmt: skip
    blocks = played(of_json(tmp_path / "log.mcap"), channels)
    # All are known from 0.3 s on, the first at which the list is there.
    check_ramps(blocks, 0.3, throttle=2.0, angle=math.pi / 2, rest=1.0)
    at = np.unique(np.round(0.3 + blocks["angle at"], 6))
    np.testing.assert_allclose(at[1:], SLOW[SLOW > 0.3], atol=1e-6)
    assert blocks["on"].all()


def test_messages_of_ros_2_are_played_by_their_stamps(tmp_path) -> None:
    path = tmp_path / "log.mcap"
    with path.open("wb") as stream:
        writer = RosWriter(stream)
        schema = writer.register_msgdef("car/msg/Imu", IMU)
        for ns, t in zip(moments(FAST), FAST):
            message = {
                "header": {"stamp": {"sec": ns // 10**9, "nanosec": ns % 10**9}, "frame_id": "a"},
                "rate": [0.0, t, -2.0 * t], "note": "x" * round(100 * t), "ok": True,
                "wheels": [{"left": 0.0, "right": 5}, {"left": 0.5, "right": round(100 * t)}],
            }  # fmt: skip
            writer.write_message("/imu", schema, message, ns + LATE, ns + LATE)
        writer.finish()
    blocks = played(path, {"yaw": "/imu.rate.2", "wheel": "/imu.wheels.1.right", "ok": "/imu.ok"})
    check_ramps(blocks, 0.0, yaw=-2.0, wheel=100.0)
    assert blocks["ok"].all()
    with pytest.raises(InputError, match=r"'/imu\.rates\.1': did you mean '/imu\.rate\.1'"):
        FileBoard(path, ["/imu.rates.1"])
    with pytest.raises(InputError, match=r"not contain '/'.* channels=.*: '/imu\.ok'}"):
        FileBoard(path, ["/imu.ok"])
    with pytest.raises(InputError, match=r"'/imu\.note' has '.*', which is no number"):
        FileBoard(path, ["/imu.note"])


def test_messages_of_protobuf_are_played_and_a_field_can_be_their_time(tmp_path) -> None:
    path = tmp_path / "log.mcap"
    with path.open("wb") as stream, ProtobufWriter(stream) as writer:
        for ns, t in zip(moments(FAST), FAST):
            writer.write_message("/speed", DoubleValue(value=3.0 * t), ns + LATE, ns)
            writer.write_message("/clock", Timestamp(seconds=5, nanos=round(1e9 * t)), ns, ns)
    check_ramps(played(path, {"speed": "/speed.value"}), 0.0, speed=3.0)
    check_ramps(played(path, {"nanos": "/clock.nanos"}), 0.0, nanos=1e9)
    # A number that was asked for as the time is one of seconds: ramps of slope 1.
    check_ramps(played(path, {"speed": "/speed.value"}, time="value"), 0.0, speed=1.0)


def test_a_file_that_was_cut_is_played_up_to_there(tmp_path) -> None:
    path = tmp_path / "log.mcap"
    whole = (tmp_path / "whole.mcap", CompressionType.NONE)
    with open(of_json(*whole), "rb") as stream:
        path.write_bytes(stream.read()[:4000])
    blocks = played(path, {"throttle": "/pedals.throttle.pos"})
    assert 5 < len(blocks["number"]) < len(FAST)
    check_ramps(blocks, 0.0, throttle=2.0)


def test_a_record_that_is_damaged_ends_the_file(tmp_path) -> None:
    """Without chunks nothing tells it but the record itself: here that of a topic, between them."""
    path = tmp_path / "log.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream, use_chunking=False, enable_data_crcs=False)
        writer.start()
        for k, topic in enumerate(("/a", "/other")):
            number = writer.register_channel(topic, "json", 0)
            for t in FAST:
                ns = START + round(1e9 * (t + k))
                writer.add_message(number, ns, json.dumps({"x": 2.0 * t}).encode(), ns)
        writer.finish()
    name = len("/other").to_bytes(4, "little") + b"/other"
    path.write_bytes(path.read_bytes().replace(name, b"\xff\xff\xff\x7f/other", 1))
    check_ramps(played(path, {"a": "/a.x"}), 0.0, a=2.0)


def test_what_cannot_be_read_is_refused_by_its_name(tmp_path) -> None:
    path = tmp_path / "log.mcap"
    with path.open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        flat = writer.register_schema("a", "flatbuffer", b"")
        for topic, encoding, schema in (("/a", "flatbuffer", flat), ("/b", "json", 0)):
            number = writer.register_channel(topic, encoding, schema)
            writer.add_message(number, START, b'{"x": ', START)
        bad = writer.register_schema("c/C", "ros2msg", b"no such thing")
        writer.add_message(writer.register_channel("/c", "cdr", bad), START, b"", START)
        writer.finish()
    for name, wrong in {
        "/a.x": r"messages of '/a' are 'flatbuffer', .*JSON, ROS 2 \(cdr, ros2msg\) and protobuf",
        "/b.x": "a message of '/b' can't be read",
        "/c.x": "messages of '/c' are 'cdr', their schema 'ros2msg', which can't be read",
        "/d.x": "no field of a topic in log.mcap '/d.x'",
    }.items():
        with pytest.raises(InputError, match=wrong):
            FileBoard(path, [name])
