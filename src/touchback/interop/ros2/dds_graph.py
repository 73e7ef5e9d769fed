"""What nodes over DDS tell of themselves, so that `ros2 node list` knows them: which nodes a
participant has, and which readers and writers (rmw_dds_common, topic ros_discovery_info)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from touchback.interop.ros2.dds_types import Endpoint
from touchback.interop.ros2.transport import NAMESAKE, Refuse
from touchback.recording.ros2.types import decode, encode, make

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

    def told(self) -> bytes:
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
