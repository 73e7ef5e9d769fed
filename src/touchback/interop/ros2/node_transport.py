"""Ways to other nodes of ROS 2: one interface, whose messages are bytes (CDR)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Protocol

from touchback.errors import InputError, TouchbackError
from touchback.realtime import words

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


class Transport(Protocol):
    """What a node needs of a middleware. Names of topics and services begin with a slash."""

    def advertise(self, topic: str, kind: str, latched: bool = False) -> Publish:
        """A topic on which messages of a type can be published; who comes later gets the last one
        too where they are `latched` (transient local)."""

    def subscribe(self, topic: str, kind: str, take: Take, refuse: Refuse) -> None:
        """Calls `take` with every message of a topic, in a thread of the middleware's."""

    def serve(self, service: str, kind: str, answer: Answer, refuse: Refuse) -> None:
        """Answers requests; what can't be answered is refused and gets no answer."""

    def report_problems_to(self, tell: Refuse) -> None:
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


def call_safely(do: Callable[[], None], label: str, refuse: Refuse) -> None:
    """Does what a message asks for; whatever strangers sent must not end the middleware's
    thread."""
    try:
        do()
    except TouchbackError as error:
        refuse(f"{label}: {error}")
    except Exception as error:
        refuse(f"{label}: {words(error)}")


def node_name(text: str) -> str:
    """A name that ROS takes: "piano action" is piano_action."""
    made = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_").lower()
    return made if _NODE.fullmatch(made) else f"_{made}"


def check_node(name: str) -> str:
    """Refuses a name of a node that ROS doesn't take."""
    if not _NODE.fullmatch(name):
        raise InputError(
            f"A node of ROS can't be called {name!r}: letters, digits and underscores, a letter "
            "first."
        )
    return name


def check_domain(domain: int) -> int:
    """ROS_DOMAIN_ID: 0 to 232."""
    if not 0 <= domain <= 232:
        raise InputError(f"A domain of ROS is 0 to 232, got {domain}.")
    return domain


_NODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
