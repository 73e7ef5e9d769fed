"""A USD file as a stage: opened without leaving its folder, its units, and where its prims are."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.interop.pose import HERE, Floats, Pose, about, at, of_quaternion
from touchback.interop.usd.layers import MAX_BYTES, file_layer, text_layer
from touchback.regular_file import check_file, path_of

_TEXT, _BEFORE = "#usda", "\ufeff \t\r\n"
_SHEARED = 1e-6  # of a direction: what rounding leaves of a right angle
_MAX_PRIMS = 100_000
_LARGEST = 1e12  # of units


class Stage:
    """The prims of a file in metres and kilograms, z up."""

    def __init__(self, given: str | os.PathLike[str]) -> None:
        is_text = isinstance(given, str) and given.lstrip(_BEFORE).startswith(_TEXT)
        if not is_text:
            check_file(path_of(given, ModelError), MAX_BYTES, ModelError)
        try:
            from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics
        except ImportError as error:
            raise InputError(
                "Reading USD needs usd-core; install it with `pip install touchback[usd]`."
            ) from error
        self._error = Tf.ErrorException
        self.source = "USD text" if is_text else Path(given).name
        with self.plainly():
            text = str(given).lstrip(_BEFORE)
            layer = text_layer(Sdf, text) if is_text else file_layer(Sdf, Path(given))
            self.usd = Usd.Stage.Open(layer)
        self.metre = self._unit("metersPerUnit", UsdGeom.GetStageMetersPerUnit(self.usd))
        self.kilogram = self._unit(
            "kilogramsPerUnit", UsdPhysics.GetStageKilogramsPerUnit(self.usd)
        )
        up = UsdGeom.GetStageUpAxis(self.usd)
        if up not in ("Y", "Z"):
            raise ModelError(f"{self.source}: upAxis is {up!r}; Y or Z is expected.")
        turn = about(np.array([1.0, 0.0, 0.0]), 0.5 * math.pi) if up == "Y" else np.eye(3)
        self.upright = Pose(HERE.p, np.round(turn))
        self.up = np.array([0.0, float(up == "Y"), float(up != "Y")])
        self._cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        found = iter(Usd.PrimRange.Stage(self.usd, Usd.TraverseInstanceProxies()))
        self.prims: list[Any] = list(islice(found, _MAX_PRIMS + 1))
        if len(self.prims) > _MAX_PRIMS:
            raise ModelError(f"{self.source}: more than {_MAX_PRIMS} prims; that many are read.")

    @contextmanager
    def plainly(self) -> Iterator[None]:
        """Errors of USD's library, which may come with any value of a damaged file, in words of
        ours."""
        try:
            yield
        except self._error as error:
            raise ModelError(f"{self.source}: not a USD file: {_first_line(error)}.") from error

    def _unit(self, word: str, given: float) -> float:
        if not 1.0 / _LARGEST <= given <= _LARGEST:
            raise ModelError(
                f"{self.source}: {word} is {given}; {1.0 / _LARGEST:g} to {_LARGEST:g} it may be."
            )
        return float(given)

    def where(self, prim: Any) -> str:
        """For errors and notes."""
        return f"{self.source}, {prim.GetPath()}"

    def placed(self, prim: Any) -> tuple[Pose, Floats]:
        """The pose of a prim in the upright world [m], and its sizes along its own axes. Mirrored
        ones have a negative size."""
        try:
            M = np.array(self._cache.GetLocalToWorldTransform(prim))
        except self._error as error:
            raise ModelError(f"{self.where(prim)}: {_first_line(error)}.") from error
        if not np.isfinite(M).all():
            raise ModelError(f"{self.where(prim)}: its place is no finite number.")
        scale = np.linalg.norm(M[:3, :3], axis=1)  # rows: USD multiplies from the left
        if (scale == 0.0).any():
            raise ModelError(f"{self.where(prim)}: it is scaled by 0; give it a size.")
        R = (M[:3, :3] / scale[:, None]).T
        if np.abs(R.T @ R - np.eye(3)).max() > _SHEARED:
            raise ModelError(
                f"{self.where(prim)}: its axes are not square to each other (scaled before turned);"
                " no rigid body is; apply the scale to its points."
            )
        if np.linalg.det(R) < 0.0:
            R[:, 0], scale[0] = -R[:, 0], -scale[0]
        return self.upright @ Pose(self.metre * M[3, :3], R), scale

    def frame_on(self, body: Any | None, prim: Any | None, place: Any, turn: Any) -> Pose:
        """A place and a quaternion (attributes) told in the axes of a prim (None: the world), seen
        from the body that it is part of (None: the world)."""
        x, turned = values_of(self, place, 3), of_quaternion(values_of(self, turn, 4))
        whole, scale = (self.upright, np.ones(3)) if prim is None else self.placed(prim)
        seen = whole @ at(self.metre * scale * x, turned)
        if not (np.isfinite(seen.p).all() and np.isfinite(seen.R).all()):
            raise ModelError(
                f"{self.where(place.GetPrim())}: {place.GetName()} and {turn.GetName()} are no "
                "place and direction; finite numbers are expected."
            )
        return seen if body is None else self.placed(body)[0].inverse() @ seen


def value_of(stage: Stage, attribute: Any) -> float:
    """A number of a prim, which may be infinite."""
    (given,) = values_of(stage, attribute, 1)
    return float(given)


def number_of(stage: Stage, attribute: Any, least: float = -math.inf) -> float:
    """A number of a prim that must be finite, and at least so large."""
    given = value_of(stage, attribute)
    if not math.isfinite(given) or given < least:
        raise ModelError(
            f"{stage.where(attribute.GetPrim())}: {attribute.GetName()} is {given}; a finite number"
            f"{f' from {least:g} on' if math.isfinite(least) else ''} is expected."
        )
    return given


def values_of(stage: Stage, attribute: Any, count: int | None = None) -> Floats:
    """So many numbers of a prim, or however many; a quaternion has its real part first."""
    given = attribute.Get()
    try:
        if hasattr(given, "GetReal"):
            given = (given.GetReal(), *given.GetImaginary())
        found = np.asarray(given if given is not None or count else [], dtype=float).reshape(-1)
    except (TypeError, ValueError):
        found = np.zeros(0)
        count = count or 3
    if count not in (None, len(found)):
        raise ModelError(
            f"{stage.where(attribute.GetPrim())}: {attribute.GetName()} is {given!s:.80}; "
            f"{count} number{'s are' if count > 1 else ' is'} expected."
        )
    return found


def _first_line(error: Exception) -> str:
    """Of what USD says: the words between its quotes, which begin with line and column."""
    try:
        said = str(error)
    except UnicodeDecodeError:  # it quotes the file
        return "it has bytes that are no UTF-8"
    _, quoted, inner = said.partition(" : '")
    inner = inner.rstrip().removesuffix("'") if quoted else said
    told = re.sub(r"^[^']*?(?=:\d+:\d+: )", "", inner)  # its path
    return " ".join(told.split())[:200].strip(":. ")
