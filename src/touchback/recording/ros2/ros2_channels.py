"""A run as messages of ROS 2 in an MCAP file, which robotics tools play"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from touchback.errors import InputError
from touchback.recording.mcap_writer import TableWriter
from touchback.recording.ros2.ros2_messages import JOINT_STATES, TF, MessageBuilder
from touchback.recording.ros2.ros2_types import JOINT_STATE, TRANSFORMS, WRENCH, schema_of
from touchback.recording.run_data import RunData

_TRANSFORMS = 100.0  # a second, at most


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
