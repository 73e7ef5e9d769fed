"""ROBOTRAN's .mbs files of mechanisms whose numbers are here."""

from typing import Any
from xml.etree import ElementTree as ET

from validation.reference import numbers

Point = tuple[str, tuple[float, ...]]
_INERTIA = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def mbs_text(name: str) -> str:
    """The mechanism of a table as ROBOTRAN would have it in a file. Joints are called after their
    type and body ("R1_wheel", "R1_wheel_2"), points, cuts, links and forces by their number
    ("cut_0")."""
    table = numbers(name)
    points = _points(table)
    root = ET.Element("mbsDescR7")
    _add(root, "mbsname", name)
    base = ET.SubElement(root, "base")
    _coordinates(ET.SubElement(base, "gravity"), table["gravity"])
    tree = ET.SubElement(root, "bodytree")
    for body in table["bodies"]:
        _body(ET.SubElement(tree, "body"), body, points, table)
    for group, tag, word in (("cuts", "ball", "cut"), ("links", "link", "link")):
        parent = ET.SubElement(root, group)
        for number, each in enumerate(table[group]):
            element = ET.SubElement(parent, tag)
            _add(element, "name", f"{word}_{number}")
            for which, end in enumerate(each["ends"], 1):
                _end(ET.SubElement(element, f"endpoint{which}"), end, points)
    return ET.tostring(root, encoding="unicode")


def _points(table: dict[str, Any]) -> dict[Point, str]:
    """The names of all points that something is attached to."""
    ends = [body["parent"] for body in table["bodies"]]
    ends += [end for each in (*table["cuts"], *table["links"]) for end in each["ends"]]
    ends += [force["at"] for force in table["forces"]]
    named: dict[Point, str] = {}
    for body, place in ends:
        if any(place):
            named.setdefault((body, tuple(place)), f"point_{len(named)}")
    return named


def _body(
    element: ET.Element, body: dict[str, Any], points: dict[Point, str], table: dict[str, Any]
) -> None:
    _add(element, "bodyname", body["name"])
    _end(ET.SubElement(element, "parent"), body["parent"], points)
    kinds = [joint[0] for joint in body["joints"]]
    for number, (kind, nature, *start) in enumerate(body["joints"]):
        again = kinds[:number].count(kind)
        joint = ET.SubElement(element, "joint")
        _add(joint, "jointname", f"{kind}_{body['name']}" + (f"_{again + 1}" if again else ""))
        _add(joint, "type", kind)
        _add(joint, "nature", nature)
        if start:
            _add(ET.SubElement(joint, "initialvalue"), "q", start[0])
    if "mass" in body:
        _add(element, "mass", body["mass"])
    if "com" in body:
        _coordinates(ET.SubElement(element, "com"), body["com"])
    if "inertia" in body:
        inertia = ET.SubElement(element, "inertia")
        for axes, moment in zip(
            ("xx", "yy", "zz", "xy", "xz", "yz"), body["inertia"], strict=False
        ):
            _add(inertia, f"I{axes}", moment)
    held = {place: name for (of, place), name in points.items() if of == body["name"]}
    forces = {
        tuple(f["at"][1]): i for i, f in enumerate(table["forces"]) if f["at"][0] == body["name"]
    }
    for place in {**held, **dict.fromkeys(forces)}:
        point = ET.SubElement(element, "point")
        _add(point, "pointname", held.get(place, "origin"))
        _coordinates(point, place)
        if place in forces:
            ET.SubElement(point, "extforce", name=f"force_{forces[place]}")


def _end(element: ET.Element, end: list[Any], points: dict[Point, str]) -> None:
    body, place = end
    _add(element, "bodyname", body)
    _add(element, "pointname", points.get((body, tuple(place)), "origin"))


def _coordinates(element: ET.Element, place: tuple[float, ...]) -> None:
    inner = ET.SubElement(element, "coordinates")
    for axis, number in zip("xyz", place, strict=True):
        _add(inner, axis, number)


def _add(element: ET.Element, tag: str, content: object) -> None:
    ET.SubElement(element, tag).text = str(content)
