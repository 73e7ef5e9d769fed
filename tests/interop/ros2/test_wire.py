"""Bytes, keys and hashes are those that ROS 2 has, by what others published and by decoders that
aren't ours."""

import json
import socket
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mcap.records import Schema
from mcap_ros2.decoder import DecoderFactory
from rosbags.typesys.store import Typestore
from rosbags.typesys.stores import ros2_jazzy
from zenoh.ext import Int64, z_serialize

from touchback.errors import DeviceError, InputError
from touchback.interop.ros2 import zenoh_transport
from touchback.interop.ros2.node_transport import node_name
from touchback.interop.ros2.zenoh_transport import (
    CLIENT,
    NODE,
    PUBLISHER,
    SERVICE,
    SUBSCRIPTION,
    Attached,
    Entity,
    ZenohTransport,
    check_endpoint,
    topic_key,
)
from touchback.recording.ros2 import ros2_types
from touchback.recording.ros2.ros2_messages import header_of
from touchback.recording.ros2.ros2_types import JOINT_STATE, STRING, WRENCH, decode, encode, make

# rmw_zenoh's docs/design.md (String); the others as `ros2 topic info --verbose` and `ros2 service
# info --verbose` of Jazzy tell them in many issues of its users, and as programs list them that
# speak to rmw_zenoh without ROS 2.
PUBLISHED = {
    "std_msgs/msg/String": "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
    "sensor_msgs/msg/JointState":
        "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e",
    "geometry_msgs/msg/WrenchStamped":
        "8dc3deaf06b2ab281f9f9a742a8961c328ca7cec16e3fd6586d3a5c83fa78f77",
    "tf2_msgs/msg/TFMessage": "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087",
    "rosgraph_msgs/msg/Clock": "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564",
    "diagnostic_msgs/msg/DiagnosticArray":
        "5a8a36efb05fb25070fa0fb3810290c0e6cd4862b54a8fb975a1ee8dc55a333e",
    "std_msgs/msg/Float64MultiArray":
        "1025ddc6b9552d191f89ef1a8d2f60f3d373e28b283d8891ddcc974e8c55397f",
    "std_srvs/srv/Trigger": "eeff2cd6fa5ad9d27cdf4dec64818317839b62f212a91e6b5304b634b2062c5f",
    "std_srvs/srv/SetBool": "abe9e4bb6b41b40e6789712c00ec8871923e089af3f667a79992a428cff2da0a",
    "rcl_interfaces/srv/GetParameters":
        "bf9803d5c74cf989a5de3e0c2e99444599a627c7ff75f97b8c05b01003675cbc",
    "rcl_interfaces/srv/SetParameters":
        "56eed9a67e169f9cb6c1f987bc88f868c14a8fc9f743a263bc734c154015d7e0",
    "rcl_interfaces/srv/ListParameters":
        "3e6062bfbb27bfb8730d4cef2558221f51a11646d78e7bb30a1e83afac3aad9d",
    "rcl_interfaces/srv/DescribeParameters":
        "845b484d71eb0673dae682f2e3ba3c4851a65a3dcfb97bddd82c5b57e91e4cff",
    "rcl_interfaces/srv/GetParameterTypes":
        "da199c878688b3e530bdfe3ca8f74cb9fa0c303101e980a9e8f260e25e1c80ca",
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_hashes_of_types_are_the_published_ones(name: str) -> None:
    assert ros2_types.type_hash(name) == f"RIHS01_{PUBLISHED[name]}"


def test_a_service_that_others_define_has_the_hash_of_rmw_zenohs_own_example() -> None:
    store = Typestore(ros2_jazzy)
    ros2_types._mend_chars(store)
    ros2_types.add_service(
        store, "example_interfaces/srv/AddTwoInts", "int64 a\nint64 b", "int64 sum"
    )
    found = store.hash_rihs01("example_interfaces/srv/AddTwoInts")
    assert found == "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"


def test_keys_and_tokens_are_those_of_rmw_zenohs_design() -> None:
    said = "std_msgs::msg::dds_::String_/RIHS01_" + PUBLISHED[STRING]
    assert topic_key(0, "/chatter", STRING) == f"0/chatter/{said}"
    assert topic_key(0, "/robot1/chatter", STRING) == f"0/robot1/chatter/{said}"
    session = "aac3178e146ba6f1fc6e6a4085e77f21"
    begin = f"@ros2_lv/2/{session}/0"
    assert Entity(2, session, "listener").token() == f"{begin}/0/{NODE}/%/%/listener"
    for what in (PUBLISHER, SUBSCRIPTION, SERVICE, CLIENT):
        token = Entity(2, session, "listener", what, 10, "/chatter", STRING).token()
        assert token == f"{begin}/10/{what}/%/%/listener/%chatter/{said}/::,10:,:,:,,"
    latched = Entity(2, session, "a", PUBLISHER, 3, "/a/b", STRING, True, 1)
    assert latched.token().endswith(f"/a/%a%b/{said}/:1:,1:,:,:,,")


def test_an_attachment_is_what_zenohs_own_serializer_makes() -> None:
    gid = bytes(range(16))
    theirs = bytes(z_serialize((Int64(7), Int64(1_700_000_000_123_456_789), gid)))
    ours = Attached(7, 1_700_000_000_123_456_789, gid)
    assert ours.packed() == theirs
    assert len(theirs) == 33
    assert Attached.unpacked(theirs) == ours
    for wrong in (b"", theirs[:-1], theirs + b"\0", theirs[:16] + b"\x0f" + theirs[17:]):
        with pytest.raises(InputError, match="isn't rmw_zenoh's"):
            Attached.unpacked(wrong)


@pytest.mark.parametrize(
    ("given", "made"),
    [("motor arm", "motor_arm"), ("slider-crank", "slider_crank"), ("3 bars", "_3_bars")],
)
def test_any_name_makes_a_node_of_ros(given: str, made: str) -> None:
    assert node_name(given) == made


def independent(kind: str, data: bytes) -> Any:
    """What the decoder of Foxglove's makers reads."""
    package, _, own = kind.split("/")
    schema = Schema(1, ros2_types.schema_of(kind), "ros2msg", f"{package}/msg/{own}")
    decoder = DecoderFactory().decoder_for("cdr", schema)
    assert decoder is not None
    return decoder(data)


def joint_state(names: list[str], *numbers: list[float]) -> bytes:
    arrays = [np.array(each, dtype=float) for each in numbers]
    return encode(JOINT_STATE, make(JOINT_STATE, header_of(1.25, "base"), names, *arrays))


def test_bytes_are_read_by_a_decoder_that_is_not_ours() -> None:
    read = independent(JOINT_STATE, joint_state(["a", "longer"], [1.5, -2.0], [0.25, 1e-300], []))
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == (1, 250_000_000)
    assert (list(read.name), read.header.frame_id) == (["a", "longer"], "base")
    assert (list(read.position), list(read.velocity)) == ([1.5, -2.0], [0.25, 1e-300])
    assert len(read.effort) == 0
    vectors = [make("geometry_msgs/msg/Vector3", *part) for part in ((1, 2, 3), (4, 5, 6))]
    wrench = make(WRENCH, header_of(0.0), make("geometry_msgs/msg/Wrench", *vectors))
    read = independent(WRENCH, encode(WRENCH, wrench))
    assert (read.wrench.force.z, read.wrench.torque.x) == (3.0, 4.0)


GOOD = joint_state(["crank", "rod"], [0.1, 0.2], [0.0, 1.0], [2.0, 3.0])


@settings(max_examples=300, deadline=None)
@given(st.one_of(
    st.binary(max_size=300),
    st.tuples(st.integers(0, len(GOOD) - 1), st.binary(min_size=1, max_size=8)).map(
        lambda cut: GOOD[: cut[0]] + cut[1] + GOOD[cut[0] + len(cut[1]) :]
    ),
))  # fmt: skip
def test_whatever_bytes_come_they_are_a_message_or_refused(data: bytes) -> None:
    for kind in (JOINT_STATE, WRENCH, "std_msgs/msg/Float64MultiArray"):
        try:
            message = decode(kind, data)
        except InputError as error:
            assert len(str(error)) < 1000
        else:
            encode(kind, message)


def test_lists_that_would_take_the_memory_are_refused() -> None:
    empty = joint_state([], [], [], [])
    names = 4 + 8 + 4 + len("base") + 1 + 3  # where the number of names stands
    assert empty[names : names + 4] == bytes(4)
    endless = empty[:names] + (2**32 - 1).to_bytes(4, "little") + empty[names + 4 :]
    many = joint_state(["x"] * (ros2_types.MOST_MEMBERS + 1), [], [], [])
    for data in (endless, many, bytes(ros2_types.MOST_BYTES + 1)):
        with pytest.raises(InputError, match=r"is no sensor_msgs|at most"):
            decode(JOINT_STATE, data)


@pytest.mark.parametrize(
    "text", ["tcp/127.0.0.1", "tcp/127.0.0.1:65536", "127.0.0.1:7447", "tcp/:7447", "tcp/a b:1", ""]
)
def test_what_is_no_endpoint_is_refused_in_words_of_ours(text: str) -> None:
    with pytest.raises(InputError, match=r"is no endpoint of Zenoh.*tcp/127\.0\.0\.1:7447"):
        check_endpoint(text)


@pytest.mark.parametrize(
    ("asked", "connects", "listens"),
    [
        ({}, ["tcp/localhost:7447"], ["tcp/localhost:0"]),  # the router's usual port
        ({"listen": ["tcp/127.0.0.1:5000"]}, [], ["tcp/127.0.0.1:5000"]),
        ({"connect": ["tcp/robot:7447"]}, ["tcp/robot:7447"], ["tcp/localhost:0"]),
    ],
)
def test_a_session_finds_others_only_where_it_is_told_and_is_heard_on_this_machine_alone(
    asked: dict[str, list[str]], connects: list[str], listens: list[str], monkeypatch: Any
) -> None:
    """It calls nobody in the network."""
    given: dict[str, Any] = {}

    class Config:
        def insert_json5(self, key: str, value: str) -> None:
            given[key] = json.loads(value)

    def opened(config: Config) -> None:
        raise RuntimeError("far enough")

    stand_in = SimpleNamespace(Config=Config, open=opened)
    monkeypatch.setattr(zenoh_transport, "_zenoh", lambda: stand_in)
    with pytest.raises(DeviceError, match="far enough"):
        ZenohTransport("here", **asked)
    assert given["mode"] == "peer" and given["scouting/multicast/enabled"] is False
    assert given["connect/endpoints"] == connects and given["listen/endpoints"] == listens
    assert given["open/return_conditions/connect_scouted"] is False  # others may come later


def test_an_endpoint_that_is_taken_is_told_without_places_in_the_middlewares_source() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(DeviceError, match=r"Address already in use\.$") as told:
            ZenohTransport("a", listen=[f"tcp/127.0.0.1:{taken.getsockname()[1]}"])
    assert ".rs" not in str(told.value)
    for good in ("tcp/[::1]:7447", "udp/localhost:0", "tls/robot.example:7447#iface=lo"):
        check_endpoint(good)
