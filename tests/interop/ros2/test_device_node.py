"""Devices as a node of their own: what they read commands a model elsewhere, whose outputs they
get."""

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from command import touchback
from touchback.cli import live_commands
from touchback.interop.ros2.device_node import DeviceNode, device_model, guards
from touchback.interop.ros2.model_node import ModelNode
from touchback.interop.ros2.zenoh_transport import ZenohTransport
from touchback.recording.ros2.ros2_types import NUMBERS, encode, make
from waiting import until

from .conftest import DOMAIN, Other, arm_model

NEVER = 600.0  # s


class Pedal:
    """Reads another number each time."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def read(self) -> float:
        return 0.01 * (next(self._numbers) % 100)


class Held:
    """A pedal that somebody holds."""

    def read(self) -> float:
        return 0.5


class Motor:
    """Remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def write(self, value: float) -> None:
        self.asked.append(value)


def test_a_device_commands_a_model_elsewhere_and_feels_its_output(
    arm: tb.System, port: int
) -> None:
    motor, system = Motor(), device_model(["motor torque"], ["echo"]).compile()
    watched, guarded = guards(["motor torque"], ["echo"], NEVER)
    with (
        tb.live(arm, rate=200) as model,
        ModelNode(model, ZenohTransport("arm", DOMAIN, listen=[f"tcp/127.0.0.1:{port}"]), "arm"),
        tb.live(system, rate=200, inputs=watched, outputs=guarded) as devices,
    ):
        devices.connect("motor torque", Pedal())
        devices.connect("echo", motor)
        transport = ZenohTransport("devices", DOMAIN, connect=[f"tcp/127.0.0.1:{port}"])
        with DeviceNode(devices, transport, "arm") as node:
            until(lambda: len({x for x in motor.asked if x > 0.0}) > 20)
        assert node.refused == 0, devices.report().faults
        assert transport.heard["/arm/outputs"].lost == 0
    assert {round(100 * x) for x in motor.asked} <= set(range(100))  # what the pedal read
    assert motor.asked[-1] == 0.0  # the last word is safe


def test_a_device_that_is_gone_commands_zero(arm: tb.System, port: int) -> None:
    """Not what it read last, which would be a fresh command at every tick."""
    system = device_model(["motor torque"], []).compile()
    watched, guarded = guards(["motor torque"], [], 0.05)
    with (
        tb.live(arm, rate=200) as model,
        ModelNode(model, ZenohTransport("arm", DOMAIN, listen=[f"tcp/127.0.0.1:{port}"]), "arm"),
        tb.live(system, rate=200, inputs=watched, outputs=guarded) as devices,
    ):
        served = devices.connect("motor torque", Held())
        transport = ZenohTransport("devices", DOMAIN, connect=[f"tcp/127.0.0.1:{port}"])
        with DeviceNode(devices, transport, "arm"):
            until(lambda: model["motor torque"] == 0.5)
            served.close()
            until(lambda: model["motor torque"] == 0.0)
        assert devices.report().counts["stale"] > 0


def test_a_device_whose_model_goes_silent_gets_zero(port: int) -> None:
    motor, system = Motor(), device_model([], ["torque"]).compile()
    watched, guarded = guards([], ["torque"], 0.05)
    transport = ZenohTransport("devices", DOMAIN, listen=[f"tcp/127.0.0.1:{port}"])
    with tb.live(system, rate=1000, inputs=watched, outputs=guarded) as devices:
        devices.connect("torque", motor)
        other = Other(port)
        outputs = other.transport.advertise("/arm/outputs", NUMBERS)

        def told(label: str, *numbers: float) -> bytes:
            count = len(numbers)
            dimension = make("std_msgs/msg/MultiArrayDimension", label, count, count)
            layout = make("std_msgs/msg/MultiArrayLayout", [dimension], 0)
            return encode(NUMBERS, make(NUMBERS, layout, np.array(numbers)))

        with DeviceNode(devices, transport, "arm") as node:

            def heard() -> bool:
                outputs(told("other, torque", 1.0, 2.0))
                return 2.0 in motor.asked

            until(heard)
            until(lambda: motor.asked[-1] == 0.0)
            outputs(told("other", 1.0))
            outputs(told("torque", 1.0, 2.0))
            outputs(told("torque", float("nan")))
            until(lambda: node.refused == 3)
        other.transport.close()


def test_the_command_says_what_it_needs() -> None:
    for words in ((), ("motor-arm", "--read", "a=b:c"), ("--write", "a=b:c")):
        done = touchback("ros2", *words)
        assert done.returncode == 2
        assert "give a MODEL, or devices instead" in done.stderr
    done = touchback("ros2", "motor-arm", "--node", "no node")
    assert (done.returncode, "can't be called 'no node'" in done.stderr) == (2, True)
    done = touchback("ros2", "motor-arm", "--listen", "nowhere")
    assert (done.returncode, "'nowhere' is no endpoint of Zenoh" in done.stderr) == (2, True)


def test_the_command_says_once_that_nobody_answers_and_that_somebody_came(
    monkeypatch: pytest.MonkeyPatch, port: int, tmp_path: Path
) -> None:
    """The other comes as soon as it is said that there is none, and the node ends when it is told
    that one came: a run of ten minutes lasts no longer."""
    place, others = f"tcp/127.0.0.1:{port}", list[ZenohTransport]()

    def said(text: str, soft_wrap: bool) -> None:
        notes.append(text)
        if len(notes) == 1:
            others.append(ZenohTransport("other", DOMAIN, listen=[place]))
        else:
            raise KeyboardInterrupt

    notes: list[str] = []
    monkeypatch.setattr("touchback.cli.live_commands._PATIENCE", 0.0)
    monkeypatch.setattr("touchback.cli.live_commands.err.print", said)
    arm_model().save(tmp_path / "arm.yaml")
    words = "arm.yaml", "--domain", str(DOMAIN), "--router", place, "--seconds", "600"
    done = touchback("ros2", *words, cwd=tmp_path)
    for other in others:
        other.close()
    assert done.returncode == 0
    assert notes[0].startswith(f"Note: nobody answers at {place}; start a router there")
    assert notes[1:] == ["Note: somebody answers now."]


@pytest.mark.parametrize("refused", [0, 3])
def test_the_command_ends_with_the_report_and_with_what_was_refused(
    refused: int, capsys: pytest.CaptureFixture[str]
) -> None:
    run: Any = SimpleNamespace(report=lambda: "Live run of 'arm'")
    node: Any = SimpleNamespace(refused=refused)
    live_commands._ros_tell(run, node)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Live run of 'arm'"
    assert said[1:] == (
        ["refused: 3 messages and requests; the faults above say why"] if refused else []
    )


def test_who_listens_is_unanswered_until_a_peer_comes(port: int) -> None:
    place = f"tcp/127.0.0.1:{port}"
    here = ZenohTransport("here", DOMAIN, listen=[place])
    assert here.unanswered() == f"nobody is connected to {place} yet"
    there = ZenohTransport("there", DOMAIN, connect=[place])
    until(lambda: not here.unanswered() and not there.unanswered())
    there.close()
    until(here.unanswered)
    here.close()
