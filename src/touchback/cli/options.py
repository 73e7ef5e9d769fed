"""Options that are checked before any work starts: numbers in a range, and files to be written."""

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from touchback.errors import InputError

PICTURES = (".png", ".svg", ".pdf", ".jpg")
RUNS = (".csv", ".npz", ".mcap")


def number(
    help: str, low: float, high: float = math.inf, *, open: bool = False, flag: str | None = None
) -> Any:
    """An option for a finite number from `low` (or, if `open`, above it) to `high`."""

    def check(param: typer.CallbackParam, value: float | None) -> float | None:
        within = value is None or (low <= value <= high and math.isfinite(value))
        if within and not (open and value == low):
            return value
        above = f"above {low:g}" if open else f"at least {low:g}"
        due = f"{above} and finite" if math.isinf(high) else f"{above} and at most {high:g}"
        raise InputError(f"{_flag(param)} is {value:g}; give a number {due}.")

    return typer.Option(*([flag] if flag else []), help=help, callback=check)


def seconds(help: str) -> Any:
    """An option for a time: a positive number."""
    return number(help, 0.0, open=True)


def output(help: str, *endings: str, flags: tuple[str, ...] = ()) -> Any:
    """An option for a file to be written: its folder is there, and its ending is one of these."""
    return typer.Option(*flags, help=help, callback=_checked(endings))


def _checked(endings: tuple[str, ...]) -> Callable[[typer.CallbackParam, Path | None], Any]:
    def check(param: typer.CallbackParam, value: Path | None) -> Path | None:
        if value is not None:
            _check_output(_flag(param), value, endings)
        return value

    return check


def _check_output(flag: str, path: Path, endings: tuple[str, ...]) -> None:
    if endings and path.suffix.lower() not in endings:
        raise InputError(f"{flag}: give a path that ends in {' or '.join(endings)}, not '{path}'.")
    if path.is_dir():
        raise InputError(f"{flag}: '{path}' is a folder; give the name of a file in it.")
    if not path.parent.is_dir():
        raise InputError(f"{flag}: there is no folder '{path.parent}' to write into; make it.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{flag}: '{path}' may not be written; choose another place.")


def _flag(param: typer.CallbackParam) -> str:
    return param.opts[0]
