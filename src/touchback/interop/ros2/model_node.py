"""A live run as a node of ROS 2: the model of ROSbotran (Docquier 2021, 4.3 and Fig. 8).

Ticks know nothing of it. A tap has every tick's row a moment later, in a thread of its own, from
which messages are made; commands of other nodes go through the command server and are applied at a
tick."""

from __future__ import annotations

import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from touchback import Expr, JointEffort, Live, Model, System, Wrench
from touchback.errors import InputError
from touchback.interop.ros2.node_transport import Publish, Transport
from touchback.names import unknown_name
from touchback.native import LATCHED, OF_THE_STATE, STALE
from touchback.numbers import number_within
from touchback.realtime import WatchedInput, flag_names
from touchback.realtime.control import CommandServer, Exposed
from touchback.realtime.control.control_messages import Go, Message, Pause, Reset, Set
from touchback.recording.ros2.ros2_messages import (
    CLOCKS,
    JOINT_STATES,
    TF,
    WORLD,
    MessageBuilder,
    clock,
    header_of,
    topic_of,
)
from touchback.recording.ros2.ros2_types import (
    CLOCK,
    DESCRIBE,
    DIAGNOSTICS,
    GET,
    JOINT_STATE,
    LIST,
    NUMBERS,
    SET,
    SET_BOOL,
    STRING,
    TRANSFORMS,
    TRIGGER,
    TYPES,
    WRENCH,
    decode,
    encode,
    make,
)
from touchback.units import unit_of

_PARTS = ("effort", "velocity", "position")


def input_of(model: Model, value: object) -> str | None:
    """The input that an expression is, where it is nothing else and in SI, as messages are."""
    if not isinstance(value, Expr):
        return None
    name = value.tape.names.get(value.id)
    if not isinstance(name, str) or name not in model.inputs:
        return None
    unit = unit_of(model.inputs[name].unit)
    return name if unit is None or unit.is_si else None


@dataclass(frozen=True)
class WrenchCommand:
    """A wrench whose components are inputs (None: nothing pushes there), and along which frame's
    axes they are."""

    topic: str
    frame: str
    inputs: tuple[str | None, ...]


def pushed_joints(system: System) -> dict[str, str]:
    """Joints whose effort is an input, by name: that input."""
    model = system.replica.model
    found = {
        force.joint: input_of(model, force.effort)
        for force in model.forces.values()
        if isinstance(force, JointEffort) and force.index == 0
    }
    copies = [f"{name}/" for name in system.names] or [""]
    known = set(system.input_names)
    return {
        copy + joint: copy + name
        for copy in copies
        for joint, name in found.items()
        if name is not None and copy + name in known
    }


def rated_inputs(system: System) -> dict[str, tuple[str, float]]:
    """Inputs that push a joint which an imported file rates: its name, and its largest effort."""
    ratings, copies = system.replica.model.imported.get("ratings", {}), system.names
    found = dict[str, tuple[str, float]]()
    for joint, name in pushed_joints(system).items():
        own = joint.split("/", 1)[1] if copies else joint
        most = ratings.get(own, {}).get("effort", 0.0)  # files write 0 where nobody knows
        if most > 0.0:
            found[name] = joint, most
    return found


def wrench_commands(system: System) -> Iterator[WrenchCommand]:
    """Wrenches of the model that others can command; not those of copies."""
    if system.names:
        return
    model = system.model
    for name, force in model.forces.items():
        if isinstance(force, Wrench):
            inputs = tuple(input_of(model, each) for each in (*force.force, *force.torque))
            if any(inputs):
                frame = WORLD if force.axes == "world" else force.frame.body
                yield WrenchCommand(f"/wrench_commands/{topic_of(name)}", frame, inputs)


@dataclass
class _InUse:
    """A command: how old it may become, what its input is then, and when it was renewed."""

    max_age: float
    safe: float | Literal["hold"]
    renewed: float = 0.0

    def __str__(self) -> str:
        then = "stays as it was" if self.safe == "hold" else f"is {self.safe:g}"
        return f"{self.max_age:g} s: it {then} until the next one"


class Commands:
    """Sets inputs by messages, as far as the command server lets others do so: as often as they
    come, for a node at the other end may have a clock of its own. What nobody renews for `max_age`
    seconds is zero from then on, unless the run was begun with an age of its own for that input."""

    def __init__(self, command_server: CommandServer, max_age: float) -> None:
        self._command_server, self._max_age = command_server, max_age
        self._know(command_server.live.system)
        self._in_use: dict[str, _InUse] = {}  # by input
        self._lock = threading.Lock()

    def _know(self, system: System) -> None:
        """The joints of a structure."""
        self._pushed = system, pushed_joints(system), rated_inputs(system)

    def take_joints(self, data: bytes) -> None:
        """A JointState: names of inputs, or of joints whose effort is one; the numbers are its
        efforts, or else velocities, or positions."""
        message = decode(JOINT_STATE, data)
        numbers = next((x for part in _PARTS if len(x := getattr(message, part))), ())
        if len(numbers) != len(message.name):
            raise InputError(
                f"it names {len(message.name)} joints and has {len(numbers)} numbers; give an "
                "effort for each"
            )
        system = self._command_server.live.system
        if self._pushed[0] is not system:  # it has another structure
            self._know(system)
        pushed = self._pushed[1]
        wanted = dict[str, float]()
        for name, number in zip(message.name, numbers, strict=True):
            known = name if name in system.input_names else pushed.get(name)
            if known is None:
                raise unknown_name("input or joint", name, [*system.input_names, *pushed])
            if known in wanted:
                raise InputError(f"it has two numbers for '{known}'; give one")
            wanted[known] = float(number)
        self._set(wanted)

    def take_wrench(self, wrenching: WrenchCommand, data: bytes) -> None:
        """A WrenchStamped, along the axes of the frame that the model's wrench has."""
        message = decode(WRENCH, data)
        frame = message.header.frame_id
        if frame not in ("", wrenching.frame):
            raise InputError(
                f"it is along the axes of '{frame}', but this wrench along those of "
                f"'{wrenching.frame}'; turn it first"
            )
        force, torque = message.wrench.force, message.wrench.torque
        numbers = (force.x, force.y, force.z, torque.x, torque.y, torque.z)
        wanted = dict[str, float]()
        for axis, name, number in zip("xyzxyz", wrenching.inputs, numbers, strict=True):
            if name is not None:
                wanted[name] = float(number)
            elif number:
                raise InputError(f"nothing of the model takes its {number:g} along {axis}")
        self._set(wanted)

    def _set(self, wanted: Mapping[str, float]) -> None:
        """All of them, or none where one isn't taken."""
        live = self._command_server.live
        for name, number in wanted.items():
            if not self._command_server.settable("inputs", name):
                raise InputError(f"'{name}' isn't among the inputs that this run exposes")
            live.system.layout.check_input(name, number)
            self._check_rated(name, number)
            live.spec.inputs.get(name, WatchedInput()).check(name, number)
        for name, number in wanted.items():
            live.write(name, number)
            with self._lock:
                if name not in self._in_use:
                    self._in_use[name] = self._watch(name)
                self._in_use[name].renewed = time.monotonic()

    def _check_rated(self, name: str, number: float) -> None:
        joint, most = self._pushed[2].get(name, ("", float("inf")))
        if abs(number) > most:
            raise InputError(
                f"Input '{name}': {number:g} is more than joint '{joint}' is rated for, {most:g}"
            )

    def forget(self) -> None:
        """Commands that are in use end at once, as if nobody had renewed them."""
        with self._lock:
            ended, self._in_use = self._in_use, {}
        for name, command in ended.items():
            if command.safe != "hold":
                self._command_server.live.write(name, command.safe)

    def _watch(self, name: str) -> _InUse:
        """An input's first command, or the first one again, so that another may follow in time."""
        live = self._command_server.live
        known, own = (
            live.spec.inputs.get(name, WatchedInput()),
            live.system.layout.input_range(name),
        )
        if known.max_age is not None:
            return _InUse(known.max_age, known.safe)
        low = known.low if own.min is None else max(known.low, own.min)
        high = known.high if own.max is None else min(known.high, own.max)
        safe = min(max(0.0, low), high)
        live.watch(name, self._max_age, safe)
        return _InUse(self._max_age, safe)

    def forgotten(self) -> list[str]:
        """What became of commands that nobody renewed in time, each once."""
        now, told = time.monotonic(), list[str]()
        with self._lock:
            for name, command in list(self._in_use.items()):
                if now - command.renewed > command.max_age:
                    del self._in_use[name]
                    told.append(f"no command for '{name}' came for {command}")
        return told


JOINT_COMMANDS, DESCRIPTION = "/joint_commands", "/robot_description"


MAX_AGE = 0.5  # s that a command holds, by default


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
        self._command_server, self._complaints = (
            CommandServer(live, exposed),
            ErrorCounter(live.note),
        )
        age = number_within("max_age: commands hold for 0.001 to 3600 s", max_age, 1e-3, 3600)
        self._commands, self._remarks = Commands(self._command_server, age), ErrorCounter(live.note)
        rate = number_within("transforms: /tf is published 0 to 1000 a second", transforms, 0, 1000)
        self._between = 1.0 / rate if rate else float("inf")
        self._telling = MessageBuilder(live.system, live.columns)
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
        transport.report_problems_to(self._remarks)
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
            self._telling = MessageBuilder(self.live.system, columns)
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
            **Parameters(self._command_server).services(),
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
        answer = self._command_server.handle(message, "ros2")
        told: Any = make(response, answer.ok, answer.error)
        return encode(response, told)

    def _subscribe(self) -> None:
        commands, subscribe = self._commands, self.transport.subscribe
        subscribe(JOINT_COMMANDS, JOINT_STATE, commands.take_joints, self._complaints)
        for each in wrench_commands(self.live.system):
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


_KINDS = 100  # that are counted apart


_LONGEST = 300  # letters of a line


class ErrorCounter:
    """Lines that differ by numbers alone are of one kind; `count` of all of them."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note, self._kinds, self._lock = note, Counter[str](), threading.Lock()
        self.count = 0

    def __call__(self, text: str) -> None:
        text = text[:_LONGEST]
        kind = re.sub(r"[0-9.e+-]+|'[^']*'?", "#", text)
        with self._lock:
            self.count += 1
            if kind not in self._kinds and len(self._kinds) >= _KINDS:
                kind = "others"
            self._kinds[kind] += 1
            times = self._kinds[kind]
        if times in (1, 10, 100, 1000) or times % 10_000 == 0:
            self._note(f"ROS 2: {text}" + (f" ({times} times)" if times > 1 else ""))


_OK, _WARN, _ERROR = range(3)


_EVERY = 1.0  # s


class Diagnostics:
    """Of a node's run. A model that is held tells why, and how it goes on."""

    def __init__(self, node: str, live: Live, publish: Publish) -> None:
        self._node, self._live, self._publish = node, live, publish
        self._last, self._told = -1, 0.0

    def see(self, flags: int, seconds: float) -> None:
        """Those of the last tick, and the model's time."""
        flags &= LATCHED | STALE
        now = time.monotonic()
        if flags == self._last and now < self._told + _EVERY:
            return
        self._last, self._told = flags, now
        level = _ERROR if flags & LATCHED else _WARN if flags else _OK
        latest = make("diagnostic_msgs/msg/KeyValue", "latest fault", self._live.latest_fault)
        status = make(
            "diagnostic_msgs/msg/DiagnosticStatus", level, f"{self._node}: run",
            self._words(flags), self._live.system.name, [latest],
        )  # fmt: skip
        self._publish(encode(DIAGNOSTICS, make(DIAGNOSTICS, header_of(seconds), [status])))

    def _words(self, flags: int) -> str:
        said = ", ".join(flag_names(flags)) or self._live.state
        if flags & OF_THE_STATE:
            said += (
                f": the model is held at its last good state; call /{self._node}/reset, which puts "
                "it back to its start and lets it go on"
            )
        return said


_NOT_SET, _BOOL, _INTEGER, _DOUBLE = 0, 1, 2, 3  # kinds of values


_NUMBERS = {_INTEGER: "integer_value", _DOUBLE: "double_value"}


_VALUE, _RANGE = "rcl_interfaces/msg/ParameterValue", "rcl_interfaces/msg/FloatingPointRange"


_DESCRIPTOR, _RESULT = (
    f"rcl_interfaces/msg/{word}" for word in ("ParameterDescriptor", "SetParametersResult")
)


class Parameters:
    """Answers of a node about its parameters, all of them doubles of the run."""

    def __init__(self, command_server: CommandServer) -> None:
        self._command_server = command_server

    def services(self) -> dict[str, tuple[str, Callable[[bytes], bytes]]]:
        """By name within the node: their type, and who answers."""
        return {
            "get_parameters": (GET, self._get),
            "set_parameters": (SET, self._set),
            "list_parameters": (LIST, self._list),
            "describe_parameters": (DESCRIBE, self._describe),
            "get_parameter_types": (TYPES, self._types),
        }

    @property
    def _names(self) -> list[str]:
        known = self._command_server.live.system.layout.parameters
        return [name for name in known if self._command_server.settable("parameters", name)]

    def _get(self, data: bytes) -> bytes:
        asked, known = decode(f"{GET}_Request", data), self._names
        told = [
            _value(self._command_server.live[name] if name in known else None)
            for name in asked.names
        ]
        return encode(f"{GET}_Response", make(f"{GET}_Response", told))

    def _set(self, data: bytes) -> bytes:
        asked = decode(f"{SET}_Request", data)
        told = [self._put(each.name, each.value) for each in asked.parameters]
        return encode(f"{SET}_Response", make(f"{SET}_Response", told))

    def _put(self, name: str, value: Any) -> Any:
        """Sets one at the next tick; the result tells why not."""
        if value.type not in _NUMBERS:
            return make(_RESULT, False, f"'{name}' must be a number (a double).")
        number = float(getattr(value, _NUMBERS[value.type]))
        if not math.isfinite(number):
            return make(_RESULT, False, f"'{name}' must be a finite number, got {number}.")
        if name not in self._command_server.live.system.layout.parameters:
            return make(_RESULT, False, f"There is no parameter '{name}'.")
        answer = self._command_server.handle(Set(name, number), "ros2 parameters")
        return make(_RESULT, answer.ok, answer.error)

    def _list(self, data: bytes) -> bytes:
        asked = decode(f"{LIST}_Request", data)
        prefixes = tuple(f"{prefix}." for prefix in asked.prefixes)
        names = [
            name for name in self._names
            if not prefixes or name.startswith(prefixes) or name in asked.prefixes
        ]  # fmt: skip
        found = make("rcl_interfaces/msg/ListParametersResult", names, [])
        return encode(f"{LIST}_Response", make(f"{LIST}_Response", found))

    def _describe(self, data: bytes) -> bytes:
        asked = decode(f"{DESCRIBE}_Request", data)
        told = [self._descriptor(name) for name in asked.names]
        return encode(f"{DESCRIBE}_Response", make(f"{DESCRIBE}_Response", told))

    def _descriptor(self, name: str) -> Any:
        layout = self._command_server.live.system.layout
        if name not in self._names:
            return make(_DESCRIPTOR, name, _NOT_SET, "", "", False, False, [], [])
        known = layout.ranges[list(layout.parameters).index(name)]
        ranged = known.min is not None or known.max is not None
        low = -math.inf if known.min is None else known.min
        high = math.inf if known.max is None else known.max
        ranges = [make(_RANGE, low, high, 0.0)] if ranged else []
        unit = f"[{known.unit}]" if known.unit else ""
        return make(_DESCRIPTOR, name, _DOUBLE, unit, "", False, False, ranges, [])

    def _types(self, data: bytes) -> bytes:
        asked, known = decode(f"{TYPES}_Request", data), self._names
        kinds = [_DOUBLE if name in known else _NOT_SET for name in asked.names]
        told = make(f"{TYPES}_Response", np.array(kinds, dtype=np.uint8))
        return encode(f"{TYPES}_Response", told)


def _value(number: float | None) -> Any:
    """A double, or nothing."""
    kind, empty = (_NOT_SET, 0.0) if number is None else (_DOUBLE, number)
    none = [np.empty(0, dtype=kind) for kind in (np.uint8, np.bool_, np.int64, np.float64)]
    return make(_VALUE, kind, False, 0, empty, "", *none, [])
