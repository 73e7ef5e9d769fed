"""Options that are checked before any work starts: numbers in a range, files to be written,
`--set name=value`, and lists of parameters."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import typer
from rich.table import Table
from typer.models import OptionInfo

import touchback as tb
from touchback.cli.console import out
from touchback.errors import InputError
from touchback.model import Parameter
from touchback.names import suggestion
from touchback.safe_files import check_output


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


def assignments(option: str, given: list[str]) -> dict[str, float]:
    """Names and numbers from texts such as "crank radius=0.12"."""
    found = {}
    for text in given:
        name, equals, number = text.rpartition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise InputError(f"{option}: a name, '=' and a number are expected, got '{text}'.")
    return found


def set_values(system: tb.System, start: tb.State, given: dict[str, float]) -> tb.State:
    """Sets live parameters of the system, and gives the state with initial values replaced."""
    x = start.x
    names = system.state_names
    for name, number in given.items():
        if name in system.parameters:
            system[name] = number
        elif name in names:
            x[names.index(name)] = number
        else:
            known = [*system.parameters, *names]
            raise InputError(
                f"--set: there is no parameter or initial value '{name}'; {suggestion(name, known)}"
            )
    nq, nv, _ = system.sizes
    return tb.State(x[:nq], x[nq : nq + nv], x[nq + nv :], start.names)


LIST = "list"  # in place of a name


def show_parameters(parameters: Mapping[str, Parameter], of: str) -> None:
    """A line for each, in SI units."""
    if not parameters:
        raise InputError(f"There is nothing to be set on {of}.")
    table = Table("name", "as it was made", "from", "to", "unit", box=None, pad_edge=False)
    for name, each in parameters.items():
        low, high = ("" if end is None else f"{end:g}" for end in (each.min, each.max))
        table.add_row(name, f"{each.default:g}", low, high, each.unit)
    out.print(table)
