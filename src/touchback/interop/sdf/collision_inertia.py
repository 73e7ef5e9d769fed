"""What an SDF link weighs by its collisions, where it leaves that to the reader: `auto="true"`.

A collision weighs by its <density> [kg/m³], else by that of <inertial>, else by 1000, as water; a
<mass> of <inertial> scales the whole (SDFormat 1.11, http://sdformat.org/spec?elem=inertial).
"""

from __future__ import annotations

from touchback.errors import InputError, ModelError
from touchback.interop.mesh_file import read_triangles
from touchback.interop.mesh_places import NoMesh
from touchback.interop.mjcf.inertia import NOTHING, Inertia, of_triangles, solid, together
from touchback.interop.sdf.poses import pose_of, seen_from
from touchback.interop.urdf_joints import Robot
from touchback.interop.xml_file import Node

_WATER = 1000.0


def collision_inertia(robot: Robot, name: str, link: Node, inertial: Node) -> Inertia:
    """Of all collisions of a link that stand in its own frame, in its axes."""
    usual = inertial.child_number("density", _WATER)
    parts = []
    for collision in link.all("collision"):
        geometry = collision.first("geometry")
        if geometry is None or seen_from(collision, "", ""):
            continue
        density = collision.child_number("density", usual)
        if not 0.0 < density < float("inf"):
            raise ModelError(
                f"{collision.where}: link {name!r}: the density is {density:g}; a positive one is "
                "expected [kg/m³]."
            )
        for kind in geometry.children:
            own = _mesh(robot, name, kind) if kind.tag == "mesh" else _primitive(kind)
            parts.append(own.scaled(density).placed(pose_of(collision)))
    whole = together(parts)
    mass = inertial.child_number("mass", 0.0)
    return whole.scaled(mass / whole.mass) if mass > 0.0 and whole.mass > 0.0 else whole


def _primitive(kind: Node) -> Inertia:
    """Of density 1; planes and others weigh nothing."""
    if kind.tag == "box":
        return solid("box", tuple(0.5 * x for x in _numbers(kind, "size")))
    if kind.tag == "ellipsoid":
        return solid("ellipsoid", _numbers(kind, "radii"))
    if kind.tag == "sphere":
        return solid("sphere", (kind.child_number("radius", 1.0),))
    if kind.tag in ("cylinder", "capsule"):
        half = 0.5 * kind.child_number("length", 1.0)
        return solid(kind.tag, (kind.child_number("radius", 0.5), half))
    return NOTHING


def _numbers(kind: Node, tag: str) -> tuple[float, float, float]:
    given = kind.first(tag)
    words = "1 1 1" if given is None else given.text
    try:
        x, y, z = (float(word) for word in words.split())
    except ValueError:
        raise ModelError(f"{kind.where}: <{tag}> has three numbers, got {words!r}.") from None
    return x, y, z


def _mesh(robot: Robot, name: str, kind: Node) -> Inertia:
    """Of density 1; a mesh that encloses no solid is warned of."""
    from touchback.interop.mesh_inertia import mesh_faults

    uri = kind.first("uri")
    called = "" if uri is None else uri.text.strip().replace("model://", "package://")
    scale = _numbers(kind, "scale")
    try:
        if robot.meshes is None:
            raise NoMesh("meshes are not read")
        points, triangles = read_triangles(robot.meshes.find(called), scale)
    except (NoMesh, InputError) as lack:
        text = str(lack).rstrip(".")
        robot.notes.notice(f"{kind.where}: link {name!r}: {text}. It weighs nothing.")
        return NOTHING
    faults = mesh_faults(points, triangles)
    if faults is not None and faults.matters:
        robot.notes.notice(
            f"{kind.where}: mesh '{called}' of link {name!r} weighs as a solid, but {faults}. "
            "Repair it, or write mass and moments into <inertial>."
        )
    return of_triangles(points, triangles, "exact")
