"""The <default> classes of MJCF: what elements have that they don't say themselves."""

from __future__ import annotations

from collections.abc import Iterable

from touchback.errors import ModelError
from touchback.interop.mjcf.laws import as_general
from touchback.interop.mjcf.pose import ORIENTATIONS
from touchback.interop.xml_file import Node
from touchback.model.names import suggestion

MAIN = "main"
ACTUATOR = "actuator"  # all kinds of them share their defaults
_ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor",
)  # fmt: skip
_ROWS = ("size", "friction", "stiffness", "damping", "gear", "gainprm", "biasprm", "dynprm")
_Class = dict[str, dict[str, str]]


class Defaults:
    """Attributes by class and by kind of element. Classes have what those around them have."""

    def __init__(self, tops: Iterable[Node]) -> None:
        self._classes: dict[str, _Class] = {MAIN: {}}
        for top in tops:
            self._read(top, MAIN, self._classes[MAIN])

    def _read(self, node: Node, name: str, found: _Class) -> None:
        self._classes[name] = found
        for child in node.children:
            if child.tag != "default":
                kind = ACTUATOR if child.tag in _ACTUATORS else child.tag
                found[kind] = _over(found.get(kind, {}), child, kind)
        for child in node.all("default"):
            inner = {kind: dict(attributes) for kind, attributes in found.items()}
            self._read(child, child.attribute("class"), inner)

    def inherited(self, node: Node, kind: str, childclass: str = "") -> Node:
        """The element with its class's attributes below its own; `childclass` is the class that
        bodies around it say."""
        name = node.attributes.get("class") or childclass or MAIN
        if name not in self._classes:
            raise ModelError(
                f"{node.where}: <{node.tag}>: there is no default class {name!r}; "
                f"{suggestion(name, self._classes)}"
            )
        attributes = _over(self._classes[name].get(kind, {}), node, kind)
        return Node(node.tag, attributes, node.source, node.line, node.children, node.pieces)


def _over(below: dict[str, str], node: Node, kind: str) -> dict[str, str]:
    attributes = merged(below, node.attributes)
    if kind != ACTUATOR:
        return attributes
    return as_general(Node(node.tag, attributes, node.source, node.line))


def merged(below: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Attributes with others below them. A direction is said in one way: one's own. Of rows of
    numbers that may be short one's own are the first ones, as MuJoCo has it."""
    if any(word in own for word in (*ORIENTATIONS, "fromto")):
        below = {word: text for word, text in below.items() if word not in ORIENTATIONS}
    rows = {
        word: " ".join([*own[word].split(), *below[word].split()[len(own[word].split()) :]])
        for word in _ROWS
        if word in own and word in below
    }
    return {**below, **own, **rows}
