"""An MJCF file as one tree: its includes read, its sections gathered, its settings and defaults
known (https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from touchback.errors import ModelError
from touchback.interop.mesh_places import MeshPlaces, NoMesh
from touchback.interop.mjcf.defaults import Defaults
from touchback.interop.notes import Notes
from touchback.interop.xml_file import (
    MAX_DEPTH,
    MAX_ELEMENTS,
    Node,
    is_text,
    parse_xml,
    read_xml,
)
from touchback.model.names import unknown
from touchback.regular_file import read_regular

MAX_INCLUDES = 100
_MAX_BYTES = 8 * 2**20  # of an included file
Folders = Mapping[str, str | os.PathLike[str]]


@dataclass
class Document:
    """A file and those that it includes."""

    source: str
    name: str
    sections: dict[str, Node]
    defaults: Defaults
    places: MeshPlaces
    notes: Notes = field(default_factory=Notes)
    ignored: frozenset[str] = frozenset()  # attributes that flags of the file switch off

    def section(self, tag: str) -> Node:
        """All sections of this name as one; empty where there is none."""
        return self.sections.get(tag) or Node(tag, {}, self.source, 0)

    def inherited(self, node: Node, kind: str, childclass: str = "") -> Node:
        """An element with what the defaults of its class say of such elements."""
        found = self.defaults.inherited(node, kind, childclass)
        for word in self.ignored & found.attributes.keys():
            del found.attributes[word]
        return found


def read_document(path_or_text: str | os.PathLike[str], folders: Folders | None) -> Document:
    """The file with what it includes; files must lie in its folder, or in one of `folders`."""
    root = read_xml(path_or_text, "mujoco", "MJCF")
    folder = None if is_text(path_or_text) else Path(path_or_text).parent
    places = MeshPlaces(folder, folders)
    root = _Includes(places).expanded(root)
    sections: dict[str, Node] = {}
    for child in root.children:
        if child.tag not in sections:
            sections[child.tag] = Node(child.tag, {}, child.source, child.line)
        whole = sections[child.tag]
        whole.children += [child] if child.tag == "default" else child.children
        whole.attributes.update(child.attributes)
    tops = sections.get("default", Node("default", {}, root.source, 0)).children
    name = root.attributes.get("model", "").strip() or "MuJoCo Model"
    return Document(root.source, name, sections, Defaults(tops), places)


class _Includes:
    """Puts the elements of included files where <include> stands. A file is included once, as
    MuJoCo has it, so that no file can include itself."""

    def __init__(self, places: MeshPlaces) -> None:
        self.places = places
        self.met: set[Path] = set()
        self.elements = 0

    def expanded(self, node: Node, depth: int = 1) -> Node:
        """A node whose children have no <include>; bounded as one file is."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise ModelError(
                f"{node.where}: too large with what is included: at most {MAX_ELEMENTS} elements, "
                f"{MAX_DEPTH} deep, are read."
            )
        node.children = [x for child in node.children for x in self._replaced(child, depth + 1)]
        return node

    def _replaced(self, child: Node, depth: int) -> Iterator[Node]:
        if child.tag != "include":
            yield self.expanded(child, depth)
            return
        yield from self.expanded(self._read(child), depth).children

    def _read(self, include: Node) -> Node:
        called = include.attribute("file")
        try:
            path = self.places.find(called)
        except NoMesh as lack:
            text = str(lack).replace("mesh '", "file '").rstrip(".")
            raise ModelError(f"{include.where}: <include>: {text}.") from None
        if path in self.met:
            raise ModelError(
                f"{include.where}: {called!r} is included a second time; a file is included once."
            )
        self.met.add(path)
        if len(self.met) > MAX_INCLUDES:
            raise ModelError(f"{include.where}: more than {MAX_INCLUDES} files are included.")
        content = read_regular(path, _MAX_BYTES, ModelError)
        try:
            return parse_xml(content, path.name, "mujoco", "MJCF")
        except ModelError:
            return parse_xml(content, path.name, "mujocoinclude", "MJCF")


def referred(known: Mapping[str, object], kind: str, name: str, node: Node) -> str:
    """A name that something of this kind has; refuses another."""
    if name not in known:
        raise ModelError(f"{node.where}: <{node.tag}>: {unknown(kind, name, known)}")
    return name
