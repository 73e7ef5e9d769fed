"""Another process over DDS: Cyclone's own Python with types as ROS 2's IDL has them. It commands at
1 kHz, hears every tick, and prints what it heard."""

import json
import sys
import threading
import time
from dataclasses import dataclass

from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, bounded_str, float64, int32, sequence, uint8, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

CONFIGURATION = """<CycloneDDS><Domain Id="any"><General><AllowMulticast>false</AllowMulticast>
<Interfaces><NetworkInterface name="lo"/></Interfaces></General><Discovery>
<ParticipantIndex>auto</ParticipantIndex><Peers><Peer Address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""


@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: int32
    nanosec: uint32


@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time
    frame_id: str


@dataclass
class JointState(IdlStruct, typename="sensor_msgs.msg.dds_.JointState_"):
    header: Header
    name: sequence[str]
    position: sequence[float64]
    velocity: sequence[float64]
    effort: sequence[float64]


@dataclass
class Gid(IdlStruct, typename="rmw_dds_common.msg.dds_.Gid_"):
    data: array[uint8, 16]


@dataclass
class NodeInfo(IdlStruct, typename="rmw_dds_common.msg.dds_.NodeEntitiesInfo_"):
    node_namespace: bounded_str[256]
    node_name: bounded_str[256]
    reader_gid_seq: sequence[Gid]
    writer_gid_seq: sequence[Gid]


@dataclass
class Info(IdlStruct, typename="rmw_dds_common.msg.dds_.ParticipantEntitiesInfo_"):
    gid: Gid
    node_entities_info_seq: sequence[NodeInfo]


def quality(latched: bool) -> Qos:
    durability = Policy.Durability
    return Qos(
        Policy.Reliability.Reliable(10**9),
        durability.TransientLocal if latched else durability.Volatile,
        Policy.History.KeepLast(5000),
    )


domain, ticks = int(sys.argv[1]), int(sys.argv[2])
within = Domain(domain, CONFIGURATION)
participant = DomainParticipant(domain)


def topic(name: str, kind: type) -> Topic:
    return Topic(participant, name, kind)


states = DataReader(participant, topic("rt/joint_states", JointState), qos=quality(False))
graph = DataReader(participant, topic("ros_discovery_info", Info), qos=quality(True))
commands = DataWriter(participant, topic("rt/joint_commands", JointState), qos=quality(False))
heard, latencies, sent = [], [], 0
enough = threading.Event()


def command() -> None:
    global sent
    due = time.monotonic()
    while not enough.is_set():
        number = 1.0 + 1e-6 * (sent + 1)
        commands.write(JointState(Header(Time(0, 0), ""), ["shoulder"], [], [], [number]))
        sent += 1
        due += 0.001
        time.sleep(max(0.0, due - time.monotonic()))


while not (commands.get_matched_subscriptions() and states.get_matched_publications()):
    time.sleep(0.005)
told: dict[str, list[str]] = {}
while not told:
    time.sleep(0.005)
    for info in graph.take(100):
        for node in info.node_entities_info_seq:
            told[node.node_namespace] = [node.node_name]
states.take(5000)
commander = threading.Thread(target=command)
commander.start()
while len(heard) < ticks or sent < ticks:
    time.sleep(0.001)
    for each in states.take(5000):
        latencies.append(time.time_ns() - each.sample_info.source_timestamp)
        heard.append(each)
enough.set()
commander.join()
commands.wait_for_acks(60 * 10**9)
print(json.dumps({
    "stamps": [10**9 * s.header.stamp.sec + s.header.stamp.nanosec for s in heard],
    "positions": [s.position[0] for s in heard], "velocities": [s.velocity[0] for s in heard],
    "latencies": latencies, "sent": sent, "nodes": told,
}))  # fmt: skip
