"""The cuts and links of ROBOTRAN files: cuts close loops, links are forces by given laws."""

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.errors import ModelError
from touchback.interop.mbs_laws import add_link
from touchback.interop.mbs_points import Mechanism, named_point
from touchback.interop.naming import safe_names
from touchback.interop.xml_file import Node
from touchback.model import Frame, Model
from touchback.model.closures import ClosureKind, Rod
from touchback.model.joints import Fixed, JointKind, Spherical
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


def read_cuts(mechanism: Mechanism, cuts: Node | None, act: bool) -> dict[str, Cut]:
    """All cuts by name; those that aren't to act are noted."""
    found: dict[str, Cut] = {}
    for node in cuts.children if cuts is not None else ():
        if node.tag not in _CUTS:
            raise ModelError(
                f"{node.where}: a cut <{node.tag}> is not known; known: {', '.join(_CUTS)}."
            )
        name = _new_name(node, found)
        found[name] = Cut(node.tag, *_ends(mechanism, node), _details(mechanism, node))
        if not act:
            mechanism.notes.notice(
                f"{node.where}: the {node.tag} cut {name!r} doesn't act: its loop is open."
            )
    if act:
        _close(mechanism, found)
    return found


def _close(mechanism: Mechanism, cuts: dict[str, Cut]) -> None:
    """Closures of the cuts, from the second end to the first: their h are then ROBOTRAN's,
    x(end 1) − x(end 2)."""
    model = mechanism.model
    names = safe_names("Cut", cuts, mechanism.notes, taken=[*model.joints])
    for original, cut in cuts.items():
        model.close(names[original], _kind(model, original, cut), cut.b, cut.a)


def _kind(model: Model, name: str, cut: Cut) -> ClosureKind | JointKind:
    if cut.kind == "rod":
        return Rod(_length(model, name, cut))
    return Spherical() if cut.kind == "ball" else Fixed()


def _length(model: Model, name: str, cut: Cut) -> float:
    """The length of a rod: as the file says, else the distance at the initial positions."""
    if "length" in cut.details:
        text = cut.details["length"]
        try:
            return float(text)
        except ValueError:
            raise ModelError(f"Rod {name!r}: its length {text!r} is not a number.") from None
    instant = float_instant(model)
    a, b = (np.array(instant.position(end), dtype=float) for end in (cut.a, cut.b))
    return float(np.linalg.norm(b - a))


def read_links(mechanism: Mechanism, links: Node | None) -> dict[str, PointLink]:
    """All links by name: forces by the laws that are given; others are noted as not acting."""
    found: dict[str, PointLink] = {}
    for node in links.all("link") if links is not None else ():
        name = _new_name(node, found)
        found[name] = PointLink(*_ends(mechanism, node), _details(mechanism, node))
        if name in mechanism.laws.links:
            ends = found[name].a, found[name].b
            add_link(mechanism.model, mechanism.notes, name, ends, mechanism.laws.links[name])
            continue
        mechanism.laws.lacks("user_LinkForces", name)
        mechanism.notes.notice(
            f"{node.where}: the link {name!r} has no force law in the file; it exerts no force. "
            f"Give link_forces={{{name!r}: lambda length, rate: tension}}."
        )
    if links is not None:
        mechanism.notes.skip_others(links, ("link",))
    mechanism.laws.check("link", mechanism.laws.links, found)
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
