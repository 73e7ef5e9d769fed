"""Lookup tables as users give them."""

from touchback.errors import ModelError
from touchback.model.value import listed, number
from touchback.symbolic.table import Table


def make_table(label: str, x: object, values: object, y: object = ()) -> Table:
    """A checked table: values as a list, for two variables a row for each x."""
    columns = _numbers(f"{label}: y", y)
    rows = _list(f"{label}: values", values)
    if columns:
        rows = [item for row in rows for item in _row(label, row, len(columns))]
    try:
        return Table(_numbers(f"{label}: x", x), _numbers(f"{label}: values", rows), columns)
    except ModelError as error:
        raise ModelError(str(error).replace("Table:", f"{label}:", 1)) from None


def _row(label: str, row: object, count: int) -> list[object]:
    items = listed(row)
    if items is None:
        return [row]
    if len(items) != count:
        raise ModelError(f"{label}: a row of values has {len(items)} items for {count} y.")
    return items


def _list(label: str, given: object) -> list[object]:
    items = listed(given)
    if items is None:
        raise ModelError(f"{label}: a list of numbers is expected, got {given!r}.")
    return items


def _numbers(label: str, given: object) -> tuple[float, ...]:
    return tuple(number(label, item) for item in _list(label, given))
