"""Two processes exchange at 1 kHz over rmw_zenoh's bytes, and nothing is lost."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from zenoh.ext import HistoryConfig, declare_advanced_subscriber

from touchback.interop.ros2.node_transport import Publish
from touchback.interop.ros2.zenoh_transport import topic_key
from touchback.realtime import open_recording
from touchback.recording.ros2.ros2_messages import header_of
from touchback.recording.ros2.ros2_types import JOINT_STATE, NUMBERS, STRING, decode, encode, make
from waiting import until

from .conftest import DOMAIN, Other, arm_model

RATE, MESSAGES, ACQUAINTED = 1000, 500, 100  # messages until both know each other


def test_a_model_in_another_process_tells_every_tick_and_takes_every_command(
    port: int, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    arm_model().save(tmp_path / "arm.yaml")
    node = subprocess.Popen(
        [sys.executable, "-m", "touchback.cli", "ros2", "arm.yaml", "--rate", str(RATE),
         "--domain", str(DOMAIN), "--listen", f"tcp/127.0.0.1:{port}", "--record", path.name],
        stdout=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert node.stdout is not None
    try:
        assert f"node /arm in domain {DOMAIN}" in node.stdout.readline()
        other = Other(port)
        states, outputs = (
            other.hear("/joint_states", JOINT_STATE),
            other.hear("/arm/outputs", NUMBERS),
        )
        described = latched(other)
        until(lambda: len(states) > ACQUAINTED and outputs)
        until(lambda: described)
        sent = commanded(other.transport.advertise("/joint_commands", JOINT_STATE))
        echo = outputs[0].layout.dim[0].label.split(", ").index("echo")
        until(lambda: sent[-1] in [each.data[echo] for each in outputs])  # there and back
        until(lambda: len(states) >= ACQUAINTED + MESSAGES)
    finally:
        node.send_signal(signal.SIGINT)
        said, _ = node.communicate(timeout=60)
    heard = other.transport.heard["/joint_states"]
    other.transport.close()
    assert (heard.lost, heard.messages) == (0, len(states))
    assert "were lost" not in said
    assert "messages and requests" not in said  # none was refused
    robot = ElementTree.fromstring(described[0])
    assert {each.get("name") for each in robot.iter("link")} == {"world", "arm"}
    part = open_recording(path).parts[0]
    ticks = {round(1e9 * t): i for i, t in enumerate(part.column("time"))}
    states = states[ACQUAINTED:]
    rows = [ticks[10**9 * s.header.stamp.sec + s.header.stamp.nanosec] for s in states]
    assert np.array_equal(np.diff(rows), np.ones(len(rows) - 1))
    for name, values in (
        ("shoulder", [s.position[0] for s in states]),
        ("shoulder rate", [s.velocity[0] for s in states]),
    ):
        assert np.array_equal(values, part.column(name)[rows])
    taken = part.column("motor torque")
    taken = taken[np.isin(taken, sent)]  # by ticks, which have the newest each
    assert taken[-1] == sent[-1]
    assert np.all(np.diff(taken) >= 0.0)  # in the order in which they were sent


def latched(other: Other) -> list[str]:
    """The robot's description, as who comes late gets it."""
    heard: list[str] = []
    late = declare_advanced_subscriber(
        other.transport._session,
        topic_key(DOMAIN, "/robot_description", STRING),
        lambda each: heard.append(decode(STRING, bytes(each.payload)).data),
        history=HistoryConfig(detect_late_publishers=True),
    )
    other.transport._held.append(late)
    return heard


def commanded(send: Publish) -> list[float]:
    """Commands at 1 kHz, each another number."""
    numbers, none, due = [1.0 + 1e-3 * i for i in range(MESSAGES)], np.empty(0), time.monotonic()
    for number in numbers:
        told = make(JOINT_STATE, header_of(0.0), ["shoulder"], none, none, np.array([number]))
        send(encode(JOINT_STATE, told))
        due += 1.0 / RATE
        time.sleep(max(0.0, due - time.monotonic()))
    return numbers
