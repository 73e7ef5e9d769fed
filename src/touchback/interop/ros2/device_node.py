"""Devices as a node of ROS 2: the talker and listener of ROScom (Docquier 2021, 4.3 and Fig. 8).

The node is a live run too, of a model without bodies that hands numbers on: so devices are served,
watched and brought to safe values as in any other run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from touchback import Live, Model, Signal
from touchback.errors import InputError
from touchback.interop.ros2.model_node import JOINT_COMMANDS, ErrorCounter
from touchback.interop.ros2.node_transport import Transport
from touchback.realtime import GuardedOutput, WatchedInput
from touchback.recording.ros2.ros2_messages import Pattern
from touchback.recording.ros2.ros2_types import JOINT_STATE, NUMBERS, decode, make

_DRAINED = 500.0  # times a second that ticks are looked for
_ASKED = " asked"


def device_model(reads: Sequence[str], writes: Sequence[str]) -> Model:
    """A model that takes what devices read as inputs, and gives what is asked of others as
    outputs."""
    m = Model("devices", gravity=(0.0, 0.0, 0.0))
    for name in reads:
        m.input(name)
    for name in writes:
        m.sensor(name, Signal(m.input(name + _ASKED)))
    return m


def guards(
    reads: Sequence[str], writes: Sequence[str], max_age: float
) -> tuple[dict[str, WatchedInput], dict[str, GuardedOutput]]:
    """What a device reads is zero when it told nothing for `max_age` seconds, and so is what is
    asked of one when nobody asked: what was read last would be a fresh command at every tick."""
    heard = [*reads, *(name + _ASKED for name in writes)]
    watched = {name: WatchedInput(max_age=max_age, safe=0.0) for name in heard}
    return watched, {name: GuardedOutput() for name in writes}


class DeviceNode:
    """Publishes at every tick what devices read, as /joint_commands; what they are asked is what
    the outputs of a model's node say, by name."""

    def __init__(self, live: Live, transport: Transport, model: str) -> None:
        self.live, self.transport = live, transport
        self._complaints = ErrorCounter(live.note)
        self._writes = list(live.system.output_names)
        self._reads = [name for name in live.system.input_names if not name.endswith(_ASKED)]
        if self._reads:
            self._pattern = Pattern(JOINT_STATE, self._command, len(self._reads))
            self._publish = transport.advertise(JOINT_COMMANDS, JOINT_STATE)
        if self._writes:
            transport.subscribe(f"/{model}/outputs", NUMBERS, self._listen, self._complaints)
        transport.report_problems_to(ErrorCounter(live.note))
        self._tap = live.tap(self._talk, _DRAINED)

    def _talk(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        if self._reads:
            places, times = [columns.index(name) for name in self._reads], columns.index("time")
            for message in self._pattern.filled(rows[:, times], rows[:, places]):
                self._publish(message)

    def _command(self, stamp: Any, numbers: np.ndarray) -> Any:
        none, header = np.empty(0), make("std_msgs/msg/Header", stamp, "")
        return make(JOINT_STATE, header, self._reads, none, none, numbers)

    def _listen(self, data: bytes) -> None:
        """Sets what is asked of devices, each number by its name in the label."""
        message = decode(NUMBERS, data)
        names = message.layout.dim[0].label.split(", ") if message.layout.dim else []
        if len(names) != len(message.data):
            raise InputError(f"its label names {len(names)} outputs of {len(message.data)}")
        told = dict(zip(names, message.data.tolist(), strict=True))
        for name in self._writes:
            if name not in told:
                raise InputError(f"it has no output '{name}'; it has {', '.join(names[:8])}")
            self.live[name + _ASKED] = told[name]

    @property
    def refused(self) -> int:
        """Messages that weren't taken."""
        return self._complaints.count

    def close(self) -> None:
        """Leaves."""
        self._tap.close()
        self.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()
