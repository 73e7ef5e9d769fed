"""Models and experiments as lines of text, one for each item, with what differs from its default:
to compare with files in `tests/golden/`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields as dataclass_fields, is_dataclass
from pathlib import Path

import msgspec
import numpy as np
import pytest

import touchback as tb
from touchback.model import unpacked
from touchback.symbolic import Expr, Table, to_text

GOLDEN = Path(__file__).parent / "golden" / "models"
NONE: Mapping[int, str] = {}
_MANY = 50  # numbers, of which a few figures are enough

_NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?![\w.])")
_SECTIONS = (
    "parameters", "inputs", "states", "tables", "bodies", "joints", "forces", "contacts",
    "closures", "couplings", "constraints", "drives", "modes", "transitions", "controls",
    "sensors", "shapes",
)  # fmt: skip


def described(what: object) -> Iterator[str]:
    """A model's items by section, or the fields of something else."""
    if not isinstance(what, tb.Model):
        yield from (f"{name}: {shown(item)}" for name, item in _told(what))
        return
    sections = {name: dict(getattr(what, name)) for name in _SECTIONS}
    parts = {name: (part.at, part.share, part.bind) for name, part in what.parts.items()}
    whole = {"gravity": what.gravity, "base": what.base, **sections, "parts": parts}
    used = list(dict.fromkeys(_expressions(whole)))
    known = list(what.tables.values())

    def called(table: Table) -> str:
        if table not in known:
            known.append(table)
        return f"table {known.index(table) + 1}"

    shared, outputs = to_text(what.tape, used, str, called)
    texts = dict(zip(used, outputs, strict=True))
    yield f"name: {what.name}"
    yield f"gravity: {shown(what.gravity, texts)}, base: {shown(what.base, texts)}"
    yield from (f"definitions {name}: {text}" for name, text in shared.items())
    for section, items in sections.items():
        yield from (f"{section} {name}: {shown(item, texts)}" for name, item in items.items())
    for i in range(len(what.tables), len(known)):
        yield f"tables {i + 1}: {shown(known[i], texts)}"
    for name, part in what.parts.items():
        yield f"parts {name}: {shown(parts[name], texts)}"
        yield from (f"parts {name} {line}" for line in described(part.model))


def check(found: Iterable[str], name: str, config: pytest.Config, rtol: float = 1e-9) -> None:
    """Lines are those of a file, but for rounding (a part `rtol` of numbers), or `--update-golden`
    makes them that."""
    lines, file = list(found), GOLDEN / f"{name}.txt"
    if config.getoption("--update-golden", default=False):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    changed = differing(lines, file.read_text(encoding="utf-8").splitlines(), rtol)
    told = "\n".join(changed[:20])
    assert not changed, f"{file.name}: run with --update-golden if these are meant:\n{told}"


def _expressions(item: object) -> Iterator[int]:
    if isinstance(item, Expr):
        yield item.id
    elif isinstance(item, Mapping):
        for each in item.values():
            yield from _expressions(each)
    elif isinstance(item, tuple | list):
        for each in item:
            yield from _expressions(each)
    else:
        yield from _expressions([each for _, each in _told(item)])


def differing(found: list[str], expected: list[str], rtol: float = 1e-9) -> list[str]:
    """The lines that differ by more than rounding, as in a patch."""
    left = list(expected)
    news = []
    for line in found:
        same = next((one for one in left if _alike(line, one, rtol)), None)
        if same is None:
            news.append(f"+ {line}")
        else:
            left.remove(same)
    return [*(f"- {line}" for line in left), *news]


def _alike(one: str, other: str, rtol: float) -> bool:
    if one == other:
        return True
    if _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(np.isclose(float(x), float(y), rtol=rtol, atol=1e-12) for x, y in pairs)


def _told(item: object) -> Iterator[tuple[str, object]]:
    """The fields of a struct or dataclass that differ from their defaults."""
    if isinstance(item, msgspec.Struct):
        for each in msgspec.structs.fields(item):
            value = getattr(item, each.name)
            if each.required or repr(value) != repr(each.default):
                yield each.name, value
    elif is_dataclass(item):
        for field in dataclass_fields(item):
            value = getattr(item, field.name)
            if field.default is MISSING or repr(value) != repr(field.default):
                yield field.name, value


def shown(item: object, texts: Mapping[int, str] = NONE) -> str:
    """An item in one line; `texts` are those of expressions."""
    if isinstance(item, Expr):
        return texts[item.id]
    if isinstance(item, bool | str) or item is None:
        return repr(item)
    if isinstance(item, int | float | np.number):
        return f"{float(item) + 0.0:.12g}"
    if isinstance(item, tb.Mesh):  # in single precision, whose last bits machines may differ in
        points, triangles = unpacked(item.points, item.triangles)
        extent = ", ".join(f"{x:.4g}" for x in np.ptp(points.astype(float), axis=0))
        return f"Mesh({len(points)} points, {len(triangles)} triangles, extent {extent})"
    if isinstance(item, msgspec.Struct) or is_dataclass(item):
        inner = ", ".join(f"{name}={shown(each, texts)}" for name, each in _told(item))
        return f"{type(item).__name__}({inner})"
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{k}: {shown(each, texts)}" for k, each in item.items()) + "}"
    if isinstance(item, np.ndarray):
        return shown(tuple(item.tolist()), texts)
    if isinstance(item, tuple | list):
        if len(item) > _MANY and all(isinstance(x, int | float) for x in item):
            numbers = np.array(item, dtype=float)
            return f"{len(item)} numbers of mean {numbers.mean():.12g}, size {numbers.std():.12g}"
        return "(" + ", ".join(shown(each, texts) for each in item) + ")"
    return getattr(item, "__name__", type(item).__name__)
