"""URDF files of robots whose numbers are here."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

from validation.reference import numbers

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def urdf_text(robot: str) -> str:
    """A robot of the table as a URDF file would have it."""
    table = numbers("pinocchio_robots")[robot]
    root = ET.Element("robot", name=robot)
    for link in table["links"]:
        element = ET.SubElement(root, "link", name=link["name"])
        if "mass" in link:
            inertial = ET.SubElement(element, "inertial")
            _origin(inertial, link.get("com"), link.get("turned"))
            ET.SubElement(inertial, "mass", value=str(link["mass"]))
            moments = dict(zip(MOMENTS, map(str, link["inertia"]), strict=True))
            ET.SubElement(inertial, "inertia", moments)
    for joint in table["joints"]:
        _joint(ET.SubElement(root, "joint", name=joint["name"], type=joint["kind"]), joint)
    return ET.tostring(root, encoding="unicode")


def _joint(element: ET.Element, joint: dict[str, Any]) -> None:
    _origin(element, joint.get("at"), joint.get("turned"))
    ET.SubElement(element, "parent", link=joint["parent"])
    ET.SubElement(element, "child", link=joint["child"])
    if "axis" in joint:
        ET.SubElement(element, "axis", xyz=_words(joint["axis"]))
    if joint["kind"] != "fixed":
        ET.SubElement(element, "limit", lower="-9", upper="9", effort="9", velocity="9")


def _origin(
    element: ET.Element, place: Sequence[float] | None, turned: Sequence[float] | None
) -> None:
    zero = (0.0, 0.0, 0.0)
    ET.SubElement(element, "origin", xyz=_words(place or zero), rpy=_words(turned or zero))


def _words(place: Sequence[float]) -> str:
    return " ".join(map(str, place))
