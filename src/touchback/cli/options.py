"""Options that are checked before any work starts: numbers in a range, and files to be written."""

import math
from collections.abc import Callable
from pathlib import Path

import typer
from typer.models import OptionInfo

from touchback.errors import InputError
from touchback.regular_file import check_output


def number(
    help: str, low: float, high: float = math.inf, *, open: bool = False, flag: str | None = None
) -> OptionInfo:
    """An option for a finite number from `low` (or, if `open`, above it) to `high`."""

    def check(param: typer.CallbackParam, value: float | None) -> float | None:
        within = value is None or (low <= value <= high and math.isfinite(value))
        if within and not (open and value == low):
            return value
        above = f"above {low:g}" if open else f"at least {low:g}"
        due = f"{above} and finite" if math.isinf(high) else f"{above} and at most {high:g}"
        raise InputError(f"{_flag(param)} is {value:g}; give a number {due}.")

    return typer.Option(*([flag] if flag else []), help=help, callback=check)


def seconds(help: str) -> OptionInfo:
    """An option for a time: a positive number."""
    return number(help, 0.0, open=True)


def output(help: str, *endings: str, flags: tuple[str, ...] = ()) -> OptionInfo:
    """An option for a file to be written: its folder is there, and its ending is one of these."""
    return typer.Option(*flags, help=help, callback=_checked(endings))


def _checked(endings: tuple[str, ...]) -> Callable[[typer.CallbackParam, Path | None], Path | None]:
    def check(param: typer.CallbackParam, value: Path | None) -> Path | None:
        if value is not None:
            check_output(value, endings, _flag(param))
        return value

    return check


def _flag(param: typer.CallbackParam) -> str:
    return param.opts[0]
