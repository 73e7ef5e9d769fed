"""A mechanism with everything that ROS 2 is told of, and another node to talk to it."""

import itertools
import socket
from collections.abc import Iterator
from typing import Any

import pytest

import touchback as tb
from touchback.interop.ros2.zenoh_transport import Attached, ZenohTransport, topic_key
from touchback.recording.ros2.ros2_types import decode, encode, make
from waiting import until

DOMAIN = 77


def arm_model() -> tb.Model:
    """An arm with a motor whose torque is an input, pushed by a wrench at its tip."""
    m = tb.Model("arm", gravity=(0, 0, -9.81))
    mass = m.parameter("mass", 1.5, unit="kg", min=0.5, max=5.0)
    arm = m.body("arm", mass=mass, com=(0.2, 0, 0), inertia=(1e-3, 0.02, 0.02))
    m.joint("shoulder", tb.Revolute("y"), m.ground.at(0, 0, 1), arm, damping=0.5)
    torque = m.input("motor torque", unit="N m", min=-50.0, max=50.0)
    m.force("motor", tb.JointEffort("shoulder", torque))
    push = m.input("push", unit="N")
    m.force("tip", tb.Wrench(arm.at(0.4, 0, 0), force=(0, 0, push)))
    m.sensor("bearing", tb.Reaction("shoulder"))
    m.sensor("echo", tb.Signal(torque, "N m"))
    return m


@pytest.fixture(scope="session")
def arm() -> tb.System:
    return arm_model().compile()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


class Other:
    """Another node, on its own session: what it hears by topic, and calls of services."""

    def __init__(self, port: int) -> None:
        endpoint = [f"tcp/127.0.0.1:{port}"]
        self.transport = ZenohTransport("other", DOMAIN, connect=endpoint)
        self.said: list[str] = []  # what it refused
        self._numbers = itertools.count(1)

    def hear(self, topic: str, kind: str) -> list[Any]:
        """Messages of a topic, as they come."""
        heard: list[Any] = []

        def take(data: bytes) -> None:
            heard.append(decode(kind, data))

        self.transport.subscribe(topic, kind, take, self.said.append)
        return heard

    def call(self, service: str, kind: str, *fields: object) -> Any:
        """The response to a request, sent as rmw_zenoh's clients do."""
        zenoh, attached = self.transport._zenoh, Attached(next(self._numbers), 1, bytes(16))
        replies: list[Any] = []

        def asked() -> bool:
            replies[:] = self.transport._session.get(
                topic_key(DOMAIN, service, kind),
                payload=encode(f"{kind}_Request", make(f"{kind}_Request", *fields)),
                attachment=attached.packed(),
                target=zenoh.QueryTarget.ALL_COMPLETE,
                consolidation=zenoh.ConsolidationMode.NONE,
                timeout=30.0,
            )
            return bool(replies)

        until(asked)  # a service that isn't known yet gives none
        (reply,) = replies
        assert Attached.unpacked(bytes(reply.ok.attachment)).sequence == attached.sequence
        return decode(f"{kind}_Response", bytes(reply.ok.payload))


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def other(port: int) -> Iterator[Other]:
    made = Other(port)
    yield made
    made.transport.close()
