"""Ways to other nodes of ROS 2: one interface, whose messages are bytes (CDR)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import StrEnum
from importlib.util import find_spec
from typing import Protocol

from touchback.errors import InputError, TouchbackError
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


TOO_FAST = "messages on {} come faster than they are taken: the oldest are left out"
_KEPT = 10_000  # latencies


class Middleware(StrEnum):
    """What a node speaks: ROS 2's own where it is sourced and else Zenoh, or one of them."""

    AUTO, ZENOH, DDS = "auto", "zenoh", "dds"


class Transport(Protocol):
    """What a node needs of a middleware. Names of topics and services begin with a slash."""

    def advertise(self, topic: str, kind: str, latched: bool = False) -> Publish:
        """A topic on which messages of a type can be published; who comes later gets the last one
        too where they are `latched` (transient local)."""

    def subscribe(self, topic: str, kind: str, take: Take, refuse: Refuse) -> None:
        """Calls `take` with every message of a topic, in a thread of the middleware's."""

    def serve(self, service: str, kind: str, answer: Answer, refuse: Refuse) -> None:
        """Answers requests; what can't be answered is refused and gets no answer."""

    def remark_to(self, tell: Refuse) -> None:
        """Says from now on what others should know: that another node has the same name, so that
        services of both answer, or that messages weren't taken in time."""

    def unanswered(self) -> str:
        """That there is nobody to hear it now, and what to do, in words; empty where somebody is,
        or nobody is needed."""

    def close(self) -> None:
        """Leaves."""


class Heard:
    """How messages of a topic came: how many, how many are known to be missing, and how long each
    of the last was under way [ns]."""

    def __init__(self) -> None:
        self.messages = self.lost = 0
        self.latencies: deque[int] = deque(maxlen=_KEPT)

    def note(self, under_way: int, missing: int = 0) -> None:
        """Another one."""
        self.messages, self.lost = self.messages + 1, self.lost + missing
        self.latencies.append(under_way)


def open_transport(
    node: str, domain: int, connect: list[str], listen: list[str],
    middleware: Middleware = Middleware.AUTO,
) -> Transport:  # fmt: skip
    """Through ROS 2 itself where it is sourced (rclpy) and nothing else is said, else through
    Zenoh, which speaks to nodes that run rmw_zenoh; or DDS, to those that run rmw_cyclonedds."""
    if middleware == Middleware.DDS:
        if connect or listen:
            raise InputError(
                f"{(connect + listen)[0]!r} is an endpoint of Zenoh; DDS is on this machine alone, "
                "or as CYCLONEDDS_URI says."
            )
        from touchback.interop.ros2.dds_transport import DdsTransport

        return DdsTransport(node, domain)
    given = connect or listen or middleware == Middleware.ZENOH
    if not given and find_spec("rclpy") is not None:
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
