"""A recording as the page shows it: it plays, stands, is scrubbed; its scopes show all of it."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from touchback.errors import InputError
from touchback.realtime.control import Answer, CommandServer, Message
from touchback.realtime.control.command_server import OFTEN, USUAL
from touchback.realtime.control.control_messages import (
    Choose,
    Describe,
    Go,
    Pause,
    Read,
    Reset,
    Resume,
    Set,
    Speed,
    Step,
    Stop,
    Switch,
)
from touchback.realtime.control.permissions import Exposed, Rate, Rates
from touchback.workbench.manipulate.manipulator_messages import (
    Edit,
    Grab,
    Hold,
    Icon,
    Joint,
    Keyframe,
    Law,
    Laws,
    Pose,
    Pull,
    Release,
    Remove,
    Undo,
)
from touchback.workbench.manipulate.state_snapshot import StateSnapshot, snapshot_of
from touchback.workbench.page_scene import Poses, make_scene
from touchback.workbench.page_source import PageScene, PoseFrame, Values
from touchback.workbench.playback.playback_track import Instant, Track
from touchback.workbench.scopes.scope_port import (
    Facts,
    Graph,
    ScopePort,
    Source as Traces,
    graph_facts,
)
from touchback.workbench.scopes.signal_history import Recorded


class Record(Message, frozen=True):
    """Begins or ends a recording of the run."""

    on: bool = True


#: Messages that change a run or ask what only a run has.
LIVE_ONLY: tuple[type[Message], ...] = (
    Set, Choose, Switch, Resume, Read, Record, Grab, Pull, Release, Icon, Remove, Pose, Edit, Undo,
    Joint, Law, Laws, Hold, Keyframe,
)  # fmt: skip


class PlaybackCommands(CommandServer):
    """Answers only the messages that are added to it, at any time: there is no run to ask."""

    def __init__(self) -> None:
        self.exposed, self.rates = Exposed(), Rates()
        self._known = {}

    def _unknown(self, word: str) -> InputError:
        if word not in {kind.__struct_config__.tag for kind in LIVE_ONLY}:
            return super()._unknown(word)
        return InputError(
            f"'{word}' isn't for a recording, which can't be changed: go on live from an instant "
            "of it first (`fork`)."
        )


_SPEEDS = 1e-4, 100.0


_Kind = TypeVar("_Kind", bound=Message)


class Seek(Message, frozen=True):
    """Shows an instant of a recording."""

    time: float


class Events(Message, frozen=True):
    """Asks for what happened in a recording, to jump to."""


class Playback:
    """Scenes and poses of a track at the instant that is shown (a workbench's source). `first` is
    the number before that of its first structure."""

    def __init__(self, track: Track, name: str = "", first: int = 0) -> None:
        self.track, self.title, self.name, self._first = track, track.title, name, first
        self.start, self.end = float(track.run.time[0]), float(track.run.time[-1])
        self.rate = _rate_of(track.run.time)
        self.recorded = Recorded(track.run)
        self.speed, self._at, self._since = 1.0, self.start, None
        self._poses: dict[int, Poses] = {}
        self._count = 0
        self._shown = self.track.at(self.start).structure
        self.commands = PlaybackCommands()
        self._add()
        self.prepare()

    _since: float | None  # when playing began, of the monotonic clock; None: it stands

    def _add(self) -> None:
        add = self.commands.add
        self._move(Pause, lambda asked: self.pause())
        self._move(Go, lambda asked: self.go())
        self._move(Step, lambda asked: self.step(asked.ticks))
        self._move(Speed, lambda asked: self.set_speed(asked.value))
        self._move(Reset, lambda asked: self.seek(self.start))
        self._move(Seek, lambda asked: self.seek(asked.time), OFTEN)
        add(Stop, lambda asked, client: self._do(self.pause), None, any_time=True)
        add(Events, lambda asked, client: {"events": self.events()}, any_time=True)
        add(Graph, lambda asked, _: graph_facts(self.track.system(self._shown)), any_time=True)
        add(Describe, lambda asked, client: self.what(), any_time=True)

    def _move(
        self, kind: type[_Kind], act: Callable[[_Kind], None], rate: Rate | None = USUAL
    ) -> None:
        """A message that moves what everybody sees, where its word is among the transport."""
        word = str(kind.__struct_config__.tag)

        def done(asked: _Kind, client: str) -> Facts:
            self.commands.check("transport", word)
            return self._do(lambda: act(asked))

        self.commands.add(kind, done, rate, any_time=True)

    def scopes(
        self, send: Callable[[str, bytes], None], find: Callable[[str], Traces] | None = None
    ) -> ScopePort:
        """Lets scopes show the whole recording."""
        port = ScopePort(self.recorded, send, find)
        port.join(self.commands)
        return port

    # ---- transport ------------------------------------------------------------------------------

    @property
    def at(self) -> float:
        """The time [s] that is shown; at the end it stands."""
        if self._since is None:
            return self._at
        now = self._at + (clock.monotonic() - self._since) * self.speed
        if now >= self.end:
            self._at, self._since = self.end, None
            return self.end
        return now

    @property
    def paused(self) -> bool:
        """Whether it stands."""
        _ = self.at  # it may have come to its end
        return self._since is None

    def go(self) -> None:
        """Plays on; from the start when it stands at the end."""
        self._at = self.start if self.at >= self.end else self.at
        self._since = clock.monotonic()

    def pause(self) -> None:
        """Stands where it is."""
        self._at, self._since = self.at, None

    def set_speed(self, speed: float) -> None:
        """1 is real time, 0.1 ten times slower."""
        if not _SPEEDS[0] <= speed <= _SPEEDS[1]:
            low, high = _SPEEDS
            raise InputError(f"A recording plays {low:g} to {high:g} times as fast, got {speed!r}.")
        playing = not self.paused
        self.pause()
        self.speed = float(speed)
        if playing:
            self._since = clock.monotonic()

    def seek(self, time: float) -> None:
        """Shows an instant; it goes on from there if it plays."""
        if not np.isfinite(time):
            raise InputError(f"An instant is a time of the recording, got {time!r}.")
        playing = not self.paused
        self._at = float(np.clip(time, self.start, self.end))
        self._since = clock.monotonic() if playing and self._at < self.end else None

    def step(self, ticks: int = 1) -> None:
        """So many instants on, and stands."""
        times = self.track.run.time
        row = int(np.searchsorted(times, self.at, "right")) - 1
        self._at, self._since = float(times[min(max(row, 0) + ticks, len(times) - 1)]), None

    def events(self) -> list[dict[str, object]]:
        """What happened, in the order of time."""
        return [{"time": e.time, "name": e.name, "kind": e.kind} for e in self.track.events]

    def _do(self, act: Callable[[], None]) -> Facts:
        act()
        self._count += 2  # whoever waits for a new frame gets one
        return {"time": self.at, "state": "paused" if self.paused else "running"}

    # ---- what a hub asks for --------------------------------------------------------------------

    @property
    def structure(self) -> int:
        return self._number(self._shown)

    def _number(self, shown: int) -> int:
        return self._first + 1 + shown

    @property
    def instant(self) -> Instant:
        """What is shown."""
        return self.track.at(self.at)

    def snapshot(self) -> StateSnapshot:
        """State, inputs and parameters at the instant that is shown, and the system they are of."""
        at = self.instant
        system = self.track.system(at.structure)
        return snapshot_of(system, at.time, at.state, at.inputs, dict(at.parameters))

    def signals(self) -> dict[str, float]:
        """Everything that was recorded, by name, at the instant that is shown."""
        run, at = self.track.run, self.at
        row = max(int(np.searchsorted(run.time, at, "right")) - 1, 0)
        return {"time": float(run.time[row])} | {
            name: float(column[row]) for name, column in run.signals.items()
        }

    def stale(self) -> bool:
        return self.instant.structure != self._shown

    def prepare(self) -> None:
        shown = self.instant.structure
        if shown not in self._poses:
            self._poses[shown] = Poses(self.track.system(shown))
        self._shown = shown

    def scene(self) -> PageScene:
        at, shown = self.instant, self._shown  # once: another thread may prepare
        poses = self._poses[shown]
        if at.structure != shown:  # it went on meanwhile
            return make_scene(poses, self._number(shown), *self._begun(poses))
        return make_scene(poses, self._number(shown), at.state, at.time, at.parameters)

    def _begun(self, poses: Poses) -> tuple[np.ndarray, float, Mapping[str, float]]:
        system = poses.system
        start = system.initial_state()
        return np.concatenate([start.q, start.v, start.z]), 0.0, system.parameters

    def frame(self) -> PoseFrame | None:
        at = self.instant
        if at.structure != self._shown:
            return None
        poses = self._poses[at.structure]
        numbers = poses.at(at.state, at.time, at.inputs, at.parameters)
        return PoseFrame(self.at, len(poses.bodies), numbers, poses.size)

    def ticks(self) -> int:
        return self._count + self.instant.row

    def values(self) -> Values:
        at = self.instant
        names = self.track.system(at.structure).input_names
        return {**dict(zip(names, at.inputs.tolist())), **at.parameters}

    def status(self) -> Mapping[str, object]:
        at = self.instant
        system = self.track.system(at.structure)
        told: dict[str, object] = {
            "time": self.at, "tick": at.row, "paused": self.paused, "speed": self.speed,
            "rate": self.rate, "state": "paused" if self.paused else "running",
            "playback": {"start": self.start, "end": self.end, "at": self.at, "name": self.name},
            **self.track.deadlines,
            "energy": system.stored_energy(at.state, at.parameters, at.time),
        }  # fmt: skip
        if system.constraint_names and not system.names:
            q, _, z = np.split(at.state, np.cumsum(system.sizes)[:2])
            off = system.constraint_error(q, at.time, at.inputs, z, parameters=at.parameters)
            told["constraint error"] = float(np.abs(off).max(initial=0.0))
        numbers = dict(zip(system.state_names, at.state))
        told["mode"] = {
            state: modes[int(numbers[state])]
            for state, modes in system.modes.items()
            if 0 <= numbers[state] < len(modes)
        }
        return told

    def what(self) -> Facts:
        """What there was; nothing can be set in a recording."""
        nothing: list[str] = []
        kinds = dict.fromkeys(("inputs", "parameters", "controls"), nothing)
        return {"model": self.title, "recorded": True, **kinds}

    def handle(self, message: bytes, client: str) -> Answer:
        return self.commands.handle(message, client)


def _rate_of(time: np.ndarray) -> float:
    steps = np.diff(time)
    steps = steps[steps > 0.0]
    return float(1.0 / np.median(steps)) if len(steps) else 1000.0
