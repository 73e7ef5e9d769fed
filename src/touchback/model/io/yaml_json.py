"""YAML and JSON of a model file as plain data with the line of everything in it, and plain data as
YAML that people like to read."""

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NoReturn

import yaml

from touchback.errors import ModelError
from touchback.numbers import DECIMAL

LARGEST = 16 * 2**20  # bytes


DEEPEST = 24  # lists and mappings in one another; a model's own are 7 deep


Path = tuple[str | int, ...]


_INT = re.compile(r"[-+]?[0-9]{1,300}")


_WORDS: dict[str, bool | float | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan,
}  # fmt: skip


@dataclass
class Document:
    """Plain data, where they came from, and the line of each path (where the format tells)."""

    source: str
    data: object = None
    lines: dict[Path, int] = field(default_factory=dict)

    def place(self, path: Path) -> str:
        """The file, the line and the path in it, as a message begins."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        parts = [self.source]
        if known in self.lines:
            parts.append(f"line {self.lines[known]}")
        if path:
            parts.append(dotted(path))
        return ", ".join(parts)

    def error(self, path: Path, message: str) -> ModelError:
        """The error at a place in the file."""
        return ModelError(f"{self.place(path)}: {message}")


def dotted(path: Path) -> str:
    """joints.crank.limits[0]"""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def read_yaml(text: str, source: str) -> Document:
    """The document that a YAML text holds."""
    _check_size(text, source)
    return _YamlReader(text, Document(source)).document()


def read_json(text: str, source: str) -> Document:
    """The document that a JSON text holds."""
    _check_size(text, source)
    try:
        data = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except RecursionError:
        raise _too_deep(source) from None
    except ValueError as error:
        raise ModelError(f"{source}: this is not JSON: {error}.") from None
    _check_depth(data, source)
    return Document(source, data)


def _check_size(text: str, source: str) -> None:
    if len(text) > LARGEST:
        raise ModelError(
            f"{source}: it has {len(text)} characters; a model file has at most {LARGEST}."
        )


def _too_deep(place: str) -> ModelError:
    return ModelError(f"{place}: more than {DEEPEST} lists and mappings lie in one another.")


def _check_depth(data: object, source: str) -> None:
    level = _collections([data])
    for _ in range(DEEPEST):
        level = _collections(
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        )
    if level:
        raise _too_deep(source)


def _collections(items: Iterable[object]) -> list[dict[str, object] | list[object]]:
    return [item for item in items if isinstance(item, (dict, list))]


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, item in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = item
    return found


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


class _YamlReader:
    """Builds plain data from the events of PyYAML's parser, which itself makes no objects."""

    def __init__(self, text: str, document: Document) -> None:
        self.result = document
        self.events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

    def document(self) -> Document:
        try:
            while not isinstance(event := next(self.events), yaml.DocumentStartEvent):
                if isinstance(event, yaml.StreamEndEvent):
                    raise ModelError(f"{self.result.source}: the file is empty.")
            self.result.data = self.node(next(self.events), ())
            next(self.events)
            if not isinstance(next(self.events), yaml.StreamEndEvent):
                raise ModelError(f"{self.result.source}: only one document ('---') can be read.")
        except yaml.YAMLError as error:
            raise self.not_yaml(error) from None
        return self.result

    def not_yaml(self, error: yaml.YAMLError) -> ModelError:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "bad text"
        context = getattr(error, "context", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        said = f"{context}: {problem}" if context else f"{problem}"
        return ModelError(f"{self.result.source}{where}: this is not YAML: {said}.")

    def node(self, event: yaml.Event, path: Path) -> object:
        self.result.lines[path] = _line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self.result.error(path, "anchors and aliases (& and *) can't be used here.")
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            raise self.result.error(path, f"tags such as {tag!r} can't be used here.")
        if isinstance(event, yaml.ScalarEvent):
            return scalar(event.value) if event.implicit[0] else event.value
        if len(path) >= DEEPEST:
            raise _too_deep(self.result.place(path[:3]))
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(path)
        return self.mapping(path)

    def sequence(self, path: Path) -> list[object]:
        items: list[object] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.node(event, (*path, len(items))))
        return items

    def mapping(self, path: Path) -> dict[str, object]:
        items: dict[str, object] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self.result.error(path, "a key must be a name.")
            key = event.value
            if key in items:
                raise self.result.error(
                    path, f"the key {key!r} stands twice, again in line {_line(event)}."
                )
            items[key] = self.node(next(self.events), (*path, key))
        return items


def _line(event: yaml.Event) -> int:
    return int(event.start_mark.line) + 1 if event.start_mark else 0


def scalar(text: str) -> float | bool | str | None:
    """What an unquoted scalar means in YAML 1.2: nothing, a truth value, a number, or the text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if DECIMAL.fullmatch(text) else text


_WIDTH = 100


_ONE_LINE = 72  # characters of the longest mapping that stays on one line


class _Block(dict[str, object]):
    """A mapping that is never put on one line."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True

    def text(self, data: str) -> yaml.ScalarNode:
        """Quotes where names are quoted, or where some reader of YAML might see a number."""
        style = '"' if "'" in data else "'" if data[:1] in "+-.0123456789" else None
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    def sequence(self, data: list[object]) -> yaml.SequenceNode:
        return self.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=_flat(data))

    def mapping(self, data: dict[str, object]) -> yaml.MappingNode:
        small = all(_flat(item) for item in data.values()) and len(repr(data)) <= _ONE_LINE
        return self.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=small)

    def block(self, data: _Block) -> yaml.MappingNode:
        return self.represent_mapping("tag:yaml.org,2002:map", data.items(), flow_style=False)

    # An expression stays on its line, however long.

    def write_plain(self, text: str, split: bool = True) -> None:
        super().write_plain(text, split=False)

    def write_single_quoted(self, text: str, split: bool = True) -> None:
        super().write_single_quoted(text, split=False)

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        super().write_double_quoted(text, split=False)


_Dumper.add_representer(str, _Dumper.text)


_Dumper.add_representer(list, _Dumper.sequence)


_Dumper.add_representer(dict, _Dumper.mapping)


_Dumper.add_representer(_Block, _Dumper.block)


def _flat(item: object) -> bool:
    """Whether an item is a scalar, or a list of scalars or of short lists."""
    if isinstance(item, list):
        return all(not isinstance(inner, dict) for inner in item)
    return not isinstance(item, dict)


def yaml_text(plain: dict[str, object]) -> str:
    """The YAML text of a model's plain data."""
    return yaml.dump(
        _blocks(plain), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH
    )


def _blocks(plain: dict[str, object]) -> _Block:
    """The same data with a block for the file, each section and each model of the library."""
    found = _Block(plain)
    for key, section in plain.items():
        if key == "library" and isinstance(section, dict):
            found[key] = _Block({name: _blocks(model) for name, model in section.items()})
        elif isinstance(section, dict) and key != "base":
            found[key] = _Block(section)
    return found
