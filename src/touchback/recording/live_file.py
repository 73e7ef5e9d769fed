"""Recordings of live runs: MCAP files that can be read up to their last chunk at any moment.

The description holds model, state to start from, settings, units and versions. Table "ticks" has a
row a tick. Topic "parameters" has a text {version, values} for each change; a tick's column
"version" says which applied. When the run changed its structure, topic "structures" has the
description of the new one, and its ticks are in a table "ticks 1", "ticks 2", … The live run
finishes a chunk every tenth of a second.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.native.live_structs import ROW_HEAD
from touchback.recording.mcap_tables import Tables, TableWriter, read_tables
from touchback.recording.run import Run

KIND = "touchback live run"
FORMAT_VERSION = 1
TICKS, PARAMETERS, STRUCTURES = "ticks", "parameters", "structures"
HEAD_UNITS = {
    "tick": "", "time": "s", "flags": "", "version": "", "offered": "", "substeps": "",
    "lateness": "ns", "step time": "ns", "input age": "ns",
}  # fmt: skip
HEAD = tuple(HEAD_UNITS)
_TIME = HEAD.index("time")


class Recorder(TableWriter):
    """Appends to a recording; every `finish_chunk` leaves a file that can be read."""

    def __init__(
        self, path: str | os.PathLike[str], about: dict[str, Any], columns: Sequence[str]
    ) -> None:
        text = json.dumps({"format": FORMAT_VERSION, **about}, ensure_ascii=False)
        super().__init__(path, KIND, text)
        self._structures = 0
        self._ticks = self.add_table(TICKS, columns)
        self._parameters = self.add_texts(PARAMETERS)
        # So that a run which ends, or is killed, before its first tick has the table too.
        self.write_rows(self._ticks, np.empty((0, len(columns))), _TIME)
        self.finish_chunk()

    def write_structure(self, about: dict[str, Any], columns: Sequence[str]) -> None:
        """Another structure, which the ticks that follow are of."""
        if not self._structures:
            self._descriptions = self.add_texts(STRUCTURES)
        self._structures += 1
        self._ticks = self.add_table(f"{TICKS} {self._structures}", columns)
        self.write_text(self._descriptions, about)

    def write(self, rows: np.ndarray) -> None:
        """Rows of ticks."""
        if len(rows):
            self.write_rows(self._ticks, rows, _TIME)

    def write_parameters(self, number: int, values: dict[str, float]) -> None:
        """Parameters that a tick may name by their version."""
        self.write_text(self._parameters, {"version": number, "values": values})


@dataclass
class Part:
    """The ticks of one structure: the description it started with, and a row a tick."""

    about: dict[str, Any]
    columns: list[str]
    rows: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """One column over all ticks."""
        return self.rows[:, self.columns.index(name)]

    @property
    def inputs(self) -> np.ndarray:
        """Inputs consumed, a row a tick."""
        return self.rows[:, ROW_HEAD : ROW_HEAD + len(self.about["input_names"])]

    @property
    def states(self) -> np.ndarray:
        """States after each tick."""
        start = ROW_HEAD + len(self.about["input_names"])
        return self.rows[:, start : start + len(self.about["state_names"])]


@dataclass
class Recording:
    """What a file holds: the run's description, a row a tick, parameters by version; in parts when
    the structure changed, of which there is one otherwise."""

    parts: list[Part]
    parameters: dict[int, dict[str, float]] = field(default_factory=dict)
    complete: bool = True  # whether the file was finished

    @property
    def about(self) -> dict[str, Any]:
        """The description that the run started with."""
        return self.parts[0].about

    def column(self, name: str) -> np.ndarray:
        """One column over all ticks; NaN where a structure didn't have it."""
        return np.concatenate([
            part.column(name) if name in part.columns else np.full(len(part.rows), np.nan)
            for part in self.parts
        ])  # fmt: skip

    def as_run(self, metadata: Mapping[str, Any] | None = None) -> Run:
        """All columns by name over the model's time, with the description and more metadata."""
        names = dict.fromkeys(name for part in self.parts for name in part.columns)
        signals = {name: self.column(name) for name in names}
        units = dict(HEAD_UNITS)
        for part in self.parts:
            units |= part.about.get("units", {})  # which the first files lack
        return Run(signals.pop("time"), signals, units, {**self.about, **(metadata or {})})

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
    """The recording that the tables and texts of a file are."""
    try:
        about = json.loads(found.abouts.get(KIND, "{}"))
    except ValueError as error:
        raise InputError(f"{file}: its description is not JSON ({error}).") from None
    if about.get("format") != FORMAT_VERSION or TICKS not in found.tables:
        raise InputError(f"{file} is not a recording of a live run by this Touchback.")
    abouts = [about, *found.texts.get(STRUCTURES, [])]
    parts = [
        Part(about, table.columns, table.rows)
        for about, table in zip(abouts, found.tables.values())
    ]
    changes = found.texts.get(PARAMETERS, [])
    parameters = {change["version"]: change["values"] for change in changes}
    return Recording(parts, parameters, found.complete)
