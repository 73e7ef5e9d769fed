"""What rows of a run say as messages of ROS 2, one by one and many at once; a run as such messages
in an MCAP file, which robotics tools play."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.model import GROUND, Frame, Model, Reaction
from touchback.recording.mcap_writer import TableWriter
from touchback.recording.ros2.ros2_types import (
    CLOCK,
    JOINT_STATE,
    NUMBERS,
    TRANSFORMS,
    WRENCH,
    encode,
    make,
    schema_of,
)
from touchback.recording.run_data import RunData
from touchback.system import System
from touchback.system.body_poses import BodyPoses, Floats

_SECONDS, _REST = 0x12345678, 0x3456789A  # of a stamp that is looked for
_NS = 1_000_000_000
_LATEST = 2**31 - 1  # s


class Pattern:
    """`message(stamp, numbers)` makes one; its bytes by rosbags show where stamp and numbers lie,
    and there those of rows are written."""

    def __init__(self, kind: str, message: Callable[[Any, np.ndarray], Any], count: int) -> None:
        stamp = make("builtin_interfaces/msg/Time", _SECONDS, _REST)
        marks = np.array([1.0 + i * 2.0**-40 for i in range(count)])
        data = encode(kind, message(stamp, marks))
        self._bytes = np.frombuffer(data, dtype=np.uint8)
        self._stamp = data.find(struct.pack("<iI", _SECONDS, _REST))  # −1: it has none
        self._places = [data.index(struct.pack("<d", mark)) for mark in marks]

    def filled(self, times: np.ndarray, numbers: np.ndarray) -> list[bytes]:
        """Messages of n times [s] with numbers (n, count)."""
        block = np.tile(self._bytes, (len(times), 1))
        if self._stamp >= 0:
            ns = np.rint(_NS * np.clip(times, 0.0, _LATEST)).astype(np.int64)
            stamps = np.stack([ns // _NS, ns % _NS], axis=1).astype("<u4")
            block[:, self._stamp : self._stamp + 8] = stamps.view(np.uint8)
        for place, column in zip(self._places, np.asarray(numbers, dtype="<f8").T, strict=True):
            block[:, place : place + 8] = np.ascontiguousarray(column)[:, None].view(np.uint8)
        return [row.tobytes() for row in block]


JOINT_STATES, TF, CLOCKS = "/joint_states", "/tf", "/clock"
WORLD = "world"  # what ROS, and the URDF that we write, call the ground
_NONE = np.empty(0)
_TRANSFORMS = 100.0  # a second, at most


def topic_of(text: str) -> str:
    """A part of a topic's name: letters, digits and underscores, no digit first."""
    made = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_").lower()
    return made if made and not made[0].isdigit() else f"_{made}"


def stamp_of(seconds: float) -> Any:
    """A time of the model, which begins at 0, as ROS has times."""
    whole, rest = divmod(max(round(1e9 * seconds), 0), 1_000_000_000)
    return make("builtin_interfaces/msg/Time", min(whole, 0x7FFFFFFF), rest)


def header_of(seconds: float, frame: str = "") -> Any:
    return make("std_msgs/msg/Header", stamp_of(seconds), frame)


def clock(seconds: float) -> bytes:
    """A message of /clock."""
    return encode(CLOCK, make(CLOCK, stamp_of(seconds)))


@dataclass(frozen=True)
class WrenchTopic:
    """A sensor of force and moment: its topic, the frame at and along which they are, and where the
    six numbers stand in a row."""

    topic: str
    frame: str
    places: list[int]
    pattern: Pattern


class MessageBuilder:
    """Messages of the rows of a system, whose `columns` are so called."""

    def __init__(self, system: System, columns: Sequence[str]) -> None:
        self.system, model = system, system.replica.model
        self.columns = tuple(columns)
        place = {name: i for i, name in enumerate(columns)}
        self._time = place["time"]
        copies = [f"{name}/" for name in system.names] or [""]
        self.joints = [
            copy + name for copy in copies for name in scalar_coordinates(model)
            if {copy + name, f"{copy}{name} rate"} <= set(columns)
        ]  # fmt: skip
        self._q = [place[name] for name in self.joints]
        self._v = [place[f"{name} rate"] for name in self.joints]
        frames = reaction_frames(model)
        self.wrenches = [
            WrenchTopic(
                f"/wrenches/{topic_of(copy + name)}", copy + name,
                [place[f"{copy}{name}.{part}"] for part in ("fx", "fy", "fz", "mx", "my", "mz")],
                Pattern(WRENCH, partial(_wrench, copy + name), 6),
            )
            for copy in copies for name in frames if f"{copy}{name}.fx" in place
        ]  # fmt: skip
        self.outputs = [name for name in system.output_names if name in place]
        self._outputs = [place[name] for name in self.outputs]
        self._x = [place[name] for name in system.state_names if name in place]
        self._u = [place[name] for name in system.input_names if name in place]
        self._poses = BodyPoses(system, frames)
        self._states = Pattern(JOINT_STATE, self._joint_state, 2 * len(self.joints))
        self._numbers = Pattern(NUMBERS, self._labelled, len(self.outputs))

    def _joint_state(self, stamp: Any, numbers: Floats) -> Any:
        q, v = np.split(numbers, 2)
        return make(JOINT_STATE, make("std_msgs/msg/Header", stamp, ""), self.joints, q, v, _NONE)

    def _labelled(self, _: Any, numbers: Floats) -> Any:
        count = len(self.outputs)
        dimension = make("std_msgs/msg/MultiArrayDimension", ", ".join(self.outputs), count, count)
        return make(NUMBERS, make("std_msgs/msg/MultiArrayLayout", [dimension], 0), numbers)

    def joint_states(self, rows: Floats) -> list[bytes]:
        """Joints with one coordinate a motion, of each row; those with quaternions are in /tf
        alone. Efforts are left out, as ROS allows."""
        return self._states.filled(rows[:, self._time], rows[:, [*self._q, *self._v]])

    def wrench(self, rows: Floats, each: WrenchTopic) -> list[bytes]:
        """What a sensor of force and moment measures."""
        return each.pattern.filled(rows[:, self._time], rows[:, each.places])

    def numbers(self, rows: Floats) -> list[bytes]:
        """All outputs; the label of their one dimension has the names."""
        return self._numbers.filled(rows[:, self._time], rows[:, self._outputs])

    def transforms(self, row: Floats, parameters: Mapping[str, float]) -> bytes:
        """Where all bodies, and the frames of wrenches, are from the ground."""
        x, t = row[self._x], float(row[self._time])
        inputs = row[self._u] if self._u else self.system.input_defaults
        placed = self._poses.placed(self._poses.numbers(x, t, inputs, parameters))
        header = header_of(t, GROUND if WORLD in self._poses.bodies else WORLD)
        told = [
            _transform(header, name, pose.tolist())
            for name, pose in zip(self._poses.bodies[1:], placed[1:], strict=True)
        ]
        return encode(TRANSFORMS, make(TRANSFORMS, told))


def _wrench(frame: str, stamp: Any, numbers: Floats) -> Any:
    vectors = [make("geometry_msgs/msg/Vector3", *part) for part in np.split(numbers, 2)]
    header = make("std_msgs/msg/Header", stamp, frame)
    return make(WRENCH, header, make("geometry_msgs/msg/Wrench", *vectors))


def _transform(header: Any, name: str, pose: list[float]) -> Any:
    moved = make("geometry_msgs/msg/Vector3", *pose[:3])
    turned = make("geometry_msgs/msg/Quaternion", *pose[3:])
    transform = make("geometry_msgs/msg/Transform", moved, turned)
    return make("geometry_msgs/msg/TransformStamped", header, name, transform)


def scalar_coordinates(model: Model) -> Iterator[str]:
    """Coordinates that have a rate of their own: all but those of joints with quaternions."""
    for name, joint in model.joints.items():
        if joint.kind.nq == joint.kind.nv:
            yield from joint.position_names(name)


def reaction_frames(model: Model) -> dict[str, Frame]:
    """At and along which frame each sensor of a reaction measures."""
    found = dict[str, Frame]()
    for name, sensor in model.sensors.items():
        if isinstance(sensor, Reaction):
            joint = model.joints.get(sensor.joint)
            found[name] = joint.child if joint is not None else model.closures[sensor.joint].b
    return found


def write_messages(writer: TableWriter, run: RunData) -> None:
    """Every instant as /joint_states and wrenches, and where bodies are (/tf) up to a hundred times
    a second."""
    if run.model is None:
        raise InputError(
            "This run doesn't know its mechanism, of which messages of ROS 2 tell; set run.model."
        )
    system = run.model.compile()
    telling = MessageBuilder(system, ["time", *run.names])
    missing = [name for name in system.state_names if name not in run.signals]
    if missing:
        raise InputError(f"The run lacks '{missing[0]}' of its mechanism; simulate it again.")
    rows = np.column_stack([run.time, *run.signals.values()])
    parameters = {**system.parameters, **run.parameters}
    shown = rows[_spread(run.time)]
    topics: dict[str, tuple[str, Sequence[bytes], np.ndarray]] = {
        JOINT_STATES: (JOINT_STATE, telling.joint_states(rows), run.time),
        TF: (TRANSFORMS, [telling.transforms(row, parameters) for row in shown], shown[:, 0]),
        **{each.topic: (WRENCH, telling.wrench(rows, each), run.time) for each in telling.wrenches},
    }
    for topic, (kind, messages, times) in topics.items():
        number = writer.add_messages(topic, "cdr", (kind, "ros2msg", schema_of(kind)))
        for time, message in zip(times.tolist(), messages, strict=True):
            writer.write_message(number, time, message)


def _spread(times: np.ndarray) -> np.ndarray:
    """The first and last instant, and in between those that are far enough apart."""
    if not len(times):
        return np.empty(0, dtype=np.int64)
    slots = np.floor((times - times[0]) * _TRANSFORMS + 1e-6)
    first = np.flatnonzero(np.diff(slots, prepend=-1.0) > 0)
    return np.unique([*first, len(times) - 1])
