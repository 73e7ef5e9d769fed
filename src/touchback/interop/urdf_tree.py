"""The tree that the joints of a URDF file make of its links: checked, and its root found."""

from collections.abc import Mapping

from touchback.errors import ModelError
from touchback.interop.xml_file import Node


def root_link(robot: Node, links: Mapping[str, Node], joints: Mapping[str, Node]) -> str | None:
    """The one link that no joint carries (None without links); refuses what is not a tree."""
    carrier: dict[str, str] = {}
    below: dict[str, list[str]] = {name: [] for name in links}
    for name, node in joints.items():
        parent, child = (_known_end(name, node, side, links) for side in ("parent", "child"))
        if child in carrier:
            raise ModelError(
                f"{node.where}: joint {name!r}: link {child!r} is already carried by joint "
                f"{carrier[child]!r}. URDF describes trees; remove one of the two."
            )
        carrier[child] = name
        below[parent].append(child)
    if not links:
        return None
    roots = [name for name in links if name not in carrier]
    if len(roots) > 1:
        raise ModelError(
            f"{robot.where}: {len(roots)} links are carried by no joint: {_listed(roots)}. "
            "A robot has one root link; join the others to it."
        )
    reached = set(roots)
    ahead = list(roots)
    while ahead:
        children = below[ahead.pop()]
        reached.update(children)
        ahead.extend(children)
    lost = [name for name in links if name not in reached]
    if lost:
        raise ModelError(
            f"{links[lost[0]].where}: links {_listed(lost)} carry each other in a circle (joint "
            f"{carrier[lost[0]]!r}); one link of it must be carried from the root or by no joint."
        )
    return roots[0]


def _known_end(name: str, node: Node, side: str, links: Mapping[str, Node]) -> str:
    element = node.first(side)
    if element is None:
        raise ModelError(f"{node.where}: joint {name!r} needs <{side} link=…/>.")
    link = element.attribute("link")
    if link not in links:
        raise ModelError(
            f"{element.where}: joint {name!r}: its {side} link {link!r} is not in the file; add "
            f"<link name={link!r}/> or mend the name."
        )
    return link


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
