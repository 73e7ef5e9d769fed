"""Meshes for pages: each has a number that its content says, under which a page asks for it."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from weakref import WeakValueDictionary

import numpy as np

from touchback.errors import InputError
from touchback.model import MeshShape, corners_of
from touchback.workbench.wire_format import File

MESHES = "/mesh/"  # N.bin
_KEPT = 1024  # meshes that pages may ask for: those of the last scenes


class _Shelf:
    """The meshes that scenes have shown; they are their models' own texts, not copies."""

    def __init__(self) -> None:
        self._lock = Lock()  # scenes are made in threads
        self._making = Lock()
        self._known: OrderedDict[int, MeshShape] = OrderedDict()
        self._sent: WeakValueDictionary[int, np.ndarray] = WeakValueDictionary()

    def put(self, mesh: MeshShape) -> int:
        number = _number(mesh.points, mesh.triangles)
        with self._lock:
            self._known[number] = mesh
            self._known.move_to_end(number)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return number

    def corners(self, number: int) -> np.ndarray | None:
        """Nine little-endian floats a triangle [m], as bytes; all who fetch a mesh at a time have
        the same ones."""
        with self._lock:
            mesh = self._known.get(number)
        with self._making:  # once, whoever asks
            found = self._sent.get(number)
            if found is None and mesh is not None:
                found = corners_of(mesh).astype("<f4").reshape(-1).view(np.uint8)
                self._sent[number] = found
            return found


_SHELF = _Shelf()


def number_of(mesh: MeshShape) -> int:
    """The number of a mesh that a scene shows; equal ones have the same."""
    return _SHELF.put(mesh)


def mesh_file(path: str) -> File:
    """The file "/mesh/N.bin": nine little-endian floats a triangle [m]."""
    word = path.removeprefix(MESHES).removesuffix(".bin")
    plain = word.isascii() and word.isdigit() and len(word) <= 16
    found = _SHELF.corners(int(word)) if plain and path == f"{MESHES}{word}.bin" else None
    if found is None:
        raise InputError("There is no such mesh; load the page again.")
    return "application/octet-stream", found.data


@lru_cache(maxsize=256)
def _number(points: str, triangles: str) -> int:
    """48 bits, which JavaScript's numbers hold."""
    digest = hashlib.sha256(f"{points} {triangles}".encode()).digest()
    return int.from_bytes(digest[:6], "little")
