"""A mesh: triangles that a body looks like. They are part of the model's data, so that files,
recordings and parts hold them, wherever they came from."""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.solids.base import MassProperties, VisualKind
from touchback.model.visual_shapes import MeshShape, Shapes
from touchback.numbers import shown

MOST_TRIANGLES = 100_000  # of one mesh of a model; readers of files make larger ones coarser
FARTHEST = 1e6  # m: nothing is larger
_ROW = 12  # bytes of a point, and of a triangle

Points = NDArray[np.float32]
Triangles = NDArray[np.uint32]


class Mesh(VisualKind, frozen=True, tag="mesh"):
    """Triangles between points [m]: three 32-bit numbers each, little-endian, as base64; of a
    triangle the numbers of its points, counter-clockwise as seen from outside. Make it by
    `Mesh.of`, or read it by `tb.read_mesh`. It is looked at; fluids don't know it."""

    points: str
    triangles: str

    def __post_init__(self) -> None:
        for word in ("points", "triangles"):
            if not isinstance(given := getattr(self, word), str):
                raise ModelError(
                    f"Mesh: its {word} are a packed text, got {shown(given)}; give arrays to "
                    "Mesh.of(points, triangles)."
                )
        unpacked(self.points, self.triangles)

    @classmethod
    def of(cls, points: ArrayLike, triangles: ArrayLike) -> Mesh:
        """From points (N, 3) [m] and triangles (M, 3) of their numbers."""
        try:
            with np.errstate(over="ignore"):  # too large for its numbers: told below
                places, corners = np.asarray(points, dtype="<f4"), np.asarray(triangles)
            sides = np.asarray(corners, dtype="<u4")
        except (TypeError, ValueError, OverflowError) as error:
            raise ModelError(
                f"Mesh: points and triangles are arrays of numbers: {error}."
            ) from None
        for word, given in (("points", places), ("triangles", sides)):
            if given.ndim != 2 or given.shape[1] != 3:
                raise ModelError(
                    f"Mesh: its {word} are rows of three, got the shape {given.shape}."
                )
        if not np.isfinite(places).all():
            raise ModelError("Mesh: points are finite numbers of at most 3e38 m.")
        if not np.array_equal(corners, sides):
            raise ModelError("Mesh: triangles are whole numbers of points, from 0 on.")
        return cls(_packed(places), _packed(sides))

    def shapes(self, frame: Frame) -> Shapes:
        return [(frame, MeshShape(self.points, self.triangles))]

    def mass_properties(self) -> MassProperties | None:
        """Of what a closed surface holds: sums over the tetrahedra between its triangles and a
        point of it. None where they hold nothing, or less than nothing."""
        places, corners = unpacked(self.points, self.triangles)
        origin = places.astype(float).mean(axis=0)
        a, b, c = (places[corners[:, i]].astype(float) - origin for i in range(3))
        volumes = np.einsum("ni,ni->n", a, np.cross(b, c)) / 6.0
        V = float(volumes.sum())
        if not V > 0.0:
            return None
        total = a + b + c
        centre = volumes @ total / (4.0 * V)
        seconds = np.einsum("n,ni,nj->ij", volumes, total, total)
        for each in (a, b, c):
            seconds += np.einsum("n,ni,nj->ij", volumes, each, each)
        seconds = seconds / 20.0 - V * np.outer(centre, centre)
        return MassProperties(V, origin + centre, np.trace(seconds) * np.eye(3) - seconds)

    def __repr__(self) -> str:
        places, corners = unpacked(self.points, self.triangles)
        return f"Mesh({len(places)} points, {len(corners)} triangles)"


@lru_cache(maxsize=256)
def unpacked(points: str, triangles: str) -> tuple[Points, Triangles]:
    """Points (N, 3) and triangles (M, 3) of a mesh, checked."""
    places = np.frombuffer(_bytes("points", points), "<f4").reshape(-1, 3)
    corners = np.frombuffer(_bytes("triangles", triangles), "<u4").reshape(-1, 3)
    if not len(corners):
        raise ModelError("Mesh: it has no triangles.")
    if len(corners) > MOST_TRIANGLES:
        raise ModelError(f"Mesh: {len(corners)} triangles; at most {MOST_TRIANGLES} are drawn.")
    if corners.max() >= len(places):
        raise ModelError(f"Mesh: a triangle has point {corners.max()}, of {len(places)}.")
    if not (np.abs(places) <= FARTHEST).all():  # NaN isn't either
        raise ModelError(f"Mesh: its points are finite and at most {FARTHEST:g} m away.")
    return places, corners


def corners_of(shape: MeshShape) -> NDArray[np.float64]:
    """Triangles (M, 3, 3): corner by corner [m]."""
    places, corners = unpacked(shape.points, shape.triangles)
    return places.astype(float)[corners]


def _bytes(word: str, text: str) -> bytes:
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise ModelError(f"Mesh: its {word} are no base64 text; make it by Mesh.of.") from None
    if len(found) % _ROW:
        raise ModelError(f"Mesh: its {word} have {len(found)} bytes, no multiple of {_ROW}.")
    return found


def _packed(array: NDArray[np.generic]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
