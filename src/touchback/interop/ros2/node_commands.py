"""Commands of other nodes as inputs of a live run."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from touchback import Expr, JointEffort, Model, System, Wrench
from touchback.errors import InputError
from touchback.realtime.control import CommandServer
from touchback.realtime.port_guards import WatchedInput
from touchback.recording import unknown_name
from touchback.recording.ros2.ros2_messages import WORLD, topic_of
from touchback.recording.ros2.ros2_types import JOINT_STATE, WRENCH, decode
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
class Wrenching:
    """A wrench whose components are inputs (None: nothing pushes there), and along which frame's
    axes they are."""

    topic: str
    frame: str
    inputs: tuple[str | None, ...]


def pushed_joints(system: System) -> dict[str, str]:
    """Joints whose effort is an input, by name: that input."""
    model = system.one.model
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
    ratings, copies = system.one.model.imported.get("ratings", {}), system.names
    found = dict[str, tuple[str, float]]()
    for joint, name in pushed_joints(system).items():
        own = joint.split("/", 1)[1] if copies else joint
        most = ratings.get(own, {}).get("effort", 0.0)  # files write 0 where nobody knows
        if most > 0.0:
            found[name] = joint, most
    return found


def wrenchings(system: System) -> Iterator[Wrenching]:
    """Wrenches of the model that others can command; not those of copies."""
    if system.names:
        return
    model = system.model
    for name, force in model.forces.items():
        if isinstance(force, Wrench):
            inputs = tuple(input_of(model, each) for each in (*force.force, *force.torque))
            if any(inputs):
                frame = WORLD if force.axes == "world" else force.frame.body
                yield Wrenching(f"/wrench_commands/{topic_of(name)}", frame, inputs)


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
    """Sets inputs by messages, as far as the desk lets others do so: as often as they come, for a
    node at the other end may have a clock of its own. What nobody renews for `max_age` seconds is
    zero from then on, unless the run was begun with an age of its own for that input."""

    def __init__(self, desk: CommandServer, max_age: float) -> None:
        self._desk, self._max_age = desk, max_age
        self._know(desk.live.system)
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
        system = self._desk.live.system
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

    def take_wrench(self, wrenching: Wrenching, data: bytes) -> None:
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
        live = self._desk.live
        for name, number in wanted.items():
            if not self._desk.settable("inputs", name):
                raise InputError(f"'{name}' isn't among the inputs that this run exposes")
            live.system.layout.check_input(name, number)
            self._check_rated(name, number)
            live.plan.inputs.get(name, WatchedInput()).check(name, number)
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
                self._desk.live.write(name, command.safe)

    def _watch(self, name: str) -> _InUse:
        """An input's first command, or the first one again, so that another may follow in time."""
        live = self._desk.live
        known, own = (
            live.plan.inputs.get(name, WatchedInput()),
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
