"""What files hold of a run: its arrays, and one JSON object that describes them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from touchback.errors import InputError
from touchback.json_validation import checked, parsed

if TYPE_CHECKING:
    from touchback.model import Model

FORMAT = "touchback run"
VERSION = 1
RENAMED_METADATA = {"books": "energy_balance", "remarks": "diagnostics", "repeat": "repro_call"}
"""Keys of metadata that files of Touchback 0.1 have → their names now."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RunData:
    """The contents of a run: what writers of files take and readers return. The mechanism is there
    where it is at hand; files of runs don't hold it."""

    time: Floats
    signals: Mapping[str, Floats]
    units: Mapping[str, str] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    model: Model | None = None

    @property
    def names(self) -> list[str]:
        """The names of the signals, in the order of the recording."""
        return list(self.signals)

    @property
    def parameters(self) -> dict[str, float]:
        """Values that replaced the model's own."""
        return {name: float(x) for name, x in self.metadata.get("parameters", {}).items()}


def _plain(value: object) -> object:
    """Numpy's numbers and arrays as Python's, and numbers that JSON lacks as text."""
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise InputError(
        f"A run's metadata must be plain data, but holds {value!r} of type {type(value).__name__}."
    )


def describe(run: RunData) -> str:
    """The JSON text, on one line."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "names": run.names,
        "units": dict(run.units),
        "metadata": _plain(run.metadata),
    }
    return json.dumps(about, ensure_ascii=False, allow_nan=False)


class About(msgspec.Struct):
    """What a file says about a run: the names of its signals, their units, and metadata."""

    format: str
    version: int
    names: list[str]
    units: dict[str, str]
    metadata: dict[str, object]


def understand(text: str | bytes, file: str) -> About:
    """What a file says, checked to be ours and of a version that we know."""
    about = parsed(text, f"{file}: its description")
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(f"{file} is not a run saved by Touchback.")
    if about.get("version") != VERSION:
        raise InputError(
            f"{file} has version {about.get('version')}, but this Touchback reads {VERSION}; "
            "upgrade Touchback to open it."
        )
    found = checked(about, About, f"{file}: its description")
    if len(set(found.names)) != len(found.names):
        raise InputError(f"{file}: its description is damaged: a signal's name stands twice.")
    found.metadata = {RENAMED_METADATA.get(key, key): x for key, x in found.metadata.items()}
    return found
