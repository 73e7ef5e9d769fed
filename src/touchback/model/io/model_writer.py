"""Writing models: plain data in a fixed order, as YAML or JSON, which reading gives the same model
of; or Python source, which running it does."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import fields

from touchback.errors import ModelError
from touchback.model.body import Body
from touchback.model.closures import Closure
from touchback.model.field_traversal import expressions_of, usual_value
from touchback.model.frame import GROUND, Frame
from touchback.model.io.python_source import python_text
from touchback.model.io.schema import VERSION
from touchback.model.io.yaml_json import yaml_text
from touchback.model.joints.joint import Joint
from touchback.model.kind_registry import KINDS, kinds_in
from touchback.model.parameters_and_signals import BaseMotion
from touchback.model.value_or_expression import Data
from touchback.safe_files import write_atomically
from touchback.symbolic import Expr, Table, to_text as expressions_to_text

if TYPE_CHECKING:
    from touchback.model.model import Model, Part


_T = TypeVar("_T")


_USUAL_GRAVITY = (0.0, 0.0, -9.81)


def save(model: Model, path: str | Path) -> None:
    """Write a model file; the suffix says how."""
    target = Path(path)
    if target.suffix not in WRITERS:
        raise ModelError(
            f"{target}: a model is saved as {', '.join(WRITERS)}, not as '{target.suffix}'."
        )
    text = to_text(model, target.suffix)
    write_atomically(target, text)


def write(model: Model, where: Path) -> list[Path]:
    """`save`, as what `touchback.generate` writes."""
    save(model, where)
    return [where]


def to_text(model: Model, suffix: str = ".yaml") -> str:
    """The text of a model's file, as YAML, for ".json" as JSON, for ".py" as Python source."""
    return WRITERS[suffix](model)


def plain_model(model: Model) -> dict[str, object]:
    """A model as a file holds it: mappings, lists, numbers and texts."""
    model = model.described or model
    check_known(model)
    library = _Library()
    body = _Writer(model, library).plain()
    found = {"touchback": VERSION, "name": model.name, **body}
    if library.entries:
        found["library"] = library.entries
    return found


class _Library:
    """The models of parts, each written once; a model stands after those it uses."""

    def __init__(self) -> None:
        self.entries: dict[str, dict[str, object]] = {}
        self._keys: dict[int, str] = {}

    def key(self, model: Model) -> str:
        """The name under which a model stands in the library, where it is put if it isn't yet."""
        if id(model) not in self._keys:
            plain = _Writer(model, self).plain()
            key, count = model.name, 2
            while key in self.entries:
                key, count = f"{model.name} {count}", count + 1
            own = {"name": model.name} if key != model.name else {}
            self.entries[key] = {**own, **plain}
            self._keys[id(model)] = key
        return self._keys[id(model)]


class _Writer:
    """One model, with the texts of its expressions, which share definitions."""

    def __init__(self, model: Model, library: _Library) -> None:
        self.model, self.library = model, library
        self.tables = dict(model.tables)
        owned = model.owned_states()  # their forces bring them again
        self.states = {name: item for name, item in model.states.items() if name not in owned}
        everything = [
            model.gravity,
            model.base,
            [*self.states.values(), *model.bodies.values(), *model.joints.values()],
            [*model.forces.values(), *model.closures.values(), *model.couplings.values()],
            [*model.contacts.values(), *model.constraints.values(), *model.drives.values()],
            [*model.modes.values(), *model.transitions.values()],
            [*model.controls.values(), *model.sensors.values(), *model.shapes.values()],
            [(part.at, part.bind) for part in model.parts.values()],
        ]
        used = list(dict.fromkeys(expressions_of(_as_tuples(everything))))
        outputs = [expression.id for expression in used]
        self.definitions, texts = expressions_to_text(
            model.tape, outputs, symbol=str, table=self.table_name
        )
        self.texts = dict(zip(outputs, texts, strict=True))

    def table_name(self, table: Table) -> str:
        """The name of a table; one that the model doesn't know by name gets one."""
        for name, known in self.tables.items():
            if known == table:
                return name
        count = 1
        while f"table {count}" in self.tables:
            count += 1
        self.tables[f"table {count}"] = table
        return f"table {count}"

    def plain(self) -> dict[str, object]:
        model = self.model
        found: dict[str, object] = {}
        if model.gravity != _USUAL_GRAVITY:
            found["gravity"] = self.data(model.gravity)
        if model.base != BaseMotion():
            found["base"] = self.data(model.base)
        if model.reported is not None:
            found["report"] = list(model.reported)
        sections: dict[str, Mapping[str, object]] = {
            "parameters": self.section(model.parameters, self.data),
            "inputs": self.section(model.inputs, self.data),
            "states": self.section(self.states, self.data),
            "tables": self.section(self.tables, _plain_table),
            "definitions": self.definitions,
            "bodies": self.section(model.bodies, self.body),
            "shapes": self.section(model.shapes, self.data),
            "joints": self.section(model.joints, self.with_kind),
            "forces": self.section(model.forces, self.data),
            "contacts": self.section(model.contacts, self.data),
            "closures": self.section(model.closures, self.with_kind),
            "couplings": self.section(model.couplings, self.data),
            "constraints": self.section(model.constraints, self.data),
            "drives": self.section(model.drives, self.data),
            "modes": self.section(model.modes, self.data),
            "transitions": self.section(model.transitions, self.data),
            "controls": self.section(model.controls, self.data),
            "sensors": self.section(model.sensors, self.data),
            "parts": self.section(model.parts, self.part),
        }
        return {**found, **{name: items for name, items in sections.items() if items}}

    def section(self, items: Mapping[str, _T], write: Callable[[_T], object]) -> dict[str, object]:
        return {name: write(item) for name, item in items.items()}

    def data(self, given: object) -> object:
        """Described data as a file holds them: frames and values as texts."""
        if isinstance(given, Expr):
            return self.texts[given.id]
        if isinstance(given, Data):
            found = self.fields(given)
            return given.body if isinstance(given, Frame) and len(found) == 1 else found
        if isinstance(given, tuple):
            return [self.data(item) for item in given]
        if isinstance(given, dict):
            return {key: self.data(item) for key, item in given.items()}
        return _short(given)

    def fields(self, given: Data) -> dict[str, object]:
        """The fields that differ from their defaults."""
        config = given.__struct_config__
        found: dict[str, object] = {config.tag_field: config.tag} if config.tag_field else {}
        for field in fields(given):
            item = getattr(given, field.name)
            if field.required or item != usual_value(field):
                found[field.name] = self.data(item)
        return found

    def body(self, given: Body) -> dict[str, object]:
        found = self.fields(Body(given.mass, given.com, given.inertia))  # its key is its name
        if "inertia" in found and given.inertia[3:] == (0.0, 0.0, 0.0):
            found["inertia"] = self.data(given.inertia[:3])
        return found

    def with_kind(self, given: Joint | Closure) -> dict[str, object]:
        """The kind with what stands beside it; of a joint's options, a list of one as its item."""
        found = self.fields(given)
        del found["kind"]
        for word, item in found.items():
            if isinstance(item, list) and len(item) == 1:
                found[word] = item[0]
        return {**self.fields(given.kind), **found}

    def part(self, given: Part) -> dict[str, object]:
        found: dict[str, object] = {"model": self.library.key(given.model)}
        if given.at != Frame(GROUND):
            found["at"] = self.data(given.at)
        if given.share:
            found["share"] = list(given.share)
        if given.bind:
            found["bind"] = self.data(given.bind)
        return found


def _short(given: object) -> object:
    """A whole number without its decimals; it reads back as the same float."""
    if not isinstance(given, float) or not given.is_integer() or abs(given) >= 1e15:
        return given
    return int(given) if given or math.copysign(1.0, given) > 0.0 else given


def _as_tuples(given: object) -> object:
    return tuple(map(_as_tuples, given)) if isinstance(given, list) else given


def _plain_table(table: Table) -> dict[str, object]:
    if not table.y:
        return {"x": _shorts(table.x), "values": _shorts(table.values)}
    width = len(table.y)
    rows = [_shorts(table.values[i : i + width]) for i in range(0, len(table.values), width)]
    return {"x": _shorts(table.x), "y": _shorts(table.y), "values": rows}


def _shorts(numbers: tuple[float, ...]) -> list[object]:
    return [_short(item) for item in numbers]


def _yaml(model: Model) -> str:
    return yaml_text(plain_model(model))


def _json(model: Model) -> str:
    plain = plain_model(model)
    return json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


WRITERS: dict[str, Callable[[Model], str]] = {
    ".yaml": _yaml,
    ".yml": _yaml,
    ".json": _json,
    ".py": python_text,
}


def check_known(model: Model) -> None:
    """Refuse a model, or one of its parts, with a kind that files don't know."""
    for section, kinds in KINDS.items():
        for name, item in getattr(model, section).items():
            own = item.kind if section in ("joints", "closures") else item
            if (stranger := _stranger(own, kinds)) is not None:
                label = f"{section.removesuffix('s').capitalize()} '{name}'"
                raise ModelError(
                    f"{label}: a file can't hold its {type(stranger).__name__}, since no file "
                    f'knows that kind; call touchback.model.io.add_kind("{section}", …) for a '
                    f"kind of your own{'' if stranger is own else ' that has it as a field'}."
                )
    for part in model.parts.values():
        check_known(part.model)


def _stranger(item: Data, kinds: dict[str, type[Data]]) -> Data | None:
    """The item, or what lies in it, if it is of none of these kinds."""
    if type(item) is not kinds.get(str(item.__struct_config__.tag)):
        return item
    for field in fields(type(item)):
        own, inner = getattr(item, field.name), kinds_in(field.type)
        for one in own if isinstance(own, tuple) else (own,):
            found = _stranger(one, inner) if inner and one is not None else None
            if found is not None:
                return found
    return None
