"""The cuts and links of ROBOTRAN files: recorded, for what closes loops and exerts forces."""

from touchback.errors import ModelError
from touchback.interop.mbs_points import Mechanism, named_point
from touchback.interop.xml_file import Node
from touchback.model import Frame
from touchback.model.value import Data

_CUTS = ("ball", "rod", "solid")
_KNOWN = ("name", "endpoint1", "endpoint2")


class Cut(Data, frozen=True):
    """A cut loop: "ball" (points a and b coincide), "rod" (they keep their distance) or "solid"
    (their bodies' frames coincide). `details` are the element's other texts by tag."""

    kind: str
    a: Frame
    b: Frame
    details: dict[str, str]


class PointLink(Data, frozen=True):
    """A force along the line from a to b, whose law the file doesn't hold."""

    a: Frame
    b: Frame
    details: dict[str, str]


def read_cuts(mechanism: Mechanism, cuts: Node | None) -> dict[str, Cut]:
    """All cuts by name, noted as not acting."""
    found: dict[str, Cut] = {}
    for node in cuts.children if cuts is not None else ():
        if node.tag not in _CUTS:
            raise ModelError(
                f"{node.where}: a cut <{node.tag}> is not known; known: {', '.join(_CUTS)}."
            )
        name = _new_name(node, found)
        found[name] = Cut(node.tag, *_ends(mechanism, node), _details(mechanism, node))
        mechanism.notes.notice(
            f"{node.where}: the {node.tag} cut {name!r} doesn't act: its loop is open."
        )
    return found


def read_links(mechanism: Mechanism, links: Node | None) -> dict[str, PointLink]:
    """All links by name, noted as not acting."""
    found: dict[str, PointLink] = {}
    for node in links.all("link") if links is not None else ():
        name = _new_name(node, found)
        found[name] = PointLink(*_ends(mechanism, node), _details(mechanism, node))
        mechanism.notes.notice(
            f"{node.where}: the link {name!r} has no force law in the file; it exerts no force."
        )
    return found


def _new_name(node: Node, found: dict[str, Cut] | dict[str, PointLink]) -> str:
    name = node.child_text("name")
    if name in found:
        raise ModelError(f"{node.where}: there is a <{node.tag}> {name!r} already; rename one.")
    return name


def _ends(mechanism: Mechanism, node: Node) -> tuple[Frame, Frame]:
    one, two = node.first("endpoint1"), node.first("endpoint2")
    if one is None or two is None:
        raise ModelError(f"{node.where}: <{node.tag}> needs <endpoint1> and <endpoint2>.")
    return named_point(mechanism, one), named_point(mechanism, two)


def _details(mechanism: Mechanism, node: Node) -> dict[str, str]:
    others = [child for child in node.children if child.tag not in _KNOWN and child.text]
    mechanism.notes.skip_others(node, (*_KNOWN, *(child.tag for child in others)))
    return {child.tag: child.text for child in others}
