"""A live run as the workbench shows it, and what an experiment gives its inputs over time there:
again and again, until somebody takes an input over."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from copy import copy
from typing import NamedTuple

import numpy as np

import touchback as tb
from touchback import Live, System
from touchback.numbers import is_real
from touchback.realtime import flag_names
from touchback.realtime.control import Answer, CommandServer
from touchback.simulate import Inputs, read_inputs
from touchback.workbench.manipulate import Manipulators
from touchback.workbench.manipulate.joint_hold import held_joints
from touchback.workbench.page_scene import Poses, make_scene
from touchback.workbench.page_source import PageScene, PoseFrame, Values

_KEPT = 16  # structures whose poses stay compiled, as many as `live.switch` keeps


class _Shown(NamedTuple):
    """A structure with its number, and where it was at first; taken up and looked at as one, for
    scenes are made in one thread while another prepares the next structure."""

    number: int
    poses: Poses
    time: float
    state: np.ndarray


class LiveSource:
    """Scenes, poses and status of a live run; its command server answers messages."""

    def __init__(
        self,
        live: Live,
        commands: CommandServer,
        manipulators: Manipulators | None = None,
        first: int = 0,
    ) -> None:
        """`first` is the number before that of its first structure."""
        self.live, self.commands, self.title = live, commands, live.system.name
        self.manipulators = manipulators
        self._known: OrderedDict[int, Poses] = OrderedDict()
        self._seen: tuple[int, Values, PageScene] | None = None  # the last, with what it shows
        self.recording_to: Callable[[], str | None] = lambda: None
        self.recording_size: Callable[[], Mapping[str, object] | None] = lambda: None
        self._shown = self._present(first + 1)

    @property
    def structure(self) -> int:
        return self._shown.number

    def stale(self) -> bool:
        return self.live.system is not self._shown.poses.system

    def prepare(self) -> None:
        self._shown = self._present(self._shown.number + 1)

    def _present(self, number: int) -> _Shown:
        """The structure that the run has now."""
        system = self.live.system
        if id(system) not in self._known:
            self._known[id(system)] = Poses(system)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(id(system))
        poses = self._known[id(system)]
        start = system.initial_state()
        initial = np.concatenate([start.q, start.v, start.z])
        return _Shown(number, poses, *(self._state(system) or (0.0, initial)))

    def scene(self) -> PageScene:
        number, poses, t, x = self._shown
        _, parameters = self._settings(poses.system)
        last = self._seen
        if last is None or last[:2] != (number, parameters):
            last = self._seen = number, parameters, make_scene(poses, number, x, t, parameters)
        found = copy(last[2])
        if found.seat is not None and not self.commands.exposed.allows(
            "inputs", found.seat.steer.input
        ):
            found.seat = None
        if self.manipulators is not None:
            found.icons = self.manipulators.icons.describe()
            found.held = {} if poses.system.names else held_joints(poses.system.model)
            found.overloaded = self.manipulators.hold.overloaded
            found.keyframes = self.manipulators.hold.keyframes
        return found

    def frame(self) -> PoseFrame | None:
        poses = self._shown.poses
        found = self._state(poses.system)
        if found is None or self.live.system is not poses.system:
            return None
        t, x = found
        numbers = poses.at(x, t, *self._settings(poses.system))
        return PoseFrame(t, len(poses.bodies), numbers, poses.size)

    def ticks(self) -> int:
        return self.live.ticks

    def values(self) -> Values:
        system = self.live.system
        inputs, parameters = self._settings(system)
        return {**dict(zip(system.input_names, inputs.tolist())), **parameters}

    def handle(self, message: bytes, client: str) -> Answer:
        return self.commands.handle(message, client)

    def status(self) -> Mapping[str, object]:
        live = self.live
        system, report = live.system, live.report()
        flags = flag_names(int(live.read("flags")))
        told: dict[str, object] = {
            "time": live.read("time"), "tick": live.ticks, "state": live.state,
            "held": "held" in flags and "paused" not in flags,  # a pause is no fault
            "speed": live.spec.speed, "rate": live.spec.rate,
            "faults": list(live.faults), "said": [each["text"] for each in report.faults[-3:]],
            "late": report.counts["late"], "ticks": report.counts["ticks"],
            "lateness": report.histograms["lateness"].summary(),
            "step time": report.histograms["step_time"].summary(),
            "recording": report.recording, "recording_to": self.recording_to(),
            "recording_size": self.recording_size(),
            "paused": live.state == "paused",
        }  # fmt: skip
        seat = None if self._seen is None else self._seen[2].seat
        if seat is not None and seat.torque in system.output_names:
            told["felt"] = live.read(seat.torque)
        found = self._state(system)
        if found is not None:
            t, x = found
            _, parameters = self._settings(system)
            told |= {"energy": system.stored_energy(x, parameters, t)}
            told |= {"constraint error": self._error(system, x, t)}
            told |= {"mode": _modes(system, x)}
        return told

    def _error(self, system: System, x: np.ndarray, t: float) -> float | None:
        """How far constraints are from being met [m or rad]."""
        if system.names or not system.constraint_names:
            return None
        inputs, parameters = self._settings(system)
        q, _, z = np.split(x, np.cumsum(system.sizes)[:2])
        off = system.constraint_error(q, t, inputs, z, parameters=parameters)
        return float(np.abs(off).max(initial=0.0))

    def _state(self, system: System) -> tuple[float, np.ndarray] | None:
        """The model's time and state of the last tick, or those that it starts from before the
        first one; None in between two structures, or where some of it is no number."""
        now, message = self.live.published()
        if not message.number:
            now |= zip(self.live.system.state_names, self.live.start_state)
        try:
            x = np.array([now[name] for name in system.state_names])
        except KeyError:
            return None
        return (now["time"], x) if np.isfinite(x).all() else None

    def _settings(self, system: System) -> tuple[np.ndarray, Values]:
        inputs, parameters = self.live.taken()
        if len(inputs) != len(system.input_names) or len(parameters) != len(system.parameters):
            return system.input_defaults, dict(system.parameters)  # in between two structures
        return inputs, dict(zip(system.parameters, parameters.tolist()))


def _modes(system: System, x: np.ndarray) -> dict[str, str]:
    """The present mode of each group, by the state that holds its number."""
    at = dict(zip(system.state_names, x))
    return {
        state: modes[int(at[state])]
        for state, modes in system.modes.items()
        if np.isfinite(at[state]) and 0 <= int(at[state]) < len(modes)
    }


# ---- inputs of experiments -----------------------------------------------------------------------

FEED_RATE = 250.0  # values a second: as fine as a hand moves


class LoopedInput:
    """An input that follows samples or a function of the model's time and begins anew after each
    `period` [s]. Whoever sets it otherwise has it from then on."""

    def __init__(self, live: Live, name: str, given: Inputs, period: float) -> None:
        self._live, self._name = weakref.ref(live), name  # no circle: see `Live`
        self._given, self._period = given, period
        self._place = 1 + list(live.system.input_names).index(name)
        self._last: float = live[name]
        self.taken = False

    def read(self) -> float | None:
        """Its value now; None when it is another's, or stays."""
        live = self._live()
        if live is None or self.taken or self._name not in live.system.input_names:
            return None
        if live[self._name] != self._last:
            self.taken = True
            return None
        at = live.read("time") % self._period
        value = float(self._given.at(at, np.empty(0))[self._place])
        if value == self._last:
            return None
        self._last = value
        return value


def feed(live: Live, experiment: tb.gallery.Experiment) -> dict[str, LoopedInput]:
    """Gives a live run the inputs of an experiment: sets what is constant, and lets the others
    follow it, over and over; gives those."""
    inputs: Mapping[str, object] = experiment.inputs
    system = live.system
    given = read_inputs(system, experiment.inputs, experiment.duration)
    fed = dict[str, LoopedInput]()
    for name, value in inputs.items():
        if is_real(value):
            live[name] = value
        else:
            fed[name] = LoopedInput(live, name, given, experiment.duration)
            live.connect(name, fed[name], FEED_RATE)
    return fed
