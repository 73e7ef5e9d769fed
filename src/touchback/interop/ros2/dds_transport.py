"""DDS (Eclipse Cyclone) with ROS 2's names: nodes with RMW_IMPLEMENTATION=rmw_cyclonedds_cpp hear
and answer it, and none of ROS needs to be installed here.

Types are made of their definitions for Cyclone: others see their name and fields, and our own bytes
go over the wire. The graph tells `ros2 node list` which nodes a participant has, and which readers
and writers (rmw_dds_common, topic ros_discovery_info)."""

from __future__ import annotations

import os
import platform
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

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
from touchback.recording.ros2.ros2_types import (
    MOST_BYTES,
    dds_name,
    decode,
    encode,
    make,
    store,
    type_hash,
)

HEADER = 16  # bytes before a request and its response: who asks (u64) and its number (i64)


@dataclass(frozen=True)
class Endpoint:
    """A topic of DDS as ROS 2 names it, the type on it, and whether messages have a header, as
    rmw_cyclonedds writes it for services (its src/serdata.hpp)."""

    topic: str
    kind: str
    headed: bool = False


def of_topic(topic: str, kind: str) -> Endpoint:
    """ "/joint_states" is rt/joint_states (design.ros2.org, "Topic and Service name mapping")."""
    return Endpoint(f"rt{topic}", kind)


def of_service(service: str, kind: str) -> tuple[Endpoint, Endpoint]:
    """Its requests and its responses."""
    return (
        Endpoint(f"rq{service}Request", f"{kind}_Request", headed=True),
        Endpoint(f"rr{service}Reply", f"{kind}_Response", headed=True),
    )


@cache
def data_type(endpoint_kind: str, headed: bool = False) -> Any:
    """The class of a type, whose samples have nothing but their bytes (`raw`): Cyclone's own code
    in Python to write and read fields isn't used."""
    from cyclonedds.idl import make_idl_struct
    from cyclonedds.idl.types import int64, uint64

    fields = {"guid": uint64, "seq": int64} if headed else {}
    for name, kind in store().fielddefs[endpoint_kind][1]:
        fields[name] = _field(kind)
    called = endpoint_kind.replace("/", "_") + ("_headed" if headed else "")
    made: Any = make_idl_struct(called, dds_name(endpoint_kind).replace("::", "."), fields)

    def sample(data: bytes, **_: object) -> Any:
        one = made.__new__(made)
        one.raw = data
        return one

    made.serialize = lambda self, **_: self.raw
    made.deserialize = made.deserialize_key = staticmethod(sample)
    return made


def _field(kind: Any) -> Any:
    from rosbags.interfaces import Nodetype

    types: Any = import_module("cyclonedds.idl.types")  # "sequence[float64]" is its own idea
    what, inside = kind
    if what == Nodetype.NAME:
        return data_type(inside)
    if what == Nodetype.BASE:
        name, bound = inside
        if name == "string":
            return types.bounded_str[bound] if bound else str
        return bool if name == "bool" else getattr(types, _BASES.get(name, name))
    one, count = _field(inside[0]), inside[1]
    if what == Nodetype.ARRAY:
        return types.array[one, count]
    return types.sequence[one, count] if count else types.sequence[one]


_BASES = {"byte": "uint8", "octet": "uint8", "char": "uint8"}


def split_header(data: bytes) -> tuple[bytes, bytes]:
    """The header of a request, and its message."""
    if len(data) < 4 + HEADER:
        raise InputError(f"it has {len(data)} bytes; a request of rmw_cyclonedds has a header")
    return data[4 : 4 + HEADER], data[:4] + data[4 + HEADER :]


def add_header(header: bytes, data: bytes) -> bytes:
    """A message with the header of what it answers: sixteen bytes, so that all of it stays
    aligned."""
    return data[:4] + header + data[4:]


_INFO = "rmw_dds_common/msg/ParticipantEntitiesInfo"


GRAPH = Endpoint("ros_discovery_info", _INFO)


def _gid(identifier: bytes) -> Any:
    return make("rmw_dds_common/msg/Gid", np.frombuffer(identifier, dtype=np.uint8))


@dataclass
class Graph:
    """A participant with one node, by identifiers (GUIDs)."""

    participant: bytes
    node: str
    readers: list[bytes] = field(default_factory=list)
    writers: list[bytes] = field(default_factory=list)

    def message(self) -> bytes:
        """The message that says so."""
        ends = ([_gid(each) for each in known] for known in (self.readers, self.writers))
        node = make("rmw_dds_common/msg/NodeEntitiesInfo", "/", self.node, *ends)
        return encode(_INFO, make(_INFO, _gid(self.participant), [node]))

    def compare(self, data: bytes, domain: int, tell: Refuse) -> None:
        """Tells of a node of the same name, of another participant."""
        other = decode(_INFO, data)
        names = [(each.node_namespace, each.node_name) for each in other.node_entities_info_seq]
        if bytes(other.gid.data) != self.participant and ("/", self.node) in names:
            tell(NAMESAKE.format(self.node, domain))


_DEPTH, _WITHIN = 10_000, 10  # messages of a topic that may wait; requests, as rclpy has it


_PATIENCE = 5  # s that whoever publishes waits for a slow reader


_AT_ONCE = 100  # messages that are taken in one go


_LOOKED = 100_000_000  # ns after which the end is looked for


_HERE = """<CycloneDDS><Domain Id="any">
<General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>
<Peers><Peer Address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""


_BUILT = (
    " It has no wheel for Linux on other processors than x86-64: build Eclipse Cyclone DDS "
    "(its C library, release 11) first and set CYCLONEDDS_HOME to where it lies; or speak Zenoh."
)


_domains: WeakValueDictionary[int, Any] = WeakValueDictionary()  # one of each in a process


class DdsTransport:
    """A participant as a node of ROS 2, on this machine alone unless CYCLONEDDS_URI says
    otherwise."""

    def __init__(self, node: str, domain: int = 0) -> None:
        self._dds = _cyclone()
        self.node, self.domain = check_node(node), check_domain(domain)
        try:
            self._within = _domain(self._dds, domain)
            mine = self._qos(self._dds.Policy.Userdata(data=b"enclave=/;"))
            self._participant = self._dds.DomainParticipant(domain, qos=mine)
            self._waiting = self._dds.WaitSet(self._participant)
        except self._dds.DDSException as error:
            raise DeviceError(
                f"DDS can't join domain {domain}: {error.msg}. Is the loopback interface 'lo' up, "
                "or is what CYCLONEDDS_URI says right?"
            ) from None
        self.heard: dict[str, Heard] = {}  # by topic
        self._topics: dict[Endpoint, Any] = {}
        self._writers: list[Any] = []
        self._lines: list[MessageQueue[bytes]] = []
        self._readers: list[tuple[Any, Callable[[bytes, Any], None]]] = []
        self._graph = Graph(self._participant.guid.bytes, node)
        self._tell_graph = self._write(GRAPH, latched=True, depth=1)
        self._tell_graph(self._graph.message())
        self._remark: Refuse = warnings.warn
        self._open = True
        self._thread = threading.Thread(target=self._serve, name="touchback dds", daemon=True)
        self._thread.start()

    # ---- entities -------------------------------------------------------------------------------

    def _qos(self, *policies: Any) -> Any:
        return self._dds.Qos(*policies)

    def _quality(self, endpoint: Endpoint, latched: bool, depth: int) -> Any:
        """As rclpy's: reliable, volatile or (latched) transient local, so many kept."""
        policy, durability = self._dds.Policy, self._dds.Policy.Durability
        return self._qos(
            policy.Reliability.Reliable(_PATIENCE * 10**9),
            durability.TransientLocal if latched else durability.Volatile,
            policy.History.KeepLast(depth),
            policy.DataRepresentation(use_cdrv0_representation=True),
            policy.Userdata(data=f"typehash={type_hash(endpoint.kind)};".encode()),
        )

    def _topic(self, endpoint: Endpoint) -> Any:
        if endpoint not in self._topics:
            kind = data_type(endpoint.kind, endpoint.headed)
            self._topics[endpoint] = self._dds.Topic(self._participant, endpoint.topic, kind)
        return self._topics[endpoint]

    def _write(self, endpoint: Endpoint, latched: bool, depth: int) -> Publish:
        """A writer, which lives for as long as the transport."""
        quality, number = self._quality(endpoint, latched, depth), len(self._writers)
        sample = data_type(endpoint.kind, endpoint.headed).deserialize
        writer = self._dds.DataWriter(self._participant, self._topic(endpoint), qos=quality)
        self._writers.append(writer)
        if endpoint is not GRAPH:
            self._graph.writers.append(writer.guid.bytes)
            self._tell_graph(self._graph.message())

        def publish(data: bytes) -> None:
            try:
                self._writers[number].write(sample(data))
            except self._dds.DDSException as error:
                if error.code != self._dds.DDSException.DDS_RETCODE_TIMEOUT:
                    raise
                self._remark(f"a message on {endpoint.topic} was taken by nobody for {_PATIENCE} s")

        return publish

    def _read(
        self, endpoint: Endpoint, took: Callable[[bytes, Any], None], latched: bool, depth: int
    ) -> None:
        """Calls with the bytes of every message and what is known of it, in a thread of ours."""
        quality = self._quality(endpoint, latched, depth)
        reader = self._dds.DataReader(self._participant, self._topic(endpoint), qos=quality)
        self._readers.append((reader, took))
        self._waiting.attach(self._dds.ReadCondition(reader, self._dds.UNREAD))
        if endpoint is not GRAPH:
            self._graph.readers.append(reader.guid.bytes)
            self._tell_graph(self._graph.message())

    def _serve(self) -> None:
        while self._open:
            self._waiting.wait(_LOOKED)
            for reader, took in tuple(self._readers):
                for sample in reader.take(_AT_ONCE):
                    if sample.sample_info.valid_data and self._open:
                        took(sample.raw, sample.sample_info)

    # ---- what a node needs ----------------------------------------------------------------------

    def advertise(self, topic: str, kind: str, latched: bool = False) -> Publish:
        """A topic. Where others are slow to take what is published, whoever publishes waits."""
        return self._write(of_topic(topic, kind), latched, 1 if latched else _DEPTH)

    def subscribe(self, topic: str, kind: str, take: Take, refuse: Refuse) -> None:
        """Messages of a topic; DDS itself keeps those of other types away."""
        heard = self.heard[topic] = Heard()

        def took(data: bytes) -> None:
            def deliver() -> None:
                if len(data) > MOST_BYTES:
                    raise InputError(f"it has {len(data)} bytes; {MOST_BYTES} are taken")
                take(data)

            call_safely(deliver, f"a message on {topic} is refused", refuse)

        line = MessageQueue(took, lambda: refuse(TOO_FAST.format(topic)))
        self._lines.append(line)

        def soon(data: bytes, about: Any) -> None:
            heard.note(time.time_ns() - about.source_timestamp)
            if len(data) > MOST_BYTES:
                took(data)  # which refuses it
            else:
                line.put(data, len(data))

        self._read(of_topic(topic, kind), soon, latched=False, depth=_DEPTH)

    def serve(self, service: str, kind: str, answer: Answer, refuse: Refuse) -> None:
        """A service: a topic of requests and one of responses."""
        requests, responses = of_service(service, kind)
        respond = self._write(responses, latched=False, depth=_WITHIN)

        def took(data: bytes, about: Any) -> None:
            def reply() -> None:
                header, message = split_header(data)
                respond(add_header(header, answer(message)))

            call_safely(reply, f"a request of {service} is refused", refuse)

        self._read(requests, took, latched=False, depth=_WITHIN)

    def report_problems_to(self, tell: Refuse) -> None:
        """Other nodes of the same name, by what participants tell of themselves, and messages that
        were lost."""
        self._remark = tell

        def took(data: bytes, about: Any) -> None:
            call_safely(lambda: self._graph.compare(data, self.domain, tell), GRAPH.topic, tell)

        self._read(GRAPH, took, latched=True, depth=_DEPTH)

    def unanswered(self) -> str:
        """Nothing: DDS has nobody in the middle, and others come at any time."""
        return ""

    def close(self) -> None:
        """Leaves: others see that it is gone, with all that it has."""
        self._open = False
        if threading.current_thread() is not self._thread:
            self._thread.join()
        for line in self._lines:
            line.close()
        for known in (self._readers, self._writers, self._topics):
            known.clear()
        # They end with the last who knows them: those that wait before those that are waited for.
        self._waiting = self._participant = self._within = None


def _domain(dds: Any, number: int) -> Any:
    """A domain of this process: on loopback, or as CYCLONEDDS_URI has it."""
    known = _domains.get(number)
    if known is None:
        known = dds.Domain(number, os.environ.get("CYCLONEDDS_URI") or _HERE)
        _domains[number] = known
    return known


def _cyclone() -> Any:
    """What is used of Cyclone, under one name."""
    try:
        from touchback.interop.ros2 import cyclone_dds
    except ImportError:
        raise InputError(
            "ROS 2 by DDS needs cyclonedds; install it with `pip install touchback[dds]`."
            + ("" if platform.machine() == "x86_64" else _BUILT)
        ) from None
    return cyclone_dds
