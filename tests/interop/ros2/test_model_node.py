"""A live run as a node: what it says is what its ticks were, what it is told is checked."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from zenoh.ext import HistoryConfig, declare_advanced_subscriber

import touchback as tb
from touchback.interop.ros2.model_node import MAX_AGE, Commands, ModelNode
from touchback.interop.ros2.zenoh_transport import ZenohTransport, topic_key
from touchback.realtime.control import CommandServer
from touchback.recording.ros2 import ros2_types
from touchback.recording.ros2.ros2_messages import header_of
from touchback.recording.ros2.ros2_types import JOINT_STATE, STRING, WRENCH, decode, encode, make
from waiting import until

from .conftest import DOMAIN, Other, arm_model

NONE = np.empty(0)


@pytest.fixture
def live(arm: tb.System) -> Iterator[tb.Live]:
    with tb.live(arm, rate=1000, record=True) as live:
        yield live


@pytest.fixture
def node(live: tb.Live, port: int) -> Iterator[ModelNode]:
    transport = ZenohTransport("arm", DOMAIN, listen=[f"tcp/127.0.0.1:{port}"])
    with ModelNode(live, transport, "arm", description="<robot name='arm'/>") as node:
        yield node


def command(names: list[str], efforts: list[float]) -> bytes:
    told = make(JOINT_STATE, header_of(0.0), names, NONE, NONE, np.array(efforts, dtype=float))
    return encode(JOINT_STATE, told)


def said(live: tb.Live) -> list[str]:
    return [str(fault["text"]) for fault in live.report().faults]


def seconds(stamp: Any) -> float:
    return float(stamp.sec + 1e-9 * stamp.nanosec)


def test_every_tick_is_told_as_it_was(node: ModelNode, other: Other) -> None:
    states = other.hear("/joint_states", JOINT_STATE)
    wrenches = other.hear("/wrenches/bearing", WRENCH)
    outputs = other.hear("/arm/outputs", ros2_types.NUMBERS)
    placed = other.hear("/tf", ros2_types.TRANSFORMS)
    clocks = other.hear("/clock", ros2_types.CLOCK)
    until(
        lambda: (
            len(placed) > 3
            and min(map(len, (states, wrenches, outputs, clocks))) > 50
            and len(states) > 200
        )
    )
    node.close()
    run = node.live.recorded()
    index = {round(1e9 * t): i for i, t in enumerate(run.time)}

    def row(stamp: Any) -> int:
        return index[round(1e9 * seconds(stamp))]

    rows = [row(each.header.stamp) for each in states[100:]]
    assert np.array_equal(
        np.diff(rows), np.ones(len(rows) - 1)
    )  # none is missing, once both know each other
    assert np.array_equal([each.position[0] for each in states[100:]], run["shoulder"][rows])
    assert np.array_equal([each.velocity[0] for each in states[100:]], run["shoulder rate"][rows])
    for each in wrenches:
        force, i = each.wrench.force, row(each.header.stamp)
        assert [force.x, force.z] == [run["bearing.fx"][i], run["bearing.fz"][i]]
        assert each.header.frame_id == "bearing"
    assert outputs[0].layout.dim[0].label.split(", ") == list(node.live.system.output_names)
    for each in placed:
        moved = {one.child_frame_id: one.transform for one in each.transforms}
        angle = run["shoulder"][row(each.transforms[0].header.stamp)]
        turned = moved["arm"].rotation
        assert (turned.y, turned.w) == pytest.approx(
            (np.sin(angle / 2), np.cos(angle / 2)), abs=1e-12
        )
        assert moved["arm"].translation.z == 1.0
    times = [seconds(each.clock) for each in clocks]
    assert times == sorted(times)
    assert other.said == []


def test_others_see_the_node_and_what_it_has(node: ModelNode, other: Other) -> None:
    def tokens() -> list[str]:
        found = other.transport._session.liveliness().get(f"@ros2_lv/{DOMAIN}/**")
        return [str(each.ok.key_expr) for each in found]

    until(lambda: any(each.endswith("/NN/%/%/arm") for each in tokens()))
    kinds = [each.split("/")[5] for each in tokens() if "/%/%/arm" in each]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"NN": 1, "MP": 7, "MS": 2, "SS": 7}
    node.close()
    until(lambda: not any("/%/%/arm" in each for each in tokens()))


def test_who_comes_late_gets_the_robots_description(node: ModelNode, other: Other) -> None:
    heard: list[bytes] = []
    key = topic_key(DOMAIN, "/robot_description", STRING)
    history = HistoryConfig(detect_late_publishers=True)
    late = declare_advanced_subscriber(
        other.transport._session,
        key,
        lambda each: heard.append(bytes(each.payload)),
        history=history,
    )
    until(lambda: heard)
    assert decode(STRING, heard[0]).data == "<robot name='arm'/>"
    late.undeclare()


def test_commands_are_inputs_from_the_next_tick_on(node: ModelNode, other: Other) -> None:
    live = node.live
    commands = other.transport.advertise("/joint_commands", JOINT_STATE)
    pushes = other.transport.advertise("/wrench_commands/tip", WRENCH)

    def wrench(frame: str, z: float, torque: float = 0.0) -> bytes:
        vectors = [make("geometry_msgs/msg/Vector3", 0, 0, x) for x in (z, torque)]
        pair = make("geometry_msgs/msg/Wrench", *vectors)
        return encode(WRENCH, make(WRENCH, header_of(0.0, frame), pair))

    def sent() -> bool:  # again and again: who isn't known yet doesn't hear it
        commands(command(["shoulder"], [3.0]))
        pushes(wrench("world", 4.0))
        return live["motor torque"] == 3.0 and live["push"] == 4.0

    until(lambda: sent() and live.read("echo") == 3.0)
    pushes(wrench("arm", 5.0))  # along other axes
    pushes(wrench("", 5.0, torque=1.0))  # which nothing takes
    until(lambda: node.refused == 2)
    assert live["push"] == 4.0
    assert any("along the axes of 'arm'" in each for each in said(live))
    assert any("nothing of the model takes its 1 along z" in each for each in said(live))


COMMANDER = """
import itertools, json, struct, sys, time, zenoh
endpoint, key, message = sys.argv[1:]
config = zenoh.Config()
config.insert_json5("connect/endpoints", json.dumps([endpoint]))
config.insert_json5("scouting/multicast/enabled", "false")
session = zenoh.open(config)
for count in itertools.count(1):
    told = bytes.fromhex(message)[:-8] + struct.pack("<d", 1.0 + 1e-6 * count)
    attached = struct.pack("<qqB16s", count, time.time_ns(), 16, b"of a hand")
    session.put(key, told, attachment=attached)
    time.sleep(0.005)
"""  # which has nothing of ours, and so begins quickly


def test_a_torque_whose_commander_is_killed_is_zero_half_a_second_later(
    node: ModelNode, port: int
) -> None:
    live = node.live
    key, message = topic_key(DOMAIN, "/joint_commands", JOINT_STATE), command(["shoulder"], [0.0])
    words = [sys.executable, "-c", COMMANDER, f"tcp/127.0.0.1:{port}", key, message.hex()]
    with subprocess.Popen(words) as commander:
        try:
            until(lambda: live.read("echo") > 1.0)
        finally:
            commander.kill()
    until(lambda: live.read("echo") == 0.0)
    until(lambda: any("no command for 'motor torque'" in text for text in said(live)))
    assert any("came for 0.5 s: it is 0 until the next one" in text for text in said(live))
    torque = live.recorded()["motor torque"]
    last = np.max(torque)  # each command was another number, and each greater
    held = np.count_nonzero(torque == last)
    assert 1 <= held <= 501  # by ticks of 1 ms, or fewer where they stood still
    assert np.all(torque[np.flatnonzero(torque == last)[-1] + 1 :] == 0.0)


def test_an_age_that_the_run_was_begun_with_is_kept_and_another_can_be_given(
    arm: tb.System, port: int, other: Other
) -> None:
    watched = {"motor torque": tb.devices.WatchedInput(max_age=0.02, safe="hold")}
    transport = ZenohTransport("arm", DOMAIN, listen=[f"tcp/127.0.0.1:{port}"])
    with (
        tb.live(arm, rate=1000, inputs=watched) as live,
        ModelNode(live, transport, "arm", max_age=0.03),
    ):
        commands = other.transport.advertise("/joint_commands", JOINT_STATE)

        def sent() -> bool:
            commands(command(["motor torque", "push"], [3.0, 4.0]))
            return live["motor torque"] == 3.0

        until(sent)
        until(lambda: len(said(live)) == 2)
        assert sorted(said(live)) == [
            "ROS 2: no command for 'motor torque' came for 0.02 s: it stays as it was until the "
            "next one",
            "ROS 2: no command for 'push' came for 0.03 s: it is 0 until the next one",
        ]
        assert live.taken()[0].tolist() == [3.0, 0.0]
    assert MAX_AGE == 0.5  # where none is given
    with tb.live(arm, rate=1000) as live:
        for age in (0.0, 3601.0, float("nan")):
            with pytest.raises(tb.InputError, match=r"0\.001 to 3600 s"):
                ModelNode(live, transport, "arm", max_age=age)
        for often in (-1.0, 1001.0):
            with pytest.raises(tb.InputError, match=r"/tf is published 0 to 1000 a second"):
                ModelNode(live, transport, "arm", transforms=often)


def test_another_node_of_the_same_name_is_told_of(node: ModelNode, port: int, other: Other) -> None:
    namesake = ZenohTransport("arm", DOMAIN, connect=[f"tcp/127.0.0.1:{port}"])
    try:
        until(lambda: said(node.live))
    finally:
        namesake.close()
    assert said(node.live) == [
        "ROS 2: another node is called /arm in domain 77: services and parameters of both answer; "
        "give one of them another name"
    ]


def test_what_no_command_is_gets_a_line_and_changes_nothing(node: ModelNode, other: Other) -> None:
    live = node.live
    commands = other.transport.advertise("/joint_commands", JOINT_STATE)
    strings = other.transport.advertise("/joint_commands", STRING)
    other_hash = topic_key(DOMAIN, "/joint_commands", JOINT_STATE)[:-4] + "0000"
    session = other.transport._session

    def good() -> bool:
        commands(command(["shoulder"], [1.0]))
        return live["motor torque"] == 1.0

    until(good)
    endless = bytearray(command([], []))
    endless[-16:-12] = b"\xff\xff\xff\xff"  # so many names
    bad = {
        "is no sensor_msgs/msg/JointState": lambda: commands(b"\x00\x01\x00\x00garbage"),
        "encapsulation": lambda: commands(b""),
        "JointState: ": lambda: commands(bytes(endless)),
        "it names 1 joints and has 2 numbers": lambda: commands(command(["shoulder"], [1.0, 2.0])),
        "two numbers for 'motor torque'": lambda: commands(
            command(["shoulder", "motor torque"], [2.0, 3.0])
        ),
        "'elbow'": lambda: commands(command(["shoulder", "elbow"], [2.0, 2.0])),
        "nan lies outside": lambda: commands(command(["shoulder"], [np.nan])),
        "'motor torque'": lambda: commands(command(["shoulder"], [1e6])),
        "of type std_msgs::msg::dds_::String_": lambda: strings(encode(STRING, make(STRING, "hi"))),
        "_/RIHS01_": lambda: session.put(other_hash, command(["shoulder"], [2.0])),
        "it has no attachment": lambda: session.put(
            topic_key(DOMAIN, "/joint_commands", JOINT_STATE), command(["shoulder"], [2.0])
        ),
        "isn't rmw_zenoh's": lambda: session.put(
            topic_key(DOMAIN, "/joint_commands", JOINT_STATE), b"", attachment=b"short"
        ),
    }
    for count, send in enumerate(bad.values(), start=1):
        send()
        until(lambda count=count: node.refused >= count)
    told = " ".join(said(live))
    for words in bad:
        assert words in told
    assert live["motor torque"] == 1.0
    assert live.state == "running"


def test_a_flood_of_bad_messages_is_told_a_few_times(node: ModelNode, other: Other) -> None:
    commands = other.transport.advertise("/joint_commands", JOINT_STATE)

    def sent() -> bool:
        for _ in range(20):
            commands(b"no message")
        return node.refused >= 200

    until(sent)
    assert len(node.live.report().faults) <= 3  # the first, the tenth, the hundredth


def test_parameters_of_the_run_are_parameters_of_the_node(node: ModelNode, other: Other) -> None:
    def call(name: str, kind: str, *fields: object) -> Any:
        return other.call(f"/arm/{name}", kind, *fields)

    def value(kind: int, number: float) -> Any:
        none = [np.empty(0, dtype=each) for each in (np.uint8, np.bool_, np.int64, np.float64)]
        return make("rcl_interfaces/msg/ParameterValue", kind, False, 0, number, "", *none, [])

    def put(name: str, kind: int, number: float) -> Any:
        asked = make("rcl_interfaces/msg/Parameter", name, value(kind, number))
        return call("set_parameters", ros2_types.SET, [asked]).results[0]

    assert call("list_parameters", ros2_types.LIST, [], 0).result.names == ["mass"]
    assert call("list_parameters", ros2_types.LIST, ["other"], 0).result.names == []
    described = call("describe_parameters", ros2_types.DESCRIBE, ["mass"]).descriptors[0]
    ranged = described.floating_point_range[0]
    assert (described.type, ranged.from_value, ranged.to_value) == (3, 0.5, 5.0)
    assert list(call("get_parameter_types", ros2_types.TYPES, ["mass", "no"]).types) == [3, 0]
    assert put("mass", 3, 2.0).successful
    found = call("get_parameters", ros2_types.GET, ["mass", "no"]).values
    assert [(each.type, each.double_value) for each in found] == [(3, 2.0), (0, 0.0)]
    for name, kind, number, words in (
        ("mass", 3, 9.0, "5"), ("mass", 3, np.nan, "finite"), ("mass", 4, 0.0, "a number"),
        ("motor torque", 3, 1.0, "no parameter"),
    ):  # fmt: skip
        refused = put(name, kind, number)
        assert not refused.successful
        assert words in refused.reason
    assert node.live["mass"] == 2.0


def test_a_model_without_numbers_says_so_and_a_reset_mends_it(
    node: ModelNode, other: Other
) -> None:
    """A push of 1e308 N, which no range forbids."""
    live, heard = node.live, other.hear("/diagnostics", ros2_types.DIAGNOSTICS)
    push = other.transport.advertise("/joint_commands", JOINT_STATE)

    def held() -> bool:
        push(command(["push"], [1e308]))
        return bool(heard and heard[-1].status[0].level == 2)

    until(held)
    (status,) = heard[-1].status
    assert status.name == "arm: run" and status.hardware_id == "arm"
    assert "held at its last good state; call /arm/reset" in status.message
    (fault,) = (each.value for each in status.values if each.key == "latest fault")
    assert "'push' to less than 1e+308 N" in fault and fault in said(live)
    stood = live.read("time")

    def goes_on() -> bool:  # the last of the pushes may still be on its way
        assert other.call("/arm/reset", ros2_types.TRIGGER, 0).success
        return live.read("time") > stood and heard[-1].status[0].level < 2

    until(goes_on)
    assert live["push"] == 0.0


def test_an_emergency_stop_outlives_a_reset_by_others(node: ModelNode, other: Other) -> None:
    node.live.emergency_stop()
    until(lambda: "stopped" in node.live.faults)
    assert other.call("/arm/reset", ros2_types.TRIGGER, 0).success
    assert "stopped" in node.live.faults


@pytest.mark.parametrize("copies", [False, True], ids=["one", "copies"])
def test_a_command_beyond_the_rating_of_its_joint_is_refused(copies: bool) -> None:
    """As a URDF's limit has it."""
    model, name = arm_model(), "left/shoulder" if copies else "shoulder"
    model.imported = {"ratings": {"shoulder": {"effort": 20.0, "velocity": 3.0}}}
    system = model.compile()
    with tb.live(tb.copies(system, ["left", "right"]) if copies else system, rate=1000) as live:
        commands, torque = (
            Commands(CommandServer(live), 10.0),
            name.replace("shoulder", "motor torque"),
        )
        for number in (20.5, -45.0):
            with pytest.raises(tb.InputError, match=f"joint '{name}' is rated for, 20"):
                commands.take_joints(command([name], [number]))
            assert live[torque] == 0.0
        commands.take_joints(command([name], [-20.0]))
        assert live[torque] == -20.0


def test_reset_and_pause_are_services(node: ModelNode, other: Other) -> None:
    live = node.live
    start = live.system.initial_state().q[0]
    until(lambda: abs(live.read("shoulder") - start) > 0.05)  # it falls
    assert other.call("/arm/pause", ros2_types.SET_BOOL, True).success
    assert live.state == "paused"
    assert other.call("/arm/reset", ros2_types.TRIGGER, 0).success
    assert live.read("shoulder") == pytest.approx(start, abs=1e-3)
    assert other.call("/arm/pause", ros2_types.SET_BOOL, False).success
    assert live.state == "running"


def test_what_a_run_does_not_expose_is_refused(live: tb.Live, port: int, other: Other) -> None:
    from touchback.realtime.control import Exposed

    transport = ZenohTransport("arm", DOMAIN, listen=[f"tcp/127.0.0.1:{port}"])
    with ModelNode(live, transport, "arm", exposed=Exposed(inputs=False, transport=False)):
        answer = other.call("/arm/reset", ros2_types.TRIGGER, 0)
        assert not answer.success
        assert "isn't among the transport" in answer.message
        commands = other.transport.advertise("/joint_commands", JOINT_STATE)

        def told() -> bool:
            commands(command(["shoulder"], [1.0]))
            return any("isn't among the inputs" in text for text in said(live))

        until(told)
        assert live["motor torque"] == 0.0
