"""What is played: states, inputs and parameters at any instant, of a recording or a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from touchback import Model, Run, System
from touchback.errors import InputError
from touchback.model import flatten, mode_groups
from touchback.model.io import model_from_text, to_text
from touchback.native import LATCHED, STALE
from touchback.realtime import flag_names, system_in
from touchback.recording import Recording, place_at, run_of_recording

Floats = np.ndarray
_TOLD = {"new structure": "structure", "state taken": "place"}  # flags that are events


@dataclass(frozen=True)
class Instant:
    """A tick of a track: which structure, its state, inputs and parameters."""

    structure: int
    row: int
    time: float
    state: Floats
    inputs: Floats
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class Event:
    """Something to jump to: "event", "mode", "fault", "structure", "place" or "change"."""

    time: float
    name: str
    kind: str


class Track(Protocol):
    """What a playback needs to know of a run that is over."""

    title: str

    @property
    def run(self) -> Run:
        """All signals."""

    def at(self, time: float) -> Instant:
        """The last instant at or before a time; the first, when there is none."""

    def system(self, structure: int) -> System:
        """The compiled mechanism of a structure."""

    @property
    def events(self) -> list[Event]:
        """In the order of time."""

    @property
    def deadlines(self) -> Mapping[str, object]:
        """What is known of the deadlines that it kept, as a live run's status has it."""


def track_of(shown: Recording | Run, model: Model | None = None) -> Track:
    """The track of a live run's recording, or of a run whose mechanism is known or given."""
    return RecordedTrack(shown) if isinstance(shown, Recording) else RunTrack(shown, model)


def _compiled(model: Model) -> System:
    """Of a model as it was given, or as a compiled system has it: with states for its modes, which
    files leave out and compiling adds."""
    if any(group.state in model.states for group in mode_groups(flatten(model))):
        model = model_from_text(to_text(model, ".json"), ".json")
    return model.compile()


class RecordedTrack:
    """A live run's recording: one structure after the other."""

    def __init__(self, recording: Recording) -> None:
        if not any(len(part.rows) for part in recording.parts):
            raise InputError("The recording holds no tick: there is nothing to play.")
        self.recording, self.title = recording, recording.about["model"]
        self._systems: dict[int, System] = {}
        self._begins = next(k for k, part in enumerate(recording.parts) if len(part.rows))

    @cached_property
    def run(self) -> Run:
        """All signals."""
        return run_of_recording(self.recording)

    def at(self, time: float) -> Instant:
        place, row = place_at(self.recording, time)
        if row < 0:
            place, row = self._begins, 0
        part = self.recording.parts[place]
        version = int(part.rows[row, 3])
        parameters = self.recording.parameters.get(version, part.about["parameters"])
        return Instant(
            place, row, float(part.column("time")[row]), part.states[row], part.inputs[row],
            parameters,
        )  # fmt: skip

    def system(self, structure: int) -> System:
        if structure not in self._systems:
            self._systems[structure] = system_in(self.recording.parts[structure])
        return self._systems[structure]

    @cached_property
    def deadlines(self) -> Mapping[str, object]:
        """Of all its ticks; nobody measured lateness where no clock was followed (speed None). A
        tick is late by more than a tenth of its period, as live runs count (`transport.c`)."""
        parts, speed = self.recording.parts, self.recording.about["speed"]
        found: dict[str, object] = {
            "ticks": sum(len(part.rows) for part in parts),
            "step time": _percentiles([part.column("step time") for part in parts]),
        }
        if speed is not None:
            limit = 1e8 / (speed * self.recording.about["rate"])  # ns
            lateness = [part.column("lateness") for part in parts]
            found["late"] = sum(int(np.count_nonzero(each > limit)) for each in lateness)
            found["lateness"] = _percentiles(lateness)
        return found

    @property
    def events(self) -> list[Event]:
        found = [Event(each["time"], each["text"], "fault") for each in self.recording.faults]
        for part in self.recording.parts:
            flags = part.column("flags").astype(np.int64)
            new = flags & ~np.concatenate([[0], flags[:-1]])
            times, versions = part.column("time"), part.column("version")
            for row in np.flatnonzero(new):
                at = float(times[row])
                faults = flag_names(int(new[row]) & (LATCHED | STALE))
                found += [Event(at, name, "fault") for name in faults]
                told = [name for name in flag_names(int(new[row])) if name in _TOLD]
                found += [Event(at, name, _TOLD[name]) for name in told]
            for row in np.flatnonzero(np.diff(versions)):
                found.append(Event(float(times[row + 1]), "parameters changed", "change"))
        for structure in range(len(self.recording.parts)):
            found += self._modes(structure)
        return sorted(found, key=lambda event: event.time)

    def _modes(self, structure: int) -> list[Event]:
        part = self.recording.parts[structure]
        if not part.about["description"] or "mode" not in part.about["description"]:
            return []  # without compiling it
        times, found = part.column("time"), []
        for state, modes in self.system(structure).modes.items():
            numbers = part.column(state)
            for row in np.flatnonzero(np.diff(numbers)):
                name = modes[int(numbers[row + 1])]
                found.append(Event(float(times[row + 1]), name, "mode"))
        return found


def _percentiles(parts: list[Floats]) -> dict[str, float]:
    """p50, p99, p99.9 and max [s] of times [ns], none of them in between two that were."""
    given = 1e-9 * np.concatenate(parts)
    found = np.percentile(given, (50.0, 99.0, 99.9, 100.0), method="inverted_cdf")
    return dict(zip(("p50", "p99", "p99.9", "max"), found.tolist()))


class RunTrack:
    """A run of `tb.simulate`, or of another source, with its mechanism."""

    deadlines: Mapping[str, object] = {}  # computed beside any clock

    def __init__(self, run: Run, model: Model | None = None, system: System | None = None) -> None:
        """`system` is the compiled mechanism, where there is one already."""
        shown = model or (system.model if system is not None else run.model)
        if shown is None:
            raise InputError(
                "This run doesn't know its mechanism; open it with its model: "
                "workbench.open(run, model=…)."
            )
        if not len(run):
            raise InputError("The run has no instant: there is nothing to play.")
        self._run, self.title, self._model = run, shown.name, shown
        self._system = system
        system = self.system(0)
        missing = [name for name in system.state_names if name not in run.signals]
        if missing:
            raise InputError(
                f"The run has no signal '{missing[0]}', which says where '{shown.name}' is; give "
                "the model that was run."
            )
        self._states = np.stack([run.signals[name] for name in system.state_names], axis=1)
        self._inputs = np.empty((len(run), len(system.input_names)))
        for k, (name, usual) in enumerate(zip(system.input_names, system.input_defaults)):
            self._inputs[:, k] = run.signals.get(name, usual)
        self._parameters = {**system.parameters, **run.parameters}

    @property
    def run(self) -> Run:
        """All signals."""
        return self._run

    def system(self, structure: int) -> System:
        if self._system is None:
            self._system = _compiled(self._model)
        return self._system

    def at(self, time: float) -> Instant:
        row = max(int(np.searchsorted(self.run.time, time, "right")) - 1, 0)
        return Instant(
            0, row, float(self.run.time[row]), self._states[row], self._inputs[row],
            self._parameters,
        )  # fmt: skip

    @property
    def events(self) -> list[Event]:
        found = [Event(each.time, each.name, "event") for each in self.run.events]
        found += [Event(each.time, each.target, "mode") for each in self.run.transitions]
        return sorted(found, key=lambda event: event.time)
