"""Types of ROS 2 for Cyclone DDS, made of their definitions: what others see of them is their name
and fields, what goes over the wire are our own bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from touchback.errors import InputError
from touchback.recording.ros2.types import dds_name, store

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


def parted(data: bytes) -> tuple[bytes, bytes]:
    """The header of a request, and its message."""
    if len(data) < 4 + HEADER:
        raise InputError(f"it has {len(data)} bytes; a request of rmw_cyclonedds has a header")
    return data[4 : 4 + HEADER], data[:4] + data[4 + HEADER :]


def joined(header: bytes, data: bytes) -> bytes:
    """A message with the header of what it answers: sixteen bytes, so that all of it stays
    aligned."""
    return data[:4] + header + data[4:]
