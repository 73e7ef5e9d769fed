"""Types of ROS 2 (Jazzy): their definitions, hashes (REP 2016) and bytes (CDR), by rosbags."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from touchback.errors import InputError

if TYPE_CHECKING:
    from rosbags.typesys.store import Typestore

JOINT_STATE = "sensor_msgs/msg/JointState"
WRENCH = "geometry_msgs/msg/WrenchStamped"
TRANSFORMS = "tf2_msgs/msg/TFMessage"
CLOCK = "rosgraph_msgs/msg/Clock"
STRING = "std_msgs/msg/String"
NUMBERS = "std_msgs/msg/Float64MultiArray"
DIAGNOSTICS = "diagnostic_msgs/msg/DiagnosticArray"
MOST_BYTES = 1 << 17  # of a message that is read: thousands of them may wait
MOST_MEMBERS = 4096  # of a list in one
TRIGGER, SET_BOOL = "std_srvs/srv/Trigger", "std_srvs/srv/SetBool"
GET, SET, LIST, DESCRIBE, TYPES = (
    f"rcl_interfaces/srv/{word}Parameters" if word != "GetTypes" else
    "rcl_interfaces/srv/GetParameterTypes"
    for word in ("Get", "Set", "List", "Describe", "GetTypes")
)  # fmt: skip
SERVICES: dict[str, tuple[str, str]] = {  # what a request and its response have
    TRIGGER: ("", "bool success\nstring message"),
    SET_BOOL: ("bool data", "bool success\nstring message"),
    GET: ("string[] names", "rcl_interfaces/ParameterValue[] values"),
    SET: ("rcl_interfaces/Parameter[] parameters", "rcl_interfaces/SetParametersResult[] results"),
    LIST: ("string[] prefixes\nuint64 depth", "rcl_interfaces/ListParametersResult result"),
    DESCRIBE: ("string[] names", "rcl_interfaces/ParameterDescriptor[] descriptors"),
    TYPES: ("string[] names", "uint8[] types"),
}


@cache
def store() -> Typestore:
    """The types of Jazzy, with the services above; lists are read up to `MOST_MEMBERS`."""
    try:
        from rosbags.typesys.store import Typestore
        from rosbags.typesys.stores import ros2_jazzy
    except ImportError:
        raise InputError(
            "Messages of ROS 2 need rosbags; install it with `pip install touchback[ros2]`."
        ) from None
    made = Typestore(ros2_jazzy, max_sequence_length=MOST_MEMBERS)
    _mend_chars(made)
    for name, (request, response) in SERVICES.items():
        add_service(made, name, request, response)
    return made


def _mend_chars(made: Typestore) -> None:
    """`char` of a .msg file is an unsigned byte, and hashed as one; rosbags takes IDL's char."""
    from rosbags.interfaces import Nodetype

    event = "service_msgs/msg/ServiceEventInfo"
    constants, fields = made.fielddefs[event]
    gid: Any = (Nodetype.ARRAY, ((Nodetype.BASE, ("uint8", 0)), 16))
    corrected = [(name, gid if name == "client_gid" else kind) for name, kind in fields]
    made.fielddefs[event] = (constants, corrected)


def add_service(made: Typestore, name: str, request: str, response: str) -> None:
    """A service by what its request and response have; its own type is hashed, theirs are sent."""
    from rosbags.interfaces import Nodetype
    from rosbags.typesys import get_types_from_msg

    asked, told, event = (f"{name}_{part}" for part in ("Request", "Response", "Event"))

    def fields(text: str) -> Any:
        found = next(iter(get_types_from_msg(text, "a/msg/A").values()))[1]
        nothing = ("structure_needs_at_least_one_member", (Nodetype.BASE, ("uint8", 0)))
        return list(found) or [nothing]

    def named(field: str, kind: str) -> Any:
        return field, (Nodetype.NAME, kind)

    def at_most_one(field: str, kind: str) -> Any:
        return field, (Nodetype.SEQUENCE, ((Nodetype.NAME, kind), 1))

    made.register({
        asked: ([], fields(request)),
        told: ([], fields(response)),
        event: ([], [
            named("info", "service_msgs/msg/ServiceEventInfo"),
            at_most_one("request", asked), at_most_one("response", told),
        ]),
        name: ([], [
            named("request_message", asked), named("response_message", told),
            named("event_message", event),
        ]),
    })  # fmt: skip


@cache
def type_hash(name: str) -> str:
    """What tells definitions of a type apart (REP 2016): "RIHS01_…"."""
    return store().hash_rihs01(name)


def dds_name(name: str) -> str:
    """ "std_msgs/msg/String" is "std_msgs::msg::dds_::String_" on wires."""
    package, kind, own = name.split("/")
    return f"{package}::{kind}::dds_::{own}_"


def schema_of(name: str) -> bytes:
    """The definition of a type and of all that it holds, as a file of ROS 2 has it."""
    return store().generate_msgdef(name, ros_version=2)[0].encode()


def make(name: str, *fields: object) -> Any:
    """A message of a type, its fields in order."""
    kind: Any = store().types[name]
    return kind(*fields)


def encode(name: str, message: object) -> bytes:
    """Its bytes."""
    return bytes(store().serialize_cdr(message, name))


def decode(name: str, data: bytes) -> Any:
    """The message that bytes are; refused when they aren't one of that type."""
    if len(data) > MOST_BYTES:
        raise InputError(f"it has {len(data)} bytes; at most {MOST_BYTES} are read")
    try:
        return store().deserialize_cdr(data, name)
    except Exception as error:  # whatever bytes of strangers run the decoder into
        raise InputError(f"it is no {name}: {type(error).__name__}: {error}") from None
