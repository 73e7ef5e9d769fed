"""A live run as a node of ROS 2: the model of ROSbotran (Docquier 2021, 4.3 and Fig. 8).

Ticks know nothing of it. A tap has every tick's row a moment later, in a thread of its own, from
which messages are made; what others ask goes through the desk and is taken at a tick."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from touchback.interop.ros2.commands import Commands, wrenchings
from touchback.interop.ros2.complaints import Complaints
from touchback.interop.ros2.diagnostics import Diagnostics
from touchback.interop.ros2.parameters import Parameters
from touchback.interop.ros2.transport import Publish, Transport
from touchback.native.live.layout import LATCHED, OF_THE_STATE, STALE
from touchback.numbers import number_within
from touchback.realtime import Live
from touchback.realtime.control import Desk, Exposed
from touchback.realtime.control.messages import Go, Message, Pause, Reset
from touchback.recording.ros2.messages import CLOCKS, JOINT_STATES, TF, Telling, clock
from touchback.recording.ros2.types import (
    CLOCK,
    DIAGNOSTICS,
    JOINT_STATE,
    NUMBERS,
    SET_BOOL,
    STRING,
    TRANSFORMS,
    TRIGGER,
    WRENCH,
    decode,
    encode,
    make,
)

JOINT_COMMANDS, DESCRIPTION = "/joint_commands", "/robot_description"
MAX_AGE = 0.5  # s that a command holds, unless told otherwise
_DRAINED = 500.0  # times a second that ticks are looked for


class ModelNode:
    """Publishes every tick of a live run: /joint_states, a wrench for each sensor of a reaction,
    all outputs; /clock with each block of ticks, /tf so many times a second. It takes
    /joint_commands and wrenches, and answers reset, pause and questions about parameters, as far as
    the run is `exposed`. An input whose command nobody renews for `max_age` seconds is zero then,
    unless the run was begun with a `WatchedInput` that says otherwise. `description` is the robot's
    URDF. What it refuses, and commands that stopped, are among the run's faults; /diagnostics says
    whether the model is held, and by what."""

    def __init__(
        self,
        live: Live,
        transport: Transport,
        node: str,
        *,
        description: str = "",
        exposed: Exposed | None = None,
        transforms: float = 50.0,
        max_age: float = MAX_AGE,
    ) -> None:
        self.live, self.transport = live, transport
        self._desk, self._complaints = Desk(live, exposed), Complaints(live.note)
        age = number_within("max_age: commands hold for 0.001 to 3600 s", max_age, 1e-3, 3600)
        self._commands, self._remarks = Commands(self._desk, age), Complaints(live.note)
        rate = number_within("transforms: /tf is published 0 to 1000 a second", transforms, 0, 1000)
        self._between = 1.0 / rate if rate else float("inf")
        self._telling = Telling(live.system, live.columns)
        self._topics: dict[str, Publish] = {}
        self._outputs = f"/{node}/outputs"
        self._told = self._placed = -np.inf  # model's times
        self.published = 0  # ticks
        if description:
            self._topic(DESCRIPTION, STRING, latched=True)(
                encode(STRING, make(STRING, description))
            )
        self._diagnostics = Diagnostics(node, live, self._topic("/diagnostics", DIAGNOSTICS))
        self._advertise()
        self._serve(node)
        self._subscribe()
        transport.remark_to(self._remarks)
        self._tap = live.tap(self._publish, _DRAINED)

    @property
    def refused(self) -> int:
        """Messages and requests that weren't taken."""
        return self._complaints.count

    # ---- what others hear -----------------------------------------------------------------------

    def _topic(self, name: str, kind: str, latched: bool = False) -> Publish:
        if name not in self._topics:
            self._topics[name] = self.transport.advertise(name, kind, latched)
        return self._topics[name]

    def _advertise(self) -> None:
        """Topics of the present structure, before there is anything to tell on them."""
        kinds = {JOINT_STATES: JOINT_STATE, CLOCKS: CLOCK, TF: TRANSFORMS, self._outputs: NUMBERS}
        for name, kind in {**kinds, **{w.topic: WRENCH for w in self._telling.wrenches}}.items():
            self._topic(name, kind)

    def _publish(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        """A block of ticks; those of a paused run, whose time stands still, only once."""
        if columns != self._telling.columns:
            self._telling = Telling(self.live.system, columns)
            self._advertise()
        flags = rows[:, columns.index("flags")].astype(int)
        if np.any(flags & STALE):
            for text in self._commands.forgotten():
                self._remarks(text)
        telling, times = self._telling, rows[:, columns.index("time")]
        self._diagnostics.see(int(flags[-1]), float(times[-1]))
        before = np.concatenate([[self._told], times[:-1]])
        new = rows[times > before]
        if not len(new):
            return
        told = {JOINT_STATES: telling.joint_states(new)}
        told |= {each.topic: telling.wrench(new, each) for each in telling.wrenches}
        if telling.outputs:
            told[self._outputs] = telling.numbers(new)
        for name, messages in told.items():
            publish = self._topics[name]
            for message in messages:
                publish(message)
        self.published += len(new)
        self._told = float(times[-1])
        self._topics[CLOCKS](clock(self._told))
        self._place(rows[-1])

    def _place(self, row: np.ndarray) -> None:
        if self._told < self._placed + self._between:
            return
        system, (_, values) = self._telling.system, self.live.taken()
        if len(values) == len(system.parameters):  # no other structure came meanwhile
            parameters = dict(zip(system.parameters, values.tolist(), strict=True))
            self._topics[TF](self._telling.transforms(row, parameters))
            self._placed = self._told

    # ---- what others ask ------------------------------------------------------------------------

    def _serve(self, node: str) -> None:
        known: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
            "reset": (TRIGGER, self._reset),
            "pause": (SET_BOOL, self._pause),
            **Parameters(self._desk).services(),
        }
        for name, (kind, answer) in known.items():
            self.transport.serve(f"/{node}/{name}", kind, answer, self._complaints)

    def _reset(self, data: bytes) -> bytes:
        """Back to the start. A model that is held by its state goes on from there, without the
        commands that may have brought it there; what else holds it (an emergency stop) stays."""
        decode(f"{TRIGGER}_Request", data)
        held = int(self.live.read("flags")) & LATCHED
        if held and not held & ~OF_THE_STATE:
            self._commands.forget()
        return self._asked(Reset(), f"{TRIGGER}_Response")

    def _pause(self, data: bytes) -> bytes:
        """True pauses, false goes on."""
        message = Pause() if decode(f"{SET_BOOL}_Request", data).data else Go()
        return self._asked(message, f"{SET_BOOL}_Response")

    def _asked(self, message: Message, response: str) -> bytes:
        answer = self._desk.handle(message, "ros2")
        told: Any = make(response, answer.ok, answer.error)
        return encode(response, told)

    def _subscribe(self) -> None:
        commands, subscribe = self._commands, self.transport.subscribe
        subscribe(JOINT_COMMANDS, JOINT_STATE, commands.take_joints, self._complaints)
        for each in wrenchings(self.live.system):
            take = partial(commands.take_wrench, each)
            subscribe(each.topic, WRENCH, take, self._complaints)

    def close(self) -> None:
        """Publishes what ticks there were, and leaves."""
        self._tap.close()
        self.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()
