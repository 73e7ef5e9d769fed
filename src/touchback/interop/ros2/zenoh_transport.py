"""Zenoh as rmw_zenoh speaks it: nodes of ROS 2 with RMW_IMPLEMENTATION=rmw_zenoh_cpp hear and
answer it, and none of ROS needs to be installed here.

Keys, tokens and attachments around the bytes of a message are those of rmw_zenoh's docs/design.md
and src/detail/{liveliness_utils,attachment_helpers,rmw_publisher_data,rmw_service_data}.cpp
(github.com/ros2/rmw_zenoh, Jazzy and later)."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import struct
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from touchback.errors import DeviceError, InputError
from touchback.interop.ros2.message_queue import MessageQueue
from touchback.interop.ros2.node_transport import (
    NAMESAKE,
    TOO_FAST,
    Answer,
    Heard,
    Publish,
    Refuse,
    Take,
    call_safely,
    check_domain,
    check_node,
)
from touchback.recording.ros2.ros2_types import MOST_BYTES, dds_name, type_hash

if TYPE_CHECKING:
    import zenoh


_ATTACHED = struct.Struct("<qqB16s")  # sequence, stamp, and a byte that counts the next sixteen


_GID = 16


NODE, PUBLISHER, SUBSCRIPTION, SERVICE, CLIENT = "NN", "MP", "MS", "SS", "SC"


@dataclass(frozen=True)
class Attached:
    """What comes beside a message: its number, when it was sent [ns since 1970], by whom."""

    sequence: int
    stamp: int
    gid: bytes

    def packed(self) -> bytes:
        """As on the wire, 33 bytes."""
        return _ATTACHED.pack(self.sequence, self.stamp, _GID, self.gid)

    @staticmethod
    def unpacked(data: bytes) -> Attached:
        """And back; refused when they are no such bytes."""
        if len(data) != _ATTACHED.size or data[16] != _GID:
            raise InputError(f"its attachment has {len(data)} bytes and isn't rmw_zenoh's")
        sequence, stamp, _, gid = _ATTACHED.unpack(data)
        return Attached(sequence, stamp, gid)


def topic_key(domain: int, topic: str, kind: str) -> str:
    """Under which messages of a topic, or requests of a service, are sent."""
    return f"{domain}/{topic.strip('/')}/{dds_name(kind)}/{type_hash(kind)}"


def mangled(name: str) -> str:
    """A name with slashes as one part of a key."""
    return name.replace("/", "%")


@dataclass(frozen=True)
class Entity:
    """A node or what it has (`what`), by numbers within a session, as others see it."""

    domain: int
    session: str
    node: str
    what: str = NODE
    number: int = 0
    topic: str = ""
    kind: str = ""
    latched: bool = False
    depth: int = 10

    def token(self) -> str:
        """By which others know of it for as long as it lives."""
        begin = f"@ros2_lv/{self.domain}/{self.session}/0/{self.number}/{self.what}/%/%/{self.node}"
        if self.what == NODE:
            return begin
        # Reliability, durability, history and depth, deadline, lifespan, liveliness; nothing where
        # they are what rmw_zenoh has by itself: reliable, volatile, last, none.
        quality = f":{'1' if self.latched else ''}:,{self.depth}:,:,:,,"
        return (
            f"{begin}/{mangled(self.topic)}/{dds_name(self.kind)}/{type_hash(self.kind)}/{quality}"
        )

    def gid(self) -> bytes:
        """Sixteen bytes that tell it apart from all others. rmw_zenoh's own are another hash of the
        same token, which nobody compares with what came on the wire."""
        return hashlib.blake2b(self.token().encode(), digest_size=_GID).digest()


ROUTER = "tcp/localhost:7447"  # rmw_zenohd, where nothing else is said


_ANY_PORT = "tcp/localhost:0"


_ENDPOINT = re.compile(
    r"(?:tcp|udp|tls|quic|ws)/(?:\[[0-9A-Fa-f:.]+\]|[^\s/:]+):(\d{1,5})(?:[?#].*)?"
)


_PLACE = re.compile(r" at \S+\.rs:\d+\.?")  # in Rust


_PATIENCE = "transport/link/tx/queue/congestion_control/block/wait_before_close"


_PUBLISHERS = 256  # that are told apart


_ACQUAINTED = 100  # messages


_WITHIN = 1000  # requests of a service that may wait, as rmw_zenoh's profile has it


class SequenceGapCounter(Heard):
    """What is missing between numbers of messages. While two nodes get to know each other Zenoh may
    leave one out, as it does all before: gaps count from the hundredth message of a publisher
    on."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[bytes, tuple[int, int]] = {}  # messages and last number, by publisher

    def count(self, attached: Attached, now: int) -> int:
        """Another one; how many of its publisher are missing before it."""
        if len(self._known) >= _PUBLISHERS and attached.gid not in self._known:
            self._known.clear()
        count, last = self._known.get(attached.gid, (0, 0))
        self._known[attached.gid] = count + 1, attached.sequence
        missing = max(attached.sequence - last - 1, 0) if count >= _ACQUAINTED else 0
        self.note(now - attached.stamp, missing)
        return missing


class ZenohTransport:
    """A session as a node of ROS 2: it connects to a router (or other peers) and listens on this
    machine alone, by default."""

    def __init__(
        self, node: str, domain: int = 0, connect: Sequence[str] = (), listen: Sequence[str] = ()
    ) -> None:
        zenoh = _zenoh()
        self._zenoh, self.node, self.domain = zenoh, check_node(node), check_domain(domain)
        self._connect = list(connect) or ([] if listen else [ROUTER])
        self._listen = list(listen) or [_ANY_PORT]
        config = zenoh.Config()
        settings = {
            "mode": "peer",
            "connect/endpoints": self._connect,
            "listen/endpoints": self._listen,
            "scouting/multicast/enabled": False,
            "scouting/gossip/enabled": True,
            _PATIENCE: 5_000_000,  # µs; who takes nothing for so long is let go
            "open/return_conditions/connect_scouted": False,  # others may come at any time
            "timestamping/enabled": True,  # what is latched is kept by its time
        }
        for endpoint in (*connect, *listen):
            check_endpoint(endpoint)
        try:
            for key, value in settings.items():
                config.insert_json5(key, json.dumps(value))
            self._session = zenoh.open(config)
        except Exception as error:  # of its own kind, which is no one else's
            raise DeviceError(
                f"Zenoh can't connect to {self._connect} and listen on {self._listen}: "
                f"{_why(error)}."
            ) from None
        self.heard: dict[str, Heard] = {}  # by topic
        self._open, self._lines = True, list[MessageQueue[Any]]()
        self._numbers, self._held = itertools.count(1), list[Any]()
        self._declare(Entity(domain, self._id, node))

    @property
    def _id(self) -> str:
        return str(self._session.zid())

    def _declare(self, entity: Entity) -> None:
        """Others see it from now on."""
        self._held.append(self._session.liveliness().declare_token(entity.token()))

    def _entity(self, what: str, topic: str, kind: str, latched: bool, depth: int) -> Entity:
        number = next(self._numbers)
        return Entity(self.domain, self._id, self.node, what, number, topic, kind, latched, depth)

    def advertise(self, topic: str, kind: str, latched: bool = False) -> Publish:
        """A topic. Where others are slow to take what is published, whoever publishes waits, which
        is never the tick: nothing is dropped on the way."""
        key, zenoh = topic_key(self.domain, topic, kind), self._zenoh
        entity = self._entity(PUBLISHER, topic, kind, latched, 1 if latched else 1000)
        quality = {"congestion_control": zenoh.CongestionControl.BLOCK, "express": True}
        if latched:
            from zenoh.ext import CacheConfig, declare_advanced_publisher

            publisher: Any = declare_advanced_publisher(
                self._session, key, cache=CacheConfig(1), publisher_detection=True, **quality
            )
        else:
            publisher = self._session.declare_publisher(key, **quality)
        self._held.append(publisher)
        self._declare(entity)
        gid, sequence, lock = entity.gid(), itertools.count(1), threading.Lock()

        def publish(data: bytes) -> None:
            with lock:  # numbers go out in their order
                attached = Attached(next(sequence), time.time_ns(), gid)
                publisher.put(data, attachment=attached.packed())

        return publish

    def subscribe(self, topic: str, kind: str, take: Take, refuse: Refuse) -> None:
        """Messages of a topic; those of another type, or of another definition of it, which
        rmw_zenoh would never tell of, are refused with words."""
        wanted, heard = topic_key(self.domain, topic, kind), SequenceGapCounter()
        self.heard[topic] = heard

        def came(sample: zenoh.Sample) -> None:
            now = time.time_ns()

            def deliver() -> None:
                found = str(sample.key_expr)
                if found != wanted:
                    raise InputError(f"it is of type {'/'.join(found.split('/')[-2:])}")
                if len(sample.payload) > MOST_BYTES:
                    raise InputError(f"it has {len(sample.payload)} bytes; {MOST_BYTES} are taken")
                if sample.attachment is None:
                    raise InputError("it has no attachment, so that nobody of ROS 2 sent it")
                missing = heard.count(Attached.unpacked(bytes(sample.attachment)), now)
                take(bytes(sample.payload))
                if missing:
                    refuse(f"{missing} messages on {topic} were lost on the way")

            call_safely(deliver, f"a message on {topic} is refused", refuse)

        entity = self._entity(SUBSCRIPTION, topic, kind, False, 1000)
        every = f"{self.domain}/{topic.strip('/')}/*/*"
        self._declare(entity)
        line = MessageQueue(came, lambda: refuse(TOO_FAST.format(topic)))
        self._lines.append(line)

        def heard_of(sample: zenoh.Sample) -> None:
            if len(sample.payload) > MOST_BYTES:
                came(sample)  # which refuses it
            else:
                line.put(sample, len(sample.payload))

        self._held.append(self._session.declare_subscriber(every, heard_of))

    def serve(self, service: str, kind: str, answer: Answer, refuse: Refuse) -> None:
        """A service."""
        key = topic_key(self.domain, service, kind)

        def came(query: zenoh.Query) -> None:
            if not self._open:
                return

            def reply() -> None:
                payload, beside = query.payload, query.attachment
                if payload is None or beside is None:
                    raise InputError("it has no bytes, or no attachment")
                asked = Attached.unpacked(bytes(beside))
                told = answer(bytes(payload))
                attached = Attached(asked.sequence, time.time_ns(), asked.gid)
                query.reply(key, told, attachment=attached.packed())

            call_safely(reply, f"a request of {service} is refused", refuse)

        entity = self._entity(SERVICE, service, kind, False, _WITHIN)
        self._held.append(self._session.declare_queryable(key, came, complete=True))
        self._declare(entity)

    def report_problems_to(self, tell: Refuse) -> None:
        """Other nodes of the same name, by their tokens."""

        def came(sample: zenoh.Sample) -> None:
            session = str(sample.key_expr).split("/")[2]
            if sample.kind == self._zenoh.SampleKind.PUT and session != self._id:
                tell(NAMESAKE.format(self.node, self.domain))

        every = Entity(self.domain, "*", self.node).token()
        self._held.append(self._session.liveliness().declare_subscriber(every, came, history=True))

    def unanswered(self) -> str:
        """Where no router and no peer is connected: what would make one."""
        told = self._session.info
        if told.routers_zid() or told.peers_zid():
            return ""
        if not self._connect:
            return f"nobody is connected to {', '.join(self._listen)} yet"
        return (
            f"nobody answers at {', '.join(self._connect)}; start a router there (`ros2 run "
            "rmw_zenoh_cpp rmw_zenohd`), or say where one is"
        )

    def close(self) -> None:
        """Leaves: others see that it is gone, with all that it has. What waits to be heard is
        dropped."""
        self._open = False
        if not self._session.is_closed():
            self._session.close()
        for line in self._lines:
            line.close()


def check_endpoint(text: str) -> None:
    """Refuses what can't be an endpoint of Zenoh."""
    found = _ENDPOINT.fullmatch(text)
    if found is None or int(found[1]) > 65535:
        raise InputError(
            f"{text!r} is no endpoint of Zenoh: give a protocol, a host and a port up to 65535, as "
            "in tcp/127.0.0.1:7447."
        )


def _why(error: Exception) -> str:
    """Why a session isn't opened, without the places in Zenoh's own source."""
    number = re.search(r"os error (\d+)", str(error))
    return os.strerror(int(number[1])) if number else _PLACE.sub("", str(error)).strip(" .")


def _zenoh() -> Any:
    try:
        import zenoh
    except ImportError:
        raise InputError(
            "ROS 2 by rmw_zenoh's wire needs eclipse-zenoh; install it with `pip install "
            "touchback[ros2]`."
        ) from None
    return zenoh
