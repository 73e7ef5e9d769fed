"""What is used of Cyclone DDS, which is imported here alone, when it is asked for."""

from cyclonedds.core import (
    DDSException,
    InstanceState,
    Policy,
    Qos,
    ReadCondition,
    SampleState,
    ViewState,
    WaitSet,
)
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

UNREAD = SampleState.NotRead | ViewState.Any | InstanceState.Any

__all__ = [
    "UNREAD", "DDSException", "DataReader", "DataWriter", "Domain", "DomainParticipant", "Policy",
    "Qos", "ReadCondition", "Topic", "WaitSet",
]  # fmt: skip
