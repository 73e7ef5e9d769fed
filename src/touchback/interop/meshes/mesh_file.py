"""Meshes from STL, OBJ, COLLADA and MuJoCo's files, bounded in size, checked, and made coarser
where they have more triangles than a picture needs. (Extra `formats`: trimesh, and pycollada.)

A COLLADA file is checked before a reader unfolds it: no entities, no nodes that show each other
over and over, no polygons that are larger than their text. MuJoCo's binary meshes (.msh) are four
counts, then points, normals, textures and triangles."""

from __future__ import annotations

import io
import logging
import os
import re
import warnings
from codecs import BOM_UTF8
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchback import Mesh
from touchback.errors import InputError, ModelError
from touchback.interop.xml_file import Node, parse_xml
from touchback.model import FARTHEST
from touchback.safe_files import path_of, read_regular

MESH_ENDINGS = (".stl", ".obj", ".dae", ".msh")


MAX_BYTES = 32 * 2**20


MAX_TRIANGLES = 1_000_000  # that are read of a file


DRAWN = 20_000  # triangles: more than these are made fewer


_NUMBERS = 12 * MAX_TRIANGLES  # in lists of triangles: a corner's point, normal, texture, colour


_COARSER = 0.85  # of the cells along a side, from one try to the next


_LEAST = 1e-9  # m: the size of a mesh that can be seen


Floats = NDArray[np.float64]


Indices = NDArray[np.int64]


def read_mesh(
    path: str | os.PathLike[str],
    scale: float | tuple[float, float, float] = 1.0,
    most: int = DRAWN,
) -> Mesh:
    """The mesh in a file (.stl, .obj, .dae, .msh), `scale` times as large [m]: what `Model.shape`
    takes. COLLADA's own unit counts, its "up axis" doesn't, as in ROS. With more than `most`
    triangles it is made coarser: points that are near to each other become one."""
    file = path_of(path)
    if isinstance(most, bool) or not isinstance(most, int) or most < 4:
        raise InputError(f"{file.name}: most={most!r}; give a number of triangles from 4 on.")
    points, triangles = read_triangles(file, scale)
    if np.ptp(points, axis=0).max() < _LEAST:
        raise ModelError(f"{file.name}: the mesh is smaller than {_LEAST:g} m; check its scale.")
    return coarse_mesh(points, triangles, most)


def coarse_mesh(points: Floats, triangles: Indices, most: int) -> Mesh:
    """What is drawn of points and triangles: at most so many of these."""
    return Mesh.of(*simplify_mesh(*weld_points(points.astype(np.float32), triangles), most))


def read_triangles(
    file: Path, scale: float | tuple[float, float, float] = 1.0
) -> tuple[Floats, Indices]:
    """All points [m] and triangles in a file, checked."""
    ending = file.suffix.lower()
    if ending not in MESH_ENDINGS:
        raise ModelError(f"{file.name}: a mesh ends in {', '.join(MESH_ENDINGS)}.")
    sizes = np.broadcast_to(np.asarray(scale, dtype=float), (3,))
    if not np.isfinite(sizes).all() or (sizes == 0.0).any():
        raise ModelError(f"{file.name}: the scale {scale} of a mesh has finite numbers, not 0.")
    content = read_regular(file, MAX_BYTES, ModelError)
    points, triangles = _loaded(content.removeprefix(BOM_UTF8), ending, file.name)
    points, triangles = check_triangles(points * sizes, triangles, file.name)
    if np.prod(sizes) < 0.0:  # mirrored: what was outside would be inside
        triangles = triangles[:, ::-1]
    return points, triangles


def _loaded(content: bytes, ending: str, name: str) -> tuple[Floats, Indices]:
    if ending == ".msh":
        return _with_triangles(*read_msh(content, name), name)
    unit = check_collada(content, name, _NUMBERS) if ending == ".dae" else 1.0
    if ending == ".obj":
        content = _without_pieces(content)
    try:
        import trimesh

        if ending == ".dae":
            import_module("collada")  # trimesh reads with it, and would say less
    except ImportError as error:
        raise InputError(
            f"{name}: reading meshes needs {error.name}; install it with "
            "`pip install touchback[formats]`."
        ) from error
    logger = logging.getLogger("trimesh")
    before = logger.disabled
    logger.disabled = True  # it tells of materials, which we don't ask for
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            # From bytes: so no file that this one names (materials, pictures) is ever opened.
            scene = trimesh.load_scene(
                io.BytesIO(content), file_type=ending[1:], process=False, resolver=None
            )
            found = scene.to_mesh()
            points, triangles = np.asarray(found.vertices), np.asarray(found.faces)
    except Exception as error:  # whatever a reader of other people's files trips over
        reason = str(error).strip() or type(error).__name__
        if isinstance(error, IndexError) and "out of bounds" in reason:
            reason = "a triangle names a point that it doesn't have"
        raise ModelError(
            f"{name}: no mesh could be read from it ({reason[:200]}); open it in a program for "
            "meshes and export it again."
        ) from error
    finally:
        logger.disabled = before
    points, triangles = _with_triangles(points, triangles, name)
    if points.shape[1] != 3 or triangles.shape[1] != 3:
        raise ModelError(
            f"{name}: its points have {points.shape[1]} numbers, and its faces "
            f"{triangles.shape[1]} corners; give three of each."
        )
    return points.astype(float) * unit, triangles.astype(np.int64)


def _without_pieces(content: bytes) -> bytes:
    """The points and faces of an OBJ file alone: each piece with a name or a material of its own
    would be looked for in all of the file, minutes where there are thousands."""
    whole = re.sub(rb"\\\r?\n", b" ", content)  # lines that go on in the next
    return b"\n".join(line for line in whole.splitlines() if line.lstrip()[:1] in (b"v", b"f"))


def _with_triangles(
    points: NDArray[Any], triangles: NDArray[Any], name: str
) -> tuple[NDArray[Any], NDArray[Any]]:
    if points.ndim != 2 or triangles.ndim != 2 or not len(triangles):
        raise ModelError(f"{name}: it has no triangles; a mesh is made of them.")
    return points, triangles


def check_triangles(points: Floats, triangles: Indices, name: str) -> tuple[Floats, Indices]:
    """The same, refused where no mesh can be of them."""
    if len(triangles) > MAX_TRIANGLES:
        raise ModelError(
            f"{name}: {len(triangles)} triangles; at most {MAX_TRIANGLES} are read. Export a "
            "coarser mesh."
        )
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise ModelError(f"{name}: a triangle has a point {triangles.max()}, of {len(points)}.")
    used = points[triangles]
    if not (np.abs(used) <= FARTHEST).all():  # NaN isn't either
        raise ModelError(
            f"{name}: its points are to be finite and at most {FARTHEST:g} m away; check its scale."
        )
    corners = used.astype(np.float32)  # as places are told apart where they are drawn
    if not (corners != np.roll(corners, 1, axis=1)).any(axis=2).all(axis=1).any():
        raise ModelError(f"{name}: all its triangles are lines or points; check its scale.")
    return points, triangles


def weld_points(points: NDArray[np.float32], triangles: Indices) -> tuple[Floats, Indices]:
    """The same with each place once: STL has every corner of every triangle by itself."""
    first, number = _distinct(points)
    return _used(points[first].astype(float), number[triangles])


def simplify_mesh(points: Floats, triangles: Indices, most: int) -> tuple[Floats, Indices]:
    """At most so many triangles: the points of each cell of a grid become their mean."""
    low, size = points.min(axis=0), float(np.ptp(points, axis=0).max())
    cells = max(float(most) ** 0.5, 2.0)
    found = points, triangles
    while len(found[1]) > most:
        grid = np.minimum(((points - low) / size * cells).astype(np.int64), int(cells))
        cell = grid @ (int(cells) + 1) ** np.arange(3)  # one number each: sorted far quicker
        _, number, count = np.unique(cell, return_inverse=True, return_counts=True)
        means = np.stack([np.bincount(number, points[:, i]) for i in range(3)], axis=1)
        found = _used(means / count[:, None], number[triangles])
        cells *= _COARSER
        if cells < 1.0:
            break
    return found if len(found[1]) else (points, triangles[:most])


def _used(points: Floats, triangles: Indices) -> tuple[Floats, Indices]:
    """Without triangles that have become lines or stand twice, and points of none."""
    a, b, c = triangles.T
    kept = triangles[(a != b) & (b != c) & (a != c)]
    if len(kept):
        first, _ = _distinct(np.sort(kept, axis=1))
        kept = kept[np.sort(first)]
    known, number = np.unique(kept, return_inverse=True)
    return points[known], number.reshape(-1, 3)


def _distinct(rows: NDArray[Any]) -> tuple[Indices, Indices]:
    """Where each row stands first, and which of those each row is.

    Rows are sorted number by number: `np.unique` along an axis compares whole rows and takes a
    minute for what an STL file of half a million triangles has."""
    order = np.lexsort(rows.T[::-1])
    new = np.append(True, (np.diff(rows[order], axis=0) != 0).any(axis=1))
    number = np.empty(len(rows), dtype=np.intp)
    number[order] = np.cumsum(new) - 1
    return order[new], number


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
                "deep; correct its references."
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


_HEAD = 16  # bytes: numbers of points, normals, texture coordinates, triangles


def read_msh(content: bytes, name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points and triangles; refuses what is no such file (Gmsh has the same ending)."""
    counts = np.frombuffer(content[: len(content) // 4 * 4][:_HEAD], "<i4").astype(np.int64)
    if len(counts) == 4 and (counts >= 0).all():
        points, normals, textures, triangles = (int(count) for count in counts)
        if len(content) == _HEAD + 4 * (3 * points + 3 * normals + 2 * textures + 3 * triangles):
            places = np.frombuffer(content, "<f4", 3 * points, _HEAD).reshape(-1, 3)
            sides = np.frombuffer(content, "<i4", 3 * triangles, len(content) - 12 * triangles)
            return places.astype(float), sides.reshape(-1, 3).astype(np.int64)
    raise ModelError(
        f"{name}: this is no binary mesh of MuJoCo, as .msh files are read; export it as .stl or "
        ".obj."
    )
