"""Recordings of live runs: MCAP files that can be read up to their last chunk at any moment.

The description holds model, state to start from, settings, units and versions. Table "ticks" has a
row a tick. Topic "parameters" has a text {version, values} for each change; a tick's column
"version" says which applied. When the run changed its structure, topic "structures" has the
description of the new one, and its ticks are in a table "ticks 1", "ticks 2", … Topic "faults" has
a text {tick, time, text} for each fault that flags of ticks don't tell in full; topic "places"
{tick, state} for each state that a tick was offered, "speeds" {tick, speed} for each change of
speed; topic "memories" {tick, t0, steps, flags, memory} for every thousandth tick what a mechanism
remembers beside its state, so that a run can go on from there. The live run finishes a chunk every
tenth of a second. For other tools the ticks are in topics "/ticks", "/ticks/1", … too; of runs with
more than 50 000 numbers a second only every k-th, for that costs the recording thread more than the
bits do.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from touchback.errors import InputError
from touchback.json_validation import parsed
from touchback.recording.live_recording_metadata import (
    HEAD,
    HEAD_UNITS,
    FaultData,
    LiveAbout,
    PlaceData,
    SpeedData,
    StartData,
    change_of,
    check_about,
    check_fault,
    check_memory,
    check_place,
    check_speed,
)
from touchback.recording.mcap_tables import Table, Tables, read_tables
from touchback.recording.mcap_writer import TableWriter
from touchback.recording.run_data import RunData

KIND = "touchback live run"
FORMAT_VERSION = 1
TICKS, PARAMETERS, STRUCTURES, FAULTS = "ticks", "parameters", "structures", "faults"
PLACES, SPEEDS, MEMORIES = "places", "speeds", "memories"
_LARGEST_RUN = 1 << 29  # numbers
_READABLE = 50_000  # numbers a second that are written for other tools: a twentieth of a core
_TIME = HEAD.index("time")


class Recorder(TableWriter):
    """Appends to a recording; every `finish_chunk` leaves a file that can be read."""

    def __init__(
        self, path: str | os.PathLike[str], about: LiveAbout, columns: Sequence[str]
    ) -> None:
        text = json.dumps({"format": FORMAT_VERSION, **about}, ensure_ascii=False)
        super().__init__(path, KIND, text)
        self._structures = 0
        self._others: dict[str, int] = {}  # topics, each from when there is something to tell
        with self.removed_if_it_fails():
            self._ticks = self._add_ticks(about, columns)
            self._parameters = self.add_texts(PARAMETERS)
            self._faults = self.add_texts(FAULTS)
            # So that a run which ends, or is killed, before its first tick has the table too.
            self.write_rows(self._ticks, np.empty((0, len(columns))), _TIME)
            self.finish_chunk()

    def write_structure(self, about: LiveAbout, columns: Sequence[str]) -> None:
        """Another structure, which the ticks that follow are of."""
        if not self._structures:
            self._descriptions = self.add_texts(STRUCTURES)
        self._structures += 1
        self.write_text(self._descriptions, about)
        self._ticks = self._add_ticks(about, columns)

    def _add_ticks(self, about: LiveAbout, columns: Sequence[str]) -> int:
        self._every = math.ceil(about.get("rate", 1.0) * len(columns) / _READABLE)
        units = {**about.get("units", {}), **HEAD_UNITS}
        return self.add_table(_topic(self._structures), columns, units)

    def write(self, rows: np.ndarray) -> None:
        """Rows of ticks."""
        if len(rows):
            self.write_rows(self._ticks, rows, _TIME)
            self.write_signals(self._ticks, rows[rows[:, 0] % self._every == 0], _TIME)

    def write_parameters(self, number: int, values: dict[str, float]) -> None:
        """Parameters that a tick may name by their version."""
        self.write_text(self._parameters, {"version": number, "values": values})

    def write_fault(self, fault: FaultData) -> None:
        """What went wrong: {tick, time, text}."""
        self.write_text(self._faults, fault)

    def write_place(self, place: PlaceData) -> None:
        """A state that a tick was offered: {tick, state}."""
        self._write_other(PLACES, place)

    def write_speed(self, speed: SpeedData) -> None:
        """Another speed: {tick, speed}."""
        self._write_other(SPEEDS, speed)

    def write_memory(self, memory: StartData) -> None:
        """What is remembered after a tick: {tick, t0, steps, flags, memory}."""
        self._write_other(MEMORIES, memory)

    def _write_other(self, topic: str, content: Mapping[str, object]) -> None:
        if topic not in self._others:
            self._others[topic] = self.add_texts(topic)
        self.write_text(self._others[topic], content)


@dataclass
class Part:
    """The ticks of one structure: the description it started with, and a row a tick."""

    about: LiveAbout
    columns: list[str]
    rows: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """One column over all ticks."""
        return self.rows[:, self.columns.index(name)]

    @property
    def inputs(self) -> np.ndarray:
        """Inputs consumed, a row a tick."""
        return self.rows[:, len(HEAD) : len(HEAD) + len(self.about["input_names"])]

    @property
    def states(self) -> np.ndarray:
        """States after each tick."""
        start = len(HEAD) + len(self.about["input_names"])
        return self.rows[:, start : start + len(self.about["state_names"])]


@dataclass
class Recording:
    """What a file holds: the run's description, a row a tick, parameters by version; in parts when
    the structure changed, of which there is one otherwise."""

    parts: list[Part]
    parameters: dict[int, dict[str, float]] = field(default_factory=dict)
    complete: bool = True  # whether the file was finished
    faults: list[FaultData] = field(default_factory=list)  # {tick, time, text}
    places: dict[int, list[float]] = field(default_factory=dict)  # states offered, by tick
    speeds: list[SpeedData] = field(default_factory=list)  # {tick, speed}
    damaged_at: int | None = None  # the byte about which the file is cut or damaged
    memories: dict[int, StartData] = field(default_factory=dict)  # kept beside states, by tick

    @property
    def about(self) -> LiveAbout:
        """The description that the run started with."""
        return self.parts[0].about

    @property
    def lost(self) -> list[tuple[int, int]]:
        """The first and the last of ticks in a row that are missing between those recorded: the
        writer didn't keep up with the run."""
        ticks = self.column("tick")
        ticks = ticks[np.isfinite(ticks)]  # others are damage
        gaps = np.flatnonzero(np.diff(ticks) > 1)
        return [(int(ticks[k]) + 1, int(ticks[k + 1]) - 1) for k in gaps]

    @property
    def diagnostics(self) -> list[str]:
        """What whoever uses it should know: where it ends early, and what it lacks."""
        kept = sum(len(part.rows) for part in self.parts)
        told = []
        if self.damaged_at is not None:
            told.append(f"cut short or damaged at byte {self.damaged_at}, {kept} ticks kept")
        elif not self.complete:
            told.append(f"cut short and repaired since, {kept} ticks kept")
        if self.lost:
            count = sum(last - first + 1 for first, last in self.lost)
            first, last = self.lost[0]
            which = f"tick {first}" if first == last else f"ticks {first} to {last}"
            more = f" and {len(self.lost) - 1} more gaps" if len(self.lost) > 1 else ""
            told.append(f"lacks {count} ticks that were lost while it was recorded ({which}{more})")
        return told

    def column(self, name: str) -> np.ndarray:
        """One column over all ticks; NaN where a structure didn't have it."""
        return np.concatenate([
            part.column(name) if name in part.columns else np.full(len(part.rows), np.nan)
            for part in self.parts
        ])  # fmt: skip

    def run_data(self, metadata: Mapping[str, object] | None = None) -> RunData:
        """All columns by name over the model's time, with the description and more metadata."""
        names = dict.fromkeys(name for part in self.parts for name in part.columns)
        size = len(names) * sum(len(part.rows) for part in self.parts)
        if size > _LARGEST_RUN:
            raise InputError(
                f"As one run, the {len(self.parts)} structures have {len(names)} columns and "
                f"{size} numbers; at most {_LARGEST_RUN}: open it by `open_recording` and look at "
                "its `parts`."
            )
        signals = {name: self.column(name) for name in names}
        units = dict(HEAD_UNITS)
        for part in self.parts:
            units |= part.about.get("units", {})  # which the first files lack
        found = {"faults": self.faults, "lost_ticks": self.lost, "diagnostics": self.diagnostics}
        about = {**self.about, **found, **(metadata or {})}
        return RunData(signals.pop("time"), signals, units, about)

    @property
    def rows(self) -> np.ndarray:
        """All ticks, when the structure stayed the same."""
        return self._only.rows

    @property
    def inputs(self) -> np.ndarray:
        """Inputs consumed, a row a tick, when the structure stayed the same."""
        return self._only.inputs

    @property
    def states(self) -> np.ndarray:
        """States after each tick, when the structure stayed the same."""
        return self._only.states

    @property
    def _only(self) -> Part:
        if len(self.parts) > 1:
            raise InputError(
                f"The run changed its structure {len(self.parts) - 1} times: use `parts`, or "
                "`column(name)` for what it had all the time."
            )
        return self.parts[0]


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """Reads a recording, also one whose writer was killed: up to the last whole chunk."""
    return recording_of(read_tables(path), Path(path).name)


def recording_of(found: Tables, file: str) -> Recording:
    """The recording that the tables and texts of a file are; every text and size is checked."""
    about = parsed(found.abouts.get(KIND, "{}"), f"{file}: its description")
    ours = isinstance(about, dict) and about.get("format") == FORMAT_VERSION
    if not ours or TICKS not in found.tables:
        raise InputError(f"{file} is not a recording of a live run by this Touchback.")
    texts = found.texts.get(STRUCTURES, [])
    more = (parsed(text, f"{file}: {_structure(1 + i)}") for i, text in enumerate(texts))
    abouts = [about, *more]
    parts = [
        Part(
            check_about(each, table.columns, f"{file}: {_structure(place)}", place == 0),
            table.columns, table.rows(file),
        )
        for place, (each, table) in enumerate(zip(abouts, _tables(found, len(abouts))))
    ]  # fmt: skip
    changes = [
        change_of(text, f"{file}: change {1 + i} of parameters")
        for i, text in enumerate(found.texts.get(PARAMETERS, []))
    ]
    parameters = {change.version: change.values for change in changes}
    faults = [check_fault(*each) for each in _texts(found, FAULTS, f"{file}: fault")]
    places = [check_place(*each) for each in _texts(found, PLACES, f"{file}: placed state")]
    speeds = [check_speed(*each) for each in _texts(found, SPEEDS, f"{file}: change of speed")]
    memories = [check_memory(*each) for each in _texts(found, MEMORIES, f"{file}: memory")]
    by_tick = {each["tick"]: each["state"] for each in places}
    return Recording(
        parts, parameters, found.complete, faults, by_tick, speeds, found.damaged_at,
        {each["tick"]: each for each in memories},
    )  # fmt: skip


def _texts(found: Tables, topic: str, what: str) -> Iterator[tuple[object, str]]:
    """The texts of a topic as plain data, each with what it is, for errors."""
    for i, text in enumerate(found.texts.get(topic, [])):
        yield parsed(text, f"{what} {1 + i}"), f"{what} {1 + i}"


def _structure(place: int) -> str:
    return f"the description of structure {place}" if place else "its description"


def _topic(place: int) -> str:
    return f"{TICKS} {place}" if place else TICKS


def _tables(found: Tables, count: int) -> list[Table]:
    """The tables of so many structures; of a file that was cut, the last may not be there yet."""
    topics = [_topic(place) for place in range(count)]
    if not found.complete and topics[-1] not in found.tables:
        del topics[-1]
    missing = [topic for topic in topics if topic not in found.tables]
    other = [topic for topic, each in found.tables.items() if topic not in topics and each.blocks]
    if missing or other:
        what = f"but lacks the table '{missing[0]}'" if missing else f"none of '{other[0]}'"
        raise InputError(f"{found.file}: it describes {count} structures, {what}.")
    return [found.tables[topic] for topic in topics]


_ROUNDING = 8  # units in the last place by which a time may be off: one or two for each new step


def latest(time: float) -> float:
    """The last number that is the same time [s] but for rounding."""
    return time + _ROUNDING * float(np.spacing(abs(time)))


def place_at(recording: Recording, time: float) -> tuple[int, int]:
    """The part and the row of the last tick at or before a time [s]; row −1 of the first part,
    where there is none. 0.003 is tick 3 at 1 kHz, though a sum of steps is rounded otherwise."""
    place, row = 0, -1
    for number, part in enumerate(recording.parts):
        before = int(np.searchsorted(part.column("time"), latest(time), "right")) - 1
        if before >= 0:
            place, row = number, before
    return place, row
