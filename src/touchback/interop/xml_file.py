"""XML files as plain data: no document types, no entities, nothing fetched, bounded in size."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from touchback.errors import ModelError
from touchback.safe_files import read_regular

MAX_BYTES = 32 * 2**20
MAX_ELEMENTS = 500_000
MAX_DEPTH = 100


@dataclass
class Node:
    """One element: its tag, attributes, children and text, and where it stands."""

    tag: str
    attributes: dict[str, str]
    source: str
    line: int
    children: list[Node] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The element's own text without the space around it."""
        return "".join(self.pieces).strip()

    @property
    def where(self) -> str:
        """File and line, for errors."""
        return f"{self.source}, line {self.line}"

    def all(self, tag: str) -> Iterator[Node]:
        """The children with this tag, in the file's order."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Node | None:
        """The first child with this tag."""
        return next(self.all(tag), None)

    def attribute(self, name: str) -> str:
        """An attribute that must be there."""
        if name in self.attributes and not self.attributes[name].strip():
            raise ModelError(
                f"{self.where}: the attribute {name} of <{self.tag}> is empty; say what it is."
            )
        if name not in self.attributes:
            raise ModelError(
                f"{self.where}: <{self.tag}> needs an attribute {name}; it has "
                f"{', '.join(self.attributes) or 'none'}."
            )
        return self.attributes[name]

    def numbers(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """As many finite numbers as `default` has, from an attribute; `default` if it is absent."""
        if name not in self.attributes:
            return default
        words = self.attributes[name].split()
        if len(words) != len(default):
            raise ModelError(
                f"{self.where}: <{self.tag} {name}={self.attributes[name]!r}>: "
                f"{len(default)} numbers are expected, got {len(words)}."
            )
        return tuple(_number(f"{self.where}: <{self.tag} {name}>", word) for word in words)

    def all_numbers(self, name: str) -> tuple[float, ...]:
        """The finite numbers of an attribute, however many; none if it is absent."""
        words = self.attributes.get(name, "").split()
        return tuple(_number(f"{self.where}: <{self.tag} {name}>", word) for word in words)

    def triple(self, name: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
        """Three finite numbers from an attribute."""
        x, y, z = self.numbers(name, default)
        return x, y, z

    def number(self, name: str, default: float) -> float:
        """One finite number from an attribute."""
        return self.numbers(name, (default,))[0]

    def child_text(self, tag: str) -> str:
        """The text of a child that must be there."""
        child = self.first(tag)
        if child is None or not child.text:
            raise ModelError(f"{self.where}: <{self.tag}> needs a <{tag}> with a text in it.")
        return child.text

    def child_number(self, tag: str, default: float = 0.0) -> float:
        """The number in a child; `default` where there is no such child."""
        child = self.first(tag)
        return default if child is None else _number(f"{child.where}: <{tag}>", child.text)


def finite_numbers(label: str, text: str) -> tuple[float, ...]:
    """The finite numbers of a text, however many."""
    return tuple(_number(label, word) for word in text.split())


def _number(label: str, word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in word:
        raise ModelError(f"{label}: {word!r} is not a finite number; write it like 0.25 or 2.5e-1.")
    return number


def read_xml(given: str | os.PathLike[str], root_tag: str, kind: str) -> Node:
    """The root <root_tag> of an XML file, or of a text that begins with '<'."""
    content, source, encoding = _content(given, kind)
    return parse_xml(content, source, root_tag, kind, encoding)


def parse_xml(
    content: bytes, source: str, root_tag: str, kind: str, encoding: str | None = None
) -> Node:
    """The root <root_tag> of bytes, which `source` names in errors."""
    root = _parse(content, source, encoding)
    if root.tag != root_tag:
        raise ModelError(
            f"{root.where}: a {kind} file begins with <{root_tag}>, this one with <{root.tag}>."
        )
    return root


def is_text(given: str | os.PathLike[str]) -> bool:
    """Whether it is XML itself instead of the path of a file."""
    return isinstance(given, str) and given.lstrip("\ufeff \t\r\n").startswith("<")


def _content(given: str | os.PathLike[str], kind: str) -> tuple[bytes, str, str | None]:
    """Bytes, a name for errors, and the encoding where it is not the file that declares it."""
    if is_text(given):
        content = str(given).lstrip("\ufeff \t\r\n").encode("utf-8")
        if len(content) > MAX_BYTES:
            raise ModelError(
                f"{kind} text has {len(content)} bytes; at most {MAX_BYTES} are read of one."
            )
        return content, f"{kind} text", "utf-8"
    return read_regular(given, MAX_BYTES, ModelError), Path(given).name, None


def _parse(content: bytes, source: str, encoding: str | None) -> Node:
    top = Node("", {}, source, 0)
    stack = [top]
    seen = 0
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal seen
        seen += 1
        node = Node(tag, attributes, source, parser.CurrentLineNumber)
        if seen > MAX_ELEMENTS or len(stack) > MAX_DEPTH:
            raise ModelError(
                f"{node.where}: too large: at most {MAX_ELEMENTS} elements, {MAX_DEPTH} deep, "
                "are read."
            )
        stack[-1].children.append(node)
        stack.append(node)

    def refuse_doctype(*_: object) -> None:
        raise ModelError(
            f"{source}, line {parser.CurrentLineNumber}: document types and entities "
            "(<!DOCTYPE …>) are not read; remove the declaration."
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.CharacterDataHandler = lambda text: stack[-1].pieces.append(text)
    parser.StartDoctypeDeclHandler = refuse_doctype
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise ModelError(f"{source}: not well-formed XML: {error}.") from error
    return top.children[0]
