"""The same tetrahedron in every format of meshes."""

import struct

import numpy as np

POINTS = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def binary_stl() -> bytes:
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *POINTS[face].ravel(), 0) for face in FACES)
    return b"tetrahedron".ljust(80) + struct.pack("<I", len(FACES)) + body


def ascii_stl() -> bytes:
    lines = ["solid tetrahedron"]
    for face in FACES:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x} {y} {z}" for x, y, z in POINTS[face]]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid tetrahedron", ""]).encode()


def obj() -> bytes:
    points = [f"v {x} {y} {z}" for x, y, z in POINTS]
    faces = [f"f {a} {b} {c}" for a, b, c in FACES + 1]
    return "\n".join(["mtllib nowhere.mtl", *points, *faces, ""]).encode()


def dae(
    unit: float = 1.0, matrix: str = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", scene: str = ""
) -> bytes:
    """In files of `unit` metres the numbers are 1/unit as large."""
    numbers = " ".join(f"{x:.9g}" for x in (POINTS / unit).ravel())
    corners = " ".join(map(str, FACES.ravel()))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{unit}"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="12">{numbers}</float_array><technique_common>
<accessor source="#a" count="4" stride="3"><param name="X" type="float"/><param name="Y"
type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><matrix>{matrix}</matrix>
<instance_geometry url="#g"/></node>{scene}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>""".encode()


FILES = {"bin.stl": binary_stl(), "text.stl": ascii_stl(), "m.obj": obj(), "m.dae": dae()}
