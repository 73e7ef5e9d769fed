"""MuJoCo's own binary meshes (.msh): four counts, then points, normals, textures and triangles."""

import numpy as np
from numpy.typing import NDArray

from touchback.errors import ModelError

_HEAD = 16  # bytes: numbers of points, normals, texture coordinates, triangles


def read_msh(content: bytes, name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points and triangles; refuses what is no such file (Gmsh has the same ending)."""
    counts = np.frombuffer(content[:_HEAD], "<i4").astype(np.int64)
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
