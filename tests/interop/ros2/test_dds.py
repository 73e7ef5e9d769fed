"""DDS with ROS 2's names: a process that has nothing of ours, with types written by hand as ROS's
IDL has them, exchanges with a model's node at 1 kHz."""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.errors import InputError
from touchback.interop.ros2.dds_transport import (
    GRAPH,
    DdsTransport,
    add_header,
    data_type,
    of_service,
    of_topic,
    split_header,
)
from touchback.interop.ros2.middleware import Middleware, open_transport
from touchback.interop.ros2.model_node import ModelNode
from touchback.interop.ros2.node_transport import Publish
from touchback.interop.ros2.zenoh_transport import ZenohTransport
from touchback.recording.ros2 import ros2_types
from touchback.recording.ros2.ros2_messages import header_of
from touchback.recording.ros2.ros2_types import JOINT_STATE, NUMBERS, STRING, decode, encode, make
from waiting import until

from .conftest import DOMAIN

pytest.importorskip("cyclonedds", reason="Cyclone DDS has no wheel for this machine")

PEER = Path(__file__).parent / "dds_peer.py"
TICKS = 600  # that the other process hears


@pytest.fixture
def other() -> Iterator[DdsTransport]:
    made = DdsTransport("other", DOMAIN)
    yield made
    made.close()


@pytest.fixture
def node(arm: tb.System) -> Iterator[ModelNode]:
    with (
        tb.live(arm, rate=1000, record=True) as live,
        ModelNode(live, DdsTransport("arm", DOMAIN), "arm", description="<robot/>") as node,
    ):
        yield node


def said(node: ModelNode) -> list[str]:
    return [str(fault["text"]) for fault in node.live.report().faults]


def test_a_process_with_types_of_its_own_exchanges_at_1_khz_and_loses_nothing(
    node: ModelNode,
) -> None:
    done = subprocess.run(
        [sys.executable, PEER, str(DOMAIN), str(TICKS)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    node.close()
    run, heard = node.live.recorded(), node.transport.heard["/joint_commands"]
    ticks = {round(1e9 * t): i for i, t in enumerate(run.time)}
    rows = [ticks[stamp] for stamp in told["stamps"]]
    assert np.array_equal(np.diff(rows), np.ones(len(rows) - 1))  # none is missing
    assert len(rows) >= TICKS
    assert np.array_equal(told["positions"], run["shoulder"][rows])
    assert np.array_equal(told["velocities"], run["shoulder rate"][rows])
    assert heard.messages == told["sent"] > 0
    torque = run["motor torque"]
    taken = torque[torque > 0.0]  # commands grow: ticks have the newest each
    assert taken[-1] == 1.0 + 1e-6 * told["sent"]
    assert np.all(np.diff(taken) >= 0.0)
    assert min(heard.latencies) > 0 and min(told["latencies"]) > 0
    assert said(node) in ([], ["ROS 2: no command for 'motor torque' came for 0.5 s: it is 0 "
                               "until the next one"])  # fmt: skip
    assert told["nodes"] == {"/": ["arm"]}  # as `ros2 node list` gets them


def wire(kind: str, length: int) -> bytes:
    if kind == STRING:
        return encode(STRING, make(STRING, "x" * length))
    if kind == NUMBERS:
        dimension = make("std_msgs/msg/MultiArrayDimension", "a" * length, 2, 2)
        layout = make("std_msgs/msg/MultiArrayLayout", [dimension], 0)
        return encode(NUMBERS, make(NUMBERS, layout, np.array([1.5, -2.0])))
    told = make(JOINT_STATE, header_of(1.25, "b"), ["c" * length], *np.ones((3, 1)))
    return encode(JOINT_STATE, told)


def all_heard(sent: set[bytes], heard: set[bytes], publish: Publish) -> bool:
    """Again and again: who isn't known yet doesn't hear it."""
    for data in sent - heard:
        publish(data)
    return len(heard) >= len(sent)


@pytest.mark.parametrize("kind", [JOINT_STATE, NUMBERS, STRING])
def test_bytes_are_those_that_go_over_zenoh(kind: str, port: int, other: DdsTransport) -> None:
    """DDS fills up with zeros to a multiple of four, as RTPS wants it."""
    endpoint, complaints = [f"tcp/127.0.0.1:{port}"], list[str]()
    pairs = [
        (ZenohTransport("a", DOMAIN, listen=endpoint), ZenohTransport("b", DOMAIN, endpoint)),
        (DdsTransport("a", DOMAIN), other),
    ]
    got: list[set[bytes]] = [set(), set()]
    sent = {wire(kind, length) for length in range(1, 9)}
    for (giver, taker), heard in zip(pairs, got, strict=True):
        taker.subscribe("/bytes", kind, heard.add, complaints.append)
        publish = giver.advertise("/bytes", kind)
        until(partial(all_heard, sent, heard, publish))
        giver.close()
    pairs[0][1].close()
    assert got[0] == sent
    assert got[1] == {data + bytes(-len(data) % 4) for data in sent}
    for data in got[1]:
        assert encode(kind, decode(kind, data)) in sent
    assert complaints == []


def test_services_and_what_is_latched_are_met_as_rmw_cyclonedds_does(
    node: ModelNode, other: DdsTransport
) -> None:
    descriptions, replies = list[str](), list[tuple[bytes, bool]]()
    late = of_topic("/robot_description", STRING)
    other._read(late, lambda data, _: descriptions.append(decode(STRING, data).data), True, 1)
    until(lambda: descriptions == ["<robot/>"])
    asked, answered = of_service("/arm/pause", ros2_types.SET_BOOL)
    assert (asked.topic, answered.topic) == ("rq/arm/pauseRequest", "rr/arm/pauseReply")

    def came(data: bytes, _: object) -> None:
        header, message = split_header(data)
        replies.append((header, decode(f"{ros2_types.SET_BOOL}_Response", message).success))

    other._read(answered, came, False, 10)
    ask = other._write(asked, False, 10)
    header = bytes(range(16))
    request = add_header(header, encode(asked.kind, make(asked.kind, True)))

    def done() -> bool:
        ask(request)
        return bool(replies)

    until(done)
    assert replies[0] == (header, True)
    assert node.live.state == "paused"
    with pytest.raises(
        InputError, match="it has 19 bytes; a request of rmw_cyclonedds has a header"
    ):
        split_header(request[:19])


def test_another_node_of_the_same_name_is_told_of_over_dds_too(node: ModelNode) -> None:
    namesake = DdsTransport("arm", DOMAIN)
    try:
        until(lambda: any("another node is called /arm in domain 77" in x for x in said(node)))
    finally:
        namesake.close()


def test_names_of_types_are_those_of_ros() -> None:
    made = data_type(GRAPH.kind).__idl__
    made.populate()
    assert made.idl_transformed_typename == "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"


def test_endpoints_of_zenoh_are_none_of_dds() -> None:
    with pytest.raises(InputError, match=r"'tcp/a:1' is an endpoint of Zenoh.*CYCLONEDDS_URI"):
        open_transport("a", 0, ["tcp/a:1"], [], Middleware.DDS)
