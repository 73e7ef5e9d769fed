"""Numbers that have names in a room, by module: constants, and defaults of arguments and fields. To
compare with files in `tests/golden/`: what users, docs and other programs rely on changes on
purpose only."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from types import FunctionType, ModuleType

import msgspec
import pytest

from descriptions import GOLDEN, differing, shown


def named_numbers(room: str, left_out: tuple[str, ...] = ()) -> Iterator[str]:
    """Lines "module name: value"; modules that begin otherwise than with one `left_out`."""
    package = import_module(f"touchback.{room}")
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    for name in sorted([package.__name__, *(each.name for each in found)]):
        short = name.removeprefix("touchback.")
        if not short.endswith("__main__") and not short.startswith(left_out or ("-",)):
            yield from (f"{short} {line}" for line in _of_module(import_module(name)))


def check_numbers(room: str, config: pytest.Config, left_out: tuple[str, ...] = ()) -> None:
    """None has changed or gone since the file was written; new ones may be missing there."""
    lines, file = list(named_numbers(room, left_out)), GOLDEN / f"numbers-of-{room}.txt"
    if config.getoption("--update-golden", default=False):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = file.read_text(encoding="utf-8").splitlines()
    gone = [line for line in differing(lines, expected) if line.startswith("- ")]
    told = "\n".join(gone[:20])
    assert not gone, f"{file.name}: run with --update-golden if these are meant:\n{told}"


def _of_module(module: ModuleType) -> Iterator[str]:
    for name, item in sorted(vars(module).items()):
        if name.startswith("__"):
            continue
        if isinstance(item, FunctionType | type):
            if item.__module__ == module.__name__:
                yield from _of_class(name, item) if isinstance(item, type) else _of(name, item)
        elif name.upper() == name and _is_plain(item):
            yield f"{name}: {shown(item)}"


def _of_class(name: str, kind: type) -> Iterator[str]:
    if is_dataclass(kind):
        for field in fields(kind):
            if field.default is not MISSING and _is_plain(field.default):
                yield f"{name}.{field.name}: {shown(field.default)}"
    elif issubclass(kind, msgspec.Struct):
        for each in msgspec.structs.fields(kind):
            if not each.required and _is_plain(each.default):
                yield f"{name}.{each.name}: {shown(each.default)}"
    for own, item in vars(kind).items():
        item = getattr(item, "__func__", item)
        if isinstance(item, FunctionType) and (not own.startswith("__") or own == "__init__"):
            if not (own == "__init__" and is_dataclass(kind)):
                yield from _of(f"{name}.{own}", item)
        elif own.upper() == own and not own.startswith("__") and _is_plain(item):
            yield f"{name}.{own}: {shown(item)}"


def _of(name: str, function: FunctionType) -> Iterator[str]:
    for each in inspect.signature(function).parameters.values():
        if each.default is not each.empty and _is_plain(each.default):
            yield f"{name}({each.name}): {shown(each.default)}"


def _is_plain(item: object) -> bool:
    """Numbers and words, alone or in tables that are small."""
    if isinstance(item, tuple | list | frozenset):
        return 0 < len(item) < 400 and not isinstance(item, frozenset) and all(map(_is_plain, item))
    if isinstance(item, dict):
        return 0 < len(item) < 400 and all(map(_is_plain, [*item, *item.values()]))
    return isinstance(item, bool | int | float | str) and len(str(item)) < 60
