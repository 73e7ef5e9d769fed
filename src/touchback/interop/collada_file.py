"""What a COLLADA file may be, looked at before a reader unfolds it: no entities, no nodes that show
each other over and over, no polygons that are larger than their text."""

from __future__ import annotations

from touchback.errors import ModelError
from touchback.interop.xml_file import Node, parse_xml

_UNITS = (1e-6, 1e6)  # m
_DEEPEST = 200  # nodes in nodes


def check_collada(content: bytes, name: str, most: int) -> float:
    """The unit [m] of a file whose scene unfolds to at most so many numbers; else it is refused."""
    root = parse_xml(content, name, "COLLADA", "COLLADA")
    census = _Census(name, most)
    census.walk(root)
    for scene in root.all("scene"):
        if (shown := census.numbers(scene, ())) > most:
            raise ModelError(
                f"{name}: its scene shows {shown} numbers of triangles; at most {most} are read. "
                "Export a coarser mesh."
            )
    return census.unit


class _Census:
    """Who shows whom, by ids, and how much."""

    def __init__(self, name: str, most: int) -> None:
        self.name, self.most, self.unit = name, most, 1.0
        self.ids: dict[str, Node] = {}
        self._known: dict[int, int] = {}

    def walk(self, node: Node) -> None:
        if "id" in node.attributes:
            self.ids[node.attributes["id"]] = node
        tag = node.tag
        if tag == "unit" and "meter" in node.attributes:
            self.unit = node.number("meter", 1.0)
            if not _UNITS[0] <= self.unit <= _UNITS[1]:
                raise ModelError(f"{node.where}: a unit of {self.unit:g} m is none of a mesh.")
        if tag == "vcount":
            self.polygons(node)
        for child in node.children:
            self.walk(child)

    def polygons(self, node: Node) -> None:
        """The corners of polygons, which a reader makes room for: no more than are read."""
        total = 0
        for word in node.text.split():
            if not (word.isascii() and word.isdigit() and len(word) < 10):
                raise ModelError(f"{node.where}: '{word[:20]}' is no number of corners.")
            total += int(word)
        if total > self.most:
            raise ModelError(f"{node.where}: {total} corners of polygons; at most {self.most}.")

    def numbers(self, node: Node, above: tuple[int, ...]) -> int:
        """In the lists of triangles that a node shows, whatever it refers to included."""
        key = id(node)
        if key in above or len(above) > _DEEPEST:
            raise ModelError(
                f"{node.where}: <{node.tag}> shows itself, or lies more than {_DEEPEST} nodes "
                "deep; mend its references."
            )
        if key not in self._known:
            total = len(node.text.split()) if node.tag == "p" else 0
            for child in node.children:
                total += self.numbers(child, (*above, key))
            if node.tag in ("instance_node", "instance_geometry", "instance_visual_scene"):
                target = self.ids.get(node.attributes.get("url", "").removeprefix("#"))
                if target is not None:
                    total += self.numbers(target, (*above, key))
            self._known[key] = total
        return self._known[key]
