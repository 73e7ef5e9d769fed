"""`--set list` and `--vary list`: what these options take, of the very thing that takes it."""

from collections.abc import Mapping

from rich.table import Table

from touchback.cli.console import out
from touchback.errors import InputError
from touchback.model.signals import Parameter

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
