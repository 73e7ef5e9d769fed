"""Ways to other nodes of ROS 2: one interface, whose messages are bytes (CDR)."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Protocol

from touchback.errors import TouchbackError
from touchback.realtime.faults import words

Publish = Callable[[bytes], None]
Take = Callable[[bytes], None]
Answer = Callable[[bytes], bytes]
Refuse = Callable[[str], None]
"""Gets in words why something on the wire isn't taken."""


NAMESAKE = (
    "another node is called /{} in domain {}: services and parameters of both answer; give one of "
    "them another name"
)


class Transport(Protocol):
    """What a node needs of a middleware. Names of topics and services begin with a slash."""

    def advertise(self, topic: str, kind: str, latched: bool = False) -> Publish:
        """A topic on which messages of a type can be published; who comes later gets the last one
        too where they are `latched` (transient local)."""

    def subscribe(self, topic: str, kind: str, take: Take, refuse: Refuse) -> None:
        """Calls `take` with every message of a topic, in a thread of the middleware's."""

    def serve(self, service: str, kind: str, answer: Answer, refuse: Refuse) -> None:
        """Answers requests; what can't be answered is refused and gets no answer."""

    def tell_of_namesakes(self, tell: Refuse) -> None:
        """Says so where another node has the same name, now or later: services of both answer."""

    def close(self) -> None:
        """Leaves."""


def open_transport(node: str, domain: int, connect: list[str], listen: list[str]) -> Transport:
    """Through ROS 2 itself where it is sourced (rclpy) and nothing else is said, else through
    Zenoh, which speaks to nodes that run rmw_zenoh."""
    if not (connect or listen) and find_spec("rclpy") is not None:
        from touchback.interop.ros2.rclpy_transport import RclpyTransport

        return RclpyTransport(node, domain)
    from touchback.interop.ros2.zenoh_transport import ZenohTransport

    return ZenohTransport(node, domain, connect, listen)


def kindly(do: Callable[[], None], label: str, refuse: Refuse) -> None:
    """Does what a message asks for; whatever strangers sent must not end the middleware's
    thread."""
    try:
        do()
    except TouchbackError as error:
        refuse(f"{label}: {error}")
    except Exception as error:
        refuse(f"{label}: {words(error)}")
