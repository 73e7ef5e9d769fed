"""How bodies look, as <geom>s without mass that touch nothing."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from touchback.interop.pose import quaternion_of
from touchback.interop.robot_files.links import Mechanism, words
from touchback.model.solids import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from touchback.model.solids.mesh import unpacked


def add_shapes(mechanism: Mechanism, body: str, parent: Element, asset: Element) -> None:
    """All shapes of a body."""
    for name, look in mechanism.model.shapes.items():
        if look.frame.body != body:
            continue
        solid, pose = look.solid, mechanism.place(look.frame)
        if isinstance(solid, Mesh):
            points, triangles = unpacked(solid.points, solid.triangles)
            faces = " ".join(map(str, triangles.ravel()))
            SubElement(asset, "mesh", name=name, vertex=words(points.ravel()), face=faces)
            given = {"type": "mesh", "mesh": name}
        elif isinstance(solid, Sphere):
            given = {"type": "sphere", "size": words([mechanism.number(solid.radius)])}
        elif isinstance(solid, Ellipsoid):
            given = {"type": "ellipsoid", "size": words(mechanism.numbers(solid.halves))}
        elif isinstance(solid, Box):
            halves = [0.5 * size for size in mechanism.numbers(solid.size)]
            given = {"type": "box", "size": words(halves)}
        elif isinstance(solid, Cylinder | Capsule):
            kind = type(solid).__name__.lower()
            sizes = mechanism.number(solid.radius), 0.5 * mechanism.number(solid.length)
            given = {"type": kind, "size": words(sizes)}
        else:
            mechanism.leave_out(f"shape '{name}'")
            continue
        placed = {"name": name, "pos": words(pose.p), "quat": words(quaternion_of(pose.R))}
        unfelt = {"mass": "0", "contype": "0", "conaffinity": "0", "group": "1"}
        SubElement(parent, "geom", {**placed, **given, **unfelt})
