"""What rmw_zenoh puts on the wire around the bytes of a message: keys, tokens and attachments.

The source is its docs/design.md and src/detail/{liveliness_utils,attachment_helpers,
rmw_publisher_data,rmw_service_data}.cpp (github.com/ros2/rmw_zenoh, Jazzy and later).
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.recording.ros2.ros2_types import dds_name, type_hash

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
