"""What a file says about a run besides its numbers: one JSON object."""

import json
import math
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.recording.run import Run

FORMAT = "touchback run"
VERSION = 1


def _plain(value: Any) -> Any:
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


def describe(run: Run) -> str:
    """The JSON text, on one line."""
    about = {
        "format": FORMAT,
        "version": VERSION,
        "names": run.names,
        "units": run.units,
        "metadata": _plain(run.metadata),
    }
    return json.dumps(about, ensure_ascii=False, allow_nan=False)


def understand(text: str, file: str) -> dict[str, Any]:
    """The JSON object of a file, checked to be ours and of a version that we know."""
    try:
        about = json.loads(text)
    except ValueError as error:
        raise InputError(f"{file}: its description is not JSON ({error}).") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(f"{file} is not a run saved by Touchback.")
    if about.get("version") != VERSION:
        raise InputError(
            f"{file} has version {about.get('version')}, but this Touchback reads {VERSION}; "
            "upgrade Touchback to open it."
        )
    return about
